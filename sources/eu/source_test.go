package eu_test

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

const (
	listPath = "/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content"
	feedPath = "/fsd/fsf/public/rss"
)

// A commission is a server of the list and of the feed. It returns 404 for an
// empty one.
type commission struct {
	*httptest.Server
	mu             sync.Mutex
	list, feed     string
	asked          []string // request lines
	etag, modified string
}

func newCommission(t *testing.T, list, feed string) *commission {
	c := &commission{list: list, feed: feed}
	c.Server = httptest.NewTLSServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *commission) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, r.URL.RequestURI())
	if strings.Contains(r.Header.Get("If-None-Match"), "rss:") {
		c.asked = append(c.asked, "a checksum of the feed in If-None-Match")
	}
	switch {
	case r.URL.Path == listPath && c.list != "":
		if c.etag != "" {
			w.Header().Set("ETag", c.etag)
		}
		modified, _ := http.ParseTime(c.modified)
		http.ServeContent(w, r, "", modified, strings.NewReader(c.list))
	case r.URL.Path == feedPath && c.feed != "":
		io.WriteString(w, c.feed)
	default:
		http.NotFound(w, r)
	}
}

// requests returns the requests since the last call.
func (c *commission) requests() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.asked
	c.asked = nil
	return asked
}

func (c *commission) set(list, feed string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list, c.feed = list, feed
}

// source returns a source that downloads from c.
func (c *commission) source() sources.Source {
	return eu.New(&eu.Options{URL: c.URL + listPath, Client: c.Client()})
}

// feed is a feed in which the list has a guid and a date.
func feed(guid, date string) string {
	const item = `<item><title>%s</title><link>https://webgate.ec.europa.eu/fsd/fsf/public/files/%s/content?token=abc</link>` +
		`<enclosure url="https://webgate.ec.europa.eu/fsd/fsf/public/files/%[2]s/content?token=abc" type="%s" length="26000000"/>` +
		`<guid isPermaLink="false">%s</guid><pubDate>%s</pubDate></item>`
	return `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Financial Sanctions Files</title>` +
		fmt.Sprintf(item, "CSV - v1.1", "csvFullSanctionsList_1_1", "text/csv", strings.Repeat("c", 40), date) +
		fmt.Sprintf(item, "XML (Based on XSD) - v1.1", "xmlFullSanctionsList_1_1", "application/xml", guid, date) +
		fmt.Sprintf(item, "XML (Based on XSD) - v1.0", "xmlFullSanctionsList", "application/xml", strings.Repeat("d", 40), date) +
		`</channel></rss>`
}

func sha1Of(doc string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(doc))) }

func TestSource(t *testing.T) {
	// A day in the past, whatever the clock of the machine shows.
	doc := strings.Replace(listtest.ReadFile(t, excerpt+".xml"), "2026-09-22T20", "2024-09-22T20", 1)
	for name, tt := range map[string]struct{ doc, feed, etag string }{
		"XML with a feed":       {doc, feed(sha1Of(doc), "Sun, 22 Sep 2024 20:01:34 +0200"), ""},
		"XML without a feed":    {doc, "", ""},
		"XML with validators":   {doc, "", `"1"`},
		"XML with a dumb feed":  {doc, feed("https://example.org/", "today"), ""},
		"XML with a wrong feed": {doc, "<html>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCommission(t, tt.doc, tt.feed)
			c.etag = tt.etag
			sourcetest.Run(t, func(*testing.T) sources.Source { return c.source() })
		})
	}
}

func TestInfo(t *testing.T) {
	info := eu.New(nil).Info()
	if err := info.Validate(); err != nil || info.ID != "EU_CONSOLIDATED" || info.Jurisdiction != sources.EU {
		t.Errorf("Info = %+v, %v, want EU_CONSOLIDATED of the EU", info, err)
	}
	for _, want := range []string{"© European Union", "Official Journal", "authentic"} {
		if !strings.Contains(info.Attribution, want) {
			t.Errorf("Attribution = %q, want %q in it", info.Attribution, want)
		}
	}
}

