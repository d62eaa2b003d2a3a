package score_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/score"
)

var (
	matches = []score.Match{score.Exact, score.Family, score.Key, score.Literal}
	levels  = []score.Level{score.CleanNoMatch, score.Low, score.Medium, score.High, score.Critical}
)

// print formats a table like its golden file.
func print(t *score.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version %s\n", t.Version())
	for _, k := range t.Kinds() {
		fmt.Fprintf(&b, "kind %s official=%v", k, k.Official())
		for _, m := range matches {
			points, ok := t.Points(k, m)
			fmt.Fprintf(&b, " %s=%d,%v", m, points, ok)
		}
		b.WriteByte('\n')
	}
	last := score.Level("")
	for points := range 101 {
		if l := t.Level(points); l != last {
			fmt.Fprintf(&b, "level %s from %d\n", l, points)
			last = l
		}
	}
	return b.String()
}

// TestShippedTablesAreFrozen compares each table with its golden file. A released
// table gives the same answers forever: if this test fails, change the code, not the
// file.
func TestShippedTablesAreFrozen(t *testing.T) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, f := range files {
		version := strings.TrimSuffix(f.Name(), ".golden")
		table, ok := score.Lookup(version)
		if !ok {
			t.Errorf("Lookup(%q): no such table, but it was shipped", version)
			continue
		}
		want, err := os.ReadFile("testdata/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got := print(table); got != string(want) {
			t.Errorf("table %s has changed\ngot:\n%s\nwant:\n%s", version, got, want)
		}
	}
	if _, err := os.Stat("testdata/" + score.Latest().Version() + ".golden"); err != nil {
		t.Errorf("the latest table has no golden file: %v", err)
	}
}

func TestTable(t *testing.T) {
	table := score.Latest()
	reached := map[score.Level]bool{table.Level(0): true}
	for _, k := range table.Kinds() {
		exact, _ := table.Points(k, score.Exact)
		key, _ := table.Points(k, score.Key)
		if key > exact {
			t.Errorf("%s: a key match counts %d, more than the %d of the account itself", k, key, exact)
		}
		if !k.Official() && k != score.Blocked && table.Level(exact) == score.Critical {
			t.Errorf("%s: a community kind reaches %s", k, score.Critical)
		}
		for _, m := range matches {
			points, ok := table.Points(k, m)
			if !ok || points < 1 || points > 100 {
				t.Errorf("Points(%s, %s) = %d, %v; want 1 to 100", k, m, points, ok)
			}
			if l := table.Level(points); l == score.Low || l == score.CleanNoMatch {
				t.Errorf("Points(%s, %s) = %d lies in %s", k, m, points, l)
			}
			reached[table.Level(points)] = true
		}
	}
	for _, l := range levels {
		if !reached[l] && l != score.Low {
			t.Errorf("no row reaches %s", l)
		}
	}
}

// TestVersionsAddOnly checks that each table keeps the points of the table before it.
func TestVersionsAddOnly(t *testing.T) {
	v1_0, _ := score.Lookup("v1.0")
	v1_1, ok := score.Lookup("v1.1")
	if !ok {
		t.Fatal("no table v1.1")
	}
	if _, ok := v1_0.Points(score.Blocked, score.Exact); ok {
		t.Error("v1.0 scores BLOCKED, which v1.1 added")
	}
	for _, k := range v1_0.Kinds() {
		for _, m := range matches {
			was, _ := v1_0.Points(k, m)
			if is, ok := v1_1.Points(k, m); !ok || is != was {
				t.Errorf("Points(%s, %s) = %d in v1.1, %d in v1.0", k, m, is, was)
			}
		}
	}
	if n, want := len(v1_1.Kinds()), len(v1_0.Kinds())+1; n != want {
		t.Errorf("v1.1 has %d kinds, want %d", n, want)
	}
	v1_2, ok := score.Lookup("v1.2")
	if !ok {
		t.Fatal("no table v1.2")
	}
	for _, k := range v1_2.Kinds() {
		for _, m := range matches {
			was, scored := v1_1.Points(k, m)
			if is, ok := v1_2.Points(k, m); !ok || scored != (k != score.Seized) || scored && is != was {
				t.Errorf("Points(%s, %s) = %d in v1.2, %d in v1.1", k, m, is, was)
			}
		}
	}
	if n, want := len(v1_2.Kinds()), len(v1_1.Kinds())+1; n != want {
		t.Errorf("v1.2 has %d kinds, want %d", n, want)
	}
}

func ExampleLatest() {
	t := score.Latest()
	fmt.Println(t.Version(), t.Level(0))
	// Output: v1.2 CLEAN_NO_MATCH
}

func ExampleTable_Level() {
	fmt.Println(score.Latest().Level(85))
	// Output: HIGH
}

func ExampleLookup() {
	t, ok := score.Lookup("v1.0")
	fmt.Println(t.Version(), ok)
	// Output: v1.0 true
}

func TestUnknownIsNotScored(t *testing.T) {
	table := score.Latest()
	for _, tt := range []struct {
		kind  score.Kind
		match score.Match
	}{
		{"", score.Exact}, {"sanctioned", score.Exact}, {"NEW_KIND", score.Key},
		{score.Sanctioned, 0}, {score.Sanctioned, score.Literal + 1}, {score.Sanctioned, 255},
	} {
		if points, ok := table.Points(tt.kind, tt.match); ok {
			t.Errorf("Points(%q, %d) = %d, true; want false", tt.kind, tt.match, points)
		}
	}
	if _, ok := score.Lookup("v0.9"); ok {
		t.Error(`Lookup("v0.9") found a table`)
	}
}

func TestLevel(t *testing.T) {
	table := score.Latest()
	for _, tt := range []struct {
		points int
		want   score.Level
	}{
		{0, score.CleanNoMatch}, {1, score.Low}, {39, score.Low}, {40, score.Medium}, {69, score.Medium},
		{70, score.High}, {89, score.High}, {90, score.Critical}, {100, score.Critical},
		{101, score.Critical}, {-1, score.Low},
	} {
		if got := table.Level(tt.points); got != tt.want {
			t.Errorf("Level(%d) = %s, want %s", tt.points, got, tt.want)
		}
	}
}

func TestKindsIsACopy(t *testing.T) {
	want := score.Latest().Kinds()
	score.Latest().Kinds()[0] = "CHANGED"
	if got := score.Latest().Kinds(); !slices.Equal(got, want) {
		t.Errorf("the table changed with the slice that Kinds returned: %v", got)
	}
}

func ExampleTable_Points() {
	t := score.Latest()
	points, _ := t.Points(score.Sanctioned, score.Key)
	fmt.Println(t.Version(), points, t.Level(points))
	// Output: v1.2 85 HIGH
}

func TestMatchText(t *testing.T) {
	for _, m := range []score.Match{0, score.Exact, score.Family, score.Key, score.Literal} {
		text, err := m.MarshalText()
		got := score.Exact
		if err != nil || string(text) != m.String() || got.UnmarshalText(text) != nil || got != m {
			t.Errorf("MarshalText of %d: %q, %v; UnmarshalText: %d", m, text, err, got)
		}
	}
	m := score.Key
	if err := m.UnmarshalText([]byte("Exact")); err == nil || m != score.Key {
		t.Errorf("UnmarshalText of an unknown match: %v, %v", m, err)
	}
}
