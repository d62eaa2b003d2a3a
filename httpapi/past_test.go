package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// TestAtAnEarlierTime asks with the lists of before and after an address was listed, alone
// and in a batch, and checks that this needs a scope of its own and kept lists.
func TestAtAnEarlierTime(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	src := &swapped{
		sources.Static(
			ofac.Info(),
			sources.Entry{Address: address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), Kind: score.Sanctioned, Ref: "1"},
		),
	}
	s, err := screening.New([]sources.Source{src}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	refresh := func() time.Time {
		t.Helper()
		if _, err := s.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		return time.Now()
	}
	before := refresh()
	src.Source = ofac
	after := refresh()
	opened := 0
	opts := &httpapi.Options{Past: func(ctx context.Context, at time.Time) (*screening.Past, error) {
		opened++
		return screening.OpenAt(ctx, st, at, []sources.Source{src}, nil)
	}}
	all := httpapi.NewHandler(s, granted(httpapi.Caller{ID: "a"}), opts)
	for _, tt := range []struct {
		h            http.Handler
		at           string
		status       int
		words, level string
	}{
		{all, before.Format(time.RFC3339Nano), 200, `"as_of":`, "CLEAN_NO_MATCH"},
		{all, before.Format(time.RFC3339Nano), 200, `"as_of":`, "CLEAN_NO_MATCH"},
		{all, after.Format(time.RFC3339Nano), 200, `"as_of":`, "CRITICAL"},
		{all, time.Now().UTC().Format(time.DateOnly), 200, `"screened_at":`, "CRITICAL"},
		{all, "2020-01-01", 400, `"reason":"not_kept"`, ""},
		{all, "yesterday", 400, `"reason":"malformed"`, ""},
		{all, "", 400, `"reason":"malformed"`, ""},
		{all, "0001-01-01T00:00:00Z", 400, `"reason":"malformed"`, ""},
		{all, "0001-01-01T01:00:00+01:00", 400, `"reason":"malformed"`, ""},
		{all, "2199-01-01", 400, `"reason":"future"`, ""},
		{httpapi.NewHandler(s, granted(httpapi.Caller{ID: "a", Scopes: "screen"}), opts), "2020-01-01", 403, `lacks the scope past`, ""},
		{httpapi.NewHandler(s, granted(httpapi.Caller{ID: "a"}), nil), "2020-01-01", 400, `"reason":"unsupported"`, ""},
	} {
		for _, path := range []string{"/api/v1/screen", "/api/v1/screen/batch"} {
			at, _ := json.Marshal(tt.at)
			body := strings.TrimSuffix(question, "}") + fmt.Sprintf(`,"at":%s}`, at)
			if strings.HasSuffix(path, "batch") {
				body = fmt.Sprintf(`{"items":[%s],"at":%s}`, question, at)
			}
			w := send(tt.h, "POST", path, body)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.words) || !strings.Contains(w.Body.String(), tt.level) {
				t.Errorf("%s at %q: status %d, want %d with %s %s: %s", path, tt.at, w.Code, tt.status, tt.words, tt.level, w.Body)
			}
		}
	}
	if opened > 6 {
		t.Errorf("the lists of a time are opened %d times", opened)
	}
	if w := send(all, "POST", "/api/v1/screen", strings.TrimSuffix(question, "}")+`,"at":1}`); w.Code != 400 ||
		!strings.Contains(w.Body.String(), "invalid_type") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// TestAtDelistedText asks about a text that decodes to nothing, and that a list had at the time.
func TestAtDelistedText(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	info := sources.Info{ID: "OWN", Name: "own", Jurisdiction: sources.Operator}
	const text = "0x098B716B8Aaf21512996dC57EB0615e2383E2f9"
	src := &swapped{sources.Static(info, sources.Entry{Listed: text, Kind: score.Blocked, Ref: "1"})}
	s, err := screening.New([]sources.Source{src}, &screening.Options{Store: st})
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond) // the journal has the milliseconds
	then := time.Now()
	time.Sleep(5 * time.Millisecond)
	src.Source = sources.Static(info)
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, granted(httpapi.Caller{ID: "a"}), &httpapi.Options{Past: func(ctx context.Context, _ time.Time) (*screening.Past, error) {
		return screening.OpenAt(ctx, st, then, []sources.Source{src}, nil)
	}})
	const body, at = `{"address":"` + text + `","chain":"ethereum"`, `,"at":"2026-01-01"}`
	for path, body := range map[string]string{"/api/v1/screen": body + at, "/api/v1/screen/batch": `{"items":[` + body + `}]` + at} {
		if w := send(h, "POST", path, body); w.Code != 200 || !strings.Contains(w.Body.String(), `"level":"CRITICAL"`) {
			t.Errorf("%s: status %d, want the label of that time: %s", path, w.Code, w.Body)
		}
	}
	if w := send(h, "POST", "/api/v1/screen", body+"}"); w.Code != 400 {
		t.Errorf("status %d without a time, want 400: %s", w.Code, w.Body)
	}
}

