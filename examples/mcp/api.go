package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// maxAnswer is the largest answer that is read, in bytes.
const maxAnswer = 8 << 20

// An api calls one endpoint of the HTTP API: a path below /api/v1/, with a body or
// without one. The answer goes into answer. The error is a *problem.
type api func(ctx context.Context, path string, body, answer any) error

// local returns the API of a handler in this process. Each call takes over the
// credentials of r, so the handler authorizes, counts and records it like a request
// that came over the network.
func local(h http.Handler, r *http.Request) api {
	return through("", func(q *http.Request) (*http.Response, error) {
		if r != nil {
			for name, values := range r.Header {
				if name != "Content-Type" && name != "Content-Length" && name != "Accept" && name != "Idempotency-Key" {
					q.Header[name] = values
				}
			}
			q.RemoteAddr, q.TLS = r.RemoteAddr, r.TLS
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q)
		return w.Result(), nil
	})
}

// remote returns the API of the server at base, for a key.
func remote(base, key string) api {
	client := &http.Client{Timeout: 30 * time.Second}
	return through(strings.TrimSuffix(base, "/"), func(q *http.Request) (*http.Response, error) {
		q.Header.Set("Authorization", "Bearer "+key)
		return client.Do(q)
	})
}

// through returns the API of the server at base, which do asks.
func through(base string, do func(*http.Request) (*http.Response, error)) api {
	return func(ctx context.Context, path string, body, answer any) error {
		method, data := http.MethodGet, []byte(nil)
		if body != nil {
			method = http.MethodPost
			data, _ = json.Marshal(body) // texts, which have JSON
		}
		var r *http.Response
		q, err := http.NewRequestWithContext(ctx, method, base+"/api/v1/"+path, bytes.NewReader(data))
		if err == nil {
			q.Header.Set("Content-Type", "application/json")
			r, err = do(q)
		}
		if err != nil { // its text may have the URL with credentials in it
			return &problem{Code: "offline", Detail: fmt.Sprintf("The screening server cannot be reached: %v.", cmp.Or(ctx.Err(), errors.New("no answer")))}
		}
		defer r.Body.Close()
		return read(r, answer)
	}
}

// read reads an answer, or the problem that it is.
func read(r *http.Response, answer any) error {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	if err == nil && r.StatusCode == http.StatusOK {
		if err = json.Unmarshal(data, answer); err == nil {
			return nil
		}
	}
	p := &problem{}
	if err != nil || json.Unmarshal(data, p) != nil || p.Code == "" {
		p = &problem{Code: "bad_answer", Detail: fmt.Sprintf("The screening server answered with status %d and not as expected.", r.StatusCode)}
	}
	p.wait, _ = strconv.Atoi(r.Header.Get("Retry-After"))
	return p
}

// A problem is why there is no answer. As an error of a tool it says what happened and
// what to do. It never repeats the input, which may be a private key.
type problem struct {
	Code           string `json:"code"`
	Reason         string `json:"reason"`
	Detail         string `json:"detail"`
	SuggestedChain string `json:"suggested_chain"`

	wait int // seconds until a retry helps; 0 if unknown
}

// advice returns the remedy for a problem, by its reason or else its code.
var advice = map[string]string{
	"secret":                "Do not send it again, and do not repeat it to anyone. Tell the person that this private key or seed is no longer safe, and ask for the address instead.",
	"bad_format":            "Ask the person for the address of a wallet.",
	"wrong_network":         "Ask for an address of the main network.",
	"wrong_chain":           "Call the tool again with the suggested chain, if the person means that chain.",
	"name_not_address":      "Ask the person for the address that the name stands for.",
	"several_accounts":      "Screen each of them by itself.",
	"rate_limited":          "Call again later, one call at a time.",
	"payment_request":       "Ask the person for the address of the wallet.",
	"interoperable_address": "Ask the person for the address alone, and on which chain it is.",
	"unsupported_chain":     "Leave out the chain, or use the full name of a supported one, such as bitcoin or ethereum, or eip155: and the number of an EVM chain.",
	"chain_needed":          "Ask the person whether the address is whole, and on which chain it is. Then call the tool again with the chain.",
	"invalid_address":       "Ask the person to copy the address again. It must be whole: do not complete or correct it yourself.",
	"missing_credentials":   "Ask the operator of this server for an API key, and set it in the configuration of the client.",
	"invalid_token":         "The API key is unknown, expired or revoked. Ask the operator of this server for another one.",
	"insufficient_scope":    "Ask the operator of this server for an API key with this scope.",
	"quota_exceeded":        "Nothing more is screened this month with this API key. Tell the person that the address was not screened.",
}

func (p *problem) Error() string {
	text := "not answered: " + p.Code
	if p.Reason != "" {
		text += " (" + p.Reason + ")"
	}
	text += "."
	if p.Detail != "" {
		text += " " + p.Detail
	}
	if p.SuggestedChain != "" {
		text += " Suggested chain: " + p.SuggestedChain + "."
	}
	text += " " + cmp.Or(advice[p.Reason], advice[p.Code], "Treat the address as not screened: it is not clean. Try again later.")
	if p.wait > 0 {
		text += fmt.Sprintf(" A retry may help after %d seconds.", p.wait)
	}
	return text
}
