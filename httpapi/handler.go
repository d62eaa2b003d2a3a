// Package httpapi answers screening questions over HTTP, with the lists of a
// [screening.Screener]. [NewHandler] returns a plain [http.Handler] for three
// endpoints, which the caller mounts where it likes:
//
//	GET  {base_url}/api/v1/sources   the state of every list
//	POST {base_url}/api/v1/screen    screens one address: {"address": "…", "chain": "…"}
//	GET  {base_url}/api/v1/usage     what the caller's key has used of its quota
//
// and for their description in OpenAPI 3.1, which needs no key:
//
//	GET  {base_url}/openapi.yaml     for programs
//	GET  {base_url}/docs             for people; the page loads nothing else
//
// A request is known by the end of its path, so the handler may be mounted
// under any prefix, with or without [http.StripPrefix]. It brings no router, no
// listener, no log and no global state, and never refreshes the lists: that is for
// the caller to do, with [screening.Screener.Run]. The only goroutines are those of
// a [Quota] and of a [Keyring], while they ask their store.
//
// # Order
//
// A request is authenticated, then held against the burst limit and the scopes of
// its key, then read and validated, then counted against the quota of its key, then
// answered from the lists and put on record; the first step that fails makes the
// answer, and only a 200 of screen counts. Only what the published interface says to
// anyone comes before: 503 for one request too many at once, 404 for another path,
// 405 for another method, 204 for OPTIONS, and the two documents. So nothing about
// the lists, the chains or an address is said to whom the [Authorizer] does not let
// in.
//
// # Keys and quotas
//
// An [Authorizer] says who is let in: [Keys] are a fixed set, and a [Keyring] has
// those of a [Store], which are issued, rotated and revoked while it runs. What a
// key is granted is in its [Grant]: the endpoints that it is good for, requests at
// once and per second, and screenings in a calendar month, which a [Quota] counts
// across all processes that share a Store. Every answer to a key that is limited
// says what is left, in RateLimit and RateLimit-Policy. A call of screen with an
// Idempotency-Key may be repeated for 24 hours and is counted once.
//
//	store, err := sqlite.Open(ctx, "keys.db") // of package sqlstore/sqlite
//	token, key, err := httpapi.IssueKey(httpapi.Key{Name: "billing", Quota: 10000})
//	err = store.PutKey(ctx, key) // the token is for its owner
//
//	keys, quota := httpapi.NewKeyring(store, nil), httpapi.NewQuota(store, nil)
//	h := httpapi.NewHandler(s, keys, &httpapi.Options{Quota: quota})
//
// After the server that h is in, quota is closed, then keys, and store at last.
//
// # Hooks
//
// Options.Observe is told of each answer, for metrics and logs of accesses; it has
// no say in it. Options.Audit has: what it does not take on record is not answered.
// A tracer wraps the handler. [NewEndpoints] is for a router that dispatches each
// endpoint itself.
//
// # Answers
//
// A success is 200 and JSON, but for the two documents, for OPTIONS, which is
// answered with 204, and for 304, below. Everything else is 4xx or 5xx and a problem
// of RFC 9457, application/problem+json, whose code is one of those in problems.md
// beside this file; for what is wrong with the input it names the field and the
// reason. No problem repeats the input, though a hint may show the right spelling
// of an address; and of a key, be it the caller's or a private one that was sent
// for an address, nothing is in any answer.
//
// What an operator's [screening.Exception] takes out of the score is in a member of
// its own, suppressed: labels, each with the reason, the author and expires_at, which
// is null if the exception does not end. It is not there if nothing is suppressed.
//
// Every answer has X-Request-Id: that of the request, if it is 1 to 128 visible
// ASCII characters and no key, else a new random one. Every answer has Cache-Control:
// no-store, for what somebody screens is nobody else's business; but that of
// sources has an ETag, and private, no-cache, so that whoever sends the tag back in
// If-None-Match is told with a 304 that nothing has changed; and so have the two
// documents, which anyone may keep for five minutes. To an If-Match that has another
// tag they answer 412. HEAD is answered where GET is. Accept is ignored, and so is the
// query, but that an endpoint that needs a key refuses one in the query.
//
// Times are RFC 3339 in UTC with "Z", in whole seconds; what is smaller is cut.
//
// # Limits
//
// All that a request can make the handler hold or wait for is bounded:
//
//	the body                   16 KiB       413 body_too_large        Options.MaxBody
//	the time for the body      10 seconds   408 request_timeout       Options.BodyTimeout
//	requests at once           1024         503 overloaded            Options.MaxConcurrent
//	values within one another  32 deep      400 invalid_json
//	a key                      4096 bytes   401 invalid_token
//
// The server that the handler is mounted in bounds the rest: set ReadHeaderTimeout,
// WriteTimeout, IdleTimeout and MaxHeaderBytes of [http.Server]; if it has a
// ReadTimeout, that takes the place of BodyTimeout. What a request leaves unread of
// its body is read by the server, in the same time, so that a caller that sends a
// byte now and then does not outlast it. The limit on time needs a ResponseWriter
// that [http.ResponseController] can set a deadline on, as the server's is: a
// wrapper around it must have a method Unwrap.
//
// # Clean means clean
//
// CLEAN_NO_MATCH is answered only if every required list is loaded, and not
// older than the Screener allows. Otherwise the answer is 503 with Retry-After,
// and sources still tells why.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// Options are what NewHandler can be told. A nil *Options, and the zero value
// of each field, mean the defaults.
type Options struct {
	// Logger is told of each 500, keys_unavailable and audit_unavailable, with the
	// request id, the id of the key and the error. Nil means no log. It is never given
	// a key or an address: both are cut out of the error's text.
	Logger *slog.Logger

	// MaxBody is the size in bytes that a request's body may have. Zero, or less,
	// means 16 KiB.
	MaxBody int64

	// BodyTimeout is the time within which a request's body must have come, on a
	// server without a ReadTimeout of its own. Zero, or less, means 10 seconds.
	BodyTimeout time.Duration

	// MaxConcurrent is how many requests are answered at once. One more is answered
	// with 503 overloaded at once; none waits. Zero, or less, means 1024.
	MaxConcurrent int

	// Quota counts the screenings of each key, and holds it to those that it is
	// granted. Nil means one in memory: exact for this handler, but it knows of no
	// other one, and forgets when the process ends.
	Quota *Quota

	// Realm is the realm that a 401 names (RFC 9110, section 11.5). Empty means
	// "walletscreen".
	Realm string

	// Observe is told of each answer after it was written, once, by the goroutine
	// that has served it, with the context of the request. It may be called
	// concurrently, and the connection waits for it. Nil costs nothing.
	Observe func(context.Context, Observation)

	// Audit is asked to take the record of a screening before its 200 is written.
	// If it returns an error, the answer is 503 audit_unavailable instead, and the
	// error is logged: nobody is told what is not on record. It may be called
	// concurrently. Package audit has one that writes files. Nil keeps no records.
	Audit func(context.Context, Screening) error
}

