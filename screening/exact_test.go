package screening_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A place is a store that several programs use, one after the other or at once.
type place struct {
	store.Store
	tear func(line []byte) // appends a part of a line, as a program does that is killed meanwhile

	calls int
	at    int    // the number of the call at which fault happens; 0: never
	fault string // see faultsOf
	grown func() // is called after each line
}

// What a call of a store may do.
var faultsOf = []string{"fails", "fails, done", "fails for long", "kill before", "kill after", "torn, kill", "torn, fails"}

// newPlace returns an empty store in memory, or in a directory unless dir is "".
func newPlace(t testing.TB, dir string) *place {
	if dir == "" {
		m := new(storetest.Memory)
		return &place{Store: m, tear: func(l []byte) { m.Lines = append(m.Lines, bytes.Clone(l)) }}
	}
	return &place{Store: openStore(t, dir), tear: func(l []byte) {
		f, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.Write(l)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}}
}

// accepted returns the digest of the document of the list that the journal says is held.
func (p *place) accepted(t testing.TB) (digest string) {
	t.Helper()
	err := journal.Read(ctx, p.Store, func(_ *journal.Line, s *journal.State) error {
		digest = s.Held[ofac.ID].Revision.Digest
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// A handle is a place as one program sees it. After the program was killed, nothing that it does has an effect.
type handle struct {
	*place
	dead bool

	before int // that many calls, counted from 1, other is called
	other  func()
}

func (h *handle) call(text []byte, do func() error) error {
	if h.dead {
		return errUnreliable
	}
	h.calls++
	if h.before--; h.before == 0 {
		h.other()
	}
	if h.fault == "fails for long" && h.at > 0 && h.calls > h.at && h.calls < h.at+12 {
		return errUnreliable
	}
	if h.calls != h.at {
		return do()
	}
	switch h.fault {
	case "fails, done":
		do()
	case "kill before":
		h.dead = true
	case "kill after":
		do()
		h.dead = true
	case "torn, kill", "torn, fails":
		h.dead = h.fault == "torn, kill"
		if text != nil {
			h.tear(text[:len(text)/2])
		}
	}
	return errUnreliable
}

func (h *handle) Put(ctx context.Context, name string, data []byte) error {
	return h.call(nil, func() error { return h.Store.Put(ctx, name, data) })
}

func (h *handle) Open(ctx context.Context, name string) (data []byte, err error) {
	err = h.call(nil, func() (err error) { data, err = h.Store.Open(ctx, name); return err })
	return data, err
}

func (h *handle) Names(ctx context.Context) (names []string, err error) {
	err = h.call(nil, func() (err error) { names, err = h.Store.Names(ctx); return err })
	return names, err
}

func (h *handle) Delete(ctx context.Context, name string) error {
	return h.call(nil, func() error { return h.Store.Delete(ctx, name) })
}

func (h *handle) Append(ctx context.Context, number uint64, line []byte) error {
	return h.call(line, func() error {
		err := h.Store.Append(ctx, number, line)
		if err == nil && h.grown != nil {
			h.grown()
		}
		return err
	})
}

func (h *handle) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	return h.call(nil, func() error { return h.Store.Read(ctx, from, each) })
}

// questions is how many addresses are asked about.
const questions = 40

// askedTexts are the addresses.
var askedTexts = func() (all [questions]string) {
	for n := range all {
		all[n] = listing(n).Text()
	}
	return all
}()

// A said is what answered at a time.
type said struct {
	at      time.Time
	labels  [questions]string
	listed  [questions]bool
	digest  string
	unsaved bool // the store failed
	untold  bool // and the program ended before it could say so
}

// say asks about all addresses. It reports false if a list is not loaded.
func say(t testing.TB, s screener) (a said, ok bool) {
	t.Helper()
	a.at = time.Now()
	for n := range questions {
		r, err := s.ScreenText("ethereum", askedTexts[n])
		if errors.Is(err, screening.ErrNotLoaded) {
			return a, false
		}
		if err != nil {
			t.Fatal(err)
		}
		a.labels[n], a.digest = fmt.Sprint(r.Labels, r.Suppressed, r.Formerly), r.Digest()
		a.listed[n] = len(r.Labels)+len(r.Suppressed) > 0
		for _, c := range r.Caveats() {
			a.unsaved = a.unsaved || c.Kind == screening.CaveatStore
		}
	}
	return a, true
}

// An offered is an edition that a play offers.
type offered struct {
	edition
	has [questions]bool
}

// A play offers lists to programs that use a place, and keeps what answered when.
type play struct {
	t     testing.TB
	name  string
	place *place
	h     *handle
	s     *screening.Screener
	src   *flaky
	said  []said
	lists map[string]*offered // all that were offered, by digest
	want  *offered            // must match as far as the program is loaded

	exceptions []screening.Exception
	doubt      bool // whether they are in the journal
}

func newPlay(t testing.TB, name string, p *place) *play {
	return &play{t: t, name: name, place: p, src: &flaky{info: ofac, load: down}, lists: make(map[string]*offered)}
}

// list returns the list of a day with these addresses.
func (p *play) list(day int, numbers ...int) *offered {
	e := &offered{edition: edition{rev: sources.Revision{Digest: digestOf(len(p.lists) + 1), Records: len(numbers), Completeness: sources.Whole, Published: bubbleStart.AddDate(0, 0, day-60)}}}
	for _, n := range numbers {
		e.entries, e.has[n] = append(e.entries, listing(n)), true
	}
	p.lists[e.rev.Digest] = e
	return e
}

// bubbleStart is when the clock of a synctest begins.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func span(from, to int) (all []int) {
	for n := from; n < to; n++ {
		all = append(all, n)
	}
	return all
}

func without(all []int, some ...int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(n int) bool { return slices.Contains(some, n) })
}

