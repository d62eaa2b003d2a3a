package main

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/visible"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	lists listOptions

	addr, opsAddr       string
	keys                []string
	offline             bool
	clientRate          string
	clientField         string
	exceptions          string
	tlsCert, tlsKey     string
	audit, auditKey     string
	auditWitness        string
	auditDurable        bool
	auditKeep           time.Duration
	book, webhook       string
	webhookSecret       string
	receiptKey          string
	compat              bool
	compatKinds         []string
	logFormat, logLevel string
	drainDelay          time.Duration
}

// logger returns the log that -log-format and -log-level ask for, and its level.
func (p *program) logger(o *serveOptions) (*slog.Logger, *slog.LevelVar, error) {
	level := new(slog.LevelVar)
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, o.logLevel) || level.UnmarshalText([]byte(o.logLevel)) != nil {
		return nil, nil, fmt.Errorf("-log-level %.40q: want debug, info, warn or error", o.logLevel)
	}
	opts := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(err.Error())
		}
		if a.Value.Kind() == slog.KindString && a.Key != "stack" {
			a.Value = slog.StringValue(visible.Text(a.Value.String()))
		}
		return a
	}}
	switch o.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(p.stderr, opts)), level, nil
	case "json":
		return slog.New(slog.NewJSONHandler(p.stderr, opts)), level, nil
	}
	return nil, nil, fmt.Errorf("-log-format %.40q: want text or json", o.logFormat)
}
