package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

// What the tests of other packages need of this one.

// A ResultWriter is a resultWriter.
type ResultWriter struct{ w resultWriter }

// Append appends the answer r to a request, as it is sent.
func (w *ResultWriter) Append(b []byte, address, chain string, r *screening.Result, now time.Time) []byte {
	return w.w.append(b, screenRequest{address, chain}, r, now)
}

// AppendLabel returns a label as it is sent.
func AppendLabel(l screening.Label) []byte { return append(appendLabel(nil, &l), '}') }

// AppendSuppressed returns what is suppressed as it is sent.
func AppendSuppressed(x screening.Suppressed) []byte { return appendSuppressed(nil, &x) }

// AppendString returns s as a JSON string, as it is sent.
func AppendString(s string) []byte { return appendString(nil, s) }

// Plain is plain.
func Plain(s string) int { return plain(s) }

// Ending returns the end of an answer, from data_freshness on, as it is sent.
func Ending(status []screening.SourceStatus, version string, now time.Time) []byte {
	return []byte(newEnding(status, version, now).text)
}

// ReadScreenRequest returns the fields of a body, or the code and the reason of
// what is wrong with it. ReadAny is the same without the hurry.
func ReadScreenRequest(body []byte) (address, chain, code, reason string) {
	return fieldsOf(readScreenRequest(body))
}

func ReadAny(body []byte) (address, chain, code, reason string) { return fieldsOf(readAny(body)) }

func fieldsOf(req screenRequest, p *problem) (address, chain, code, reason string) {
	if p != nil {
		return "", "", string(p.Code), p.Reason
	}
	return req.Address, req.Chain, "", ""
}

// ReadPlain returns the fields of a body that is read in a hurry.
func ReadPlain(body string) (address, chain string, ok bool) {
	req, ok := readPlain(body)
	return req.Address, req.Chain, ok
}

// Limits returns the limits that a handler has.
func Limits(h http.Handler) (body int64, timeout time.Duration, concurrent int64, depth, token int) {
	l := h.(*handler)
	return l.maxBody, l.bodyTimeout, l.maxConcurrent, maxDepth, maxToken
}

// Matches reports whether the lines of an If-None-Match match a tag.
func Matches(lines []string, tag string, weakly bool) bool { return matches(lines, tag, weakly) }

// ProblemOf returns the problem of an error, as it is sent.
func ProblemOf(err error) (map[string]any, http.Header) {
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/api/v1/screen", nil)
	e := &exchange{Request: r, w: w, id: "id"}
	h := NewHandler(nil, nil, nil).(*handler)
	var p map[string]any
	if err := json.Unmarshal(h.problemOf(e, "given", err).finish(e), &p); err != nil {
		panic(err)
	}
	return p, w.Header()
}

// Codes returns all codes.
func Codes() (all []string) {
	for c := range codes {
		all = append(all, string(c))
	}
	return all
}

// Remembered returns how many ids r holds.
func Remembered(r *Keyring) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.unknown)
	r.known.Range(func(any, any) bool { n++; return true })
	return n
}

// Reserve takes one of the quota of g, and returns what gives it back.
func (q *Quota) Reserve(ctx context.Context, g Grant) (release func(), err error) {
	l, err := q.reserve(ctx, &g, time.Now())
	return l.release, err
}

// ErrExhausted is the error of Reserve for a quota that is used up.
var ErrExhausted = errExhausted

// Remaining returns what q knows to be left for g.
func (q *Quota) Remaining(g Grant) (int64, bool) {
	l, err := q.ledger(g.KeyID, max(g.Quota, 0), time.Now())
	if err != nil {
		return 0, false
	}
	return q.left(context.Background(), l, &g, time.Now())
}

// Admit returns a function that lets a request in, counts it and says what is
// left, as ServeHTTP does.
func Admit(keys Authorizer, quota *Quota) func(*http.Request) {
	h := newHandler(nil, keys, &Options{Quota: quota})
	pool := sync.Pool{New: func() any { return &exchange{w: httptest.NewRecorder()} }}
	return func(r *http.Request) {
		e := pool.Get().(*exchange)
		*e = exchange{Request: r, w: e.w, values: e.values[:0]}
		if p := h.admit(e, ScopeScreen); p != nil {
			panic(p.Code)
		}
		if p := h.charge(e, "", nil); p != nil {
			panic(p.Code)
		}
		h.setRateLimit(e)
		pool.Put(e)
	}
}
