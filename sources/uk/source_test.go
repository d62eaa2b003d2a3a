package uk_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// serve returns a source that downloads from the handler.
func serve(t *testing.T, h http.HandlerFunc) sources.Source {
	t.Helper()
	server := httptest.NewTLSServer(h)
	t.Cleanup(server.Close)
	return uk.New(&uk.Options{URL: server.URL + "/docs/UK-Sanctions-List.xml", Client: server.Client()})
}

func TestSource(t *testing.T) {
	// A day in the past, whatever the clock of the machine shows.
	doc := strings.Replace(listtest.ReadFile(t, excerpt+".xml"), "21/09/2026", "21/09/2024", 1)
	for name, tt := range map[string]struct{ doc, etag string }{
		"XML": {doc, ""}, "XML with validators": {doc, `"1"`},
	} {
		t.Run(name, func(t *testing.T) {
			src := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if tt.etag != "" {
					w.Header().Set("ETag", tt.etag)
				}
				http.ServeContent(w, r, "", time.Time{}, strings.NewReader(tt.doc))
			})
			sourcetest.Run(t, func(*testing.T) sources.Source { return src })
		})
	}
}

func TestInfo(t *testing.T) {
	info := uk.New(nil).Info()
	if err := info.Validate(); err != nil || info.ID != "UK_CONSOLIDATED" || info.Jurisdiction != sources.UK {
		t.Errorf("Info = %+v, %v, want UK_CONSOLIDATED of the UK", info, err)
	}
	if !strings.Contains(info.Attribution, "Contains public sector information licensed under the Open Government Licence v3.0.") {
		t.Errorf("Attribution = %q, want the sentence of the licence", info.Attribution)
	}
}

func TestLoad(t *testing.T) {
	doc := listtest.ReadFile(t, excerpt+".xml")
	const modified = "Mon, 21 Sep 2026 15:00:00 GMT"
	var etag atomic.Value
	etag.Store("")
	var bodies atomic.Int32
	src := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if ua := r.UserAgent(); len(ua) < 40 || !strings.HasPrefix(ua, "Mozilla/5.0 ") {
			t.Errorf("User-Agent %q, want the default", ua)
		}
		if v := etag.Load().(string); v != "" {
			w.Header().Set("ETag", v)
			w.Header().Set("Last-Modified", modified)
			if r.Header.Get("If-None-Match") == v && r.Header.Get("If-Modified-Since") == modified {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		bodies.Add(1)
		io.WriteString(w, doc)
	})
	ctx := t.Context()
	entries, rev, err := listtest.Load(ctx, src, sources.Revision{})
	if len(entries) != 16 || err != nil || rev.Records != 4 || strings.Contains(rev.ETag, `"`) {
		t.Fatalf("Load: %d entries, %+v, %v, want 16 of 4 records", len(entries), rev, err)
	}

	// Without validators, the list is fetched again and found to be equal.
	held := rev
	held.Checked = rev.Published
	again, next, err := listtest.Load(ctx, src, held)
	if again != nil || next != rev || !errors.Is(err, sources.ErrUnchanged) || bodies.Load() != 2 {
		t.Errorf("Load of an equal list: %d entries, %+v, %v, %d bodies, want ErrUnchanged", len(again), next, err, bodies.Load())
	}

	// With validators, it is not fetched.
	etag.Store(`"a"`)
	_, rev, _ = listtest.Load(ctx, src, held)
	if !strings.HasPrefix(rev.ETag, `"a" `) || rev.LastModified != modified {
		t.Errorf("Load: revision %+v, want the validators", rev)
	}
	rev.Checked = rev.Published
	again, next, err = listtest.Load(ctx, src, rev)
	rev.Checked = time.Time{}
	if again != nil || next != rev || !errors.Is(err, sources.ErrUnchanged) || bodies.Load() != 3 {
		t.Errorf("Load of an unmodified list: %d entries, %+v, %v, %d bodies, want ErrUnchanged", len(again), next, err, bodies.Load())
	}

	// Validators without a digest are ignored.
	again, _, err = listtest.Load(ctx, src, sources.Revision{ETag: `"a"`, LastModified: modified})
	if !slices.Equal(again, entries) || err != nil {
		t.Errorf("Load without a list held: %d entries, %v, want all", len(again), err)
	}
}

func TestOptions(t *testing.T) {
	if _, _, err := listtest.Load(t.Context(), uk.New(&uk.Options{URL: "http://127.0.0.1/"}), sources.Revision{}); err == nil {
		t.Error("Load over http: no error")
	}
}

// A misbehaving server causes an error and adds no entry.
func TestLoadBroken(t *testing.T) {
	doc := listtest.ReadFile(t, excerpt+".xml")
	send := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }
	}
	for _, tt := range []struct {
		name, want string
		handler    http.HandlerFunc
	}{
		{"404", "404", http.NotFound},
		{"HTML", "HTML", send("<!DOCTYPE html><html><body>Maintenance</body></html>")},
		{"redirect to a page", "login page", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/login" {
				io.WriteString(w, "<html><body>Sign in</body></html>")
				return
			}
			http.Redirect(w, r, "/login", http.StatusFound)
		}},
		{"empty", "EOF", send("")},
		{"cut, and announced so", "EOF", send(doc[:len(doc)/2])},
		{"the list of OFSI", "closed on 28 January 2026", send(listtest.ReadFile(t, retired))},
	} {
		entries, rev, err := listtest.Load(t.Context(), serve(t, tt.handler), sources.Revision{})
		if entries != nil || !rev.IsZero() || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %d entries, %+v, error %v, want only one with %q", tt.name, len(entries), rev, err, tt.want)
		}
	}
}

// A download that breaks off is repeated, and adds its entries once.
func TestLoadRepeated(t *testing.T) {
	t.Parallel() // it waits for seconds
	doc := listtest.ReadFile(t, excerpt+".xml")
	var asked atomic.Int32
	src := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			io.WriteString(w, doc[:20000])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, doc)
	})
	entries, _, err := listtest.Load(t.Context(), src, sources.Revision{})
	if len(entries) != 16 || err != nil || asked.Load() != 2 {
		t.Errorf("Load: %d entries, %v, after %d requests, want 16 after 2", len(entries), err, asked.Load())
	}
}
