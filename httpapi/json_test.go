package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// asJSON returns v as encoding/json writes and reads it.
func asJSON(t *testing.T, v any) (read any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// TestResultAsOnTheWire compares the JSON of a screening.Result, and of what it holds,
// with the answer to the same question. Only what the answer adds may differ.
func TestResultAsOnTheWire(t *testing.T) {
	const lazarus = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	info := sources.Info{ID: "OFAC_SDN", Name: "SDN List", Jurisdiction: sources.US, RefURL: "https://example.org/?id={ref}&x=1"}
	s, err := screening.New([]sources.Source{community, sources.Static(info,
		sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned, Ref: "27307", Name: "<Lazarus & Group>"})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	handler := httpapi.NewHandler(s, testKeys(t), nil)
	labels, suppressed := 0, 0
	for _, except := range []bool{false, true} {
		if except {
			a := address.MustParse("ethereum", lazarus)
			x := screening.Exception{Address: a, Source: "OFAC_SDN", Reason: "a test <&>", Author: "me", Expires: time.Now().Add(time.Hour)}
			if err := s.SetExceptions(context.Background(), []screening.Exception{x}); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct{ chain, text string }{
			{"ethereum", lazarus},
			{"bsc", lazarus},
			{"tron", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"},
			{"bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
		} {
			r, err := s.ScreenText(address.Chain(tt.chain), tt.text)
			if err != nil {
				t.Fatal(err)
			}
			req := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(`{"address":"`+tt.text+`","chain":"`+tt.chain+`"}`))
			req.Header.Set("Authorization", "Bearer "+testKey)
			req.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, req)
			var answer map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 {
				t.Fatalf("%d, %s, %v", w.Code, w.Body, err)
			}
			for _, name := range []string{"data_freshness", "screened_at", "_disclaimer", "doubts", "caveats", "all_clear"} {
				if answer[name] == nil {
					t.Errorf("%s of the answer is missing", name)
				}
				delete(answer, name)
			}
			got := asJSON(t, r).(map[string]any)
			for _, name := range []string{"doubts", "caveats", "all_clear"} { // of now
				delete(got, name)
			}
			if !reflect.DeepEqual(got, answer) {
				t.Errorf("%s on %s: the JSON of the result is\n%v, the answer\n%v", tt.text, tt.chain, got, answer)
			}
			if got := asJSON(t, r.Address); got != tt.chain+":"+answer["address"].(string) {
				t.Errorf("the JSON of the address is %v", got)
			}
			if got := asJSON(t, r.Address.Chain()); got != answer["chain"] {
				t.Errorf("the JSON of the chain is %v, the answer %v", got, answer["chain"])
			}
			checkLabels := func(name string, of func(i int) (label any, match score.Match), n int) {
				all, _ := answer[name].([]any)
				if len(all) != n {
					t.Fatalf("%d %s in the answer, want %d", len(all), name, n)
				}
				for i, l := range all {
					want := l.(map[string]any)
					label, match := of(i)
					if got := asJSON(t, match); got != want["match"] {
						t.Errorf("the JSON of the match is %v, the answer %v", got, want["match"])
					}
					delete(want, "url") // of the source
					if got := asJSON(t, label); !reflect.DeepEqual(got, any(want)) {
						t.Errorf("the JSON of %s is\n%v, the answer\n%v", name, got, want)
					}
				}
			}
			checkLabels("labels", func(i int) (any, score.Match) { return r.Labels[i], r.Labels[i].Match }, len(r.Labels))
			checkLabels("suppressed", func(i int) (any, score.Match) { return r.Suppressed[i], r.Suppressed[i].Match }, len(r.Suppressed))
			labels, suppressed = labels+len(r.Labels), suppressed+len(r.Suppressed)
		}
	}
	if labels == 0 || suppressed == 0 {
		t.Errorf("%d labels and %d suppressed, want some of each", labels, suppressed)
	}
}
