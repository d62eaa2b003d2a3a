package list

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestSequence loads a list after another one, with and without a comparison of their sequences:
// the outcome must be the same.
func TestSequence(t *testing.T) {
	entries := mixed(2*perSum/5 + 100)
	build := func(prev *List, entries []sources.Entry) (l *List, d Diff, same, cut, followed bool) {
		b := NewBuilder(prev, day.AddDate(0, 0, 1))
		defer b.Free()
		for _, e := range entries {
			if err := b.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		followed = b.follows
		same, err := b.IsSame()
		if err != nil {
			t.Fatal(err)
		}
		if l, err = b.Build(true); err != nil {
			t.Fatal(err)
		}
		cut = b.IsCut(l)
		if d, err = b.Compare(l, day.AddDate(0, 0, 1)); err != nil {
			t.Fatal(err)
		}
		return l, d, same, cut, followed
	}
	prev, _, _, _, _ := build(nil, entries)
	unknown := *prev
	unknown.Sequence = nil
	change := func(at int, to sources.Entry) []sources.Entry {
		all := slices.Clone(entries)
		all[at] = to
		return all
	}
	other := sources.Entry{Listed: "another one", Kind: score.Scam}
	renamed := entries[perSum]
	renamed.Name = "another name"
	swapped := slices.Clone(entries)
	swapped[10], swapped[11] = swapped[11], swapped[10]
	long := entries[20]
	long.Name = strings.Repeat("x", 1<<17) // cannot be written
	for name, next := range map[string][]sources.Entry{
		"the same":             entries,
		"without the last":     entries[:len(entries)-1],
		"up to a sum":          entries[:perSum],
		"one more":             append(slices.Clone(entries), other),
		"another first":        change(0, other),
		"another in between":   change(perSum-1, other),
		"another last":         change(len(entries)-1, other),
		"another name":         change(perSum, renamed),
		"another order":        swapped,
		"one doubled":          append([]sources.Entry{entries[0]}, entries...),
		"none":                 nil,
		"one that is too long": change(20, long),
	} {
		t.Run(name, func(t *testing.T) {
			l, d, same, cut, followed := build(prev, next)
			want, wantDiff, wantSame, wantCut, never := build(&unknown, next)
			if never || name == "the same" && (!followed || !same) {
				t.Errorf("followed: %v and %v", followed, never)
			}
			if same != wantSame || cut != wantCut || !bytes.Equal(l.order, want.order) || !reflect.DeepEqual(l.Facts, want.Facts) {
				t.Errorf(
					"same %v, cut %v, %d entries of %s, want %v, %v, %d of %s, and other facts the same",
					same,
					cut,
					l.Entries,
					l.Digest,
					wantSame,
					wantCut,
					want.Entries,
					want.Digest,
				)
			}
			if d.Added != wantDiff.Added || d.Removed != wantDiff.Removed || len(d.Delta.Gained) != len(wantDiff.Delta.Gained) ||
				len(d.Delta.Dropped) != len(wantDiff.Delta.Dropped) {
				t.Errorf("%d added, %d removed, want %d and %d", d.Added, d.Removed, wantDiff.Added, wantDiff.Removed)
			}
		})
	}

	// What is not of the entries counts, too.
	b := NewBuilder(prev, day.Add(-time.Hour))
	if err := b.Add(entries[0]); err != nil || b.follows {
		t.Errorf("a list from the future was followed: %v", err)
	}
}
