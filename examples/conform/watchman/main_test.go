package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// TestLists reads the file that watchman gets, and compares its entries with the bundled
// list.
func TestLists(t *testing.T) {
	dir := t.TempDir()
	if err := writeLists(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	collect := func(into *[]string) func(sources.Entry) error {
		return func(e sources.Entry) error {
			*into = append(*into, e.Name+", "+e.Asset+" "+sources.TrimListed(e.Text()))
			return nil
		}
	}
	if _, err := bundle.OFAC().Load(t.Context(), sources.Revision{}, collect(&want)); err != nil {
		t.Fatal(err)
	}
	sdn, err := os.ReadFile(filepath.Join(dir, "sdn.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ofac.ParseCSV(bytes.NewReader(sdn), nil, collect(&got)); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if want, got = slices.Compact(want), slices.Compact(got); len(want) < 900 || !slices.Equal(want, got) {
		t.Errorf("%d entries written, want %d", len(got), len(want))
	}
}

// TestReadme runs watchman, and compares its table in the README of conform. It runs if
// WALLETSCREEN_LONG=1 only, because watchman takes minutes to build: .ci/run does not set it here.
// TestWatchmanTable of conform checks each time that the table has all cases.
func TestReadme(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("WALLETSCREEN_LONG is not 1")
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := run(context.Background(), &table); err == nil {
		t.Error("no sanctioned account came out clean")
	}
	if !strings.Contains(string(readme), "<!-- watchman -->\n"+table.String()) {
		t.Errorf("README.md has another table behind <!-- watchman -->, want\n%s", &table)
	}
}
