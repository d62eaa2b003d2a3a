package main

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/own"
)

// TestMessyTable screens an export of a spreadsheet program with everything that people write
// into one, by screen -in and by batches of the HTTP API, and compares each row with
// [screening.Screener.ScreenInput] of its two cells. What stands in the column of the chain never
// loses a hit. The tests of the MCP server and of Beam ask the same rows.
func TestMessyTable(t *testing.T) {
	longtest.WithoutRace(t)
	file, rows := vectors.Messy(longtest.N(1000, 5000))
	dir := t.TempDir()
	list, in, out := filepath.Join(dir, "own.csv"), filepath.Join(dir, "export.csv"), filepath.Join(dir, "out.csv")
	text := "address,chain\n"
	for _, a := range vectors.MessyListed() {
		text += a.Display() + "," + string(a.Chain()) + "\n"
	}
	if err := errors.Join(os.WriteFile(list, []byte(text), 0o600), os.WriteFile(in, []byte(file), 0o600)); err != nil {
		t.Fatal(err)
	}
	screener, err := screening.New([]sources.Source{bundle.FBI(), own.File("OWN", list)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	env := []string{"WALLETSCREEN_LISTS=FBI_IC3", "WALLETSCREEN_REQUIRE=FBI_IC3", "WALLETSCREEN_LIST=OWN=" + list}
	code, _, stderr := callIn(t, env, "", "screen", "-in", in, "-out", out)
	if code != 2 || !strings.Contains(stderr, `addresses: column "Wallet-Adresse"`) || !strings.Contains(stderr, `chains: column "Netzwerk"`) ||
		!strings.Contains(stderr, "left out: 2 lines above the header") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	byCommand, byBatch := messyOutput(t, out), messyBatch(t, screener, rows)
	if len(byCommand) != len(rows) || len(byBatch) != len(rows) {
		t.Fatalf("%d and %d rows, want %d", len(byCommand), len(byBatch), len(rows))
	}
	failed := 0
	for i, r := range rows {
		result, _, err := screener.ScreenInput(r.Chain, r.Cell)
		want := rowVerdict{doubt: joinDoubts(result.Doubts)}
		if len(result.Labels) > 0 || err == nil && len(result.Doubts) == 0 {
			want.level = string(result.Level)
		}
		want.failed = err != nil && want.level == "" // a doubt says why a listed text is wrong
		if listed := want.level != "" && want.level != "CLEAN_NO_MATCH"; byCommand[i] != want || byBatch[i] != want || r.Listed != listed ||
			r.Wrong && err == nil {
			if failed++; failed <= 10 {
				t.Errorf("row %d, %q on %q, listed %v: screen -in has %v, the batch %v, want %v", i, r.Cell, r.Chain, r.Listed, byCommand[i], byBatch[i], want)
			}
		}
	}
}

// A rowVerdict is what a surface says about a row.
type rowVerdict struct {
	level, doubt string
	failed       bool // there is an error
}

// messyOutput returns the verdicts in a table that was screened.
func messyOutput(t *testing.T, file string) (all []rowVerdict) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	reader.Comma = ';'
	got, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := make(map[string]int)
	for i, name := range got[0] {
		at[name] = i
	}
	for _, row := range got[1:] {
		all = append(all, rowVerdict{row[at["level"]], row[at["doubt"]], row[at["error"]] != ""})
	}
	return all
}

// messyBatch returns the verdicts of the HTTP API about the cells, in batches.
func messyBatch(t *testing.T, s *screening.Screener, rows []vectors.MessyRow) (all []rowVerdict) {
	t.Helper()
	keys, err := access.Fixed(map[string]string{"matrix": matrixKey})
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, keys, nil)
	for first := 0; first < len(rows); first += 250 {
		var items []map[string]string
		for _, r := range rows[first:min(first+250, len(rows))] {
			items = append(items, map[string]string{"address": r.Cell, "chain": r.Chain})
		}
		var answer struct {
			Results []struct {
				Level  string
				Code   string
				Doubts []address.Doubt
			}
		}
		post(t, h, "screen/batch", map[string]any{"items": items}, &answer)
		for _, r := range answer.Results {
			v := rowVerdict{r.Level, joinDoubts(r.Doubts), r.Code != ""}
			if v.level == "CLEAN_NO_MATCH" && v.doubt != "" {
				v.level = ""
			}
			all = append(all, v)
		}
	}
	return all
}
