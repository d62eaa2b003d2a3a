package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestPast screens an address of Tornado Cash with the lists of before it was delisted,
// after they have changed, and asks for times before the first list.
func TestPast(t *testing.T) {
	longtest.WithoutRace(t)
	const tornado = "0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b"
	data, dir := t.TempDir(), t.TempDir()
	env := []string{"WALLETSCREEN_LISTS=OFAC_SDN", "WALLETSCREEN_REQUIRE=OFAC_SDN"}
	call := func(want int, contains string, args ...string) {
		t.Helper()
		code, stdout, stderr := callIn(t, env, "", args...)
		if code != want || !strings.Contains(stdout+stderr, contains) {
			t.Errorf("%q: exit code %d, want %d and %q: %s%s", args, code, want, contains, stdout, stderr)
		}
	}
	call(0, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-accept", sdn(t, "2025-03-04"))
	then := time.Now().UTC().Format(time.RFC3339Nano)
	call(0, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-accept", sdn(t, "2025-03-21"))

	call(0, "CLEAN_NO_MATCH", "screen", "-data", data, tornado)
	call(1, "as of "+then[:16]+"Z:\nLIST ", "screen", "-data", data, "-at", then, tornado)
	call(1, `"as_of":"`+then[:16], "screen", "-json", "-data", data, "-at", then, tornado)
	call(0, "CLEAN_NO_MATCH", "screen", "-data", data, "-at", time.Now().UTC().Format(time.DateOnly), tornado)
	in, report := filepath.Join(dir, "in.csv"), filepath.Join(dir, "report.html")
	os.WriteFile(in, []byte("address\n"+tornado+"\n"), 0o600)
	call(1, tornado+",CRITICAL,", "screen", "-data", data, "-at", then, "-in", in, "-report", report)
	call(1, `"as_of":"`+then[:16], "screen", "-json", "-data", data, "-at", then, "-in", in)
	if text, err := os.ReadFile(report); err != nil || !strings.Contains(string(text), "with the lists of "+then[:16]) {
		t.Errorf("%v: %s", err, text)
	}

	// Ages are those at that time.
	call(1, "CRITICAL", "screen", "-data", data, "-at", then, "-max-published", "OFAC_SDN=20000d", tornado)
	call(2, "nothing can be decided as of "+then[:16], "screen", "-data", data, "-at", then, "-max-published", "OFAC_SDN=45d", tornado)
	call(2, `-max-published: the list "EU_CONSOLIDATED" is not held`, "screen", "-data", data, "-at", then, "-max-published", "EU_CONSOLIDATED=45d", tornado)

	call(2, "required list not loaded: OFAC_SDN", "screen", "-data", data, "-at", "2020-02-29", tornado) // the bundled past begins later
	call(2, "-at: nothing is kept of 2020-02-29T23:59Z (not in the store): the lists are kept since "+then[:11], "screen", "-data", data, "-at", "2020-02-29",
		"-lists", "OFAC_SDN,EU_CONSOLIDATED", "-require", "EU_CONSOLIDATED", tornado)
	call(2, "-at 2999-01-01 is yet to come", "screen", "-data", data, "-at", "2999-01-01", tornado)
	call(2, `-at "yesterday": want a day`, "screen", "-data", data, "-at", "yesterday", tornado)
	call(2, "-at: nothing is kept of 2020-02-29T23:59Z (not in the store): -data or -db keeps the lists from the first start on", "screen", "-at", "2020-02-29", "-lists", "EU_CONSOLIDATED", "-require", "EU_CONSOLIDATED", tornado)
	call(2, "-receipt is for verdicts of now", "screen", "-data", data, "-at", then, "-receipt", filepath.Join(dir, "r"), tornado)
	call(
		2,
		"as of "+then[:16]+"Z: required list not loaded: UK_CONSOLIDATED",
		"screen",
		"-data",
		data,
		"-lists",
		"OFAC_SDN,UK_CONSOLIDATED",
		"-require",
		"UK_CONSOLIDATED",
		"-at",
		then,
		tornado,
	)

	// The list of that time is lost.
	names, err := filepath.Glob(filepath.Join(data, storeDir, "OFAC_SDN*"))
	if err != nil || len(names) < 2 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		os.Remove(name)
	}
	call(2, "OFAC_SDN", "screen", "-data", data, "-at", then, tornado)
}

// TestReportBeforeTheFirstStart reports a table with one row that can be decided, and a table without any.
func TestReportBeforeTheFirstStart(t *testing.T) {
	dir := t.TempDir()
	in, report := filepath.Join(dir, "in.csv"), filepath.Join(dir, "report.html")
	for table, want := range map[string][]string{
		"address\n" + listed + "\n" + unlisted + "\n": {"Lazarus Group", "A list was missing or too old", "<p>not loaded: EU_CONSOLIDATED, UK_CONSOLIDATED", "Snapshot of the lists",
			"late or not whole: OFAC_SDN, EU_CONSOLIDATED"},
		"address\n" + unlisted + "\n": {"A list was missing or too old", "<p>not loaded: EU_CONSOLIDATED", "late or not whole: EU_CONSOLIDATED", "(EU_CONSOLIDATED)<td class=\"w\"><td class=\"w\"><td class=\"n\">0<td>not loaded"},
	} {
		os.WriteFile(in, []byte(table), 0o600)
		code, stdout, stderr := call(t, "", "screen", "-at", "2026-04-15", "-in", in, "-report", report)
		text, err := os.ReadFile(report)
		if code != 2 || err != nil {
			t.Errorf("exit code %d, %v: %s%s", code, err, stdout, stderr)
		}
		for _, want := range want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%q: the report lacks %q:\n%s", table, want, text)
			}
		}
	}
	if _, _, stderr := call(t, "", "screen", "-at", "2026-04-15", listed); !strings.Contains(stderr, "\ncaveat: put together from what is known of the past: OFAC_SDN") {
		t.Error(stderr)
	}
}

