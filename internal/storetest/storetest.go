// Package storetest tests implementations of [store.Store]. Call [Run] in a test.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/walletscreen/walletscreen/internal/line"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources/store"
)

// Run tests that a Store keeps the rules of [store.Store], one rule in each subtest. A
// failure says which rule was broken, and why it exists.
//
// newPlace is called for each rule and returns open, which opens a Store in a place of
// its own. The place is empty at first; each call of open opens the same place, as
// after a restart.
//
// Whether a Store survives a kill at any moment is not tested: that depends on what it
// stores in.
func Run(t *testing.T, newPlace func(*testing.T) (open func() (store.Store, error))) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if err := r.tryIn(newPlace(t)); err != nil {
				t.Errorf("%v\nThe rule: %s", err, r.explanation)
			}
		})
	}
}

type rule struct {
	name        string
	explanation string
	try         func(open func() store.Store) // it panics with a failure
}

// A failure is what a Store does that breaks a rule.
type failure struct{ error }

// try returns the failure of f, if there is one.
func try(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = p.(failure).error
		}
	}()
	f()
	return nil
}

// must fails if a method has returned an error.
func must(method string, err error) { expect(err == nil, "%s: %w", method, err) }

// expect fails unless ok is true.
func expect(ok bool, format string, args ...any) {
	if !ok {
		panic(failure{fmt.Errorf(format, args...)})
	}
}

// tryIn returns how the Stores that open opens break r, nil if they do not.
func (r *rule) tryIn(open func() (store.Store, error)) error {
	return try(func() {
		r.try(func() store.Store {
			st, err := open()
			must("opening", err)
			return st
		})
	})
}

var rules = []rule{
	{"empty", "An empty Store lists nothing, its journal has no lines, and methods about a file return ErrNotFound.", empty},
	{"put", "A file has the bytes that were written, also after the Store is opened again, and may be written again.", put},
	{"delete", "A deleted file is not listed and cannot be opened. Content that was opened before stays valid.", deletes},
	{"journal", "The journal has the lines that were appended, byte for byte and in order, also after the Store is opened again.", journalLines},
	{"numbers", "A line is appended only as the next one; otherwise Append returns ErrMoved and does nothing.", numbers},
	{"own bytes", "The Store does not keep the slices that it is given, and those it returns are not changed later.", ownBytes},
	{"canceled", "If the context has ended, methods return an error that wraps ctx.Err(), and change nothing.", canceled},
	{"concurrent", "Methods may be called concurrently. Of lines of one number, one is appended.", concurrent},
}

var ctx = context.Background()

// name returns the name of the n-th file of a source.
func name(source string, n int) string {
	return stays.Name{Source: source, First: 1, Last: uint32(n + 1), After: 7, Sum: fmt.Sprintf("%032x", n)}.String()
}

// content returns the n-th content: binary, and large enough for several writes.
func content(n int) []byte { return bytes.Repeat([]byte{0, 0xff, '\n', byte(n)}, 1+n*100_000) }

// lineOf returns the line of a number; some are long.
func lineOf(n uint64) []byte {
	l, _ := line.Format(n, []byte(fmt.Sprintf(`{"a":"b %s"}`, strings.Repeat("x", int(n%5*50_000)))))
	return l
}

// fill puts the first n files of a source.
func fill(st store.Store, source string, n int) {
	for i := range n {
		must("Put", st.Put(ctx, name(source, i), content(i)))
	}
}

// has fails unless st has exactly the given files.
func has(st store.Store, files map[string][]byte) {
	names, err := st.Names(ctx)
	must("Names", err)
	slices.Sort(names)
	expect(slices.Equal(names, slices.Sorted(maps.Keys(files))), "the files are %q, want %d", names, len(files))
	for name, want := range files {
		data, err := st.Open(ctx, name)
		must("Open", err)
		expect(bytes.Equal(data, want), "%s has other bytes than were written", name)
	}
}

// hasLines fails unless st has the lines 1 to n, read from a number.
func hasLines(st store.Store, from, n uint64) {
	for range 2 { // the second time, it may know where they begin
		next := max(from, 1)
		must("Read", st.Read(ctx, from, func(b []byte) error {
			b = bytes.TrimSuffix(b, []byte("\n"))
			if l, ok := line.Parse(b); len(b) == 0 || ok && l.Seq < from {
				return nil
			}
			expect(bytes.Equal(b, lineOf(next)), "read from %d, line %d is %.100q", from, next, b)
			next++
			return nil
		}))
		expect(next == max(from, n+1), "read from %d, the journal ends before line %d, want %d", from, next, n+1)
	}
}

