package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"
	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/httpapi/compat"
	"github.com/walletscreen/walletscreen/httpapi/page"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// serveCommand returns the command serve, which stores its flags in o.
func (p *program) serveCommand(o *serveOptions) *cli.Command {
	c := p.command("serve", "[flags]", "serves the HTTP API until it is stopped",
		"It answers at once, from the bundled lists and those in -data, and refreshes them in the\n"+
			"background. API keys and quotas are stored in a database: a file in -data, or the one that -db names.\n"+
			"Replicas with one PostgreSQL share keys, quotas and lists: one of them fetches a list.\nTo create, see, change and revoke keys: walletscreen keys -help",
		slices.Concat([]cli.Flag{
			textFlag("addr", "127.0.0.1:8080", "`address` to listen on", &o.addr),
			textsFlag("api-key", "API `key` to accept beside those in the database, for trying out; may be given several times", &o.keys),
			textFlag("client-rate", "", "requests per second without a valid key from one client address, a `number` or none, and ten times as many at once; behind a proxy, which is one address for all, it needs -client-field (default: none)", &o.clientRate),
			textFlag("client-field", "", "`name` of the header field in which the proxy in front gives the client address, as X-Real-IP or X-Forwarded-For; the last address in it counts; only for a proxy that always sets it (default: the address of the connection)", &o.clientField),
			boolFlag("offline", "fetch no list; with a PostgreSQL in -db, use those that other replicas fetch", &o.offline),
		}, o.lists.flags(), o.lists.fetchFlags(), []cli.Flag{
			textFlag("exceptions", "", "`file` of accounts to exclude from scoring, one line of JSON each: chain, address, reason and author, and optionally source, ref, created_at and expires_at; it is read again each minute", &o.exceptions),
			textFlag("ops-addr", "", "`address` of a second listener, without keys, for /livez, /healthz, /readyz and /metrics; 127.0.0.1:9090 is usual (default: none)", &o.opsAddr),
			durationFlag("drain-delay", "when the server is stopped, answer for this `time`, as 10s, while /readyz says 503, so that a load balancer sends requests elsewhere before the port closes (default: none)", &o.drainDelay),
			textFlag("tls-cert", "", "PEM `file` of the certificate and its chain; it is read again each minute and at SIGHUP, as exceptions and lists are (default: no TLS)", &o.tlsCert),
			textFlag("tls-key", "", "PEM `file` of the certificate's key, which not all users may read", &o.tlsKey),
			textFlag("audit", "", "`directory` for a record of each screening; a screening that cannot be recorded is not answered (default: none)", &o.audit),
			textFlag("audit-key", "", "with -audit, a `file` with at least 32 bytes in hex: record the HMAC-SHA-256 of an address instead of the address", &o.auditKey),
			textFlag("audit-witness", "", "with -audit, a `file` outside its directory that keeps how many records there were at each start, stop and day: it shows that an earlier copy was put back (default: in -data, the name of the directory and .witness)", &o.auditWitness),
			boolFlag("audit-durable", "with -audit, answer once the record is on the disk", &o.auditDurable),
			limitFlag("audit-keep", "with -audit, remove files this `time` after their last record, as 365d (default: never)", &o.auditKeep),
			textFlag("book", "", "table of customers, a `file` like that of screen -in: after each refresh the webhook gets a message about each customer whose verdict has changed; the file may be replaced at any time", &o.book),
			textFlag("webhook", "", "`URL` to post these messages to, signed as Standard Webhooks says, for three days until it answers 2xx", &o.webhook),
			textFlag("webhook-secret", "", "`file` with the secret of the signature, whsec_ and base64 (default: webhook-secret in -data, which is made)", &o.webhookSecret),
			textFlag("receipt-key", "", "`file` with the private key that signs receipts, for clients that ask for one; receipt key makes one (default: receipts are not signed)", &o.receiptKey),
			boolFlag("compat", "also answer the calls of Chainalysis's free sanctions API and of TRM Labs' sanctions screening, which cannot show how old a list is: set -max-age, and see docs/serve.md", &o.compat),
			textsFlag("compat-kinds", "with -compat, labels to show beside those of official lists and of your own, as `KIND`, such as SCAM, or all; may be given several times (default: none)", &o.compatKinds),
			textFlag("log-format", "text", "`format` of the log on standard error: text or json", &o.logFormat),
			textFlag("log-level", "info", "least severe `level` that is logged: debug, info, warn or error", &o.logLevel),
		}), func(ctx context.Context, _ []string) error { return p.serve(ctx, o) })
	c.UsageText = "walletscreen [serve] [flags]"
	return c
}

