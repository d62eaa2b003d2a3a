package main

import (
	"slices"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestCaveatTexts checks that each list is named once.
func TestCaveatTexts(t *testing.T) {
	got := caveatTexts([]screening.Caveat{
		{Source: "A", Kind: screening.CaveatStale}, {Source: "A", Kind: screening.CaveatOld},
		{Source: "B", Kind: screening.CaveatPartial},
		{Source: "C", Kind: screening.CaveatStale}, {Source: "C", Kind: screening.CaveatOld},
	})
	want := []string{"last checked too long ago and published too long ago: A, C", "only a part is loaded: B"}
	if !slices.Equal(got, want) {
		t.Errorf("caveats %q, want %q", got, want)
	}
}

// TestFinal checks that only lists that are refreshed are too old for -max-age and -max-published.
func TestFinal(t *testing.T) {
	o := &listOptions{maxAge: time.Hour, maxPublished: map[string]time.Duration{"A": time.Hour}}
	for _, final := range []bool{true, false} {
		l := screening.SourceStatus{Info: sources.Info{ID: "A", Final: final}}
		if now := time.Now(); o.tooOld(l, now) == final || o.isDue(l, now) == final {
			t.Errorf("final %v: too old %v, due %v", final, o.tooOld(l, now), o.isDue(l, now))
		}
	}
}
