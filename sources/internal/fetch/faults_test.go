package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/pipenet"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/opensanctions"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// serve returns a client that sends all requests to a server of h, except plain http.
func serveList(t *testing.T, h http.Handler) *http.Client {
	t.Helper()
	transport := pipenet.Serve(t, &http.Server{Handler: h}).Transport(t)
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("http, not https") }
	return &http.Client{Transport: transport}
}

// handler serves the list of n accounts.
func (p published) handler(n int) http.Handler {
	if p.serve != nil {
		return p.serve(n)
	}
	files := p.files(n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(file))
	})
}

// body returns the body of the response of next.
func body(next http.Handler, r *http.Request) []byte {
	w := httptest.NewRecorder()
	next.ServeHTTP(w, r)
	return w.Body.Bytes()
}

func answerStatus(code int, field, value string) fault {
	return func(_ http.Handler, w http.ResponseWriter, r *http.Request) {
		if field != "" {
			w.Header().Set(field, value)
		}
		w.WriteHeader(code)
	}
}

func instead(text string) fault {
	return func(_ http.Handler, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, text)
	}
}

// raw responds with status 200, these fields, and the transformed body.
func raw(fields func(whole []byte) string, of func(whole []byte) []byte) fault {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		whole := body(next, r)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err) // of HTTP/1.1
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%s\r\n", fields(whole))
		conn.Write(of(whole))
	}
}

func gzipped(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

// within returns an index in the middle of b and of one of its lines.
func within(b []byte) int {
	n := len(b) / 2
	for n > 1 && (b[n-1] == '\n' || b[n-1] == '\r') {
		n--
	}
	return n
}

// A fault responds to a request in place of next.
type fault func(next http.Handler, w http.ResponseWriter, r *http.Request)

// faults are faults of servers. If a fault is temporary and has ended by the third
// request, the list is loaded.
var faults = []struct {
	name   string
	passes bool
	fault
}{
	{"403", true, answerStatus(403, "", "")},
	{"408", true, answerStatus(408, "", "")},
	{"429", true, answerStatus(429, "", "")},
	{"429 with Retry-After", true, answerStatus(429, "Retry-After", "30")},
	{"500", true, answerStatus(500, "", "")},
	{"502", true, answerStatus(502, "", "")},
	{"503 with Retry-After", true, answerStatus(503, "Retry-After", "Sat, 01 Jan 2000 00:01:30 GMT")},
	{"404", false, answerStatus(404, "", "")},
	{"410", false, answerStatus(410, "", "")},
	{"204", false, answerStatus(204, "", "")},
	{"304 of nothing that is held", false, answerStatus(304, "", "")},
	{"redirects in a circle", false, func(_ http.Handler, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"?X-Amz-Signature=secret", http.StatusFound)
	}},
	{"redirect to http", false, answerStatus(302, "Location", "http://list.example/list")},
	{"no answer", true, func(http.Handler, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	{"stalls before the answer", true, func(_ http.Handler, _ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the server does not see that the client has gone
		<-r.Context().Done()
	}},
	{"stalls in the body", true, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		b := body(next, r)
		w.Write(b[:within(b)])
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}},
	{"resets in the body", true, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		b := body(next, r)
		w.Write(b[:within(b)])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}},
	{"resets behind the body", true, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		w.Write(body(next, r))
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}},
	{"Content-Length too large", true, raw(
		func(whole []byte) string {
			return fmt.Sprintf("Connection: close\r\nContent-Length: %d\r\n", len(whole)+1)
		},
		func(whole []byte) []byte { return whole })},
	{"Content-Length too small", false, raw(
		func(whole []byte) string {
			return fmt.Sprintf("Connection: close\r\nContent-Length: %d\r\n", within(whole))
		},
		func(whole []byte) []byte { return whole })},
	{"Content-Length that is none", true, raw(
		func([]byte) string { return "Content-Length: many\r\n" },
		func(whole []byte) []byte { return whole })},
	{"cut, and announced so", false, raw(
		func(whole []byte) string { return fmt.Sprintf("Content-Length: %d\r\n", within(whole)) },
		func(whole []byte) []byte { return whole[:within(whole)] })},
	{"no length, and cut", false, raw(
		func([]byte) string { return "Connection: close\r\n" },
		func(whole []byte) []byte { return whole[:within(whole)] })},
	{"gzip that is cut", true, raw(
		func(whole []byte) string { return "Connection: close\r\nContent-Encoding: gzip\r\n" },
		func(whole []byte) []byte { z := gzipped(whole); return z[:len(z)-5] })},
	{"gzip that is none", false, raw(
		func(whole []byte) string { return "Connection: close\r\nContent-Encoding: gzip\r\n" },
		func(whole []byte) []byte { return whole })},
	{"gzip bomb", false, raw(
		func([]byte) string { return "Connection: close\r\nContent-Encoding: gzip\r\n" },
		func([]byte) []byte { return bomb })},
	{"an encoding that nobody asked for", false, raw(
		func([]byte) string { return "Connection: close\r\nContent-Encoding: br\r\n" },
		func(whole []byte) []byte { return append([]byte{0x1b}, whole...) })},
	{"no body", false, instead("")},
	{"blanks", false, instead(" \r\n\r\n")},
	{"HTML", false, instead("<!DOCTYPE html>\n<html><head><title>Maintenance</title></head><body>Back soon.<br></body></html>\n")},
	{"a login page", false, instead("<html><body><form action=\"https://ecas.ec.europa.eu/cas/login\"></form></body></html>\n")},
	{
		"an error of S3",
		false,
		instead("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>"),
	},
	{"an error in JSON", false, instead(`{"error":"rate limited","status":429}` + "\n")},
	{"an error in text", false, instead("404: Not Found")},
	{"an empty array", false, instead("[]\n")},
}

