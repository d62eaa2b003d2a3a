package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// TestBundle makes the files again of which there is the list in a testdata
// folder. They must be those that are bundled, byte for byte.
func TestBundle(t *testing.T) {
	for _, tt := range []struct {
		in, name string
		info     sources.Info
		parse    parser
		partial  bool
	}{
		{"badlist/testdata/addresses-darklist.json", "badlist.rev", badlist.New(nil).Info(), badlist.Parse, false},
		{"eu/testdata/xmlFullSanctionsList_1_1_excerpt_2026-09-22.xml", "eu.rev", eu.New(nil).Info(), eu.Parse, true},
		{"uk/testdata/UK-Sanctions-List_excerpt_2026-09-21.xml", "uk.rev", uk.New(nil).Info(), uk.Parse, true},
	} {
		out := filepath.Join(t.TempDir(), tt.name)
		if err := bundle("../../sources/"+tt.in, out, tt.info, tt.parse, tt.partial); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("../../sources/bundle/" + tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not the one in sources/bundle: make that again", tt.name)
		}
	}
}

// TestBundleFails holds that a list that cannot be read leaves the file as it
// was.
func TestBundleFails(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	lazarus := "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	for name, list := range map[string]string{
		"empty":            "",
		"truncated":        `[{"address":"` + lazarus + `","date":"2018-11-06"}`,
		"without a date":   lazarus,
		"of times to come": `[{"address":"` + lazarus + `","date":"2999-01-01"}]`,
	} {
		if err := os.WriteFile(in, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := bundle(in, out, badlist.New(nil).Info(), badlist.Parse, false); err == nil {
			t.Errorf("a list %s: no error", name)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("a list %s: a file was written", name)
		}
	}
	if err := bundle(in+".no", out, badlist.New(nil).Info(), badlist.Parse, false); err == nil {
		t.Error("no list: no error")
	}
}

func TestUnpack(t *testing.T) {
	for _, name := range []string{"list.gz", "list.bz2"} {
		r, err := unpack(strings.NewReader("not compressed"), name)
		if err == nil {
			_, err = r.Read(make([]byte, 1))
		}
		if err == nil {
			t.Errorf("%s that is not compressed: no error", name)
		}
	}
}

func TestDate(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2025, 11, d, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name      string
		published time.Time
		want      time.Time
	}{
		{"of the list", day(19), day(19)},
		{"of its newest entry", time.Time{}, day(12)},
	} {
		rev := sources.Revision{Published: tt.published}
		entries := []sources.Entry{{ListedAt: day(3)}, {}, {ListedAt: day(12)}}
		if err := date(&rev, entries); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if rev.Published != tt.want || rev.Checked != tt.want {
			t.Errorf("%s: published %v, checked %v, want %v", tt.name, rev.Published, rev.Checked, tt.want)
		}
		if entries[0].FirstSeen != (time.Time{}) || entries[1].FirstSeen != tt.want || entries[2].FirstSeen != (time.Time{}) {
			t.Errorf("%s: entries %+v, want the one without a date first seen at %v", tt.name, entries, tt.want)
		}
	}
}
