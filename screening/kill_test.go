package screening_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// growing is a list that has one more entry after each load. The first tenth of the n
// entries has been removed.
type growing struct{ n int }

func (g *growing) Info() sources.Info { return partInfo }

func (g *growing) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	g.n = prev.Records + 1
	for i := 1 + g.n/10; i <= g.n; i++ {
		if err := add(listing(i)); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: digestOf(g.n), Records: g.n}, nil
}

const killIn = "WALLETSCREEN_TEST_REFRESH_IN"

// refreshForEver refreshes a list and prints the number of its entries after each
// refresh.
func refreshForEver(dir string, out *os.File) {
	l := &growing{}
	s, err := screening.New([]sources.Source{l}, &screening.Options{Store: must(store.Open(dir))})
	for err == nil {
		if _, err = s.Refresh(context.Background()); err == nil {
			fmt.Fprintln(out, l.n)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestKill repeatedly kills a program while it refreshes. After each restart, the last
// list in use must be there, whole, and no first-seen time may have changed.
func TestKill(t *testing.T) {
	if dir := os.Getenv(killIn); dir != "" {
		refreshForEver(dir, os.Stdout)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	seen := make(map[int]time.Time)
	for range longtest.N(6, 25) {
		child := exec.Command(self, "-test.run=^TestKill$")
		child.Env = append(os.Environ(), killIn+"="+dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		n := 0
		note := func() bool {
			if !lines.Scan() {
				return false
			}
			// The last line may be truncated: then it is a smaller number.
			if m, err := strconv.Atoi(lines.Text()); err == nil {
				n = max(n, m)
			}
			return true
		}
		if !note() || n == 0 {
			t.Fatalf("the program that refreshes does not: %q", lines.Text())
		}
		time.Sleep(rand.N(30 * time.Millisecond))
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for note() {
		}
		child.Wait()

		s := newScreener(t, &screening.Options{Store: openStore(t, dir)}, &flaky{info: partInfo, load: down})
		if _, err := s.Open(t.Context()); err != nil {
			t.Fatalf("killed after %d entries: Open: %v", n, err)
		}
		st := s.Sources()[0]
		var top int
		fmt.Sscanf(st.Digest, "%x", &top)
		if top < n || st.Entries != top-top/10 {
			t.Fatalf("killed after %d entries: %d are held, of %d", n, st.Entries, top)
		}
		for i := 1 + top/10; i <= top; i++ {
			r, err := s.Screen(listing(i).Address)
			if err != nil || r.Score != 100 {
				t.Fatalf("killed after %d entries: entry %d of %d: %+v, %v, want it listed", n, i, top, r, err)
			}
			at := r.Labels[0].AddedAt
			if first, ok := seen[i]; ok && !at.Equal(first) {
				t.Fatalf("entry %d was first seen at %v, and after a kill at %v", i, first, at)
			}
			seen[i] = at
		}
		if r, err := s.Screen(listing(top + 1).Address); err != nil || r.Level != score.CleanNoMatch {
			t.Fatalf("an entry that was never listed: %+v, %v", r, err)
		}
	}
	t.Logf("%d entries were listed in the end", len(seen))
}
