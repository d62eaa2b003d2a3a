// Package storetest tests implementations of [store.Store]. Call [Run] in a test.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
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
	{"put", "A file has the bytes that were written, also after the Store is opened again.", put},
	{"replace", "Put replaces a file of the same name. Content that was opened before stays valid.", replace},
	{"failed put", "If write returns an error, Put returns it, and the file stays as it was.", failedPut},
	{"delete", "A deleted file is not listed and cannot be opened. Content that was opened before stays valid.", deletes},
	{"set aside", "A file that was set aside is not listed and cannot be opened, and its name can be used again.", setAside},
	{"journal", "The journal has the lines that were appended, byte for byte and in order, also after the Store is opened again.", journalLines},
	{"positions", "Read from a position that Read returned gives what was appended since. A position beyond the end means another journal, which is read from its beginning.", positions},
	{"own bytes", "The Store does not keep the slice that Append is given, and the slices it returns are not changed later.", ownBytes},
	{"canceled", "If the context has ended, methods return an error that wraps ctx.Err(), and change nothing.", canceled},
	{"concurrent", "Methods may be called concurrently. A reader that follows the journal gets each line once and whole.", concurrent},
}

var ctx = context.Background()

// name returns the name of the n-th revision of a source.
func name(source string, n int) string {
	return revision.Name(source, time.Date(2026, 11, 21, 4, 57, n, 123456789, time.UTC), fmt.Sprintf("%064x", n))
}

// write returns a function that writes b in pieces.
func write(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		for piece := range slices.Chunk(b, 100_003) {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}
}

// content returns the n-th content: binary, and large enough for several writes.
func content(n int) []byte { return bytes.Repeat([]byte{0, 0xff, '\n', byte(n)}, 1+n*40_000) }

