package screening_test

import (
	"errors"
	"iter"
	"reflect"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// listedHalf returns a Screener that lists every second address.
func listedHalf(t *testing.T, addresses []address.Address) *screening.Screener {
	t.Helper()
	var entries [2][]sources.Entry
	for i, a := range addresses {
		if i%2 == 0 {
			entries[i/2%2] = append(entries[i/2%2], sanctioned(a.Chain(), a.Normalized(), "1"))
		}
	}
	other := sources.Info{ID: "OTHER", Name: "other list", Jurisdiction: sources.EU}
	return loaded(t, nil, sources.Static(ofac, entries[0]...), sources.Static(other, entries[1]...))
}

// TestScreenAll checks that ScreenAll returns the results of Screen in the same order.
func TestScreenAll(t *testing.T) {
	pool := append(vectors.Addresses(t, ".."), address.Address{})
	s := listedHalf(t, pool[:len(pool)-1])
	for _, n := range []int{0, 1, longtest.N(1000, len(pool))} {
		asked := pool[len(pool)-min(n, len(pool)):]
		i := 0
		for r, err := range s.ScreenAll(slices.Values(asked)) {
			want, wantErr := s.Screen(asked[i])
			if !errors.Is(err, wantErr) || err == nil && wantErr != nil {
				t.Fatalf("answer %d of %d: %v, want %v", i, n, err, wantErr)
			}
			if !reflect.DeepEqual(want, r) {
				t.Fatalf("answer %d of %d: %+v, want %+v as of Screen", i, n, r, want)
			}
			i++
		}
		if i != len(asked) {
			t.Fatalf("%d answers to %d questions", i, len(asked))
		}
	}
}

// TestScreenAllBreak checks that an iteration can be stopped at any point.
func TestScreenAllBreak(t *testing.T) {
	pool := vectors.Addresses(t, "..")
	s := listedHalf(t, pool)
	for _, stop := range []int{1, 128, longtest.N(300, 2000)} {
		taken, ended := 0, false
		endless := func(yield func(address.Address) bool) {
			defer func() { ended = true }()
			for yield(pool[taken%len(pool)]) {
				taken++
			}
		}
		got := 0
		for range s.ScreenAll(endless) {
			if got++; got == stop {
				break
			}
		}
		if !ended || taken != stop-1 {
			t.Errorf("left after %d: %d addresses taken, ended: %v", stop, taken, ended)
		}
	}
}

// TestScreenAllNotLoaded checks that ScreenAll returns the errors of Screen.
func TestScreenAllNotLoaded(t *testing.T) {
	s, err := screening.New([]sources.Source{sources.Static(ofac, sanctioned("ethereum", lazarus, "1"))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r, err := range s.ScreenAll(slices.Values(vectors.Addresses(t, "..")[:300])) {
		if n++; !errors.Is(err, screening.ErrNotLoaded) || r.Level != "" {
			t.Fatalf("%v, %v; want ErrNotLoaded", r, err)
		}
	}
	if n != 300 {
		t.Errorf("%d answers, want 300", n)
	}
}

func TestScreenAllAllocates(t *testing.T) {
	pool := vectors.Addresses(t, "..")
	s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")))
	all := slices.DeleteFunc(pool, func(a address.Address) bool {
		r, err := s.Screen(a)
		return err != nil || r.Score > 0 || r.Doubts != nil
	})
	run := func(seq iter.Seq[address.Address]) float64 {
		return testing.AllocsPerRun(10, func() {
			for range s.ScreenAll(seq) {
			}
		})
	}
	few, many := run(slices.Values(all[:1])), run(slices.Values(all))
	if many > few && !longtest.Race {
		t.Errorf("%v allocations for one clean address, %v for %d", few, many, len(all))
	}
}
