package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

func day(n int) time.Time { return start.AddDate(0, 0, n) }

// TestDamage damages the newest file in every likely way: it is set aside, and the
// previous one becomes the newest.
func TestDamage(t *testing.T) {
	for what, damage := range map[string]func([]byte) []byte{
		"a bit":        func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"the version":  func(b []byte) []byte { b[len("walletscreen revision ")] ^= 4; return b },
		"begin only":   func(b []byte) []byte { return b[:len("walletscreen revision ")] },
		"cut":          func(b []byte) []byte { return b[:len(b)-1] },
		"empty":        func([]byte) []byte { return nil },
		"zeros":        func(b []byte) []byte { clear(b); return b },
		"another list": nil,
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			a := journal.New(open(t, dir))
			first, second := accept(t, a, "TEST", 3, day(0)), accept(t, a, "TEST", 4, day(1))
			b := read(t, dir, first)
			if damage != nil {
				b = damage(read(t, dir, second))
			}
			write(t, b, dir, second)
			if _, err := a.Open(ctx, second); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), second) {
				t.Errorf("Open: %v, want ErrDamaged that names %s", err, second)
			}
			if got, want := files(t, dir), []string{first, second + ".damaged", "journal"}; !slices.Equal(got, want) {
				t.Errorf("files %q, want %q", got, want)
			}
			if all, err := a.Revisions(ctx, "TEST"); err != nil || !slices.Equal(all, []string{first}) {
				t.Errorf("revisions %q, %v, want the first one", all, err)
			}
			if _, err := a.Open(ctx, second); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("second Open: %v, want ErrNotFound", err)
			}
			if again := accept(t, a, "TEST", 4, day(1)); again != second {
				t.Errorf("saved again as %s, want %s", again, second)
			}
			f, err := a.Open(ctx, second)
			if err != nil || f.Header.Entries != 4 {
				t.Fatalf("saved again: %v", err)
			}
		})
	}
}

// TestNewerVersion checks that a file in a later format does not count as damaged.
func TestNewerVersion(t *testing.T) {
	dir := t.TempDir()
	a := journal.New(open(t, dir))
	name := accept(t, a, "TEST", 1, start)
	head := "walletscreen revision 9\nwhatever is in it\n\n"
	trailer := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	sum := sha256.Sum256(append([]byte(head), trailer...))
	write(t, slices.Concat([]byte(head), trailer, sum[:]), dir, name)
	before := files(t, dir)
	_, err := a.Open(ctx, name)
	if !errors.Is(err, store.ErrVersion) || errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), name) {
		t.Errorf("Open: %v, want ErrVersion", err)
	}
	if got := files(t, dir); !slices.Equal(got, before) {
		t.Errorf("files %q, want %q", got, before)
	}
}

// TestRetain checks how many revisions are retained of a source with 40 accepted ones,
// one a day.
func TestRetain(t *testing.T) {
	today := time.Now().UTC()
	for _, tt := range []struct {
		name   string
		retain func(store.Store) store.Store
		want   int
	}{
		{"default", func(st store.Store) store.Store { return st }, 40},
		{"zero", func(st store.Store) store.Store { return store.Retain(st, 0) }, 40},
		{"set twice", func(st store.Store) store.Store { return store.Retain(store.Retain(st, time.Hour), 10*24*time.Hour) }, 12},
		{"the newest", func(st store.Store) store.Store { return store.Retain(st, 1) }, 2}, // it replaced the other just now
		{"all", func(st store.Store) store.Store { return store.Retain(st, -1) }, 40},
		// Today's revision, the revisions of five days, and the revision that the oldest of
		// them replaced within the period.
		{"five days and a half", func(st store.Store) store.Store { return store.Retain(st, 132*time.Hour) }, 7},
	} {
		st := new(storetest.Memory)
		a := journal.New(tt.retain(st))
		other := accept(t, a, "OTHER", 1, today.AddDate(-1, 0, 0))
		for i := range 40 {
			accept(t, a, "TEST", i+1, today.AddDate(0, 0, i-39))
		}
		all, err := a.Revisions(ctx, "TEST")
		if err != nil || len(all) != tt.want || !strings.HasSuffix(all[0], fmt.Sprintf("%x.rev", 40)) {
			t.Errorf("%s: %d revisions, %v, want %d, the newest first", tt.name, len(all), err, tt.want)
		}
		if all, err := a.Revisions(ctx, "OTHER"); err != nil || !slices.Equal(all, []string{other}) {
			t.Errorf("%s: revisions of the other source %q, %v", tt.name, all, err)
		}
	}
}

