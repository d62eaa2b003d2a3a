package screening_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestOddSource uses sources that break the rules of Load. The last good list must
// stay, also for an optional source.
func TestOddSource(t *testing.T) {
	type load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error)
	good := numbered(1, 1, 2, 3)
	for _, tt := range []struct {
		name    string
		load    load
		refused bool
	}{
		{"ends its goroutine", func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
			runtime.Goexit()
			return sources.Revision{}, nil
		}, true},
		{"does not look at the error of add", func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			add(sanctioned("ethereum", clean, "1"))
			add(sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: "UNHEARD_OF"})
			add(sanctioned("ethereum", clean, "2"))
			return sources.Revision{Digest: digestOf(2), Records: 3}, nil
		}, true},
		{"is unchanged after a bad entry", func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			add(sources.Entry{})
			return prev, sources.ErrUnchanged
		}, true},
		{"is unchanged, but another one", func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
			return sources.Revision{Digest: digestOf(2), Records: 3}, sources.ErrUnchanged
		}, true},
		{"is unchanged, and names no revision", func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
			return sources.Revision{}, sources.ErrUnchanged
		}, false},
		{"is unchanged, and has no records", func(prev sources.Revision, _ func(sources.Entry) error) (sources.Revision, error) {
			return sources.Revision{Digest: prev.Digest, ETag: "new"}, sources.ErrUnchanged
		}, false},
	} {
		for _, optional := range [][]string{nil, {ofac.ID}} {
			st := openStore(t, t.TempDir())
			src := &flaky{info: ofac, load: good}
			other := sources.Static(community, sources.Entry{Listed: "x", Kind: score.Scam})
			opts := &screening.Options{Optional: optional, Store: st}
			s := loaded(t, opts, src, other)
			before := s.Sources()[0]
			src.load = tt.load
			report, err := s.Refresh(ctx)
			if (err != nil) != tt.refused || report.Sources[0].Info.ID != ofac.ID || report.Sources[0].Entries != 3 ||
				report.Sources[0].Unchanged == tt.refused {
				t.Errorf("%s: Refresh: %v, %+v", tt.name, err, report.Sources[0])
			}
			again := newScreener(t, opts, src, other)
			if _, err := again.Open(ctx); err != nil {
				t.Errorf("%s: Open: %v", tt.name, err)
			}
			for _, s := range []*screening.Screener{s, again} {
				if r, err := s.ScreenText("ethereum", fmt.Sprintf("0x%040x", 2)); err != nil || r.Score != 100 {
					t.Errorf("%s: the last good list is gone: score %d, %v", tt.name, r.Score, err)
				}
				if after := s.Sources()[0]; after.Digest != before.Digest || after.Entries != 3 {
					t.Errorf("%s: status is %+v, was %+v", tt.name, after, before)
				}
			}
		}
	}
}

// TestAddFromGoroutines uses a source that calls add from several goroutines, and once
// more after Load has returned.
func TestAddFromGoroutines(t *testing.T) {
	const workers, each = 8, 500
	var late func(sources.Entry) error
	src := &flaky{info: ofac, load: func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		late = add
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := range each {
					if err := add(sanctioned("ethereum", fmt.Sprintf("0x%040x", w*each+i), "1")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		return sources.Revision{Digest: digestOf(1), Records: workers * each}, nil
	}}
	s := loaded(t, nil, src)
	if err := late(sanctioned("ethereum", lazarus, "2")); err == nil {
		t.Error("an entry is taken after the end of the list")
	}
	for i := range workers * each {
		if r, err := s.ScreenText("ethereum", fmt.Sprintf("0x%040x", i)); err != nil || r.Score != 100 {
			t.Fatalf("account %d: score %d, %v", i, r.Score, err)
		}
	}
	if st := s.Sources()[0]; st.Entries != workers*each || st.Addresses != workers*each {
		t.Errorf("status is %+v", st)
	}
}

// TestCheckedInTheFuture checks that a source cannot make a list look fresher than one
// loaded now.
func TestCheckedInTheFuture(t *testing.T) {
	checked := time.Now().AddDate(1, 0, 0)
	src := &flaky{info: ofac, load: func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		rev := sources.Revision{Digest: digestOf(1), Records: 1, Checked: checked}
		if prev.Digest == rev.Digest {
			return rev, sources.ErrUnchanged
		}
		return rev, add(sanctioned("ethereum", lazarus, "1"))
	}}
	s := loaded(t, &screening.Options{MaxAge: time.Hour}, src)
	for range 2 {
		if at := s.Sources()[0].LastUpdated; at.After(time.Now()) {
			t.Errorf("last updated at %v", at)
		}
		if _, err := s.Refresh(ctx); err != nil {
			t.Error(err)
		}
	}
	src.load = down
	if _, err := s.Refresh(ctx); !errors.Is(err, errDown) {
		t.Error(err)
	}
}
