package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A wireAnswer has the members of an answer that the tests below look at.
type wireAnswer struct {
	Address  string
	Level    string
	Doubts   []string
	Caveats  []map[string]string
	AllClear *bool `json:"all_clear"`
	Valid    *bool
	Chain    string
	Code     string
	Reason   string
	status   int
}

// putQuestion posts a question, and returns the answer.
func putQuestion(t *testing.T, h http.Handler, path, text, chain string) (a wireAnswer) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"address": text, "chain": chain})
	if err != nil {
		t.Fatal(err)
	}
	if path == "/api/v1/screen/batch" {
		body = fmt.Appendf(nil, `{"items":[%s]}`, body)
	}
	w := send(h, "POST", path, string(body))
	a.status = w.Code
	text = w.Body.String()
	if path == "/api/v1/screen/batch" {
		var all struct{ Results []json.RawMessage }
		if err := json.Unmarshal([]byte(text), &all); err != nil || len(all.Results) != 1 {
			t.Fatal(text, err)
		}
		text = string(all.Results[0])
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(text, err)
	}
	return a
}

// TestDoubts asks for texts that are in doubt, for payments to several accounts, and for
// texts that only look odd: /screen, /screen/batch and /validate read each in the same way.
func TestDoubts(t *testing.T) {
	const (
		payee = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
		other = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
		clear = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"
	)
	info := sources.Info{ID: "OFAC_SDN", Name: "SDN List", Jurisdiction: sources.US}
	s, err := screening.New([]sources.Source{sources.Static(info,
		sources.Entry{Address: address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"), Kind: score.Sanctioned, Ref: "1"},
		sources.Entry{Address: address.MustParse("bitcoin", payee), Kind: score.Sanctioned, Ref: "2"})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, testKeys(t), nil)
	for _, tt := range []struct{ chain, text, address, level, doubts, reason string }{
		{"ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "CRITICAL", "", ""},
		{"ethereum", " ethereum:0x098b716b8aaf21512996dc57eb0615e2383e2f96 ", "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "CRITICAL", "", ""},
		{"ethereum", "0x098b716B8Aaf21512996dC57EB0615e2383E2f96", "0x098b716b8aaf21512996dc57eb0615e2383e2f96", "CRITICAL", "capitals", ""},
		{"polygon", "0x7e5f4552091A69125d5dfcb7b8c2659029395bdf", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "CLEAN_NO_MATCH", "capitals", ""},
		{"aptos", "0x1", "0x1", "CLEAN_NO_MATCH", "", ""},
		{"aptos", "0x" + strings.Repeat("ab", 30), "0x0000" + strings.Repeat("ab", 30), "CLEAN_NO_MATCH", "short", ""},
		{"bitcoin", "bitcoin:" + clear + "?amount=1", clear, "CLEAN_NO_MATCH", "", ""},
		{"bitcoin", "bitcoin:" + clear + "?bc=" + payee, payee, "CRITICAL", "", ""},
		{"bitcoin", "bitcoin:" + clear + "?bc=" + other, "", "", "", "several_accounts"},
		{"bitcoin", clear + " / " + other, "", "", "", "several_accounts"},
		{"bitcoin", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9H", "", "", "", "bad_checksum"},
		{"ETH", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "", "", "", "ticker"},
	} {
		what := tt.chain + " " + tt.text
		doubts := strings.Fields(tt.doubts)
		for _, path := range []string{"/api/v1/screen", "/api/v1/screen/batch"} {
			a := putQuestion(t, h, path, tt.text, tt.chain)
			switch {
			case tt.reason == "ticker" && path != "/api/v1/screen": // a hint in a batch
				if a.status != 200 || a.Chain != "ethereum" || a.Level != "CLEAN_NO_MATCH" {
					t.Errorf("%s %s: %+v", path, what, a)
				}
			case tt.reason != "":
				if code := map[bool]string{true: "unsupported_chain", false: "invalid_address"}[tt.reason == "ticker"]; a.Reason != tt.reason ||
					a.Code != code ||
					path == "/api/v1/screen" && a.status != 400 {
					t.Errorf("%s %s: %d %s %s, want %s", path, what, a.status, a.Code, a.Reason, tt.reason)
				}
			case a.status != 200 || a.Address != tt.address || a.Level != tt.level || a.Doubts == nil || !slices.Equal(a.Doubts, doubts) || a.Caveats == nil ||
				len(a.Caveats) != 0:
				t.Errorf("%s %s: %+v", path, what, a)
			case a.AllClear == nil || *a.AllClear != (tt.level == "CLEAN_NO_MATCH" && tt.doubts == ""):
				t.Errorf("%s %s: all_clear is wrong: %+v", path, what, a)
			}
		}
		a := putQuestion(t, h, "/api/v1/validate", tt.text, tt.chain)
		several := strings.Contains(tt.text, "bc=") // nothing is screened, so nobody knows the listed one
		if want := tt.reason == "" && !several; a.Valid == nil || *a.Valid != want ||
			want && (a.Address != tt.address || !slices.Equal(a.Doubts, doubts) || a.Doubts == nil) ||
			several && a.Reason != "several_accounts" {
			t.Errorf("validate %s: %+v", what, a)
		}
	}
}

// TestCaveats asks while an optional list is missing.
func TestCaveats(t *testing.T) {
	missing := sources.Info{ID: "UK_CONSOLIDATED", Name: "UK", Jurisdiction: sources.UK}
	s, err := screening.New([]sources.Source{ofac, broken{sources.Static(missing)}}, &screening.Options{Optional: []string{missing.ID}})
	if err != nil {
		t.Fatal(err)
	}
	s.Refresh(t.Context()) // one fails
	h := httpapi.NewHandler(s, testKeys(t), nil)
	for _, path := range []string{"/api/v1/screen", "/api/v1/screen/batch"} {
		a := putQuestion(t, h, path, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum")
		if a.Level != "CLEAN_NO_MATCH" || a.AllClear == nil || *a.AllClear || len(a.Caveats) != 1 || a.Caveats[0]["source"] != missing.ID ||
			a.Caveats[0]["caveat"] != "missing" ||
			len(a.Doubts) != 0 {
			t.Errorf("%s: %+v", path, a)
		}
	}
}

// TestWrongChain checks that a listed address of another chain is never clean: /screen refuses
// it with the chain to ask about, and a batch reads names of chains as a table does.
func TestWrongChain(t *testing.T) {
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
	const asked = `{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"bitcoin"}`
	for _, tt := range []struct{ path, body, want string }{
		{"/api/v1/screen", asked, `"chain":"ethereum","score":100,"level":"CRITICAL"`},
		{"/api/v1/screen", asked, `"doubts":["wrong_chain"]`},
		{"/api/v1/screen", `{"address":"Wallet: 0x098B716B8Aaf21512996dC57EB0615e2383E2f96.","chain":"ethereum"}`, `"doubts":["malformed"]`},
		{"/api/v1/screen", `{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"bitcoin"}`, `"reason":"wrong_chain","suggested_chain":"ethereum"`},
		{"/api/v1/screen/batch", `{"items":[` + asked + `]}`, `"level":"CRITICAL"`},
	} {
		text := send(h, "POST", tt.path, tt.body).Body.String()
		if strings.Contains(text, "CLEAN") || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %s", tt.path, text)
		}
	}
}
