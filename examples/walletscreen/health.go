package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/httpapi"
)

func (p *program) healthCommand() *cli.Command {
	var addr string
	return p.command("health", "[flags]", "asks a server on this machine whether it is ready",
		"It asks /readyz of the listener of -ops-addr, for the health check of a container, and prints\n"+
			"what is missing. Exit codes: 0 if the server answers screenings, 2 if not.",
		[]cli.Flag{textFlag("ops-addr", "127.0.0.1:9090", "`address` that serve was given as -ops-addr", &addr)},
		func(ctx context.Context, _ []string) error { return p.health(ctx, addr) })
}

func (p *program) health(ctx context.Context, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("-ops-addr %.80q: want HOST:PORT", addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it listens on all addresses
	}
	ctx, done := context.WithTimeout(ctx, 5*time.Second)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("-ops-addr %.80q: want HOST:PORT", addr)
	}
	client := http.Client{Transport: &http.Transport{}} // no proxy is in between
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", errors.Unwrap(err))
	}
	defer resp.Body.Close()
	var r readiness
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&r)
	if err != nil || !r.Ready && r.why() == "" {
		return fmt.Errorf("%s answers with %s: is it the listener of -ops-addr?", addr, resp.Status)
	}
	if !r.Ready {
		return fmt.Errorf("not ready: %s", r.why())
	}
	fmt.Fprintln(p, "ready")
	return nil
}

// readiness is the body of /readyz.
type readiness struct {
	Ready bool `json:"ready"`
	// Missing are the required lists that are not loaded.
	Missing []string `json:"missing,omitempty"`
	// Stale are the required lists that are older than -max-age or -max-published.
	Stale []string `json:"stale,omitempty"`
	// Audit is why screenings cannot be recorded.
	Audit string `json:"audit,omitempty"`
	// Store is why the store of the lists fails. Answers go on, with the caveat store.
	Store string `json:"store,omitempty"`
	// Stopping means that the server finishes the requests that it has, and ends.
	Stopping bool `json:"stopping,omitempty"`
}

// why says why a server is not ready.
func (r *readiness) why() string {
	var all []string
	if r.Stopping {
		all = append(all, "the server is stopping")
	}
	if len(r.Missing) > 0 {
		all = append(all, strings.Join(r.Missing, ", ")+" not loaded")
	}
	if len(r.Stale) > 0 {
		all = append(all, strings.Join(r.Stale, ", ")+" too old")
	}
	if r.Audit != "" {
		all = append(all, "screenings cannot be recorded: "+clean(r.Audit))
	}
	return strings.Join(all, "; ")
}

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
