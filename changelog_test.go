package walletscreen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A feature is a line of api.txt: "pkg score, func Latest() *Table" for example.
type feature struct{ pkg, name, of string } // of is the type that has it, or ""

var featureLine = regexp.MustCompile(`^pkg (\S+), (?:(?:const|var|func|type) (\w+)|method \(\*?(\w+)[^)]*\) (\w+))(?: struct, (?:embedded \S*?(\w+)$|(\w+)))?`)

// parseFeature reports false if line is none.
func parseFeature(line string) (f feature, ok bool) {
	m := featureLine.FindStringSubmatch(line)
	if m == nil {
		return f, false
	}
	f.pkg, f.name = m[1], m[2]
	if f.name == "" {
		f.of, f.name = m[3], m[4]
	} else if field := m[5] + m[6]; field != "" {
		f.of, f.name = f.name, field
	}
	return f, true
}

// unnamed returns the features by which two APIs differ and that no item of a changelog
// names together with their package, as "- score: Latest ..." does. Of a type that is new
// or gone, it need not name the fields and methods.
func unnamed(released, now []string, changelog string) (missing []feature, ok bool) {
	differ := func(lines, other []string) (all []feature) {
		for _, line := range lines {
			if !slices.Contains(other, line) {
				f, parsed := parseFeature(line)
				if !parsed {
					f.name = line
				}
				all = append(all, f)
			}
		}
		return slices.DeleteFunc(slices.Clone(all), func(f feature) bool {
			return f.of != "" && slices.Contains(all, feature{pkg: f.pkg, name: f.of})
		})
	}
	items := strings.Split(changelog, "\n- ")
	for _, f := range append(differ(released, now), differ(now, released)...) {
		pkg := regexp.MustCompile(`(?m)(^|[^\w/])` + regexp.QuoteMeta(f.pkg) + `($|[^\w/])`)
		name := regexp.MustCompile(`\b` + regexp.QuoteMeta(f.name) + `\b`)
		if !slices.ContainsFunc(items, func(item string) bool { return pkg.MatchString(item) && name.MatchString(item) }) && !slices.Contains(missing, f) {
			missing = append(missing, f)
		}
	}
	return missing, len(missing) == 0
}

// TestChangelog checks that CHANGELOG.md names, under Unreleased, each feature of the
// public API that is not as it was released. As long as there is no release, released.txt is
// the API that the first items under Unreleased describe.
func TestChangelog(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	_, unreleased, _ := strings.Cut("\n"+read("CHANGELOG.md"), "\n## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	missing, ok := unnamed(strings.Split(read("internal/api/released.txt"), "\n"), strings.Split(read("internal/api/api.txt"), "\n"), unreleased)
	for _, f := range missing {
		t.Errorf("the API of %[1]s has changed: name %[2]s in an item of CHANGELOG.md under Unreleased, as \"- %[1]s: %[2]s ...\"", f.pkg, f.name)
	}
	if !ok && unreleased == "" {
		t.Error("CHANGELOG.md has no heading Unreleased: for a release, run cp internal/api/api.txt internal/api/released.txt")
	}
}

// TestUnnamed checks that TestChangelog would find features that are not named.
func TestUnnamed(t *testing.T) {
	released := strings.Split(`pkg a, func Gone()
pkg a, func Same()
pkg a, method (*T) Changed(n int)
pkg a, type T struct`, "\n")
	now := strings.Split(`pkg a, func Same()
pkg a, method (*T) Changed(n int64)
pkg a, type T struct
pkg a, type T struct, Field int
pkg a, type T struct, embedded b.Base
pkg a/b, const New T = 1
pkg a/b, method (U) Method()
pkg a/b, type U struct
pkg a/b, type U struct, Field int`, "\n")
	for changelog, want := range map[string][]feature{
		"": {{"a", "Gone", ""}, {"a", "Changed", "T"}, {"a", "Field", "T"}, {"a", "Base", "T"}, {"a/b", "New", ""}, {"a/b", "U", ""}},
		"\n- a: Gone, Changed,\n  and the Field of Base.\n- a/b: New, and `U`.": nil,
		"\n- a, a/b: T.Gone, T.Changeds, Fields, NewBase, U\n":                  {{"a", "Changed", "T"}, {"a", "Field", "T"}, {"a", "Base", "T"}, {"a/b", "New", ""}},
		"\n- a/b: Gone, Changed, Field, Base, New\n- a: U": {{"a", "Gone", ""}, {"a", "Changed", "T"}, {"a", "Field", "T"},
			{"a", "Base", "T"}, {"a/b", "U", ""}},
	} {
		if got, ok := unnamed(released, now, changelog); !slices.Equal(got, want) || ok != (want == nil) {
			t.Errorf("%q: %q, want %q", changelog, got, want)
		}
	}
	text, err := os.ReadFile("internal/api/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f, ok := parseFeature(strings.TrimSpace(line)); !ok || f.pkg == "" || f.name == "" {
			t.Errorf("api.txt has a line that is not a feature: %s", line)
		}
	}
}
