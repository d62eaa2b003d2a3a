// Package httpapi answers screening questions over HTTP, from the lists of a
// [screening.Screener]. [NewHandler] returns a plain [http.Handler], which mounts
// under any prefix:
//
//	POST {base_url}/api/v1/screen        screens one address: {"address": "…", "chain": "…"}
//	POST {base_url}/api/v1/screen/batch  screens up to 1,000 addresses
//	POST {base_url}/api/v1/validate      validates an address
//	GET  {base_url}/api/v1/sources       the state of every list
//	GET  {base_url}/api/v1/changes       what recent refreshes have changed
//	POST {base_url}/api/v1/entries       the entries of a list, with a search
//	GET  {base_url}/api/v1/usage         what the caller has used of its quota
//	GET  {base_url}/openapi.yaml         this interface in OpenAPI 3.1
//
// An [Authorizer] decides who is admitted: [httpapi/access] has API keys with scopes,
// burst limits and quotas; sessions, client certificates or a gateway work as well.
// A [Meter] counts. [Admit] protects other handlers with the same callers.
//
// The package brings no router, listener, log or global state, starts no goroutines,
// and never refreshes the lists: call [screening.Screener.Run] for that.
//
// # Order
//
// A request is authenticated, checked against its burst limit and scopes, read and
// validated, charged to its quota, answered from the lists and recorded. The first
// step that fails makes the response. Only a 200 of a screening counts. Rejected
// callers learn nothing about lists, chains or addresses; only 404, 405, 204 for
// OPTIONS, and the documents come before authentication.
//
// # Responses
//
// A success is JSON. Everything else is a problem of RFC 9457 with one of the codes
// in problems.md, beside this file. No problem repeats the input, apart from a short name of
// a chain, and a hint that shows the right spelling of an address; no key, API key or private
// key, is in any response, log line or record.
//
// Every response has X-Request-Id: the id of the request, if it has the form of a UUID, a
// ULID, a trace id or a traceparent, or is a number of at most 20 digits, perhaps behind a word
// and a dash, as in req-1; else a random one. Times
// are RFC 3339 in UTC with "Z", in whole seconds, rounded down.
//
// A result has the doubts about the text and the caveats about the lists; all_clear is
// true only without a match, a doubt and a caveat.
//
// CLEAN_NO_MATCH is answered only if every required list is loaded, and not older
// than the Screener allows; otherwise the response is 503 with Retry-After.
//
// # Limits
//
// Everything that a request can make the handler hold or wait for is bounded:
//
//	the body                   16 KiB       413 body_too_large
//	the time for the body      10 seconds   408 request_timeout
//	requests at once           1024         503 overloaded
//	values within one another  32 deep      400 invalid_json
//
// A request counts as one at once from when its body has arrived and the Meter or the Store has answered until
// its answer is ready. Batches, which count before their bodies, may be half of them at most, and are screened while fewer than 32
// others, 24 of the same caller, are not answered yet. The server bounds the rest: set ReadHeaderTimeout, WriteTimeout, IdleTimeout and
// MaxHeaderBytes of [http.Server]; its ReadTimeout, if set, replaces the
// time for the body, which needs a ResponseWriter that [http.ResponseController] can set a deadline on.
// The server closes a new connection on which nothing is sent within ReadHeaderTimeout,
// and a used one after IdleTimeout, so a client should keep idle connections for less, or
// repeat a request whose connection was closed before any byte of a response.
//
// [httpapi/access]: https://pkg.go.dev/github.com/walletscreen/walletscreen/httpapi/access
package httpapi
