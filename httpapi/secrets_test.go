package httpapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// A lockedBuffer is a buffer for concurrent writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// TestNothingIsLogged sends keys and addresses in every part of a request,
// while the store works and while it is down. No key or hash of a key may be in
// a response, and no key, hash or address may be in a log of all levels.
func TestNothingIsLogged(t *testing.T) {
	var logged lockedBuffer
	logger := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	store := newStore()
	ring := access.New(store, logger)
	server := httptest.NewUnstartedServer(httpapi.NewHandler(newLoadedScreener(t), ring, &httpapi.Options{Logger: logger, Meter: ring}))
	server.Config.ErrorLog = slog.NewLogLogger(logger.Handler(), slog.LevelDebug)
	server.Start()
	defer server.Close()

	const address = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	token := issue(t, store, access.Key{ID: "customer", Quota: 3})
	revoked := issue(t, store, access.Key{ID: "former", Revoked: time.Now()})
	unknown, _, err := access.NewKey(access.Key{ID: "nobody"})
	if err != nil {
		t.Fatal(err)
	}
	listedID, _, err := access.NewKey(access.Key{ID: address}) // a token may have any text for an id
	if err != nil {
		t.Fatal(err)
	}
	late := issue(t, store, access.Key{ID: "late"})
	var forbidden []string
	for _, token := range []string{token, revoked, unknown, late} {
		secret := token[len(token)-52:]
		forbidden = append(forbidden, secret, strings.ToLower(secret), secret[:20])
		for _, text := range []string{token, secret} {
			hash := sha256.Sum256([]byte(text))
			forbidden = append(forbidden, hex.EncodeToString(hash[:]), base64.StdEncoding.EncodeToString(hash[:]), fmt.Sprint(hash[:])[1:30])
		}
	}
	inLog := append([]string{address[2:], strings.ToLower(address[2:])}, forbidden...)

	bodies := []string{
		question, clean, `{"address":"` + address[:41] + `","chain":"ethereum"}`, `{"address":"` + address + `","chain":"` + address + `"}`,
		`{"address":"` + token + `","chain":"bitcoin"}`, `{"address":"x","chain":"` + token + `"}`, `{"` + address + `":1}`, address, token,
	}
	ask := func(method, path, token, body string) {
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Idempotency-Key", `"`+token+address+body[:min(len(body), 4)]+`"`)
		if strings.Contains(body, "wsk_") {
			r.Header.Set("X-Request-Id", token)
			r.Header.Set("Idempotency-Key", token+`"`)
		}
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		all := fmt.Sprint(resp.Header) + string(text)
		for _, word := range forbidden {
			if strings.Contains(all, word) {
				t.Errorf("%s %s, %s: the answer tells %s: %s", method, path, body, word, all)
			}
		}
	}
	for _, state := range []string{"works", "down"} {
		if state == "down" {
			store.fail()
			ask("POST", "/api/v1/screen", late, question)
		}
		for _, token := range []string{token, revoked, unknown, listedID, token + "x", "Bearer " + token} {
			for _, body := range bodies {
				ask("POST", "/api/v1/screen", token, body)
				ask("POST", "/api/v1/screen?api_key="+token, token, body)
				ask("POST", "/api/v1/screen?q="+strings.ToLower(token)+"&address="+address, token, body)
				ask("POST", "/"+token+"/api/v1/screen", token, body)
				ask("POST", "/"+address+"/"+token, token, body)
			}
			ask("GET", "/api/v1/sources", token, "")
			ask("GET", "/api/v1/usage", token, "")
			ask(strings.TrimPrefix(token, "Bearer "), "/api/v1/usage", token, "")
		}
	}
	ring.Close(t.Context())
	logged.mu.Lock()
	defer logged.mu.Unlock()
	text := logged.b.String()
	if !strings.Contains(text, "fails") || !strings.Contains(text, "request failed") {
		t.Errorf("nothing was logged: this tests nothing\n%s", text)
	}
	for _, word := range inLog {
		if i := strings.Index(text, word); i >= 0 {
			t.Errorf("the log tells %s: %s", word, text[max(0, i-300):min(len(text), i+200)])
		}
	}
}