// begin starts a program.
func (p *play) begin() {
	// A program that ends while its store fails cannot say what matched beside the list held.
	for k := len(p.said) - 1; k >= 0 && p.said[k].unsaved; k-- {
		p.said[k].untold = true
	}
	p.h = &handle{place: p.place}
	p.want, p.src.load = nil, down
	p.s = newScreener(p.t, &screening.Options{Store: p.h}, p.src)
	if err := p.s.SetExceptions(ctx, p.exceptions); err != nil {
		p.t.Fatal(err)
	}
	p.s.Open(ctx) // what fails here is tried again
	if !p.doubt { // the journal does not say yet which exceptions hold
		p.ask()
	}
	p.s.Refresh(ctx)
	p.ask()
	p.doubt = false
}

// ask keeps what answers, which is never milder than the accepted list, and has what was offered.
func (p *play) ask() {
	p.t.Helper()
	if p.h.dead {
		return
	}
	time.Sleep(time.Minute)
	a, ok := say(p.t, p.s)
	time.Sleep(time.Minute)
	if !ok {
		return
	}
	p.said = append(p.said, a)
	for what, e := range map[string]*offered{"accepted": p.lists[p.place.accepted(p.t)], "offered": p.want} {
		if e == nil {
			continue
		}
		for n, listed := range a.listed {
			if e.has[n] && !listed {
				p.t.Errorf("%s: %v: address %d of the list that was %s is clean", p.name, a.at, n, what)
			}
		}
	}
}

// do lets the program do something, and starts another one if it is killed.
func (p *play) do(f func()) {
	p.t.Helper()
	f()
	p.ask()
	if p.h.dead {
		time.Sleep(time.Hour)
		p.begin()
	}
	time.Sleep(time.Hour)
}

// offer offers a list that is to be accepted.
func (p *play) offer(e *offered) {
	p.t.Helper()
	p.do(func() {
		p.src.load = e.load
		p.s.Refresh(ctx)
		if _, loaded := say(p.t, p.s); loaded {
			p.want = e
		}
	})
}

// wrong offers a list that is to be refused.
func (p *play) wrong(e *offered) {
	p.t.Helper()
	p.do(func() {
		p.src.load = e.load
		p.s.Refresh(ctx)
	})
}

// run plays additions, removals, returns, wrong offers, exceptions and restarts. It returns the last list.
func (p *play) run() *offered {
	p.t.Helper()
	p.do(p.begin)
	all := span(0, 30)
	var before, last *offered
	for i, change := range []func(){
		func() {},
		func() { all = append(all, 30, 31) },
		func() { all = without(all, 3, 4) },
		func() { all = append(all, 3, 32) },
		func() { all = append(without(all, 5, 30), 33) },
		func() { all = append(all, 5, 30) },
	} {
		change()
		before, last = last, p.list(2*i, all...)
		p.offer(last)
		p.offer(last)
		p.wrong(p.list(2*i+1, all[:len(all)/2]...)) // shrunk
		part := p.list(2*i+1, 1, 2, 34)
		part.rev.Completeness = sources.Partial
		p.wrong(part)
		if before != nil {
			p.wrong(before)
		}
		switch i {
		case 1, 4:
			p.do(func() {
				set := []screening.Exception{{Address: listing(7 + i).Address, Reason: "a test", Author: "test", Created: time.Now()}}
				if p.s.SetExceptions(ctx, set) == nil {
					p.exceptions = set
				} else {
					p.doubt = true
				}
			})
			p.do(p.begin)
		case 2:
			p.do(p.begin)
		}
	}
	return last
}