// The feed shows that the list has not changed, so it is not downloaded.
func TestFeed(t *testing.T) {
	doc := listtest.ReadFile(t, excerpt+".xml")
	later := strings.Replace(doc, "2026-09-22T20:01", "2026-09-23T20:01", 1)
	other := strings.Replace(later, "Garantex", "Garantey", 1)
	c := newCommission(t, doc, feed("sha1:"+strings.ToUpper(sha1Of(doc)), "Tue, 22 Sep 2026 20:01:34 +0200"))
	src := c.source()
	step := func(name string, prev sources.Revision, wantErr error, wantFetch bool) sources.Revision {
		t.Helper()
		entries, rev, err := listtest.Load(t.Context(), src, prev)
		if !errors.Is(err, wantErr) || wantErr == nil && (err != nil || len(entries) != 6) || wantErr != nil && entries != nil {
			t.Fatalf("%s: %d entries, error %v, want %v", name, len(entries), err, wantErr)
		}
		want := []string{feedPath}
		if wantFetch {
			want = append(want, listPath)
		}
		if got := c.requests(); !slices.Equal(got, want) {
			t.Errorf("%s: requests %q, want %q", name, got, want)
		}
		if !rev.Checked.IsZero() {
			t.Errorf("%s: checked at %v, want now", name, rev.Checked)
		}
		return rev
	}
	first := step("the first time", sources.Revision{}, nil, true)
	if !strings.HasSuffix(first.ETag, " rss:"+sha1Of(doc)) {
		t.Errorf("ETag %q, want the checksum of the feed", first.ETag)
	}
	held := first
	held.Checked = first.Published
	if rev := step("the same checksum", held, sources.ErrUnchanged, false); rev != first {
		t.Errorf("the same checksum: revision %+v, want %+v", rev, first)
	}
	validators, _, _ := strings.Cut(first.ETag, " rss:")
	step("nothing held", sources.Revision{ETag: first.ETag}, nil, true)
	step("another list held", sources.Revision{Digest: strings.Repeat("0", 64), ETag: validators + " rss:" + sha1Of(other)}, nil, true)
	step("read in another way", sources.Revision{Digest: first.Digest, ETag: " of 0 rss:" + sha1Of(doc)}, nil, true)

	// The list was regenerated: only the attributes of the root differ.
	c.set(later, feed(sha1Of(later), "Wed, 23 Sep 2026 18:01:34 GMT"))
	second := step("an equal list, regenerated", held, sources.ErrUnchanged, true)
	if !strings.HasSuffix(second.ETag, " rss:"+sha1Of(later)) || second.Digest != first.Digest || !second.Published.After(first.Published) {
		t.Errorf("an equal list: revision %+v, want the new checksum and date, and the digest of %+v", second, first)
	}
	step("the new checksum", second, sources.ErrUnchanged, false)

	// Another list.
	c.set(other, feed(sha1Of(other), "Wed, 23 Sep 2026 18:01:34 GMT"))
	if rev := step("another list", second, nil, true); rev.Digest == second.Digest {
		t.Error("another list has the same digest")
	}

	// The feed is ahead of the file: the old file must not count as the new one.
	c.set(doc, feed(sha1Of(other), "Wed, 23 Sep 2026 18:01:34 GMT"))
	behind := step("a file that is behind", sources.Revision{}, nil, true)
	if strings.Contains(behind.ETag, "rss:") {
		t.Errorf("a file that is behind: ETag %q, want no checksum", behind.ETag)
	}
	c.set(other, feed(sha1Of(other), "Wed, 23 Sep 2026 18:01:34 GMT"))
	step("the file has followed", behind, nil, true)

	// The file has another checksum, but was generated after the feed.
	c.set(other, feed(strings.Repeat("a", 40), "Wed, 23 Sep 2026 18:01:34 GMT"))
	if rev := step("a later file", sources.Revision{}, nil, true); !strings.HasSuffix(rev.ETag, " rss:"+strings.Repeat("a", 40)) {
		t.Errorf("a later file: ETag %q, want the checksum of the feed", rev.ETag)
	}
}

