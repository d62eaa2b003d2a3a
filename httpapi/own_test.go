package httpapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// What the operator has written in his own list and in his exceptions is shown only to callers
// with the scope own; the verdict is the same for all, and each receipt verifies.
func TestOwnReasons(t *testing.T) {
	const blocked, excepted = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf"
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{
		sources.Static(sources.Info{ID: "OWN", Name: "own list", Jurisdiction: sources.Operator},
			sources.Entry{Listed: blocked, Asset: "ETH", Kind: score.Blocked, Ref: "CASE-77", Name: "seen in the divorce of a director"}),
		sources.Static(sources.Info{ID: "OFAC_SDN", Name: "list", Jurisdiction: sources.US},
			sources.Entry{Listed: excepted, Asset: "ETH", Kind: score.Sanctioned, Ref: "SDN-1", Name: "LAZARUS"}),
	}, &screening.Options{Store: st, Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.SetExceptions(t.Context(), []screening.Exception{{
		Address: address.MustParse("ethereum", excepted), Source: "OFAC_SDN", Reason: "cleared by counsel", Author: "jane", Created: time.Now().Add(-time.Hour),
	}}); err != nil {
		t.Fatal(err)
	}
	private := []string{"CASE-77", "divorce", "counsel", "jane"}
	for scopes, shown := range map[string]bool{"": true, "screen own": true, "screen": false, "screen past sources": false} {
		h := httpapi.NewHandler(s, &scoped{scopes}, &httpapi.Options{Receipt: func(q httpapi.Screening, text string) ([]byte, error) {
			rec, err := receipt.New(q.Chain, text, q.Result, q.Time)
			if err != nil {
				return nil, err
			}
			line, err := rec.Encode()
			if v, e := receipt.Verify(t.Context(), line, &receipt.Options{Store: st}); e != nil || v.Outcome != receipt.Same {
				t.Errorf("scopes %q: the receipt of %s is %s: %v, %v", scopes, text, v.Outcome, v.Reason, e)
			}
			return line, err
		}})
		answers := ""
		for path, body := range map[string]string{
			"/api/v1/screen":  `{"address":"` + blocked + `","chain":"ethereum","receipt":true}`,
			"/api/v1/screen/": `{"address":"` + excepted + `","chain":"ethereum","receipt":true}`,
			"/api/v1/screen/batch": `{"items":[{"address":"` + blocked + `","chain":"ethereum"},{"address":"` + excepted +
				`","chain":"ethereum"}]}`,
		} {
			r, w := httptest.NewRequest("POST", strings.TrimSuffix(path, "/"), strings.NewReader(body)), httptest.NewRecorder()
			r.Header.Set("Content-Type", "application/json")
			if h.ServeHTTP(w, r); w.Code != 200 {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			answers += w.Body.String()
		}
		for _, text := range private {
			if n := strings.Count(answers, text); (n > 0) != shown {
				t.Errorf("scopes %q: %q is shown %d times", scopes, text, n)
			}
		}
		for text, want := range map[string]int{`"label":"BLOCKED"`: 2, `"source":"OWN"`: 2, `"SDN-1"`: 2, "LAZARUS": 2, `"score":100`: 2} {
			if n := strings.Count(answers, text); n < want {
				t.Errorf("scopes %q: %s is shown %d times, want %d", scopes, text, n, want)
			}
		}
	}
}
