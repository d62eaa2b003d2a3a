package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

const exception = `{"chain":"ethereum","address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","reason":"licence 2026-17","author":"J. Doe"}` + "\n"

// TestExceptions starts the server with a file of exceptions.
func TestExceptions(t *testing.T) {
	name := filepath.Join(t.TempDir(), "exceptions.ndjson")
	if err := os.WriteFile(name, []byte(exception), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "-exceptions", name, "-lists", "OFAC_SDN", "-require", "OFAC_SDN")
	status, a := s.screen(t, "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "bsc")
	if status != 200 || a.Score != 0 || len(a.Labels) != 0 || len(a.Suppressed) != 1 || a.Suppressed[0].Reason != "licence 2026-17" {
		t.Errorf("status %d, %+v, want it suppressed", status, a)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(name, []byte("?"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{name, filepath.Join(t.TempDir(), "none")} {
		err := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-offline", "-exceptions", file}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("a file that cannot be used: %v, want an error that names it", err)
		}
	}
}

// TestExceptionsFollowed changes the file while it is followed.
func TestExceptionsFollowed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "exceptions.ndjson")
	synctest.Test(t, func(t *testing.T) {
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := screening.New([]sources.Source{bundle.OFAC()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var logged bytes.Buffer
		write(exception)
		ctx, cancel := context.WithCancel(t.Context())
		f, err := openDecisions(ctx, &serveOptions{exceptions: name}, s, slog.New(slog.NewTextHandler(&logged, nil)))
		if err != nil {
			t.Fatal(err)
		}
		followed := make(chan struct{})
		go func() { (&server{decisions: f}).followFiles(ctx, nil); close(followed) }()
		for _, tt := range []struct {
			name, text string
			want       int
			logs       bool
		}{
			{"the same", exception, 1, false},
			{"one more", exception + strings.Replace(exception, "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0x0000000000000000000000000000000000000001", 1), 2,
				false},
			{"cut off", exception[:40], 2, true},
			{"none", "", 0, false},
			{"twice the same", exception + exception, 0, true},
			{"back", exception, 1, false},
		} {
			logged.Reset()
			write(tt.text)
			time.Sleep(121 * time.Second) // the file is read twice in this time
			synctest.Wait()
			if got := len(s.Exceptions()); got != tt.want {
				t.Errorf("%s: %d exceptions, want %d", tt.name, got, tt.want)
			}
			if n := strings.Count(logged.String(), "keeping the old ones"); n > 1 || (n == 1) != tt.logs {
				t.Errorf("%s: logged %d times: %s", tt.name, n, &logged)
			}
		}
		cancel()
		<-followed
	})
}