// A feed without reliable information is ignored.
func TestFeedIgnored(t *testing.T) {
	doc := listtest.ReadFile(t, excerpt+".xml")
	const date = "Tue, 22 Sep 2026 18:01:34 GMT"
	sum := sha1Of(doc)
	for name, text := range map[string]string{
		"none":             "",
		"HTML":             "<!DOCTYPE html><html></html>",
		"cut":              strings.TrimSuffix(feed(sum, date), "</rss>"),
		"no checksum":      feed("https://webgate.ec.europa.eu/fsd/fsf", date),
		"an empty guid":    feed("", date),
		"too short":        feed(sum[1:], date),
		"too long":         feed(sum+"0", date),
		"two checksums":    feed(sum+" "+strings.Repeat("b", 40), date),
		"another file":     strings.ReplaceAll(feed(sum, date), "files/xmlFullSanctionsList_1_1/", "files/xmlFullSanctionsList_1_2/"),
		"twice, different": strings.ReplaceAll(feed(sum, date), "files/xmlFullSanctionsList/", "files/xmlFullSanctionsList_1_1/"),
		"no pubDate":       feed(strings.Repeat("a", 40), ""),
		"pubDate of words": feed(strings.Repeat("a", 40), "today"),
		"pubDate later":    feed(strings.Repeat("a", 40), "Tue, 22 Sep 2026 20:01:35 +0200"),
		"markup":           feed("<b>"+sum+"</b>", date),
		"large":            feed(sum, date+strings.Repeat(" ", 2<<20)),
	} {
		c := newCommission(t, doc, text)
		entries, rev, err := listtest.Load(t.Context(), c.source(), sources.Revision{})
		if len(entries) != 6 || err != nil || strings.Contains(rev.ETag, "rss:") {
			t.Errorf("%s: %d entries, ETag %q, %v, want 6 and no checksum", name, len(entries), rev.ETag, err)
		}
		_, _, err = listtest.Load(t.Context(), c.source(), rev)
		if got := c.requests(); !errors.Is(err, sources.ErrUnchanged) || !slices.Contains(got[2:], listPath) {
			t.Errorf("%s: the second Load: %v, requests %q, want ErrUnchanged by the list itself", name, err, got)
		}
	}
}

// HTTP validators are used, and not confused with the validators of the
// feed.
func TestValidators(t *testing.T) {
	doc := listtest.ReadFile(t, excerpt+".xml")
	c := newCommission(t, doc, "")
	c.etag, c.modified = `"1"`, "Tue, 22 Sep 2026 20:00:00 GMT"
	src := c.source()
	_, rev, err := listtest.Load(t.Context(), src, sources.Revision{})
	if err != nil || !strings.HasPrefix(rev.ETag, c.etag+" ") || rev.LastModified != c.modified {
		t.Fatalf("Load: %+v, %v, want the validators", rev, err)
	}
	c.set("changed, but not said so", "")
	held := rev
	held.Checked = rev.Published
	entries, again, err := listtest.Load(t.Context(), src, held)
	if entries != nil || again != rev || !errors.Is(err, sources.ErrUnchanged) {
		t.Errorf("Load with validators: %+v, %v, want ErrUnchanged and %+v", again, err, rev)
	}
	// A digest without validators, and validators without a digest.
	c.set(doc, "")
	if entries, _, err := listtest.Load(t.Context(), src, sources.Revision{ETag: c.etag}); len(entries) != 6 || err != nil {
		t.Errorf("Load without a list held: %d entries, %v, want all", len(entries), err)
	}
}

