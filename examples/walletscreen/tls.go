package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// recheckEvery is the interval at which the files of the certificate, of exceptions and of own lists
// are read again.
const recheckEvery = time.Minute

// A certificate is the server's, with its chain and key. When its files have changed, new
// connections get the new certificate. A pair that cannot be used changes nothing; it is
// logged once, and shows in the metrics. The content of the files is compared, not their
// times, because symbolic links are swapped and clocks differ.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu        sync.Mutex
	cert, key []byte // the files as they were last read
	pair      *tls.Certificate
	err       error // why the files that were last read could not be used
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
	cert := &certificate{certFile: c.tlsCert, keyFile: c.tlsKey, log: log}
	if cert.reload(); cert.err != nil {
		return nil, fmt.Errorf("-tls-cert and -tls-key: %w", cert.err)
	}
	return cert, nil
}

// reload reads the files again.
func (c *certificate) reload() {
	cert, certErr := os.ReadFile(c.certFile)
	key, keyErr := readSecret(c.keyFile, 64<<10)
	c.mu.Lock()
	defer c.mu.Unlock()
	same := bytes.Equal(cert, c.cert) && bytes.Equal(key, c.key)
	if same && certErr == nil && keyErr == nil {
		return
	}
	before := c.err
	c.cert, c.key = cert, key
	pair, err := tls.X509KeyPair(cert, key)
	switch {
	case certErr != nil:
		err = certErr
	case keyErr != nil:
		err = keyErr
	}
	if c.err = err; err != nil {
		if c.pair != nil && (!same || before == nil || before.Error() != err.Error()) {
			c.log.Error("the new certificate cannot be used, keeping the old one", "valid_until", c.pair.Leaf.NotAfter, "error", err)
		}
		return
	}
	if c.pair != nil {
		c.log.Info("certificate replaced", "valid_until", pair.Leaf.NotAfter)
	}
	c.pair = &pair
}

// config returns the configuration of a server with this certificate.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.pair, nil
		},
	}
}

// notAfter returns when the certificate expires.
func (c *certificate) notAfter() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair.Leaf.NotAfter
}

// warnExposed warns if keys and addresses can be read on their way to a listener: it does
// not listen on loopback alone, and has no TLS.
func warnExposed(log *slog.Logger, at net.Addr, cert *certificate) {
	if tcp, ok := at.(*net.TCPAddr); cert == nil && (!ok || !tcp.IP.IsLoopback()) {
		log.Warn("without TLS, API keys and addresses can be read on their way: set -tls-cert and -tls-key, or put a proxy with TLS in front", "addr", at)
	}
}

// failing reports whether the files hold something that cannot be used.
func (c *certificate) failing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err != nil
}

// strict returns h with the header that makes browsers insist on TLS (RFC 6797).
func strict(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		h.ServeHTTP(w, r)
	})
}