// bombSize is the size of what each bomb unpacks to, ten megabytes in the long test.
var bombSize = longtest.N(1<<20, 10<<20)

// bomb are blanks, which are valid in most formats.
var bomb = gzipped(bytes.Repeat([]byte(" \n"), bombSize/2))

// TestFaults serves each list with each fault, temporarily and permanently: the list
// must be loaded whole, or not at all with an error.
func TestFaults(t *testing.T) {
	const n = 30
	for i, list := range lists {
		t.Run(list.name, func(t *testing.T) {
			for j, f := range faults {
				if list.serve != nil && f.name == "another digest" {
					continue // an answer to a question, not a file
				}
				if (i+j)%longtest.N(6, 1) != 0 {
					continue
				}
				synctest.Test(t, func(t *testing.T) {
					for _, times := range []int{2, 1 << 30} {
						next := list.handler(n)
						var left atomic.Int64
						left.Store(int64(times))
						client := serveList(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							if left.Add(-1) >= 0 {
								f.fault(next, w, r)
								return
							}
							next.ServeHTTP(w, r)
						}))
						entries, rev, err := listtest.Load(t.Context(), list.source(client), sources.Revision{})
						switch {
						case err != nil && (entries != nil || !rev.IsZero()):
							t.Errorf("%s: %d entries, %+v, and the error %v", f.name, len(entries), rev, err)
						case err == nil && times > 2:
							t.Errorf("%s for good: %d entries, want an error", f.name, len(entries))
						case f.passes && times == 2 && list.serve == nil && err != nil:
							t.Errorf("%s twice: error %v, want the list", f.name, err)
						case err == nil && len(entries) != n:
							t.Errorf("%s twice: %d entries, want %d", f.name, len(entries), n)
						}
						if err != nil && strings.Contains(err.Error(), "secret") {
							t.Errorf("%s: the error %v shows a signed address", f.name, err)
						}
					}
				})
			}
		})
	}
}

// waitForPublication waits, in a bubble whose clock starts in the year 2000, until the lists are
// published.
func waitForPublication() { time.Sleep(time.Until(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))) }

// TestShrunk shrinks each list by half: the previous list must stay, and its entries
// must be found.
func TestShrunk(t *testing.T) {
	n := longtest.N(120, 200)
	for _, list := range lists {
		t.Run(list.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := list.handler(n)
				client := serveList(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) }))
				// Each load uses a new source, because the sources of chains only read new events.
				l := &latest{source: func() sources.Source { return list.source(client) }}
				waitForPublication()
				s, err := screening.New([]sources.Source{l}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				before := s.Sources()[0]
				time.Sleep(time.Hour)
				h = list.handler(n / 2)
				if _, err := s.Refresh(t.Context()); !errors.Is(err, screening.ErrShrunk) {
					t.Errorf("error %v, want %v", err, screening.ErrShrunk)
				}
				if st := s.Sources()[0]; st.Addresses != n || st.LastUpdated != before.LastUpdated || st.Digest != before.Digest {
					t.Errorf("%+v, want the list of before, as old as it was, %+v", st, before)
				}
				if r, err := s.ScreenText("ethereum", account(3*n/4)); list.name != "USDT on Tron" && (err != nil || r.Score == 0) {
					t.Errorf("an account that is gone from the list: %+v, %v, want it listed", r, err)
				}
			})
		})
	}
}

