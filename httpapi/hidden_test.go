package httpapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestHiddenCharacters checks that a name of a list, an id and a chain reach a client
// unchanged, but with characters that nobody sees escaped.
func TestHiddenCharacters(t *testing.T) {
	const name = "Evil\u202e\u2066\u200b\ufeff\u00ad\u0085\u009b\u2028\U000e0041 \x1b[2J Иванов"
	src := sources.Static(sources.Info{ID: "OFAC_SDN", Name: name, Jurisdiction: sources.US},
		sources.Entry{Address: address.MustParse("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"), Kind: score.Sanctioned, Ref: name, Name: name})
	s, err := screening.New([]sources.Source{src}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, testKeys(t), nil)
	id, _ := json.Marshal(name)
	for path, body := range map[string]string{
		"/api/v1/screen":       question,
		"/api/v1/screen/batch": `{"items":[{"id":` + string(id) + `,"address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96","chain":"ethereum"}]}`,
		"/api/v1/sources":      "",
	} {
		method := "POST"
		if body == "" {
			method = "GET"
		}
		w := send(h, method, path, body)
		text := w.Body.String()
		if w.Code != 200 || !strings.Contains(text, `Evil\u202e\u2066\u200b\ufeff\u00ad\u0085\u009b\u2028\udb40\udc41 \u001b[2J Иванов`) {
			t.Errorf("%s: status %d: %q", path, w.Code, text)
		}
		if strings.ContainsFunc(strings.TrimSuffix(text, "\n"), func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }) {
			t.Errorf("%s: characters that nobody sees: %q", path, text)
		}
		var value any
		if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	r, err := s.ScreenText("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(r); err != nil || !strings.Contains(string(text), `Evil\u202e`) || strings.Contains(string(text), "\u202e") {
		t.Errorf("the JSON of the result: %q, %v", text, err)
	}
}
