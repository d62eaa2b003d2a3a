package screening_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestRefreshMemory loads a long list, and then one with other entries at its beginning,
// and checks that a refresh needs little memory besides the index: it keeps no entries,
// and neither does its Report. The long test loads two million. 256 MiB of JSON have 5.7
// million, which need no more besides the index, but two minutes.
func TestRefreshMemory(t *testing.T) {
	testRefreshMemory(t, longtest.N(60_000, 2_000_000), []int{0, 1000}, func(i int) sources.Entry {
		return sanctioned("ethereum", fmt.Sprintf("0x%040x", i), "")
	})
}

// TestRefreshMemoryComments is TestRefreshMemory of a list in which each entry has a name
// and a reference of its own. The long test loads a million. 256 MiB of JSON have 1.9
// million, which need 48 MiB besides the index.
func TestRefreshMemoryComments(t *testing.T) {
	testRefreshMemory(t, longtest.N(30_000, 1_000_000), []int{0}, func(i int) sources.Entry {
		e := sanctioned("ethereum", fmt.Sprintf("0x%040x", i), fmt.Sprintf("https://example.com/%d", i))
		e.Name = fmt.Sprintf("a comment of its own %08d", i)
		return e
	})
}

// testRefreshMemory refreshes lists of n entries that begin with each of the given ones.
func testRefreshMemory(t *testing.T, n int, begin []int, entry func(i int) sources.Entry) {
	if longtest.Race {
		t.Skip("the race detector needs memory")
	}
	from := 0
	src := &flaky{ofac, func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		for i := from; i < from+n; i++ {
			if err := add(entry(i)); err != nil {
				return sources.Revision{}, err
			}
		}
		return sources.Revision{Digest: strconv.Itoa(from), Records: n}, nil
	}}
	s := newScreener(t, &screening.Options{Store: openStore(t, t.TempDir())}, src)
	for what, first := range begin {
		from = first
		debug.FreeOSMemory() // of the tests before
		time.Sleep(10 * time.Millisecond)
		before, stop := inMemory(), make(chan bool)
		most := make(chan int)
		go func() {
			peak := 0
			for {
				select {
				case <-stop:
					most <- peak
					return
				case <-time.After(time.Millisecond):
					peak = max(peak, inMemory()-before)
				}
			}
		}()
		report := refresh(t, s)
		close(stop)
		r := report.Sources[0]
		limit := 12 << 20
		if longtest.Enabled() {
			limit = r.Bytes + 64<<20
		}
		if peak := <-most; peak > limit {
			t.Errorf("refresh %d needs %d MiB for an index of %d, want at most %d", what, peak>>20, r.Bytes>>20, limit>>20)
		} else {
			t.Logf("refresh %d needs %d KiB for an index of %d", what, peak>>10, r.Bytes>>10)
		}
		if r.Added == 0 || r.Entries != n {
			t.Errorf("refresh %d: %d entries, %d added", what, r.Entries, r.Added)
		}
	}
}

// inMemory returns how many bytes are in use on the heap, or, in the long test, by the
// process, apart from files, where the system says it.
func inMemory() int {
	if longtest.Enabled() {
		status, _ := os.ReadFile("/proc/self/status")
		if _, rest, ok := strings.Cut(string(status), "RssAnon:"); ok {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kib << 10
		}
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