// lacks fails unless the methods for a file return ErrNotFound.
func lacks(st store.Store, name string) {
	_, opened := st.Open(ctx, name)
	for method, err := range map[string]error{"Open": opened, "Delete": st.Delete(ctx, name)} {
		expect(errors.Is(err, store.ErrNotFound), "%s of a file that does not exist: %v, want ErrNotFound", method, err)
	}
}

func empty(open func() store.Store) {
	hasLines(open(), 0, 0)
	lacks(open(), name("TEST", 1))
	has(open(), nil)
}

func put(open func() store.Store) {
	for _, n := range []int{12, 12, 1} {
		fill(open(), "TEST", n)
	}
	fill(open(), "TEST_2", 1)
	want := map[string][]byte{name("TEST_2", 0): content(0)}
	for i := range 12 {
		want[name("TEST", i)] = content(i)
	}
	has(open(), want)
}

func deletes(open func() store.Store) {
	st := open()
	fill(st, "TEST", 2)
	data, err := st.Open(ctx, name("TEST", 1))
	must("Open", err)
	must("Delete", st.Delete(ctx, name("TEST", 1)))
	lacks(st, name("TEST", 1))
	expect(bytes.Equal(data, content(1)), "content that was opened before has changed")
	has(open(), map[string][]byte{name("TEST", 0): content(0)})
}

// add appends the lines from one number to another.
func add(st store.Store, from, to uint64) {
	for n := from; n <= to; n++ {
		must(fmt.Sprint("Append of line ", n), st.Append(ctx, n, lineOf(n)))
	}
}

func journalLines(open func() store.Store) {
	for n := uint64(1); n < 13; n += 4 {
		add(open(), n, n+3)
		for from := range n + 5 {
			hasLines(open(), from, n+3)
		}
	}
	has(open(), nil)
}

func numbers(open func() store.Store) {
	st := open()
	for n := uint64(1); n < 5; n++ {
		for _, wrong := range []uint64{n - 1, n + 1, n + 100} {
			err := st.Append(ctx, wrong, lineOf(wrong))
			expect(wrong == 0 || errors.Is(err, store.ErrMoved), "Append of line %d after line %d: %v, want ErrMoved", wrong, n-1, err)
		}
		add(open(), n, n)
	}
	hasLines(open(), 0, 4)
}

func ownBytes(open func() store.Store) {
	st := open()
	l, data := lineOf(1), content(1)
	must("Append", st.Append(ctx, 1, l))
	must("Put", st.Put(ctx, name("TEST", 1), data))
	clear(l)
	clear(data)
	for range 2 {
		hasLines(st, 0, 1)
		has(st, map[string][]byte{name("TEST", 1): content(1)})
		got, err := st.Open(ctx, name("TEST", 1))
		must("Open", err)
		clear(got)
		must("Read", st.Read(ctx, 0, func(b []byte) error { clear(b); return nil }))
	}
}

func canceled(open func() store.Store) {
	st := open()
	fill(st, "TEST", 2)
	add(open(), 1, 1)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, opened := st.Open(ended, name("TEST", 1))
	_, listed := st.Names(ended)
	for method, err := range map[string]error{
		"Put": st.Put(ended, name("TEST", 2), content(2)), "Open": opened, "Names": listed,
		"Delete": st.Delete(ended, name("TEST", 0)), "Append": st.Append(ended, 2, lineOf(2)),
		"Read": st.Read(ended, 0, func([]byte) error { return nil }),
	} {
		expect(errors.Is(err, context.Canceled), "%s: %v, want an error that wraps %v", method, err, context.Canceled)
	}
	hasLines(open(), 0, 1)
	has(open(), map[string][]byte{name("TEST", 0): content(0), name("TEST", 1): content(1)})
}

func concurrent(open func() store.Store) {
	const writers, lines = 4, 40
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { errs[w] = try(func() { writeConcurrently(open(), w, lines) }) })
	}
	wg.Wait()
	must("concurrently", errors.Join(errs...))
	hasLines(open(), 0, lines)
}

// writeConcurrently appends lines up to a number, unless another writer does, and puts, opens,
// lists and deletes files.
func writeConcurrently(st store.Store, w int, lines uint64) {
	for n := uint64(1); n <= lines; n++ {
		err := st.Append(ctx, n, lineOf(n))
		expect(err == nil || errors.Is(err, store.ErrMoved), "Append: %w", err)
		if n%5 != 0 {
			continue
		}
		name := name(fmt.Sprintf("TEST_%d", w), int(n%10))
		must("Put", st.Put(ctx, name, content(w)))
		names, err := st.Names(ctx)
		must("Names", err)
		expect(slices.Contains(names, name), "%s is not listed", name)
		data, err := st.Open(ctx, name)
		must("Open", err)
		expect(bytes.Equal(data, content(w)), "%s has other bytes than were written", name)
		must("Delete", st.Delete(ctx, name))
	}
}
