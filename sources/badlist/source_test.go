package badlist_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// serve returns options for a list that h serves.
func serve(t *testing.T, h http.HandlerFunc) *badlist.Options {
	t.Helper()
	server := httptest.NewTLSServer(h)
	t.Cleanup(server.Close)
	return &badlist.Options{URL: server.URL + "/list", Client: server.Client()}
}

// TestSourceConforms loads the beginning of a list many times, and the long test the whole list.
func TestSourceConforms(t *testing.T) {
	data := readFile(t, darklistFile)
	if !longtest.Enabled() {
		data = strings.Join(strings.SplitN(data, "},", 41)[:40], "},") + "}]\n"
	}
	for name, validator := range map[string]string{"validators": `"1"`, "no validators": ""} {
		t.Run(name, func(t *testing.T) {
			opts := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if validator != "" {
					w.Header().Set("ETag", validator)
				}
				http.ServeContent(w, r, "list", time.Time{}, strings.NewReader(data))
			})
			sourcetest.Run(t, func(*testing.T) sources.Source { return badlist.New(opts) })
		})
	}
}

func TestInfo(t *testing.T) {
	want := sources.Info{
		ID:           "COMMUNITY_BADLIST",
		Name:         "MyEtherWallet darklist",
		Jurisdiction: sources.Community,
		Licence:      "MIT",
		Attribution:  "Copyright (c) 2017 MyEtherWallet",
		Final:        true,
	}
	for _, opts := range []*badlist.Options{nil, {}} {
		if got := badlist.New(opts).Info(); got != want {
			t.Errorf("Info = %+v, want %+v", got, want)
		}
	}
	own := sources.Info{ID: "OWN_LIST", Name: "Our own", Jurisdiction: sources.Community}
	if got := badlist.New(&badlist.Options{Info: own}).Info(); got != own {
		t.Errorf("Info = %+v, want that of the options, %+v", got, own)
	}
}

// TestDefaultURL checks the URL that is requested by default.
func TestDefaultURL(t *testing.T) {
	var asked string
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.String()
		return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Request: r}, nil
	})}
	if _, _, err := listtest.Load(t.Context(), badlist.New(&badlist.Options{Client: client}), sources.Revision{}); err == nil {
		t.Error("no error for an answer of status 404")
	}
	if want := "https://raw.githubusercontent.com/MyEtherWallet/ethereum-lists/master/src/addresses/addresses-darklist.json"; asked != want {
		t.Errorf("asked for %s, want %s", asked, want)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestUnchanged(t *testing.T) {
	var etag, body atomic.Value
	etag.Store(`"1"`)
	body.Store(lazarus + "\n")
	opts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag.Load().(string))
		http.ServeContent(w, r, "list", time.Time{}, strings.NewReader(body.Load().(string)))
	})
	src := badlist.New(opts)
	_, first, err := listtest.Load(t.Context(), src, sources.Revision{})
	if err != nil || !strings.HasPrefix(first.ETag, `"1" `) {
		t.Fatalf("the first Load: %+v, %v, want the ETag \"1\"", first, err)
	}

	held := first
	held.Published = date(2018, 11, 6)
	held.Checked = held.Published // as of a bundled list
	want := first
	want.Published = held.Published
	entries, rev, err := listtest.Load(t.Context(), src, held)
	if !errors.Is(err, sources.ErrUnchanged) || entries != nil || rev != want {
		t.Errorf("status 304: %+v, %+v, %v, want %+v, checked now, and ErrUnchanged", entries, rev, err, want)
	}

	etag.Store(`"2"`)
	want.ETag = strings.Replace(want.ETag, "1", "2", 1)
	entries, rev, err = listtest.Load(t.Context(), src, held)
	if !errors.Is(err, sources.ErrUnchanged) || entries != nil || rev != want {
		t.Errorf("the same bytes: %+v, %+v, %v, want %+v, checked now, and ErrUnchanged", entries, rev, err, want)
	}

	etag.Store(`"3"`)
	body.Store(lazarus + "\n" + genesis + "\n")
	entries, rev, err = listtest.Load(t.Context(), src, held)
	if err != nil || len(entries) != 2 || rev.Digest == first.Digest || !strings.HasPrefix(rev.ETag, `"3" `) {
		t.Errorf("another list: %+v, %+v, %v, want two entries and another digest", entries, rev, err)
	}

	etag.Store(`"4"`)
	body.Store("404: Not Found")
	if entries, rev, err = listtest.Load(t.Context(), src, held); err == nil || entries != nil || !rev.IsZero() {
		t.Errorf("no list: %+v, %+v, %v, want an error and nothing else", entries, rev, err)
	}
}

// TestBrokenOff checks that a download that breaks off adds nothing, and that
// the next attempt does not add entries twice. It uses a fake clock, because
// there is a pause between the two.
func TestBrokenOff(t *testing.T) {
	data := readFile(t, darklistFile)
	want, _, err := parse(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			var body io.Reader = strings.NewReader(data)
			if requests++; requests == 1 {
				body = io.MultiReader(strings.NewReader(data[:len(data)/2]), iotest.ErrReader(syscall.ECONNRESET))
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body), ContentLength: int64(len(data)), Request: r}, nil
		})}
		got, rev, err := listtest.Load(t.Context(), badlist.New(&badlist.Options{Client: client}), sources.Revision{})
		if err != nil || !slices.Equal(got, want) || rev.Records != len(want) {
			t.Errorf("Load gave %d entries, %+v, %v, want %d", len(got), rev, err, len(want))
		}
		if requests != 2 {
			t.Errorf("%d requests, want 2", requests)
		}
	})
}

// TestOtherKind loads a list again, unchanged, after its user has chosen another kind for it.
func TestOtherKind(t *testing.T) {
	asked := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; r.Header.Get("If-None-Match") != "" && r.Header.Get("If-None-Match") != `"v1"` {
			t.Errorf("If-None-Match: %s", r.Header.Get("If-None-Match"))
		}
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("address\n0x098b716b8aaf21512996dc57eb0615e2383e2f96\n"))
	}))
	defer server.Close()
	var rev sources.Revision
	for i, tt := range []struct {
		kind score.Kind
		want string
	}{{"", "COMMUNITY_REPORT"}, {"", "unchanged"}, {score.Scam, "SCAM"}, {score.Scam, "unchanged"}, {score.Phishing, "PHISHING"}, {"", "COMMUNITY_REPORT"}} {
		src := badlist.New(&badlist.Options{URL: server.URL, Client: server.Client(), Kind: tt.kind})
		entries, next, err := listtest.Load(t.Context(), src, rev)
		got := "unchanged"
		if err == nil && len(entries) == 1 {
			got = string(entries[0].Kind)
		} else if !errors.Is(err, sources.ErrUnchanged) {
			t.Fatal(err)
		}
		if got != tt.want || asked != i+1 {
			t.Errorf("load %d: %s in %d requests, want %s", i, got, asked, tt.want)
		}
		rev = next
	}
}