// Which requests contain the token, and which do not.
func TestToken(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.String())
		return &http.Response{StatusCode: http.StatusGone, Body: http.NoBody, Request: r}, nil
	})}
	const (
		list = "https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content"
		feed = "https://webgate.ec.europa.eu/fsd/fsf/public/rss"
	)
	for _, tt := range []struct {
		opts eu.Options
		want []string
	}{
		{eu.Options{}, []string{feed, list + "?token=dG9rZW4tMjAxNw"}},
		{eu.Options{URL: list + "?token=n00+a%26b"}, []string{feed, list + "?token=n00+a%26b"}},
		{eu.Options{URL: "https://example.org/list.xml"}, []string{"https://example.org/list.xml"}},
		{eu.Options{URL: "https://example.org/eu/files/xmlFullSanctionsList_1_1/content?a=b&token=c"}, []string{"https://example.org/eu/rss",
			"https://example.org/eu/files/xmlFullSanctionsList_1_1/content?a=b&token=c"}},
	} {
		asked = nil
		tt.opts.Client = client
		_, _, err := listtest.Load(t.Context(), eu.New(&tt.opts), sources.Revision{})
		if !slices.Equal(asked, tt.want) {
			t.Errorf("%+v: requests %q, want %q", tt.opts, asked, tt.want)
		}
		if err == nil || strings.Contains(err.Error(), "token") || !strings.Contains(err.Error(), "410") {
			t.Errorf("%+v: error %v, want one with the status and without the token", tt.opts, err)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A misbehaving server causes an error that does not contain the token, and
// adds no entry.
func TestLoadBroken(t *testing.T) {
	doc := listtest.ReadFile(t, excerpt+".xml")
	send := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) }
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	for _, tt := range []struct {
		name, want string
		handler    http.HandlerFunc
	}{
		{"404", "404", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) }},
		{"HTML", "HTML", send("<!DOCTYPE html><html><body>EU Login</body></html>")},
		{"redirect to EU Login", "login page of ecas.ec.europa.eu",
			redirect("https://ecas.ec.europa.eu/cas/login?service=https%3A%2F%2Fwebgate.ec.europa.eu%2F%3Ftoken%3Dsecret")},
		{"redirect to another login", "login page of webgate.invalid", redirect("https://webgate.invalid/cas/oauth2?token=secret")},
		{"empty", "EOF", send("")},
		{"error document", "<Error>", send("<Error>token=x</Error>")},
		{"cut, and announced so", "EOF", send(doc[:len(doc)/2])},
		{"redirect loop", "redirected", redirect("/again")},
	} {
		server := httptest.NewTLSServer(tt.handler)
		src := eu.New(&eu.Options{URL: server.URL + listPath + "?token=secret", Client: server.Client()})
		entries, rev, err := listtest.Load(t.Context(), src, sources.Revision{})
		if entries != nil || !rev.IsZero() || err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %d entries, %+v, error %v, want only one with %q", tt.name, len(entries), rev, err, tt.want)
		}
		server.Close()
	}
	if _, _, err := listtest.Load(t.Context(), eu.New(&eu.Options{URL: "http://127.0.0.1/"}), sources.Revision{}); err == nil {
		t.Error("Load over http: no error")
	}
}

// The redirect policy of the client also applies, and the client is not
// changed.
func TestClient(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer server.Close()
	client := server.Client()
	var asked atomic.Int32
	client.CheckRedirect = func(*http.Request, []*http.Request) error { asked.Add(1); return http.ErrUseLastResponse }
	_, _, err := listtest.Load(t.Context(), eu.New(&eu.Options{URL: server.URL, Client: client}), sources.Revision{})
	if err == nil || !strings.Contains(err.Error(), "302") || asked.Load() != 1 {
		t.Errorf("Load: %v after %d questions, want status 302 after one", err, asked.Load())
	}
	asked.Store(0)
	if resp, err := client.Get(server.URL); err != nil || resp.StatusCode != http.StatusFound || asked.Load() != 1 {
		t.Errorf("the client was changed: %v, %d questions", err, asked.Load())
	} else {
		resp.Body.Close()
	}
}

// A download that breaks off or that the server fails to generate is repeated,
// and adds its entries once.
func TestLoadRepeated(t *testing.T) {
	t.Parallel() // it waits for seconds
	doc := listtest.ReadFile(t, excerpt+".xml")
	var asked atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) {
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
		case 2:
			io.WriteString(w, doc[:len(doc)-100])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		default:
			io.WriteString(w, doc)
		}
	}))
	defer server.Close()
	src := eu.New(&eu.Options{URL: server.URL, Client: server.Client()})
	entries, _, err := listtest.Load(t.Context(), src, sources.Revision{})
	if len(entries) != 6 || err != nil || asked.Load() != 3 {
		t.Errorf("Load: %d entries, %v, after %d requests, want 6 after 3", len(entries), err, asked.Load())
	}
}

// A feed that does not respond in time delays a caller only until its context
// ends.
func TestCancelledInFeed(t *testing.T) {
	done := make(chan struct{})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-done }))
	defer server.Close()
	defer close(done)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	src := eu.New(&eu.Options{URL: server.URL + listPath, Client: server.Client()})
	if _, _, err := listtest.Load(ctx, src, sources.Revision{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Load: %v, want %v", err, context.DeadlineExceeded)
	}
}
