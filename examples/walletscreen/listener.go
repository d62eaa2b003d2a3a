package main

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/time/rate"
)

// recheckEvery is how often the files of the certificate and of exceptions are read again.
var recheckEvery = time.Minute // a variable for tests

// A certificate is the server's, with chain and key. New connections get the one in new files.
type certificate struct {
	followed
	pair atomic.Pointer[tls.Certificate]
}

// openCertificate reads the files of -tls-cert and -tls-key, and returns nil if there are none.
func openCertificate(chainFile, keyFile string, log *slog.Logger) (*certificate, error) {
	if chainFile == "" && keyFile == "" {
		return nil, nil
	}
	if chainFile == "" || keyFile == "" {
		return nil, errors.New("-tls-cert and -tls-key need each other")
	}
	cert := &certificate{followed: followed{log: log, failure: "the new certificate cannot be used, keeping the old one"}}
	cert.read = func() ([][]byte, error) {
		chain, err := os.ReadFile(chainFile)
		key, keyErr := readSecret(keyFile, 64<<10)
		return [][]byte{chain, key}, cmp.Or(err, keyErr)
	}
	cert.use = func(files [][]byte) error {
		pair, err := tls.X509KeyPair(files[0], files[1])
		if err == nil && cert.pair.Swap(&pair) != nil {
			log.Info("certificate replaced", "valid_until", pair.Leaf.NotAfter)
		}
		return err
	}
	if err := cert.load(); err != nil {
		return nil, fmt.Errorf("-tls-cert and -tls-key: %w", err)
	}
	return cert, nil
}

// warnExposed warns of a listener beyond loopback without TLS, where keys and addresses can be read.
func warnExposed(log *slog.Logger, at net.Addr, cert *certificate) {
	if tcp, ok := at.(*net.TCPAddr); cert == nil && (!ok || !tcp.IP.IsLoopback()) {
		log.Warn("without TLS, API keys and addresses can be read on their way: set -tls-cert and -tls-key, or put a proxy with TLS in front", "addr", at)
	}
}

// listen returns a listener on the address of a flag.
func listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("-%s %s is in use by another program; choose another port", flag, address)
	}
	if wrong := (*net.AddrError)(nil); errors.As(err, &wrong) {
		return nil, fmt.Errorf("-%s: want HOST:PORT, such as 127.0.0.1:8080: %w", flag, err)
	}
	if err != nil {
		return nil, fmt.Errorf("-%s: %w", flag, err)
	}
	return l, nil
}

// newHTTPServer returns a server that waits for no client for long.
func newHTTPServer(h http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      15 * time.Second,
		IdleTimeout:       2 * time.Minute, // longer than clients keep a connection, which is 90 seconds in Go
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(&fewLines{logger, rate.Sometimes{First: 10, Interval: time.Second}}, "", 0),
	}
}

// fewLines logs what a server says of clients that break off, such as failed handshakes: ten
// lines, and then one a second, because any client can cause one.
type fewLines struct {
	log  *slog.Logger
	some rate.Sometimes
}

// Write implements [io.Writer] for one line.
func (f *fewLines) Write(line []byte) (int, error) {
	f.some.Do(func() { f.log.Warn(strings.TrimRight(string(line), "\n")) })
	return len(line), nil
}

// serveHTTP serves the API, by HTTP/1.1 or, with a certificate, HTTP/2.
func serveHTTP(server *http.Server, listener net.Listener, cert *certificate) error {
	if cert == nil {
		return server.Serve(listener)
	}
	h := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000") // RFC 6797: browsers insist on TLS
		h.ServeHTTP(w, r)
	})
	server.TLSConfig = &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return cert.pair.Load(), nil },
	}
	return server.ServeTLS(listener, "", "")
}