// TestSaving checks that a revision that another program is saving is not deleted.
func TestSaving(t *testing.T) {
	now := time.Now().UTC()
	for name, age := range map[string]time.Duration{"in the making": time.Minute, "left by a program that was killed": time.Hour} {
		st := new(storetest.Memory)
		a := journal.New(store.Retain(st, 1))
		saving, err := save(journal.New(st), "TEST", 9, now.Add(-age))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			accept(t, a, "TEST", i+1, now.Add(time.Duration(i-4)*time.Second))
		}
		all, err := a.Revisions(ctx, "TEST")
		if err != nil || slices.Contains(all, saving) != (age == time.Minute) {
			t.Errorf("%s: revisions %q, %v", name, all, err)
		}
	}
}

// TestUnmentioned saves revisions without an Accepted event, as a killed program leaves
// them. The latest one is the newest until its event is written, and then the order of
// the journal counts.
func TestUnmentioned(t *testing.T) {
	st := new(storetest.Memory)
	a := journal.New(st)
	check := func(when string, want ...string) {
		t.Helper()
		if got, err := a.Revisions(ctx, "TEST"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: revisions %q, %v, want %q", when, got, err, want)
		}
	}
	older, err := save(a, "TEST", 1, day(1))
	if err != nil {
		t.Fatal(err)
	}
	second := accept(t, a, "TEST", 2, day(2))
	later, err := save(a, "TEST", 3, day(3))
	if err != nil {
		t.Fatal(err)
	}
	check("killed", later, second, older)
	event := accepted(later)
	event.At = day(4)
	for range 2 {
		if err := a.Append(ctx, event); err != nil {
			t.Fatal(err)
		}
	}
	if n := bytes.Count(st.Journal, []byte("\n")); n != 2 {
		t.Errorf("%d lines, want no second one of a revision:\n%s", n, st.Journal)
	}
	last := accept(t, a, "TEST", 4, day(0)) // the clock was put back
	check("in the end", last, later, second, older)
	// The journal may have lost what answered between the revision and its event.
	if err := a.Append(ctx, answering(day(2), "", second)); err != nil {
		t.Fatal(err)
	}
	if e, err := a.Answering(ctx, day(3), func(journal.Event) bool { return true }); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("answered from %v, %v, want ErrDamaged", e, err)
	}
}

// A full is a Store with limited space.
type full struct {
	store.Store
	room    int
	refused int // number of writes
}

func (f *full) write(ctx context.Context, size int, write func() error) error {
	used := 0
	names, err := f.Names(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := f.Open(ctx, name)
		if err != nil {
			return err
		}
		used += len(data)
	}
	if used+size > f.room {
		f.refused++
		return fmt.Errorf("write: %w", store.ErrFull)
	}
	return write()
}

func (f *full) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	var b strings.Builder
	if err := write(&b); err != nil {
		return err
	}
	return f.write(ctx, b.Len(), func() error {
		return f.Store.Put(ctx, name, func(w io.Writer) error { _, err := io.WriteString(w, b.String()); return err })
	})
}

func (f *full) Append(ctx context.Context, lines []byte) error {
	return f.write(ctx, len(lines), func() error { return f.Store.Append(ctx, lines) })
}

