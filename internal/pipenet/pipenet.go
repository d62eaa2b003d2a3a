// Package pipenet is an in-memory network with one HTTP server, for tests. In a
// testing/synctest bubble, client and server share the fake clock: the load of the machine
// delays neither, and waiting for hours takes no time. [Serve] starts the server.
package pipenet

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
)

// A Listener accepts in-memory connections.
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

// Serve runs a server until the test ends. It discards errors of connections unless the
// server has a logger.
func Serve(t testing.TB, server *http.Server) *Listener {
	t.Helper()
	if server.ErrorLog == nil {
		server.ErrorLog = log.New(io.Discard, "", 0)
	}
	l := &Listener{conns: make(chan net.Conn), done: make(chan struct{})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		<-served
	})
	return l
}

// Dial returns a connection to the server. Writes block until they are read.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, end := net.Pipe()
	select {
	case l.conns <- end:
		return client, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Transport returns a transport that connects every address to the server, until the test
// ends. There is no TLS: requests for https use a plain connection that claims to have it.
func (l *Listener) Transport(t testing.TB) *http.Transport {
	t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }
	transport := &http.Transport{DialContext: dial, DialTLSContext: dial}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.done) })
	return nil
}

// Addr implements [net.Listener].
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
