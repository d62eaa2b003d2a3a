package main

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// recheckEvery is the interval at which the files of the certificate, of exceptions and of own lists
// are read again.
var recheckEvery = time.Minute // a variable for tests

// A certificate is the server's, with its chain and key. When its files have changed, new
// connections get the new certificate. A pair that cannot be used shows in the metrics.
type certificate struct {
	followed
	pair atomic.Pointer[tls.Certificate]
}

// openCertificate reads the files of -tls-cert and -tls-key, and returns nil if there are
// none.
func openCertificate(c *serveOptions, log *slog.Logger) (*certificate, error) {
	if c.tlsCert == "" && c.tlsKey == "" {
		return nil, nil
	}
	if c.tlsCert == "" || c.tlsKey == "" {
		return nil, errors.New("-tls-cert and -tls-key need each other")
	}
	cert := &certificate{followed: followed{log: log, failure: "the new certificate cannot be used, keeping the old one"}}
	cert.read = func() ([][]byte, error) {
		chain, err := os.ReadFile(c.tlsCert)
		key, keyErr := readSecret(c.tlsKey, 64<<10)
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

// config returns the configuration of a server with this certificate.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil },
	}
}

// notAfter returns when the certificate expires.
func (c *certificate) notAfter() time.Time { return c.pair.Load().Leaf.NotAfter }

// warnExposed warns if keys and addresses can be read on their way to a listener: it does
// not listen on loopback alone, and has no TLS.
func warnExposed(log *slog.Logger, at net.Addr, cert *certificate) {
	if tcp, ok := at.(*net.TCPAddr); cert == nil && (!ok || !tcp.IP.IsLoopback()) {
		log.Warn("without TLS, API keys and addresses can be read on their way: set -tls-cert and -tls-key, or put a proxy with TLS in front", "addr", at)
	}
}

// strict returns h with the header that makes browsers insist on TLS (RFC 6797).
func strict(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		h.ServeHTTP(w, r)
	})
}
