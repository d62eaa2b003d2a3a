package list

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestFollow loads a list after another one, which it follows as long as it has the same entries,
// or does not follow: the outcome must be the same.
func TestFollow(t *testing.T) {
	entries := mixed(100)
	build := func(t *testing.T, prev *List, entries []sources.Entry, never bool) (l *List, d Diff, same, cut, followed bool) {
		b := NewBuilder(prev, day.AddDate(0, 0, 1))
		defer b.Free()
		for i, e := range entries {
			if i == 0 && never { // as if there was a history
				b.Follow(time.Time{}, []sources.Entry{{Listed: "an entry of long ago", Kind: score.Scam}})
			}
			if err := b.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		followed = b.follows
		same, err := b.IsSame()
		if err != nil {
			t.Fatal(err)
		}
		if l, err = b.Build(); err != nil {
			t.Fatal(err)
		}
		cut = b.IsCut()
		if d, err = b.Compare(l, day.AddDate(0, 0, 1)); err != nil {
			t.Fatal(err)
		}
		return l, d, same, cut, followed
	}
	prev, _, _, _, _ := build(t, nil, entries, false)
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
			l, d, same, cut, followed := build(t, prev, tt.next, false)
			want, wantDiff, wantSame, wantCut, never := build(t, prev, tt.next, true)
			if never && len(tt.next) > 0 || name == "the same" && !followed {
				t.Errorf("followed: %v and %v", followed, never)
			}
			if same != tt.same || wantSame != tt.same || cut != tt.cut || wantCut != tt.cut {
				t.Errorf("same %v and %v, cut %v and %v, want %v, %v", same, wantSame, cut, wantCut, tt.same, tt.cut)
			}
			if !reflect.DeepEqual(l.Facts, want.Facts) {
				t.Errorf("%d entries of %s, want %d of %s, and other facts the same", l.Entries, l.Digest, want.Entries, want.Digest)
			}
			if d.Added != wantDiff.Added || d.Removed != wantDiff.Removed || len(d.Delta.Gained) != len(wantDiff.Delta.Gained) ||
				len(d.Delta.Dropped) != len(wantDiff.Delta.Dropped) {
				t.Errorf("%d added, %d removed, want %d and %d", d.Added, d.Removed, wantDiff.Added, wantDiff.Removed)
			}
			n := 0
			for e, err := range l.All() {
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
