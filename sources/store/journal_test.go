package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// past is a journal with the events of several days.
func past(t testing.TB) (st *storetest.Memory, events []journal.Event) {
	t.Helper()
	st = new(storetest.Memory)
	a := journal.New(st)
	exceptions := []string{"", "some", "some", "others", ""}
	for i := range 5 {
		name := accept(t, a, "TEST", i+1, day(2*i))
		rev := headerOf("TEST", i+1, day(2*i)).Revision
		rev.Checked = day(2*i + 1)
		err := a.Append(ctx,
			answering(day(2*i).Add(time.Second), exceptions[i], name),
			journal.Event{Type: journal.Confirmed, Source: "TEST", Revision: name, List: rev},
			journal.Event{Type: journal.Refused, At: day(2*i + 1).Add(time.Hour), Source: "TEST", Reason: "it is short"},
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Read(ctx, 0, func(e journal.Event) { events = append(events, e) }); err != nil || len(events) != 5*4+2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return st, events
}

// TestJournalDamage flips bits in a journal and truncates it, everywhere. Every event
// that is read must be an original one, in its place. Looking up the revisions of a
// time must return the original ones or an error.
func TestJournalDamage(t *testing.T) {
	st, events := past(t)
	good := bytes.Clone(st.Journal)
	all := func(journal.Event) bool { return true }
	same := func(a, b journal.Event) bool {
		lists := maps.Equal(a.Lists, b.Lists)
		a.Lists, b.Lists = nil, nil
		if a.Type == journal.Confirmed && a.Revision == "" { // its Accepted event is damaged
			a.Revision = b.Revision
		}
		return lists && fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
	}
	truth := func(at time.Time) (want journal.Event) {
		for _, e := range events {
			if e.Type == journal.Answering && !e.At.After(at) {
				want = e
			}
		}
		return want
	}
	lost := 0
	check := func(what string, damaged []byte, missing int) {
		t.Helper()
		st.Journal = damaged
		a := journal.New(st)
		n, i := 0, 0
		_, err := a.Read(ctx, 0, func(e journal.Event) {
			for i < len(events) && !same(e, events[i]) {
				i++
			}
			if i == len(events) {
				t.Fatalf("%s: read %+v, which was not written", what, e)
			}
			n++
			i++
		})
		if err != nil && !errors.Is(err, store.ErrDamaged) || missing >= 0 && (len(events)-n > missing || err == nil) {
			t.Fatalf("%s: %d of %d events, %v, want all but %d and ErrDamaged", what, n, len(events), err, missing)
		}
		for d := range 11 {
			at := day(d).Add(time.Minute)
			got, err := a.Answering(ctx, at, all)
			if err == nil && !same(got, truth(at)) {
				t.Fatalf("%s: at %v answered from %+v, want %+v, or an error", what, at, got, truth(at))
			}
			if err != nil {
				lost++
				if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNotFound) {
					t.Fatalf("%s: at %v: %v, want ErrDamaged", what, at, err)
				}
			}
		}
	}
	flips := 0
	for i := 0; i < len(good); i += longtest.Step(53, 4) {
		for bit := range longtest.N(1, 8) {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << ((i + bit) % 8)
			if good[i] == '\n' && (i == 0 || good[i-1] == '\n') {
				continue
			}
			// Lost are the line, the next one if the newline is damaged, and an Answering
			// event that refers to exceptions in them.
			check(fmt.Sprintf("bit of byte %d", i), bad, 6)
			flips++
		}
	}
	if share := float64(lost) / float64(flips*11); share > 0.3 {
		t.Errorf("after a flipped bit, %.0f %% of the questions about the past are errors, want less than 30 %%", 100*share)
	}
	for i := 0; i < len(good); i += longtest.Step(53, 4) {
		cut := bytes.Clone(good[:i])
		st.Journal = cut
		if i%7 == 0 { // it is torn, and the next event follows
			cut = append(cut, '\n')
		}
		check(fmt.Sprintf("cut at byte %d", i), cut, -1)
	}
}

// TestTorn truncates the last line, as a full disk does, and appends it again: nothing
// is lost.
func TestTorn(t *testing.T) {
	st, events := past(t)
	good := bytes.Clone(st.Journal)
	begin := bytes.LastIndex(good, []byte("\nanswering")) + 1
	end := begin + bytes.IndexByte(good[begin:], '\n') + 1
	for i := begin + 1; i < end; i++ {
		st.Journal = slices.Concat(good[:i], []byte("\n"), good[begin:])
		a := journal.New(st)
		for at, want := range map[time.Time]journal.Event{day(9): events[len(events)-3], day(8).Add(time.Second / 2): events[len(events)-7]} {
			got, err := a.Answering(ctx, at, func(journal.Event) bool { return true })
			if err != nil || want.Type != journal.Answering || got.Digest != want.Digest {
				t.Fatalf("cut after %d bytes: at %v: %+v, %v, want %+v", i-begin, at, got, err, want)
			}
		}
	}
}

// TestGarbage reads journals without any valid line.
func TestGarbage(t *testing.T) {
	dir := t.TempDir()
	for _, garbage := range [][]byte{
		bytes.Repeat([]byte{0}, 100_000), bytes.Repeat([]byte("x"), longtest.N(3<<20, 10<<20)), bytes.Repeat([]byte(" \n"), 100_000),
		[]byte("confirmed\n"), []byte("answering 20261121T045729.120000000Z - - {} 00000000\n"),
	} {
		write(t, garbage, dir, "journal")
		a := journal.New(open(t, dir))
		name := accept(t, a, "TEST", 1, start)
		a = journal.New(open(t, dir))
		var got []journal.Event
		_, err := a.Read(ctx, 0, func(e journal.Event) { got = append(got, e) })
		if !errors.Is(err, store.ErrDamaged) || len(got) != 1 || got[0].Revision != name {
			t.Errorf("garbage %.20q: %+v, %v, want one event and ErrDamaged", garbage, got, err)
		}
	}
}

// year writes a journal of hourly confirmations of five sources over some days, and
// returns its directory and its size.
func year(t testing.TB, days int) (dir string, size int) {
	t.Helper()
	dir = t.TempDir()
	st := new(storetest.Memory)
	a := journal.New(st)
	var names []string
	for s := range 5 {
		names = append(names, accept(t, a, fmt.Sprintf("TEST_LIST_%d", s), 1, start))
	}
	for h := range days * 24 {
		var events []journal.Event
		for s, name := range names {
			rev := headerOf("", 1, start).Revision
			rev.Checked = start.Add(time.Duration(h+1) * time.Hour).Add(time.Duration(s))
			events = append(events, journal.Event{Type: journal.Confirmed, Source: fmt.Sprintf("TEST_LIST_%d", s), Revision: name, List: rev})
		}
		if err := a.Append(ctx, events...); err != nil {
			t.Fatal(err)
		}
	}
	write(t, st.Journal, dir, "journal")
	for name, data := range st.Files {
		write(t, data, dir, name)
	}
	return dir, len(st.Journal)
}

// TestStamp compares the times in lines with times that package time formats.
func TestStamp(t *testing.T) {
	st := new(storetest.Memory)
	a := journal.New(st)
	var want []time.Time
	for at := time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2201; at = at.Add(797*time.Hour + 59*time.Minute + 59*time.Second + 987654321) {
		want = append(want, at)
	}
	for _, y := range []int{1900, 2000, 2024, 2100} {
		want = append(
			want,
			time.Date(y, 2, 28, 23, 59, 59, 999999999, time.UTC),
			time.Date(y, 2, 29, 0, 0, 0, 0, time.UTC),
			time.Date(y, 12, 31, 0, 0, 0, 0, time.UTC),
		)
	}
	var events []journal.Event
	for _, at := range want {
		events = append(events, journal.Event{Type: journal.Refused, At: at, Source: "TEST"})
	}
	if err := a.Append(ctx, events...); err != nil {
		t.Fatal(err)
	}
	i := 0
	if _, err := a.Read(ctx, 0, func(e journal.Event) {
		if !e.At.Equal(want[i]) {
			t.Errorf("read %v, want %v", e.At, want[i])
		}
		i++
	}); err != nil || i != len(want) {
		t.Errorf("%d events, %v, want %d", i, err, len(want))
	}
}

// TestYear checks the size that a journal reaches in a year, or in a month.
func TestYear(t *testing.T) {
	days := longtest.N(30, 365)
	dir, size := year(t, days)
	if limit := 5 * days * 24 * 128; size > limit {
		t.Errorf("%d days of hourly confirmations of five sources take %d bytes, want at most %d", days, size, limit)
	}
	a := journal.New(open(t, dir))
	names, err := a.Revisions(ctx, "TEST_LIST_3")
	if err != nil || len(names) != 1 {
		t.Fatalf("revisions %q, %v", names, err)
	}
	if checks, err := a.Checks(ctx, names[0]); err != nil || len(checks) != days*24+1 {
		t.Errorf("%d checks, %v, want %d", len(checks), err, days*24+1)
	}
}

// BenchmarkYear reads such a journal, like a program that starts.
func BenchmarkYear(b *testing.B) {
	dir, size := year(b, 365)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		d, err := store.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		a := journal.New(d)
		for s := range 5 {
			if names, err := a.Revisions(ctx, fmt.Sprintf("TEST_LIST_%d", s)); err != nil || len(names) != 1 {
				b.Fatal(names, err)
			}
		}
	}
}

