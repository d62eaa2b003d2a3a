package main

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/walletscreen/walletscreen/httpapi"
)

// opsHandler returns the handler of the listener for operators, which is off by default: it asks for no key.
func opsHandler(ready func() readiness, metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"GET /livez", "GET /healthz"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("ok\n"))
		})
	}
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		now := ready()
		w.Header().Set("Content-Type", "application/json")
		if !now.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		json.NewEncoder(w).Encode(now)
	})
	mux.Handle("GET /metrics", metrics)
	return mux
}

// traceparent matches the field of W3C Trace Context that names the trace of a request.
var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)

// traceKey is the key of the trace id in the context of a request.
type traceKey struct{}

// traced returns r with its trace id in the context, if it has one.
func traced(r *http.Request) *http.Request {
	m := traceparent.FindStringSubmatch(r.Header.Get("Traceparent"))
	if m == nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), traceKey{}, m[1]))
}

// logAccess logs an answer, but no path and no word of the client, which may have a key or an address in it.
func logAccess(ctx context.Context, log *slog.Logger, o httpapi.Observation, screened int) {
	if !log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	route := cmp.Or(o.Route, "unknown")
	trace, _ := ctx.Value(traceKey{}).(string)
	log.LogAttrs(ctx, slog.LevelDebug, "answered", slog.String("method", o.Method), slog.String("route", route), slog.Int("status", o.Status),
		slog.String("code", o.Code), slog.String("caller", o.CallerID), slog.String("request_id", o.RequestID), slog.String("trace_id", trace),
		slog.Duration("duration", o.Duration), slog.Int("screened", screened))
}
