package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// newPair returns a certificate for 127.0.0.1 that signs itself, and its key, in
// PEM.
func newPair(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Duration(serial) * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// writePair writes the files of a config.
func writePair(t *testing.T, c *serveOptions, cert, key []byte) {
	t.Helper()
	for name, text := range map[string][]byte{c.tlsCert: cert, c.tlsKey: key} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func newTLSConfig(t *testing.T) *serveOptions {
	dir := t.TempDir()
	return &serveOptions{tlsCert: filepath.Join(dir, "cert.pem"), tlsKey: filepath.Join(dir, "key.pem")}
}

// trusting returns a client that trusts the certificates in pem and nothing else.
func trusting(t *testing.T, most uint16, pem ...[]byte) *http.Client {
	roots := x509.NewCertPool()
	for _, p := range pem {
		roots.AppendCertsFromPEM(p)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: most}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestTLS talks to the whole server.
func TestTLS(t *testing.T) {
	c := newTLSConfig(t)
	cert, key := newPair(t, 3)
	writePair(t, c, cert, key)
	s := start(t, "-tls-cert", c.tlsCert, "-tls-key", c.tlsKey, "-ops-addr", "127.0.0.1:0", "-lists", "OFAC_SDN", "-require", "OFAC_SDN")
	if !strings.HasPrefix(s.url, "https://") {
		t.Fatalf("the greeting says %s", s.url)
	}
	for _, tt := range []struct {
		name  string
		most  uint16
		proto string // "" is none
	}{
		{"1.3", tls.VersionTLS13, "HTTP/2.0"},
		{"1.2", tls.VersionTLS12, "HTTP/2.0"},
		{"1.1", tls.VersionTLS11, ""},
	} {
		client := trusting(t, tt.most, cert)
		resp, err := client.Get(s.url + "/api/v1/sources")
		if err != nil {
			if tt.proto != "" || !strings.Contains(err.Error(), "protocol version") {
				t.Errorf("TLS %s: %v", tt.name, err)
			}
			continue
		}
		resp.Body.Close()
		if resp.Proto != tt.proto || resp.TLS.Version != tt.most || resp.StatusCode != 401 {
			t.Errorf("TLS %s: %s, version %x, status %d", tt.name, resp.Proto, resp.TLS.Version, resp.StatusCode)
		}
		for name, want := range map[string]string{
			"Strict-Transport-Security": "max-age=31536000",
			"X-Content-Type-Options":    "nosniff",
			"Content-Security-Policy":   "default-src 'none'; frame-ancestors 'none'",
			"Cache-Control":             "no-store",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("TLS %s: %s is %q, want %q", tt.name, name, got, want)
			}
		}
	}
	s.client = trusting(t, tls.VersionTLS13, cert)
	if status, a := s.screen(t, lazarus, "ethereum"); status != 200 || a.Score != 100 {
		t.Errorf("status %d: %+v", status, a)
	}
	all := s.scrape(t)
	if got := value(t, all, "walletscreen_tls_certificate_expiry_timestamp_seconds"); got < float64(time.Now().Add(70*time.Hour).Unix()) {
		t.Errorf("the certificate is valid until %v", got)
	}
	if got := value(t, all, "walletscreen_tls_certificate_failing"); got != 0 {
		t.Errorf("failing is %v", got)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

// TestCertificateReload replaces the certificate of a server that runs, by good
// ones and by bad ones.
func TestCertificateReload(t *testing.T) {
	c := newTLSConfig(t)
	cert1, key1 := newPair(t, 1)
	cert2, key2 := newPair(t, 2)
	writePair(t, c, cert1, key1)
	var logged bytes.Buffer
	cert, err := openCertificate(c.tlsCert, c.tlsKey, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := newHTTPServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- serveHTTP(server, listener, cert) }()
	checkServed := func(want int64) {
		t.Helper()
		resp, err := trusting(t, tls.VersionTLS13, cert1, cert2).Get("https://" + listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.TLS.PeerCertificates[0].SerialNumber.Int64(); got != want {
			t.Errorf("served is certificate %d, want %d", got, want)
		}
	}
	checkServed(1)
	for _, tt := range []struct {
		name      string
		cert, key []byte
		want      int64
		failing   bool
	}{
		{"the same", cert1, key1, 1, false},
		{"half replaced", cert2, key1, 1, true},
		{"replaced", cert2, key2, 2, false},
		{"cut off", cert1[:100], key1, 2, true},
		{"empty", nil, nil, 2, true},
		{"back", cert1, key1, 1, false},
	} {
		logged.Reset()
		writePair(t, c, tt.cert, tt.key)
		cert.load()
		cert.load() // an error is logged only once
		checkServed(tt.want)
		if cert.failing() != tt.failing {
			t.Errorf("%s: failing is %v", tt.name, cert.failing())
		}
		if n := strings.Count(logged.String(), "keeping the old one"); n > 1 || (n == 1) != tt.failing {
			t.Errorf("%s: logged %d times: %s", tt.name, n, &logged)
		}
		if strings.Contains(logged.String(), "PRIVATE") {
			t.Errorf("%s: logged: %s", tt.name, &logged)
		}
	}
	if err := os.Remove(c.tlsKey); err != nil {
		t.Fatal(err)
	}
	cert.load()
	checkServed(1)
	if !cert.failing() {
		t.Error("a file that is not there does not show")
	}
	server.Close()
	if err := <-served; err != http.ErrServerClosed {
		t.Error(err)
	}
}

// TestCertificateFollows checks that the files are read again periodically, and on a
// signal.
func TestCertificateFollows(t *testing.T) {
	c := newTLSConfig(t)
	synctest.Test(t, func(t *testing.T) {
		write := func(days int64) {
			cert, key := newPair(t, days)
			writePair(t, c, cert, key)
		}
		write(1)
		cert, err := openCertificate(c.tlsCert, c.tlsKey, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		now := make(chan os.Signal)
		s := &server{serveOptions: &serveOptions{offline: true, lists: listOptions{db: "postgres://x"}}, log: slog.New(slog.DiscardHandler), cert: cert}
		go s.followFiles(ctx, now)
		start := time.Now()
		check := func(when string, days int) {
			t.Helper()
			synctest.Wait()
			if got := cert.pair.Load().Leaf.NotAfter; got.Sub(start) > time.Duration(days)*24*time.Hour+2*time.Minute || got.Sub(start) < time.Duration(days)*24*time.Hour {
				t.Errorf("%s: valid until %v", when, got)
			}
		}
		write(2)
		check("before the time", 1)
		time.Sleep(time.Minute)
		check("after a minute", 2)
		write(3)
		check("before it is asked", 2)
		now <- os.Interrupt
		check("asked", 3)
		cancel()
		synctest.Wait()
	})
}

func TestTLSFlags(t *testing.T) {
	c := newTLSConfig(t)
	cert, _ := newPair(t, 1)
	_, other := newPair(t, 2)
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"no key", []string{"-tls-cert", c.tlsCert}, "need each other"},
		{"no certificate", []string{"-tls-key", c.tlsKey}, "need each other"},
		{"no files", []string{"-tls-cert", c.tlsCert, "-tls-key", c.tlsKey}, "no such file"},
	} {
		if err := run(t.Context(), append(tt.args, "-offline", "-addr", "127.0.0.1:0"), io.Discard); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	writePair(t, c, cert, other)
	if err := run(t.Context(), []string{"-offline", "-addr", "127.0.0.1:0", "-tls-cert", c.tlsCert, "-tls-key", c.tlsKey}, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "does not match") {
		t.Errorf("another's key: %v", err)
	}
}

// TestHandshakeErrors checks that failed handshakes do not fill the log.
func TestHandshakeErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		server := newHTTPServer(nil, slog.New(slog.NewTextHandler(&logged, nil)))
		for range 3 {
			for range 1000 {
				server.ErrorLog.Printf("http: TLS handshake error from %s: EOF", "192.0.2.1:40000")
			}
			time.Sleep(time.Minute)
		}
		text := logged.String()
		if n := strings.Count(text, "handshake error"); n != 12 {
			t.Errorf("3000 failures are %d lines:\n%.1000s", n, text)
		}
	})
}
