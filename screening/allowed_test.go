package screening_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/own"
)

// TestAllowed checks that one call brings what own lists allow, beside the given exceptions,
// and that a broken file changes nothing.
func TestAllowed(t *testing.T) {
	const listed, other = "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "0x7f367cc41522ce07553e823bf3be79a889debe1b"
	name := filepath.Join(t.TempDir(), "own.csv")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("address,action,reason,author\n" + listed + ",allow,license 2026-17,Ann\n" + other + ",allow,,\n")
	s, err := screening.New([]sources.Source{bundle.OFAC(), own.File("OWN", name)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetExceptions(t.Context(), []screening.Exception{except("bsc", other)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := func(address, reason string) {
		t.Helper()
		r, err := s.ScreenText("ethereum", address)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range r.Suppressed {
			got = l.Reason + " (" + l.Author + ")"
		}
		if got != reason || (r.Score == 0) != (reason != "") {
			t.Errorf("%s: score %d, suppressed by %q, want %q", address, r.Score, got, reason)
		}
	}
	want(listed, "license 2026-17 (Ann)")
	if err := s.SetExceptions(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want(listed, "license 2026-17 (Ann)")
	want(other, "allowed by the own list OWN (OWN)")
	if err := s.SetExceptions(t.Context(), []screening.Exception{except("bsc", listed)}); err != nil { // the same account
		t.Fatal(err)
	}
	want(listed, except("bsc", listed).Reason+" ("+except("bsc", listed).Author+")")
	write("address,action\nhello,allow\n")
	if err := s.SetExceptions(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "list OWN: "+name+": line 2") {
		t.Errorf("a broken file: %v", err)
	}
	want(other, "allowed by the own list OWN (OWN)")
	write("")
	if err := s.SetExceptions(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want(other, "")
}
