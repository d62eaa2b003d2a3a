package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A growing source has other entries at each load.
type growing struct {
	sources.Source
	entries []sources.Entry
}

func (s *growing) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return sources.Static(s.Info(), s.entries...).Load(ctx, prev, add)
}

// A brokenStore is a store of lists that cannot be reached.
type brokenStore struct{ store.Store }

func (brokenStore) Read(context.Context, uint64, func([]byte) error) error {
	return errors.New("connection refused")
}

// A flakyStore is a store of lists that fails when its first file is opened.
type flakyStore struct {
	store.Store
	failed bool
}

func (s *flakyStore) Open(ctx context.Context, name string) ([]byte, error) {
	if !s.failed {
		s.failed = true
		return nil, errors.New("connection refused")
	}
	return s.Store.Open(ctx, name)
}

// A slowFiles is a store of lists whose files cannot be opened in time.
type slowFiles struct{ store.Store }

func (slowFiles) Open(ctx context.Context, _ string) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A hangingStore is a store of lists that does not answer.
type hangingStore struct{ store.Store }

func (hangingStore) Read(ctx context.Context, _ uint64, _ func([]byte) error) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestChangesHang checks that requests for the changes of a store that hangs are answered
// after three seconds, and take no places meanwhile.
func TestChangesHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.LimitConcurrent(httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), &httpapi.Options{Store: hangingStore{}}), 1)
		begin, answers := time.Now(), make(chan *httptest.ResponseRecorder, 9)
		for range cap(answers) {
			go func() { answers <- send(h, "GET", "/api/v1/changes", "") }()
		}
		synctest.Wait()
		for path, body := range map[string]string{"/api/v1/screen": clean, "/api/v1/screen/batch": `{"items":[` + clean + `]}`} {
			if w := send(h, "POST", path, body); w.Code != 200 {
				t.Errorf("%s: status %d", path, w.Code)
			}
		}
		for range cap(answers) {
			if w := <-answers; w.Code != 503 || !strings.Contains(w.Body.String(), "changes_unavailable") || w.Header().Get("Retry-After") != "5" {
				t.Errorf("status %d, Retry-After %s: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
			}
		}
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("they are answered after %v", took)
		}
	})
}

// TestChanges checks that the response shows the entries that refreshes have added and
// removed, and the lists that they have refused.
func TestChanges(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	entry := func(n byte) sources.Entry {
		return sources.Entry{
			Address: address.MustParse(
				"ethereum",
				"0x00000000000000000000000000000000000000"+string("0123456789abcdef"[n>>4])+string("0123456789abcdef"[n&15]),
			),
			Kind: score.Scam,
			Ref:  "case",
			Name: "somebody",
		}
	}
	list := &growing{Source: community}
	s, err := screening.New([]sources.Source{list}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	for n := range byte(120) {
		list.entries = append(list.entries, entry(n))
	}
	refresh := func(fails bool) {
		t.Helper()
		if _, err := s.Refresh(t.Context()); (err != nil) != fails {
			t.Fatal(err)
		}
	}
	refresh(false)
	list.entries = append(list.entries[1:], entry(200), entry(201))
	refresh(false)
	list.entries = list.entries[:1]
	refresh(true) // it has shrunk
	h := httpapi.NewHandler(s, testKeys(t), &httpapi.Options{Store: &flakyStore{Store: st}})
	if w := send(h, "GET", "/api/v1/changes", ""); w.Code != 503 {
		t.Errorf("while the store fails: status %d, want 503, and the entries once it works", w.Code)
	}
	slow := httpapi.NewHandler(s, testKeys(t), &httpapi.Options{Store: slowFiles{st}})
	synctest.Test(t, func(t *testing.T) { // while there is no time for the entries, the changes are shown without them
		w := send(slow, "GET", "/api/v1/changes", "")
		if n := strings.Count(w.Body.String(), `"truncated":true`); w.Code != 200 || n != 2 || strings.Contains(w.Body.String(), "added_entries") {
			t.Errorf("slow files: status %d: %s", w.Code, w.Body)
		}
	})
	for range 2 {
		var answer struct {
			Changes []struct {
				Source, Event, Reason string
				Time                  time.Time
				Entries, Addresses    int
				Added, Removed        int
				AddedEntries          []map[string]string `json:"added_entries"`
				RemovedEntries        []map[string]string `json:"removed_entries"`
				Truncated             bool
			}
		}
		w := send(h, "GET", "/api/v1/changes", "")
		if err := checkAnswer("GET", w); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Changes) != 3 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		refused, second, first := answer.Changes[0], answer.Changes[1], answer.Changes[2]
		if refused.Event != "refused" || refused.Reason == "" || refused.Source != "COMMUNITY_BADLIST" {
			t.Errorf("the newest change is %+v, want a refused list", refused)
		}
		if second.Event != "accepted" || second.Added != 2 || second.Removed != 1 || len(second.AddedEntries) != 2 || len(second.RemovedEntries) != 1 ||
			second.Truncated ||
			second.AddedEntries[0]["listed_address"] != entry(200).Address.Normalized() || second.RemovedEntries[0]["listed_address"] != entry(0).Address.Normalized() ||
			second.AddedEntries[0]["name"] != "somebody" ||
			second.AddedEntries[0]["label"] != "SCAM" ||
			second.AddedEntries[0]["chain"] != "ethereum" {
			t.Errorf("the second change is %+v", second)
		}
		if first.Event != "accepted" || first.Entries != 120 || first.Added != 120 || len(first.AddedEntries) != 100 || !first.Truncated ||
			first.Time.IsZero() {
			t.Errorf("the first change is %+v", first)
		}
	}
}