// check compares the past with what was answered, and returns how many answers are not known.
func (p *play) check() (unknown int) {
	p.t.Helper()
	for _, a := range p.said {
		past, err := screening.OpenAt(ctx, p.place.Store, a.at, []sources.Source{p.src}, nil)
		if err == nil {
			got, ok := say(p.t, past)
			switch {
			case !ok:
				err = errors.New("it is not loaded")
			case got.labels != a.labels:
				for n := range questions {
					if got.labels[n] != a.labels[n] {
						err = fmt.Errorf("address %d has %s, want %s", n, got.labels[n], a.labels[n])
						break
					}
				}
			case got.digest != a.digest:
				err = fmt.Errorf("the digest is %s, want %s", got.digest, a.digest)
			}
		} else if isLost(err) {
			unknown++
			continue
		}
		if err != nil && !a.untold {
			p.t.Errorf("%s: as of %v (unsaved %v): %v", p.name, a.at, a.unsaved, err)
		}
	}
	return unknown
}

// TestExactOrError lets each call of a store in turn fail in each way. No answer is milder
// than the list that the journal says is held; offered entries match at once; the past is what was answered, or an
// error; and when the store works again, all is as without the fault.
func TestExactOrError(t *testing.T) {
	longtest.WithoutRace(t)
	t.Parallel()
	for where, step := range map[string]int{"memory": longtest.Step(89, 2), "directory": longtest.Step(307, 17)} {
		dir := func() string {
			if where == "memory" {
				return ""
			}
			return filepath.Join(t.TempDir(), where)
		}
		calls, answers, unknown, faults := 0, 0, 0, 0
		try := func(at int, fault string) {
			synctest.Test(t, func(t *testing.T) {
				place := newPlace(t, dir())
				place.at, place.fault = at, fault
				p := newPlay(t, fmt.Sprintf("%s: %s at call %d", where, fault, at), place)
				last := p.run()
				if at == 0 {
					calls = place.calls
				}
				place.at = 0
				p.offer(last)
				a, ok := say(t, p.s)
				for n, listed := range a.listed {
					if !ok || a.unsaved || last.has[n] != listed {
						t.Errorf("%s: ends with address %d listed %v, loaded %v, unsaved %v", p.name, n, listed, ok, a.unsaved)
						break
					}
				}
				n := p.check()
				if most := 6; n > most && fault != "fails for long" || at == 0 && n > 0 {
					t.Errorf("%s: of %d answers %d are not known", p.name, len(p.said), n)
				}
				answers, unknown, faults = answers+len(p.said), unknown+n, faults+1
			})
		}
		try(0, "no fault")
		for n := 0; n < calls*len(faultsOf); n += step {
			try(1+n%calls, faultsOf[n/calls])
		}
		t.Logf("%s: %d calls, %d faults, %d answers compared, %d not known", where, calls, faults, answers, unknown)
	}
}

// TestSavedLate accepts a list while a store fails. When it works again, the list is saved: an older list does not end
// it, and the past of both times is known.
func TestSavedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, older := range []bool{false, true} {
			place := newPlace(t, "")
			p := newPlay(t, fmt.Sprint("older: ", older), place)
			p.do(p.begin)
			first, second := p.list(1, span(0, 30)...), p.list(2, span(0, 31)...)
			p.offer(first)
			place.at, place.fault = place.calls, "fails for long"
			p.offer(second)
			place.at = 0
			for range 2 {
				p.wrong(map[bool]*offered{false: p.list(3, 1), true: first}[older])
			}
			p.begin()
			p.want = second
			p.ask()
			if n := p.check(); n != 1 {
				t.Errorf("%s: %d answers are not known, want 1", p.name, n)
			}
		}
	})
}