// filled opens a Store and puts the first n revisions of a source.
func filled(open opener, source string, n int) (store.Store, error) {
	st, err := open()
	if err != nil {
		return nil, err
	}
	for i := range n {
		if err := st.Put(ctx, name(source, i), write(content(i))); err != nil {
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
		same := bytes.Equal(data, want)
		if !same || !slices.Contains(names, name) {
			return fmt.Errorf("%s has other bytes than were written, or is not listed in %q", name, names)
		}
	}
	return nil
}

// isGone returns an error unless the methods for a file return ErrNotFound.
func isGone(st store.Store, name string) error {
	_, opened := st.Open(ctx, name)
	for method, err := range map[string]error{"Open": opened, "Delete": st.Delete(ctx, name), "SetAside": st.SetAside(ctx, name)} {
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
	if lines, next, err := st.Read(ctx, 0); len(lines) > 0 || next != 0 || err != nil {
		return fmt.Errorf("the journal has %.100q up to %d, %v", lines, next, err)
	}
	if err := isGone(st, name("TEST", 1)); err != nil {
		return err
	}
	return has(open, nil)
}

func put(open opener) error {
	if _, err := filled(open, "TEST", 12); err != nil {
		return err
	}
	if _, err := filled(open, "TEST_2", 1); err != nil {
		return err
	}
	want := map[string][]byte{name("TEST_2", 0): content(0)}
	for i := range 12 {
		want[name("TEST", i)] = content(i)
	}
	return has(open, want)
}

// whileOpen calls change with a Store that has a file, and returns an error if that
// changes the content of the open file.
func whileOpen(open opener, change func(store.Store) error) error {
	st, err := filled(open, "TEST", 2)
	if err != nil {
		return err
	}
	data, err := st.Open(ctx, name("TEST", 1))
	if err != nil {
		return fmt.Errorf("an Open: %w", err)
	}
	if err := change(st); err != nil {
		return err
	}
	if !bytes.Equal(data, content(1)) {
		return errors.New("content that was opened before has changed")
	}
	return nil
}

func replace(open opener) error {
	for _, n := range []int{5, 0} {
		err := whileOpen(open, func(st store.Store) error { return st.Put(ctx, name("TEST", 1), write(content(n))) })
		if err != nil {
			return err
		}
		if err := has(open, map[string][]byte{name("TEST", 0): content(0), name("TEST", 1): content(n)}); err != nil {
			return err
		}
	}
	return nil
}

func failedPut(open opener) error {
	st, err := filled(open, "TEST", 2)
	if err != nil {
		return err
	}
	refused := errors.New("refused")
	for _, n := range []int{1, 2} {
		err := st.Put(ctx, name("TEST", n), func(w io.Writer) error {
			if err := write(content(7))(w); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			return fmt.Errorf("a Put whose write fails: %v, want an error that wraps that of write", err)
		}
	}
	return has(open, map[string][]byte{name("TEST", 0): content(0), name("TEST", 1): content(1)})
}

func deletes(open opener) error {
	err := whileOpen(open, func(st store.Store) error {
		if err := st.Delete(ctx, name("TEST", 1)); err != nil {
			return err
		}
		return isGone(st, name("TEST", 1))
	})
	if err != nil {
		return err
	}
	return has(open, map[string][]byte{name("TEST", 0): content(0)})
}

func setAside(open opener) error {
	st, err := filled(open, "TEST", 2)
	if err != nil {
		return err
	}
	for range 2 {
		if err := st.SetAside(ctx, name("TEST", 1)); err != nil {
			return fmt.Errorf("a SetAside: %w", err)
		}
		if err := isGone(st, name("TEST", 1)); err != nil {
			return err
		}
		if err := has(open, map[string][]byte{name("TEST", 0): content(0)}); err != nil {
			return err
		}
		if err := st.Put(ctx, name("TEST", 1), write(content(3))); err != nil {
			return err
		}
	}
	return has(open, map[string][]byte{name("TEST", 0): content(0), name("TEST", 1): content(3)})
}

func canceled(open opener) error {
	st, err := filled(open, "TEST", 2)
	if err == nil {
		err = st.Append(ctx, []byte("line\n"))
	}
	if err != nil {
		return err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, opened := st.Open(ended, name("TEST", 1))
	_, listed := st.Names(ended)
	_, _, read := st.Read(ended, 0)
	for method, err := range map[string]error{
		"Put": st.Put(ended, name("TEST", 2), write(content(2))), "Open": opened, "Names": listed,
		"Delete": st.Delete(ended, name("TEST", 0)), "SetAside": st.SetAside(ended, name("TEST", 1)),
		"Append": st.Append(ended, []byte("late\n")), "Read": read,
	} {
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s: %v, want an error that wraps %v", method, err, context.Canceled)
		}
	}
	lines, _, err := follow(st, 0)
	if err != nil || withoutEmpty(lines) != "line\n" {
		return fmt.Errorf("the journal has %q, %v, want one line", lines, err)
	}
	return has(open, map[string][]byte{name("TEST", 0): content(0), name("TEST", 1): content(1)})
}

func concurrent(open opener) error {
	const writers, lines = 4, 25
	want := make(map[string]int)
	errs := make([]error, writers+1)
	var wg sync.WaitGroup
	for w := range writers {
		for i := range lines {
			want[lineOf(w, i)] = 1
		}
		wg.Go(func() { errs[w] = writeConcurrently(open, w, lines) })
	}
	done := make(chan struct{})
	var reader sync.WaitGroup
	got := make(map[string]int)
	reader.Go(func() {
		st, err := open()
		for from := int64(0); err == nil; {
			var more []byte
			last := false
			select {
			case <-done:
				last = true
			default:
			}
			if more, from, err = follow(st, from); err != nil {
				break
			}
			for line := range strings.Lines(withoutEmpty(more)) {
				got[line]++
			}
			if last {
				return
			}
		}
		errs[writers] = err
	})
	wg.Wait()
	close(done)
	reader.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for line, n := range want {
		if got[line] != n {
			return fmt.Errorf("a line of %d bytes was read %d times, want once", len(line), got[line])
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d different lines were read, want %d", len(got), len(want))
	}
	return nil
}

// lineOf returns the i-th line of writer w; some are long.
func lineOf(w, i int) string {
	return fmt.Sprintf("%d %d %s\n", w, i, strings.Repeat(string(rune('a'+w)), 1+i%5*5000))
}

// writeConcurrently appends lines, and puts, opens, lists and deletes files.
func writeConcurrently(open opener, w, lines int) error {
	st, err := open()
	if err != nil {
		return err
	}
	for i := range lines {
		if err := st.Append(ctx, []byte(lineOf(w, i))); err != nil {
			return err
		}
		if i%5 != 0 {
			continue
		}
		name := name(fmt.Sprintf("TEST_%d", w), i%10)
		if err := st.Put(ctx, name, write(content(w))); err != nil {
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