// TestChangesOfOwnLists checks that the entries and reasons of the operator's own lists, and
// of lists that nobody knows any more, are shown only to callers with the scope own.
func TestChangesOfOwnLists(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := sources.Entry{
		Address: address.MustParse("ethereum", "0x00000000000000000000000000000000000000aa"),
		Kind:    score.Blocked,
		Ref:     "INTERNAL-7",
		Name:    "an investigation",
	}
	gone := sources.Entry{Address: address.MustParse("ethereum", "0x00000000000000000000000000000000000000bb"), Kind: score.Blocked, Ref: "INTERNAL-8"}
	own := func(id string, entries ...sources.Entry) sources.Source {
		return sources.Static(sources.Info{ID: id, Name: id, Jurisdiction: sources.Operator}, entries...)
	}
	former, err := screening.New([]sources.Source{own("FORMER", gone)}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{own("OUR_LIST", secret), community}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*screening.Screener{former, s} {
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	log := journal.New(st, time.Now)
	err = log.Follow(t.Context())
	if err == nil {
		err = log.Append(t.Context(), &journal.Line{Type: journal.Refused, Source: "OUR_LIST", Reason: "line 3: an investigation", Offered: new(journal.Held)}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	auth := &scoped{}
	h := httpapi.NewHandler(s, auth, &httpapi.Options{Store: st})
	for _, auth.scopes = range []string{"sources", "", "screen sources usage validate", "own sources", "sources"} {
		w := send(h, "GET", "/api/v1/changes", "")
		body := strings.ToLower(w.Body.String())
		if w.Code != 200 || strings.Count(body, `"source":"our_list"`) != 2 || !strings.Contains(body, `"source":"former"`) ||
			!strings.Contains(body, "community_badlist") ||
			!strings.Contains(body, `"added_entries"`) {
			t.Errorf("scopes %q: %d %s", auth.scopes, w.Code, body)
		}
		shows := auth.scopes == "" || strings.Contains(auth.scopes, "own")
		for _, text := range []string{"00aa", "internal-7", "investigation", "00bb", "internal-8", "line 3"} {
			if strings.Contains(body, text) != shows {
				t.Errorf("scopes %q: shows %q: %v", auth.scopes, text, !shows)
			}
		}
	}
	auth.scopes = "own"
	if w := send(h, "GET", "/api/v1/changes", ""); w.Code != 403 {
		t.Errorf("scope own alone: %d", w.Code)
	}
}

// A scoped Authorizer admits a caller with scopes.
type scoped struct{ scopes string }

func (s *scoped) Authorize(*http.Request) (httpapi.Caller, error) {
	return httpapi.Caller{ID: "a", Scopes: s.scopes}, nil
}
