package walletscreen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// TestTestAddresses checks the two addresses for tests that README.md and the documentation of the
// API name.
func TestTestAddresses(t *testing.T) {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]score.Level{
		"0x098B716B8Aaf21512996dC57EB0615e2383E2f96": score.Critical, "0x00000000219ab540356cBB839Cbe05303d7705Fa": score.CleanNoMatch,
	} {
		if r, err := s.ScreenText("ethereum", text); err != nil || r.Level != want || len(r.Doubts) > 0 {
			t.Errorf("%s: %s, %v, want %s", text, r.Level, err, want)
		}
		for _, name := range []string{"README.md", "httpapi/openapi.yaml"} {
			if paper, err := os.ReadFile(name); err != nil || !strings.Contains(string(paper), "`"+text+"`") {
				t.Errorf("%s does not name %s: %v", name, text, err)
			}
		}
	}
}
