// Package listtest helps to test the packages that read lists.
package listtest

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Parser is the Parse of such a package, for the list of an authority.
type Parser func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error)

// Parse returns the entries that parse adds. All must be sanctions, and none may be added
// before an error.
func Parse(t testing.TB, parse Parser, r io.Reader) ([]sources.Entry, sources.Revision, error) {
	t.Helper()
	var entries []sources.Entry
	rev, err := parse(r, func(e sources.Entry) error {
		if e.Kind != score.Sanctioned || e.ListedAt.Location() != time.UTC || !e.FirstSeen.IsZero() {
			t.Errorf("entry %+v: want a sanction, in UTC, not seen before", e)
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil && (entries != nil || !rev.IsZero()) {
		t.Errorf("Parse added %d entries and returned %+v before its error %v", len(entries), rev, err)
	}
	return entries, rev, err
}

// Excerpt parses the named XML file in testdata, and compares the entries, in any order, with
// the rows of the .tsv file beside it.
func Excerpt(t testing.TB, parse Parser, name string) (doc string, entries []sources.Entry, rev sources.Revision) {
	t.Helper()
	doc = ReadFile(t, name+".xml")
	entries, rev, err := Parse(t, parse, strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	want, got := ReadRows(t, name+".tsv"), Rows(entries)
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return doc, entries, rev
}

// Refused checks that parse refuses the document in which old was replaced by new, with an
// error that has want in its text and names a place.
func Refused(t *testing.T, parse Parser, doc, old, new, want string) {
	t.Helper()
	changed := strings.ReplaceAll(doc, old, new)
	if changed == doc {
		t.Fatalf("%q is not in the document", old)
	}
	_, _, err := Parse(t, parse, strings.NewReader(changed))
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("error %v, want one with %q", err, want)
	}
	var at *sources.RecordError
	if !errors.As(err, &at) || at.Line == 0 && (at.Byte < 0 || at.Byte > int64(len(changed))) {
		t.Errorf("error %#v, want a *RecordError with a place in the document", err)
	}
}

// Load returns the entries and the revision of one Load of src.
func Load(ctx context.Context, src sources.Source, prev sources.Revision) ([]sources.Entry, sources.Revision, error) {
	var entries []sources.Entry
	rev, err := src.Load(ctx, prev, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, rev, err
}

// ReadFile returns a file of testdata.
func ReadFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// ReadRows returns the lines of a .tsv file of testdata, without comments: the Rows of the
// list beside it.
func ReadRows(t testing.TB, name string) []string {
	t.Helper()
	var rows []string
	for line := range strings.Lines(ReadFile(t, name)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.TrimSuffix(line, "\n"))
		}
	}
	return rows
}

// Rows writes entries as lines of a .tsv file: the ticker, the address, its chain,
// the reference, the day, and the name.
func Rows(entries []sources.Entry) []string {
	var rows []string
	for _, e := range entries {
		chain, listed := "-", "-"
		if e.Address.IsValid() {
			chain = string(e.Address.Chain())
		}
		for _, day := range []time.Time{e.EntityListedAt, e.ListedAt} {
			if !day.IsZero() {
				listed = day.Format(time.DateOnly)
			}
		}
		rows = append(rows, strings.Join([]string{e.Asset, e.Listed, chain, e.Ref, listed, e.Name}, "\t"))
	}
	return rows
}
