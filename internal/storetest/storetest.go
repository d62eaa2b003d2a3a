// Package storetest tests implementations of [store.Store]. Call [Run] in a test.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
			if err := r.check(newPlace(t)); err != nil {
				t.Errorf("%v\nThe rule: %s", err, r.explanation)
			}
		})
	}
}

type opener = func() (store.Store, error)

type rule struct {
	name        string
	explanation string
	check       func(open opener) error
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

// filled opens a Store and puts the first n files of a source.
func filled(open opener, source string, n int) (store.Store, error) {
	st, err := open()
	if err != nil {
		return nil, err
	}
	for i := range n {
		if err := st.Put(ctx, name(source, i), content(i)); err != nil {
			return nil, fmt.Errorf("a Put: %w", err)
		}
	}
	return st, nil
}

// has returns an error unless a newly opened Store has exactly the given files.
func has(open opener, files map[string][]byte) error {
	st, err := open()
	if err != nil {
		return err
	}
	names, err := st.Names(ctx)
	if err != nil {
		return fmt.Errorf("names of the files: %w", err)
	}
	slices.Sort(names)
	if len(names) != len(files) || len(slices.Compact(names)) != len(files) {
		return fmt.Errorf("the files are %q, want %d", names, len(files))
	}
	for name, want := range files {
		data, err := st.Open(ctx, name)
		if err != nil {
			return fmt.Errorf("an Open: %w", err)
		}
		if !bytes.Equal(data, want) || !slices.Contains(names, name) {
			return fmt.Errorf("%s has other bytes than were written, or is not listed in %q", name, names)
		}
	}
	return nil
}

// hasLines returns an error unless a newly opened Store has the lines 1 to n, read from a number.
func hasLines(open opener, from, n uint64) error {
	st, err := open()
	if err != nil {
		return err
	}
	for range 2 { // the second time, it may know where they begin
		next := uint64(0)
		err = st.Read(ctx, from, func(b []byte) error {
			b = bytes.TrimSuffix(b, []byte("\n"))
			if l, ok := line.Parse(b); len(b) == 0 || ok && l.Seq < from {
				return nil
			}
			if next == 0 {
				next = max(from, 1)
			}
			if !bytes.Equal(b, lineOf(next)) {
				return fmt.Errorf("line %d is %.100q", next, b)
			}
			next++
			return nil
		})
		if err == nil && (next != n+1) != (next == 0 && from > n) {
			err = fmt.Errorf("the journal ends before line %d, want %d", next, n+1)
		}
		if err != nil {
			return fmt.Errorf("read from %d: %w", from, err)
		}
	}
	return nil
}

// isGone returns an error unless the methods for a file return ErrNotFound.
func isGone(st store.Store, name string) error {
	_, opened := st.Open(ctx, name)
	for method, err := range map[string]error{"Open": opened, "Delete": st.Delete(ctx, name)} {
		if !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%s of a file that does not exist: %v, want ErrNotFound", method, err)
		}
	}
	return nil
}

func empty(open opener) error {
	st, err := open()
	if err != nil {
		return err
	}
	if err := st.Read(ctx, 0, func(l []byte) error { return fmt.Errorf("the journal has the line %.100q", l) }); err != nil {
		return err
	}
	if err := isGone(st, name("TEST", 1)); err != nil {
		return err
	}
	return has(open, nil)
}

func put(open opener) error {
	want := make(map[string][]byte)
	for _, n := range []int{12, 12, 1} {
		if _, err := filled(open, "TEST", n); err != nil {
			return err
		}
	}
	if _, err := filled(open, "TEST_2", 1); err != nil {
		return err
	}
	want[name("TEST_2", 0)] = content(0)
	for i := range 12 {
		want[name("TEST", i)] = content(i)
	}
	return has(open, want)
}

func deletes(open opener) error {
	st, err := filled(open, "TEST", 2)
	if err != nil {
		return err
	}
	data, err := st.Open(ctx, name("TEST", 1))
	if err != nil {
		return fmt.Errorf("an Open: %w", err)
	}
	if err := st.Delete(ctx, name("TEST", 1)); err != nil {
		return err
	}
	if err := isGone(st, name("TEST", 1)); err != nil {
		return err
	}
	if !bytes.Equal(data, content(1)) {
		return errors.New("content that was opened before has changed")
	}
	return has(open, map[string][]byte{name("TEST", 0): content(0)})
}

