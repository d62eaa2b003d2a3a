package main

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestHistory asks for an account that is listed, one that was, and one that never was.
func TestHistory(t *testing.T) {
	longtest.WithoutRace(t)
	const tornado = "0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b" // delisted on 21 March 2025
	for _, tt := range []struct {
		address string
		code    int
		want    string
	}{
		{listed, 1, "2022-09-03  2021-07-06  now    OFAC_SDN 27307  exact  Lazarus Group"},
		{tornado, 1, "2025-03-21  OFAC_SDN 39796  formerly  TORNADO CASH"},
		{"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", 0, "no list is known to have it, or to have had it"},
		{"nothing", 2, "nothing\n  "},
	} {
		code, stdout, stderr := callIn(t, onlyOFAC, "", "history", tt.address)
		if code != tt.code || !strings.Contains(stdout, tt.want) || !strings.Contains(stderr, "OFAC_SDN") {
			t.Errorf("%s: exit code %d: %s%s, want %d, %s", tt.address, code, stdout, stderr, tt.code, tt.want)
		}
	}
	code, stdout, _ := callIn(t, onlyOFAC, "", "history", "-json", tornado)
	if code != 1 || !strings.Contains(stdout, `"formerly":[{"source":"OFAC_SDN","source_ref":"39796",`) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if code, _, stderr := callIn(t, onlyOFAC, "", "history"); code != 2 || !strings.Contains(stderr, "want an ADDRESS") {
		t.Errorf("exit code %d: %s", code, stderr)
	}

	// The same in a table.
	_, stdout, _ = callIn(t, onlyOFAC, "address\n"+tornado+"\n"+listed+"\n", "screen", "-in", "-")
	lines := strings.Split(stdout, "\n")
	if !strings.Contains(lines[0], ",added_at,not_listed_on,entity_listed_at,") || !strings.Contains(lines[1], "CLEAN_NO_MATCH,") ||
		!strings.Contains(lines[1], "OFAC_SDN 39796: 2022-09-03 to 2025-03-21") ||
		!strings.Contains(lines[2], "2022-09-03,2021-07-06,") {
		t.Errorf("%s", stdout)
	}
}
