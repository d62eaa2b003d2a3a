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

// TestReadyPublished asks for the readiness of a server whose list was published long ago.
func TestReadyPublished(t *testing.T) {
	o := listOptions{choose: []string{"FBI_IC3"}, require: []string{"FBI_IC3"}}
	screener, err := (&program{}).openLists(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[time.Duration]readiness{45 * oneDay: {Stale: []string{"FBI_IC3"}}, 99999 * oneDay: {Ready: true}} {
		o.maxPublished = map[string]time.Duration{"FBI_IC3": limit}
		if got := (&ops{screener: screener, lists: &o}).readiness(); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %+v, want %+v", limit, got, want)
		}
	}
	if code, _, stderr := call(t, "", append([]string{"serve", "-addr", "127.0.0.1:0", "-offline", "-max-published", "FBI_IC3=45d"}, shortest...)...); code != 2 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
