package main

import (
	"strings"
	"testing"
)

// TestMaxPublished refuses to decide from lists that were published long ago, and shows both
// ages of each list in the same words.
func TestMaxPublished(t *testing.T) {
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"screen -max-published FBI_IC3=99999d " + unlisted, 0, "AGE  PUBLISHED "},
		{"screen -max-published FBI_IC3=45d " + unlisted, 2, "nothing can be decided: FBI_IC3 was published "},
		{"lists status -max-published FBI_IC3=45d", 2, "and -max-published allows less"},
		{"lists status", 0, "AGE  PUBLISHED "},
		{"screen -max-published OFAC_SDN=45d " + unlisted, 2, `-max-published: the list "OFAC_SDN" is not held`},
		{"screen -max-published FBI_IC3 " + unlisted, 2, "-max-published: want ID=TIME, such as OFAC_SDN=45d"},
		{"screen -max-published FBI_IC3=0d " + unlisted, 2, "-max-published: want ID=TIME"},
	} {
		code, stdout, stderr := callIn(t, []string{"WALLETSCREEN_LISTS=FBI_IC3", "WALLETSCREEN_REQUIRE=FBI_IC3"}, "", strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(stdout+stderr, test.want) {
			t.Errorf("%s: exit code %d, %s%s, want %d and %q", test.args, code, stdout, stderr, test.code, test.want)
		}
	}
}
