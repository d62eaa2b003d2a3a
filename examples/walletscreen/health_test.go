package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
)

// TestDrain stops a server with -drain-delay: while /readyz says 503 it answers as before, and then
// the port closes.
func TestDrain(t *testing.T) {
	for delay := 2 * time.Second; drained(t, delay) == 0; delay *= 4 { // a busy machine may not ask in this time
		if delay > time.Minute {
			t.Fatalf("within %v no request was answered while /readyz said 503", delay)
		}
	}
}

// drained returns how many requests a server answers while it is drained, and stops it.
func drained(t *testing.T, delay time.Duration) (n int) {
	s := start(t, append(shortest, "-ops-addr", "127.0.0.1:0", "-data", t.TempDir(), "-drain-delay", delay.String())...)
	addr := strings.TrimPrefix(s.ops, "http://")
	if code, stdout, stderr := call(t, "", "health", "-ops-addr", addr); code != 0 || stdout != "ready\n" {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	for _, path := range []string{"/livez", "/healthz"} {
		if status, body := get(t, s.ops+path); status != 200 || body != "ok\n" {
			t.Errorf("%s is answered with %d, %q", path, status, body)
		}
	}
	begun := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // each request needs the port
	for ended := false; !ended; {
		select {
		case err := <-stopped:
			if err != nil {
				t.Error(err)
			}
			ended = true
			continue
		default:
		}
		resp, err := client.Get(s.ops + "/readyz")
		if err != nil {
			continue // it has ended
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusServiceUnavailable {
			continue // the signal has not arrived
		}
		if resp, err = client.Get(s.url + "/"); err == nil {
			resp.Body.Close()
			n++
		}
		time.Sleep(50 * time.Millisecond)
	}
	if took := time.Since(begun); took < delay {
		t.Errorf("the server ended after %v, want %v", took, delay)
	}
	if code, _, stderr := call(t, "", "health", "-ops-addr", addr); code != exitUndecided || !strings.Contains(stderr, "the server does not answer") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	return n
}

// TestHealth asks servers that are not ready, and something else.
func TestHealth(t *testing.T) {
	for _, tt := range []struct {
		status     int
		body, want string
	}{
		{503, `{"ready":false,"missing":["OFAC_SDN","OWN"],"stale":["EU_CONSOLIDATED"]}`, "not ready: OFAC_SDN, OWN not loaded; EU_CONSOLIDATED too old\n"},
		{503, `{"ready":false,"stopping":true,"audit":"disk full"}`, "not ready: the server is stopping; screenings cannot be recorded: disk full\n"},
		{404, "not found", "404 Not Found: is it the listener of -ops-addr?\n"},
		{404, `{"status":404,"code":"not_found"}`, "404 Not Found: is it the listener of -ops-addr?\n"},
		{200, `{}`, "200 OK: is it the listener of -ops-addr?\n"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		}))
		_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
		code, _, stderr := call(t, "", "health", "-ops-addr", ":"+port) // as the image has it
		if code != exitUndecided || !strings.HasSuffix(stderr, tt.want) {
			t.Errorf("exit code %d, %q, want %q", code, stderr, tt.want)
		}
		server.Close()
	}
	if code, _, stderr := call(t, "", "health", "-ops-addr", "9090"); code != exitUndecided || !strings.Contains(stderr, "want HOST:PORT") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestAccessLog looks for an answer in the log, with its trace and without an address.
func TestAccessLog(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	for level, logged := range map[string]bool{"debug": true, "info": false} {
		s := start(t, append(shortest, "-data", t.TempDir(), "-log-level", level)...)
		for _, path := range []string{"/api/v1/sources", "/" + keyInPath + "/" + lazarus} {
			r, err := http.NewRequest(http.MethodGet, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+s.key)
			r.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		log := s.log()
		if got := strings.Contains(log, "msg=answered method=GET route=/api/v1/sources status=200") && strings.Contains(log, "trace_id="+trace) &&
			strings.Contains(log, "route=unknown status=404"); got != logged {
			t.Errorf("%s: logged: %v, want %v\n%s", level, got, logged, log)
		}
		if strings.Contains(log, keyInPath) || strings.Contains(strings.ToLower(log), strings.ToLower(lazarus)) || strings.Contains(log, s.key) {
			t.Errorf("%s: a key or an address is in the log:\n%s", level, log)
		}
	}
}

// TestRefreshTimeout refreshes from a mirror that never answers.
func TestRefreshTimeout(t *testing.T) {
	hangs := make(chan struct{})
	mirror := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
	defer mirror.Close()
	defer close(hangs)
	code, stdout, stderr := call(t, "", "lists", "refresh", "-data", t.TempDir(), "-lists", "COMMUNITY_BADLIST", "-require", "COMMUNITY_BADLIST",
		"-mirror", "COMMUNITY_BADLIST="+mirror.URL, "-timeout", "100ms")
	if code != exitUndecided || !strings.Contains(stdout, "FAILED") || !strings.Contains(stdout+stderr, "deadline exceeded") && !strings.Contains(stdout+stderr, "-timeout") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// TestWebhookMetrics counts messages that wait and that were accepted.
func TestWebhookMetrics(t *testing.T) {
	ctx := t.Context()
	box, err := outbox.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "box"))
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	m, w := newMetrics(), &watcher{box: box, log: slog.New(slog.DiscardHandler), delivered: newDelivered()}
	m.watchWebhook(box, w.delivered)
	check := func(when string, waiting, accepted int) {
		t.Helper()
		r := httptest.NewRecorder()
		m.handler().ServeHTTP(r, httptest.NewRequest("GET", "/metrics", nil))
		for _, want := range []string{
			fmt.Sprintf("walletscreen_webhook_waiting_messages %d\n", waiting), fmt.Sprintf(`messages_total{outcome="accepted"} %d`+"\n", accepted), `messages_total{outcome="expired"} 0`,
		} {
			if !strings.Contains(r.Body.String(), want) {
				t.Errorf("%s: want %s", when, want)
			}
		}
		if none := strings.Contains(r.Body.String(), "oldest_message_age_seconds 0\n"); none != (waiting == 0) {
			t.Errorf("%s: no message is old: %v", when, none)
		}
	}
	check("empty", 0, 0)
	if _, err := box.Add(ctx, "", "a", []outbox.Event{{ID: "1", Customer: "1"}, {ID: "2", Customer: "2"}}); err != nil {
		t.Fatal(err)
	}
	check("added", 2, 0)
	d, err := box.Deliver(ctx, func(_ context.Context, m outbox.Message) error {
		if m.ID == "1" {
			return errors.New("not now")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.told(d)
	check("delivered", 1, 1)
}