// TestRepeatedBatchOfThePast repeats a batch by its Idempotency-Key after it has used up the quota.
func TestRepeatedBatchOfThePast(t *testing.T) { synctest.Test(t, testRepeatedBatchOfThePast) }

func testRepeatedBatchOfThePast(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{ofac}, &screening.Options{Store: st})
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond) // the journal has the milliseconds
	now := time.Now()
	opened := 0
	counts, caller := access.NewMemory(), httpapi.Caller{ID: "a", Quota: 1}
	h := httpapi.NewHandler(s, granted(caller), &httpapi.Options{
		Meter: access.New(counts, nil),
		Past: func(ctx context.Context, _ time.Time) (*screening.Past, error) {
			opened++
			return screening.OpenAt(ctx, st, now, []sources.Source{ofac}, nil)
		},
	})
	batch := func(day string) string { return `{"items":[` + clean + `],"at":"` + day + `"}` }
	other := access.New(counts, nil)
	_, refund, err := other.Charge(httptest.NewRequest("POST", "/", nil), caller, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	refund(1) // it holds the block
	w := send(h, "POST", "/api/v1/screen/batch", batch("1999-01-01"))
	if wait, err := strconv.Atoi(w.Header().Get("Retry-After")); w.Code != 429 || err != nil || wait > 60 {
		t.Errorf("while another process holds the block: status %d: %v", w.Code, w.Header())
	}
	if err := other.Close(t.Context()); err != nil { // returns it
		t.Fatal(err)
	}
	time.Sleep(time.Second) // after which a refused caller is looked for again
	for range 2 {
		if w := send(h, "POST", "/api/v1/screen/batch", batch("1999-01-01"), "Idempotency-Key", `"k"`); w.Code != 200 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	}
	if w := send(h, "POST", "/api/v1/screen/batch", batch("1999-01-02")); w.Code != 429 || opened != 1 {
		t.Errorf("another one: status %d, and lists were opened %d times: %s", w.Code, opened, w.Body)
	}
}

// TestBatchOfThePastCounts sends a batch with a text that is not an address: the charge before its lists are
// opened is refunded, also if the answer fails then, and a repeat counts as one of the hundred.
func TestBatchOfThePastCounts(t *testing.T) { synctest.Test(t, testBatchOfThePastCounts) }

func testBatchOfThePastCounts(t *testing.T) {
	var fail error
	ring, caller := access.New(access.NewMemory(), nil), httpapi.Caller{ID: "a", Quota: 2}
	defer ring.Close(t.Context())
	h := httpapi.NewHandler(newLoadedScreener(t), granted(caller), &httpapi.Options{
		Meter: ring, Audit: func(context.Context, ...httpapi.Screening) error { return fail },
		Past: func(ctx context.Context, _ time.Time) (*screening.Past, error) {
			return screening.Reconstruct(ctx, date(2026, 1, 1), []sources.Source{ofac}, &screening.Options{Optional: []string{"OFAC_SDN"}})
		},
	})
	const body = `{"items":[` + question + `,{"address":"0x1","chain":"ethereum"},` + question + `],"at":"1999-01-01"}`
	ask := func(status int, counted int64) {
		t.Helper()
		w := send(h, "POST", "/api/v1/screen/batch", body, "Idempotency-Key", `"k"`)
		if n := used(t, ring, caller); w.Code != status || n != counted {
			t.Errorf("status %d, want %d; %d counted, want %d: %s", w.Code, status, n, counted, w.Body)
		}
	}
	fail = errors.New("disk full")
	ask(503, 0)
	fail = nil
	for range 101 {
		if ask(200, 2); t.Failed() {
			return
		}
	}
	ask(429, 2)
}