// TestJournalLosesLines loses or damages each line of a journal in turn, and goes back to each of its beginnings, with
// the files of that time and of the end. The past is what was answered, or an error; a program that starts then
// is not milder than the newest file, and does not make the past another one.
func TestJournalLosesLines(t *testing.T) {
	longtest.WithoutRace(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := new(storetest.Memory)
		p := newPlay(t, "whole", &place{Store: m})
		files := []map[string][]byte{{}} // after each line
		p.place.grown = func() { files = append(files, maps.Clone(m.Files)) }
		last := p.run()
		if n := p.check(); n > 0 {
			t.Errorf("of %d answers %d are not known", len(p.said), n)
		}
		lines := linesOf(t, m)
		// excepted returns which exceptions hold after the first n lines, and at a time.
		excepted := func(n int) (last int) {
			for i, l := range lines[:n] {
				if l.Exceptions != nil {
					last = i
				}
			}
			return last
		}
		linesAt := func(at time.Time) int {
			return len(slices.DeleteFunc(slices.Clone(lines), func(l journal.Line) bool { return l.At.After(at) }))
		}
		known, tried := 0, 0
		// try plays on from a store with these lines and files, which does not show that there were more if they are the first n, unless
		// files are newer.
		try := func(name string, journal [][]byte, files map[string][]byte, n int, newer bool) {
			t.Helper()
			q := newPlay(t, name, &place{Store: &storetest.Memory{Lines: slices.Clone(journal), Files: maps.Clone(files)}})
			q.lists, q.exceptions, q.doubt = p.lists, p.exceptions, true
			for _, a := range p.said {
				isNewer := n >= 0 && linesAt(a.at) > n
				if !isNewer || newer && excepted(linesAt(a.at)) == excepted(n) {
					q.said = append(q.said, a)
				}
			}
			tried += 2 * len(q.said)
			known += len(q.said) - q.check()
			if newer {
				q.want = last
			}
			q.begin()
			q.offer(last)
			if a := q.said[len(q.said)-1]; a.listed != last.has {
				t.Errorf("%s: ends with %v, want %v", name, a.listed, last.has)
			}
			known += len(q.said) - q.check()
		}
		for i := 0; i < len(m.Lines); i += longtest.Step(14, 2) {
			l := m.Lines[i]
			flip := bytes.Clone(l)
			flip[len(flip)/2] ^= 1
			for what, instead := range map[string][][]byte{"lost": nil, "damaged": {flip}, "cut": {l[:len(l)/2]}, "twice": {l, l}} {
				if what == "lost" && i == len(m.Lines)-1 {
					continue // see below
				}
				try(fmt.Sprintf("line %d %s", i+1, what), slices.Concat(m.Lines[:i], instead, m.Lines[i+1:]), m.Files, -1, true)
			}
			try(fmt.Sprintf("the end from line %d on cut", i+1), append(slices.Clone(m.Lines[:i]), l[:len(l)/2]), m.Files, -1, true)
			try(fmt.Sprintf("the first %d lines", i), m.Lines[:i], files[i], i, false)
			try(fmt.Sprintf("the first %d lines, newer files", i), m.Lines[:i], m.Files, i, true)
		}
		t.Logf("%d lines, %d of %d answers known", len(lines), known, tried)
	})
}

// TestInterleaved lets two programs use one store: one of them accepts a list, an older or a newer one, or starts, before
// each call that the other one makes while it accepts another list. No acceptance is lost, both end with the newest list,
// and the past is what they answered.
func TestInterleaved(t *testing.T) {
	for _, where := range []string{"memory", "directory"} {
		for what, act := range []string{"accepts an older list", "accepts a newer list", "starts"} {
			tried := 0
			for reached, n := true, 1; reached; n++ {
				dir := ""
				if where == "directory" {
					dir = t.TempDir()
				}
				synctest.Test(t, func(t *testing.T) {
					place := newPlace(t, dir)
					a := newPlay(t, fmt.Sprintf("%s: another program %s before call %d", where, act, n), place)
					first, older, offer, newer := a.list(1, span(0, 30)...), a.list(2, span(0, 31)...), a.list(4, span(1, 32)...), a.list(6, span(2, 33)...)
					a.do(a.begin)
					a.offer(first)
					b := newPlay(t, a.name+", the other one", place)
					b.lists = a.lists
					b.do(b.begin)
					want := offer
					a.h.before, a.h.other = n, func() {
						switch what {
						case 0:
							b.src.load = older.load
						case 1:
							b.src.load, want = newer.load, newer
						case 2:
							b.h = &handle{place: place}
							b.s = newScreener(t, &screening.Options{Store: b.h}, b.src)
							b.s.Open(ctx)
						}
						b.s.Refresh(ctx)
						time.Sleep(time.Second)
						if said, ok := say(t, b.s); ok {
							b.said = append(b.said, said)
						}
						time.Sleep(time.Second)
					}
					a.src.load, a.want = offer.load, nil
					a.s.Refresh(ctx)
					reached = a.h.before <= 0
					a.h.before = 0
					time.Sleep(time.Minute)
					for range 2 {
						a.wrong(first) // it is refused, but they follow
						b.wrong(first)
					}
					c := newPlay(t, a.name+", a third one", place)
					c.lists = a.lists
					c.do(c.begin)
					for _, p := range []*play{a, b, c} {
						if answer := p.said[len(p.said)-1]; answer.listed != want.has {
							t.Errorf("%s: it ends with %v, want %v", p.name, answer.listed, want.has)
						}
						p.check()
					}
					tried++
				})
			}
			t.Logf("%s: %s before each of %d calls", where, act, tried-1)
		}
	}
}