// TestFull fills the disk: only revisions that need not be kept are deleted. When no more
// can be deleted, Save and Append return an error.
func TestFull(t *testing.T) {
	st := new(storetest.Memory)
	f := &full{Store: st, room: 1 << 30}
	all := journal.New(f)
	other := accept(t, all, "OTHER", 5, day(-100))
	var names []string
	for i := range 5 {
		names = append(names, accept(t, all, "TEST", i+1, day(i)))
	}
	data, err := st.Open(ctx, names[4])
	if err != nil {
		t.Fatal(err)
	}
	kept := func(want ...string) {
		t.Helper()
		got, err := st.Names(ctx)
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(want)); err != nil || !slices.Equal(got, want) {
			t.Errorf("files %q, %v, want %q", got, err, want)
		}
	}
	f.room = len(data) * 6
	if _, err := save(all, "TEST", 6, day(6)); !errors.Is(err, store.ErrFull) {
		t.Errorf("Save: %v, want ErrFull", err)
	}
	kept(append(names, other)...)
	three := journal.New(store.Retain(f, 36*time.Hour))
	sixth := accept(t, three, "TEST", 6, day(5))
	kept(append(names[3:], other, sixth)...)
	f.room = 0
	refusal := journal.Event{Type: journal.Refused, At: start, Source: "TEST", Reason: "it shrank"}
	if err := three.Append(ctx, refusal); !errors.Is(err, store.ErrFull) {
		t.Errorf("Append: %v, want ErrFull", err)
	}
	kept(append(names[3:], other, sixth)...)
	one := journal.New(store.Retain(f, 1))
	f.room = len(data) * 4
	if err := one.Append(ctx, refusal); err != nil {
		t.Errorf("Append to a full disk: %v", err)
	}
	kept(other, names[4], sixth) // the previous revision was in use until just now
}

// TestConfirm checks which confirmations are written, and what they change.
func TestConfirm(t *testing.T) {
	dir := t.TempDir()
	a := journal.New(open(t, dir))
	name := accept(t, a, "TEST", 1, start)
	size := len(read(t, dir, "journal"))
	saved := headerOf("TEST", 1, start).Revision
	checks := []time.Time{start}
	latest := saved
	for _, tt := range []struct {
		what    string
		after   time.Duration
		change  func(*sources.Revision)
		written int // bytes at most, 0 if it is left out
	}{
		{"within a minute", 59 * time.Second, nil, 0},
		{"a minute later", time.Minute, nil, 120},
		{"a moment later", time.Minute + time.Second, nil, 0},
		{"with another ETag", time.Minute + time.Second, func(r *sources.Revision) { r.ETag = "f" }, 500},
		{"the same ETag", time.Minute + 2*time.Second, nil, 0},
		{"ten years later", 87600 * time.Hour, nil, 120},
		{"the clock was put back", time.Hour, nil, 120},
		{"with an ETag that is not text", 2 * time.Hour, func(r *sources.Revision) { r.ETag = "\xff" }, 500},
		{"the same", 2*time.Hour + 59*time.Second, func(r *sources.Revision) { r.ETag = "\xff" }, 0},
	} {
		rev := latest
		rev.Checked = start.Add(tt.after)
		if tt.change != nil {
			tt.change(&rev)
		}
		if err := a.Append(ctx, journal.Event{Type: journal.Confirmed, Source: "TEST", Revision: name, List: rev}); err != nil {
			t.Fatal(err)
		}
		grown := len(read(t, dir, "journal")) - size
		if size += grown; grown > tt.written || tt.written > 0 && grown == 0 {
			t.Errorf("%s: %d bytes were written, want at most %d", tt.what, grown, tt.written)
		}
		if tt.written > 0 {
			latest, checks = rev, append(checks, rev.Checked)
			latest.ETag = strings.ToValidUTF8(rev.ETag, "")
		}
		for _, a := range []*journal.Journal{a, journal.New(open(t, dir))} {
			if got, err := a.Latest(ctx, name, saved); err != nil || got != latest {
				t.Errorf("%s: Latest = %+v, %v, want %+v", tt.what, got, err, latest)
			}
			if got, err := a.Checks(ctx, name); err != nil || !slices.Equal(got, checks) {
				t.Errorf("%s: Checks = %v, %v, want %v", tt.what, got, err, checks)
			}
		}
	}
	never := revision.Name("TEST", day(1), fmt.Sprintf("%064x", 2))
	if got, err := a.Latest(ctx, never, saved); err != nil || got != saved {
		t.Errorf("Latest of what the journal does not mention: %+v, %v, want what was saved", got, err)
	}
	if got, err := a.Checks(ctx, never); err != nil || len(got) > 0 {
		t.Errorf("Checks of what the journal does not mention: %v, %v", got, err)
	}
}

