package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/walletscreen/walletscreen/httpapi"
	walletscreen "github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/fbi"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// newHandler returns a handler that serves MCP at /mcp to the callers that auth
// admits. Without a key no message is answered. Each call of a tool goes through the
// handler of the API with the credentials of its own request, so scopes, quotas and
// the audit are those of the API.
func newHandler(s *walletscreen.Screener, auth httpapi.Authorizer, opts *httpapi.Options) http.Handler {
	api := httpapi.NewHandler(s, admitted{auth}, opts)
	server := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return newServer(local(api, r)) },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: 1 << 20})
	mux := http.NewServeMux()
	mux.Handle("/mcp", httpapi.Admit(anyScope{auth}, "mcp", opts)(server))
	return mux
}

// admitted is an Authorizer for requests whose message was admitted: they do not
// count in the burst limit a second time.
type admitted struct{ httpapi.Authorizer }

func (a admitted) Authorize(r *http.Request) (httpapi.Caller, error) {
	c, err := a.Authorizer.Authorize(r)
	c.Burst = nil
	return c, err
}

// anyScope is an Authorizer that admits callers whatever their scopes are, because
// each tool asks for its own.
type anyScope struct{ httpapi.Authorizer }

func (a anyScope) Authorize(r *http.Request) (httpapi.Caller, error) {
	c, err := a.Authorizer.Authorize(r)
	c.Scopes = ""
	return c, err
}

// openLists returns a Screener with the lists that it has, and refreshes them in the
// background unless offline.
func openLists(ctx context.Context, offline bool, logger *slog.Logger, background *sync.WaitGroup) (*walletscreen.Screener, error) {
	srcs := bundle.All()
	if !offline {
		srcs = []sources.Source{
			sources.Seeded(ofac.New(nil), bundle.OFAC()),
			sources.Seeded(eu.New(nil), bundle.EU()),
			sources.Seeded(uk.New(nil), bundle.UK()),
			sources.Seeded(fbi.New(nil), bundle.FBI()),
			sources.Seeded(badlist.New(nil), bundle.Badlist()),
		}
	}
	s, err := walletscreen.New(srcs, &walletscreen.Options{Logger: logger, Optional: bundle.Optional()})
	if err != nil {
		return nil, err
	}
	if offline {
		if _, err := s.Refresh(ctx); err != nil && errors.Is(err, walletscreen.ErrNotLoaded) {
			return nil, err
		}
		return s, nil
	}
	if _, err := s.Open(ctx); err != nil {
		logger.Warn("bundled lists", "error", err)
	}
	background.Go(func() { s.Run(ctx, time.Hour) })
	return s, nil
}
