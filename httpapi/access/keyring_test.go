package access_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// authorized reports whether a accepts token. An error other than a refusal fails the
// test.
func authorized(t testing.TB, a httpapi.Authorizer, token string) bool {
	t.Helper()
	_, err := admit(context.Background(), a, token)
	if err != nil && !errors.Is(err, httpapi.ErrUnauthorized) {
		t.Fatal(err)
	}
	return err == nil
}

func unavailable(a httpapi.Authorizer, token string) bool {
	_, err := admit(context.Background(), a, token)
	return errors.Is(err, httpapi.ErrUnavailable)
}

func TestKeyring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := access.NewMemory()
		ring := access.New(store, nil)
		defer ring.Close(t.Context())
		now := time.Now()
		plain := issue(t, store, access.Key{ID: "plain", Quota: 5, Rate: 1.5, Burst: 3, Scopes: "usage"})
		grant, err := admit(t.Context(), ring, plain)
		if grant.ID != "plain" || grant.Quota != 5 || grant.Scopes != "usage" || grant.Burst == nil || grant.Burst.Limit() != 1.5 || grant.Burst.Burst() != 3 ||
			err != nil {
			t.Errorf("the caller is %+v, %v", grant, err)
		}
		secret := plain[len(plain)-52:]
		under := issue(t, store, access.Key{ID: "a_b.c-1_" + secret})
		for _, token := range []string{
			"", "wsk_", "wsk_plain", "wsk_plain_", "wsk_plain_" + secret[1:], "wsk_plain_" + secret + "A", "wsk_plain_" + strings.ToLower(secret),
			"wsk_PLAIN_" + secret, "plain_" + secret, "wsk__" + secret, "wsk_unknown_" + secret, "WSK_plain_" + secret, secret,
			"wsk_a/b_" + secret, "wsk_" + strings.Repeat("a", 65) + "_" + secret, "wsk_plain_" + strings.Repeat("\x00", 52),
			"wsk_a_b.c-1_" + secret, plain + "=", "wsk_" + secret, "wsk_plain-" + secret,
		} {
			if grant, err := admit(t.Context(), ring, token); !errors.Is(err, httpapi.ErrUnauthorized) && !errors.Is(err, httpapi.ErrNoCredentials) ||
				grant != (httpapi.Caller{}) {
				t.Errorf("token %q: %+v, %v", token, grant, err)
			}
		}
		if !authorized(t, ring, under) {
			t.Error("a key id with underscores is not let in")
		}

		expires := issue(t, store, access.Key{ID: "expires", Expires: now.Add(10 * time.Second)})
		revoked := issue(t, store, access.Key{ID: "revoked", Revoked: now.Add(20 * time.Second)})
		scopeless := issue(t, store, access.Key{ID: "scopeless"})
		change(t, store, "scopeless", func(k *access.Key) { k.Scopes = "" })
		old := issue(t, store, access.Key{ID: "rotated"})
		k, err := store.Key(t.Context(), "rotated")
		if err != nil {
			t.Fatal(err)
		}
		renewed, k := k.Rotate(30 * time.Second)
		if !authorized(t, ring, old) || authorized(t, ring, renewed) {
			t.Error("a rotation that was not stored has an effect")
		}
		if err := store.PutKey(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second + 1)
		if !authorized(t, ring, renewed) {
			t.Error("a new secret is not let in at once")
		}
		for _, step := range []struct {
			after                             time.Duration
			expires, revoked, old, renewed, s bool
		}{
			{10*time.Second - 1, true, true, true, true, false},
			{10 * time.Second, false, true, true, true, false},
			{20*time.Second - 1, false, true, true, true, false},
			{20 * time.Second, false, false, true, true, false},
			{30*time.Second - 1, false, false, true, true, false},
			{30*time.Second + 1, false, false, false, true, false},
			{24 * time.Hour, false, false, false, true, false},
		} {
			time.Sleep(time.Until(now.Add(step.after)))
			for _, key := range []struct {
				id, token string
				want      bool
			}{
				{"expires", expires, step.expires}, {"revoked", revoked, step.revoked}, {"rotated", old, step.old}, {"rotated", renewed, step.renewed},
				{"scopeless", scopeless, step.s},
			} {
				if got := authorized(t, ring, key.token); got != key.want {
					t.Errorf("after %v %s is let in: %v, want %v", step.after, key.id, got, key.want)
				}
			}
		}
		change(t, store, "rotated", func(k *access.Key) { renewed, *k = k.Rotate(0) })
		time.Sleep(10 * time.Second)
		if authorized(t, ring, old) || !authorized(t, ring, renewed) {
			t.Error("a rotation without overlap leaves the old secret")
		}
	})
}

