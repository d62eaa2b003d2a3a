package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// evm returns an address of ethereum that ends with n.
func evm(n int) string { return fmt.Sprintf("0x%040x", 0xabcdef0000+int64(n)) }

// A listSource is a list that the test changes.
type listSource struct {
	id   string
	mu   sync.Mutex
	list []sources.Entry
}

func (s *listSource) Info() sources.Info {
	return sources.Info{ID: s.id, Name: s.id, Jurisdiction: sources.US}
}

func (s *listSource) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sources.Static(s.Info(), s.list...).Load(ctx, prev, add)
}

func (s *listSource) set(ns ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
	for _, n := range ns {
		s.list = append(s.list, sources.Entry{Address: address.MustParse("ethereum", evm(n)), Kind: score.Sanctioned, Ref: fmt.Sprint(n)})
	}
}

// A message is what the tests look at.
type message struct {
	ID   string
	Type string
	Data struct {
		Customer, Address string
		Before, After     *screening.Answer
		Why               []struct {
			Change string
			Source string
			Ref    string `json:"source_ref"`
		}
	}
}

func (m message) String() string {
	level := func(v *screening.Answer) string {
		if v == nil {
			return "none"
		}
		return fmt.Sprint(v.Score)
	}
	s := m.Data.Customer + " " + level(m.Data.Before) + ">" + level(m.Data.After)
	for _, r := range m.Data.Why {
		s += " " + r.Change + " " + r.Source + " " + r.Ref
	}
	return s
}

// watching is a watcher with its lists, which the test drives by hand.
type watching struct {
	*watcher
	list     *listSource
	screener *screening.Screener
}

