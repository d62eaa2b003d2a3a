package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/pipenet"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// serve starts a server and returns a request for its "/list.xml" with short pauses
// between attempts.
func serve(t *testing.T, h http.HandlerFunc) *fetch.Request {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &fetch.Request{
		Options: fetch.Options{URL: server.URL + "/list.xml?token=secret", Client: server.Client(), AllowHTTP: true},
		Backoff: time.Millisecond,
	}
}

// get returns the body, and the number of calls of its reader.
func get(ctx context.Context, req *fetch.Request) (body string, calls int, result fetch.Result, err error) {
	result, err = fetch.Get(ctx, req, func(r io.Reader) error {
		calls++
		b, err := io.ReadAll(r)
		body = string(b)
		return err
	})
	return body, calls, result, err
}

func TestGet(t *testing.T) {
	var agent atomic.Value
	req := serve(t, func(w http.ResponseWriter, r *http.Request) {
		agent.Store(r.UserAgent())
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Last-Modified", "Wed, 19 Nov 2025 10:00:00 GMT")
		io.WriteString(w, "hello")
	})
	body, calls, result, err := get(t.Context(), req)
	want := fetch.Result{ETag: `"1"`, LastModified: "Wed, 19 Nov 2025 10:00:00 GMT"}
	if body != "hello" || calls != 1 || result != want || err != nil {
		t.Errorf("Get = %q in %d calls, %+v, %v, want hello in 1, %+v", body, calls, result, err, want)
	}
	if agent.Load() != fetch.UserAgent || len(fetch.UserAgent) < 40 || !strings.HasPrefix(fetch.UserAgent, "Mozilla/5") {
		t.Errorf("User-Agent %q, want the long one", agent.Load())
	}
}