// latest is a source that starts from scratch with each Load.
type latest struct{ source func() sources.Source }

func (l *latest) Info() sources.Info { return l.source().Info() }

func (l *latest) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return l.source().Load(ctx, prev, add)
}

// TestAllowHTTP checks that no source uses http without AllowHTTP.
func TestAllowHTTP(t *testing.T) {
	asked := false
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = true
		return nil, errors.New("down")
	})}
	const list = "http://list.example/list"
	for _, allow := range []bool{false, true} {
		for _, src := range []sources.Source{
			ofac.New(&ofac.Options{URL: list, Client: client, AllowHTTP: allow}),
			eu.New(&eu.Options{URL: list, Client: client, AllowHTTP: allow}),
			uk.New(&uk.Options{URL: list, Client: client, AllowHTTP: allow}),
			badlist.New(&badlist.Options{URL: list, Client: client, AllowHTTP: allow}),
			opensanctions.New(&opensanctions.Options{Dataset: "x", URL: list, Client: client, AllowHTTP: allow}),
			stablecoin.Frozen("USDT", map[address.Chain]string{"ethereum": list}, &stablecoin.Options{Client: client, AllowHTTP: allow}),
			stablecoin.Frozen("USDT", map[address.Chain]string{"tron": list}, &stablecoin.Options{Client: client, AllowHTTP: allow}),
		} {
			synctest.Test(t, func(t *testing.T) {
				asked = false
				if _, _, err := listtest.Load(t.Context(), src, sources.Revision{}); err == nil || asked != allow {
					t.Errorf("%s, AllowHTTP: %v: error %v, asked: %v", src.Info().ID, allow, err, asked)
				}
			})
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestListProgress checks that each source reports the bytes that it downloads: for a
// file, with its length as the total; for other answers, as a growing count without a
// total.
func TestListProgress(t *testing.T) {
	n := longtest.N(200, 1000)
	for _, list := range lists {
		synctest.Test(t, func(t *testing.T) {
			var read, total, unknown int64
			var seen []int64
			src := list.source(serveList(t, list.handler(n)))
			ctx := sources.WithProgress(t.Context(), func(r, all int64) {
				if all < 0 {
					if unknown++; r < read {
						t.Errorf("%s: %d bytes after %d", list.name, r, read)
					}
				}
				if read, total = r, all; r == all {
					seen = append(seen, all)
				}
			})
			if _, _, err := listtest.Load(ctx, src, sources.Revision{}); err != nil {
				t.Fatalf("%s: %v", list.name, err)
			}
			if list.serve != nil {
				if read < 1000 || unknown == 0 {
					t.Errorf("%s: told at last of %d bytes", list.name, read)
				}
				return
			}
			if size := int64(len(list.files(n)["/list"])); read == 0 || read != total || !slices.Contains(seen, size) {
				t.Errorf("%s: told at last of %d of %d bytes, and of bodies of %v, want one of %d", list.name, read, total, seen, size)
			}
		})
	}
}

// TestTruncated cuts each list at every byte. Only a list in a format without an end
// mark, cut between two lines, may be accepted.
func TestTruncated(t *testing.T) {
	for _, list := range lists {
		if list.parse == nil {
			continue // two files, or none
		}
		doc := list.files(3)["/list"]
		if _, err := list.parse(strings.NewReader(doc), func(sources.Entry) error { return nil }); err != nil {
			t.Errorf("%s, whole: %v", list.name, err)
		}
		for n := 0; n < len(strings.TrimRight(doc, " \r\n")); n += longtest.Step(11, 1) {
			if list.open && n > 0 && doc[n-1] == '\n' {
				continue
			}
			if rev, err := list.parse(strings.NewReader(doc[:n]), func(sources.Entry) error { return nil }); err == nil {
				t.Errorf("%s, cut at %d of %d bytes: %+v, no error\n%q", list.name, n, len(doc), rev, doc[:n])
				break
			}
		}
	}
}
