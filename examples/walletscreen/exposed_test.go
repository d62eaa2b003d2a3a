package main

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestWarnExposed(t *testing.T) {
	for at, want := range map[string]bool{"127.0.0.1": false, "::1": false, "0.0.0.0": true, "::": true, "192.0.2.1": true} {
		for _, cert := range []*certificate{nil, {}} {
			var log bytes.Buffer
			warnExposed(slog.New(slog.NewTextHandler(&log, nil)), &net.TCPAddr{IP: net.ParseIP(at)}, cert)
			if got := strings.Contains(log.String(), "level=WARN"); got != (want && cert == nil) {
				t.Errorf("%s, certificate %v: warning %v", at, cert != nil, got)
			}
		}
	}
}

// TestReadableSecrets starts servers with secrets that all users can read.
func TestReadableSecrets(t *testing.T) {
	c := newTLSConfig(t)
	cert, key := newPair(t, 1)
	writePair(t, c, cert, key)
	name := filepath.Join(t.TempDir(), "key")
	os.WriteFile(name, []byte(strings.Repeat("0b", 32)), 0o600)
	signer := filepath.Join(t.TempDir(), "signer")
	if code, _, stderr := callIn(t, nil, "", "receipt", "key", "-out", signer, "-name", "example.org/x"); code != 0 {
		t.Fatal(stderr)
	}
	for _, f := range []string{name, c.tlsKey, signer} {
		if err := os.Chmod(f, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"serve", "-addr", "127.0.0.1:0", "-tls-cert", c.tlsCert, "-tls-key", c.tlsKey},
		{"serve", "-addr", "127.0.0.1:0", "-audit", t.TempDir(), "-audit-key", name},
		{"serve", "-addr", "127.0.0.1:0", "-receipt-key", signer},
		{"serve", "-addr", "127.0.0.1:0", "-data", t.TempDir(), "-book", name, "-webhook", "http://127.0.0.1:1/", "-webhook-secret", name},
		{"screen", "-receipt", name + ".out", "-receipt-key", signer, unlisted},
	} {
		code, _, stderr := callIn(t, nil, "", append(args, map[string][]string{"serve": {"-offline", "-addr", "127.0.0.1:0"}}[args[0]]...)...)
		if code != exitUndecided || !strings.Contains(stderr, "can be read by all users of the machine (its mode is 0644): chmod 600 it") {
			t.Errorf("%q: exit code %d, %s", args, code, stderr)
		}
	}
}

// TestSecretModes checks that a group may read a secret, as in a mounted secret of Kubernetes.
func TestSecretModes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]bool{0o400: true, 0o600: true, 0o440: true, 0o640: true, 0o644: false, 0o604: false} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if err := checkSecret(name); (err == nil) != (want || runtime.GOOS == "windows") {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
}

// TestHangup sends SIGHUP to a server without a certificate and without a terminal, as systemctl
// reload does. It reads its own list again and goes on.
func TestHangup(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.csv")
	write := func(text string) {
		if err := os.WriteFile(own, []byte("address,chain\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	defer func(d time.Duration) { ownEvery = d }(ownEvery)
	ownEvery = time.Hour // else the list is read again anyway
	s := start(t, append(shortest, "-list", "OWN="+own)...)
	const blocked = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	if status, a := s.screen(t, blocked, "ethereum"); status != 200 || a.Score != 0 {
		t.Fatalf("status %d, score %d before the list has the address", status, a.Score)
	}
	write(blocked + ",ethereum\n")
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Signal(syscall.SIGHUP)
	}
	if err != nil {
		t.Skip(err) // there are no signals on Windows
	}
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		status, a := s.screen(t, blocked, "ethereum")
		if status == 200 && a.Score == 100 {
			break
		}
		if status != 200 || time.Now().After(end) {
			t.Fatalf("status %d, score %d after SIGHUP:\n%s", status, a.Score, s.log())
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
