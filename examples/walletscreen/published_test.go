package main

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestMaxPublished refuses to decide from lists that were published long ago, and shows both
// ages of each list in the same words.
func TestMaxPublished(t *testing.T) {
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"screen -max-published EU_CONSOLIDATED=99999d " + unlisted, 0, "AGE  PUBLISHED "},
		{"screen -max-published EU_CONSOLIDATED=45d " + unlisted, 2, "nothing can be decided: EU_CONSOLIDATED was published "},
		{"lists status -max-published EU_CONSOLIDATED=45d", 2, "and -max-published allows less"},
		{"lists status", 0, "AGE  PUBLISHED "},
		{"screen -max-published OFAC_SDN=45d " + unlisted, 2, `-max-published: the list "OFAC_SDN" is not held`},
		// The age of a list that is not required is a caveat.
		{"screen -lists EU_CONSOLIDATED,UK_CONSOLIDATED -max-published UK_CONSOLIDATED=1h " + unlisted, 0, "published too long ago: UK_CONSOLIDATED"},
		{"screen -lists EU_CONSOLIDATED,UK_CONSOLIDATED -max-published UK_CONSOLIDATED=99999d " + unlisted, 0, "only a part is loaded: UK_CONSOLIDATED"},
		{"screen -max-published EU_CONSOLIDATED " + unlisted, 2, "-max-published: want ID=TIME, such as OFAC_SDN=45d"},
		{"screen -max-published EU_CONSOLIDATED=0d " + unlisted, 2, "-max-published: want ID=TIME"},
	} {
		code, stdout, stderr := callIn(t, []string{"WALLETSCREEN_LISTS=EU_CONSOLIDATED", "WALLETSCREEN_REQUIRE=EU_CONSOLIDATED"}, "", strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(stdout+stderr, test.want) {
			t.Errorf("%s: exit code %d, %s%s, want %d and %q", test.args, code, stdout, stderr, test.code, test.want)
		}
	}
}

// TestReadyPublished asks for the readiness of a server whose list was published long ago.
func TestReadyPublished(t *testing.T) {
	o := listOptions{choose: []string{"EU_CONSOLIDATED"}, require: []string{"EU_CONSOLIDATED"}}
	screener, err := (&program{lists: o}).openLists(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[time.Duration]readiness{45 * oneDay: {Stale: []string{"EU_CONSOLIDATED"}}, 99999 * oneDay: {Ready: true}} {
		o.maxPublished = map[string]time.Duration{"EU_CONSOLIDATED": limit}
		if got := (&server{serveOptions: &serveOptions{lists: o}, screener: screener}).readiness(); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %+v, want %+v", limit, got, want)
		}
	}
	if code, _, stderr := call(t, "", "serve", "-addr", "127.0.0.1:0", "-offline", "-max-published", "EU_CONSOLIDATED=45d", "-lists", "EU_CONSOLIDATED", "-require", "EU_CONSOLIDATED"); code != 2 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