// NewHandler returns a handler that answers with the lists of s to those whom
// keys lets in; see the package comment. s must not be nil; it need not have loaded
// anything yet. A nil keys lets nobody in. A nil opts means the defaults. The handler
// may be used concurrently, and has nothing that is to be closed, but for a [Quota]
// or a [Keyring] that it was given.
func NewHandler(s *screening.Screener, keys Authorizer, opts *Options) http.Handler {
	return newHandler(s, keys, opts)
}

// Endpoints are the endpoints of [NewHandler] one by one, for who routes requests
// himself. Each answers whatever its path is, and all other methods than its own
// with 405, so that a pattern need not name a method.
type Endpoints struct {
	Sources http.Handler // GET /api/v1/sources
	Screen  http.Handler // POST /api/v1/screen
	Usage   http.Handler // GET /api/v1/usage
	OpenAPI http.Handler // GET /openapi.yaml
	Docs    http.Handler // GET /docs, which links to openapi.yaml beside it
}

// NewEndpoints returns the endpoints of the handler that NewHandler would return.
func NewEndpoints(s *screening.Screener, keys Authorizer, opts *Options) Endpoints {
	h := newHandler(s, keys, opts)
	return Endpoints{
		Sources: h.endpoint(sourcesPath), Screen: h.endpoint(screenPath), Usage: h.endpoint(usagePath),
		OpenAPI: h.endpoint(openAPIPath), Docs: h.endpoint(docsPath),
	}
}

