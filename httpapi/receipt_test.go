package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestReceiptFails checks that a screening without the receipt that the client asked for
// is not answered, neither charged nor recorded, and that the log does not have the address.
func TestReceiptFails(t *testing.T) {
	const text = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	var log bytes.Buffer
	recorded := 0
	opts := &httpapi.Options{
		Meter:  access.New(newStore(), nil),
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Receipt: func(q httpapi.Screening, s string) ([]byte, error) {
			if q.Chain != "ethereum" || s != text || time.Since(q.Time) > time.Minute || q.CallerID == "" || q.RequestID == "" {
				t.Errorf("asked for the receipt of %s, %+v", s, q)
			}
			return nil, errors.New("no ink for " + s)
		},
	}
	opts.Audit = func(_ context.Context, _ ...httpapi.Screening) error { recorded++; return nil }
	h := httpapi.NewHandler(newLoadedScreener(t), parseGrant(t, "quota=1"), opts)
	for _, tt := range []struct {
		receipt string
		status  int
	}{{"true", 500}, {"true", 500}, {"false", 200}, {"false", 429}} {
		r, w := httptest.NewRequest(
			"POST",
			"/api/v1/screen",
			strings.NewReader(`{"address":"`+text+`","chain":"ethereum","receipt":`+tt.receipt+`}`),
		), httptest.NewRecorder()
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		if h.ServeHTTP(w, r); w.Code != tt.status {
			t.Errorf("receipt %s: status %d, want %d: %s", tt.receipt, w.Code, tt.status, w.Body)
		}
	}
	if s := log.String(); !strings.Contains(s, "part=receipt") || strings.Contains(s, text) || recorded != 1 {
		t.Errorf("%d records, log: %s", recorded, s)
	}
}

// TestReceiptOfDecorated checks that a text that is screened with its decorations gets a receipt.
func TestReceiptOfDecorated(t *testing.T) {
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Receipt: signedReceipt})
	const account = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	for _, text := range []string{account, account + "?amount=1", "ethereum:" + account + "@1?value=1", "https://etherscan.io/address/" + account} {
		w := send(h, "POST", "/api/v1/screen", `{"address":"`+text+`","chain":"ethereum","receipt":true}`)
		if w.Code != 200 || !strings.Contains(w.Body.String(), `\"text\":\"`+text+`\",\"address\":\"`+strings.ToLower(account)+`\"`) {
			t.Errorf("%s: status %d: %s", text, w.Code, w.Body)
		}
	}
}

// TestReceiptOfAnotherChain asks for the receipt of a text that on its chain would be an account of
// 32 bytes, and that is listed as the padded form of another one.
func TestReceiptOfAnotherChain(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const text = "0x000000000000000000000000098b716b8aaf21512996dc57eb0615e2383e2f96"
	s, err := screening.New([]sources.Source{ofac}, &screening.Options{Store: st})
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, testKeys(t), &httpapi.Options{Receipt: signedReceipt})
	w := send(h, "POST", "/api/v1/screen", `{"address":"`+text+`","chain":"starknet","receipt":true}`)
	var a struct{ Chain, Level, Receipt string }
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Chain != "ethereum" || a.Level != "CRITICAL" {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if v, err := receipt.Verify(t.Context(), []byte(a.Receipt), &receipt.Options{Store: st}); err != nil || v.Outcome != receipt.Same {
		t.Errorf("%s, %v, %v: %s", v.Outcome, v.Reason, err, a.Receipt)
	}
}
