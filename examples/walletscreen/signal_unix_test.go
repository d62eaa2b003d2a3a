//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
)

// TestSignalAtPipe checks that a signal ends a command that opens a pipe which nobody
// writes to.
func TestSignalAtPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // for the commands that still wait
		if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil {
			time.Sleep(100 * time.Millisecond)
			f.Close()
		}
	})
	for _, args := range [][]string{
		{"serve", "-addr", "127.0.0.1:0", "-offline", "-list", "X=" + pipe},
		{"screen", "-in", pipe},
	} {
		// A busy machine takes a while to come to the pipe.
		for busy := 100 * time.Millisecond; ; busy *= 4 {
			ctx, cancel := context.WithCancel(t.Context())
			stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
			if err != nil {
				t.Fatal(err)
			}
			defer stderr.Close()
			p := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr}
			code := make(chan int, 1)
			go func() { code <- p.runUntil(ctx, args) }()
			time.Sleep(busy)
			cancel()
			select {
			case code := <-code:
				if code != exitUndecided {
					t.Errorf("%v: exit code %d", args, code)
				}
			case <-time.After(5 * time.Minute):
				t.Fatalf("%v does not end", args)
			}
			said, err := os.ReadFile(stderr.Name())
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(said), "stopped by a signal") {
				break
			}
			if busy > 20*time.Second {
				t.Fatalf("%v: %q", args, said)
			}
		}
	}
}

// TestTerminal checks that a server on a terminal, which SIGHUP ends, reads its exceptions again.
func TestTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil || !isTerminal(terminal) {
		t.Skip("there are no terminals: ", err) // as in some containers; nothing else makes the program see one
	}
	defer terminal.Close()
	defer func(d time.Duration) { recheckEvery = d }(recheckEvery)
	recheckEvery = 20 * time.Millisecond
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	name := filepath.Join(t.TempDir(), "exceptions.ndjson")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "-addr", addr, "-offline", "-api-key", "a-key-for-the-test", "-exceptions", name, "-lists", "OFAC_SDN", "-require", "OFAC_SDN"}, terminal)
	}()
	s := &running{client: http.DefaultClient, url: "http://" + addr, key: "a-key-for-the-test"}
	for !answers(addr) && len(ended) == 0 {
		time.Sleep(20 * time.Millisecond)
	}
	if err := os.WriteFile(name, []byte(exception), 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); len(ended) == 0; time.Sleep(20 * time.Millisecond) {
		_, a := s.screen(t, "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "ethereum")
		if len(a.Suppressed) == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the new exceptions are not used: %+v", a)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestWatchKeepsNoLock checks that the database of keys can be written while customers are compared.
func TestWatchKeepsNoLock(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "customers.csv")
	text := []byte("id,address\na," + evm(1) + "\n")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	list := &listSource{id: "LIST"}
	list.set(9)
	w := newWatching(t, dir, list)
	w.refresh(t)
	list.set(1, 9)
	if _, err := w.screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	w.stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano()) // it was checked
	ended := make(chan error, 1)
	go func() { ended <- w.sync(t.Context()) }()
	pipe, err := os.OpenFile(name, os.O_WRONLY, 0) // when sync opens it
	if err != nil {
		t.Fatal(err)
	}
	box, err := outbox.Open(t.Context(), "sqlite:"+filepath.Join(dir, dbFile))
	if err != nil {
		t.Error(err)
	} else {
		box.Close()
	}
	_, err = pipe.Write(text)
	if err := errors.Join(err, pipe.Close(), <-ended); err != nil {
		t.Error(err)
	}
}

// answers reports whether something accepts connections at an address.
func answers(addr string) bool {
	c, err := net.Dial("tcp", addr)
	if err == nil {
		c.Close()
	}
	return err == nil
}
