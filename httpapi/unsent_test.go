package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A batch that has waited until its answer could hardly be sent before the WriteTimeout is neither
// charged nor recorded. One that has waited less is answered.
func TestLateBatch(t *testing.T) {
	for wait, status := range map[time.Duration]int{5 * time.Second: 200, 13 * time.Second: 503} {
		synctest.Test(t, func(t *testing.T) {
			ring := access.New(newStore(), nil)
			defer ring.Close(context.Background())
			var recorded atomic.Int64
			h := httpapi.NewHandler(newScreener(t, "loaded"), testKeys(t), &httpapi.Options{
				Meter: ring, Audit: func(_ context.Context, all ...httpapi.Screening) error { recorded.Add(int64(len(all))); return nil },
			})
			dial := serveInMemory(t, &http.Server{Handler: h, WriteTimeout: 15 * time.Second})
			release := httpapi.HoldTurns(h)
			const n = 40
			all := make(chan []reply, n)
			for range n {
				c := dial()
				body := `{"items":[` + clean + `]}`
				go io.WriteString(c, "POST /api/v1/screen/batch HTTP/1.1\r\nHost: x\r\n"+withKey+withJSON+last+sized(body))
				go func() { all <- replies(t, c) }()
			}
			synctest.Wait()
			time.Sleep(wait)
			release()
			for range n {
				if got := <-all; len(got) != 1 || got[0].status != status {
					t.Errorf("after %v: %v, want status %d", wait, got, status)
				}
			}
			used, _, _, err := ring.Used(t.Context(), httpapi.Caller{ID: "test"}, true)
			ids := map[int]int64{200: n, 503: 0}
			if err != nil || recorded.Load() != ids[status] || status == 503 && used != 0 {
				t.Errorf("after %v: %d recorded, %d charged, %v", wait, recorded.Load(), used, err)
			}
		})
	}
}

// A blocked ResponseWriter belongs to a client that does not read.
type blocked struct {
	*httptest.ResponseRecorder
	begun, read chan struct{}
	once        sync.Once
}

func (w *blocked) Write(b []byte) (int, error) {
	w.once.Do(func() { w.begun <- struct{}{} })
	<-w.read
	return len(b), nil
}

// Answers that lie unread hold a bounded part of the memory, for one key and for all; those that
// are read make room.
func TestUnreadAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recorded atomic.Int64
		h := httpapi.NewHandler(newScreener(t, "loaded"), authorizerFunc(func(r *http.Request) (httpapi.Caller, error) {
			return httpapi.Caller{ID: r.Header.Get("X-Caller")}, nil
		}), &httpapi.Options{Audit: func(_ context.Context, all ...httpapi.Screening) error { recorded.Add(int64(len(all))); return nil }})
		hit := `{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}`
		body := `{"items":[` + strings.Repeat(hit+",", 99) + hit + `]}`
		read, begun := make(chan struct{}), make(chan struct{}, 10_000)
		ask := func(caller string) int {
			r := httptest.NewRequest("POST", "/api/v1/screen/batch", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-Caller", caller)
			w := &blocked{ResponseRecorder: httptest.NewRecorder(), begun: begun, read: read}
			done := make(chan int, 1)
			go func() { h.ServeHTTP(w, r); done <- w.Code }()
			synctest.Wait()
			<-begun
			return w.Code
		}
		size := send(h, "POST", "/api/v1/screen/batch", body, "X-Caller", "x").Body.Len()
		recorded.Store(0)
		all, each := 12*size+size/2, 3*size+size/2
		if most, mostEach := httpapi.LimitUnread(h, all, each); most != 64<<20 || mostEach != 16<<20 {
			t.Errorf("the limits are %d and %d", most, mostEach)
		}
		answered := func(caller string) (n int) {
			for ask(caller) == 200 {
				n++
			}
			return n
		}
		if n := answered("a"); n != 3 {
			t.Errorf("one key holds %d answers of %d bytes", n, size)
		}
		total := 3
		for _, caller := range []string{"b", "c", "d", "e", "f", "g"} {
			total += answered(caller)
		}
		if total != 12 || recorded.Load() != int64(100*total) {
			t.Errorf("all hold %d answers of %d bytes, with %d records", total, size, recorded.Load())
		}
		if w := send(h, "POST", "/api/v1/screen", hit, "X-Caller", "a"); w.Code != 200 {
			t.Errorf("a single question has status %d: %s", w.Code, w.Body)
		}
		close(read)
		synctest.Wait()
		if w := send(h, "POST", "/api/v1/screen/batch", body, "X-Caller", "a"); w.Code != 200 {
			t.Errorf("when all were read, a batch has status %d: %s", w.Code, w.Body)
		}
	})
}

