package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// TestDatabase copies rows out of PostgreSQL, screens them, and copies the verdicts back, by the
// statements of screen.md.
func TestDatabase(t *testing.T) {
	longtest.WithoutRace(t)
	doc, err := os.ReadFile("docs/screen.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "\n## Rows of a database\n")
	parts := regexp.MustCompile(`(?s)\\copy (\(.*?\)) to '(.*?)' (with \(.*?\))\n.*?\n(create table .*?\);)\n\\copy (verdicts) from '(.*?)' (with \(.*?\))\n`).FindStringSubmatch(section)
	if parts == nil {
		t.Fatal("screen.md does not show how the rows are copied")
	}
	ctx := t.Context()
	db, err := pgconn.Connect(ctx, postgrestest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	wrong := strings.Replace(listed, "B8A", "B8a", 1) // the checksum in its capitals fails
	_, err = db.Exec(ctx, fmt.Sprintf("create table customers (id bigint, chain text, address text); insert into customers values "+
		"(1, 'polygon', '%s'), (2, null, '%s'), (3, 'ethereum', '%s'), (4, null, 'a \"quoted\", \nbroken cell'); %s", listed, unlisted, wrong, parts[4])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows bytes.Buffer
	if _, err := db.CopyTo(ctx, &rows, "copy "+parts[1]+" to stdout "+parts[3]); err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(t.TempDir(), parts[2]), filepath.Join(t.TempDir(), parts[6])
	if err := os.WriteFile(in, rows.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, "", "screen", "-in", in, "-out", out); code != 2 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	verdicts, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CopyFrom(ctx, bytes.NewReader(verdicts), "copy verdicts from stdin "+parts[7]); err != nil {
		t.Fatalf("%v\n%s", err, verdicts)
	}
	var got bytes.Buffer
	if _, err := db.CopyTo(ctx, &got, "copy (select id, level, score, source, doubt from verdicts order by id) to stdout with (format csv)"); err != nil {
		t.Fatal(err)
	}
	if want := "1,CRITICAL,100,OFAC_SDN,\n2,CLEAN_NO_MATCH,0,,\n3,CRITICAL,100,OFAC_SDN,capitals\n4,,,,\n"; got.String() != want {
		t.Errorf("%s\nwant\n%s", &got, want)
	}
}