// servesWithin is how long a server has to end beside -drain-delay, enough to answer all open requests.
const servesWithin = 30 * time.Second

// serve runs the server until ctx ends.
func (p *program) serve(ctx context.Context, c *serveOptions) (err error) {
	logger, level, err := p.logger(c)
	if err != nil {
		return err
	}
	s := &server{serveOptions: c, log: logger, level: level, metrics: newMetrics(), ending: &p.ending}
	if err := c.limitClients(&s.limits); err != nil {
		return err
	}
	if s.kinds, err = c.shownKinds(logger); err != nil {
		return err
	}
	if err := s.openLists(ctx, p); err != nil {
		return err
	}
	if s.decisions, err = openDecisions(ctx, c, s.screener, logger); err != nil {
		return err
	}
	if s.cert, err = openCertificate(c.tlsCert, c.tlsKey, logger); err != nil {
		return err
	}
	if s.signers, err = openSigners(c.receiptKey); err != nil {
		return err
	}
	if s.keys, err = openKeys(ctx, c.lists.db, c.lists.data, c.keys, logger); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.keys.close()) }()
	if s.listener, err = listen("addr", c.addr); err != nil {
		return err
	}
	defer s.listener.Close()
	warnExposed(logger, s.listener.Addr(), s.cert)
	if c.opsAddr != "" {
		if s.opsListener, err = listen("ops-addr", c.opsAddr); err != nil {
			return err
		}
		defer s.opsListener.Close()
	}
	if s.watcher, err = openWatcher(ctx, s); err != nil {
		return err
	}
	if s.trail, err = openTrail(c, logger); err != nil {
		return err
	}
	return s.run(ctx, p)
}

// A server is a call of serve under way.
type server struct {
	*serveOptions
	log         *slog.Logger
	metrics     *registry
	screener    *screening.Screener
	cert        *certificate // nil for none
	keys        *keyring
	limits      httpapi.Options // of clients without a key
	decisions   *followed       // nil for none
	trail       *audit.Log      // nil for none
	watcher     *watcher        // nil for none
	signers     []signed.Signer // of receipts: none or one
	kinds       []score.Kind    // that -compat shows
	level       *slog.LevelVar  // of log
	former      bool            // there are lists of an earlier version, and none of this one
	store       store.Store     // nil for none
	listener    net.Listener
	opsListener net.Listener // nil for none
	jobs        sync.WaitGroup
	stopping    atomic.Bool // it finishes the requests that it has
	tables      tablePlaces
	ending      *atomic.Int64 // how long it has to end, in nanoseconds, once requests may be under way
}

// openLists makes the Screener, which holds no list yet.
func (s *server) openLists(ctx context.Context, p *program) error {
	srcs, err := s.lists.sources(!s.offline)
	p.warn = func(text string) { s.log.Warn(text); s.former = true }
	if err == nil {
		p.lists = s.lists
		s.store, err = p.openStore(ctx, true)
	}
	if err == nil {
		s.screener, err = s.lists.newScreener(srcs, s.offline, &screening.Options{Logger: s.log, Report: s.metrics.Report, Store: s.store})
	}
	return err
}

// openPast opens the lists that answered with this digest, whichever lists the server had then.
func (s *server) openPast(ctx context.Context, digest string) (*screening.Past, error) {
	srcs, err := s.lists.sources(false)
	if err != nil {
		return nil, err
	}
	found, err := journal.Find(ctx, s.store, digest, idsOf(srcs))
	if err != nil {
		return nil, err
	}
	var all []sources.Source
	for _, id := range found.Lists {
		i := slices.Index(idsOf(srcs), id)
		switch p := s.lists.published(id); {
		case i >= 0:
			all = append(all, srcs[i])
		case p != nil:
			all = append(all, p.source("", false))
		default: // an own list that is no longer given
			all = append(all, sources.Static(sources.Info{ID: id, Name: id, Jurisdiction: sources.Operator}))
		}
	}
	return screening.OpenDigest(ctx, s.store, digest, all, &screening.Options{Optional: found.Lists})
}