func newHandler(s *screening.Screener, keys Authorizer, opts *Options) *handler {
	if opts == nil {
		opts = &Options{}
	}
	h := &handler{
		screener: s, keys: keys, quota: opts.Quota, log: opts.Logger, observer: opts.Observe, audit: opts.Audit,
		maxBody: opts.MaxBody, bodyTimeout: opts.BodyTimeout, maxConcurrent: int64(opts.MaxConcurrent),
	}
	if h.keys == nil {
		h.keys = &Keys{}
	}
	if h.quota == nil {
		h.quota = NewQuota(NewMemory(), nil)
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.maxBody <= 0 {
		h.maxBody = defaultMaxBody
	}
	if h.bodyTimeout <= 0 {
		h.bodyTimeout = defaultBodyTimeout
	}
	if h.maxConcurrent <= 0 {
		h.maxConcurrent = defaultMaxConcurrent
	}
	realm := opts.Realm
	if realm == "" {
		realm = "walletscreen"
	}
	h.challenge = "Bearer realm=" + quotedString(realm)
	return h
}

type handler struct {
	screener  *screening.Screener
	keys      Authorizer
	quota     *Quota
	log       *slog.Logger
	challenge string // of a 401, without an error
	observer  func(context.Context, Observation)
	audit     func(context.Context, Screening) error
	results   resultWriter
	bursts    bursts

	maxBody       int64
	bodyTimeout   time.Duration
	maxConcurrent int64
	running       atomic.Int64 // requests that are being answered
	exchanges     sync.Pool    // of *exchange, to be used again
}

// A route is an endpoint, by the end of its path; "" is none.
type route string

const (
	sourcesPath route = "/api/v1/sources"
	screenPath  route = "/api/v1/screen"
	usagePath   route = "/api/v1/usage"
	openAPIPath route = "/openapi.yaml"
	docsPath    route = "/docs"
)

// routeOf returns the route of a URL, by the end of its path.
func routeOf(u *url.URL) route {
	for _, r := range []route{screenPath, sourcesPath, usagePath, openAPIPath, docsPath} {
		if strings.HasSuffix(u.Path, string(r)) && (u.RawPath == "" || hasSegments(u.EscapedPath(), r)) {
			return r
		}
	}
	return ""
}

// hasSegments reports whether the last segments of a path, which may be escaped,
// are those of r. "%2F" is none of the slashes between them (RFC 3986, section 2.2).
func hasSegments(escaped string, r route) bool {
	at := len(escaped)
	for range strings.Count(string(r), "/") {
		if at = strings.LastIndexByte(escaped[:at], '/'); at < 0 {
			return false
		}
	}
	plain, err := url.PathUnescape(escaped[at:])
	return err == nil && plain == string(r)
}

// An exchange is one request on its way to an answer.
type exchange struct {
	*http.Request
	w      http.ResponseWriter // for its header, and to bound the body
	route  route
	id     string           // of the request
	now    time.Time        // about when it was let in
	grant  Grant            // what the key that was let in is good for
	bucket *bucket          // its burst limit, or nil
	token  string           // what was presented as a key
	text   string           // what was given as an address
	normal string           // how it is put on record
	charge charge           // for a 200
	result screening.Result // of a screening that succeeded, for the observer

	surplus   bool     // beyond MaxConcurrent
	unchanged bool     // the caller has the answer already
	media     string   // the type of the answer, or "" for JSON
	buf       []byte   // for the bodies of request and answer
	values    []string // what fields of the answer have, in one piece
}

// maxKept is the size up to which a buffer is kept for other exchanges.
const maxKept = 64 << 10

// begin returns a new exchange, for end to take back.
func (h *handler) begin(w http.ResponseWriter, r *http.Request, to route) *exchange {
	e, _ := h.exchanges.Get().(*exchange)
	if e == nil {
		e = &exchange{buf: make([]byte, 0, 2<<10)}
	}
	// The header refers to the values for as long as others want to read it.
	e.Request, e.w, e.route, e.id, e.values = r, w, to, requestID(r.Header), make([]string, 0, 2)
	return e
}

// end ends e: nothing refers to it any more, nor it to anything.
func (h *handler) end(e *exchange) {
	if cap(e.buf) <= maxKept {
		*e = exchange{buf: e.buf[:0]}
		h.exchanges.Put(e)
	}
}

// Values that most answers have. The headers share them: whoever adds another one
// makes a copy, as there is no room.
var (
	nosniff     = []string{"nosniff"}
	noStore     = []string{"no-store"}
	jsonContent = []string{"application/json"}
)

// setHeader sets a field of the answer, whose name is in canonical form. It spares
// the allocation of each.
func (e *exchange) setHeader(name, value string) {
	e.values = append(e.values, value)
	n := len(e.values)
	e.w.Header()[name] = e.values[n-1 : n : n]
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.serve(w, r, routeOf(r.URL))
}

// endpoint returns the handler of one route, whatever the path.
func (h *handler) endpoint(to route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, to) })
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request, to route) {
	var start time.Time
	if h.observer != nil {
		start = time.Now()
	}
	e := h.begin(w, r, to)
	status, code := h.respond(e)
	if h.observer != nil {
		h.observe(e, start, status, code)
	}
	h.end(e) // unless something has panicked
}

