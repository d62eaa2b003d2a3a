package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

// NewHandler returns a handler that answers from the lists of s the requests that
// auth admits. s must not be nil, but need not have loaded anything yet. A nil auth
// admits nobody. A nil opts means the defaults. The handler may be used concurrently,
// starts no goroutines and needs no closing.
func NewHandler(s *screening.Screener, auth Authorizer, opts *Options) http.Handler {
	return endpoint{service: newService(s, auth, opts)}
}

// NewEndpoints returns the endpoints of [NewHandler] by their paths, such as
// "/api/v1/screen", for callers with their own router. Each answers whatever the path
// of the request is, and answers methods other than its own with 405, so a route
// need not name a method.
func NewEndpoints(s *screening.Screener, auth Authorizer, opts *Options) map[string]http.Handler {
	v := newService(s, auth, opts)
	all := make(map[string]http.Handler)
	for i := range routes {
		all[routes[i].path] = endpoint{v, &routes[i], nil}
	}
	return all
}

// Admit returns middleware that admits requests to the handler that it wraps, as
// NewHandler admits them to its own endpoints: auth decides who the caller is, then
// the caller's burst limit and scopes are checked. Refused requests get the same
// problems. scope is any word, and Admit panics if it is empty; a caller with empty Scopes has them all. The wrapped
// handler gets the caller by [CallerOf], and a response with X-Request-Id and the fields
// of the caller's limits, as they are before it. Quotas are not charged.
//
// If methods are given, OPTIONS is answered, also for Options.Origins, and any other method
// refused, before the request is admitted. Without them all methods are admitted.
func Admit(auth Authorizer, scope string, opts *Options, methods ...string) func(http.Handler) http.Handler {
	if scope == "" {
		panic("httpapi: Admit needs a scope: without one it would admit everybody")
	}
	v := newService(nil, auth, opts)
	rt := &route{methods: methods, scope: scope, answer: func(*exchange) ([]byte, *problem) { return nil, nil }}
	return func(next http.Handler) http.Handler { return endpoint{v, rt, next} }
}

type callerKey struct{}

// CallerOf returns the caller of a request that [Admit] has admitted, from its
// context.
func CallerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// A route is one endpoint. A route with a scope needs a caller; one without is a
// document.
type route struct {
	path    string
	methods []string // without OPTIONS; none for any
	scope   string
	counts  bool // whether answers are charged to the quota
	waits   bool // whether it reads the body itself, because that waits for a turn

	required, optional []string // fields of the body

	answer func(*exchange) ([]byte, *problem)
}

var (
	gets  = []string{http.MethodGet, http.MethodHead}
	posts = []string{http.MethodPost}
)

// routes are the endpoints.
var routes = [...]route{
	{path: "/api/v1/screen", methods: posts, scope: scopeScreen, counts: true,
		required: []string{"address", "chain"}, optional: []string{"receipt", "at"}, answer: (*exchange).screen},
	{path: "/api/v1/screen/batch", methods: posts, scope: scopeScreen, counts: true, waits: true,
		required: []string{"items"}, optional: []string{"at"}, answer: (*exchange).screenBatch},
	{path: "/api/v1/validate", methods: posts, scope: scopeValidate,
		required: []string{"address"}, optional: []string{"chain"}, answer: (*exchange).validate},
	{path: "/api/v1/changes", methods: gets, scope: scopeSources, answer: (*exchange).changes},
	{path: "/api/v1/entries", methods: posts, scope: scopeSources,
		required: []string{"source"}, optional: []string{"search", "after"}, answer: (*exchange).entries},
	{path: "/api/v1/sources", methods: gets, scope: scopeSources, answer: (*exchange).sources},
	{path: "/api/v1/usage", methods: gets, scope: scopeUsage, answer: (*exchange).usage},
	{path: "/openapi.yaml", methods: gets, answer: (*exchange).openAPI},
}

// noRoute is the route of unknown paths.
var noRoute = route{answer: (*exchange).nothing}

