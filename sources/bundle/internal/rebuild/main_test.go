package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// copyBundle returns a copy of the module's files that the program reads and writes.
func copyBundle(t *testing.T) (dir string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{
		"NOTICE", "README.md", "sources/badlist/testdata/addresses-darklist.json",
		"sources/bundle/ofac.stays.gz", "sources/bundle/eu.stays", "sources/bundle/uk.stays", "sources/bundle/badlist.stays.gz",
		"sources/bundle/fbi.stays", "sources/bundle/doj.stays", "sources/bundle/graphsense.stays.gz",
		"sources/bundle/rebuilt.txt", "sources/bundle/ofac_history.stays.gz",
	} {
		text, err := os.ReadFile(filepath.Join("../../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "sources/bundle")
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestDocument checks that NOTICE and README.md describe the bundled lists.
func TestDocument(t *testing.T) {
	dir := copyBundle(t)
	if err := document(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"NOTICE", "README.md"} {
		name = filepath.Join(dir, "../..", name)
		if err := replaceBetween(name, "nothing\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := document(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"NOTICE", "README.md"} {
		if got, want := read(t, filepath.Join(dir, "../..", name)), read(t, filepath.Join("../../../..", name)); got != want {
			t.Errorf("%s does not say what is bundled: run go generate ./sources/bundle", name)
		}
	}
}

// advanced returns sdn_advanced.xml of a day with n wallets.
func advanced(day time.Time, n int) string {
	var parties, entries strings.Builder
	for i := range n {
		fmt.Fprintf(
			&parties,
			`<DistinctParty><Profile ID="%d"><Feature FeatureTypeID="345"><FeatureVersion>`+
				`<VersionDetail>0x%040x</VersionDetail></FeatureVersion></Feature></Profile></DistinctParty>`+"\n",
			i+1,
			0xa11ce0000+int64(i),
		)
		fmt.Fprintf(
			&entries,
			`<SanctionsEntry ProfileID="%d" ListID="1"><EntryEvent><Date><Year>2026</Year><Month>1</Month><Day>1</Day></Date></EntryEvent></SanctionsEntry>`+"\n",
			i+1,
		)
	}
	return fmt.Sprintf(`<Sanctions><DateOfIssue><Year>%d</Year><Month>%d</Month><Day>%d</Day></DateOfIssue>
<ReferenceValueSets><FeatureTypeValues><FeatureType ID="345">Digital Currency Address - ETH</FeatureType></FeatureTypeValues>
<ListValues><List ID="1">SDN List</List></ListValues></ReferenceValueSets><DistinctParties>
`, day.Year(), day.Month(), day.Day()) + parties.String() + "</DistinctParties><SanctionsEntries>\n" + entries.String() + "</SanctionsEntries></Sanctions>\n"
}

// TestFetch rebuilds the bundle from a local server, which publishes good lists, and
// lists that a refresh refuses.
func TestFetch(t *testing.T) {
	newer := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	older := time.Date(2026, 9, 30, 0, 0, 0, 0, time.UTC)
	darklist := read(t, "../../../badlist/testdata/addresses-darklist.json")
	for _, tt := range []struct {
		name    string
		ofac    string
		accept  string
		wantErr string // "" if OFAC's list is bundled then
		count   int    // of the entries then
	}{
		{"a newer list", advanced(newer, 1000), "", "", 1000},
		{"a list that shrank a little", advanced(newer, 1010), "", "", 1010},
		{"a list that shrank", advanced(newer, 500), "", "shrank from 1050 to 500", 1065},
		{"a list that shrank, accepted", advanced(newer, 500), "OFAC_SDN", "", 500},
		{"an older list", advanced(older, 1000), "", "before the bundled one", 1065},
		{"a list that grew", advanced(newer, 12000), "", "grew from", 1065},
		{"no list", "<html>Maintenance</html>", "", "ofac: ", 1065},
		{"a cut list", advanced(newer, 1000)[:20000], "", "ofac: ", 1065},
		{"a list of the future", advanced(now.AddDate(1, 0, 0), 1000), "", "", 1065},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := copyBundle(t)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/ofac":
					io.WriteString(w, tt.ofac)
				case "/badlist":
					io.WriteString(w, darklist)
				default: // the EU and the UK are down
					http.NotFound(w, r)
				}
			}))
			defer server.Close()
			var out bytes.Buffer
			eu, uk := read(t, dir+"/eu.stays"), read(t, dir+"/uk.stays")
			err := run(t.Context(), []string{"-dir", dir, "-mirror", server.URL, "-accept", tt.accept}, &out, now)
			if err == nil || !strings.Contains(err.Error(), "EU_CONSOLIDATED: ") || !strings.Contains(err.Error(), "UK_CONSOLIDATED: ") {
				t.Errorf("error %v, want one that names the lists that were not fetched", err)
			}
			future := tt.name == "a list of the future"
			if refused := strings.Contains(err.Error(), "OFAC_SDN: "); refused != (tt.wantErr != "" || future) || !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("error %v, want one of OFAC_SDN with %q", err, tt.wantErr)
			}
			l, lerr := readList(dir + "/ofac.stays.gz")
			if lerr != nil || len(l.entries) != tt.count {
				t.Fatalf("%d entries, %v, want %d", len(l.entries), lerr, tt.count)
			}
			if tt.wantErr == "" && !future {
				if l.rev.Completeness != sources.Whole || !l.rev.Published.Equal(newer) || !l.rev.Checked.Equal(newer) {
					t.Errorf("%+v, want a whole list of %v", l.rev, newer)
				}
				if text := read(t, filepath.Join(dir, "../../NOTICE")); !strings.Contains(text, l.rev.Digest) {
					t.Error("NOTICE does not have the new digest")
				}
			}
			if !strings.Contains(out.String(), "badlist.stays.gz: unchanged") {
				t.Errorf("printed %q, want that the others are unchanged", out.String())
			}
			if read(t, dir+"/eu.stays") != eu || read(t, dir+"/uk.stays") != uk {
				t.Error("a list that was not fetched has another file")
			}
			if got := strings.TrimSpace(read(t, dir+"/rebuilt.txt")); got != "2026-11-22" {
				t.Errorf("rebuilt on %s, want 2026-11-22", got)
			}
		})
	}
}

