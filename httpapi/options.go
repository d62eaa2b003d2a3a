package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/store"
)

// Options configure [NewHandler], [NewEndpoints] and [Admit]. A nil *Options and
// the zero value of each field mean the defaults.
type Options struct {
	// Prefix is the path below which the endpoints of [NewHandler] are, such as
	// "/compliance", or "/" for none, as the handler sees it: without what
	// [http.StripPrefix] removes. All other paths are 404. Empty means that the handler
	// does not know where it is mounted: it goes by the end of the path, so that whatever
	// comes before "/api/v1/screen" leads there. Set it if other rules, such as a proxy's,
	// go by the path.
	Prefix string

	// Meter counts the answered screenings of each caller. Nil counts nothing:
	// quotas and Idempotency-Key are ignored, and /api/v1/usage answers 404.
	Meter Meter

	// Store is the store of the Screener, whose journal /api/v1/changes reads. Nil
	// means that it lists no changes.
	Store store.Store

	// Logger receives each internal error, and each failure of the Authorizer, the
	// Meter and Audit, with the request id and the id of the caller. Lines of one
	// kind are limited to 10 at once and one each second; the next line says how many were left
	// out. A line never has the text of an error, which may quote the request, but the part
	// that failed, the types of the errors, and the error of the operating system or the
	// SQLSTATE of the database behind it. Nil means no log.
	Logger *slog.Logger

	// Observe is called once for each answer, after it was written, by the goroutine
	// that served it; by [Admit] for what it does not admit. It may be called concurrently. Nil costs nothing.
	Observe func(context.Context, Observation)

	// Audit records the screenings of an answer before it is written; a whole batch at once.
	// They are valid until it returns. If it returns an error, the response is 503
	// audit_unavailable. It may be called concurrently. Package audit has one that writes files.
	// Nil keeps no records.
	Audit func(context.Context, ...Screening) error

	// Receipt returns the receipt of a screening of a text, for a client that sends "receipt": true: what
	// Encode returns for the receipt of [receipt.New]. An error is logged
	// and answered with 500. It may be called concurrently. Nil writes no receipts: the client
	// gets 400 receipt_unavailable.
	//
	// [receipt.New]: https://pkg.go.dev/github.com/walletscreen/walletscreen/screening/receipt#New
	Receipt func(s Screening, text string) ([]byte, error)

	// Past returns the lists of an instant, for a client that sends "at": see
	// [screening.OpenAt], and [screening.Reconstruct] for a time before anything was kept. The caller needs the scope past beside screen. The Past that was asked
	// for last is kept. The function is called by one goroutine at a time, and its context ends when
	// the answer could hardly be sent. Nil means that the client gets 400 past_unavailable.
	Past func(ctx context.Context, at time.Time) (*screening.Past, error)

	// Origins are the origins whose pages may call the API, such as
	// "https://app.example", or "*" for all. Empty means none: no response has a
	// CORS field, so browsers refuse calls from other origins.
	Origins []string

	// ClientRate is the number of requests per second that one client address may
	// make without being admitted, as a long-term average, and ten times as many at once:
	// requests for documents and unknown paths, and those that the
	// Authorizer refuses. One more gets 429 rate_limited. Zero means no
	// limit. The client address is the IP address of Request.RemoteAddr, of an IPv6 address its
	// first 64 bits; behind a proxy, set it to the address that the proxy gives before the handler is called.
	ClientRate float64
}

// Errors that an [Authorizer] and a [Meter] return or wrap. Their text reaches no
// client. If an error in the chain has a method RetryAfter() time.Duration, the
// response has a Retry-After field.
var (
	// ErrNoCredentials reports that the request has no credentials: 401
	// missing_credentials.
	ErrNoCredentials = errors.New("no credentials")

	// ErrUnauthorized reports that the caller is not admitted: 401 invalid_token.
	ErrUnauthorized = errors.New("unauthorized")

	// ErrUnavailable reports that no decision is possible at the moment: 503
	// keys_unavailable from an Authorizer, 503 quota_unavailable from a Meter.
	ErrUnavailable = errors.New("unavailable")

	// ErrExhausted reports that the quota is used up: 429 quota_exceeded.
	ErrExhausted = errors.New("quota used up")

	// ErrIdempotencyKey reports that an Idempotency-Key is malformed: 400
	// invalid_idempotency_key.
	ErrIdempotencyKey = errors.New("malformed Idempotency-Key")

	// ErrKeyReused reports that an Idempotency-Key was used for another request: 422
	// idempotency_key_reused.
	ErrKeyReused = errors.New("Idempotency-Key reused for another request")
)

// An Authorizer decides which requests are admitted, and who the caller is: by a
// session cookie, a client certificate, a field that a gateway sets, or an API key.
// Package access has one for API keys. Authorize may be called concurrently, and is
// called before anything else is done for the request.
type Authorizer interface {
	// Authorize returns the caller of r. It must not read the body. The error is,
	// or wraps, ErrNoCredentials, ErrUnauthorized or ErrUnavailable; any other error
	// is logged and answered with 500.
	Authorize(r *http.Request) (Caller, error)
}

// A Caller describes the client behind a request, as an [Authorizer] sees it.
type Caller struct {
	// ID identifies the caller in quotas, logs and audit records, for example
	// "payments" or "user@corp.example". It must not be empty and is not secret.
	ID string

	// Scopes are the scopes that the caller has, separated by spaces: see [Admit].
	// Empty means all. The endpoints have screen, sources, usage and validate. Past, beside
	// screen, screens with the lists of an earlier time. Own shows what the operator has
	// written: beside sources the entries of his own lists, beside screen their references and
	// reasons, and the reasons and authors of exceptions.
	Scopes string

	// Quota is the number of screenings in a calendar month (UTC) that
	// Options.Meter allows. Zero or less means no limit.
	Quota int64

	// Burst limits the requests of the caller. All requests of one caller must
	// share one Limiter. Nil means no limit.
	Burst *rate.Limiter
}

// A Meter counts answered screenings, and enforces Caller.Quota. Package access has
// one that shares its counts through a database. Its methods may be called
// concurrently.
type Meter interface {
	// Charge charges the caller of r with n screenings, after the body of r was
	// validated and before it is answered. It returns how many are granted: fewer
	// than n, and at least one, if the quota ends there. If r repeats an earlier
	// request by its Idempotency-Key, nothing is charged and as many are granted as
	// then. The handler calls refund with the number of granted screenings that are not answered
	// after all, perhaps in parts. It is not nil if err is nil.
	Charge(r *http.Request, c Caller, n int, body []byte) (granted int, refund func(n int), err error)

	// Used returns how many screenings c was answered in the current period, which
	// begins at from and ends at until. If ask is false it may return what it knows
	// already, and waits only a moment.
	Used(ctx context.Context, c Caller, ask bool) (used int64, from, until time.Time, err error)
}
