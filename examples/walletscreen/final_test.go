package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
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

// TestFreshness checks that one line says when lists were checked, the oldest and the newest, and names
// each list with a caveat once.
func TestFreshness(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	list := func(days int, final bool) screening.SourceStatus {
		return screening.SourceStatus{Info: sources.Info{Final: final}, LastUpdated: now.AddDate(0, 0, -days)}
	}
	late := []screening.Caveat{{Source: "A", Kind: screening.CaveatStale}, {Source: "A", Kind: screening.CaveatOld}, {Source: "B", Kind: screening.CaveatPartial}}
	for _, test := range []struct {
		lists   []screening.SourceStatus
		caveats []screening.Caveat
		want    string
	}{
		{[]screening.SourceStatus{list(58, false), list(67, false), list(900, true), {}}, late, "4 lists, checked between 2026-09-22 (67 days) and 2026-10-01 (58 days); late or not whole: A, B"},
		{[]screening.SourceStatus{list(3, false)}, nil, "1 list, checked on 2026-11-25 (3 days)"},
		{[]screening.SourceStatus{list(900, true)}, nil, "1 list"},
	} {
		if got := freshness(test.lists, test.caveats, now); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestCaveatWords checks that the program, the page and the MCP server have words for each caveat of
// openapi.yaml.
func TestCaveatWords(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	kinds := regexp.MustCompile(`enum: \[(missing, partial, .*)\]`).FindStringSubmatch(read("../../httpapi/openapi.yaml"))
	if kinds == nil || !strings.Contains(kinds[1], string(screening.CaveatStore)) {
		t.Fatalf("the caveats of openapi.yaml: %q", kinds)
	}
	page, mcp := read("../../httpapi/page/page/words.js"), read("../mcp/tools.go")
	for kind := range strings.SplitSeq(kinds[1], ", ") {
		switch {
		case caveatWords[screening.CaveatKind(kind)] == "":
			t.Errorf("the program has no words for the caveat %s", kind)
		case !strings.Contains(page, `said === "`+kind+`"`):
			t.Errorf("the page has no words for the caveat %s", kind)
		case !strings.Contains(mcp, "Caveat"+strings.ToUpper(kind[:1])+kind[1:]+": "):
			t.Errorf("the MCP server has no words for the caveat %s", kind)
		}
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
