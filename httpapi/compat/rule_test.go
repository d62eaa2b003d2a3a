package compat

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/score"
)

// TestRule walks all combinations of what an answer about an address says, and checks that
// only the kinds that the rule names are clean.
func TestRule(t *testing.T) {
	type part struct {
		json string
		bad  bool // it forbids a clean answer
	}
	label := func(kind, match string) string {
		return `[{"label":"` + kind + `","source":"A","source_ref":"1","added_at":"2025-01-01T00:00:00Z","match":"` + match + `","listed_address":"x"}]`
	}
	var labels []part
	for _, l := range []struct{ kind, match, level, points string }{
		{"SANCTIONED", "exact", "CRITICAL", "100"}, {"SANCTIONED", "family", "CRITICAL", "100"}, {"SANCTIONED", "literal", "CRITICAL", "100"},
		{"SANCTIONED", "key", "HIGH", "85"}, {"TERRORIST_FINANCING", "exact", "CRITICAL", "95"}, {"BLOCKED", "exact", "CRITICAL", "100"},
		{"RANSOMWARE", "exact", "HIGH", "85"}, {"SCAM", "exact", "HIGH", "70"}, {"MIXER", "exact", "MEDIUM", "60"},
		{"COMMUNITY_REPORT", "key", "MEDIUM", "40"}, {"UNKNOWN", "exact", "LOW", "0"}, {"SCAM", "exact", "CLEAN_NO_MATCH", "0"},
	} {
		labels = append(labels, part{`"level":"` + l.level + `","score":` + l.points + `,"labels":` + label(l.kind, l.match), true})
	}
	labels = append(labels, part{`"level":"CLEAN_NO_MATCH","score":0,"labels":[]`, false}, part{`"level":"CLEAN_NO_MATCH","score":0`, true},
		part{`"level":"CLEAN_NO_MATCH","score":1,"labels":[]`, true}, part{`"level":"LOW","score":0,"labels":[]`, true},
		part{`"score":0,"labels":[]`, true}, part{`"level":"CLEAN_NO_MATCH","score":"0","labels":[]`, true})
	doubts := []part{{`"doubts":[]`, false}, {`"doubts":["capitals"]`, true}, {`"doubts":["short"]`, true}, {`"doubts":["ambiguous"]`, true},
		{`"doubts":["unscreenable"]`, true}, {`"doubts":["ambiguous","unscreenable"]`, true}, {`"doubts":["new"]`, true}, {`"x":0`, true}}
	caveats := []part{{`"caveats":[]`, false}, {`"y":0`, true},
		{`"caveats":[{"source":"A","caveat":"stale"},{"source":"A","caveat":"old"},{"source":"A","caveat":"store"}]`, false}, // else package httpapi refuses
		{`"caveats":[{"source":"A","caveat":"missing"}]`, true}, {`"caveats":[{"source":"A","caveat":"partial"}]`, true},
		{`"caveats":[{"source":"A","caveat":"new"}]`, true}, {`"caveats":[{"source":"?","caveat":"missing"}]`, true},
		{`"caveats":[{"source":"O","caveat":"partial"},{"source":"O","caveat":"stale"},{"source":"N","caveat":"missing"}]`, false}}
	suppressed := []part{{`"z":0`, false}, {`"suppressed":[{"label":"SANCTIONED","source":"A","match":"exact","reason":"license","author":"Ann"}]`, false},
		{`"suppressed":[{"label":"SANCTIONED","source":"A","match":"exact","reason":"","author":""}]`, false}} // without the scope own
	rest := []part{{`"all_clear":true`, false}, {`"all_clear":false`, false}, {`"formerly":[{"source":"A"}]`, false},
		{`"code":"invalid_address","status":400,"reason":"several_accounts"`, true}, {`"code":"quota_exceeded","status":429`, true}}

	lists := map[string]freshness{"A": {"2026-01-01T00:00:00Z", true}, "O": {"2026-01-01T00:00:00Z", false}, "N": {}}
	h := &handler{kinds: []score.Kind{score.Sanctioned, score.TerroristFinancing, score.Blocked}}
	clean, listed := 0, 0
	for _, l := range labels {
		for _, d := range doubts {
			for _, c := range caveats {
				for _, s := range suppressed {
					for _, r := range rest {
						text := "{" + strings.Join([]string{l.json, d.json, c.json, s.json, r.json}, ",") + "}"
						shown, p := h.judge(json.RawMessage(text), lists)
						isClean := p == nil && len(shown) == 0
						if want := !slices.ContainsFunc([]part{l, d, c, s, r}, func(p part) bool { return p.bad }); isClean != want {
							t.Errorf("clean: %v, want %v: %s", isClean, want, text)
						}
						if p == nil && len(shown) > 0 {
							listed++
						}
						if status, _ := p["status"].(float64); p != nil && status < 400 {
							t.Errorf("a problem with the status %v: %s", status, text)
						}
						if isClean {
							clean++
						}
					}
				}
			}
		}
	}
	if clean != 3*3*3 || listed == 0 {
		t.Errorf("%d answers are clean, want %d; %d are listed", clean, 3*3*3, listed)
	}
}
