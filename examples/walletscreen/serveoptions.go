package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/score"
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

// shownKinds returns the kinds of -compat-kinds.
func (c *serveOptions) shownKinds(logger *slog.Logger) (kinds []score.Kind, err error) {
	if !c.compat && len(c.compatKinds) > 0 {
		return nil, errors.New("-compat-kinds needs -compat")
	}
	if c.compat && c.lists.maxAge == 0 {
		logger.Warn("-compat without -max-age: its clients cannot see how old the lists are")
	}
	all := score.Latest().Kinds()
	for _, name := range c.compatKinds {
		switch kind := score.Kind(strings.ToUpper(name)); {
		case kind == "ALL":
			return all, nil
		case !slices.Contains(all, kind):
			return nil, fmt.Errorf("-compat-kinds %.40q: want all, or some of %q", name, all)
		default:
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}
