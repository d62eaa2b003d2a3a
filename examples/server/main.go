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
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// refreshEvery is how often the lists are asked for. The questions are
// conditional: a list that has not changed is not sent again.
const refreshEvery = time.Hour

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

// A config is what the flags and the environment say.
type config struct {
	addr    string
	data    string
	keys    []string
	offline bool
}

// parseFlags reads the flags in args, and the environment for those that are not
// there.
func parseFlags(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`address` to listen on")
	flags.StringVar(&c.data, "data", "", "`directory` for what must outlast a restart: the lists, and the hash of the API key (default: kept in memory)")
	flags.Func("api-key", "an API `key` to let in, for trying out; may be given several times (default: one is made)", func(s string) error {
		if s == "" {
			return errors.New("the key is empty")
		}
		c.keys = append(c.keys, s)
		return nil
	})
	flags.BoolVar(&c.offline, "offline", false, "never fetch a list; answer from the bundled ones")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var err error
	flags.VisitAll(func(f *flag.Flag) {
		name := "WALLETSCREEN_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := getenv(name)
		if value == "" || given[f.Name] || err != nil {
			return
		}
		values := []string{value}
		if f.Name == "api-key" {
			values = strings.Fields(strings.ReplaceAll(value, ",", " "))
		}
		for _, v := range values {
			if flags.Set(f.Name, v) != nil {
				err = fmt.Errorf("%s: the value cannot be used; see -help for -%s", name, f.Name)
			}
		}
	})
	return c, err
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

	srcs := append(bundle.All(), bundle.EU(), bundle.UK())
	if !c.offline {
		srcs = []sources.Source{
			sources.Seeded(ofac.New(nil), bundle.OFAC()),
			sources.Seeded(badlist.New(nil), bundle.Badlist()),
			sources.Seeded(eu.New(nil), bundle.EU()),
			sources.Seeded(uk.New(nil), bundle.UK()),
		}
	}
	opts := &screening.Options{
		Logger: logger,
		// The bundle has excerpts of these only: until they have been fetched, answers
		// come without the rest, and show in data_freshness that they are not loaded.
		Optional: []string{"EU_CONSOLIDATED", "UK_CONSOLIDATED"},
	}
	if c.data != "" {
		dir, err := store.Open(filepath.Join(c.data, "lists"), nil)
		if err != nil {
			return err
		}
		opts.Store = dir
	}
	screener, err := screening.New(srcs, opts)
	if err != nil {
		return err
	}
	// Without a network: from what was kept, or from the bundle, whichever is newer.
	open := screener.Open
	if c.offline {
		open = screener.Refresh
	}
	if _, err := open(ctx); err != nil {
		for _, s := range screener.Sources() {
			if s.Required && !s.Loaded() {
				return err // the bundle itself is damaged
			}
		}
		// It is logged, and what is held is good.
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

// greet says what somebody who has just started the server wants to know.
func greet(w io.Writer, addr net.Addr, lists []screening.SourceStatus, keys *keyring, c config) {
	host := reachable(addr)
	fmt.Fprintf(w, "walletscreen on http://%s\n\nLists:\n", host)
	for _, s := range lists {
		if s.Partial {
			fmt.Fprintf(w, "  %-18s not loaded yet, but for an excerpt of %d addresses, of %s: %s\n", s.Info.ID, s.Addresses,
				s.Published.Format(time.DateOnly), s.Info.Name)
			continue
		}
		if !s.Loaded() {
			fmt.Fprintf(w, "  %-18s not loaded yet: %s\n", s.Info.ID, s.Info.Name)
			continue
		}
		fmt.Fprintf(w, "  %-18s %5d addresses, of %s (%s old): %s\n", s.Info.ID, s.Addresses,
			s.LastUpdated.Format(time.DateOnly), age(time.Since(s.LastUpdated)), s.Info.Name)
	}
	if c.data != "" {
		fmt.Fprintf(w, "  They are kept in %s, and survive a restart.\n", filepath.Join(c.data, "lists"))
	} else {
		fmt.Fprint(w, "  They are kept in memory. With -data DIR they survive a restart.\n")
	}
	if c.offline {
		fmt.Fprint(w, "  They are not refreshed, because of -offline.\n")
	} else {
		fmt.Fprintf(w, "  They are refreshed in the background, now and every %v.\n", refreshEvery)
	}
	fmt.Fprintf(w, "\n%s\n\nTry it:\n\n", keys.note)
	fmt.Fprintf(w, "  curl -s http://%s/api/v1/screen -H %s -H 'Content-Type: application/json' \\\n"+
		"    -d '{\"address\":\"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\",\"chain\":\"ethereum\"}'\n\n",
		host, shellQuote("Authorization: Bearer "+keys.show))
}

// reachable returns the address to write into a URL: localhost for a server that
// listens everywhere.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// age returns d in days, or in hours where it is less than two days.
func age(d time.Duration) string {
	if d < 48*time.Hour {
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " days"
}

// shellQuote returns s as one word of a shell command.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