// routeOf returns the route of a URL: by the path below Options.Prefix, or without one by the end
// of the path. Another spelling of a path, as with two slashes or with escapes, leads nowhere.
func (v *service) routeOf(u *url.URL) *route {
	below, ok := strings.CutPrefix(cmp.Or(u.RawPath, u.Path), strings.TrimRight(v.Prefix, "/"))
	if !ok {
		return &noRoute
	}
	leads := func(to string) bool {
		dir, ok := strings.CutSuffix(below, to)
		return ok && (dir == "" || v.Prefix == "" && path.IsAbs(dir) && dir == path.Clean(dir) && dir != "/")
	}
	for i := range routes {
		if leads(routes[i].path) {
			return &routes[i]
		}
	}
	return &noRoute
}

// nothing answers unknown paths.
func (e *exchange) nothing() ([]byte, *problem) {
	return nil, &problem{Code: notFound, Detail: "There is nothing here. The paths end in /api/v1/screen, /api/v1/sources and so on: see /openapi.yaml."}
}

// An endpoint is the handler of a route, or of all of them if that is nil.
type endpoint struct {
	*service
	route *route
	next  http.Handler // answers what is admitted; nil if the route does
}

// ServeHTTP answers one request.
func (h endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.route == nil {
		h.route = h.routeOf(r.URL)
	}
	e := h.begin(w, r, h.route)
	done := false
	defer func() {
		if e.held > 0 {
			e.release()
		}
		if done && e.buf.Cap() <= maxKept && len(e.fields) <= maxKeptFields { // after a panic, e is not used again
			clear(e.fields)
			*e = exchange{buf: e.buf, fields: e.fields}
			h.exchanges.Put(e)
		}
	}()
	server, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	if server != nil && server.WriteTimeout > 0 {
		e.sendBy = e.start.Add(server.WriteTimeout / 5 * 4)
	}
	if server != nil && h.next == nil {
		e.boundBody(server)
	}
	body, p := e.run()
	if len(e.Origins) > 0 {
		e.allowOrigin()
	}
	if h.next != nil {
		if p == nil && e.caller.ID != "" {
			e.setHeader("X-Request-Id", e.id)
			e.setRateLimit()
			h.next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, e.caller)))
			done = true
			return
		}
		if server != nil {
			e.boundBody(server)
		}
	}
	status, code := e.write(body, p)
	if h.Observe != nil {
		e.observe(status, code)
	}
	done = true
}

// boundBody sets the deadline of the body on a server without a ReadTimeout.
// The deadline is for bodies that nobody wants, too, because net/http reads the rest of them. It removes the
// deadline once a body was read to its end.
func (e *exchange) boundBody(server *http.Server) {
	if server.ReadTimeout <= 0 && e.Body != nil && e.Body != http.NoBody {
		http.NewResponseController(e.w).SetReadDeadline(e.start.Add(e.bodyTimeout))
	}
}

// run checks the method, admits the request, reads its fields, calls the endpoint, and records what was
// screened, if the answer can be sent in time. It returns the body of a 200, or nil for a 204 or a 304, or the problem. A panic becomes a problem, but
// http.ErrAbortHandler passes through. run writes nothing, and holds no slot when it
// returns, so a client that reads slowly takes no place of others.
func (e *exchange) run() (body []byte, p *problem) {
	defer func() {
		v := recover()
		if e.slot {
			e.running.Add(-1)
		}
		if e.waits {
			e.waiting.Add(-1)
		}
		if v != nil || p != nil {
			body, p = nil, e.undo(v, p)
		}
	}()
	rt := e.route
	if len(rt.methods) > 0 && !slices.Contains(rt.methods, e.Method) {
		return nil, e.refuseMethod()
	}
	if p = e.admit(rt.scope); p != nil {
		return nil, p
	}
	if len(rt.required) > 0 && !rt.waits {
		if body, p = e.readBody(e.maxBody); p == nil {
			p = e.readObject(body)
		}
		if p != nil {
			return nil, p
		}
	}
	if body, p = rt.answer(e); rt.scope == "" || p != nil {
		return body, p
	}
	if time.Now().After(e.sendBy) {
		return nil, overload()
	}
	if n := len(body) + len(e.shared); n > smallAnswer {
		if p = e.hold(n); p != nil {
			return nil, p
		}
	}
	if e.Audit != nil {
		p = e.audit()
	}
	return body, p
}