// Before the first start, -at answers from what the bundled lists know of their past.
func TestBeforeTheFirstStart(t *testing.T) {
	longtest.WithoutRace(t)
	for _, test := range []struct {
		args, want string
		code       int
	}{
		{"-at 2026-04-15 " + listed, "CRITICAL  100  ", 1},
		{"-at 2024-12-04 -data " + t.TempDir() + " " + listed, "there are no lists in", 2},
		{"-at 2026-04-15 " + unlisted, "required list not loaded: EU_CONSOLIDATED", 2},
		{"-at 2026-04-15 -require OFAC_SDN " + unlisted, "CLEAN_NO_MATCH  0  ", 0},
		{"-at 2026-04-15 -require OFAC_SDN " + unlisted, "caveat: put together from what is known of the past: OFAC_SDN", 0},
		{"-at 2019-04-15 -require OFAC_SDN " + unlisted, "its past, since 2021-07-06", 2},
		{"-at 2016-04-15 " + unlisted, "required list not loaded: OFAC_SDN: reconstructed from", 2},
	} {
		if code, stdout, stderr := callIn(t, []string{"WALLETSCREEN_LISTS=OFAC_SDN,EU_CONSOLIDATED"}, "", append([]string{"screen"}, strings.Fields(test.args)...)...); code != test.code ||
			!strings.Contains(stdout+stderr, test.want) {
			t.Errorf("%s: exit code %d, %s%s, want %d, %q", test.args, code, stdout, stderr, test.code, test.want)
		}
	}
}

// TestServerBeforeTheFirstStart asks a server, with and without a store, for days before it
// started: a hit of OFAC's list is one, and nothing is clean whose list is not known.
func TestServerBeforeTheFirstStart(t *testing.T) {
	if longtest.Race {
		return // the lists of the past take longer to open than a client waits
	}
	for _, args := range [][]string{{"-lists", "OFAC_SDN,EU_CONSOLIDATED"}, {"-lists", "OFAC_SDN,EU_CONSOLIDATED", "-data", t.TempDir()}} {
		s := start(t, args...)
		var hit, clean struct {
			answer
			Caveats []struct{ Source, Caveat string }
			AsOf    string `json:"as_of"`
		}
		ask := func(address, at string, answer any) int {
			return s.do(t, "POST", "/api/v1/screen", map[string]string{"address": address, "chain": "ethereum", "at": at}, answer)
		}
		status := ask(listed, "2026-04-15", &hit)
		if status != 200 || hit.Level != "CRITICAL" || hit.AsOf[:10] != "2026-04-15" || len(hit.Caveats) == 0 ||
			hit.Caveats[0].Source != "OFAC_SDN" || hit.Caveats[0].Caveat != "reconstructed" {
			t.Errorf("%q: a listed address: status %d, %+v", args, status, hit)
		}
		status = ask(unlisted, "2026-04-15", &clean)
		if status != 400 || clean.Code != "past_unavailable" || clean.Reason != "not_kept" || !strings.Contains(clean.Detail, "EU_CONSOLIDATED: its past is not known") ||
			strings.Contains(clean.Detail, "All lists are kept since 20") != (len(args) > 2) {
			t.Errorf("%q: another address: status %d, %+v", args, status, clean)
		}
		if status = ask(unlisted, "2019-04-15", &clean); status != 400 || !strings.Contains(clean.Detail, "OFAC_SDN: reconstructed from what is known of its past, since 2021-07-06") {
			t.Errorf("%q: before the first copy: status %d, %+v", args, status, clean)
		}
		var batch struct{ Results []answer }
		items := []map[string]string{{"address": unlisted, "chain": "ethereum"}, {"address": listed, "chain": "ethereum"}}
		status = s.do(t, "POST", "/api/v1/screen/batch", map[string]any{"items": items, "at": "2026-04-15"}, &batch)
		if status != 200 || len(batch.Results) != 2 || batch.Results[0].Code != "past_unavailable" || batch.Results[1].Level != "CRITICAL" {
			t.Errorf("%q: a batch: status %d, %+v", args, status, batch)
		}
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	}
}

// TestServerBeforeAllThatIsKnown asks a server whose required list has no known past.
func TestServerBeforeAllThatIsKnown(t *testing.T) {
	s := start(t, "-data", t.TempDir(), "-lists", "EU_CONSOLIDATED", "-require", "EU_CONSOLIDATED")
	var a answer
	status := s.do(t, "POST", "/api/v1/screen", map[string]string{"address": listed, "chain": "ethereum", "at": "2020-02-29"}, &a)
	if status != 400 || a.Reason != "not_kept" || !strings.Contains(a.Detail, "All lists are kept since 20") || !strings.Contains(a.Detail, "walletscreen history") {
		t.Errorf("status %d, %+v", status, a)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
