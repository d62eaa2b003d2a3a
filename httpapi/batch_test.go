package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A batchAnswer is the response to a batch.
type batchAnswer struct {
	Results []struct {
		ID                               *string
		Address, Chain, Level            string
		Doubts                           []string
		Score                            int
		Code, Field, Reason, Type, Title string
		Status                           int
	}
	DataFreshness map[string]any `json:"data_freshness"`
	Snapshot      string
}

// sendBatch sends a batch and fails the test unless the response is 200.
func sendBatch(t *testing.T, h http.Handler, body string, fields ...string) (a batchAnswer) {
	t.Helper()
	w := send(h, "POST", "/api/v1/screen/batch", body, fields...)
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestBatchItems checks the problems of invalid items.
func TestBatchItems(t *testing.T) {
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
	a := sendBatch(t, h, `{"x":[[{}]],"items":[7,null,"a",[],{}, {"address":1,"chain":"tron"},{"address":"x","chain":"ETH"},
		{"id":5,"address":"x","chain":"tron"},{"address":"0x1","chain":"ethereum","id":""}, `+clean+
		`,{"id":"ü\"","chain":"ethereum","address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}]}`)
	want := []string{
		"invalid_type  number", "invalid_type  null", "invalid_type  string", "invalid_type  array", "missing_field address absent",
		"invalid_type address number", "unsupported_chain chain ticker", "invalid_type id number", "invalid_address address bad_length", "  ", "  ",
	}
	if len(a.Results) != len(want) {
		t.Fatalf("%d results, want %d", len(a.Results), len(want))
	}
	for i, r := range a.Results {
		if got := r.Code + " " + r.Field + " " + r.Reason; got != want[i] || (r.Code == "") != (r.Level != "") || r.Code != "" && r.Status != 400 {
			t.Errorf("item %d: %+v, want %s", i, r, want[i])
		}
	}
	if r := a.Results[8]; r.ID == nil || *r.ID != "" {
		t.Errorf("an empty id is %v", r.ID)
	}
	if r := a.Results[10]; r.ID == nil || *r.ID != `ü"` || r.Score != 100 {
		t.Errorf("the last item is %+v", r)
	}
	if len(a.DataFreshness) != 4 || a.Snapshot == "" {
		t.Errorf("the freshness is %v, the snapshot %q", a.DataFreshness, a.Snapshot)
	}
}

// TestBatchQuota checks that each result of a batch counts, that the quota can run out
// in the middle, and that a repeated batch returns the same results without counting
// them.
func TestBatchQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := access.New(access.NewMemory(), nil)
		defer keys.Close(t.Context())
		c := httpapi.Caller{ID: "a", Quota: 1000}
		var fail error
		h := httpapi.NewHandler(
			newScreener(t, "loaded"),
			granted(c),
			&httpapi.Options{Meter: keys, Audit: func(context.Context, ...httpapi.Screening) error { return fail }},
		)
		batch := func(n int) string {
			return `{"items":[{"address":"0x1","chain":"ethereum"},` + strings.Repeat(clean+",", n-1) + clean + `]}`
		}
		answered := func(a batchAnswer) (n int) {
			for i, r := range a.Results {
				if r.Level != "" {
					n++
				} else if i > 0 && (r.Code != "quota_exceeded" || r.Status != 429) {
					t.Errorf("item %d is %+v", i, r)
				}
			}
			return n
		}
		if n := answered(sendBatch(t, h, batch(700))); n != 700 || used(t, keys, c) != 700 {
			t.Errorf("%d answered, %d used, want 700", n, used(t, keys, c))
		}
		fail = errors.New("disk full")
		if w := send(h, "POST", "/api/v1/screen/batch", batch(200)); w.Code != 503 || used(t, keys, c) != 700 {
			t.Errorf("without a record: status %d, %d used", w.Code, used(t, keys, c))
		}
		fail = nil
		for range 2 {
			if n := answered(sendBatch(t, h, batch(400), "Idempotency-Key", `"x"`)); n != 300 || used(t, keys, c) != 1000 {
				t.Errorf("%d answered, want 300; %d used, want 1000", n, used(t, keys, c))
			}
		}
		w := send(h, "POST", "/api/v1/screen/batch", batch(1))
		if w.Code != 429 || !strings.Contains(w.Body.String(), "quota_exceeded") || w.Header().Get("Retry-After") == "" {
			t.Errorf("with nothing left: status %d: %s", w.Code, w.Body)
		}
	})
}

