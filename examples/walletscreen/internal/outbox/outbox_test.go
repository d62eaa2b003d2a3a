package outbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
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

// TestDurable checks that a commit is on the disk, whatever the settings of the database, and that one transaction
// waits for another one rather than fail.
func TestDurable(t *testing.T) {
	for _, told := range []string{"synchronous_commit=off", "default_transaction_isolation=serializable"} {
		b, err := Open(t.Context(), postgrestest.URL(t)+"&"+told)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		var got string
		if err := b.db.QueryRow(`select current_setting('synchronous_commit') || ' ' || current_setting('transaction_isolation')`).Scan(&got); err != nil || got != "on read committed" {
			t.Errorf("with %s, commits are %q, %v", told, got, err)
		}
	}
	for _, url := range []string{"postgres://u:1/hunter2@127.0.0.1:1/d", "postgres://u:a@hunter2@127.0.0.1:1/d"} {
		if _, err := Open(t.Context(), url); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestOpenAtOnce opens a new outbox in several processes at the same time, as replicas that start together do.
func TestOpenAtOnce(t *testing.T) {
	for _, database := range []string{postgrestest.URL(t), "sqlite:" + filepath.Join(t.TempDir(), "keys.db")} {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				b, err := Open(t.Context(), database)
				if err != nil {
					t.Errorf("%.8s: %v", database, err)
					return
				}
				b.Close()
			})
		}
		all.Wait()
	}
}

// TestRights uses a role that may use the tables but not create them.
func TestRights(t *testing.T) {
	url := postgrestest.URL(t)
	b, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	role := strings.ToLower("sender_" + rand.Text())
	for _, statement := range []string{
		"create role " + role, "do $$ begin execute format('grant usage on schema %I to " + role + "', current_schema()); end $$",
		"grant select, insert, update, delete on walletscreen_outbox, walletscreen_outbox_state to " + role,
	} {
		if _, err := b.db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	defer b.db.ExecContext(context.Background(), "drop owned by "+role+"; drop role "+role)
	limited, err := Open(t.Context(), url+"&role="+role)
	if err != nil {
		t.Fatal(err)
	}
	defer limited.Close()
	if n, err := limited.Add(t.Context(), "", "1", messages("a:1")); n != 1 || err != nil {
		t.Errorf("%d messages added, %v", n, err)
	}
}

// messages returns events with these IDs. The customer is the part before a colon.
func messages(ids ...string) (all []Event) {
	for _, id := range ids {
		customer, _, _ := strings.Cut(id, ":")
		all = append(all, Event{ID: id, Customer: customer, Type: "test", Data: id})
	}
	return all
}

// A log collects the IDs of messages that were posted.
type log struct {
	mu  sync.Mutex
	ids []string
}

func (l *log) add(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids = append(l.ids, id)
}

// take returns the IDs since the last call, sorted.
func (l *log) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := l.ids
	l.ids = nil
	slices.Sort(ids)
	return ids
}

func TestAdd(t *testing.T) {
	boxes(t, func(t *testing.T, open func() *Box) {
		b, other := open(), open()
		ctx := t.Context()
		if s, err := b.State(ctx); s != "" || err != nil {
			t.Fatal(s, err)
		}
		if n, err := b.Add(ctx, "", "d1", nil); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if n, err := b.Add(ctx, "d1", "d2", messages("a", "b")); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		// Another process has seen the same change, and does not repeat it.
		if n, err := other.Add(ctx, "d1", "d2", messages("a", "b")); n != 0 || err == nil || !strings.Contains(err.Error(), "advanced by another process") {
			t.Fatal(n, err)
		}
		// What fails in the middle stores nothing.
		broken := append(messages("c"), Event{ID: "e", Data: func() {}}) // which has no JSON
		if n, err := other.Add(ctx, "d2", "d3", broken); n != 0 || err == nil {
			t.Fatal(n, err)
		}
		if s, err := other.State(ctx); s != "d2" || err != nil {
			t.Fatal(s, err)
		}
		// A message that is known is not stored again.
		if n, err := other.Add(ctx, "d2", "d1", messages("a", "d")); n != 1 || err != nil {
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
		if _, err := b.Add(ctx, "", "d1", messages("a", "b")); err != nil {
			t.Fatal(err)
		}
		var posted log
		post := func(_ context.Context, m Message) error {
			posted.add(m.ID)
			if m.ID == "a" {
				return errors.New("no")
			}
			return nil
		}
		d, err := b.Deliver(ctx, post)
		if got := posted.take(); d.Accepted != 1 || d.Expired != 0 || d.Failure == nil || err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Fatal(d, err, got)
		}
		if b.Deliver(ctx, post); len(posted.take()) != 0 {
			t.Error("a message was posted again at once")
		}
		// A process that ends before it has stored the answer posts it again.
		ended, cancel := context.WithCancel(ctx)
		now = now.Add(5 * time.Second)
		b.Deliver(ended, func(context.Context, Message) error { cancel(); return nil })
		b = open()
		b.now = func() time.Time { return now }
		b.Deliver(ctx, post)
		if got := posted.take(); !slices.Equal(got, []string{"a"}) {
			t.Errorf("posted %q after a restart", got)
		}
		attempts, expired := 0, 0
		for now.Before(time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC)) {
			d, err := b.Deliver(ctx, post)
			if err != nil {
				t.Fatal(err)
			}
			attempts, expired = attempts+len(posted.take()), expired+d.Expired
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
		if _, err := b.Add(t.Context(), "", "d1", messages("a", "b", "c")); err != nil {
			t.Fatal(err)
		}
		var posted log
		busy := true
		deliver := func(want ...string) {
			t.Helper()
			_, err := b.Deliver(t.Context(), func(_ context.Context, m Message) error {
				posted.add(m.ID)
				if busy && m.ID == "b" {
					return &RetryError{"429", time.Minute}
				}
				return nil
			})
			if got := posted.take(); err != nil || !slices.Equal(got, want) {
				t.Errorf("at %v: posted %q, %v, want %q", now, got, err, want)
			}
		}
		deliver("a", "b", "c") // at once
		if _, err := b.Add(t.Context(), "d1", "d2", messages("d")); err != nil {
			t.Fatal(err)
		}
		now = now.Add(59 * time.Second)
		deliver()
		now, busy = now.Add(time.Second), false
		deliver("b", "d")
	})
}