// loadLists loads the lists that need no network: the stored ones, or the bundled ones,
// whichever is newer. The error says that a required list cannot come any more.
func (s *server) loadLists(ctx context.Context) error {
	_, err := s.screener.Open(ctx)
	if s.offline && len(s.lists.own) > 0 && !isShared(s.lists.db) {
		_, err = s.screener.Refresh(ctx) // reads the files
	}
	bad := s.lists.undecidable(s.screener)
	if s.offline && !isShared(s.lists.db) && bad != nil {
		return errors.Join(bad, err)
	}
	if bad != nil {
		s.log.Warn("screenings get 503 until the lists have been fetched", "err", bad)
	}
	return nil
}

func (s *server) run(ctx context.Context, p *program) error {
	s.metrics.watch(s.screener, s.keys.ring, s.trail, s.cert, s.offline)
	if s.watcher != nil {
		s.metrics.watchWebhook(s.watcher.box, s.watcher.delivered)
	}

	// What runs beside the server ends after it.
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var trailErr error
	if s.trail != nil {
		s.jobs.Go(func() { trailErr = s.trail.Run(beside) })
	}
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	var hangup chan os.Signal // which ends a server whose terminal is closed
	if s.cert == nil && isTerminal(p.stderr) {
		hangup, reload = reload, nil
	}
	s.jobs.Go(func() { s.followFiles(beside, reload) })
	if s.watcher != nil {
		s.jobs.Go(func() { s.watcher.run(beside) })
	}
	served := make(chan error, 2)
	if s.opsListener != nil {
		opsServer := newHTTPServer(opsHandler(s.readiness, s.metrics.handler()), s.log)
		go func() { served <- opsServer.Serve(s.opsListener) }()
		defer opsServer.Close() // the last to end
	}
	web := newHTTPServer(s.handler(), s.log)

	level := s.level.Level()
	s.level.Set(max(level, slog.LevelWarn)) // the greeting has the lists
	err := s.loadLists(ctx)
	s.level.Set(level)
	if err == nil {
		err = s.keys.first(ctx, isTerminal(p.stderr)) // not before it can be shown
	}
	if err == nil {
		greet(p.stderr, s.listener.Addr(), s.opsListener, s.screener.Sources(), s.keys, s.serveOptions)
		switch {
		case s.offline && s.store != nil && (isShared(s.lists.db) || len(s.lists.own) == 0):
			s.jobs.Go(func() { s.screener.Follow(beside) })
		case !s.offline || len(s.lists.own) > 0:
			s.jobs.Go(func() { s.screener.Run(beside, refreshEvery) })
		}
		s.ending.Store(int64(servesWithin + s.drainDelay))
		go func() { served <- serveHTTP(web, s.listener, s.cert) }()
		select {
		case err = <-served: // only if it could not go on
		case <-hangup:
			s.log.Info("stopping because of SIGHUP: the terminal was closed")
		case <-ctx.Done():
			s.log.Info("stopping; requests that have begun are answered", "drain_delay", s.drainDelay)
			s.stopping.Store(true)
			select {
			case err = <-served:
			case <-time.After(s.drainDelay):
			}
		}
	}
	s.stopping.Store(true)
	grace, done := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer done()
	err = errors.Join(err, web.Shutdown(grace))
	stop()
	s.jobs.Wait()
	// Leases are returned even if the last requests have taken long.
	last, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	return errors.Join(err, trailErr, s.keys.ring.Close(last))
}

// followFiles reads certificate and exceptions again each minute, and all lists, too, when a signal comes.
func (s *server) followFiles(ctx context.Context, reload <-chan os.Signal) {
	ticker := time.NewTicker(recheckEvery)
	defer ticker.Stop()
	for {
		signaled := false
		select {
		case <-ticker.C:
		case <-reload:
			signaled = true
			s.log.Info("reading certificate, exceptions and lists again because of SIGHUP")
		case <-ctx.Done():
			return
		}
		if s.cert != nil {
			s.cert.load()
		}
		if signaled && !(s.offline && isShared(s.lists.db)) {
			s.jobs.Go(func() { s.screener.Refresh(ctx) }) // which logs and reports errors
		}
		if s.decisions != nil {
			s.decisions.load()
		}
	}
}

