// Mcp gives agents the screening tools of walletscreen, over the Model Context
// Protocol: screen_address, validate_address, find_addresses and list_sources.
//
// As a program that a client starts, it speaks over standard input and output, with
// lists of its own:
//
//	go run github.com/walletscreen/walletscreen/examples/mcp@latest
//
// With -url it asks a running server instead, with the API key in the environment
// variable WALLETSCREEN_API_KEY. With -http it is a server for many clients, which
// admits the API keys in the database -db and counts their quotas, as the HTTP API
// does.
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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
	"github.com/walletscreen/walletscreen/httpapi/audit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Getenv, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		os.Exit(1)
	}
}

// A config is what the flags say.
type config struct {
	http, db, audit, url string
	exceptions           string
	own                  []ownList
	offline              bool
}

// An ownList is a list of the operator's own, of -list.
type ownList struct{ id, file string }

func parse(args []string, stderr io.Writer) (c config, err error) {
	flags := flag.NewFlagSet("mcp", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.http, "http", "", "serve streamable HTTP at /mcp of this `address`, such as 127.0.0.1:8090 (default: standard input and output)")
	flags.StringVar(&c.db, "db", "", "with -http, the SQLite `file` with the API keys and quotas, which the API may share")
	flags.StringVar(&c.audit, "audit", "", "with -http, a `directory` for a record of each screening")
	flags.StringVar(&c.url, "url", "", "ask the server at this `URL`, with the API key in WALLETSCREEN_API_KEY")
	flags.BoolVar(&c.offline, "offline", false, "use the bundled lists, and never fetch one")
	flags.StringVar(&c.exceptions, "exceptions", "", "a `file` of accounts to exclude from scoring, as of walletscreen serve")
	flags.Func("list", "an own list, as `ID=FILE`: addresses to block and to allow; may be repeated", func(text string) error {
		id, file, ok := strings.Cut(text, "=")
		if !ok || id == "" || file == "" {
			return errors.New("want ID=FILE, such as OWN=/etc/walletscreen/own.csv")
		}
		c.own = append(c.own, ownList{id, file})
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	switch {
	case flags.NArg() > 0:
		return c, errors.New("unexpected argument: this program has flags only, see -help")
	case c.http != "" && c.db == "":
		return c, errors.New("-http needs -db, the file with the API keys")
	case c.http == "" && c.audit != "":
		return c, errors.New("-audit needs -http")
	case c.http == "" && c.db != "":
		return c, errors.New("-db needs -http")
	case c.url != "" && (c.offline || c.http != "" || c.exceptions != "" || len(c.own) > 0):
		return c, errors.New("-url goes with none of -offline, -http, -list and -exceptions: the server at the URL has the lists and the keys")
	}
	return c, nil
}

// run runs the program until ctx ends or the client closes standard input.
func run(ctx context.Context, args []string, getenv func(string) string, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if c.url != "" {
		key := getenv("WALLETSCREEN_API_KEY")
		if key == "" {
			return errors.New("-url needs an API key: set the environment variable WALLETSCREEN_API_KEY")
		}
		return newServer(remote(c.url, key)).Run(ctx, &mcp.StdioTransport{})
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))           // standard output belongs to the protocol
	beside, stop := context.WithCancel(context.WithoutCancel(ctx)) // ends when the last request was answered
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	s, err := openLists(beside, c, logger, &background)
	if err != nil {
		return err
	}
	if c.http == "" {
		api := httpapi.NewHandler(s, everyone, &httpapi.Options{Logger: logger})
		return newServer(local(api, nil)).Run(ctx, &mcp.StdioTransport{})
	}

	if _, err := os.Stat(c.db); err != nil {
		return fmt.Errorf("-db: there is no such file; make a key with walletscreen keys create: %w", err)
	}
	store, err := sqlite.Open(ctx, c.db)
	if err != nil {
		return fmt.Errorf("-db: %w", err)
	}
	defer store.Close()
	ring := access.New(store, logger)
	defer ring.Close(context.WithoutCancel(ctx))
	opts := &httpapi.Options{Meter: ring, Logger: logger}
	if c.audit != "" {
		trail, err := audit.Open(c.audit, nil)
		if err != nil {
			return fmt.Errorf("-audit: %w", err)
		}
		background.Go(func() {
			if err := trail.Run(beside); err != nil {
				logger.Error("audit", "error", err)
			}
		})
		opts.Audit = trail.Record
	}
	listener, err := net.Listen("tcp", c.http)
	if err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	server := &http.Server{Handler: newHandler(s, ring, opts), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	logger.Info("serving MCP", "url", "http://"+listener.Addr().String()+"/mcp")
	return serveUntil(ctx, server, listener)
}

// serveUntil serves until ctx ends, and then the requests that have begun. Streams, which never
// end, are cut off.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	if err := server.Shutdown(grace); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}

// everyone admits the only client of standard input and output, which is on this
// machine already.
var everyone authorizer = func(*http.Request) (httpapi.Caller, error) { return httpapi.Caller{ID: "stdio"}, nil }
