// Server is the reference server of walletscreen. It needs no configuration, no
// network and no database:
//
//	go run ./examples/server
//
// It answers at once, from the lists that the module brings along, and keeps
// them fresh in the background from their official addresses unless it is told
// -offline. With -data it keeps what it has loaded, and after a restart answers
// from that. It says on standard error which lists it holds and how old they are,
// which API key it has made, and a curl line to try.
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
	"syscall"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Getenv, os.Stderr)
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
	keys, err := openKeys(c)
	if err != nil {
		return err
	}

	screener, err := newScreener(c, logger)
	if err != nil {
		return err
	}
	if err := openLists(ctx, c, screener); err != nil {
		return err
	}

	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           httpapi.NewHandler(screener, keys.authorizer, &httpapi.Options{Logger: logger}),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      15 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	greet(stderr, listener.Addr(), screener.Sources(), keys, c)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	refreshed := make(chan struct{})
	go func() {
		defer close(refreshed)
		if !c.offline {
			screener.Run(ctx, refreshEvery) // ends with ctx
		}
	}()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	select {
	case err = <-served: // only if it could not go on
	case <-ctx.Done():
		logger.Info("stopping; requests that have begun are answered")
		// The context of the stop is a new one: the old has ended.
		grace, done := context.WithTimeout(context.Background(), 10*time.Second)
		defer done()
		err = server.Shutdown(grace)
	}
	cancel()
	<-refreshed
	return err
}
