package screening_test

import (
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A list with a text that is longer than a text may be is refused: its readers have no limits of their own.
func TestLongText(t *testing.T) {
	of := sources.Info{ID: "LONG", Name: "a list", Jurisdiction: sources.US}
	listed := sources.Entry{Address: address.MustParse("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"), Kind: score.Sanctioned}
	long := strings.Repeat("x", 70_000)
	for _, tt := range []struct {
		e    sources.Entry
		want string
	}{
		{sources.Entry{Listed: long[:5000], Ref: "7"}, `entry "7": an address or listed string of 5000 bytes, "xxx`},
		{sources.Entry{Listed: "x", Ref: long}, "a string of 70000 bytes"},
		{sources.Entry{Listed: "x", Name: long, Ref: "7"}, `entry "7": a string of 70000 bytes`},
		{sources.Entry{Listed: "x", Asset: long, Ref: "7"}, `entry "7": a string of 70000 bytes`},
	} {
		e := tt.e
		e.Kind = score.Sanctioned
		s, err := screening.New([]sources.Source{sources.Static(of, listed, e)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", err, tt.want)
		}
		if _, err := s.Screen(listed.Address); err == nil {
			t.Error("the list counts as loaded")
		}
	}
}
