package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

// This file exports identifiers for the tests of package httpapi_test.

// answering keeps the members of the snapshot that were answered last.
var answering = new(service)

// Answer returns the body of the response for the result r.
func Answer(address, chain string, r *screening.Result, now time.Time) []byte {
	return AnswerTo("", address, chain, r, now, time.Time{})
}

// AnswerTo is Answer for a caller with scopes, and for the lists of a time.
func AnswerTo(scopes, address, chain string, r *screening.Result, now, asOf time.Time) []byte {
	e := &exchange{service: answering, now: now, asOf: asOf, caller: Caller{Scopes: scopes}}
	w, _ := e.newResult(address, chain, *r)
	return slices.Concat(e.bodyOf(&w, *r), e.shared)
}

// ReadScreenRequest returns the fields of a body, or the code and the reason of its
// problem.
func ReadScreenRequest(body []byte) (address, chain, code, reason string) {
	e := &exchange{route: &routes[0]}
	if p := e.readObject(body); p != nil {
		return "", "", p.Code.name, p.Reason
	}
	return e.fields["address"].(string), e.fields["chain"].(string), "", ""
}

// ItemsRead returns how many items of the body of a batch are in memory after it was read.
func ItemsRead(body []byte) int {
	e := &exchange{route: &routes[1]}
	if p := e.readObject(body); p != nil {
		panic(p.Detail)
	}
	return len(e.fields["items"].([]any))
}

// Limits returns the limits of a handler.
func Limits(h http.Handler) (body int64, timeout time.Duration, concurrent int64, depth int) {
	l := h.(endpoint)
	return l.maxBody, l.bodyTimeout, l.most, maxDepth
}

// LimitConcurrent sets the number of requests at once, and returns the handler.
func LimitConcurrent(h http.Handler, most int64) http.Handler {
	h.(endpoint).most = most
	return h
}

// LimitBody sets the limits of a body, 0 bytes for the default, and returns the handler.
func LimitBody(h http.Handler, most int64, timeout time.Duration) http.Handler {
	l := h.(endpoint)
	l.bodyTimeout = timeout
	if most > 0 {
		l.maxBody = most
	}
	return h
}

// HoldTurns takes all turns of a handler until release is called.
func HoldTurns(h http.Handler) (release func()) {
	turns := h.(endpoint).turns
	for range cap(turns) {
		turns <- struct{}{}
	}
	return func() {
		for range cap(turns) {
			<-turns
		}
	}
}

// LimitUnread sets the limits of the bytes of answers that were not read, and returns those that
// hold without it.
func LimitUnread(h http.Handler, all, each int) (most, mostEach int) {
	h.(endpoint).answers.most, h.(endpoint).answers.mostEach = all, each
	return maxUnread, maxUnreadEach
}

// Matches reports whether the lines of an If-None-Match match a tag.
func Matches(lines []string, tag string, weakly bool) bool { return matches(lines, tag, weakly) }

// InQuery is inQuery.
func InQuery(query string) bool { return inQuery(query) }

// ProblemOf returns the problem for an error, as in a response.
func ProblemOf(err error) (map[string]any, http.Header) {
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/api/v1/screen", nil)
	e := newService(nil, nil, nil).begin(w, r, &noRoute)
	e.id = "id"
	var p map[string]any
	if err := json.Unmarshal(e.finish(e.failed(err)), &p); err != nil {
		panic(err)
	}
	return p, w.Header()
}

// Codes returns all codes.
func Codes() (all []string) {
	text, err := os.ReadFile("problem.go")
	if err != nil {
		panic(err)
	}
	for _, found := range regexp.MustCompile(`&code\{"(\w+)"`).FindAllSubmatch(text, -1) {
		all = append(all, string(found[1]))
	}
	return all
}

// Charge returns a function that admits a request, charges it and sets its RateLimit
// fields, like the handler.
func Charge(auth Authorizer, meter Meter) func(*http.Request) {
	v := newService(nil, auth, &Options{Meter: meter})
	return func(r *http.Request) {
		e := v.begin(discard{make(http.Header, 4)}, r, &routes[0])
		if p := e.admit(scopeScreen); p != nil {
			panic(p.Code.name)
		}
		if p := e.charge(1); p != nil {
			panic(p.Code.name)
		}
		e.setRateLimit()
	}
}

// A discard is a ResponseWriter that discards the body.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}