// TestBatchAudit checks that each result is recorded once, with its index.
func TestBatchAudit(t *testing.T) {
	records := map[int]httpapi.Screening{}
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Audit: func(_ context.Context, all ...httpapi.Screening) error {
		for _, s := range all {
			if _, ok := records[s.Item]; ok {
				return fmt.Errorf("item %d twice", s.Item)
			}
			records[s.Item] = s
		}
		return nil
	}})
	var items []string
	for i := range 200 {
		items = append(items, fmt.Sprintf(`{"address":"0x%040d","chain":"ethereum"}`, i))
	}
	items[7] = `{}`
	w := send(h, "POST", "/api/v1/screen/batch", `{"items":[`+strings.Join(items, ",")+`]}`, "X-Request-Id", "id-7")
	if w.Code != 200 || len(records) != 199 {
		t.Fatalf("status %d, %d records", w.Code, len(records))
	}
	for i, s := range records {
		if i == 7 || s.RequestID != "id-7" || s.CallerID != "plain" || s.Address != fmt.Sprintf("0x%040d", i) ||
			s.Result.Digest() != records[0].Result.Digest() {
			t.Errorf("item %d: %+v", i, s)
		}
	}
}

// TestRequestIDHidesAddresses checks that no address in a request id is echoed,
// recorded or logged.
func TestRequestIDHidesAddresses(t *testing.T) {
	const account = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	var recorded string
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Audit: func(_ context.Context, all ...httpapi.Screening) error {
		recorded = all[0].RequestID
		return nil
	}})
	for _, tt := range []struct{ path, body, id string }{
		{"/api/v1/screen", question, account},
		{"/api/v1/screen", question, strings.ToUpper(account)},
		{"/api/v1/screen", question, "req-" + account[2:] + "-1"},
		{"/api/v1/screen", question, "a=1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"},
		{"/api/v1/screen", `{"address":"EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2","chain":"ton"}`, "EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2"},
		{"/api/v1/screen", `{"address":"alice.near","chain":"near"}`, "customer:alice.near"},
		{"/api/v1/screen", question, "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"},
		{"/api/v1/screen", question, "order:7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV/1"},
		{"/api/v1/screen/batch", `{"items":[` + clean + `,{"address":"alice.near","chain":"near"}]}`, "alice.near"},
		// A part of the address in question, with points, or backward.
		{"/api/v1/screen", question, "0x098b716b...83e2f96"},
		{"/api/v1/screen", question, "098b.716b.8aaf"},
		{"/api/v1/screen", question, "1-69f2e3832e5160be75cd" + "-x"},
		{"/api/v1/validate", question, "2996dc57"},
		// Another address.
		{"/api/v1/screen", clean, "0x098b.716b.8aaf.2151.2996.dc57.eb06.15e2.383e.2f96"},
		{"/api/v1/screen", clean, account[2:40]},
		{"/api/v1/screen", clean, "1BvBMSEYstWetqTF-n5Au4m4GFg7xJaNVN2"},
		{"/api/v1/screen", clean, "2NVNaJx7gFG4m4uA5nFTqteWtsYESMBvB1"},
		// Ids without one of the forms.
		{"/api/v1/screen", clean, "req-1a"},
		{"/api/v1/screen", clean, "req_1"},
		{"/api/v1/screen", clean, "binance12345"}, // an account of EOS
		{"/api/v1/screen", clean, "1234567890-1234567890"},
		{"/api/v1/screen", clean, "123456789012345678901"},
		{"/api/v1/screen", clean, "8e03978e-40d5-43dd-bc93-6894a57f932g"},
		{"/api/v1/screen", clean, "8e03978e-40d5-43dd-bc936894-a57f9324"},
		{"/api/v1/screen", clean, "01arz3ndektsv4rrffq69g5fav"},
	} {
		recorded = "nothing"
		w := send(h, "POST", tt.path, tt.body, "X-Request-Id", tt.id)
		if got := w.Header().Get("X-Request-Id"); w.Code != 200 || got == "" || got == tt.id || recorded != got && tt.path != "/api/v1/validate" {
			t.Errorf("%s: status %d, id %q, recorded %q", tt.id, w.Code, got, recorded)
		}
	}
	for _, id := range []string{"8e03978e-40d5-43dd-bc93-6894a57f9324", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "4bf92f3577b34da6a3ce929d0e0e4736",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "req-1", "order-12345678", "17"} {
		if w := send(h, "POST", "/api/v1/screen", question, "X-Request-Id", id); w.Header().Get("X-Request-Id") != id {
			t.Errorf("%s is not echoed: %s", id, w.Header().Get("X-Request-Id"))
		}
	}
}