// TestAnswering looks up which revisions were in use, with clocks that jump, several
// programs, and repeated events.
func TestAnswering(t *testing.T) {
	st := new(storetest.Memory)
	a := journal.New(st)
	all := func(journal.Event) bool { return true }
	if _, err := a.Answering(ctx, start, all); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of an empty store: %v, want ErrNotFound", err)
	}
	first, second := accept(t, a, "TEST", 1, day(0)), accept(t, a, "TEST", 2, day(1))
	other := accept(t, a, "OTHER", 1, day(2))
	events := []journal.Event{
		answering(day(1), "", first),
		answering(day(2), "some\nexceptions", first),
		answering(day(3), "some\nexceptions", second),
		answering(day(3000), "", second), // the clock was years ahead
		answering(day(4), "others", second),
		answering(day(5), "some\nexceptions", other),
	}
	for _, e := range events {
		again := e
		again.At = e.At.Add(time.Hour)
		if err := a.Append(ctx, e, again); err != nil {
			t.Fatal(err)
		}
		if err := journal.New(st).Append(ctx, again); err != nil {
			t.Fatal(err)
		}
	}
	same := func(got, want journal.Event) bool {
		return got.Type == journal.Answering && got.At.Equal(want.At) && got.Digest == want.Digest && got.Exceptions == want.Exceptions &&
			maps.Equal(got.Lists, want.Lists)
	}
	a = journal.New(st)
	got, err := a.Answerings(ctx)
	slices.Reverse(got)
	if err != nil || !slices.EqualFunc(got, events, same) {
		t.Errorf("Answerings = %+v, %v, want %+v", got, err, events)
	}
	of := func(source string) func(journal.Event) bool {
		return func(e journal.Event) bool { _, ok := e.Lists[source]; return ok }
	}
	for _, tt := range []struct {
		at     time.Time
		accept func(journal.Event) bool
		want   int
	}{
		{day(1), all, 0}, {day(2).Add(-1), all, 0}, {day(2), all, 1}, {day(3), all, 2}, {day(4).Add(-1), all, 2},
		{day(4), all, 4}, {day(5), all, 5}, {day(5), of("TEST"), 4}, {day(4000), all, 5}, {day(4000), of("OTHER"), 5},
		{day(4000), of("TEST"), 4},
	} {
		if got, err := a.Answering(ctx, tt.at, tt.accept); err != nil || !same(got, events[tt.want]) {
			t.Errorf("at %v: %+v, %v, want event %d", tt.at, got, err, tt.want)
		}
	}
	if _, err := a.Answering(ctx, day(1).Add(-1), all); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("before the first: %v, want ErrNotFound", err)
	}
	if _, err := a.Answering(ctx, day(4), of("OTHER")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("before the first of the source: %v, want ErrNotFound", err)
	}
	count := 0
	if _, err := a.Read(ctx, 0, func(e journal.Event) {
		if e.Type == journal.Exceptions {
			count++
		}
	}); err != nil || count != 2 {
		t.Errorf("%d texts of exceptions, %v, want each once", count, err)
	}
}

// TestUnfinished uses journals that end too early to show which revisions were in use.
func TestUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := func(journal.Event) bool { return true }
		st := new(storetest.Memory)
		a := journal.New(st)
		now := time.Now().UTC()
		first := accept(t, a, "TEST", 1, now.AddDate(0, 0, -3))
		if err := a.Append(ctx, answering(now.AddDate(0, 0, -3), "", first)); err != nil {
			t.Fatal(err)
		}
		second, err := save(a, "TEST", 2, now)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, at time.Time, want error) {
			t.Helper()
			if _, err := a.Answering(ctx, at, all); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		check("before the file that the journal does not mention", now.Add(-1), nil)
		check("after it", now, store.ErrDamaged)
		if err := a.Append(ctx, accepted(second)); err != nil {
			t.Fatal(err)
		}
		check("before the revision that was accepted last", now.Add(-1), nil)
		check("after it", now, store.ErrDamaged)
		var finished sync.WaitGroup
		finished.Go(func() { // the program writes the next event meanwhile
			time.Sleep(50 * time.Millisecond)
			if err := journal.New(st).Append(ctx, answering(now, "", second)); err != nil {
				t.Error(err)
			}
		})
		check("while it is being written", now, nil)
		finished.Wait()
	})
}