// countedByServer is the length below which net/http sees to the Content-Length of
// what is written at once, in less time than it takes to set and to copy a field.
// That of a result is left to it.
const countedByServer = 2048

// respond answers e, and returns what it has answered.
func (h *handler) respond(e *exchange) (int, code) {
	e.setHeader("X-Request-Id", e.id)
	header := e.w.Header()
	header["X-Content-Type-Options"] = nosniff
	header["Cache-Control"] = noStore

	e.surplus = h.running.Add(1) > h.maxConcurrent
	defer h.running.Add(-1)
	body, p := h.answer(e)
	if p != nil {
		h.undo(e)
	}
	lean := p == nil && e.Method == http.MethodPost // a result, which no link leads to
	if !lean && e.w.Header()["Content-Security-Policy"] == nil {
		e.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	}
	if e.grant.KeyID != "" {
		h.setRateLimit(e)
	}
	status, code := http.StatusOK, code("")
	switch {
	case p != nil:
		body = p.finish(e)
		status, code = p.Status, p.Code
		e.setHeader("Content-Type", "application/problem+json")
	case body == nil:
		status = http.StatusNoContent
		if e.unchanged {
			status = http.StatusNotModified
		}
		e.w.WriteHeader(status)
		return status, ""
	case e.media != "":
		e.setHeader("Content-Type", e.media)
	default:
		header["Content-Type"] = jsonContent
	}
	if !lean || len(body) >= countedByServer {
		e.setHeader("Content-Length", strconv.Itoa(len(body)))
	}
	e.w.WriteHeader(status)
	if e.Method != http.MethodHead {
		e.w.Write(body) // an error means that nobody is there to be told
	}
	return status, code
}

