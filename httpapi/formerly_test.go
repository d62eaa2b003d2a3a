package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// TestDatesOfAnswers asks for an account that the SDN List dropped, and for one that it added to
// an old party.
func TestDatesOfAnswers(t *testing.T) {
	s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, testKeys(t), nil)
	for address, want := range map[string]string{
		"0x07687e702b410Fa43f4cB4Af7FA097918ffD2730": `"level":"CLEAN_NO_MATCH","labels":[],"formerly":[{"source":"OFAC_SDN","source_ref":"39796","name":"TO` +
			`RNADO CASH",` +
			`"listed_address":"0x07687e702b410Fa43f4cB4Af7FA097918ffD2730","since":"2022-09-03T00:00:00Z","until":"2025-03-21T00:00:00Z"}],`,
		"0x098B716B8Aaf21512996dC57EB0615e2383E2f96": `"not_listed_on":"2021-07-06T00:00:00Z","entity_listed_at":"2019-09-13T00:00:00Z"}],`,
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/api/v1/screen", strings.NewReader(`{"address":"`+address+`","chain":"ethereum"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+testKey)
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", address, w.Code, w.Body, want)
		}
	}
}
