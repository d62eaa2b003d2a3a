// Server is a thin server for teams that mount the API into their own: it refreshes the
// lists, accepts the API key in the environment variable API_KEY, and answers on port
// 8080 of this machine. The program in examples/walletscreen has the rest: a database of
// keys, quotas, TLS, metrics and an audit trail.
//
//	API_KEY=$(openssl rand -hex 32) go run ./examples/server
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/uk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, handler, err := newHandler(os.Getenv("API_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Open(ctx); err != nil { // from the bundle, at once
		log.Fatal(err)
	}
	go s.Run(ctx, time.Hour) // from the publishers
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		log.Fatal(err)
	}
	if err := serve(ctx, listener, handler); err != nil {
		log.Fatal(err)
	}
}

// serve answers requests until ctx ends, and then those that have begun.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadTimeout: 10 * time.Second, WriteTimeout: 15 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, done := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second) // longer than a request may take
	defer done()
	return server.Shutdown(grace)
}

// newHandler returns a Screener that holds no list yet, and a mux that has the API under
// /compliance/, for callers with this key.
func newHandler(key string) (*screening.Screener, http.Handler, error) {
	s, err := screening.New([]sources.Source{
		sources.Seeded(ofac.New(nil), bundle.OFAC()),
		sources.Seeded(eu.New(nil), bundle.EU()),
		sources.Seeded(uk.New(nil), bundle.UK()),
	}, &screening.Options{
		Optional: []string{"UK_CONSOLIDATED"}, // the bundle has only a part of this list
	})
	if err != nil {
		return nil, nil, err
	}
	keys, err := access.Fixed(map[string]string{"team": key})
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/compliance/", httpapi.NewHandler(s, keys, &httpapi.Options{Prefix: "/compliance"})) // beside the handlers that you have
	return s, mux, nil
}
