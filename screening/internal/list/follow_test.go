package list

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestFollow loads a list after another one, which it follows as long as it has the same entries,
// or does not follow: the outcome must be the same.
func TestFollow(t *testing.T) {
	entries := mixed(100)
	prev := build(t, nil, entries, false).List
	change := func(at int, to sources.Entry) []sources.Entry {
		all := slices.Clone(entries)
		all[at] = to
		return all
	}
	other := sources.Entry{Listed: "another one", Kind: score.Scam}
	renamed := entries[50]
	renamed.Name = "another name"
	earlier := entries[60]
	earlier.FirstSeen = day.AddDate(0, 0, -1)
	swapped := slices.Clone(entries)
	swapped[10], swapped[11] = swapped[11], swapped[10]
	long := entries[20]
	long.Name = strings.Repeat("x", 1<<17) // no file can have it
	for name, tt := range map[string]struct {
		next      []sources.Entry
		same, cut bool
	}{
		"the same":             {entries, true, false},
		"without the last":     {entries[:len(entries)-1], false, false}, // which is repeated,
		"half":                 {entries[:len(entries)/2], false, true},
		"half and another":     {append(slices.Clone(entries[:len(entries)/2]), other), false, true},
		"half and two others":  {append(slices.Clone(entries[:len(entries)/2]), other, renamed), false, false},
		"one more":             {append(slices.Clone(entries), other), false, false},
		"another first":        {change(0, other), false, false},
		"another in between":   {change(40, other), false, false},
		"another last":         {change(len(entries)-1, other), false, false},
		"another name":         {change(50, renamed), false, false},
		"seen earlier":         {change(60, earlier), false, false},
		"another order":        {swapped, true, false},
		"one doubled":          {append([]sources.Entry{entries[0]}, entries...), false, false},
		"none":                 {nil, false, true},
		"one that is too long": {change(20, long), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, want := build(t, prev, tt.next, false), build(t, prev, tt.next, true)
			if want.followed || name == "the same" && !got.followed {
				t.Errorf("followed: %v and %v", got.followed, want.followed)
			}
			if got.same != tt.same || got.cut != tt.cut {
				t.Errorf("same %v, cut %v, want %v, %v", got.same, got.cut, tt.same, tt.cut)
			}
			compareBuilt(t, prev, &got, &want)
			n := 0
			for e, err := range got.All() {
				if err != nil {
					t.Fatal(err)
				}
				was := tt.next[n]
				e.FirstSeen, was.FirstSeen = day, day
				if e != normalized(was) {
					t.Fatalf("entry %d is %.200v, want %.200v", n, e, was)
				}
				n++
			}
			if n != len(tt.next) {
				t.Errorf("All returns %d entries, want %d", n, len(tt.next))
			}
		})
	}

	// What is not of the entries counts, too.
	b := NewBuilder(prev, day.AddDate(0, 0, -1))
	if err := b.Add(entries[0]); err != nil || b.follows {
		t.Errorf("a list from the future was followed: %v", err)
	}
}

// A built list is all that a Builder says of it.
type built struct {
	*List
	diff                Diff
	same, cut, followed bool
	lost                int
}

// build builds a list after prev. If it must not follow prev, each entry is looked up.
func build(t *testing.T, prev *List, entries []sources.Entry, never bool) (l built) {
	t.Helper()
	now := day.AddDate(0, 0, 1)
	b := NewBuilder(prev, now)
	if never { // as if there was a history
		b.Follow(time.Time{}, []sources.Entry{{Listed: "an entry of long ago", Kind: score.Scam}})
	}
	for _, e := range entries {
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		if never {
			b.cursor = nil
		}
	}
	l.followed = b.follows && b.n > 0
	var err error
	if l.same, err = b.IsSame(); err != nil {
		t.Fatal(err)
	}
	if l.List, err = b.Build(); err != nil {
		t.Fatal(err)
	}
	l.cut = b.IsCut(l.List)
	if l.lost, err = b.Lost(l.List, 0); err != nil {
		t.Fatal(err)
	}
	if l.diff, err = b.Compare(l.List, now); err != nil {
		t.Fatal(err)
	}
	return l
}

// compareBuilt compares a list that may have followed prev with one that has not.
func compareBuilt(t *testing.T, prev *List, got, want *built) {
	t.Helper()
	if !reflect.DeepEqual(got.Facts, want.Facts) {
		t.Errorf("%d entries of %s, want %d of %s, and other facts the same", got.Entries, got.Digest, want.Entries, want.Digest)
	}
	if got.same != want.same || got.diff.Added != want.diff.Added || got.diff.Removed != want.diff.Removed || got.lost != want.lost {
		t.Errorf("same %v, %d added, %d removed, %d lost, want %v, %d, %d and %d", got.same, got.diff.Added, got.diff.Removed, got.lost,
			want.same, want.diff.Added, want.diff.Removed, want.lost)
	}
	for _, l := range []*built{got, want} {
		checkDelta(t, prev, l.List, &l.diff)
	}
}

// checkDelta checks that a Diff leads from one list to the other one.
func checkDelta(t *testing.T, from, to *List, d *Diff) {
	t.Helper()
	if d.IsPart {
		t.Error("the Delta has not all differences")
	}
	more := make(map[sources.Entry]int)
	add := func(l *List, by int) {
		for e, err := range l.All() {
			if err != nil {
				t.Fatal(err)
			}
			more[e] += by
		}
	}
	add(to, 1)
	add(from, -1)
	for _, e := range d.Delta.Gained {
		more[e]--
	}
	for _, e := range d.Delta.Dropped {
		more[e]++
	}
	for e, n := range more {
		if n != 0 {
			t.Errorf("the Delta has %.200v %d times less often than it was gained", e, n)
		}
	}
}

// TestChanges changes a list at random, and compares a Builder with one that looks up each entry.
func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range longtest.N(100, 1000) {
		entries := mixed(1 + r.IntN(60))
		if round%2 == 0 { // without repetitions
			seen := make(map[sources.Entry]bool)
			entries = slices.DeleteFunc(entries, func(e sources.Entry) bool {
				was := seen[e.Canonical()]
				seen[e.Canonical()] = true
				return was
			})
		}
		prev := build(t, nil, entries, false).List
		for range r.IntN(12) {
			i, j, n := r.IntN(len(entries)+1), r.IntN(len(entries)+1), r.IntN(1+len(entries)/4)
			switch r.IntN(6) {
			case 0:
				entries = slices.Delete(entries, i, min(i+n, len(entries)))
			case 1: // others, or repetitions
				entries = slices.Insert(entries, i, mixed(n/5)...)
			case 2:
				entries = slices.Insert(entries, i, sources.Entry{Listed: fmt.Sprint("another ", r.IntN(50)), Kind: score.Scam})
			case 3:
				if max(i, j) < len(entries) {
					entries[i], entries[j] = entries[j], entries[i]
				}
			case 4:
				if i < len(entries) {
					entries[i].Name += "x"
				}
			case 5:
				if i < len(entries) {
					entries[i].FirstSeen = day.AddDate(0, 0, r.IntN(4)-2)
				}
			}
		}
		got, want := build(t, prev, entries, false), build(t, prev, entries, true)
		if compareBuilt(t, prev, &got, &want); t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}