// BenchmarkAppend appends a confirmation, flushed to the disk.
func BenchmarkAppend(b *testing.B) {
	a := journal.New(open(b, b.TempDir()))
	name := accept(b, a, "TEST", 1, start)
	rev := headerOf("TEST", 1, start).Revision
	for b.Loop() {
		rev.Checked = rev.Checked.Add(time.Hour)
		if err := a.Append(ctx, journal.Event{Type: journal.Confirmed, Source: "TEST", Revision: name, List: rev}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFollow reads the journal when nothing was appended.
func BenchmarkFollow(b *testing.B) {
	dir, _ := year(b, 365)
	a := journal.New(open(b, dir))
	next, err := a.Read(ctx, 0, func(journal.Event) {})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := a.Read(ctx, next, func(journal.Event) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzJournal checks that reading arbitrary journals does not panic, and that reading
// at once and line by line gives the same events.
func FuzzJournal(f *testing.F) {
	st, _ := past(f)
	for i, line := range bytes.SplitAfter(st.Journal, []byte("\n")) {
		if i < 6 { // short inputs, which are quick to minimize
			f.Add(line)
		}
	}
	f.Add([]byte("answering 20261121T045729.120000000Z - - {} 00000000\n"))
	dir := f.TempDir()
	d, err := store.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		write(t, lines, dir, "journal")
		a := journal.New(d)
		var got []string
		next, err := a.Read(ctx, 0, func(e journal.Event) { got = append(got, fmt.Sprintf("%+v", e)) })
		if err != nil && !errors.Is(err, store.ErrDamaged) || next > int64(len(lines)) {
			t.Fatalf("Read: %d, %v", next, err)
		}
		a.Answering(ctx, start, func(journal.Event) bool { return false })
		if _, err := a.Answerings(ctx); err != nil && !errors.Is(err, store.ErrDamaged) {
			t.Fatal(err)
		}
		var again []string
		st := new(storetest.Memory)
		b := journal.New(st)
		from := int64(0)
		for line := range bytes.Lines(lines[:next]) {
			st.Journal = append(st.Journal, line...)
			if from, err = b.Read(ctx, from, func(e journal.Event) { again = append(again, fmt.Sprintf("%+v", e)) }); err != nil &&
				!errors.Is(err, store.ErrDamaged) {
				t.Fatal(err)
			}
		}
		if len(got) < len(again) {
			t.Errorf("read at once %q, line by line %q", got, again)
		}
		for _, e := range again {
			if !slices.Contains(got, e) {
				t.Errorf("read %s line by line, but not at once", e)
			}
		}
	})
}

// TestLatestOfPart checks that a partial list, which was never current, stays so.
func TestLatestOfPart(t *testing.T) {
	st := new(storetest.Memory)
	a := journal.New(st)
	name := accept(t, a, "TEST", 1, start)
	part := sources.Revision{
		Digest:       headerOf("TEST", 1, start).Revision.Digest,
		Completeness: sources.Partial,
		Provenance:   "an excerpt",
		OpenEnded:    true,
		Records:      1,
	}
	if err := a.Append(ctx, journal.Event{Type: journal.Confirmed, At: day(1), Source: "TEST", Revision: name, List: part}); err != nil {
		t.Fatal(err)
	}
	if got, err := journal.New(st).Latest(ctx, name, sources.Revision{}); err != nil || got != part {
		t.Errorf("Latest = %+v, %v, want %+v", got, err, part)
	}
}
