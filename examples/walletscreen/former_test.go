package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestFormerStore starts with what an earlier version kept: the program says once that it is not
// read, and what that means, and changes nothing in it.
func TestFormerStore(t *testing.T) {
	const want = "of an earlier version, and neither read nor changed: -at, receipts, formerly and first-seen dates"
	former := func() (data, journal string) {
		t.Helper()
		data = t.TempDir()
		journal = filepath.Join(data, formerDir, "journal")
		if err := os.Mkdir(filepath.Dir(journal), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(journal, []byte("of before\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return data, journal
	}
	db, list := postgrestest.URL(t), []string{"-lists", "FBI_IC3", "-require", "FBI_IC3"}
	conn, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "create table walletscreen_journal (lines bytea); insert into walletscreen_journal values ('of before')"); err != nil {
		t.Fatal(err)
	}
	data, journal := former()
	for flag, value := range map[string]string{"-data": data, "-db": db} {
		if code, _, stderr := call(t, "", append([]string{"lists", "status", flag, value}, list...)...); flag == "-data" && (code != 2 ||
			!strings.Contains(stderr, "there are no lists") || !strings.Contains(stderr, want)) {
			t.Errorf("lists status -data: exit code %d, %s", code, stderr)
		} else if strings.Count(stderr, want) != 1 {
			t.Errorf("lists status %s: %s", flag, stderr)
		}
		for i, wanted := range []int{1, 0} {
			if flag == "-db" {
				wanted = 0 // lists status has created the tables
			}
			_, _, stderr := call(t, "", append([]string{"lists", "import", flag, value, "OFAC_SDN=nowhere"}, list...)...)
			if strings.Count(stderr, want) != wanted {
				t.Errorf("call %d with %s: %s", i, flag, stderr)
			}
		}
	}
	served, _ := former()
	for i, wanted := range []int{1, 0} {
		s := start(t, slices.Concat([]string{"-data", served}, list)...)
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		if log := s.said + s.log(); strings.Count(log, want) != wanted {
			t.Errorf("start %d: %s", i, log)
		}
	}
	if got, err := os.ReadFile(journal); string(got) != "of before\n" {
		t.Errorf("%s: %q, %v", journal, got, err)
	}
	var lines string
	if err := conn.QueryRow(t.Context(), "select convert_from(lines, 'UTF8') from walletscreen_journal").Scan(&lines); lines != "of before" {
		t.Errorf("walletscreen_journal: %q, %v", lines, err)
	}
}
