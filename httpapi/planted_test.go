package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// plantedSecrets are private keys and seeds, of published examples.
var plantedSecrets = []string{
	"5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf",
	"KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",
	"xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
	"6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg",
	"SDLVVGABQKYQVN6VJP7NHSLEA45A5YLS6PNKMIZFV4BBU2HXA5IRUDHO",
	"edsk3gUfUPyBSfrS9CCgmCiQsTCHGkviBDusMxDJstFtojtc1zcpsh",
	"0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
	"0xE5BE9A5092B81BCA64BE81D212E7F2F9EBA183BB7A90954F7B76361F6EDB5C0A",
	strings.Repeat("abandon ", 11) + "about",
	strings.Repeat("legal winner thank year wave sausage ", 2) + "worth",
	"PVT_K1_2bfGi9rYsXQSXXTvJbDAPhHLQUojjaNLomdm3cEJ1XTzMqUt3V",
	"S6c56bnXQiBjk9mqSYE7ykVQ7NzrRy",
}

// breakUp returns a secret with a blank or a line break in it, or as it is.
func breakUp(secret string, rng *rand.Rand) string {
	at := rng.IntN(len(secret))
	if len(secret) < 40 || rng.IntN(4) > 0 || strings.Contains(secret, " ") {
		return secret
	}
	return secret[:at] + []string{" ", "\n"}[rng.IntN(2)] + secret[at:]
}

// TestSecretsPlanted plants private keys and seeds, also broken and within other text, in every part of a request. No run of 16 characters of one may be in an
// answer, a log line, an audit record or an observation.
func TestSecretsPlanted(t *testing.T) {
	var told strings.Builder
	logger := slog.New(slog.NewTextHandler(&told, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{
		Logger: logger, Meter: access.New(access.NewMemory(), nil), Origins: []string{"https://app.example"},
		Observe: func(_ context.Context, o httpapi.Observation) { fmt.Fprintf(&told, "observed %+v\n", o) },
		Audit: func(_ context.Context, all ...httpapi.Screening) error {
			fmt.Fprintf(&told, "recorded %+v\n", all)
			return fmt.Errorf("no record of %s", all[0].Address)
		},
	})
	rng := rand.New(rand.NewPCG(15, 3))
	for range longtest.N(60, 3_000) {
		secret := breakUp(plantedSecrets[rng.IntN(len(plantedSecrets))], rng)
		around := []string{"%", "%", " %\r\n", "key: %", "wif=%, keep it", `{"k":"%"}`, "https://e.example/?k=%&a=b", "bitcoin:%?amount=1"}
		text := strings.ReplaceAll(around[rng.IntN(len(around))], "%", secret)
		if len(secret) < 40 { // within text it may be an address
			text = secret
		}
		inJSON, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		q := string(inJSON)
		chain := []string{"bitcoin", "ethereum", "tron", "xrp", "dogecoin"}[rng.IntN(5)]
		field := strings.Map(func(c rune) rune { // what can be sent in a header field
			if c < ' ' || c > '~' {
				return -1
			}
			return c
		}, text)
		id := strings.ReplaceAll(field, " ", "")
		path := url.PathEscape(text)
		for _, ask := range []struct {
			method, path, body string
			fields             []string
		}{
			{"POST", "/api/v1/screen", `{"address":` + q + `,"chain":"` + chain + `"}`, nil},
			{"POST", "/api/v1/screen", `{"address":` + q + `,"chain":"` + chain + `"}`, []string{"X-Request-Id", id}},
			{"POST", "/api/v1/screen", `{"address":"x","chain":` + q + `}`, nil},
			{"POST", "/api/v1/screen", `{"address":` + q + `,"chain":` + q + `,` + q + `:` + q + `}`, nil},
			{"POST", "/api/v1/screen", `{` + q + `:1,` + q + `:2}`, nil},
			{"POST", "/api/v1/screen", `{"address":` + q, nil},
			{"POST", "/api/v1/screen", text, nil},
			{"POST", "/api/v1/screen", clean, []string{"X-Request-Id", id}},
			{"POST", "/api/v1/screen", clean, []string{"Idempotency-Key", `"` + field + `"`}},
			{"POST", "/api/v1/screen", clean, []string{"Authorization", "Bearer " + field}},
			{"POST", "/api/v1/screen", clean, []string{"Content-Type", field}},
			{"POST", "/api/v1/screen", clean, []string{"Origin", field}},
			{"POST", "/api/v1/screen?address=" + url.QueryEscape(text), clean, nil},
			{"POST", "/api/v1/screen/batch", `{"items":[{"address":` + q + `,"chain":"` + chain + `"},{"address":"x","chain":` + q + `},{` + q + `:` + q + `},` +
				clean + `]}`, []string{"X-Request-Id", id}},
			{"POST", "/api/v1/validate", `{"address":` + q + `,"chain":"` + chain + `"}`, nil},
			{"POST", "/api/v1/validate", `{"address":"x","chain":` + q + `}`, nil},
			{"GET", "/api/v1/sources", "", []string{"If-None-Match", `"` + field + `"`, "X-Request-Id", id}},
			{"GET", "/" + path, "", nil},
			{"POST", "/api/v1/screen/" + path, clean, nil},
			{"POST", "/" + path + "/api/v1/screen", `{}`, nil},
		} {
			told.Reset()
			w := httptest.NewRecorder()
			r := httptest.NewRequest(ask.method, "/", strings.NewReader(ask.body))
			u, err := url.Parse(ask.path)
			if err != nil {
				t.Fatal(err)
			}
			r.URL = u
			r.Header.Set("Authorization", "Bearer "+testKey)
			r.Header.Set("Content-Type", "application/json")
			for i := 0; i < len(ask.fields); i += 2 {
				r.Header[ask.fields[i]] = []string{ask.fields[i+1]}
			}
			h.ServeHTTP(w, r)
			fmt.Fprintf(&told, "answered %d %v %s", w.Code, w.Header(), w.Body)
			all := told.String()
			for _, form := range []string{secret, url.PathEscape(secret)} {
				for i := 0; i+16 <= len(form); i++ {
					if strings.Contains(all, form[i:i+16]) {
						t.Errorf("%s %s %v %s tells %q: %s", ask.method, ask.path, ask.fields, ask.body, form[i:i+16], all)
						break
					}
				}
			}
		}
	}
}
