package screening_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A sliding list has the entries from first up to first+n: at each step, some are dropped and
// as many are new.
type sliding struct{ first, n int }

func (l *sliding) Info() sources.Info { return ofac }

func (l *sliding) entry(i int) sources.Entry {
	return sources.Entry{
		Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", 1<<40+int64(i)*2654435761)), Asset: "ETH", Kind: score.Sanctioned,
		Ref: fmt.Sprint(20000 + i/3), Name: fmt.Sprintf("The Name of Party %d", i/3), EntityListedAt: day.AddDate(0, 0, i/3),
	}
}

func (l *sliding) load(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	for i := l.first; i < l.first+l.n; i++ {
		if err := add(l.entry(i)); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: digestOf(l.first), Published: day.Add(time.Duration(l.first/3) * time.Hour), Records: l.n}, nil
}

// TestYear refreshes a list of 300 entries every hour: each time it drops three entries
// and has three new ones. The long test does so for some months. The store must stay small, and every
// hour of the past open.
func TestYear(t *testing.T) {
	hours := longtest.N(150, 1200)
	dir := t.TempDir()
	st := openStore(t, dir)
	l := &sliding{n: 300}
	src := &flaky{info: ofac, load: l.load}
	c := newWallClock()
	s := c.start(t, &screening.Options{Store: st}, src)
	var first []int // by hour
	var at []time.Time
	begin := cpuTime(t)
	for hour := range hours {
		refresh(t, s)
		first, at = append(first, l.first), append(at, c.now)
		if hour == hours/2 { // a restart
			s = c.start(t, &screening.Options{Store: st}, src)
			if _, err := s.Open(ctx); err != nil {
				t.Fatal(err)
			}
		}
		l.first += 3
		c.add(time.Hour)
	}
	perRefresh := (cpuTime(t) - begin) / time.Duration(hours)
	bytes, files := int64(0), 0
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			bytes, files = bytes+info.Size(), files+1
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d refreshes: %d KiB in %d files, %v of CPU each", hours, bytes>>10, files, perRefresh)
	// A fifth for the files, and the rest in proportion to the time.
	if limit := int64(4<<20 + hours*(16<<20)/8760); bytes > limit {
		t.Errorf("%d bytes after %d refreshes, want at most %d", bytes, hours, limit)
	}

	step := max(1, hours/longtest.N(12, 30))
	for hour := 0; hour < hours; hour += step {
		past, err := screening.OpenAt(ctx, st, at[hour].Add(time.Minute), []sources.Source{src}, nil)
		if err != nil {
			t.Fatalf("hour %d: %v", hour, err)
		}
		if n := past.Sources()[0].Entries; n != l.n {
			t.Errorf("hour %d: %d entries, want %d", hour, n, l.n)
		}
		for _, i := range []int{0, first[hour] - 4, first[hour] - 1, first[hour], first[hour] + l.n/2, first[hour] + l.n - 1, first[hour] + l.n} {
			if i < 0 {
				continue
			}
			r, err := past.Screen(l.entry(i).Address)
			listed := i >= first[hour] && i < first[hour]+l.n
			if err != nil || (len(r.Labels) == 1) != listed {
				t.Errorf("hour %d: entry %d: %+v, %v, want it listed: %v", hour, i, r, err, listed)
			}
			if former := i < first[hour]; former != (len(r.Formerly) == 1) || former && !slices.Contains(at, r.Formerly[0].Until) {
				t.Errorf("hour %d: entry %d: formerly %+v, want it: %v", hour, i, r.Formerly, former)
			}
			if want := at[max(0, min(i-l.n+3, 3*hours-3))/3]; listed && !r.Labels[0].AddedAt.Equal(l.entry(i).EntityListedAt) &&
				!r.Labels[0].AddedAt.Equal(want) {
				t.Errorf("hour %d: entry %d was added at %v, want %v", hour, i, r.Labels[0].AddedAt, want)
			}
		}
	}
}