// answer returns the body of a 200, or nil for a 204, or else the problem. It
// writes nothing, so that a panic on the way can still be answered.
func (h *handler) answer(e *exchange) (body []byte, p *problem) {
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler {
				h.undo(e)
				panic(v)
			}
			body, p = nil, h.internal(e, fmt.Errorf("panic: %v", v), slog.String("stack", string(debug.Stack())))
		}
	}()
	h.limitBodyTime(e)
	if e.surplus {
		e.setHeader("Retry-After", "1")
		return nil, &problem{Code: overloaded, Detail: "Too many requests are being answered at once, and none waits for its turn. Ask again."}
	}
	switch e.route {
	case screenPath:
		if p := e.allow("POST, OPTIONS", http.MethodPost); p != nil || e.Method == http.MethodOptions {
			return nil, p
		}
		if p := h.admit(e, ScopeScreen); p != nil {
			return nil, p
		}
		return h.screen(e)
	case sourcesPath:
		if p := e.allow("GET, HEAD, OPTIONS", http.MethodGet, http.MethodHead); p != nil || e.Method == http.MethodOptions {
			return nil, p
		}
		if p := h.admit(e, ScopeSources); p != nil {
			return nil, p
		}
		return h.sources(e)
	case usagePath:
		if p := e.allow("GET, HEAD, OPTIONS", http.MethodGet, http.MethodHead); p != nil || e.Method == http.MethodOptions {
			return nil, p
		}
		if p := h.admit(e, ScopeUsage); p != nil {
			return nil, p
		}
		return h.usage(e)
	case openAPIPath, docsPath:
		if p := e.allow("GET, HEAD, OPTIONS", http.MethodGet, http.MethodHead); p != nil || e.Method == http.MethodOptions {
			return nil, p
		}
		return e.document(documents()[e.route])
	}
	return nil, &problem{Code: notFound, Detail: "There is nothing here. The paths end in " + string(sourcesPath) + ", " + string(screenPath) + " and " + string(usagePath) + "."}
}

// allow returns nil if the method is OPTIONS or among methods. For OPTIONS, and
// for methods that are not allowed, it sets Allow.
func (e *exchange) allow(allow string, methods ...string) *problem {
	for _, m := range methods {
		if e.Method == m {
			return nil
		}
	}
	e.w.Header().Set("Allow", allow)
	if e.Method == http.MethodOptions {
		return nil
	}
	return &problem{Code: methodNotAllowed, Detail: "The methods allowed here are " + allow + "."}
}

// screen answers a POST to the screen path.
func (h *handler) screen(e *exchange) ([]byte, *problem) {
	if p := checkContent(e); p != nil {
		return nil, p
	}
	key, p := idempotencyKey(e)
	if p != nil {
		return nil, p
	}
	body, p := h.readBody(e)
	if p != nil {
		return nil, p
	}
	req, p := readScreenRequest(body)
	if p != nil {
		return nil, p
	}
	e.text = req.Address
	chain, err := address.ParseChain(req.Chain)
	if err != nil {
		return nil, h.problemOf(e, req.Chain, err)
	}
	result, err := h.screener.ScreenText(chain, req.Address)
	if err != nil && errors.As(err, new(*address.ParseError)) {
		return nil, h.problemOf(e, req.Chain, err)
	}
	if p := h.charge(e, key, body); p != nil { // before what is no fault of the input
		return nil, p
	}
	if err != nil {
		return nil, h.problemOf(e, req.Chain, err)
	}
	now := e.now.Add(time.Since(e.now)) // in half the time of time.Now
	if h.audit != nil {
		record := Screening{Time: now, RequestID: e.id, KeyID: e.grant.KeyID, Chain: chain, Address: screened(req, &result), Result: result}
		e.normal = record.Address
		if err := h.audit(e.Context(), record); err != nil {
			h.logError(e, fmt.Errorf("audit: %w", err))
			return nil, &problem{Code: auditUnavailable, Detail: "The screening could not be put on record, so it is not answered."}
		}
	}
	if h.observer != nil {
		e.result = result
	}
	e.buf = h.results.append(e.buf[:0], req, &result, now) // over the question
	return e.buf, nil
}

