package outbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
)

// waiting returns the number of messages that wait.
func waiting(t *testing.T, b *Box) (n int) {
	if err := b.db.QueryRowContext(t.Context(), `select count(*) from walletscreen_outbox where ended = 0`).Scan(&n); err != nil {
		t.Error(err)
	}
	return n
}

// boxes runs a test against each kind of database. open opens the same one each time.
func boxes(t *testing.T, test func(t *testing.T, open func() *Box)) {
	for name, database := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "keys.db") },
		"postgres": func() string { return postgrestest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			at := database()
			test(t, func() *Box {
				b, err := Open(t.Context(), at)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { b.Close() })
				return b
			})
		})
	}
}

// messages returns messages with these IDs, and then err if it is not nil.
func messages(err error, ids ...string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for _, id := range ids {
			if !yield(Message{ID: id, Body: []byte(`{"id":"` + id + `"}`)}, nil) {
				return
			}
		}
		if err != nil {
			yield(Message{}, err)
		}
	}
}

func TestAdd(t *testing.T) {
	boxes(t, func(t *testing.T, open func() *Box) {
		b, other := open(), open()
		ctx := t.Context()
		if s, err := b.State(ctx); s != "" || err != nil {
			t.Fatal(s, err)
		}
		if n, err := b.Add(ctx, "", "d1", messages(nil)); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if n, err := b.Add(ctx, "d1", "d2", messages(nil, "a", "b")); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		// Another process has seen the same change, and does not repeat it.
		if n, err := other.Add(ctx, "d1", "d2", messages(nil, "a", "b")); n != 0 || !errors.Is(err, ErrMoved) {
			t.Fatal(n, err)
		}
		// What fails in the middle stores nothing.
		broken := errors.New("broken")
		if n, err := other.Add(ctx, "d2", "d3", messages(broken, "c")); n != 0 || !errors.Is(err, broken) {
			t.Fatal(n, err)
		}
		if s, err := other.State(ctx); s != "d2" || err != nil {
			t.Fatal(s, err)
		}
		// A message that is known is not stored again.
		if n, err := other.Add(ctx, "d2", "d1", messages(nil, "a", "d")); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if n := waiting(t, b); n != 3 {
			t.Errorf("%d messages wait, want 3", n)
		}
	})
}

// Delivery repeats with the same ID until it is accepted, also by the next process, and
// gives up after three days.
func TestDeliver(t *testing.T) {
	boxes(t, func(t *testing.T, open func() *Box) {
		b := open()
		ctx := t.Context()
		now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		b.now = func() time.Time { return now }
		if _, err := b.Add(ctx, "", "d1", messages(nil, "a", "b")); err != nil {
			t.Fatal(err)
		}
		var posted []string
		fails := map[string]bool{"a": true}
		post := func(_ context.Context, m Message) error {
			posted = append(posted, m.ID)
			if fails[m.ID] {
				return errors.New("no")
			}
			return nil
		}
		if d, err := b.Deliver(ctx, post); d.Accepted != 1 || d.Expired != 0 || d.Failure == nil || err != nil || !slices.Equal(posted, []string{"a", "b"}) {
			t.Fatal(d, err, posted)
		}
		if b.Deliver(ctx, post); len(posted) != 2 {
			t.Error("a message was posted again at once")
		}
		// A process that ends before it has stored the answer posts it again.
		ended, cancel := context.WithCancel(ctx)
		now = now.Add(5 * time.Second)
		b.Deliver(ended, func(context.Context, Message) error { cancel(); return nil })
		b = open()
		b.now = func() time.Time { return now }
		posted = nil
		if b.Deliver(ctx, post); !slices.Equal(posted, []string{"a"}) {
			t.Errorf("posted %q after a restart", posted)
		}
		attempts, expired := 0, 0
		for now.Before(time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC)) {
			posted = nil
			d, err := b.Deliver(ctx, post)
			if err != nil {
				t.Fatal(err)
			}
			attempts, expired = attempts+len(posted), expired+d.Expired
			now = now.Add(time.Duration(longtest.N(10, 1)) * time.Minute)
		}
		if expired != 1 || attempts < 75 || attempts > 90 {
			t.Errorf("%d attempts in three days, %d given up", attempts, expired)
		}
		if n := waiting(t, b); n != 0 {
			t.Errorf("%d messages wait", n)
		}
		if err := b.Sweep(ctx); err != nil {
			t.Error(err)
		}
	})
}

