//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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