// sources answers a GET to the sources path. The answer has no ages, so its tag
// holds until a list is loaded.
func (h *handler) sources(e *exchange) ([]byte, *problem) {
	body := marshal(newSources(h.screener.Sources()))
	tag := etag(body)
	if p := e.compareTag(tag); p != nil {
		return nil, p
	}
	e.setHeader("Etag", tag)
	e.setHeader("Cache-Control", "private, no-cache") // ask each time
	if e.unchanged {
		return nil, nil
	}
	return body, nil
}

// checkContent returns the problem of a request whose body is not said to be
// plain JSON. Other parameters than charset mean nothing and are ignored, as RFC
// 8259 has none. Types that end in +json promise a meaning which is not ours.
func checkContent(e *exchange) *problem {
	if types := e.Header["Content-Type"]; len(types) != 1 || types[0] != "application/json" && !isJSON(types[0]) {
		return &problem{Code: unsupportedMediaType, Detail: "Send the body as Content-Type: application/json, in UTF-8."}
	}
	for _, codings := range e.Header["Content-Encoding"] {
		for coding := range strings.SplitSeq(codings, ",") { // of which empty ones mean nothing (RFC 9110, section 5.6.1)
			if coding = strings.Trim(coding, " \t"); coding != "" && !strings.EqualFold(coding, "identity") {
				e.setHeader("Accept-Encoding", "identity")
				return &problem{Code: unsupportedMediaType, Detail: "Send the body without a Content-Encoding."}
			}
		}
	}
	return nil
}

// isJSON reports whether a Content-Type is that of JSON in UTF-8.
func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(dropEmpty(contentType))
	charset, ok := params["charset"]
	return err == nil && media == "application/json" && (!ok || strings.EqualFold(charset, "utf-8"))
}

// dropEmpty returns a Content-Type without its empty parameters, which RFC 9110,
// section 5.6.6, allows, and package mime does not. What it drops from a quoted value
// is no loss: none with a semicolon means anything here.
func dropEmpty(contentType string) string {
	b := make([]byte, 0, len(contentType))
	empty := false // whether the parameter is so far
	for _, c := range []byte(contentType) {
		if c == ';' && empty {
			continue
		}
		empty = c == ';' || empty && (c == ' ' || c == '\t')
		b = append(b, c)
	}
	return string(b)
}

// internal returns the problem that says nothing, and logs err.
func (h *handler) internal(e *exchange, err error, more ...slog.Attr) *problem {
	h.logError(e, err, more...)
	return &problem{Code: internal, Detail: "Something went wrong here. Nothing can be said about the address."}
}

// logError logs why e has failed.
func (h *handler) logError(e *exchange, err error, more ...slog.Attr) {
	if context.Cause(e.Context()) == nil { // else the caller is gone, which is no fault
		h.log.LogAttrs(e.Context(), slog.LevelError, "request failed", append([]slog.Attr{
			slog.String("request_id", e.id), slog.String("key_id", e.grant.KeyID), slog.String("error", e.redact(err.Error())),
		}, more...)...)
	}
}

// redact returns text without the key and the address of the request.
func (e *exchange) redact(text string) string {
	for _, secret := range []string{e.token, e.text, e.normal} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[redacted]")
		}
	}
	return text
}

// requestID returns the id that the request came with, if it is one, else a new
// one.
func requestID(header http.Header) string {
	if ids := header["X-Request-Id"]; len(ids) == 1 && 0 < len(ids[0]) && len(ids[0]) <= 128 {
		visible := true
		for _, c := range []byte(ids[0]) {
			visible = visible && '!' <= c && c <= '~'
		}
		if visible && !strings.Contains(ids[0], tokenPrefix) {
			return ids[0]
		}
	}
	return newRequestID()
}

// newRequestID returns 26 random letters and digits, as crypto/rand.Text does, but
// in a tenth of the time: an id has to be no other's, not a secret.
func newRequestID() string {
	const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var id [26]byte
	a, b := rand.Uint64(), rand.Uint64()
	for i := range 13 {
		id[i], id[13+i] = base32[a&31], base32[b&31]
		a, b = a>>5, b>>5
	}
	return string(id[:])
}