// TestRead reads events like another program that follows the journal.
func TestRead(t *testing.T) {
	st := new(storetest.Memory)
	a := journal.New(st)
	first := accept(t, a, "TEST", 1, day(0))
	rev := headerOf("TEST", 1, day(0)).Revision
	rev.Checked = day(1)
	changed := rev
	changed.Checked, changed.LastModified = day(2), "Wed, 19 Nov 2025 15:00:00 GMT"
	refusal := journal.Event{
		Type:    journal.Refused,
		At:      day(3),
		Source:  "TEST",
		Reason:  "it shrank",
		Entries: 5,
		List:    sources.Revision{Digest: fmt.Sprintf("%064x", 7)},
	}
	written := []journal.Event{
		{Type: journal.Confirmed, Source: "TEST", Revision: first, List: rev},
		{Type: journal.Confirmed, Source: "TEST", Revision: first, List: changed},
		refusal, answering(day(4), "text", first),
	}
	if err := a.Append(ctx, written...); err != nil {
		t.Fatal(err)
	}
	want := []journal.Event{
		accepted(first),
		{Type: journal.Confirmed, At: day(1), Source: "TEST", Revision: first, List: sources.Revision{Checked: day(1)}},
		{Type: journal.Confirmed, At: day(2), Source: "TEST", Revision: first, List: changed},
		refusal, {Type: journal.Exceptions, At: day(4), Exceptions: "text"}, written[3],
	}
	same := func(a, b journal.Event) bool {
		lists := maps.Equal(a.Lists, b.Lists)
		a.Lists, b.Lists = nil, nil
		return lists && fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
	}
	var got []journal.Event
	each := func(e journal.Event) { got = append(got, e) }
	b := journal.New(st)
	next, err := b.Read(ctx, 0, each)
	if err != nil || !slices.EqualFunc(got, want, same) {
		t.Errorf("Read\n%+v\n%v, want\n%+v", got, err, want)
	}
	if err := a.Append(ctx, answering(day(5), "text", first), answering(day(6), "new", first)); err != nil {
		t.Fatal(err)
	}
	got = nil
	want = []journal.Event{answering(day(5), "text", first), {Type: journal.Exceptions, At: day(6), Exceptions: "new"}, answering(day(6), "new", first)}
	if next, err = b.Read(ctx, next, each); err != nil || !slices.EqualFunc(got, want, same) {
		t.Errorf("Read from %d\n%+v\n%v, want\n%+v", next, got, err, want)
	}
	got = nil
	if again, err := b.Read(ctx, next, each); err != nil || again != next || len(got) > 0 {
		t.Errorf("Read at the end: %d, %v, %+v", again, err, got)
	}
	for what, e := range map[string]journal.Event{
		"no type": {Source: "TEST"}, "a type of two words": {Type: "a b"}, "a source of two lines": {Type: journal.Refused, Source: "A\nB"},
		"no such name": {Type: journal.Accepted, Source: "A", Revision: "x"}, "exceptions that are not text": {Type: journal.Answering, Exceptions: "\xff"},
		"the year 3000": {Type: journal.Refused, At: day(365000)},
	} {
		if err := a.Append(ctx, e); err == nil {
			t.Errorf("%s: appended", what)
		}
	}
}

// TestNotShared uses a Store without the methods for replicas.
func TestNotShared(t *testing.T) {
	if a := journal.New(store.Retain(new(storetest.Memory), time.Hour)); a.Shared() != nil {
		t.Error("it is shared")
	}
}

// TestTables saves a revision again with other tables, while the first file is in use.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	a := journal.New(open(t, dir))
	h := headerOf("TEST", 0, start)
	var kept []*revision.File
	for _, rule := range []string{"1", "2"} {
		h.Rule = rule
		name, err := a.Save(ctx, h, func(w *revision.Writer) error { return w.Table(strings.NewReader("table " + rule)) })
		if err != nil {
			t.Fatal(err)
		}
		f, err := a.Open(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, f)
	}
	for i, rule := range []string{"1", "2"} {
		if tables := kept[i].Tables(rule); len(tables) != 1 || string(tables[0]) != "table "+rule {
			t.Errorf("tables of rule %s: %q", rule, tables)
		}
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("files %q, want one", got)
	}
	if err := os.Remove(filepath.Join(dir, files(t, dir)[0])); err != nil {
		t.Fatal(err)
	}
}
