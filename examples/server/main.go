// Server is the reference server of walletscreen. It needs no configuration, no
// network and no database:
//
//	go run ./examples/server
//
// It answers at once, from the lists that the module brings along, and keeps
// them fresh in the background from their official addresses unless it is told
// -offline. Of the lists of the EU and the UK the module has excerpts only: until they
// have been fetched, the server answers without the rest of them, which data_freshness
// shows by null. With -data it keeps what it has loaded, and after a restart answers
// from that, within milliseconds. It says on standard error which lists it holds and how old they are, which API key it has made,
// and a curl line to try.
//
// API keys and quotas are in a database: with -data in a file there, with -db where
// it says, which replicas may share. To make, see, rotate and revoke keys:
//
//	go run ./examples/server keys
//
// With -ops-addr it has a second listener for those who operate it: /livez and
// /readyz for whoever starts and stops it, /metrics for Prometheus. With -tls-cert
// and -tls-key it speaks TLS, and HTTP/2. With -audit it keeps a record of each
// screening. With -exceptions it takes accounts out of the score that an operator has
// decided about, for a reason that each answer gives. The folder deploy has what goes
// around it.
//
// Each flag has an environment variable of the same name in capitals behind
// WALLETSCREEN_: -api-key is WALLETSCREEN_API_KEY. The flag wins.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if len(os.Args) > 1 && os.Args[1] == "keys" {
		err = runKeys(ctx, os.Args[2:], os.Getenv, os.Stdout, os.Stderr)
	} else {
		err = run(ctx, os.Args[1:], os.Getenv, os.Stderr)
	}
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run runs the server until ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, stderr io.Writer) error {
	c, err := parseFlags(args, getenv, stderr)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	keys, err := openKeys(ctx, c, logger)
	if err != nil {
		return err
	}
	defer keys.store.close()
	m := newMetrics()
	screener, err := newScreener(c, logger, m.Report)
	if err != nil {
		return err
	}
	exceptions, err := openExceptions(ctx, c, screener, logger)
	if err != nil {
		return err
	}
	cert, err := openCertificate(c, logger)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	defer listener.Close()
	var opsListener net.Listener
	if c.opsAddr != "" {
		if opsListener, err = net.Listen("tcp", c.opsAddr); err != nil {
			return fmt.Errorf("-ops-addr: %w", err)
		}
		defer opsListener.Close()
	}
	trail, err := openTrail(c, logger)
	if err != nil {
		return err
	}
	m.watch(screener, keys.ring, trail, cert)

	// What runs beside the server ends after it.
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var jobs sync.WaitGroup
	served := make(chan error, 2)
	var trailErr error
	if trail != nil {
		jobs.Go(func() { trailErr = trail.Run(beside) })
	}
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP) // which must not end a server that has no certificate
	defer signal.Stop(reload)
	if cert != nil {
		jobs.Go(func() { cert.follow(beside, recheckEvery, reload) })
	}
	if exceptions != nil {
		jobs.Go(func() { exceptions.follow(beside, recheckEvery) })
	}
	o := &ops{screener: screener, trail: trail, metrics: m}
	opsServer := newServer(o.handler(), logger)
	if opsListener != nil {
		go func() { served <- opsServer.Serve(opsListener) }()
		defer opsServer.Close() // the last to go
	}
	opts := &httpapi.Options{Logger: logger, Meter: keys.ring}
	if opsListener != nil {
		opts.Observe = m.Observe
	}
	if trail != nil {
		opts.Audit = trail.Record
	}
	server := newServer(httpapi.NewHandler(screener, keys, opts), logger)

	if err = openLists(ctx, c, screener); err == nil {
		err = keys.first(ctx) // not before it can be shown
	}
	if err == nil {
		greet(stderr, listener.Addr(), opsListener, screener.Sources(), keys, c)
		if !c.offline {
			jobs.Go(func() { screener.Run(beside, refreshEvery) })
		}
		go func() { served <- serve(server, listener, cert) }()
		select {
		case err = <-served: // only if it could not go on
		case <-ctx.Done():
			logger.Info("stopping; requests that have begun are answered")
		}
	}
	o.stopping.Store(true)
	// The context of the stop is a new one: the old has ended.
	grace, done := context.WithTimeout(context.Background(), 10*time.Second)
	defer done()
	err = errors.Join(err, server.Shutdown(grace))
	stop()
	jobs.Wait()
	// What is leased goes back, however long the last requests have taken.
	last, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	return errors.Join(err, trailErr, keys.ring.Close(last))
}

// newServer returns a server that waits for nobody for long.
func newServer(h http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      15 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// serve serves the API, by HTTP/1.1 or, with a certificate, HTTP/2.
func serve(server *http.Server, listener net.Listener, cert *certificate) error {
	if cert == nil {
		return server.Serve(listener)
	}
	server.Handler = strict(server.Handler)
	server.TLSConfig = cert.config()
	return server.ServeTLS(listener, "", "")
}
