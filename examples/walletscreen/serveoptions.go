package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
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
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = slog.StringValue(v.Error())
		case time.Time:
			if v.IsZero() {
				return slog.Attr{} // a list that was never checked
			}
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

// limitClients sets the limit of -client-rate and -client-field.
func (c *serveOptions) limitClients(opts *httpapi.Options) error {
	if c.clientRate == "" || c.clientRate == "none" {
		if c.clientField != "" {
			return errors.New("-client-field needs -client-rate")
		}
		return nil
	}
	rate, err := strconv.ParseFloat(c.clientRate, 64)
	if err != nil || !(rate >= 0.1 && rate <= 1e6) {
		return fmt.Errorf("-client-rate %.40q: want a number from 0.1, or none", c.clientRate)
	}
	opts.ClientRate = rate
	if strings.Trim(c.clientField, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("-client-field %.40q: want the name of a header field, such as X-Forwarded-For", c.clientField)
	}
	return nil
}

// fromProxy returns r with the client address that a proxy has set in a field, if there is one: the
// last one in it, because those before are what the client claims.
func fromProxy(r *http.Request, field string) *http.Request {
	all := strings.Join(r.Header.Values(field), ",")
	text := strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
	at, err := netip.ParseAddrPort(text)
	if ip, notAlone := netip.ParseAddr(text); notAlone == nil {
		at, err = netip.AddrPortFrom(ip, 0), nil
	}
	if err == nil {
		r = r.WithContext(r.Context()) // a copy
		r.RemoteAddr = at.String()
	}
	return r
}

// openDecisions sets exceptions from -exceptions and own lists. It returns nil if no file can have any.
func openDecisions(ctx context.Context, c *serveOptions, s *screening.Screener, log *slog.Logger) (*followed, error) {
	if c.exceptions == "" && len(c.lists.own) == 0 {
		return nil, nil
	}
	f := &followed{log: log, failure: "the new exceptions cannot be used, keeping the old ones"}
	f.read = func() (files [][]byte, err error) {
		read := func(flag, name string) {
			text, failure := readAtMost(name, maxOwn)
			if failure != nil && err == nil {
				err = fmt.Errorf("%s: %w", flag, failure)
			}
			files = append(files, text)
		}
		lists, err := c.lists.ownLists(nil)
		if c.exceptions != "" {
			read("-exceptions", c.exceptions)
		}
		for _, l := range lists {
			if l.isTable() { // else it allows nothing
				read("-list "+l.id, l.from)
			}
		}
		return files, err
	}
	f.use = func(files [][]byte) (err error) {
		var exceptions []screening.Exception
		if c.exceptions != "" {
			if exceptions, err = screening.ReadExceptions(bytes.NewReader(files[0])); err != nil {
				return fmt.Errorf("-exceptions: %s: %w", c.exceptions, err)
			}
		}
		if err = s.SetExceptions(context.WithoutCancel(ctx), exceptions); errors.Is(err, screening.ErrDuplicateException) {
			err = fmt.Errorf("-exceptions: %w", err)
		}
		return err
	}
	return f, f.load()
}

// openTrail opens the audit trail of -audit, and returns nil if there is none.
func openTrail(c *serveOptions, log *slog.Logger) (*audit.Log, error) {
	if c.audit == "" {
		if c.auditKey != "" || c.auditDurable || c.auditKeep != 0 || c.auditWitness != "" {
			return nil, errors.New("-audit-key, -audit-durable, -audit-keep and -audit-witness need -audit, the directory of the records")
		}
		return nil, nil
	}
	opts := &audit.Options{Durable: c.auditDurable, MaxAge: c.auditKeep, Logger: log, Witness: c.auditWitness}
	if opts.Witness == "" && c.lists.data != "" {
		opts.Witness = filepath.Join(c.lists.data, filepath.Base(filepath.Clean(c.audit))+".witness")
	}
	if inside, err := filepath.Rel(absolute(c.audit), absolute(c.auditWitness)); c.auditWitness != "" && err == nil && filepath.IsLocal(inside) {
		return nil, fmt.Errorf("-audit-witness %s: want a file outside the directory of -audit, with which it would be put back", c.auditWitness)
	}
	if c.auditKey != "" {
		var err error
		if opts.HashKey, err = readAuditKey(c.auditKey); err != nil {
			return nil, err
		}
	}
	trail, err := audit.Open(c.audit, opts)
	if err != nil {
		return nil, fmt.Errorf("-audit: %w", err)
	}
	return trail, nil
}
