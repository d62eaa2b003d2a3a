package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
)

// TestHiddenCharacters checks that what a list says reaches a terminal, a table and JSON
// without characters that nobody sees, and no table as a formula.
func TestHiddenCharacters(t *testing.T) {
	longtest.WithoutRace(t)
	const listed = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	dir := t.TempDir()
	own, table := filepath.Join(dir, "own.csv"), filepath.Join(dir, "in.csv")
	reason := "\u200b=1+1\u202e\u2066 \x1b[2J\u009b"
	for name, text := range map[string]string{own: "address,chain,reason,reference\n" + listed + ",ethereum," + reason + "," + reason + "\n",
		table: "address,chain\n" + listed + ",ethereum\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hidden := func(r rune) bool { return r != '\n' && r != '\r' && unicode.In(r, unicode.Cc, unicode.Cf) }
	for _, args := range [][]string{
		{"screen", "-list", "OWN=" + own, "-chain", "ethereum", listed},
		{"screen", "-json", "-list", "OWN=" + own, "-chain", "ethereum", listed},
		{"screen", "-list", "OWN=" + own, "-in", table},
	} {
		code, stdout, stderr := callIn(t, onlyOFAC, "", args...)
		if code != exitMatch || strings.ContainsFunc(stdout+stderr, hidden) {
			t.Errorf("%v: exit code %d, %q %q", args, code, stdout, stderr)
		}
		if strings.Contains(stdout, ",=1") || !strings.Contains(stdout, "=1+1") {
			t.Errorf("%v: a formula, or no reason: %q", args, stdout)
		}
	}
	list := feedList{Source: "OWN", Name: reason, Entries: []feedEntry{{Ref: reason, Name: reason, Listed: reason}}, held: new(screening.SourceStatus)}
	for _, text := range [][]byte{indented(list, " "), indented([]string{reason}, "  "), list.tagPack()} {
		if strings.ContainsFunc(string(text), hidden) || !strings.Contains(string(text), "=1+1") {
			t.Errorf("%q", text)
		}
	}
}
