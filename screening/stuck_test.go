package screening_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A deaf source ignores its context: Load waits until release is closed.
type deaf struct {
	release chan struct{}

	mu    sync.Mutex // guards the following
	loads int
	late  error // of the last add
}

func (d *deaf) Info() sources.Info { return community }

func (d *deaf) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	d.mu.Lock()
	d.loads++
	d.mu.Unlock()
	<-d.release
	err := add(sources.Entry{Address: address.MustParse("ethereum", clean), Kind: score.Scam})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.late = err
	return sources.Revision{Digest: digestOf(1), Records: 1}, err
}

// TestStuck checks that a source that ignores its context is reported, does not delay
// other sources, and changes nothing when it returns late.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := &deaf{release: make(chan struct{})}
		quick := &published{info: ofac}
		quick.publish(sanctioned("ethereum", lazarus, "1"))
		s := newScreener(t, &screening.Options{Optional: []string{community.ID}}, stuck, quick)

		done := make(chan error)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		go func() {
			_, err := s.Refresh(ctx)
			done <- err
		}()
		time.Sleep(time.Second)
		if r, err := s.ScreenText("ethereum", lazarus); err != nil || r.Score != 100 {
			t.Errorf("while the other source is stuck: %+v, %v", r, err)
		}
		start := time.Now()
		err := <-done
		if !errors.Is(err, screening.ErrStuck) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), community.ID) ||
			strings.Contains(err.Error(), ofac.ID) {
			t.Errorf("Refresh: %v, want ErrStuck of %s", err, community.ID)
		}
		if took := time.Since(start); took < time.Hour-2*time.Second || took > time.Hour {
			t.Errorf("Refresh returned after %v, want when its context ended", took)
		}

		// Others are refreshed as before. The source is retried a limited number of
		// times.
		for i := range 5 {
			quick.publish(sanctioned("ethereum", lazarus, "1"), sanctioned("bsc", clean, string(rune('2'+i))))
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			report, err := s.Refresh(ctx)
			cancel()
			if !errors.Is(err, screening.ErrStuck) || report.Sources[1].Err != nil || report.Sources[1].Added != 1 {
				t.Errorf("refresh %d: %v, %+v", i, err, report.Sources[1])
			}
		}
		stuck.mu.Lock()
		if stuck.loads != 3 {
			t.Errorf("%d loads were begun, want 3 that are stuck", stuck.loads)
		}
		stuck.mu.Unlock()

		close(stuck.release)
		synctest.Wait()
		stuck.mu.Lock()
		late := stuck.late
		stuck.mu.Unlock()
		if late == nil || s.Sources()[0].Loaded() {
			t.Errorf("a late entry: %v, and the source is %+v", late, s.Sources()[0])
		}
		if r, err := s.ScreenText("ethereum", clean); err != nil || len(r.Labels) != 1 || r.Labels[0].Source != ofac.ID {
			t.Errorf("after the late entry: %+v, %v", r, err)
		}
		if _, err := s.Refresh(context.Background()); err != nil || !s.Sources()[0].Loaded() {
			t.Errorf("when it is back: %v, %+v", err, s.Sources()[0])
		}
	})
}

// TestRunLeavesStuckBehind checks that Run returns even if a source does not.
func TestRunLeavesStuckBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := &deaf{release: make(chan struct{})}
		s := newScreener(t, nil, stuck)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		start := time.Now()
		if err := s.Run(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Minute+time.Second {
			t.Errorf("Run: %v after %v", err, time.Since(start))
		}
		close(stuck.release)
	})
}
