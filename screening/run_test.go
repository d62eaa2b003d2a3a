package screening_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A slow source delays each load, and records when it begins.
type slow struct {
	info  sources.Info
	takes time.Duration
	load  func(sources.Revision, func(sources.Entry) error) (sources.Revision, error)

	mu    sync.Mutex
	loads []time.Duration // since start
	start time.Time
}

func (s *slow) Info() sources.Info { return s.info }

func (s *slow) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	s.mu.Lock()
	if s.start.IsZero() {
		s.start = time.Now()
	}
	s.loads = append(s.loads, time.Since(s.start))
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return sources.Revision{}, ctx.Err()
	case <-time.After(s.takes):
		return s.load(prev, add)
	}
}

// community entries of many.
func scams(
	load func(sources.Revision, func(sources.Entry) error) (sources.Revision, error),
) func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		return load(prev, func(e sources.Entry) error { e.Kind = score.Scam; return add(e) })
	}
}

// TestRunSchedules runs a slow source, a quick one, and one that fails.
func TestRunSchedules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		third := sources.Info{ID: "THIRD", Name: "Third", Jurisdiction: sources.EU}
		quick := &slow{info: ofac, takes: time.Second, load: numbered(1, 1)}
		lame := &slow{info: community, takes: 25 * time.Minute, load: scams(numbered(1, 2))}
		failing := &slow{info: third, takes: time.Second, load: down}
		s := newScreener(t, &screening.Options{
			Optional: []string{"COMMUNITY_BADLIST", "THIRD"},
			Schedule: map[string]screening.Schedule{
				"OFAC_SDN": {Every: 10 * time.Minute},
				"THIRD":    {Retry: 20 * time.Minute},
			},
		}, quick, lame, failing)
		ctx, cancel := context.WithTimeout(ctx, 61*time.Minute)
		defer cancel()
		done := make(chan error)
		go func() { done <- s.Run(ctx, time.Hour) }()
		time.Sleep(2 * time.Second)
		if r, err := s.ScreenText("ethereum", clean); err != nil || r.Level != score.CleanNoMatch {
			t.Errorf("after two seconds: %v, %v; the quick list has come, and must not wait", r, err)
		}
		if st := s.Sources(); !st[0].Loaded() || st[1].Loaded() || st[2].Loaded() || !errors.Is(st[2].Err, errDown) {
			t.Errorf("after two seconds: %+v", st)
		}
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run: %v", err)
		}
		for name, tt := range map[string]struct {
			src  *slow
			want []int // minutes
		}{
			"every ten minutes":                   {quick, []int{0, 10, 20, 30, 40, 50, 60}},
			"every hour":                          {lame, []int{0, 60}},
			"again after 20 minutes, if it fails": {failing, []int{0, 20, 40, 60}},
		} {
			var got []int
			for _, d := range tt.src.loads {
				got = append(got, int(d/time.Minute))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: loaded at the minutes %v, want %v", name, got, tt.want)
			}
		}
		if st := s.Sources()[1]; !st.Loaded() || st.Addresses != 1 {
			t.Errorf("in the end the slow list is %+v", st)
		}
	})
}