// A message is posted only after the previous message of its customer was accepted or
// given up, whatever becomes of the messages of others, and after a restart, too. The
// sequence numbers grow.
func TestOrder(t *testing.T) {
	boxes(t, func(t *testing.T, open func() *Box) {
		b := open()
		now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		clock := func() time.Time { return now }
		b.now = clock
		var mu sync.Mutex
		got, last, busy := map[string][]string{}, int64(0), map[string]bool{}
		broken := true
		post := func(_ context.Context, m Message) error {
			mu.Lock()
			defer mu.Unlock()
			customer, _, _ := strings.Cut(m.ID, ":")
			if busy[customer] {
				t.Errorf("%s was posted while another message of the customer was", m.ID)
			}
			busy[customer] = true
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			busy[customer] = false
			var body struct {
				Sequence  int64
				Timestamp time.Time
				Type      string
				Data      string
			}
			if err := json.Unmarshal(m.Body, &body); err != nil || body.Data != m.ID || body.Type != "test" || body.Timestamp.IsZero() {
				t.Errorf("%s: %v", m.Body, err)
			}
			if broken && m.ID == "a:1" {
				return errors.New("no")
			}
			if customer == "a" {
				if body.Sequence <= last {
					t.Errorf("%s has the sequence number %d after %d", m.ID, body.Sequence, last)
				}
				last = body.Sequence
			}
			got[customer] = append(got[customer], m.ID)
			return nil
		}
		for n, ids := range [][]string{{"a:1", "b:1", "a:2"}, {"b:2", "a:3"}, {"a:4", "b:3"}} {
			if _, err := b.Add(t.Context(), fmt.Sprint(n)[:min(1, n)], fmt.Sprint(n+1), messages(ids...)); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Deliver(t.Context(), post); err != nil {
				t.Fatal(err)
			}
			if want := []string{"b:1", "b:2", "b:3"}[:n+1]; !slices.Equal(got["b"], want) || len(got["a"]) != 0 {
				t.Fatalf("accepted %q and %q, want none and %q", got["a"], got["b"], want)
			}
			now = now.Add(time.Minute)
			b = open()
			b.now = clock
		}
		broken = false
		if err := b.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Deliver(t.Context(), post); err != nil {
			t.Fatal(err)
		}
		if want := []string{"a:1", "a:2", "a:3", "a:4"}; !slices.Equal(got["a"], want) {
			t.Errorf("accepted %q, want %q", got["a"], want)
		}
		now = now.Add(2 * Keep)
		if err := b.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Add(t.Context(), "3", "4", messages("a:5")); err != nil { // an empty table
			t.Fatal(err)
		}
		if d, err := b.Deliver(t.Context(), post); d.Accepted != 1 || err != nil {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// Many customers are served at once: a receiver that waits until several messages have
// arrived gets them.
func TestParallel(t *testing.T) {
	boxes(t, func(t *testing.T, open func() *Box) {
		b := open()
		var ids []string
		for n := range 3 * posts {
			ids = append(ids, fmt.Sprint(n))
		}
		if _, err := b.Add(t.Context(), "", "d1", messages(ids...)); err != nil {
			t.Fatal(err)
		}
		var arrived sync.WaitGroup
		arrived.Add(posts)
		var n atomic.Int64
		d, err := b.Deliver(t.Context(), func(context.Context, Message) error {
			if n.Add(1) <= posts {
				arrived.Done()
				arrived.Wait()
			}
			return nil
		})
		if d.Accepted != len(ids) || d.Failure != nil || err != nil {
			t.Errorf("%+v, %v", d, err)
		}
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
	if got, want := h.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)),
		"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
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
	if want := h.sign("msg_1", got.Header.Get("webhook-timestamp"), body); string(body) != `{"a":1}` || got.Header.Get("webhook-id") != "msg_1" ||
		got.Header.Get("webhook-signature") != want {
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
	for _, bad := range [][2]string{{"", secret}, {"example.com", secret}, {"http://example.com", secret}, {"ftp://example.com", secret},
		{"https://a:b@example.com", secret}, {"https://a@example.com", secret}, {"http://a:b@127.0.0.1", secret},
		{"http://127.evil.example/h", secret}, {"http://127.0.0.1.evil.example", secret}, {"http://localhost.evil.example", secret}, {"http://localhost", secret},
		{"http://LOCALHOST:9000/h", secret}, {"http://localhost.", secret},
		{"http://127.1", secret}, {"http://0.0.0.0", secret}, {"http://[::]", secret},
		{"https://example.com", "secret"}, {"https://example.com", "whsec_AAAA"}} {
		if _, err := NewWebhook(bad[0], bad[1]); err == nil {
			t.Errorf("no error of %q", bad)
		} else if strings.Contains(err.Error(), "a:b") {
			t.Errorf("the error of %q quotes the password: %v", bad, err)
		}
	}
	for _, good := range []string{"http://127.0.0.1:1/h", "http://127.9.9.9", "http://[::1]:8080/h", "http://[::ffff:127.0.0.1]",
		"https://example.com/h?token=t"} {
		if _, err := NewWebhook(good, secret); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}