// TestFetchNothing has no publisher answer: that is not a rebuild.
func TestFetchNothing(t *testing.T) {
	dir := copyBundle(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	before := read(t, dir+"/rebuilt.txt")
	if err := run(t.Context(), []string{"-dir", dir, "-mirror", server.URL}, io.Discard, now.AddDate(1, 0, 0)); err == nil {
		t.Error("no error")
	}
	if got := read(t, dir+"/rebuilt.txt"); got != before {
		t.Errorf("rebuilt on %q, want %q as before", got, before)
	}
}

// TestSuspectSmall checks that a small list is protected as well: the EU's has nine addresses.
func TestSuspectSmall(t *testing.T) {
	of := func(n int) (l list) {
		l.rev.Published = now
		for i := range n {
			l.entries = append(l.entries, sources.Entry{Listed: fmt.Sprint("text ", i)})
		}
		return l
	}
	for _, tt := range []struct {
		held, came int
		ok         bool
	}{{9, 9, true}, {9, 7, true}, {9, 6, false}, {9, 1, false}, {56, 45, true}, {56, 14, false}, {3, 1, true}} {
		if err := suspect(of(tt.held), of(tt.came)); (err == nil) != tt.ok {
			t.Errorf("from %d to %d addresses: error %v, want none: %v", tt.held, tt.came, err, tt.ok)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, rebuilt string
		ok            bool
	}{
		{"today", "2026-11-22\n", true},
		{"60 days ago", "2026-09-23\n", true},
		{"61 days ago", "2026-09-22\n", false},
		{"in the future", "2026-12-22\n", false},
		{"no date", "yesterday\n", false},
	} {
		if err := os.WriteFile(dir+"/rebuilt.txt", []byte(tt.rebuilt), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), []string{"-dir", dir, "-check", "60"}, io.Discard, now); (err == nil) != tt.ok {
			t.Errorf("%s: error %v, want none: %v", tt.name, err, tt.ok)
		}
	}
	if err := run(t.Context(), []string{"-dir", t.TempDir(), "-check", "60"}, io.Discard, now); err == nil {
		t.Error("no file: no error")
	}
}

func TestDate(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2025, 11, d, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name            string
		published, want time.Time
	}{
		{"of the list", day(19), day(19)},
		{"of its newest entry", time.Time{}, day(12)},
	} {
		l := list{
			rev:     sources.Revision{Published: tt.published, ETag: "x"},
			entries: []sources.Entry{{ListedAt: day(3)}, {}, {ListedAt: day(12)}, {FirstSeen: day(1)}},
		}
		if err := l.date(now); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if l.rev != (sources.Revision{Published: tt.want, Checked: tt.want}) {
			t.Errorf("%s: %+v, want published and checked %v", tt.name, l.rev, tt.want)
		}
		if !l.entries[0].FirstSeen.IsZero() || l.entries[1].FirstSeen != tt.want || l.entries[3].FirstSeen != day(1) {
			t.Errorf("%s: entries %+v, want the one without a date first seen at %v", tt.name, l.entries, tt.want)
		}
	}
	for name, rev := range map[string]sources.Revision{"no date": {}, "a date to come": {Published: now.Add(time.Hour)}} {
		l := list{rev: rev}
		if err := l.date(now); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestWorkflow checks that the workflow file runs what this program documents.
func TestWorkflow(t *testing.T) {
	text := read(t, "../../../../.github/workflows/bundle.yml")
	for _, want := range []string{"schedule:", "go generate ./sources/bundle", "go test -run"} {
		if !strings.Contains(text, want) {
			t.Errorf("bundle.yml does not have %q", want)
		}
	}
	if !strings.Contains(read(t, "../../bundle.go"), "//go:generate go run ./internal/rebuild\n") {
		t.Error("bundle.go does not generate with this program")
	}
}

// TestHistory continues the history with a new list: all addresses of the old one are gone,
// except one.
func TestHistory(t *testing.T) {
	dir := copyBundle(t)
	held, err := readList(dir + "/ofac.stays.gz")
	if err != nil {
		t.Fatal(err)
	}
	history := func() []sources.Entry {
		t.Helper()
		l, err := readList(filepath.Join(dir, historyFile))
		if err != nil {
			t.Fatal(err)
		}
		return l.entries
	}
	day := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.Format(time.DateOnly)
	}
	// It begins with the stays of the autumn of 2026.
	first := history()
	rows, err := csv.NewReader(strings.NewReader(read(t, "../../testdata/ofac_history_2026-10-01.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows[1:] { // ticker, address, not_listed_on, listed_by, delisted_by, entity_id, entity_name
		e := first[i]
		if got := []string{e.Asset, e.Text(), day(e.NotListedOn), day(e.FirstSeen), day(e.Until), e.Ref, e.Name}; !slices.Equal(row[2:4], got[2:4]) ||
			row[0] != got[0] || !strings.EqualFold(row[1], got[1]) || row[4] != "" && !slices.Equal(row[4:], got[4:]) {
			t.Fatalf("row %d: %q, embedded is %q", i, row, got)
		}
	}
	published := now.Truncate(24 * time.Hour)
	added := sources.Entry{Asset: "ETH", Listed: "0x1", Kind: score.Sanctioned}
	came := list{rev: sources.Revision{Published: published}, entries: []sources.Entry{held.entries[0], added}}
	for range 2 { // known entries are not added again
		if err := continueHistory(dir, held, came, info.OFAC, io.Discard); err != nil {
			t.Fatal(err)
		}
		open := 0
		all := history()
		for _, e := range all {
			if e.Until.IsZero() {
				open++
			}
		}
		want := added
		want.NotListedOn, want.FirstSeen = held.rev.Published, published
		if last := all[len(all)-1]; open != 2 || len(all) != len(first)+1 || last != want {
			t.Errorf("%d stays, %d of them open, the last is %+v, want %+v", len(all), open, last, want)
		}
	}
}