func (s *server) handler() http.Handler {
	opts := s.limits
	opts.Prefix = "/"
	opts.Past = func(ctx context.Context, at time.Time) (*screening.Past, error) {
		past, _, err := s.lists.past(ctx, s.store, at)
		return past, err
	}
	opts.Logger, opts.Meter, opts.Store, opts.Receipt = s.log, s.keys.ring, s.store, s.receipt
	isLogged := s.log.Enabled(context.Background(), slog.LevelDebug)
	if s.opsListener != nil || isLogged {
		opts.Observe = func(ctx context.Context, o httpapi.Observation) {
			s.metrics.Observe(ctx, o)
			logAccess(ctx, s.log, o, len(o.Screenings))
		}
	}
	if s.trail != nil {
		opts.Audit = s.trail.Record
	}
	api, pages := httpapi.NewHandler(s.screener, s.keys, &opts), page.New()
	if s.compat {
		api = compat.New(s.screener, s.keys, &opts, s.kinds...)
	}
	tables := httpapi.Admit(s.keys, "screen", &opts, http.MethodPost)(http.HandlerFunc(s.table))
	// Unlike a ServeMux, this never redirects: a client might not send its key again.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
		dir, file := path.Split(r.URL.Path)
		if reads && r.URL.RawPath == "" && (r.URL.Path == "/" || dir == "/" && file == "docs" || dir == "/page/" || dir == "/docs/") {
			pages.ServeHTTP(w, r)
			return
		}
		if isLogged {
			r = traced(r)
		}
		if s.clientField != "" {
			r = fromProxy(r, s.clientField)
		}
		if r.URL.EscapedPath() == tableRoute {
			tables.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// receipt returns a receipt for a client that asks for one.
func (s *server) receipt(q httpapi.Screening, text string) ([]byte, error) {
	rec, err := receipt.New(q.Chain, text, q.Result, q.Time)
	if err != nil {
		return nil, err
	}
	rec.RequestID, rec.CallerID = q.RequestID, q.CallerID
	return rec.Encode(s.signers...)
}

// readiness reports whether a screening would be answered.
func (s *server) readiness() readiness {
	r := readiness{Stopping: s.stopping.Load()}
	now := time.Now()
	for _, l := range s.screener.Sources() {
		if l.StoreErr != nil {
			r.Store = l.StoreErr.Error()
		}
		switch {
		case l.Required && !l.Loaded():
			r.Missing = append(r.Missing, l.Info.ID)
		case l.Required && (s.lists.tooOld(l, now) || s.lists.isDue(l, now)):
			r.Stale = append(r.Stale, l.Info.ID)
		}
	}
	if s.trail != nil {
		if err := s.trail.Err(); err != nil {
			r.Audit = err.Error()
		}
	}
	r.Ready = !r.Stopping && r.Missing == nil && r.Stale == nil && r.Audit == ""
	return r
}

// greet prints URLs, lists, keys and a command to try. A first start has ten lines.
func greet(w io.Writer, addr net.Addr, ops net.Listener, lists []screening.SourceStatus, keys *keyring, c *serveOptions) {
	url := "http://" + reachable(addr)
	if c.tlsCert != "" {
		url = "https://" + reachable(addr)
	}
	fmt.Fprintf(w, "walletscreen on %s/%s, documented at %[1]s/docs\n", url, keys.fragment)
	printLists(w, lists, time.Now())
	kept := "in memory (-data DIR keeps them)"
	if isShared(c.lists.db) {
		kept = "in PostgreSQL, the same for all replicas"
	} else if c.lists.data != "" {
		kept = "in " + filepath.Join(c.lists.data, storeDir)
	}
	refreshed := fmt.Sprintf("refreshed every %.0f minutes", refreshEvery.Minutes())
	if c.offline && isShared(c.lists.db) {
		refreshed = "fetched by other replicas (-offline)"
	} else if c.offline {
		refreshed = "not refreshed (-offline)"
	}
	fmt.Fprintf(w, "Lists are kept %s, and %s.\n", kept, refreshed)
	if ops != nil {
		fmt.Fprintf(w, "For operators, without a key: http://%s with /livez, /readyz and /metrics\n", reachable(ops.Addr()))
	}
	if c.audit != "" {
		fmt.Fprintf(w, "Each screening is recorded in %s\n", c.audit)
	}
	fmt.Fprintln(w, keys.note)
	fmt.Fprintf(w, "curl -s %s/api/v1/screen -H %s -H 'Content-Type: application/json' -d '{\"address\":\"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\",\"chain\":\"ethereum\"}'\n",
		url, keys.header)
}

// reachable returns the address to write into a URL: localhost for a server that listens everywhere.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}