// TestTimeout checks that a source that hangs times out without delaying others.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := &slow{info: community, takes: 1000 * time.Hour, load: down}
		s := newScreener(t, &screening.Options{
			Schedule: map[string]screening.Schedule{"COMMUNITY_BADLIST": {Timeout: time.Minute}},
		}, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")), hangs)
		start := time.Now()
		_, err := s.Refresh(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "time limit of 1m0s") || time.Since(start) != time.Minute {
			t.Errorf("Refresh: %v after %v, want the time limit after a minute", err, time.Since(start))
		}
		if st := s.Sources(); !st[0].Loaded() || st[1].Loaded() {
			t.Errorf("sources are %+v", st)
		}
		// The default timeout is an hour.
		s = newScreener(t, nil, hangs)
		start = time.Now()
		if _, err := s.Refresh(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Hour {
			t.Errorf("Refresh: %v after %v, want the time limit after an hour", err, time.Since(start))
		}
		// The context ends a Refresh that waits for another load.
		go s.Refresh(ctx)
		synctest.Wait()
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		start = time.Now()
		report, err := s.Refresh(short)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second || len(report.Sources) != 1 ||
			report.Sources[0].Info.ID != "COMMUNITY_BADLIST" {
			t.Errorf("Refresh: %+v, %v after %v, want the end of its context", report, err, time.Since(start))
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestTimeoutWatchesProgress checks that the time limit is one of a load that does not get on, and
// that one that gets on too slowly ends, too.
func TestTimeoutWatchesProgress(t *testing.T) {
	const limit = time.Minute
	for _, tt := range []struct {
		name  string
		pause time.Duration // before each entry
		n     int
		took  time.Duration // if it fails
	}{
		{"slow", limit - time.Second, 20, 0},
		{"stops", 3 * limit, 20, limit},
		{"trickles", limit / 2, 1000, 24 * limit},
	} {
		synctest.Test(t, func(t *testing.T) {
			src := &fromContext{ofac, func(ctx context.Context, add func(sources.Entry) error) (sources.Revision, error) {
				for i := range tt.n {
					select {
					case <-ctx.Done():
						return sources.Revision{}, ctx.Err()
					case <-time.After(tt.pause):
					}
					if i%2 == 0 {
						sources.Progress(ctx)(int64(i), -1)
						continue
					}
					if err := add(sanctioned("ethereum", fmt.Sprintf("0x%040x", i), "")); err != nil {
						return sources.Revision{}, err
					}
				}
				return sources.Revision{Digest: digestOf(1), Records: tt.n}, nil
			}}
			s := newScreener(t, &screening.Options{Schedule: map[string]screening.Schedule{ofac.ID: {Timeout: limit}}}, src)
			start := time.Now()
			_, err := s.Refresh(ctx)
			took := time.Since(start)
			if tt.took == 0 && err != nil || tt.took > 0 && (!errors.Is(err, context.DeadlineExceeded) || took < tt.took || took > tt.took+limit) {
				t.Errorf("%s: %v after %v, want an error after %v", tt.name, err, took, tt.took)
			}
		})
	}
}

// fromContext is a source that loads by a function.
type fromContext struct {
	info sources.Info
	load func(ctx context.Context, add func(sources.Entry) error) (sources.Revision, error)
}

func (s *fromContext) Info() sources.Info { return s.info }

func (s *fromContext) Load(ctx context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return s.load(ctx, add)
}

func TestScheduleIsChecked(t *testing.T) {
	src := sources.Static(ofac, sanctioned("ethereum", lazarus, "1"))
	for _, sched := range []map[string]screening.Schedule{
		{"OFAC": {}}, {"OFAC_SDN": {Every: -1}}, {"OFAC_SDN": {Retry: -1}}, {"OFAC_SDN": {Timeout: -1}},
	} {
		if _, err := screening.New([]sources.Source{src}, &screening.Options{Schedule: sched}); err == nil {
			t.Errorf("New takes the schedule %+v", sched)
		}
	}
}

func TestProgress(t *testing.T) {
	var got []string
	name := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := sources.File(ofac, name, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		_, err := io.Copy(io.Discard, r)
		return sources.Revision{Records: 1}, errors.Join(err, add(sanctioned("ethereum", lazarus, "")))
	})
	loaded(t, &screening.Options{Bytes: func(source string, read, total int64) {
		got = append(got, fmt.Sprint(source, " ", read, " of ", total, " bytes"))
	}}, file)
	want := []string{"OFAC_SDN 4 of 4 bytes"}
	if !slices.Equal(got, want) {
		t.Errorf("progress is %q, want %q", got, want)
	}
}

// An endingStore ends a context at each Read while end is set, and fails with its error.
type endingStore struct {
	store.Store
	end context.CancelFunc
}

func (e *endingStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	if e.end != nil {
		e.end()
	}
	return e.Store.Read(ctx, from, each)
}

// TestRefreshEnded ends the context of a Refresh while the store is read. The store does not fail, and a list of a source
// that does not look at the context is not accepted.
func TestRefreshEnded(t *testing.T) {
	st := &endingStore{Store: new(storetest.Memory)}
	src := &flaky{ofac, numbered(1, 1)}
	s := newScreener(t, &screening.Options{Store: st}, src)
	refresh(t, s)
	src.load = numbered(2, 1, 2)
	ctx, end := context.WithCancel(ctx)
	st.end = end
	_, err := s.Refresh(ctx)
	if st := s.Sources()[0]; !errors.Is(err, context.Canceled) || st.StoreErr != nil || st.Digest != digestOf(1) {
		t.Errorf("Refresh: %v, and the status is %+v", err, st)
	}
	if r := must(s.ScreenText("ethereum", fmt.Sprintf("0x%040x", 2))); r.Score != 0 || r.Caveats() != nil {
		t.Errorf("an entry that was not accepted: %+v, %v", r, r.Caveats())
	}
	st.end = nil
	refresh(t, s)
}

// TestConcurrent calls all methods concurrently, for the race detector.
func TestConcurrent(t *testing.T) {
	opts := &screening.Options{Store: openStore(t, t.TempDir()), Schedule: map[string]screening.Schedule{"OFAC_SDN": {Every: time.Millisecond}}}
	var n atomic.Int32
	changing := func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		i := int(n.Add(1)) % 5
		return numbered(i, 1, 100+i)(prev, add)
	}
	s := newScreener(t, opts, &flaky{info: ofac, load: changing}, &flaky{info: community, load: scams(changing)})
	if _, err := s.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	a := address.MustParse("ethereum", fmt.Sprintf("0x%040x", 1))
	for _, f := range []func(){
		func() { s.Refresh(ctx) },
		func() { s.Open(ctx) },
		func() { s.Run(ctx, 2*time.Millisecond) },
		func() {
			if r, err := s.Screen(a); err != nil || len(r.Labels) != 2 {
				t.Errorf("Screen = %+v, %v", r, err)
			}
		},
		func() {
			for _, st := range s.Sources() {
				if st.Err != nil && ctx.Err() == nil || st.StoreErr != nil || st.Entries != 2 {
					t.Errorf("status is %+v", st)
				}
			}
			s.Anomalies("OFAC_SDN")
		},
	} {
		for range 2 {
			wg.Go(func() {
				for ctx.Err() == nil {
					f()
				}
			})
		}
	}
	wg.Wait()
}
