package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestColumns checks that what people read fits on a terminal of 80 columns: the program's own
// words, and the lists and names that are bundled.
func TestColumns(t *testing.T) {
	longtest.WithoutRace(t)
	const listed = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	data := t.TempDir()
	records := filepath.Join(data, "audit")
	s := start(t, append(shortest, "-data", data, "-audit", records)...)
	s.screen(t, listed, "ethereum")
	s.screen(t, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "bitcoin")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	keysOf(t, "sqlite:"+filepath.Join(data, dbFile), "create", "-name", "The payments team in Lisbon", "-quota", "1000000", "-rate", "100", "-burst", "500",
		"-expires", "2999-12-31")
	file := filepath.Join(data, "badlist.json")
	if err := os.WriteFile(file, []byte(`[{"address":"`+listed+`","comment":"`+strings.Repeat("a very long comment ", 10)+`"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, args := range []string{
		"screen " + listed, "screen " + unlisted, "screen -chain ethereum 0x098b716b8aaf21512996dc57eb0615e2383e2f96",
		"screen TFTWNgDBkQ5wQoP8RXpRznnHvAVV8x5jLu", "history " + listed, "history TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq",
		"lists status", "lists anomalies", "lists status -data " + data, "keys list -data " + data, "audit search 2 -audit " + records,
		"audit search 2026 -audit " + records,
		"lists import -data " + data + " COMMUNITY_BADLIST=" + file, "lists import -accept -data " + data + " COMMUNITY_BADLIST=" + file,
		"lists diff -data " + data + " now", "version",
	} {
		var env []string
		switch {
		case strings.HasPrefix(args, "lists import"):
			env = []string{"WALLETSCREEN_LISTS=COMMUNITY_BADLIST", "WALLETSCREEN_REQUIRE=COMMUNITY_BADLIST"}
		case !strings.HasPrefix(args, "lists") && args != "version": // which show all lists
			env = onlyOFAC
		}
		_, stdout, stderr := callIn(t, env, "", strings.Fields(args)...)
		for line := range strings.SplitSeq(stdout+stderr, "\n") {
			lines++
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%s: a line of %d characters: %s", args, n, line)
			}
		}
	}
	if lines < 200 {
		t.Errorf("%d lines were checked", lines)
	}
}
