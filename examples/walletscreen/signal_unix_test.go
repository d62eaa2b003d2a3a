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
		ctx, cancel := context.WithCancel(t.Context())
		var said strings.Builder
		p := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &said}
		code := make(chan int)
		go func() { code <- p.runUntil(ctx, args) }()
		time.Sleep(100 * time.Millisecond)
		cancel()
		select {
		case code := <-code:
			if code != exitUndecided || !strings.Contains(said.String(), "stopped by a signal") {
				t.Errorf("%v: exit code %d, %q", args, code, said.String())
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%v does not end", args)
		}
	}
}
