package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/walletscreen/walletscreen/httpapi"
	walletscreen "github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/own"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// newHandler returns a handler that serves MCP at /mcp to the callers that auth
// admits. Without a key no message is answered. Calls that read lists go through the
// handler of the API with the credentials of their own request, so quotas and the audit
// are as there. Each message counts in the burst limit, also within a batch of JSON-RPC,
// and each tool needs its scope.
func newHandler(s *walletscreen.Screener, auth httpapi.Authorizer, opts *httpapi.Options) http.Handler {
	api := httpapi.NewHandler(s, authorizer(func(r *http.Request) (httpapi.Caller, error) {
		c, err := auth.Authorize(r)
		c.Burst = nil // the message was counted
		return c, err
	}), opts)
	server := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		s := newServer(local(api, r))
		caller, _ := httpapi.CallerOf(r.Context())
		s.AddReceivingMiddleware(limit(caller))
		return s
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: 1 << 20})
	mux := http.NewServeMux()
	mux.Handle("/mcp", httpapi.Admit(anyScope(auth), mcpScope, opts)(server))
	return mux
}

// An authorizer is a function that admits callers.
type authorizer func(*http.Request) (httpapi.Caller, error)

func (f authorizer) Authorize(r *http.Request) (httpapi.Caller, error) { return f(r) }

// mcpScope is the scope of the endpoint, which every caller has.
const mcpScope = "mcp"

// anyScope is auth with mcpScope added to the scopes of callers, because each tool asks for its own.
func anyScope(auth httpapi.Authorizer) authorizer {
	return func(r *http.Request) (httpapi.Caller, error) {
		c, err := auth.Authorize(r)
		if c.Scopes != "" {
			c.Scopes += " " + mcpScope
		}
		return c, err
	}
}

// toolScopes are the scopes of the tools, as the API has them.
var toolScopes = map[string]string{"screen_address": "screen", "validate_address": "validate", "find_addresses": "validate", "list_sources": "sources"}

// limit returns middleware for the messages of one request. The first one was counted when
// the request was admitted; each further one of a batch counts as well.
func limit(c httpapi.Caller) mcp.Middleware {
	var messages atomic.Int64
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			var refused *problem
			call, isCall := r.(*mcp.CallToolRequest)
			if messages.Add(1) > 1 && c.Burst != nil && !c.Burst.Allow() {
				refused = &problem{Code: "rate_limited", Detail: "There are too many calls at once with this API key."}
			} else if isCall && c.Scopes != "" {
				if scope, ok := toolScopes[call.Params.Name]; ok && !slices.Contains(strings.Fields(c.Scopes), scope) {
					refused = &problem{Code: "insufficient_scope", Detail: "The API key lacks the scope " + scope + " of this tool."}
				}
			}
			switch {
			case refused == nil:
				return next(ctx, method, r)
			case !isCall:
				return nil, refused
			}
			result := &mcp.CallToolResult{}
			result.SetError(refused)
			return result, nil
		}
	}
}

// openLists returns a Screener with the lists that it has, own ones and exceptions among
// them, and refreshes them in the background; offline, those that are files.
func openLists(ctx context.Context, c config, logger *slog.Logger, background *sync.WaitGroup) (*walletscreen.Screener, error) {
	srcs := bundle.All()
	if !c.offline {
		srcs = []sources.Source{
			sources.Seeded(ofac.New(nil), bundle.OFAC()),
			sources.Seeded(eu.New(nil), bundle.EU()),
			sources.Seeded(uk.New(nil), bundle.UK()),
			bundle.FBI(), bundle.DOJ(), bundle.GraphSense(),
			sources.Seeded(badlist.New(nil), bundle.Badlist()),
		}
	}
	const often = 10 * time.Second
	schedule := map[string]walletscreen.Schedule{}
	for _, l := range c.own {
		srcs = append(srcs, own.File(l.id, l.file))
		schedule[l.id] = walletscreen.Schedule{Every: often}
	}
	s, err := walletscreen.New(srcs, &walletscreen.Options{Logger: logger, Optional: bundle.Optional(), Schedule: schedule})
	if err != nil {
		return nil, err
	}
	follow := c.follow(s)
	if err := follow(ctx); err != nil {
		return nil, err
	}
	background.Go(func() {
		tick, last := time.Tick(often), ""
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick:
			}
			err := follow(ctx)
			if err != nil && err.Error() != last && ctx.Err() == nil {
				logger.Error("the new exceptions cannot be used, keeping the old ones", "error", err)
			}
			last = fmt.Sprint(err)
		}
	})
	if c.offline {
		if _, err := s.Refresh(ctx); err != nil && errors.Is(err, walletscreen.ErrNotLoaded) {
			return nil, err
		}
	} else if _, err := s.Open(ctx); err != nil {
		logger.Warn("bundled lists", "error", err)
	}
	background.Go(func() { s.Run(ctx, time.Hour) }) // offline, it follows the own lists
	return s, nil
}

// follow returns a function that sets the exceptions of -exceptions, and the addresses that own lists allow, if one of
// the files has changed since it did so last.
func (c config) follow(s *walletscreen.Screener) func(context.Context) error {
	last := ""
	files := append([]ownList{{"", c.exceptions}}, c.own...)
	return func(ctx context.Context) error {
		now := ""
		for _, l := range files {
			if info, err := os.Stat(l.file); err == nil {
				now += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
			} else if l.file != "" {
				now += "none "
			}
		}
		if now == last {
			return nil
		}
		var all []walletscreen.Exception
		if c.exceptions != "" {
			f, err := os.Open(c.exceptions)
			if err != nil {
				return fmt.Errorf("-exceptions: %w", err)
			}
			defer f.Close()
			if all, err = walletscreen.ReadExceptions(f); err != nil {
				return fmt.Errorf("-exceptions: %s: %w", c.exceptions, err)
			}
		}
		if err := s.SetExceptions(ctx, all); err != nil {
			return err
		}
		last = now
		return nil
	}
}