func newWatching(t *testing.T, dir string, list *listSource) *watching {
	t.Helper()
	st, err := store.Open(filepath.Join(dir, storeDir))
	if err != nil {
		t.Fatal(err)
	}
	box, err := outbox.Open(t.Context(), "sqlite:"+filepath.Join(dir, dbFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	w := &watching{list: list}
	w.watcher = &watcher{file: filepath.Join(dir, "customers.csv"), box: box, log: slog.New(slog.DiscardHandler), store: st, ids: []string{list.id}}
	if w.screener, err = screening.New([]sources.Source{list}, &screening.Options{Store: st}); err != nil {
		t.Fatal(err)
	}
	w.watcher.screener = w.screener
	w.past = func(ctx context.Context, digest string) (*screening.Past, error) {
		return screening.OpenDigest(ctx, st, digest, []sources.Source{list}, nil)
	}
	if err := w.check(); err != nil {
		t.Fatal(err)
	}
	return w
}

// refresh loads the list, and returns the messages that this makes.
func (w *watching) refresh(t *testing.T) []string {
	t.Helper()
	if _, err := w.screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w.messages(t)
}

// messages returns the messages that are due, sorted.
func (w *watching) messages(t *testing.T) []string {
	t.Helper()
	if err := w.sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	var mu sync.Mutex
	w.box.Deliver(t.Context(), func(_ context.Context, m outbox.Message) error {
		mu.Lock()
		defer mu.Unlock()
		var x message
		if err := json.Unmarshal(m.Body, &x); err != nil || x.Type != "customer.verdict_changed" {
			t.Error(string(m.Body), err)
		}
		if after := x.Data.After; after.AllClear != (after.Score == 0) || !bytes.Contains(m.Body, []byte(`"caveats":[]`)) {
			t.Errorf("not all clear, or with a caveat: %s", m.Body)
		}
		got = append(got, x.String())
		return nil
	})
	slices.Sort(got)
	return got
}

// Exactly the customers whose verdict changed are told of, with before, after and why:
// by a refresh, over a restart, after many refreshes, and when the table changes.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	customers := func(ns ...int) {
		text := "customer_id,address\n"
		for _, n := range ns {
			text += fmt.Sprintf("c%d,%s\n", n, evm(n))
		}
		if err := os.WriteFile(filepath.Join(dir, "customers.csv"), []byte(text+"bad,hello\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	customers(1, 2, 3)
	list := &listSource{id: "LIST"}
	list.set(1, 9)
	w := newWatching(t, dir, list)
	expect := func(when string, got []string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", when, d)
		}
	}
	expect("the first start", w.refresh(t))
	list.set(1, 2, 9)
	expect("a listing", w.refresh(t), "c2 0>100 added LIST 2")
	expect("no change", w.refresh(t))
	list.set(2, 3, 9)
	expect("a listing and a delisting", w.refresh(t), "c1 100>0 removed LIST 1", "c3 0>100 added LIST 3")

	// The process ends after the refresh, before it has stored a message.
	list.set(1, 2, 9)
	if _, err := w.screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	w = newWatching(t, dir, list)
	expect("a restart", w.refresh(t), "c1 0>100 added LIST 1", "c3 100>0 removed LIST 3")
	list.set(1, 9)
	expect("a listing after the restart", w.refresh(t), "c2 100>0 removed LIST 2")

	// More refreshes than are compared one by one.
	for n := range maxSteps + 3 {
		list.set(9, 100+n)
		if _, err := w.screener.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	expect("many refreshes", w.messages(t), "c1 100>0 removed LIST 1")

	// Several refreshes that wait are told of one by one.
	list.set(9, 3)
	w.screener.Refresh(t.Context())
	list.set(9)
	w.screener.Refresh(t.Context())
	expect("two refreshes", w.messages(t), "c3 0>100 added LIST 3", "c3 100>0 removed LIST 3")

	// A list that goes back and forth makes the same change again.
	for range 2 {
		list.set(1, 9)
		expect("forth", w.refresh(t), "c1 0>100 added LIST 1")
		list.set(9)
		expect("back", w.refresh(t), "c1 100>0 removed LIST 1")
	}

	// An exception changes a verdict as well.
	list.set(9, 3)
	w.refresh(t)
	if err := w.screener.SetExceptions(t.Context(), []screening.Exception{{Address: address.MustParse("ethereum", evm(3)), Reason: "r",
		Author: "a"}}); err != nil {
		t.Fatal(err)
	}
	expect("an exception", w.messages(t), "c3 100>0 removed LIST 3 suppressed LIST 3")

	// A new customer has no verdict that changed; from then on it is watched.
	customers(1, 2, 3, 9, 4)
	expect("a new table", w.refresh(t))
	list.set(3, 4)
	expect("a new customer", w.refresh(t), "c4 0>100 added LIST 4", "c9 100>0 removed LIST 9")

	// A table that cannot be read stops nothing.
	if err := os.WriteFile(filepath.Join(dir, "customers.csv"), []byte("a,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("a broken table", w.refresh(t))
}

// A store that fails when lists are opened is asked again, and there is no message about what has not changed.
func TestWatchStoreFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "customers.csv"), []byte("id,address\na,"+evm(1)+"\nb,"+evm(2)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := &listSource{id: "LIST"}
	list.set(1, 9)
	w := newWatching(t, dir, list)
	w.refresh(t)
	state, err := w.box.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list.set(1, 2, 9)
	if _, err := w.screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	between := w.screener.Digest()
	list.set(9)
	if _, err := w.screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	past, failure := w.past, errors.New("no connection")
	for _, fails := range []string{state, between} {
		w.past = func(ctx context.Context, digest string) (*screening.Past, error) {
			if digest == fails {
				return nil, failure
			}
			return past(ctx, digest)
		}
		if err := w.sync(t.Context()); !errors.Is(err, failure) {
			t.Errorf("error %v, want that of the store", err)
		}
	}
	w.past = past
	if got := w.messages(t); !slices.Equal(got, []string{"a 100>0 removed LIST 1", "b 0>100 added LIST 2", "b 100>0 removed LIST 2"}) {
		t.Errorf("messages %q", got)
	}
}

// Of two servers with one directory, one delivers; it does so again as soon as it starts again.
func TestWatchLead(t *testing.T) {
	dir := t.TempDir()
	book := filepath.Join(dir, "customers.csv")
	if err := os.WriteFile(book, []byte("id,address\na,"+evm(1)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, addr := range []string{"127.0.0.1:8080", "127.0.0.1:8081", "127.0.0.1:8080"} {
		s := &server{serveOptions: &serveOptions{addr: addr, book: book, webhook: "https://x.example", lists: listOptions{data: dir}}, log: slog.New(slog.DiscardHandler)}
		var err error
		if s.screener, err = screening.New([]sources.Source{&listSource{id: "LIST"}}, nil); err != nil {
			t.Fatal(err)
		}
		w, err := openWatcher(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		defer w.box.Close()
		if leads, err := w.box.Lead(t.Context(), w.holder, time.Hour); leads != (i != 1) || err != nil {
			t.Errorf("server %d at %s leads: %v, %v", i, addr, leads, err)
		}
	}
}

// A server that starts with a list more, or one less, sends messages about what that changes, and no other.
func TestWatchOtherLists(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, ns ...int) string {
		text := "reference,address\n"
		for _, n := range ns {
			text += fmt.Sprintf("%c,%s\n", 'a'+n, evm(n))
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	hook := newReceiver(t)
	hook.work()
	first, second := "OWN="+write("own.csv", 0, 1), "TWO="+write("two.csv", 1, 2)
	args := append([]string{"-data", dir, "-book", write("customers.csv", 0, 1, 2, 3), "-webhook", hook.URL}, shortest...)
	var want []string
	for _, step := range []struct{ lists, want []string }{
		{[]string{"-list", first}, nil},
		{[]string{"-list", first, "-list", second}, []string{"b 100>100 added TWO b", "c 0>100 added TWO c"}},
		{[]string{"-list", second}, []string{"a 100>0 removed OWN a", "b 100>100 removed OWN b"}},
	} {
		s := start(t, append(step.lists, args...)...)
		box, err := outbox.Open(t.Context(), "sqlite:"+filepath.Join(dir, dbFile))
		if err != nil {
			t.Fatal(err)
		}
		last, err := box.State(t.Context())
		for state, end := last, time.Now().Add(time.Minute); state == last && err == nil; time.Sleep(20 * time.Millisecond) {
			if state, err = box.State(t.Context()); time.Now().After(end) {
				t.Fatal("no message is made")
			}
		}
		want = slices.Sorted(slices.Values(append(want, step.want...)))
		if d := cmp.Diff(want, hook.wait(t, len(want))); d != "" || err != nil {
			t.Errorf("%q: messages (-want +got), %v:\n%s", step.lists, err, d)
		}
		if err := errors.Join(s.stop(), box.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestWatchFormer begins with an outbox whose last snapshot no store has. If that was in the store of
// an earlier version, there is no message; otherwise there is one for each listed customer.
func TestWatchFormer(t *testing.T) {
	for _, former := range []bool{true, false} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "customers.csv"), []byte("id,address\na,"+evm(1)+"\nb,"+evm(2)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		list := &listSource{id: "LIST"}
		list.set(1, 9)
		w := newWatching(t, dir, list)
		if _, err := w.box.Add(t.Context(), "", strings.Repeat("a", 64), nil); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		w.former, w.log = former, slog.New(slog.NewTextHandler(&log, nil))
		if got := w.refresh(t); len(got) == 0 != former || strings.Count(log.String(), "the store of an earlier version") == 0 == former {
			t.Errorf("former %v: messages %q, log %s", former, got, &log)
		}
		list.set(1, 2, 9)
		if got := w.refresh(t); !slices.Equal(got, []string{"b 0>100 added LIST 2"}) {
			t.Errorf("former %v: messages about a listing %q", former, got)
		}
	}
}

// The outbox moves to a snapshot only if the store has its lists, so that a process that starts
// again can compare with them.
func TestWatchAwaitsStore(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "customers.csv"), []byte("id,address\na,"+evm(1)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := &listSource{id: "LIST"}
	list.set(9)
	w := newWatching(t, dir, list)
	w.refresh(t)
	state, err := w.box.State(t.Context())
	if err != nil || state != w.screener.Digest() {
		t.Fatalf("the outbox has %q, error %v, want %q", state, err, w.screener.Digest())
	}
	before, err := filepath.Glob(filepath.Join(dir, storeDir, "LIST-*"))
	if err != nil {
		t.Fatal(err)
	}
	list.set(9, 1)
	if _, err := w.screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, storeDir, "LIST-*"))
	if err != nil {
		t.Fatal(err)
	}
	hidden := 0
	for _, name := range files {
		if !slices.Contains(before, name) {
			hidden++
			if err := os.Rename(name, filepath.Join(dir, filepath.Base(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = w.sync(t.Context())
	if now, _ := w.box.State(t.Context()); hidden == 0 || err == nil || now != state {
		t.Fatalf("without the %d files of the new list: error %v, the outbox went on to %q", hidden, err, now)
	}
	for _, name := range files {
		os.Rename(filepath.Join(dir, filepath.Base(name)), name)
	}
	if got := w.messages(t); !slices.Equal(got, []string{"a 0>100 added LIST 1"}) {
		t.Errorf("messages %q once they are there", got)
	}
}

// TestWatchHidden counts a row in which another one is hidden among those that cannot be watched.
func TestWatchHidden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "customers.csv")
	text := "id,address,note\na," + evm(1) + ",\"x\nb," + evm(2) + ",\"\nc," + evm(3) + ",\nd,hello,\n,,\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := ""
	bad, _, err := readCustomers(file, func(c customer) error { got += c.id; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if got != "ac" || bad != 3 {
		t.Errorf("customers %s, %d bad rows, want ac and 3", got, bad)
	}
}

// TestWatchUnread logs which parts of a table look like addresses and are not watched, and that no column
// names the customers.
func TestWatchUnread(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "customers.csv")
	if err := os.WriteFile(file, []byte("owner,address,payout wallet\na,"+evm(1)+","+evm(2)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	w := &watcher{file: file, log: slog.New(slog.NewTextHandler(&log, nil))}
	if err := w.check(); err != nil || !strings.Contains(log.String(), "are not watched") || !strings.Contains(log.String(), "payout wallet") ||
		!strings.Contains(log.String(), "call one of them customer") {
		t.Errorf("%v, logged %s", err, &log)
	}
}

// TestWatchMissing checks that a table that is gone is logged once, and what comes back is used.
func TestWatchMissing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "customers.csv")
	text := []byte("id,address\na," + evm(1) + "\n")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	list := &listSource{id: "LIST"}
	list.set(9)
	w := newWatching(t, dir, list)
	w.refresh(t)
	var log bytes.Buffer
	w.log = slog.New(slog.NewTextHandler(&log, nil))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	w.messages(t)
	w.messages(t)
	if n := strings.Count(log.String(), "cannot be used"); n != 1 {
		t.Errorf("logged %d times, want once: %s", n, &log)
	}
	list.set(1, 9)
	if _, err := w.screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.sync(t.Context()); err == nil {
		t.Error("messages about customers nobody could read")
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.messages(t); !slices.Equal(got, []string{"a 0>100 added LIST 1"}) {
		t.Errorf("messages %q", got)
	}
}

// A receiver is a webhook that fails, in all ways in turn, until the test makes it work.
type receiver struct {
	*httptest.Server
	secret   string // the file of the secret that must have signed messages, or ""
	mu       sync.Mutex
	works    bool
	patience int // attempts after which it works for a message nevertheless, or 0
	attempts int
	got      map[string]int // attempts by ID
	said     map[string]string
	accepted map[string]bool
}

// checkSignature returns an error if a message is not signed as Standard Webhooks says. It is
// written after the specification, with its own HMAC.
func checkSignature(secretFile string, h http.Header, body []byte) error {
	text, err := os.ReadFile(secretFile)
	if err != nil {
		return err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(string(text)), "whsec_"))
	if err != nil || len(key) > 64 {
		return fmt.Errorf("a secret of %d bytes, %v", len(key), err)
	}
	inner, outer := bytes.Repeat([]byte{0x36}, 64), bytes.Repeat([]byte{0x5c}, 64)
	for i, b := range key {
		inner[i] ^= b
		outer[i] ^= b
	}
	id, at := h.Get("webhook-id"), h.Get("webhook-timestamp")
	first := sha256.Sum256(append(inner, id+"."+at+"."+string(body)...))
	second := sha256.Sum256(append(outer, first[:]...))
	if want := "v1," + base64.StdEncoding.EncodeToString(second[:]); h.Get("webhook-signature") != want {
		return fmt.Errorf("signature %s, want %s", h.Get("webhook-signature"), want)
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); err != nil || age > 5*time.Minute || age < -5*time.Minute {
		return fmt.Errorf("the timestamp %s is not that of now", at)
	}
	return nil
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{got: map[string]int{}, said: map[string]string{}, accepted: map[string]bool{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		var m message
		json.Unmarshal(body, &m)
		r.mu.Lock()
		defer r.mu.Unlock()
		id := q.Header.Get("webhook-id")
		r.got[id]++
		if said := r.said[id]; said != "" && said != string(body) {
			t.Errorf("%s came as %s and as %s", id, said, body)
		}
		r.said[id] = string(body)
		if r.secret != "" {
			if err := checkSignature(r.secret, q.Header, body); err != nil {
				t.Error(err)
			}
		}
		if r.works || r.patience > 0 && r.got[id] > r.patience {
			r.accepted[id] = true
			return
		}
		r.attempts++
		switch ways := []int{500, 410, 429, 0, 503, 301}; ways[r.attempts%len(ways)] {
		case 429:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(429)
		case 0:
			panic(http.ErrAbortHandler) // no answer at all
		default:
			w.WriteHeader(ways[r.attempts%len(ways)])
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) work() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.works = true
}

// wait waits until the receiver has n messages, and returns them, sorted.
func (r *receiver) wait(t *testing.T, n int) []string {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		r.mu.Lock()
		said := maps.Clone(r.said)
		r.mu.Unlock()
		if len(said) < n && time.Now().Before(end) {
			continue
		}
		var all []string
		for _, text := range said {
			var m message
			json.Unmarshal([]byte(text), &m)
			all = append(all, m.String())
		}
		slices.Sort(all)
		return all
	}
}

func TestWatchOptions(t *testing.T) {
	dir := t.TempDir()
	book := filepath.Join(dir, "b.csv")
	os.WriteFile(book, []byte("address\n"+evm(1)+"\n"), 0o600)
	odd := filepath.Join(dir, "odd.csv")
	os.WriteFile(odd, []byte("a,b\n1,2\n"), 0o600)
	for args, want := range map[string]string{
		"-book " + odd + " -webhook https://x.example -data " + dir: "-book: " + odd + `: no column is named address, of "a", "b"; call it that`,
		"-book " + book:                      "-book needs -webhook, the URL to tell",
		"-webhook https://x.example":         "-webhook needs -book, the table of customers",
		"-book b -webhook https://x.example": "-book needs -data, which keeps the lists to compare with",
		"-book " + dir + "/none -webhook https://x.example -data " + dir: "-book: stat " + dir + "/none: no such file or directory",
		"-book " + book + " -webhook http://x.example -data " +
			dir: "-webhook: the URL begins with http; want https, or http to this machine by its address, such as http://127.0.0.1:9000: a name, even " +
			"localhost, may lead elsewhere",
		"-book " + book + " -webhook http://localhost:1 -data " +
			dir: "-webhook: the URL begins with http; want https, or http to this machine by its address, such as http://127.0.0.1:9000: a name, even " +
			"localhost, may lead elsewhere",
	} {
		err := run(t.Context(), append([]string{"-offline", "-addr", "127.0.0.1:0"}, strings.Fields(args)...), io.Discard)
		if err == nil || err.Error() != "serve: "+want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