// TestNotModified checks which 304 responses confirm the stored copy. Any other 304 is
// followed by a request without conditions.
func TestNotModified(t *testing.T) {
	const now, before = "Wed, 19 Nov 2025 10:00:00 GMT", "Tue, 18 Nov 2025 10:00:00 GMT"
	for _, tt := range []struct {
		name                 string
		etag, modified       string // sent
		newETag, newModified string // of the 304
		confirmed            bool
	}{
		{"both, as sent", `"1"`, now, `"1"`, now, true},
		{"no validators", `"1"`, now, "", "", true},
		{"the ETag alone", `"1"`, now, `"1"`, "", true},
		{"a weak ETag for a strong one", `"1"`, now, `W/"1"`, now, true},
		{"a strong ETag for a weak one", `W/"1"`, "", `"1"`, "", true},
		{"the date alone", `"1"`, now, "", now, true},
		{"the ETag, and a date that was not sent", `"1"`, "", `"1"`, now, true},
		{"another ETag", `"1"`, now, `"2"`, now, false},
		{"another weak ETag", `W/"1"`, "", `W/"2"`, "", false},
		{"another date", `"1"`, now, `"1"`, before, false},
		{"another date alone", "", now, "", before, false},
		{"an ETag that was not sent", "", now, `"1"`, "", false},
		{"an ETag that was not sent, and the date", "", now, `"1"`, now, false},
		{"a date that was not sent", `"1"`, "", "", now, false},
	} {
		conditional := 0
		req := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") == "" && r.Header.Get("If-Modified-Since") == "" {
				w.Header().Set("ETag", `"3"`)
				io.WriteString(w, "hello")
				return
			}
			conditional++
			if tt.newETag != "" {
				w.Header().Set("ETag", tt.newETag)
			}
			if tt.newModified != "" {
				w.Header().Set("Last-Modified", tt.newModified)
			}
			w.WriteHeader(http.StatusNotModified)
		})
		req.ETag, req.LastModified = tt.etag, tt.modified
		body, _, result, err := get(t.Context(), req)
		if err != nil || conditional != 1 {
			t.Errorf("%s: error %v after %d conditional requests", tt.name, err, conditional)
			continue
		}
		// The validators of the 304 are not verified, so the validators of the request stay.
		want := fetch.Result{NotModified: true, ETag: tt.etag, LastModified: tt.modified}
		if tt.confirmed && (result != want || body != "") || !tt.confirmed && (body != "hello" || result.NotModified || result.ETag != `"3"`) {
			t.Errorf("%s: %q, %+v; want the copy confirmed: %v", tt.name, body, result, tt.confirmed)
		}
	}
	for name, etag := range map[string]string{"to a request without conditions": "", "to the second one as well": `"1"`} {
		req := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"2"`)
			w.WriteHeader(http.StatusNotModified)
		})
		req.ETag = etag
		var status *fetch.StatusError
		if _, _, _, err := get(t.Context(), req); !errors.As(err, &status) || status.Status != 304 {
			t.Errorf("304 %s: error %v, want status 304", name, err)
		}
	}
}

// Responses that are not files, and the number of attempts.
func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		status     int
		retryAfter string
		asked      int32
	}{
		{http.StatusForbidden, "", 3}, // as firewalls answer
		{http.StatusForbidden, "3600", 1},
		{http.StatusRequestTimeout, "", 3},
		{http.StatusUnauthorized, "", 1},
		{http.StatusNotFound, "", 1},
		{http.StatusNoContent, "", 1},
		{http.StatusPartialContent, "", 1},
		{http.StatusTooManyRequests, "0", 3},
		{http.StatusInternalServerError, "", 3},
		{http.StatusServiceUnavailable, "Wed, 19 Nov 2025 10:00:00 GMT", 3}, // long ago
		{http.StatusServiceUnavailable, "3600", 1},                          // too long
	} {
		var asked atomic.Int32
		req := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if tt.retryAfter != "" {
				w.Header().Set("Retry-After", tt.retryAfter)
			}
			w.WriteHeader(tt.status)
		})
		req.Attempts = 3
		_, calls, _, err := get(t.Context(), req)
		var status *fetch.StatusError
		if !errors.As(err, &status) || status.Status != tt.status || calls != 0 || asked.Load() != tt.asked {
			t.Errorf("status %d, Retry-After %q: error %v, asked %d times, want its status and %d times", tt.status, tt.retryAfter, err, asked.Load(), tt.asked)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error %q shows the token of the address", err)
		}
	}
}

// flaky responds with the first handlers in turn, and then with the last.
func flaky(handlers ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		handlers[min(int(n.Add(1)), len(handlers))-1](w, r)
	}
}

func hello(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }

// brokenOff announces a longer body than it sends.
func brokenOff(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "100")
	io.WriteString(w, "hel")
}

// torn breaks the connection in the middle of a chunked body.
func torn(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, "hel")
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func refuse(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }

func status(code int, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(code)
	}
}

func TestRetry(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		calls   int
	}{
		{"burst of 500", flaky(status(500, ""), status(502, ""), status(503, "0"), hello), 1},
		{"burst of 403", flaky(status(403, ""), status(403, "0"), hello), 1},
		{"429", flaky(status(429, ""), hello), 1},
		{"no answer", flaky(refuse, hello), 1},
		{"short body", flaky(brokenOff, hello), 2},
		{"torn body", flaky(torn, torn, hello), 3},
	} {
		body, calls, _, err := get(t.Context(), serve(t, tt.handler))
		if body != "hello" || calls != tt.calls || err != nil {
			t.Errorf("%s: Get = %q in %d calls, %v, want hello in %d", tt.name, body, calls, err, tt.calls)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		req := serveInMemory(t, flaky(status(503, "100"), hello))
		start := time.Now()
		if _, _, _, err := get(t.Context(), req); err != nil || time.Since(start) != 100*time.Second {
			t.Errorf("Retry-After: 100 was waited for %v, %v, want as many seconds", time.Since(start), err)
		}
	})
}

func TestShortBody(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{"short": brokenOff, "torn": torn} {
		req := serve(t, h)
		req.Attempts = 2
		if body, calls, _, err := get(t.Context(), req); err == nil || calls != 2 {
			t.Errorf("%s body: Get = %q in %d calls, no error, want one after 2", name, body, calls)
		}
		// A reader that stops early does not turn a part into the whole.
		_, err := fetch.Get(t.Context(), req, func(r io.Reader) error {
			_, err := io.ReadFull(r, make([]byte, 2))
			return err
		})
		if err == nil {
			t.Errorf("%s body that was read in part: no error", name)
		}
	}
}

func TestReaderError(t *testing.T) {
	var asked atomic.Int32
	req := serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); hello(w, r) })
	want := errors.New("not a list")
	_, err := fetch.Get(t.Context(), req, func(r io.Reader) error { return want })
	if !errors.Is(err, want) || asked.Load() != 1 {
		t.Errorf("Get = %v after %d requests, want the reader's own error after one", err, asked.Load())
	}
}

// serveInMemory is like serve, for a synctest bubble with its fake clock.
func serveInMemory(t *testing.T, h http.HandlerFunc) *fetch.Request {
	t.Helper()
	return &fetch.Request{
		Options: fetch.Options{
			URL:    "https://list.example/list.xml?token=secret",
			Client: &http.Client{Transport: pipenet.Serve(t, &http.Server{Handler: h}).Transport(t)},
		},
		Backoff: time.Millisecond,
	}
}

func TestStall(t *testing.T) {
	for name, before := range map[string]func(w http.ResponseWriter){
		"before the answer":       func(http.ResponseWriter) {},
		"before the body":         func(w http.ResponseWriter) { http.NewResponseController(w).Flush() },
		"in the middle of a body": func(w http.ResponseWriter) { io.WriteString(w, "hel"); http.NewResponseController(w).Flush() },
	} {
		synctest.Test(t, func(t *testing.T) {
			stall := func(w http.ResponseWriter, r *http.Request) {
				before(w)
				<-r.Context().Done()
			}
			req := serveInMemory(t, stall)
			req.Stall, req.Attempts = time.Minute, 1
			start := time.Now()
			if _, _, _, err := get(t.Context(), req); !errors.Is(err, fetch.ErrStalled) || time.Since(start) != time.Minute {
				t.Errorf("stalled %s: error %v after %v, want ErrStalled after a minute", name, err, time.Since(start))
			}
			req = serveInMemory(t, flaky(stall, hello))
			req.Stall = time.Minute
			if body, _, _, err := get(t.Context(), req); body != "hello" || err != nil {
				t.Errorf("stalled %s once: Get = %q, %v, want hello", name, body, err)
			}
		})
	}
	// A slow connection is not a stalled one, on either side.
	synctest.Test(t, func(t *testing.T) {
		req := serveInMemory(t, func(w http.ResponseWriter, r *http.Request) {
			for range 5 {
				io.WriteString(w, "x")
				http.NewResponseController(w).Flush()
				time.Sleep(time.Minute - 1)
			}
		})
		req.Stall, req.Attempts = time.Minute, 1
		var got int
		_, err := fetch.Get(t.Context(), req, func(r io.Reader) error {
			for {
				n, err := r.Read(make([]byte, 1))
				if got += n; err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
				if got == 1 {
					time.Sleep(time.Hour)
				}
			}
		})
		if got != 5 || err != nil {
			t.Errorf("slow body, slow reader: %d bytes, %v, want 5", got, err)
		}
	})
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	req := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hel")
		http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	})
	if _, _, _, err := get(ctx, req); !errors.Is(err, context.Canceled) {
		t.Errorf("Get, cancelled in the body: error %v, want context.Canceled", err)
	}
	if _, calls, _, err := get(ctx, req); !errors.Is(err, context.Canceled) || calls != 0 {
		t.Errorf("Get, cancelled before: error %v, want context.Canceled", err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 59*time.Second)
		defer cancel()
		req := serveInMemory(t, status(503, "60"))
		start := time.Now()
		if _, _, _, err := get(ctx, req); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 59*time.Second {
			t.Errorf("Get, timed out between attempts: error %v after %v, want context.DeadlineExceeded", err, time.Since(start))
		}
	})
}

func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(hello))
	defer other.Close()
	hops := func(n int, then string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			var i int
			fmt.Sscanf(r.URL.Query().Get("hop"), "%d", &i)
			if i+1 < n {
				http.Redirect(w, r, fmt.Sprintf("/list.xml?hop=%d&X-Signature=abc", i+1), http.StatusFound)
				return
			}
			http.Redirect(w, r, then, http.StatusFound)
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		ok      bool
	}{
		{"to another host", hops(1, other.URL+"/x?X-Signature=abc"), true},
		{"ten", hops(10, other.URL), true},
		{"eleven", hops(11, other.URL), false},
		{"in a loop", hops(1<<30, ""), false},
		{"to nobody", hops(1, "http://127.0.0.1:1/?X-Signature=abc"), false},
		{"to no address", hops(1, "http://%zz/?X-Signature=abc"), false},
		{"to an error", hops(1, other.URL+"/"), true},
		{"to a file", hops(1, "file:///x?X-Signature=abc"), false},
	} {
		req := serve(t, tt.handler)
		req.Attempts = 2
		body, _, result, err := get(t.Context(), req)
		if (err == nil) != tt.ok || tt.ok && body != "hello" {
			t.Errorf("redirected %s: Get = %q, %v", tt.name, body, err)
		}
		if s := fmt.Sprintf("%v %+v", err, result); strings.Contains(s, "abc") || strings.Contains(s, "secret") {
			t.Errorf("redirected %s: %q shows a signed address", tt.name, s)
		}
	}
	// The error shows the cause if it is harmless.
	req := serve(t, hops(1, "http://127.0.0.1:1/?X-Signature=abc"))
	req.Attempts = 1
	if _, _, _, err := get(t.Context(), req); err == nil || !strings.Contains(err.Error(), "connect") {
		t.Errorf("redirected to nobody: error %v, want one about the connection", err)
	}
	req = serve(t, hops(1, other.URL))
	asked := 0
	req.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { asked++; return nil }}
	if _, _, _, err := get(t.Context(), req); err != nil || asked != 1 {
		t.Errorf("the client's CheckRedirect was asked %d times, %v, want once", asked, err)
	}
}

// A token in the URL of a list is not told to the host to which its publisher redirects.
func TestNoReferer(t *testing.T) {
	seen := http.Header{}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen = r.Header; hello(w, r) }))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL+"/list", http.StatusFound))
	defer first.Close()
	for _, client := range []*http.Client{nil, {CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}} {
		req := &fetch.Request{Options: fetch.Options{URL: first.URL + "/list?token=hunter2", Client: client, AllowHTTP: true}, MaxBytes: 1 << 10}
		seen = nil
		if _, _, _, err := get(t.Context(), req); err != nil || seen == nil || strings.Contains(fmt.Sprint(seen), "hunter2") || seen["Referer"] != nil {
			t.Errorf("%v, the other host got %v", err, seen)
		}
	}
}

func TestHTTPSOnly(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(hello))
	defer plain.Close()
	for _, u := range []string{plain.URL, "ftp://127.0.0.1/", "//127.0.0.1/", "/list", "", "https://", "https://%zz"} {
		if body, _, _, err := get(t.Context(), &fetch.Request{Options: fetch.Options{URL: u}}); err == nil {
			t.Errorf("Get of %q = %q, want an error", u, body)
		}
	}
	var asked atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, plain.URL, http.StatusFound)
	}))
	defer server.Close()
	req := &fetch.Request{Options: fetch.Options{URL: server.URL, Client: server.Client()}, Backoff: time.Millisecond}
	if body, _, _, err := get(t.Context(), req); err == nil || asked.Load() != 1 {
		t.Errorf("Get redirected from https to http = %q after %d requests, want an error after one", body, asked.Load())
	}
	// An untrusted certificate is not retried.
	req.Client, req.Backoff = nil, time.Hour
	if _, _, _, err := get(t.Context(), req); err == nil {
		t.Error("Get from a server that is not trusted: no error")
	}
}

func zipped(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	whole := zipped("hello, hello, hello")
	bomb := zipped(strings.Repeat("\x00", 8<<20))
	for _, tt := range []struct {
		name, encoding string
		body           []byte
		want           string
		ok, tooLarge   bool
	}{
		{"whole", "gzip", whole, "hello, hello, hello", true, false},
		{"cut", "gzip", whole[:len(whole)-5], "", false, false},
		{"empty", "gzip", nil, "", false, false},
		{"not gzip", "gzip", []byte("hello, hello, hello"), "", false, false},
		{"corrupt", "gzip", append(bytes.Clone(whole[:len(whole)-8]), "12345678"...), "", false, false},
		{"followed by garbage", "gzip", append(bytes.Clone(whole), "garbage"...), "", false, false},
		{"bomb", "gzip", bomb, "", false, true},
		{"another encoding", "br", whole, "", false, false},
		{"identity", "identity", []byte("hello"), "hello", true, false},
	} {
		req := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("Accept-Encoding %q, want gzip", r.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", tt.encoding)
			w.Write(tt.body)
		})
		req.Attempts, req.MaxBytes = 1, 1<<20
		body, _, _, err := get(t.Context(), req)
		if (err == nil) != tt.ok || tt.ok && body != tt.want || errors.Is(err, fetch.ErrTooLarge) != tt.tooLarge {
			t.Errorf("%s: Get = %.40q, %v, want %q", tt.name, body, err, tt.want)
		}
	}
}

func TestMaxBytes(t *testing.T) {
	text := strings.Repeat("0123456789", 100)
	for name, h := range map[string]http.HandlerFunc{
		"announced": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, text)
		},
		"chunked": func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			io.WriteString(w, text)
		},
		"compressed": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped(text))
		},
	} {
		req := serve(t, h)
		req.MaxBytes = 1000
		if body, _, _, err := get(t.Context(), req); body != text || err != nil {
			t.Errorf("%s body of 1000 bytes at a limit of 1000: %d bytes, %v", name, len(body), err)
		}
		req.MaxBytes = 999
		if body, calls, _, err := get(t.Context(), req); !errors.Is(err, fetch.ErrTooLarge) || len(body) > 999 || calls > 1 {
			t.Errorf("%s body of 1000 bytes at a limit of 999: %d bytes in %d calls, error %v, want ErrTooLarge", name, len(body), calls, err)
		}
	}
}

func TestProgress(t *testing.T) {
	packed := new(bytes.Buffer)
	z := gzip.NewWriter(packed)
	z.Write(bytes.Repeat([]byte("hello"), 1000))
	z.Close()
	type told struct{ read, total int64 }
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		body    int    // its length, uncompressed
		want    []told // the first, then the last, of each attempt
	}{
		{"announced", hello, 5, []told{{0, 5}, {5, 5}}},
		{"not announced", func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			hello(w, r)
		}, 5, []told{{0, -1}, {5, -1}}},
		{"compressed", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(packed.Bytes())
		}, 5000, []told{{0, int64(packed.Len())}, {int64(packed.Len()), int64(packed.Len())}}},
		{"begun again", flaky(brokenOff, status(503, "0"), hello), 5, []told{{0, 100}, {3, 100}, {0, 5}, {5, 5}}},
	} {
		req := serve(t, tt.handler)
		var got []told
		ctx := sources.WithProgress(t.Context(), func(read, total int64) {
			last := len(got) - 1
			switch now := (told{read, total}); {
			case read == 0 || last < 0 || got[last].read == 0:
				got = append(got, now)
			case now.read < got[last].read || now.total != got[last].total:
				t.Errorf("%s: told of %+v after %+v", tt.name, now, got[last])
			default:
				got[last] = now
			}
		})
		if body, _, _, err := get(ctx, req); len(body) != tt.body || err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: Get gave %d bytes, %v, and told of %v, want %d, and %v", tt.name, len(body), err, got, tt.body, tt.want)
		}
	}
}

// TestCutOnce uses a server that sends less than it announced, once.
func TestCutOnce(t *testing.T) {
	cut := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "5")
		io.WriteString(w, "hel")
	}
	if body, calls, _, err := get(t.Context(), serve(t, flaky(cut, hello))); body != "hello" || calls != 2 || err != nil {
		t.Errorf("cut once: Get = %q in %d calls, %v, want hello in 2", body, calls, err)
	}
}
