package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestAuditCommands searches and verifies the records of a server, with addresses in clear text
// and as hashes.
func TestAuditCommands(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(strings.Repeat("0b", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range [][]string{nil, {"-audit-key", keyFile}} {
		dir := filepath.Join(t.TempDir(), "audit")
		s := start(t, append([]string{"-audit", dir}, append(key, shortest...)...)...)
		s.screen(t, harmless, "ethereum")
		s.screen(t, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bitcoin")
		s.screen(t, harmless, "polygon")
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		run := func(want int, args ...string) string {
			t.Helper()
			code, stdout, stderr := call(t, "", append(append([]string{"audit"}, args...), append([]string{"-audit", dir}, key...)...)...)
			if code != want {
				t.Errorf("%q: exit code %d, want %d: %s%s", args, code, want, stdout, stderr)
			}
			return stdout + stderr
		}
		today := time.Now().UTC().Format("2006-01")
		for _, tt := range []struct {
			terms string
			lines int // with the header
		}{
			{harmless, 3},
			{strings.ToUpper(harmless[2:]) + " -chain bsc", 3},
			{"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 2},
			{harmless + " " + today, 3},
			{today[:4], 4},
			{harmless + " 2019", 0},
			{"0x7e5f4552091a69125d5dfcb7b8c2659029395bde", 0},
			{"nobody", 0},
		} {
			got := run(map[bool]int{true: 0, false: 1}[tt.lines > 0], append([]string{"search"}, strings.Fields(tt.terms)...)...)
			if n := strings.Count(squeezed(got)+"\n", "\n"); tt.lines > 0 && n != tt.lines || tt.lines == 0 && got != "nothing is found\n" {
				t.Errorf("%s: %d lines, want %d: %s", tt.terms, n, tt.lines, got)
			}
			if key != nil && strings.Contains(strings.ToLower(got), strings.ToLower(harmless)) {
				t.Errorf("an address in clear text: %s", got)
			}
		}
		if key != nil { // without the key, and with another one, it is not known who was screened
			other := filepath.Join(t.TempDir(), "other")
			if err := os.WriteFile(other, []byte(strings.Repeat("0c", 32)+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, flags := range [][]string{nil, {"-audit-key", other}} {
				code, stdout, stderr := call(t, "", append([]string{"audit", "search", harmless, "-audit", dir}, flags...)...)
				if code != exitUndecided || !strings.Contains(stderr, "lines were changed, or -audit-key is not their key") {
					t.Errorf("%q: exit code %d, %s%s", flags, code, stdout, stderr)
				}
			}
		}
		if got := run(0, "search", "-json", harmless); strings.Count(got, `"n":`) != 2 {
			t.Errorf("%s", got)
		}
		if got := run(0, "verify"); !regexp.MustCompile(`^3 lines, 1 to 3: as they were written\nsum of line 3: [0-9a-f]{64}\nthere is no .*\.witness: without -audit-witness, .*\n$`).MatchString(got) {
			t.Errorf("%s", got)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), `"chain":"bitcoin"`, `"chain":"litecoin"`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(1, "verify"); !strings.HasPrefix(got, filepath.Base(files[0])+", line 2: changed\n3 lines, 1 to 3: 1 fault\n") {
			t.Errorf("%s", got)
		}
		if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), `{"format"`, `{"former"`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(exitUndecided, "search", "nobody"); !strings.Contains(got, "lines were changed") {
			t.Errorf("with a line that is none: %s", got)
		}
		if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), `"chain":"bitcoin"`, `"chain":"litecoin"`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(1, "verify", "-json"); !strings.Contains(got, `"faults":[{"file":"`+filepath.Base(files[0])+`","line":2,"reason":"changed"}]`) {
			t.Errorf("%s", got)
		}
	}
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("0b0b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{"serve -addr 127.0.0.1:0 -audit " + t.TempDir() + " -audit-key " + short, "-audit-key " + short + ": a key of 2 bytes, want at least 32"},
		{"audit", "which command? Want search or verify"},
		{"audit verify", "want -audit"},
		{"audit verify -audit nowhere", "-audit nowhere"},
		{"audit verify -audit " + t.TempDir(), "there is no trail"},
		{"audit verify x -audit " + t.TempDir(), "unexpected argument"},
		{"audit search -audit " + t.TempDir(), "want an ADDRESS"},
		{"audit search x -audit " + t.TempDir() + " -audit-key nowhere", "-audit-key: "},
	} {
		if code, stdout, stderr := call(t, "", strings.Fields(tt.args)...); code != 2 || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit code %d: %s%s, want %s", tt.args, code, stdout, stderr, tt.want)
		}
	}
}

// An id in small letters is found, though it can be an account of NEAR; and what was in doubt is
// not shown as clean.
func TestAuditSearchIDs(t *testing.T) {
	dir := t.TempDir()
	trail := filepath.Join(dir, "audit")
	s := start(t, append(shortest, "-data", dir, "-audit", trail)...)
	ids := []string{"acme", "payments", "alice.near", "a-b_c.d", "first_desk"}
	for _, id := range ids {
		s.key = keysOf(t, "sqlite:"+filepath.Join(dir, dbFile), "create", "-id", id)
		if status, _ := s.screen(t, "0x0fcab7394beb7c7ded081ce2456a097d7474c1b2095a3b2f4b2a8d1c8f4c7e1", "starknet"); status != 200 { // one digit short
			t.Fatalf("%s: status %d", id, status)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		code, stdout, stderr := call(t, "", "audit", "search", "-audit", trail, id)
		if code != 0 || strings.Count(squeezed(stdout)+"\n", "\n") != 2 || !strings.Contains(stdout, id) || !strings.Contains(stdout, " not decided ") {
			t.Errorf("%s: exit code %d, %s%s", id, code, stdout, stderr)
		}
	}
}

// An audit search finds a listed text without an address, the time that an answer had, and a request id that looks like
// an address or a year.
func TestAuditSearchTexts(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(strings.Repeat("0b", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const literal, ulid = "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320", "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	const year = "1999" // is the number of a request
	for _, key := range [][]string{nil, {"-audit-key", keyFile}} {
		dir := filepath.Join(t.TempDir(), "audit")
		s := start(t, append([]string{"-audit", dir}, append(key, "-lists", "OFAC_SDN", "-require", "OFAC_SDN")...)...)
		var answer struct {
			At string `json:"screened_at"`
		}
		for _, id := range []string{ulid, year} {
			req, err := http.NewRequest("POST", s.url+"/api/v1/screen", strings.NewReader(`{"address":"`+literal+`","chain":"monero"}`))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{"Authorization": "Bearer " + s.key, "Content-Type": "application/json", "X-Request-Id": id} {
				req.Header.Set(name, value)
			}
			resp, err := s.client.Do(req)
			if err != nil || resp.StatusCode != 200 || resp.Header.Get("X-Request-Id") != id {
				t.Fatal(resp, err)
			}
			if err := errors.Join(json.NewDecoder(resp.Body).Decode(&answer), resp.Body.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		for _, terms := range []string{literal, literal + " -chain monero", ulid, year, answer.At} {
			code, stdout, stderr := call(t, "", append(append([]string{"audit", "search", "-audit", dir}, key...), strings.Fields(terms)...)...)
			if code != 0 || !strings.Contains(stdout, "OFAC_SDN") {
				t.Errorf("%s: exit code %d, %s%s", terms, code, stdout, stderr)
			}
		}
		code, stdout, stderr := call(t, "", append(append([]string{"audit", "search", "-audit", dir}, key...), ulid+"Z")...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, "is not an address of any chain") {
			t.Errorf("what cannot be found: exit code %d, %s%s", code, stdout, stderr)
		}
		for _, date := range []string{"2026-13", "2026-3", "01.03.2026", "3/1/2026", "2026-02-32"} {
			code, _, stderr := call(t, "", append(append([]string{"audit", "search", "-audit", dir}, key...), date)...)
			if code != 2 || !strings.Contains(stderr, "is not the beginning of a time") {
				t.Errorf("%s: exit code %d, %s", date, code, stderr)
			}
		}
	}
}

// A start does not hide that records were cut off, and one with another key says what to do.
func TestAuditStart(t *testing.T) {
	dir := t.TempDir()
	trail, keyFile := filepath.Join(dir, "audit"), filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(strings.Repeat("0b", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := append([]string{"-data", dir, "-audit", trail}, shortest...)
	keyed := append([]string{"-audit-key", keyFile}, flags...)
	again := func() {
		s := start(t, keyed...)
		for range 3 {
			s.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum")
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
	}
	verify := func(want int, text string) { // a regular expression: a line may name the lists again
		t.Helper()
		code, stdout, stderr := call(t, "", "audit", "verify", "-audit", trail, "-audit-key", keyFile)
		if code != want || !regexp.MustCompile(text).MatchString(stdout) {
			t.Errorf("exit code %d, want %d, with %q: %s%s", code, want, text, stdout, stderr)
		}
	}
	again()
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(trail)); err != nil {
		t.Fatal(err)
	}
	again()
	verify(0, "^[0-9]+ lines, 1 to [0-9]+: as they were written")
	if err := errors.Join(os.RemoveAll(trail), os.CopyFS(trail, os.DirFS(copied))); err != nil {
		t.Fatal(err)
	}
	verify(1, "lines [0-9]+ to [0-9]+ of the trail are cut off at the end, though the witness has seen them")
	again()
	verify(1, "lines [0-9]+ to [0-9]+ of the trail are missing before it")
	for _, flags := range [][]string{flags, append([]string{"-audit-key", keyFile + "2"}, flags...)} {
		if err := os.WriteFile(keyFile+"2", []byte(strings.Repeat("0c", 32)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := call(t, "", append([]string{"serve", "-addr", "127.0.0.1:0"}, flags...)...)
		if code != 2 || !strings.Contains(stderr, "begin a new trail in another directory") {
			t.Errorf("exit code %d, %s", code, stderr)
		}
		// In another directory of this name, the witness of -data has seen the old trail.
		flags = append(flags, "-audit", filepath.Join(t.TempDir(), "audit"))
		code, _, stderr = call(t, "", append([]string{"serve", "-addr", "127.0.0.1:0"}, flags...)...)
		if code != 2 || !strings.Contains(stderr, "audit.witness: changed, damaged, or written with another key: name another one for a new trail") {
			t.Errorf("exit code %d, %s", code, stderr)
		}
	}
}

// The record of an answer with the lists of an earlier time says so, and verifies with these lists.
func TestTrailPast(t *testing.T) {
	const tornado = "0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b"
	data := t.TempDir()
	trail, lists := filepath.Join(data, "audit"), []string{"-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN"}
	then := ""
	for _, day := range []string{"2025-03-04", "2025-03-21"} { // it was on the first one
		if code, _, stderr := call(t, "", append(append([]string{"lists", "import", "-accept"}, lists...), sdn(t, day))...); code != 0 {
			t.Fatal(stderr)
		}
		then = cmp.Or(then, time.Now().UTC().Format(time.RFC3339Nano))
	}
	s := start(t, append(lists, "-audit", trail)...)
	for at, level := range map[string]string{then: "CRITICAL", time.Now().UTC().Format(time.DateOnly): "CLEAN_NO_MATCH"} {
		var got answer
		if status := s.do(t, "POST", "/api/v1/screen", map[string]string{"address": tornado, "chain": "ethereum", "at": at}, &got); status != 200 || got.Level != level {
			t.Errorf("at %s: status %d, %+v", at, status, got)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(trail, "audit-*.jsonl"))
	for _, args := range [][]string{{"receipt", "verify", files[0], "-data", data}, {"audit", "search", tornado, "-audit", trail}} {
		code, stdout, stderr := call(t, "", args...)
		if code != 0 || strings.Count(stdout, " as of "+then[:19]) != 1 || !strings.Contains(stdout, "CLEAN_NO_MATCH ") || strings.Contains(stdout, "CANNOT") {
			t.Errorf("%q: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
}

// The lines of a trail are receipts: their verdicts are computed again from the lists of their time.
func TestTrailReceipts(t *testing.T) {
	dir := t.TempDir()
	trail := filepath.Join(dir, "audit")
	s := start(t, append(shortest, "-data", dir, "-audit", trail)...)
	for text, chain := range map[string]string{harmless: "ethereum", lazarus: "bsc", "0x0fcab7394beb7c7ded081ce2456a097d7474c1b2095a3b2f4b2a8d1c8f4c7e1": "starknet"} {
		if status, _ := s.screen(t, text, chain); status != 200 {
			t.Fatalf("status %d", status)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(trail, "audit-*.jsonl"))
	code, stdout, stderr := call(t, "", "receipt", "verify", files[0], "-data", dir)
	if code != 2 || strings.Count(stdout, "SAME  ") != 2 || !strings.Contains(stdout, "CANNOT TELL  NOT DECIDED") || !strings.Contains(stdout, "the line does not have the text that was in doubt") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), `"level":"C`, `"level":"D`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := call(t, "", "receipt", "verify", files[0], "-data", dir); code != 1 || strings.Count(stdout, "changed: its sum is not that of the line") != 1 {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
