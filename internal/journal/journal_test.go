package journal

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/line"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

var (
	ctx = context.Background()
	day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

// A memory is a Store in memory: lines, damaged or not, and files.
type memory struct {
	lines [][]byte
	files map[string][]byte
}

func (m *memory) Put(_ context.Context, name string, data []byte) error {
	m.files[name] = data
	return nil
}

func (m *memory) Open(_ context.Context, name string) ([]byte, error) {
	if data, ok := m.files[name]; ok {
		return data, nil
	}
	return nil, store.ErrNotFound
}

func (m *memory) Names(context.Context) (names []string, _ error) {
	for name := range m.files {
		names = append(names, name)
	}
	return names, nil
}

func (m *memory) Delete(_ context.Context, name string) error {
	delete(m.files, name)
	return nil
}

func (m *memory) Append(_ context.Context, number uint64, text []byte) error {
	last := uint64(0)
	for _, b := range m.lines {
		if l, ok := line.Parse(b); ok {
			last = l.Seq
		}
	}
	if number != last+1 {
		return store.ErrMoved
	}
	m.lines = append(m.lines, text)
	return nil
}

func (m *memory) Read(_ context.Context, from uint64, each func([]byte) error) error {
	for _, b := range m.lines {
		if l, ok := line.Parse(b); ok && l.Seq < from {
			continue
		}
		if err := each(b); err != nil {
			return err
		}
	}
	return nil
}

// held returns acceptance n of a list.
func held(n uint32) *Held {
	return &Held{N: n, Digest: fmt.Sprint("list ", n), Entries: int(n), Revision: sources.Revision{Digest: fmt.Sprint(n)}}
}

// program appends to a journal, a minute for each line.
type program struct {
	*Log
	now time.Time
}

func newProgram(t testing.TB, st store.Store, now time.Time, opened Program) *program {
	t.Helper()
	p := &program{now: now}
	p.Log = New(st, func() time.Time { p.now = p.now.Add(time.Minute); return p.now })
	if err := p.Follow(ctx); err != nil {
		t.Fatal(err)
	}
	p.Begin(opened, &Excepted{})
	return p
}

func (p *program) append(t testing.TB, lines ...*Line) {
	t.Helper()
	for _, l := range lines {
		if err := p.Append(ctx, l, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func accepted(n uint32) *Line { return &Line{Type: Accepted, Source: "TEST", Held: held(n)} }

// answered returns a journal of a program that answers: it opens at 00:01, and accepts list n at 2n minutes past and
// answers from it a minute later.
func answered(t testing.TB, lists uint32) *memory {
	t.Helper()
	m := &memory{files: make(map[string][]byte)}
	p := newProgram(t, m, day, Program{Answers: true, Sources: []string{"TEST"}})
	for n := range lists {
		p.append(t, accepted(n+1), &Line{Type: Answering, Source: "TEST", Held: held(n + 1)})
	}
	return m
}

func minute(n int) time.Time { return day.Add(time.Duration(n) * time.Minute) }

// TestAt asks for times of journals of all kinds: it is exactly known what answered, or why that is not known.
func TestAt(t *testing.T) {
	type question struct {
		minute int
		n      uint32 // the acceptance that answered
		err    error
	}
	for name, c := range map[string]struct {
		make func(*memory)
		want []question
	}{
		"whole": {func(*memory) {}, []question{{0, 0, store.ErrNotFound}, {1, 0, store.ErrNotFound}, {2, 1, nil}, {3, 1, nil}, {4, 2, nil}, {7, 3, nil}, {900, 3, nil}}},
		"without the line of an acceptance": {func(m *memory) { m.lines = slices.Delete(m.lines, 3, 4) },
			[]question{{3, 1, store.ErrGap}, {4, 1, store.ErrGap}, {5, 2, nil}, {7, 3, nil}}},
		"a damaged line":        {func(m *memory) { m.lines[3][30] ^= 1 }, []question{{2, 1, nil}, {4, 1, store.ErrGap}, {5, 2, nil}}},
		"the end is torn":       {func(m *memory) { m.lines[6] = m.lines[6][:20] }, []question{{5, 2, nil}, {6, 3, store.ErrGap}}},
		"killed before it knew": {func(m *memory) { m.lines = m.lines[:6] }, []question{{5, 2, nil}, {6, 3, store.ErrGap}, {9, 3, store.ErrGap}}},
		"a line twice":          {func(m *memory) { m.lines = slices.Insert(m.lines, 4, m.lines[3]) }, []question{{4, 2, nil}, {5, 2, nil}, {6, 3, nil}}},
		"a gap": {func(m *memory) {
			newProgram(t, m, minute(20), Program{}).append(t, &Line{Type: Gap, From: minute(10), Reason: "store"})
		},
			[]question{{9, 3, nil}, {10, 3, store.ErrGap}, {21, 3, store.ErrGap}, {30, 3, nil}}},
		"a gap of another list": {func(m *memory) {
			newProgram(t, m, minute(20), Program{}).append(t, &Line{Type: Gap, Source: "OTHER", From: minute(10), Reason: "store"})
		}, []question{{15, 3, nil}}},
		"damaged in use": {func(m *memory) {
			lost := held(3)
			lost.Damaged = true
			newProgram(t, m, minute(20), Program{}).append(t, &Line{Type: Damaged, Source: "TEST", Held: lost})
		}, []question{{20, 3, nil}, {22, 3, store.ErrGap}}},
		"the clock was put back": {func(m *memory) { newProgram(t, m, minute(3), Program{}).append(t, &Line{Type: Clock}) },
			[]question{{3, 1, store.ErrGap}, {6, 3, nil}, {9, 3, nil}}}, // the later time counts
		"a file is ahead": {func(m *memory) {
			m.files[stays.Name{Source: "TEST", First: 1, Last: 4, After: 7, Sum: strings.Repeat("0", 32)}.String()] = nil
		}, []question{{5, 2, nil}, {8, 3, store.ErrGap}}},
		"nothing": {func(m *memory) { m.lines = nil }, []question{{5, 0, store.ErrNotFound}}},
	} {
		m := answered(t, 3)
		c.make(m)
		for _, q := range c.want {
			s, err := At(ctx, m, minute(q.minute).Add(time.Second), minute(10_000), []string{"TEST"})
			if !errors.Is(err, q.err) || (err == nil) != (q.err == nil) || err == nil && s.Held["TEST"].N != q.n {
				t.Errorf("%s: at minute %d: %+v, %v, want list %d, %v", name, q.minute, s, err, q.n, q.err)
			}
		}
	}
	if _, err := At(ctx, answered(t, 1), minute(60), minute(30), []string{"TEST"}); !errors.Is(err, store.ErrGap) {
		t.Errorf("a time to come: %v", err)
	}
}

// TestDamagedLineLost loses the line that says that the list could not be proved: what the program answered then is not known.
func TestDamagedLineLost(t *testing.T) {
	m := answered(t, 1)
	p := newProgram(t, m, minute(10), Program{Answers: true})
	damaged := held(1)
	damaged.Damaged = true
	p.append(t, &Line{Type: Damaged, Source: "TEST", Held: damaged}, &Line{Type: Clock}, &Line{Type: Clock})
	m.lines = slices.Delete(m.lines, len(m.lines)-3, len(m.lines)-2)
	if _, err := At(ctx, m, p.now, p.now.Add(time.Second), []string{"TEST"}); !errors.Is(err, store.ErrGap) {
		t.Errorf("%v, want ErrGap", err)
	}
}

// TestDamagedBeside accepts a list while another one is damaged: what answered from the other one then is not known,
// whatever is known of the first one.
func TestDamagedBeside(t *testing.T) {
	m := &memory{}
	p := newProgram(t, m, day, Program{Answers: true, Sources: []string{"OTHER", "TEST"}})
	damaged := held(1)
	damaged.Damaged = true
	p.append(t, &Line{Type: Damaged, Source: "TEST", Held: damaged}, &Line{Type: Accepted, Source: "OTHER", Held: held(1)},
		&Line{Type: Answering, Source: "OTHER", Held: held(1)})
	for _, ids := range [][]string{nil, {"OTHER", "TEST"}, {"TEST", "OTHER"}} {
		for n := 3; n < 6; n++ {
			if s, err := At(ctx, m, minute(n), minute(100), ids); !errors.Is(err, store.ErrGap) {
				t.Errorf("minute %d of %v: %v, %v, want a gap", n, ids, s != nil, err)
			}
		}
	}
}

// TestCheckLost loses the line of a check: until the next one, it is not known when the list was checked, which receipts say.
func TestCheckLost(t *testing.T) {
	m := answered(t, 1)
	p := newProgram(t, m, minute(10), Program{Answers: true})
	for n := 10; n <= 30; n += 10 {
		p.now = minute(n)
		checked := held(1)
		checked.Revision.Checked = p.now
		p.append(t, &Line{Type: Checked, Source: "TEST", Held: checked}, &Line{Type: Clock})
	}
	m.lines = slices.Delete(m.lines, len(m.lines)-4, len(m.lines)-3)
	for n, want := range map[int]error{12: nil, 25: store.ErrGap, 35: nil} {
		if _, err := At(ctx, m, minute(n), minute(40), []string{"TEST"}); !errors.Is(err, want) {
			t.Errorf("at minute %d: %v, want %v", n, err, want)
		}
	}
}

// TestAtOfManyPrograms asks a journal in which many programs began: the cost grows with its lines, not with their square.
func TestAtOfManyPrograms(t *testing.T) {
	m := answered(t, 2)
	cost := func(programs int) uint64 {
		for range programs {
			n := len(m.lines) + 1
			l := Line{Number: uint64(n), Type: Opened, At: minute(n), Program: fmt.Sprint(n), Opened: &Program{Answers: true}}
			b, err := l.format()
			if err != nil {
				t.Fatal(err)
			}
			m.lines = append(m.lines, b)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if s, err := At(ctx, m, minute(5000), minute(10_000), []string{"TEST"}); err != nil || s.Held["TEST"].N != 2 {
			t.Fatalf("%+v, %v", s, err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(200), cost(800); many > 10*few { // 5 times the lines
		t.Errorf("%d bytes for 200 programs, %d for 1,000", few, many)
	}
}

// A fullStore says at the end of a Read how many bytes the program uses.
type fullStore struct {
	store.Store
	used uint64
}

func (f *fullStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	err := f.Store.Read(ctx, from, each)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	f.used = m.HeapAlloc
	return err
}

// A brokenStore fails after some lines that were read, unless that is negative.
type brokenStore struct {
	store.Store
	lines int
}

func (b *brokenStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	return b.Store.Read(ctx, from, func(line []byte) error {
		if b.lines == 0 {
			return errors.New("broken")
		}
		b.lines--
		return each(line)
	})
}

// TestBackBroken lets a store fail while a program reads it again, because it went back: the gap begins at the last line that both
// have, all the same.
func TestBackBroken(t *testing.T) {
	for lines := range 4 { // as many as are left
		m := answered(t, 3)
		st := &brokenStore{m, -1}
		l := New(st, func() time.Time { return minute(90) })
		if err := l.Follow(ctx); err != nil {
			t.Fatal(err)
		}
		m.lines = m.lines[:len(m.lines)-3]
		last, _ := parse(m.lines[len(m.lines)-1])
		if st.lines = lines; l.Follow(ctx) == nil {
			t.Fatalf("%d lines: no error", lines)
		}
		st.lines = -1
		if err := l.Follow(ctx); err != nil {
			t.Fatal(err)
		}
		gap, _ := parse(m.lines[len(m.lines)-1])
		if gap.Type != Gap || !gap.From.Equal(last.At) || l.State().Back != 1 {
			t.Errorf("%d lines: %+v, and it went back %d times; want a gap from %v, and once", lines, gap, l.State().Back, last.At)
		}
	}
}

// TestFollowMemory begins with a journal of many lines: they are not kept.
func TestFollowMemory(t *testing.T) {
	m := answered(t, 2)
	for range 20_000 {
		n := len(m.lines) + 1
		l := Line{Number: uint64(n), Type: Refused, At: minute(n), Program: "program", Source: "TEST", Reason: strings.Repeat("r", 500)}
		b, err := l.format()
		if err != nil {
			t.Fatal(err)
		}
		m.lines = append(m.lines, b)
	}
	st := &fullStore{Store: m}
	if err := st.Read(ctx, 0, func([]byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	before := st.used
	l := New(st, time.Now)
	if err := l.Follow(ctx); err != nil {
		t.Fatal(err)
	}
	if used := int64(st.used) - int64(before); used > 4<<20 || l.State().Number != uint64(len(m.lines)) {
		t.Errorf("%d bytes for %d lines; the program has read %d", used, len(m.lines), l.State().Number)
	}
	runtime.KeepAlive(m)
}

// TestSchedule asks for times after the last line of a program that says how often it writes one.
func TestSchedule(t *testing.T) {
	m := &memory{files: make(map[string][]byte)}
	p := newProgram(t, m, day, Program{Answers: true, Every: 10 * time.Minute, Sources: []string{"TEST"}})
	p.append(t, accepted(1), &Line{Type: Answering, Source: "TEST", Held: held(1)})
	for at, want := range map[int]error{32: nil, 34: store.ErrGap} {
		if _, err := At(ctx, m, minute(at), minute(1000), []string{"TEST"}); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("minute %d: %v, want %v", at, err, want)
		}
	}
}

// TestAppend lets two programs append: one that another overtook learns what that has written, and must judge again if the list is
// another one.
func TestAppend(t *testing.T) {
	m := answered(t, 2)
	a, b := newProgram(t, m, minute(20), Program{}), newProgram(t, m, minute(30), Program{})
	base := a.State().Held["TEST"]
	b.append(t, &Line{Type: Checked, Source: "TEST", Held: held(2)})
	if err := a.Append(ctx, accepted(3), &base); err != nil || a.State().Held["TEST"].N != 3 {
		t.Errorf("after a line of the same list: %v, list %d", err, a.State().Held["TEST"].N)
	}
	if err := b.Append(ctx, accepted(3), &base); !errors.Is(err, store.ErrMoved) || b.State().Held["TEST"].N != 3 {
		t.Errorf("after another list: %v, list %d", err, b.State().Held["TEST"].N)
	}
	m.lines = m.lines[:5] // it is as it was
	if err := a.Follow(ctx); err != nil {
		t.Fatal(err)
	}
	if a.State().Back != 1 || a.State().Held["TEST"].N != 2 {
		t.Errorf("the store went back: %d times, list %d, want once, list 2", a.State().Back, a.State().Held["TEST"].N)
	}
	if _, err := At(ctx, m, minute(22), minute(1000), []string{"TEST"}); !errors.Is(err, store.ErrGap) {
		t.Errorf("the lost time: %v", err)
	}
}

// TestRetain deletes files by the time that the lines count.
func TestRetain(t *testing.T) {
	m := answered(t, 3)
	for n := uint32(1); n <= 3; n++ {
		m.files[stays.Name{Source: "TEST", First: n, Last: n, Sum: strings.Repeat("0", 32)}.String()] = nil
	}
	p := newProgram(t, store.Retain(m, 5*time.Hour), minute(7), Program{})
	for range 20 { // a jump does not count
		p.now = p.now.AddDate(1, 0, 0)
		p.append(t, &Line{Type: Clock})
	}
	name := stays.Name{Source: "TEST", First: 3, Last: 3, Sum: strings.Repeat("0", 32)}.String()
	inUse, err := stays.New(stays.Header{Source: "TEST", First: 3, Last: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Tidy(ctx, inUse); len(m.files) != 3 {
		t.Errorf("after a jump, %d files are left, want 3", len(m.files))
	}
	for range 6 {
		p.now = p.now.Add(time.Hour)
		p.append(t, &Line{Type: Checked, Source: "TEST", Held: held(3)})
	}
	if p.Tidy(ctx, inUse); len(m.files) != 1 || m.files[name] != nil {
		t.Errorf("after 6 hours, %d files are left, want the one in use", len(m.files))
	}
}

// TestOpenProves puts two files with other entries of one acceptance, as after a journal that was restored: the file
// that the journal names is opened, and neither for a third digest.
func TestOpenProves(t *testing.T) {
	st := &memory{files: make(map[string][]byte)}
	var lists [3]Held
	for i := range lists {
		lists[i].N = 2
		w := stays.NewWriter(0)
		if err := w.Add(&stays.Stay{Entry: sources.Entry{Listed: fmt.Sprint("text ", i), Kind: "SCAM"}, In: 2}); err != nil {
			t.Fatal(err)
		}
		f, err := w.File(stays.Header{Source: "TEST", First: 1, Last: 2, After: uint64(10 - i)}, nil, nil)
		if err == nil {
			lists[i].Digest, err = f.Digest()
		}
		name, data, err2 := f.Bytes()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			st.files[name] = data
		}
	}
	for i := range lists {
		var got []string
		var err error
		for e, err2 := range Entries(ctx, st, "TEST", &lists[i]) {
			if err = err2; err == nil {
				got = append(got, e.Listed)
			}
		}
		if i < 2 && (err != nil || len(got) != 1 || got[0] != fmt.Sprint("text ", i)) || i == 2 && (!errors.Is(err, store.ErrDamaged) || got != nil) {
			t.Errorf("list %d: %q, %v", i, got, err)
		}
	}
}

// FuzzRead reads journals of any lines, with right checksums or not: it is bounded, and nothing panics.
func FuzzRead(f *testing.F) {
	for _, b := range answered(f, 2).lines {
		l, _ := line.Parse(b)
		f.Add(l.Text, l.Text, uint64(1), uint64(2), int64(300))
	}
	f.Add([]byte(`{"type":"accepted","at":"2026-01-01T00:00:00Z","source":"TEST","held":{"n":4294967295}}`), []byte(`{"type":"gap","at":"0001-01-01T00:00:01Z","from":"9999-01-01T00:00:00Z"}`), uint64(1), uint64(1<<63), int64(0))
	f.Add([]byte(`{"type":"opened","at":"2026-01-01T00:00:00Z","opened":{"answers":true,"every":-1}}`), []byte("{"), uint64(0), uint64(1), int64(-1))
	f.Fuzz(func(t *testing.T, one, two []byte, n, m uint64, at int64) {
		st := &memory{}
		a, _ := line.Format(n, one)
		b, _ := line.Format(m, two)
		damaged := slices.Clone(b)
		damaged[len(damaged)/2] ^= 1
		st.lines = [][]byte{a, b, damaged, a, one, two}
		when := day.Add(time.Duration(at) * time.Second)
		lines, snapshots := 0, 0
		if err := Read(ctx, st, func(l *Line, s *State) error {
			lines++
			s.sinceEnd("TEST", 1)
			return nil
		}); err != nil || lines > 4 {
			t.Errorf("%d lines, %v", lines, err)
		}
		if err := Snapshots(ctx, st, []string{"TEST"}, func(*Snapshot) { snapshots++ }); err != nil || snapshots > 100 {
			t.Errorf("%d snapshots, %v", snapshots, err)
		}
		At(ctx, st, when, day.AddDate(10, 0, 0), []string{"TEST"})
		At(ctx, st, when, day.AddDate(10, 0, 0), nil)
		var r Reader
		for range 2 {
			if err := r.Next(ctx, st, func() {}, func(*Line) {}); err != nil {
				t.Error(err)
			}
		}
		for range 2 {
			New(store.ReadOnly(st), func() time.Time { return when }).Follow(ctx)
		}
	})
}