// TestKeyringAge checks that a change of a key takes effect within five seconds, and
// that a key in use is reloaded without delaying requests.
func TestKeyringAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		ring := access.New(store, nil)
		defer ring.Close(t.Context())
		token := issue(t, store, access.Key{ID: "a"})
		for range 1000 {
			if !authorized(t, ring, token) {
				t.Fatal("not let in")
			}
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if n := store.Calls.Load(); n < 3 || n > 5 {
			t.Errorf("the store was asked %d times in 10 seconds", n)
		}
		change(t, store.Store, "a", func(k *access.Key) { k.Revoked = time.Now() })
		revoked := time.Now()
		for authorized(t, ring, token) {
			if time.Sleep(10 * time.Millisecond); time.Since(revoked) > 5*time.Second {
				t.Fatal("a revoked key is let in for more than 5 seconds")
			}
		}
		change(t, store.Store, "a", func(k *access.Key) { k.Revoked = time.Time{} })
		time.Sleep(time.Minute)
		if !authorized(t, ring, token) {
			t.Fatal("not let in")
		}
		time.Sleep(3 * time.Second)
		release := store.Stall()
		start := time.Now()
		for range 10 {
			if !authorized(t, ring, token) {
				t.Fatal("not let in")
			}
		}
		if waited := time.Since(start); waited > 0 {
			t.Errorf("requests waited for the store, for %v", waited)
		}
		release()
		synctest.Wait()

		// An unknown key id is also looked up at most once in five seconds.
		before := store.Calls.Load()
		for range 100 {
			if authorized(t, ring, "wsk_none"+token[5:]) {
				t.Fatal("let in")
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n := store.Calls.Load() - before; n != 1 {
			t.Errorf("the store was asked %d times for an unknown key", n)
		}
	})
}

func TestKeyringOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		store := newFlaky(false)
		ring := access.New(store, slog.New(slog.NewTextHandler(&logged, nil)))
		known, other := issue(t, store, access.Key{ID: "known"}), issue(t, store, access.Key{ID: "other"})
		if !authorized(t, ring, known) || authorized(t, ring, "wsk_none"+known[9:]) {
			t.Fatal("not as stored")
		}
		store.Down.Store(true)
		begin := time.Now()
		for time.Since(begin) < 304*time.Second {
			if !authorized(t, ring, known) {
				t.Fatalf("a known key is refused after %v", time.Since(begin))
			}
			if !unavailable(ring, other) {
				t.Fatal("a key that cannot be looked up is not unavailable")
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := store.Calls.Load(); n > 2*310 {
			t.Errorf("the store was asked %d times in five minutes of its outage", n)
		}
		time.Sleep(2 * time.Second)
		if !unavailable(ring, known) || !unavailable(ring, "wsk_none"+known[9:]) {
			t.Error("a key that was read five minutes ago is let in still, or refused for good")
		}
		store.Down.Store(false)
		time.Sleep(2 * time.Second)
		if !authorized(t, ring, known) || !authorized(t, ring, other) {
			t.Error("after the outage keys are not let in")
		}
		if text := logged.String(); strings.Count(text, "fails") != 1 || strings.Count(text, "works again") != 1 {
			t.Errorf("logged is %s", text)
		}

		// A look-up in a store that hangs times out, or ends with the context of the
		// request.
		time.Sleep(time.Hour)
		defer store.Stall()()
		start := time.Now()
		if !unavailable(ring, other) || time.Since(start) > 5*time.Second {
			t.Errorf("a store that hangs was waited for %v", time.Since(start))
		}
		time.Sleep(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		if _, err := admit(ctx, ring, other); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, httpapi.ErrUnavailable) ||
			time.Since(start) > time.Second {
			t.Errorf("a caller that leaves waits for %v: %v", time.Since(start), err)
		}
		ring.Close(t.Context())
		if !unavailable(ring, other) {
			t.Error("a closed Keyring asks the store")
		}
	})
}

