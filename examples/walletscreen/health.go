package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
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
