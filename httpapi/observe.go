package httpapi

import (
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// An Observation describes one answer to Options.Observe, for metrics, access logs
// and traces. Only Screenings is confidential: it holds the addresses and their labels.
//
// For tracing, wrap the handler in otelhttp.NewHandler or the like: Observe receives
// the context of the request, with the span.
type Observation struct {
	// Route is the path of the endpoint, such as "/api/v1/screen" or "/openapi.yaml",
	// without the prefix under which the handler is mounted; "" for an unknown path, and for
	// what [Admit] has refused.
	Route string
	// Method is the method of the request: one of the constants of package net/http, or
	// "_OTHER".
	Method string
	// Status is the status of the response, and Code the code of its problem, or ""
	// for a success.
	Status int
	Code   string
	// CallerID is the ID of the caller, or "" if the request was not admitted.
	CallerID string
	// RequestID is the value of X-Request-Id in the response.
	RequestID string
	// Duration is the time from the call of the handler until the ResponseWriter
	// has accepted the last byte.
	Duration time.Duration
	// Screenings are the addresses that were answered with 200: one, or all of a batch. They
	// are valid until Observe returns.
	Screenings []Screening
}

// A Screening is the record of one answered address.
type Screening struct {
	// Time is when the address was screened.
	Time time.Time
	// RequestID is the value of X-Request-Id in the response, and Item the index of
	// the address in a batch; 0 for a single screening.
	RequestID string
	Item      int
	// CallerID is the ID of the caller.
	CallerID string
	// Chain is the slug of the chain, whatever name the request used.
	Chain address.Chain
	// Address is the address in the answer: in normal form, or verbatim if it is a
	// listed string that is not an address.
	Address string
	// Result is the answer. Its Digest names the lists, and AsOf is their time; zero: it is Time.
	Result screening.Result
	AsOf   time.Time
}