// TestBatchOfThePastHoldsNothing opens the lists of a batch for long: meanwhile others have the quota that it needs
// at most.
func TestBatchOfThePastHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring, caller := access.New(access.NewMemory(), nil), httpapi.Caller{ID: "a", Quota: 2}
		defer ring.Close(t.Context())
		release := make(chan struct{})
		h := httpapi.NewHandler(newLoadedScreener(t), granted(caller), &httpapi.Options{
			Meter: ring,
			Past: func(ctx context.Context, _ time.Time) (*screening.Past, error) {
				<-release
				return screening.Reconstruct(ctx, date(2026, 1, 1), []sources.Source{ofac}, &screening.Options{Optional: []string{"OFAC_SDN"}})
			},
		})
		done := make(chan *httptest.ResponseRecorder)
		go func() {
			done <- send(h, "POST", "/api/v1/screen/batch", `{"items":[`+question+`,`+question+`],"at":"1999-01-01"}`)
		}()
		synctest.Wait()
		if w := send(h, "POST", "/api/v1/screen", clean); w.Code != 200 {
			t.Errorf("meanwhile: status %d: %s", w.Code, w.Body)
		}
		close(release)
		w := <-done
		if n := used(t, ring, caller); w.Code != 200 || strings.Count(w.Body.String(), `"code":"quota_exceeded"`) != 1 || n != 2 {
			t.Errorf("status %d, %d counted, want one of two items answered: %s", w.Code, n, w.Body)
		}
	})
}

// TestBatchesOfThePastLeavePlaces opens the lists of many batches for long: those that ask about now are answered.
func TestBatchesOfThePastLeavePlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), &httpapi.Options{Past: func(context.Context, time.Time) (*screening.Past, error) {
			<-release
			return nil, store.ErrNotFound
		}})
		batch := `{"items":[` + clean + `]`
		for range 200 {
			go send(h, "POST", "/api/v1/screen/batch", batch+`,"at":"1999-01-01"}`)
		}
		synctest.Wait()
		if w := send(h, "POST", "/api/v1/screen/batch", batch+"}"); w.Code != 200 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		close(release)
		synctest.Wait()
	})
}

// TestKeptSince asks about times before anything was kept: the journal is read for the hint now and
// then, not for each question and item.
func TestKeptSince(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{ofac}, &screening.Options{Store: st})
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	past, err := screening.Reconstruct(t.Context(), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), []sources.Source{missing{ofac}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	counted := &countedStore{Store: st}
	h := httpapi.NewHandler(s, granted(httpapi.Caller{ID: "a"}), &httpapi.Options{Store: counted, Past: func(_ context.Context, at time.Time) (*screening.Past, error) {
		if at.Year() == 2020 {
			return past, nil
		}
		return nil, store.ErrNotFound
	}})
	for range 3 {
		for _, year := range []string{"2019", "2020"} {
			at := fmt.Sprintf(`,"at":"%s-01-01"}`, year)
			if w := send(h, "POST", "/api/v1/screen", strings.TrimSuffix(clean, "}")+at); w.Code != 400 || !strings.Contains(w.Body.String(), "All lists are kept since 20") {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
			w := send(h, "POST", "/api/v1/screen/batch", `{"items":[`+strings.Repeat(clean+",", 9)+clean+`]`+at)
			if n := strings.Count(w.Body.String(), "All lists are kept since 20"); n != map[string]int{"2019": 1, "2020": 10}[year] {
				t.Errorf("status %d, with %d hints: %s", w.Code, n, w.Body)
			}
		}
	}
	if n := counted.reads.Load(); n > 2 {
		t.Errorf("the journal is read %d times", n)
	}
}

// A missing source has no list.
type missing struct{ sources.Source }

func (missing) Load(context.Context, sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return sources.Revision{}, io.ErrUnexpectedEOF
}

// A countedStore counts how often its journal is read.
type countedStore struct {
	store.Store
	reads atomic.Int64
}

func (s *countedStore) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	s.reads.Add(1)
	return s.Store.Read(ctx, from, each)
}

// A swapped is a source whose list can be replaced.
type swapped struct{ sources.Source }