// appended opens a Store and appends the lines from one number to another.
func appended(open opener, from, to uint64) (store.Store, error) {
	st, err := open()
	for n := from; n <= to && err == nil; n++ {
		if err = st.Append(ctx, n, lineOf(n)); err != nil {
			err = fmt.Errorf("an Append of line %d: %w", n, err)
		}
	}
	return st, err
}

func journalLines(open opener) error {
	for n := uint64(1); n < 13; n += 4 {
		if _, err := appended(open, n, n+3); err != nil {
			return err
		}
		for from := range n + 5 {
			if err := hasLines(open, from, n+3); err != nil {
				return err
			}
		}
	}
	return has(open, nil)
}

func numbers(open opener) error {
	st, err := open()
	if err != nil {
		return err
	}
	for n := uint64(1); n < 5; n++ {
		for _, wrong := range []uint64{n - 1, n + 1, n + 100} {
			if err := st.Append(ctx, wrong, lineOf(wrong)); wrong > 0 && !errors.Is(err, store.ErrMoved) {
				return fmt.Errorf("an Append of line %d after line %d: %v, want ErrMoved", wrong, n-1, err)
			}
		}
		if _, err := appended(open, n, n); err != nil {
			return err
		}
	}
	return hasLines(open, 0, 4)
}

func ownBytes(open opener) error {
	st, err := open()
	if err != nil {
		return err
	}
	l, data := lineOf(1), content(1)
	if err := errors.Join(st.Append(ctx, 1, l), st.Put(ctx, name("TEST", 1), data)); err != nil {
		return err
	}
	clear(l)
	clear(data)
	for range 2 {
		if err := errors.Join(hasLines(func() (store.Store, error) { return st, nil }, 0, 1), has(func() (store.Store, error) { return st, nil }, map[string][]byte{name("TEST", 1): content(1)})); err != nil {
			return err
		}
		got, err := st.Open(ctx, name("TEST", 1))
		if err != nil {
			return err
		}
		clear(got)
		if err := st.Read(ctx, 0, func(b []byte) error { clear(b); return nil }); err != nil {
			return err
		}
	}
	return nil
}

func canceled(open opener) error {
	st, err := filled(open, "TEST", 2)
	if err == nil {
		_, err = appended(open, 1, 1)
	}
	if err != nil {
		return err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, opened := st.Open(ended, name("TEST", 1))
	_, listed := st.Names(ended)
	for method, err := range map[string]error{
		"Put": st.Put(ended, name("TEST", 2), content(2)), "Open": opened, "Names": listed,
		"Delete": st.Delete(ended, name("TEST", 0)), "Append": st.Append(ended, 2, lineOf(2)),
		"Read": st.Read(ended, 0, func([]byte) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s: %v, want an error that wraps %v", method, err, context.Canceled)
		}
	}
	if err := hasLines(open, 0, 1); err != nil {
		return err
	}
	return has(open, map[string][]byte{name("TEST", 0): content(0), name("TEST", 1): content(1)})
}

func concurrent(open opener) error {
	const writers, lines = 4, 40
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { errs[w] = writeConcurrently(open, w, lines) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return hasLines(open, 0, lines)
}

// writeConcurrently appends lines up to a number, unless another writer does, and puts, opens,
// lists and deletes files.
func writeConcurrently(open opener, w int, lines uint64) error {
	st, err := open()
	if err != nil {
		return err
	}
	for n := uint64(1); n <= lines; n++ {
		if err := st.Append(ctx, n, lineOf(n)); err != nil && !errors.Is(err, store.ErrMoved) {
			return err
		}
		if n%5 != 0 {
			continue
		}
		name := name(fmt.Sprintf("TEST_%d", w), int(n%10))
		if err := st.Put(ctx, name, content(w)); err != nil {
			return err
		}
		names, err := st.Names(ctx)
		if err != nil {
			return err
		}
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s is not listed", name)
		}
		data, err := st.Open(ctx, name)
		if err != nil {
			return err
		}
		if !bytes.Equal(data, content(w)) {
			return fmt.Errorf("%s has other bytes than were written", name)
		}
		if err := st.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