// TestBatchFindsChain sends items without a chain, and checks that each is answered for the
// chain that its address shows.
func TestBatchFindsChain(t *testing.T) {
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
	a := sendBatch(t, h, `{"items":[{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96"},{"address":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t","chain":""},
		{"address":"alice"},{"address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"},
		  {"address":"0xdAC17F958D2ee523a2206206994597C13D831ec8"},{"address":"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"}]}`)
	var got strings.Builder
	for _, r := range a.Results {
		if r.Score > 0 { // another chain may have another account of the text
			r.Doubts = nil
		}
		fmt.Fprintf(&got, "%s%s %s%s %q\n", r.Level, r.Code, r.Chain, r.Reason, r.Doubts)
	}
	if want := `CRITICAL ethereum []
CLEAN_NO_MATCH tron []
CLEAN_NO_MATCH eos ["ambiguous"]
invalid_address bad_checksum []
CLEAN_NO_MATCH ethereum ["capitals"]
invalid_address secret []
`; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}

// TestBatchOfOneSnapshot replaces a list while batches are screened, and checks that each answer is of one snapshot,
// also about a text in one of the two lists which is not an address.
func TestBatchOfOneSnapshot(t *testing.T) {
	const text = "not an address, but listed"
	list := &turning{Source: ofac, text: text}
	s, err := screening.New([]sources.Source{list}, nil)
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(s, testKeys(t), nil)
	body := `{"items":[{"address":"` + text + `","chain":"ethereum"},` + strings.Repeat(clean+",", 998) + clean + `]}`
	listed := map[string]bool{}
	for range longtest.N(50, 1000) {
		var refreshed sync.WaitGroup
		refreshed.Go(func() {
			time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
			s.Refresh(t.Context())
		})
		a := sendBatch(t, h, body)
		refreshed.Wait()
		is := a.Results[0].Level != ""
		if was, ok := listed[a.Snapshot]; ok && was != is {
			t.Fatalf("by one snapshot, the text is listed, or not: %v, %+v", is, a.Results[0])
		}
		listed[a.Snapshot] = is
	}
}

// A turning source lists a text in every other load.
type turning struct {
	sources.Source
	text string
	n    int
}

func (s *turning) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if s.n++; s.n%2 == 0 {
		if err := add(sources.Entry{Listed: s.text, Kind: score.Sanctioned, Ref: "1"}); err != nil {
			return sources.Revision{}, err
		}
	}
	return s.Source.Load(ctx, sources.Revision{}, add)
}

// TestTooManyItems checks that of a batch with far too many items few are kept in memory.
func TestTooManyItems(t *testing.T) {
	body := `{"items":[` + strings.Repeat("{},", 170_000) + `{}]}`
	if n := httpapi.ItemsRead([]byte(body)); n > 1001 {
		t.Errorf("%d items are in memory", n)
	}
	h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil)
	if w := send(h, "POST", "/api/v1/screen/batch", body); w.Code != 413 || !strings.Contains(w.Body.String(), "at most 1000 items") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