// An address that many entries have is a large answer as well.
func TestUnreadAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var entries []sources.Entry
		for i := range 300 {
			entries = append(entries, sources.Entry{Listed: "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Asset: "ETH", Kind: score.Sanctioned, Ref: fmt.Sprint(i), Name: strings.Repeat("x", 200)})
		}
		s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "A", Name: "a", Jurisdiction: sources.US}, entries...)}, nil)
		if err == nil {
			_, err = s.Refresh(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		h := httpapi.NewHandler(s, testKeys(t), nil)
		hit := `{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}`
		httpapi.LimitUnread(h, 1<<20, 3*send(h, "POST", "/api/v1/screen", hit).Body.Len())
		read, codes := make(chan struct{}), make(chan int, 10)
		for range cap(codes) {
			w := &blocked{ResponseRecorder: httptest.NewRecorder(), begun: make(chan struct{}, 1), read: read}
			r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(hit))
			r.Header.Set("Authorization", "Bearer "+testKey)
			r.Header.Set("Content-Type", "application/json")
			go func() { h.ServeHTTP(w, r); codes <- w.Code }()
		}
		synctest.Wait()
		close(read)
		statuses := make(map[int]int)
		for range cap(codes) {
			statuses[<-codes]++
		}
		if statuses[200] != 3 || statuses[503] != 7 {
			t.Errorf("of 10 that do not read, by status: %v, want 3 answers", statuses)
		}
		if w := send(h, "POST", "/api/v1/screen", hit); w.Code != 200 {
			t.Errorf("when all were read, the status is %d: %s", w.Code, w.Body)
		}
	})
}

// A store that hangs holds up only those that ask about the past, and these until their answer could
// hardly be sent.
func TestPastHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring := access.New(newStore(), nil)
		defer ring.Close(context.Background())
		h := httpapi.NewHandler(newLoadedScreener(t), testKeys(t), &httpapi.Options{Meter: ring, Past: func(ctx context.Context, _ time.Time) (*screening.Past, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("opening: %w", ctx.Err())
		}})
		ctx := context.WithValue(t.Context(), http.ServerContextKey, &http.Server{ReadTimeout: time.Minute, WriteTimeout: 15 * time.Second})
		ask := func(path, key, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(ctx, "POST", path, strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+key)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		const at = `,"at":"1999-01-01"}`
		var all sync.WaitGroup
		start := time.Now()
		for i := range 4 {
			path, body := "/api/v1/screen", strings.TrimSuffix(clean, "}")+at
			if i%2 == 1 {
				path, body = path+"/batch", `{"items":[`+clean+`]`+at
			}
			all.Go(func() {
				if w := ask(path, testKey, body); w.Code != 503 || !strings.Contains(w.Body.String(), `"overloaded"`) || time.Since(start) != 12*time.Second {
					t.Errorf("%s: status %d after %v: %s", path, w.Code, time.Since(start), w.Body)
				}
			})
		}
		synctest.Wait()
		for path, body := range map[string]string{"/api/v1/screen": clean, "/api/v1/screen/batch": `{"items":[` + clean + `]}`, "/api/v1/validate": clean} {
			if w := ask(path, testKey, body); w.Code != 200 || time.Since(start) > 0 {
				t.Errorf("%s: status %d after %v: %s", path, w.Code, time.Since(start), w.Body)
			}
		}
		if w := ask("/api/v1/screen", "unknown", clean); w.Code != 401 || time.Since(start) > 0 {
			t.Errorf("without a key: status %d after %v", w.Code, time.Since(start))
		}
		all.Wait()
		if n, _, _, err := ring.Used(t.Context(), httpapi.Caller{ID: "plain"}, true); n != 2 || err != nil {
			t.Errorf("%d screenings are counted, %v, want the two of the lists of now", n, err)
		}
	})
}

// Lists of the past are not opened for a question that is refused anyway.
func TestPastIsDear(t *testing.T) {
	opened := 0
	opts := &httpapi.Options{Meter: access.New(newStore(), nil), Past: func(context.Context, time.Time) (*screening.Past, error) {
		opened++
		return nil, context.DeadlineExceeded
	}}
	h := httpapi.NewHandler(newLoadedScreener(t), granted(httpapi.Caller{ID: "a", Quota: 1}), opts)
	ask := func(path, body string, status int, more int) {
		t.Helper()
		before := opened
		if w := send(h, "POST", path, body); w.Code != status || opened-before != more {
			t.Errorf("%s: status %d, want %d, and opened %d times, want %d: %s", body, w.Code, status, opened-before, more, w.Body)
		}
	}
	const at = `,"at":"2025-01-01"}`
	ask("/api/v1/screen", `{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f9","chain":"ethereum"`+at, 400, 0)
	ask("/api/v1/screen", `{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"nochain"`+at, 400, 0)
	ask("/api/v1/screen", strings.TrimSuffix(clean, "}")+at, 500, 1)
	ask("/api/v1/screen", clean, 200, 0) // what failed was not charged
	ask("/api/v1/screen", strings.TrimSuffix(clean, "}")+at, 429, 0)
	ask("/api/v1/screen/batch", `{"items":[`+clean+`]`+at, 429, 0)
}
