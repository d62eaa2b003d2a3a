package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// corsAge is the time for which a browser may cache the answer to a preflight request.
const corsAge = 10 * time.Minute

// allowOrigin sets the fields that let a page of another origin read the response, if
// Options.Origins names it. It is not called without Options.Origins, so browsers refuse
// such calls. Cookies of the caller are never allowed.
func (e *exchange) allowOrigin() {
	header := e.w.Header()
	header.Add("Vary", "Origin")
	origin := e.Header["Origin"]
	if len(origin) != 1 || !slices.Contains(e.Origins, origin[0]) && !slices.Contains(e.Origins, "*") {
		return
	}
	e.setHeader("Access-Control-Allow-Origin", origin[0])
	if e.Method == http.MethodOptions && len(e.route.methods) > 0 {
		e.setHeader("Access-Control-Allow-Methods", e.route.allow())
		e.setHeader("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-API-Key, X-Request-Id")
		e.setHeader("Access-Control-Max-Age", strconv.Itoa(int(corsAge.Seconds())))
		return
	}
	e.setHeader("Access-Control-Expose-Headers", "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id")
}
