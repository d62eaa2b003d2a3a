package httpapi

import (
	"net/http"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// An Observation is what Options.Observe is told of one answer: enough for
// metrics, for a log of accesses, and for the attributes of a trace. But for the
// address in Result, and the labels found for it, nothing in it is confidential;
// a log has no use for either.
//
// For tracing, wrap the handler in otelhttp.NewHandler, or in what the tracer at
// hand has: it puts its span into the context of the request, which is the one
// that Observe gets.
type Observation struct {
	// Route is the path of the endpoint, such as "/api/v1/screen" or "/docs",
	// whatever the handler is mounted under, and "" for a path that is none.
	Route string
	// Method is that of the request, which may be any word that the client made
	// up if the status is 404 or 405.
	Method string
	// Status is that of the answer, and Code the code of its problem, or "" if it
	// is a success.
	Status int
	Code   string
	// KeyID is the id of the key that was let in, or "".
	KeyID string
	// RequestID is that of the answer's X-Request-Id.
	RequestID string
	// Duration is the time from the call of the handler to the last byte of the
	// answer, as far as the http.ResponseWriter has taken it.
	Duration time.Duration
	// Result is what was answered, in a 200 of screen; otherwise it is zero, with a
	// Level of "".
	Result screening.Result
}

// A Screening is what Options.Audit is to keep of one answer: who was told what
// about which address, and on the ground of which lists.
type Screening struct {
	// Time is when the lists were asked.
	Time             time.Time
	RequestID, KeyID string
	// Chain is the chain that was asked about, by its slug, however the request
	// has named it.
	Chain address.Chain
	// Address is the one in the answer: in its normal form, or as it came if it is
	// a listed string that is no address.
	Address string
	// Result is what was answered. Its Digest names the lists.
	Result screening.Result
}

// observe tells Options.Observe of an answer that was written.
func (h *handler) observe(e *exchange, start time.Time, status int, code code) {
	o := Observation{
		Route: string(e.route), Method: e.Method, Status: status, Code: string(code),
		KeyID: e.grant.KeyID, RequestID: e.id, Duration: time.Since(start),
	}
	if status == http.StatusOK {
		o.Result = e.result
	}
	h.observer(e.Context(), o)
}