// TestKeyringHerd checks that concurrent requests look up each key once.
func TestKeyringHerd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		ring := access.New(store, nil)
		defer ring.Close(t.Context())
		token := issue(t, store, access.Key{ID: "a"})
		release := store.Stall()
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if !authorized(t, ring, token) {
					t.Error("not let in")
				}
			})
		}
		synctest.Wait()
		release()
		wg.Wait()
		if n := store.Calls.Load(); n != 1 {
			t.Errorf("the store was asked %d times", n)
		}

		// Unknown ids are looked up a few at a time.
		release = store.Stall()
		for i := range 100 {
			wg.Go(func() { admit(t.Context(), ring, fmt.Sprint("wsk_x", i, token[5:])) })
		}
		synctest.Wait()
		if n := store.Calls.Load(); n > 1+16 {
			t.Errorf("the store was asked %d times at once", n-1)
		}
		release()
		wg.Wait()
	})
}

// TestKeyringRoom checks that the cache of unknown ids is bounded, and that unknown ids
// do not evict stored keys.
func TestKeyringRoom(t *testing.T) {
	store := newFlaky(false)
	ring := access.Caching(access.New(store, nil), time.Hour)
	defer ring.Close(t.Context())
	token := issue(t, store, access.Key{ID: "a"})
	authorized(t, ring, token)
	for i := range longtest.N(5000, 10_000) {
		authorized(t, ring, fmt.Sprint("wsk_x", i, token[5:]))
	}
	before := store.Calls.Load()
	if !authorized(t, ring, token) || store.Calls.Load() != before {
		t.Error("the key was forgotten")
	}
	if n := access.Remembered(ring); n > 1+4096 {
		t.Errorf("%d ids are remembered", n)
	}
}

func TestKeyringUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newFlaky(false)
		ring := access.Caching(access.New(store, nil), time.Hour)
		a, b := issue(t, store, access.Key{ID: "a"}), issue(t, store, access.Key{ID: "b"})
		lastUsed := func(id string) time.Time {
			k, err := store.Store.Key(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return k.LastUsed
		}
		authorized(t, ring, a)
		authorized(t, ring, a[:len(a)-1]+"0") // not a use
		first := time.Now().UTC()
		time.Sleep(30 * time.Second)
		authorized(t, ring, a[:len(a)-1]+"0")
		authorized(t, ring, b)
		before := store.Calls.Load()
		time.Sleep(40 * time.Second)
		if got := lastUsed("a"); !got.Equal(first) {
			t.Errorf("a was used at %v, want %v", got, first)
		}
		if got := lastUsed("b"); !got.Equal(first.Add(30 * time.Second)) {
			t.Errorf("b was used at %v", got)
		}
		if n := store.Calls.Load() - before; n != 1 {
			t.Errorf("%d calls of the store for two keys", n)
		}
		time.Sleep(time.Hour / 2)
		if n := store.Calls.Load() - before; n != 1 {
			t.Errorf("%d calls of the store though nothing was used", n-1)
		}

		authorized(t, ring, b)
		at := time.Now()
		store.Down.Store(true)
		time.Sleep(2 * time.Minute) // the write fails
		store.Down.Store(false)
		authorized(t, ring, a)
		if err := ring.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !lastUsed("b").Equal(at) || !lastUsed("a").Equal(time.Now()) {
			t.Errorf("after Close a was used at %v, b at %v", lastUsed("a"), lastUsed("b"))
		}
		if err := ring.Close(t.Context()); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	})
}

func TestNewKey(t *testing.T) {
	token, k, err := access.NewKey(access.Key{Name: "x", Version: 7, Previous: [32]byte{1}, PreviousEnds: time.Now()})
	if err != nil || len(k.ID) != 12 || !strings.HasPrefix(token, "wsk_"+k.ID+"_") || k.Scopes != "screen sources usage validate" || k.Created.IsZero() || k.Version != 0 ||
		k.Previous != [32]byte{} ||
		k.Name != "x" {
		t.Errorf("NewKey is %q, %+v, %v", token, k, err)
	}
	if strings.Contains(fmt.Sprintf("%+v", k), token[len(token)-52:]) {
		t.Error("the key holds the secret")
	}
	again, _, _ := access.NewKey(access.Key{})
	if again[:16] == token[:16] || again[17:] == token[17:] {
		t.Error("two keys are alike")
	}
	for _, bad := range []access.Key{{ID: " ab"}, {Quota: -1}, {Rate: 1}, {Name: "\n"}} {
		if token, k, err := access.NewKey(bad); !errors.Is(err, access.ErrInvalid) || token != "" || k != (access.Key{}) {
			t.Errorf("NewKey of %+v is %q, %+v, %v", bad, token, k, err)
		}
	}
}