// A receiver that says when to come again gets nothing before that.
func TestRetryAfter(t *testing.T) {
	boxes(t, func(t *testing.T, open func() *Box) {
		b := open()
		now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		b.now = func() time.Time { return now }
		if _, err := b.Add(t.Context(), "", "d1", messages(nil, "a", "b", "c")); err != nil {
			t.Fatal(err)
		}
		var posted []string
		busy := true
		deliver := func(want ...string) {
			t.Helper()
			posted = nil
			if _, err := b.Deliver(t.Context(), func(_ context.Context, m Message) error {
				posted = append(posted, m.ID)
				if busy && m.ID == "b" {
					return &RetryError{"429", time.Minute}
				}
				return nil
			}); err != nil || !slices.Equal(posted, want) {
				t.Errorf("at %v: posted %q, %v, want %q", now, posted, err, want)
			}
		}
		deliver("a", "b")
		now = now.Add(59 * time.Second)
		deliver()
		now, busy = now.Add(time.Second), false
		deliver("c", "b")
	})
}

func TestLead(t *testing.T) {
	boxes(t, func(t *testing.T, open func() *Box) {
		b := open()
		now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		b.now = func() time.Time { return now }
		lead := func(holder string, want bool) {
			t.Helper()
			if got, err := b.Lead(t.Context(), holder, time.Minute); got != want || err != nil {
				t.Errorf("%s leads: %v, %v", holder, got, err)
			}
		}
		lead("a", true)
		lead("b", false)
		now = now.Add(50 * time.Second)
		lead("a", true) // prolongs
		now = now.Add(50 * time.Second)
		lead("b", false)
		now = now.Add(11 * time.Second)
		lead("b", true)
		lead("a", false)
		if err := b.Resign(t.Context(), "b"); err != nil {
			t.Error(err)
		}
		lead("a", true)
	})
}

func TestWebhook(t *testing.T) {
	// The example of the specification Standard Webhooks.
	h, err := NewWebhook("https://example.com", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := h.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	status := http.StatusNoContent
	var retry atomic.Pointer[string]
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		if s := retry.Load(); s != nil && *s != "" {
			w.Header().Set("Retry-After", *s)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	secret := NewSecret()
	if h, err = NewWebhook(server.URL, secret); err != nil {
		t.Fatal(err)
	}
	m := Message{ID: "msg_1", Body: []byte(`{"a":1}`)}
	if err := h.Post(t.Context(), m); err != nil {
		t.Error(err)
	}
	if want := h.sign("msg_1", got.Header.Get("webhook-timestamp"), body); string(body) != `{"a":1}` || got.Header.Get("webhook-id") != "msg_1" || got.Header.Get("webhook-signature") != want {
		t.Error(got.Header, string(body))
	}
	for _, status = range []int{301, 400, 410, 429, 500} {
		if err := h.Post(t.Context(), m); err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) {
			t.Errorf("%d: %v", status, err)
		}
	}
	for given, want := range map[string]time.Duration{"120": 2 * time.Minute, "": 0, "0": 0, "-1": 0, "Wed, 21 Oct 2026 07:28:00 GMT": 0, "99999999999999": 0} {
		for _, status = range []int{429, 503, 500} {
			retry.Store(&given)
			later := &RetryError{}
			if err := h.Post(t.Context(), m); err == nil || errors.As(err, &later) != (want > 0 && status != 500) || later.After != 0 && later.After != want {
				t.Errorf("%d, Retry-After %q: %v", status, given, err)
			}
		}
	}
	server.Close()
	if err := h.Post(t.Context(), m); err == nil {
		t.Error("no error of a receiver that is gone")
	}
	for _, bad := range [][2]string{{"", secret}, {"example.com", secret}, {"http://example.com", secret}, {"ftp://example.com", secret}, {"https://a:b@example.com", secret}, {"https://example.com", "secret"}, {"https://example.com", "whsec_AAAA"}} {
		if _, err := NewWebhook(bad[0], bad[1]); err == nil {
			t.Errorf("no error of %q", bad)
		}
	}
}
