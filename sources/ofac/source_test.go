package ofac_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// serve returns a source that downloads from the handler.
func serve(t *testing.T, h http.HandlerFunc) sources.Source {
	t.Helper()
	server := httptest.NewTLSServer(h)
	t.Cleanup(server.Close)
	return ofac.New(&ofac.Options{URL: server.URL + "/SDN_ADVANCED.XML", Client: server.Client()})
}

// TestSource loads a small list many times, and the long test a real one.
func TestSource(t *testing.T) {
	doc := []byte(smallAdvanced)
	if longtest.Enabled() {
		doc = readFile(t, "sdn_advanced_excerpt_2025-03-04.xml.gz")
	}
	for name, validators := range map[string]bool{"with validators": true, "without validators": false} {
		t.Run(name, func(t *testing.T) {
			src := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if validators {
					w.Header().Set("ETag", `"2025-03-04"`)
				}
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc))
			})
			sourcetest.Run(t, func(*testing.T) sources.Source { return src })
		})
	}
}

func TestInfo(t *testing.T) {
	info := ofac.New(nil).Info()
	if err := info.Validate(); err != nil || info.ID != "OFAC_SDN" || info.Jurisdiction != sources.US {
		t.Errorf("Info = %+v, %v, want OFAC_SDN of the US", info, err)
	}
}

// The server of OFAC redirects to storage.
func TestLoad(t *testing.T) {
	doc := readFile(t, "sdn_advanced_excerpt_2025-03-04.xml.gz")
	etag, modified := atomic.Pointer[string]{}, "Tue, 04 Mar 2025 15:00:00 GMT"
	first, second := `"1"`, `"2"`
	etag.Store(&first)
	var bodies atomic.Int32
	src := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/storage" {
			http.Redirect(w, r, "/storage?X-Amz-Signature=abc", http.StatusFound)
			return
		}
		if ua := r.UserAgent(); len(ua) < 40 || !strings.HasPrefix(ua, "Mozilla/5.0 ") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("ETag", *etag.Load())
		w.Header().Set("Last-Modified", modified)
		if r.Header.Get("If-None-Match") == *etag.Load() {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		bodies.Add(1)
		w.Write(doc)
	})
	ctx := t.Context()

	entries, rev, err := listtest.Load(ctx, src, sources.Revision{})
	if len(entries) != 717 || err != nil {
		t.Fatalf("Load: %d entries, %v, want 717", len(entries), err)
	}
	if !strings.HasPrefix(rev.ETag, first+" ") || rev.LastModified != modified || rev.Records != 86 || rev.Published.Format(time.DateOnly) != "2025-03-04" {
		t.Errorf("revision %+v, want the validators and what the list says", rev)
	}

	// Not modified: nothing is transferred.
	held := rev
	held.Checked = rev.Published
	again, next, err := listtest.Load(ctx, src, held)
	if again != nil || next != rev || !errors.Is(err, sources.ErrUnchanged) || bodies.Load() != 1 {
		t.Errorf("Load of an unmodified list: %d entries, %+v, %v, %d bodies, want ErrUnchanged and %+v", len(again), next, err, bodies.Load(), rev)
	}

	// The server reports a modification, but the list is the same.
	etag.Store(&second)
	again, next, err = listtest.Load(ctx, src, held)
	want := rev
	want.ETag = strings.Replace(want.ETag, first, second, 1)
	if again != nil || next != want || !errors.Is(err, sources.ErrUnchanged) || bodies.Load() != 2 {
		t.Errorf("Load of an equal list: %d entries, %+v, %v, %d bodies, want ErrUnchanged and %+v", len(again), next, err, bodies.Load(), want)
	}

	// Validators without a digest are ignored.
	again, _, err = listtest.Load(ctx, src, sources.Revision{ETag: second})
	if !slices.Equal(again, entries) || err != nil {
		t.Errorf("Load without a list held: %d entries, %v, want all", len(again), err)
	}
}

// A misbehaving server causes an error that does not contain a signed URL, and
// adds no entry.
func TestLoadBroken(t *testing.T) {
	doc := readFile(t, "sdn_advanced_excerpt_2025-03-04.xml.gz")
	send := func(b []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.Write(b) }
	}
	for _, tt := range []struct {
		name, want string
		handler    http.HandlerFunc
	}{
		{"404", "404", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) }},
		{"HTML", "document type", send([]byte("<!DOCTYPE html><html><body>Maintenance</body></html>"))},
		{"error of S3 with status 200", "<Error>", send([]byte("<Error><Code>NoSuchKey</Code></Error>"))},
		{"empty", "EOF", send(nil)},
		{"cut, and announced so", "EOF", send(doc[:len(doc)/2])},
		{"redirect loop", "redirected", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again?X-Amz-Signature=abc", http.StatusFound)
		}},
	} {
		entries, rev, err := listtest.Load(t.Context(), serve(t, tt.handler), sources.Revision{})
		if entries != nil || !rev.IsZero() || err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "abc") {
			t.Errorf("%s: %d entries, %+v, error %v, want only one with %q", tt.name, len(entries), rev, err, tt.want)
		}
	}
	if _, _, err := listtest.Load(t.Context(), ofac.New(&ofac.Options{URL: "http://127.0.0.1/"}), sources.Revision{}); err == nil {
		t.Error("Load over http: no error")
	}
}

// A download that breaks off is repeated, and adds its entries once.
func TestLoadRepeated(t *testing.T) {
	t.Parallel() // it waits for seconds
	doc := readFile(t, "sdn_advanced_excerpt_2025-03-04.xml.gz")
	var asked atomic.Int32
	src := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.Write(doc[:len(doc)-100])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		io.Copy(w, bytes.NewReader(doc))
	})
	entries, _, err := listtest.Load(t.Context(), src, sources.Revision{})
	if len(entries) != 717 || err != nil || asked.Load() != 2 {
		t.Errorf("Load: %d entries, %v, after %d requests, want 717 after 2", len(entries), err, asked.Load())
	}
}