// undo gives back the charge of a request that ends in a problem or a panic, and returns the problem.
func (e *exchange) undo(panicked any, p *problem) *problem {
	if panicked != nil && panicked != http.ErrAbortHandler {
		p = e.panicked(panicked)
	}
	e.refundRest(0)
	if panicked == http.ErrAbortHandler {
		panic(panicked)
	}
	return p
}

// allow returns the methods of rt, which has some.
func (rt *route) allow() string { return strings.Join(rt.methods, ", ") + ", OPTIONS" }

// refuseMethod counts a request with a method that the route does not have, and returns its problem, or
// nil for OPTIONS.
func (e *exchange) refuseMethod() *problem {
	if p := e.takeClient(); p != nil {
		return p
	}
	allow := e.route.allow()
	e.w.Header().Set("Allow", allow)
	if e.Method == http.MethodOptions {
		return nil
	}
	return &problem{Code: methodNotAllowed, Detail: "The methods allowed here are " + allow + "."}
}

// Values of header fields that most responses have. The headers share them: an append
// by other code copies them, because their capacity is used up.
var (
	nosniff     = []string{"nosniff"}
	noStore     = []string{"no-store"}
	jsonContent = []string{"application/json"}
)

// countedByServer is the length below which net/http sets the Content-Length of a
// body, in less time than setting the field here takes.
const countedByServer = 2048

// write writes the response, and returns its status and the name of the code of its problem.
func (e *exchange) write(body []byte, p *problem) (status int, code string) {
	header := e.w.Header()
	e.setHeader("X-Request-Id", e.id)
	header["X-Content-Type-Options"] = nosniff
	if header["Cache-Control"] == nil {
		header["Cache-Control"] = noStore
	}
	if e.caller.ID != "" {
		e.setRateLimit()
	}
	lean := p == nil && e.Method == http.MethodPost // a result, which no link leads to
	if !lean && header["Content-Security-Policy"] == nil {
		e.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	}
	status = http.StatusOK
	switch {
	case p != nil:
		body, e.shared = e.finish(p), nil
		status, code = p.Status, p.Code.name
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
	if n := len(body) + len(e.shared); !lean || n >= countedByServer {
		e.setHeader("Content-Length", strconv.Itoa(n))
	}
	e.w.WriteHeader(status)
	if e.Method != http.MethodHead {
		e.w.Write(body) // an error means that the client has gone
		if len(e.shared) > 0 {
			e.w.Write(e.shared)
		}
	}
	return status, code
}

// finish fills in the members of p that follow from its code and from the request,
// sets the header fields that go with it, and returns the body.
func (e *exchange) finish(p *problem) []byte {
	p.describe()
	p.RequestID = e.id
	if p.Code == overloaded {
		e.w.Header().Set("Retry-After", "1")
	}
	if header := e.w.Header(); p.Status == 503 && header["Retry-After"] == nil {
		header.Set("Retry-After", retryAfter)
	}
	p.Instance = e.route.path // not the path of the request, which may be any text
	return marshal(&e.buf, p)
}

// methods are the methods that an Observation names; any other may be a text of the client's.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace}

// observe calls Options.Observe for a response that was written.
func (e *exchange) observe(status int, code string) {
	o := Observation{
		Route: e.route.path, Method: "_OTHER", Status: status, Code: code,
		CallerID: e.caller.ID, RequestID: e.id, Duration: time.Since(e.start),
	}
	if slices.Contains(methods, e.Method) {
		o.Method = e.Method
	}
	if status == http.StatusOK {
		o.Screenings = e.screened
	}
	e.service.Observe(e.Context(), o)
}
