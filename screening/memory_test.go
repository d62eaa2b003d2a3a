package screening_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// TestMain lets the garbage collector wait in tests, whose heap is small: it costs a sixth of their
// time. Benchmarks measure what a program has.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// TestRefreshMemory loads a long list, and then one with other entries at its beginning,
// and checks that a refresh needs at most 400 bytes an entry, garbage included. The long test loads a
// million.
func TestRefreshMemory(t *testing.T) {
	testRefreshMemory(t, 400, longtest.N(100_000, 1_000_000), []int{0, 1000}, func(i int) sources.Entry {
		return sanctioned("ethereum", fmt.Sprintf("0x%040x", i), "")
	})
}

// TestRefreshMemoryComments is TestRefreshMemory of a list in which each entry has a name
// and a reference of its own: 1,000 bytes an entry. The long test loads 400,000.
func TestRefreshMemoryComments(t *testing.T) {
	testRefreshMemory(t, 1000, longtest.N(50_000, 400_000), []int{0}, func(i int) sources.Entry {
		e := sanctioned("ethereum", fmt.Sprintf("0x%040x", i), fmt.Sprintf("https://example.com/%d", i))
		e.Name = fmt.Sprintf("a comment of its own %08d", i)
		return e
	})
}

// testRefreshMemory refreshes lists of n entries, of so many bytes each, that begin with each of the given ones. On a
// loaded machine, the garbage collector may be late: only the third excess is an error.
func testRefreshMemory(t *testing.T, each, n int, begin []int, entry func(i int) sources.Entry) {
	if longtest.Race {
		t.Skip("the race detector needs memory")
	}
	for try := 1; tooMuchMemory(t, each, n, begin, entry); try++ {
		if try == 3 {
			t.Fatal("too much memory")
		}
	}
}

func tooMuchMemory(t *testing.T, each, n int, begin []int, entry func(i int) sources.Entry) (tooMuch bool) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // as in a program
	from := 0
	src := &flaky{ofac, func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		for i := from; i < from+n; i++ {
			if err := add(entry(i)); err != nil {
				return sources.Revision{}, err
			}
		}
		return sources.Revision{Digest: digestOf(from), Records: n}, nil
	}}
	dir := t.TempDir()
	s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, src)
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
		file := largestFile(t, dir)
		limit := each*n + 64<<20
		peak := <-most
		t.Logf("refresh %d needs %d KiB for a file of %d, want at most %d", what, peak>>10, file>>10, limit>>10)
		tooMuch = tooMuch || peak > limit
		if r.Added == 0 || r.Entries != n || r.StoreErr != nil {
			t.Errorf("refresh %d: %d entries, %d added, %v", what, r.Entries, r.Added, r.StoreErr)
		}
	}
	return tooMuch
}

// largestFile returns the size of the largest file in dir.
func largestFile(t *testing.T, dir string) (size int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size = max(size, int(info.Size()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// inMemory returns how many bytes the process uses, apart from files, or where the system
// does not say it, how many are in use on the heap.
func inMemory() int {
	status, _ := os.ReadFile("/proc/self/status")
	if _, rest, ok := strings.Cut(string(status), "RssAnon:"); ok {
		kib, _ := strconv.Atoi(strings.Fields(rest)[0])
		return kib << 10
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
