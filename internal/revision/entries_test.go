package revision_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
)

// TestEntries reads entries back, in their order, over several pieces and dictionaries, from memory
// and from a file.
func TestEntries(t *testing.T) {
	var s revision.Entries
	for e := range s.All() {
		t.Errorf("empty Entries have %+v", e)
	}
	var want []sources.Entry
	for i := range 70_000 {
		e := entries[i%len(entries)]
		e.Name = fmt.Sprintf("%0200d", i)
		want = append(want, e)
		s.Add(&e)
	}
	s.Seal()
	read := func(what string, s *revision.Entries) {
		t.Helper()
		n, c := 0, s.Cursor()
		for e, err := range s.All() {
			if err != nil || e != want[n] {
				t.Fatalf("%s: entry %d is %+v, %v, want %+v", what, n, e, err, want[n])
			}
			e.FirstSeen = accepted
			if !finds(c, &e) {
				t.Fatalf("%s: the Cursor has another entry %d than %+v", what, n, e)
			}
			n++
		}
		if n != len(want) || s.Len() != n || finds(c, &want[0]) {
			t.Errorf("%s: %d entries, Len %d, want %d", what, n, s.Len(), len(want))
		}
	}
	read("in memory", &s)

	h := header
	h.Entries = len(want)
	var one, all bytes.Buffer
	w, err := revision.NewWriter(&all, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Entries(&s); err != nil {
		t.Fatal(err)
	}
	if err := w.Entries(&s); err == nil {
		t.Error("no error about entries after others")
	}
	if w, err = revision.NewWriter(&all, h); err != nil {
		t.Fatal(err)
	}
	all.Reset()
	if err := w.Entries(&s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = revision.NewWriter(&one, h); err != nil {
		t.Fatal(err)
	}
	for _, e := range want {
		if err := w.Entry(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || !bytes.Equal(one.Bytes(), all.Bytes()) {
		t.Errorf("%d bytes of all entries at once, and other %d of one at a time: %v", all.Len(), one.Len(), err)
	}
	f, err := revision.Parse(all.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	read("in a file", f.List())
}

// finds reports whether the next entry of c is e.
func finds(c *revision.Cursor, e *sources.Entry) bool {
	_, ok := c.Find(e, 1)
	return ok
}

// TestFind goes through entries with a Cursor, and skips some.
func TestFind(t *testing.T) {
	const n = 70_000 // more than a dictionary has
	var s revision.Entries
	entry := func(i int) sources.Entry {
		return sources.Entry{Listed: "text", Ref: fmt.Sprint(i), FirstSeen: accepted.Add(time.Duration(i))}
	}
	for i := range n {
		e := entry(i)
		s.Add(&e)
	}
	s.Seal()
	c, next := s.Cursor(), 0
	for i := 0; i < n; i += 1 + i%4 {
		none, e := entry(n), entry(i)
		if _, ok := c.Find(&none, 10); ok {
			t.Fatalf("found %v", none)
		}
		if skipped, ok := c.Find(&e, 4); !ok || skipped != i-next {
			t.Fatalf("entry %d: %d skipped, want %d, %t", i, skipped, i-next, ok)
		}
		next = i + 1
		if first, _ := c.Dates(); !first.Equal(e.FirstSeen) {
			t.Fatalf("entry %d was first seen %v, want %v", i, first, e.FirstSeen)
		}
	}
	odd := 0
	for e, err := range s.Except(func(i int) bool { return i%2 == 0 }) {
		if want := entry(2*odd + 1); err != nil || e != want {
			t.Fatalf("%v, %v, want %v", e, err, want)
		}
		odd++
	}
	if odd != n/2 {
		t.Errorf("%d entries, want %d", odd, n/2)
	}
}

// TestCursor compares entries with others that differ in one field.
func TestCursor(t *testing.T) {
	for i := range entries {
		e := entries[i]
		var s revision.Entries
		s.Add(&e)
		s.Seal()
		plain := e
		if plain.Listed == "" {
			plain.Listed = e.Address.Normalized()
		} else if plain.Listed == e.Address.Normalized() {
			plain.Listed = ""
		}
		seen := e
		seen.FirstSeen, seen.NotListedOn = seen.FirstSeen.Add(1), seen.NotListedOn.Add(1)
		for _, same := range []sources.Entry{e, plain, seen} {
			if !finds(s.Cursor(), &same) {
				t.Errorf("%+v is not %+v", same, e)
			}
		}
		var others [9]sources.Entry
		for i := range others {
			others[i] = e
		}
		others[0].Kind += "x"
		others[1].Ref += "x"
		others[2].Name += "x"
		others[3].Asset += "x"
		others[4].Listed = e.Text() + "x"
		others[5].ListedAt = e.ListedAt.Add(1)
		others[6].EntityListedAt = e.EntityListedAt.Add(1)
		others[7].Address = entries[(i+1)%len(entries)].Address
		others[8].Listed = strings.ToUpper(e.Text())
		for _, other := range others {
			alike := other
			if alike.Text() == e.Text() {
				alike.Listed = e.Listed
			}
			if alike != e && finds(s.Cursor(), &other) {
				t.Errorf("%+v is %+v", other, e)
			}
		}
	}
}

// TestLongEntries keeps entries that cannot be in a file.
func TestLongEntries(t *testing.T) {
	long, late := entries[0], entries[0]
	long.Name = strings.Repeat("x", 1<<17)
	late.ListedAt = time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, odd := range []sources.Entry{long, late} {
		var s revision.Entries
		want := []sources.Entry{entries[0], odd, odd, entries[0]}
		for _, e := range want {
			s.Add(&e)
		}
		s.Seal()
		n := 0
		for e, err := range s.All() {
			if err != nil || e != want[n] {
				t.Fatalf("entry %d is %.100q, %v", n, e.Name, err)
			}
			n++
		}
		h := header
		h.Entries = len(want)
		w, err := revision.NewWriter(new(bytes.Buffer), h)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Entries(&s); err == nil || n != len(want) {
			t.Errorf("%d entries, and no error of the Writer", n)
		}
	}
}
