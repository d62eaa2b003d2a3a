package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

// What the tests of other packages need of this one.

// AppendResult returns the answer r to a request as it is sent, and as
// encoding/json writes the same value.
func AppendResult(address, chain string, r screening.Result, now time.Time) (got, want []byte) {
	return both(newResult(screenRequest{address, chain}, r, now))
}

func both(r result) (got, want []byte) {
	return append(r.appendJSON(nil), '\n'), marshal(r)
}

// AppendAny is AppendResult for a result that holds the strings and numbers
// given, in n labels and sources.
func AppendAny(s string, i int64, at time.Time, n int) (got, want []byte) {
	r := result{Address: s, Chain: s, Score: int(i), Level: "HIGH", Labels: []label{}, DataFreshness: freshnessBySrc{}, ScoringVersion: s, Disclaimer: s}
	for range n {
		r.Labels = append(r.Labels, label{Label: "SCAM", Source: s, SourceRef: s, AddedAt: timestamp{at}, Match: s, ListedAddress: s})
		r.DataFreshness = append(r.DataFreshness, freshness{source: s, LastUpdated: timestamp{at}, AgeSeconds: age(i)})
	}
	return both(r)
}

// AppendString returns s as a JSON string, as it is sent and as encoding/json
// writes it.
func AppendString(s string) (got, want []byte) {
	return append(appendString(nil, s), '\n'), marshal(s)
}

// Freshness returns data_freshness, in the order of its source ids, as it is
// sent and as encoding/json writes a map of the same values.
func Freshness(sorted []screening.SourceStatus, now time.Time) (got, want []byte) {
	all, byID := freshnessBySrc{}, map[string]freshness{}
	for _, s := range sorted {
		f := freshness{source: s.Info.ID, LastUpdated: timestamp{s.LastUpdated}, AgeSeconds: age(now.Sub(s.LastUpdated) / time.Second)}
		all, byID[f.source] = append(all, f), f
	}
	got = append(all.appendJSON(nil), '\n')
	return got, marshal(byID)
}

// ReadScreenRequest returns the fields of a body, or the code and the reason of
// what is wrong with it.
func ReadScreenRequest(body []byte) (address, chain, code, reason string) {
	req, p := readScreenRequest(body)
	if p != nil {
		return "", "", string(p.Code), p.Reason
	}
	return req.Address, req.Chain, "", ""
}

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

// AppendOnly and MarshalOnly are the two halves of AppendResult, to be timed.
func AppendOnly(b []byte, address, chain string, r screening.Result) []byte {
	return newResult(screenRequest{address, chain}, r, time.Now()).appendJSON(b)
}

func MarshalOnly(address, chain string, r screening.Result) []byte {
	return marshal(newResult(screenRequest{address, chain}, r, time.Now()))
}
