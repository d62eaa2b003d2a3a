package screening_test

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestKeptResults retains results over refreshes, clean ones and hits, with and without
// a store, and checks that none retains a list in memory.
func TestKeptResults(t *testing.T) {
	n := longtest.N(12_000, 50_000)
	for _, stored := range []bool{false, true} {
		opts := &screening.Options{}
		if stored {
			opts.Store = openStore(t, t.TempDir())
		}
		text := randomEVM(n, 1)
		src := &changing{streamed: text}
		s := newScreener(t, opts, src)
		asked := address.MustParse("bsc", clean)
		var kept []screening.Result
		var lists []weak.Pointer[index.Table]
		heap := func() uint64 {
			var m runtime.MemStats
			for range 3 {
				runtime.GC()
			}
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		var before uint64
		for i := range longtest.N(4, 10) + 1 {
			refresh(t, s)
			if i == 0 {
				before = heap()
			}
			r, err := s.Screen(asked)
			if err != nil || r.Score != 0 {
				t.Fatal(r, err)
			}
			kept = append(kept, r)
			if r, err = s.ScreenText("bsc", text[50]); err != nil || r.Score != 100 {
				t.Fatal(r, err)
			}
			kept = append(kept, r)
			lists = append(lists, s.Index(0))
		}
		if after, most := heap(), uint64(longtest.N(1<<20, 2<<20)); after > before+most {
			t.Errorf("stored %v: %d bytes are kept by %d results, want at most %d", stored, after-before, len(kept), most)
		}
		for i, l := range lists[:len(lists)-1] {
			for try := 0; l.Value() != nil; try++ {
				if try == 10_000 {
					t.Fatalf("stored %v: list %d of %d is still in memory", stored, i, len(lists))
				}
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
		}
		digests := make(map[string]bool)
		for _, r := range kept {
			digests[r.Digest()] = true
			if st := r.Sources()[0]; st.Entries != n || st.Addresses != n || r.Digest() == "" {
				t.Errorf("a kept result says %+v", st)
			}
		}
		if len(digests) != len(lists) {
			t.Errorf("%d digests of %d lists", len(digests), len(lists))
		}
		runtime.KeepAlive(s)
	}
}

// TestHitAllocs checks that a hit allocates at most twice: the labels, and the listed string.
func TestHitAllocs(t *testing.T) {
	entries := listedWithRefs(200)
	s, tron, text := loaded(t, nil, staticOf(entries)), tronOf(entries[7].Address), entries[7].Address.Normalized()
	for name, ask := range map[string]func() (screening.Result, error){
		"text":             func() (screening.Result, error) { return s.ScreenText("ethereum", text) },
		"family":           func() (screening.Result, error) { return s.ScreenText("polygon", text) },
		"address":          func() (screening.Result, error) { return s.Screen(entries[7].Address) },
		"another encoding": func() (screening.Result, error) { return s.Screen(tron) },
	} {
		if r, err := ask(); err != nil || len(r.Labels) != 1 || r.Labels[0].Ref != "7" || r.Labels[0].Listed != text {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if n := testing.AllocsPerRun(100, func() { ask() }); n > 2 && !longtest.Race {
			t.Errorf("%s: %v allocations, want at most 2", name, n)
		}
	}
}

// A changing source lists EVM addresses. Each load replaces one in a hundred.
type changing struct {
	streamed
	load int
}

func (c *changing) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	c.load++
	list := make(streamed, len(c.streamed))
	copy(list, c.streamed)
	for i := c.load % 100; i < len(list); i += 100 { // the last digit: an address of this load
		list[i] = list[i][:41] + "0123456789abcdef"[c.load%16:c.load%16+1]
	}
	r, err := list.Load(ctx, prev, add)
	r.Digest = digestOf(c.load)
	return r, err
}
