// Package pipenet is a network in memory, of one server of HTTP. Where client and
// server are in one bubble of testing/synctest, its clock is that of both: no load
// of the machine makes either late, and hours of waiting take no time.
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

// A Listener is where a server is reached.
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

// Serve has a server answer until the test ends, without a word of what goes wrong
// with a connection unless it has a logger.
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

// Dial returns a connection to the server. What is written waits to be read.
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

// Transport returns a transport to the server, to which all addresses lead, until
// the test ends. There is no TLS: what is asked for by https goes over a connection
// that passes for one with it.
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
