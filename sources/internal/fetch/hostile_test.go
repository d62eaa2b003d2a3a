package fetch_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// An outcome is what may become of a list that is held, if its server misbehaves.
type outcome int

const (
	// refused: the load fails, and the list that is held stays as it is and as old as
	// it was.
	refused outcome = iota
	// confirmed: the server has sent the list that is held, or confirmed it.
	confirmed
	// late: refused, or confirmed if all of the list came before the load took too long.
	late
)

// A hostility is a fault of a server, for good, while a list is held.
type hostility struct {
	name  string
	want  outcome
	fault fault
}

const (
	heldTag  = `"held"`
	heldDate = "Tue, 01 Sep 2026 10:00:00 GMT"
)

// publisher serves next with validators, and answers 304 if the request has the ETag.
func publisher(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", heldTag)
		w.Header().Set("Last-Modified", heldDate)
		if r.Header.Get("If-None-Match") == heldTag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// document sends another document in place of the list, without an error of HTTP.
func document(change func(whole []byte) []byte, fields ...string) fault {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		b := change(wholeBody(next, r))
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.Write(b)
	}
}

// wholeBody returns the body of next's answer to r without its conditions.
func wholeBody(next http.Handler, r *http.Request) []byte {
	r = r.Clone(r.Context())
	r.Header.Del("If-None-Match")
	r.Header.Del("If-Modified-Since")
	w := httptest.NewRecorder()
	next.ServeHTTP(w, r)
	return w.Body.Bytes()
}

// cutAt sends the part of the list that at returns the end of, in each way in which a
// body may end.
func cutAt(name string, at func(b []byte) int) []hostility {
	head := func(b []byte) []byte { return b[:max(0, min(at(b), len(b)))] }
	return []hostility{
		{name + ", announced so", refused, document(head)},
		{name + ", by the end of the connection", refused, rawOf("Connection: close\r\n", head)},
		{name + ", in chunks", refused, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			for chunk := range chunks(head(wholeBody(next, r)), 100) {
				w.Write(chunk)
				http.NewResponseController(w).Flush()
			}
		}},
		{name + ", in chunks without the last", refused, rawOf("Transfer-Encoding: chunked\r\n", func(b []byte) []byte {
			b = head(b)
			return fmt.Appendf(nil, "%x\r\n%s\r\n", len(b), b)
		})},
		{name + ", compressed", refused, document(func(b []byte) []byte { return gzipped(head(b)) }, "Content-Encoding", "gzip")},
		{name + ", with the ETag that is held", refused, document(head, "ETag", heldTag)},
	}
}

func chunks(b []byte, n int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			m := min(n, len(b))
			if !yield(b[:m]) {
				return
			}
			b = b[m:]
		}
	}
}

// rawOf is raw for the list without conditions.
func rawOf(fields string, of func(whole []byte) []byte) fault {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		b := wholeBody(next, r)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err) // of HTTP/1.1
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%s\r\n", strings.ReplaceAll(fields, "LENGTH", fmt.Sprint(len(b))))
		conn.Write(of(b))
	}
}

// line returns the index behind the n-th part of d of the lines of b.
func lineOf(n, d int) func(b []byte) int {
	return func(b []byte) int {
		at := len(b) * n / d
		if i := bytes.LastIndexByte(b[:at], '\n'); i >= 0 {
			return i + 1
		}
		return at
	}
}

// notModified answers a conditional request with a 304 that has these fields, and
// others as next does.
func notModified(fields ...string) fault {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == "" && r.Header.Get("If-Modified-Since") == "" {
			next.ServeHTTP(w, r)
			return
		}
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(http.StatusNotModified)
	}
}

// always304 answers every request so.
func always304(fields ...string) fault {
	return func(_ http.Handler, w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(http.StatusNotModified)
	}
}

func redirect(to string, code int) fault {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.Host == "elsewhere.example" {
			io.WriteString(w, "<html>You are signed out</html>")
			return
		}
		w.Header().Set("Location", to)
		w.WriteHeader(code)
	}
}

func same(b []byte) []byte { return b }

func zipFile(name string, b []byte) []byte {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	w, _ := z.Create(name)
	w.Write(b)
	z.Close()
	return buf.Bytes()
}

func deflated(b []byte) []byte {
	var buf bytes.Buffer
	w, _ := flate.NewWriter(&buf, 9)
	w.Write(b)
	w.Close()
	return buf.Bytes()
}

func inUTF16(b []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(b))) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

// bombs are bodies of some bytes that unpack to many.
var bombs = map[string][]byte{
	"blanks":           bomb,
	"zeros":            gzipped(make([]byte, bombSize)),
	"a bomb in a bomb": gzipped(bomb),
	"digits":           gzipped(bytes.Repeat([]byte("1"), bombSize)),
	"brackets":         gzipped(bytes.Repeat([]byte("["), bombSize)),
	"elements":         gzipped(bytes.Repeat([]byte("<a>"), bombSize/3)),
	"a ZIP bomb":       zipFile("SDN.XML", make([]byte, bombSize)),
	"ZIP files":        bytes.Repeat(zipFile("a.xml", []byte("<a/>")), 1000),
}

// hostilities are the faults that a server may add to a list that is held. In the short
// test a list that is cut at one place is sent in a third of the ways, others at the next.
var hostilities = func() []hostility {
	all := []hostility{
		{"the list", confirmed, func(next http.Handler, w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) }},
		{"the list, compressed", confirmed, document(gzipped, "Content-Encoding", "gzip")},
		{"the list, as HTML", confirmed, document(same, "Content-Type", "text/html")},

		{"304 with nothing", confirmed, notModified()},
		{"304 with what was sent", confirmed, notModified("ETag", heldTag, "Last-Modified", heldDate)},
		{"304 with a weak ETag", confirmed, notModified("ETag", "W/"+heldTag)},
		{"304 with another ETag, then the list", confirmed, notModified("ETag", `"other"`)},
		{"304 with another date, then the list", confirmed, notModified("Last-Modified", "Tue, 08 Sep 2026 10:00:00 GMT")},
		{"304 with another ETag, for good", refused, always304("ETag", `"other"`)},
		{"304 with another weak ETag, for good", refused, always304("ETag", `W/"other"`)},
		{"304 with an older date, for good", refused, always304("Last-Modified", "Sat, 01 Aug 2026 10:00:00 GMT")},
		{"304 with the ETag and another date, for good", refused, always304("ETag", heldTag, "Last-Modified", "Sat, 01 Aug 2026 10:00:00 GMT")},
		{"304 with another ETag and the date, for good", refused, always304("ETag", `"other"`, "Last-Modified", heldDate)},
		{"304 with an ETag that is none, for good", refused, always304("ETag", "held")},
		{"304 with two ETags, for good", refused, func(_ http.Handler, w http.ResponseWriter, r *http.Request) {
			w.Header()["Etag"] = []string{heldTag, `"other"`}
			w.WriteHeader(http.StatusNotModified)
		}},

		{"a length that is too large", refused, rawOf("Content-Length: 1LENGTH\r\n", same)},
		{"two lengths", refused, rawOf("Content-Length: LENGTH\r\nContent-Length: 7\r\n", same)},
		{"a negative length", refused, rawOf("Content-Length: -1\r\n", same)},
		{"chunks that are none", refused, rawOf("Transfer-Encoding: chunked\r\n", same)},
		{"an unknown transfer encoding", refused, rawOf("Transfer-Encoding: zip\r\n", same)},
		{"a header without end", refused, rawOf("X-Long: "+strings.Repeat("x", 11<<20), same)},

		{"gzip without a header", refused, document(gzipped)},
		{"gzip twice, named once", refused, document(func(b []byte) []byte { return gzipped(gzipped(b)) }, "Content-Encoding", "gzip")},
		{"gzip twice", refused, document(func(b []byte) []byte { return gzipped(gzipped(b)) }, "Content-Encoding", "gzip, gzip")},
		{"deflate", refused, document(deflated, "Content-Encoding", "deflate")},
		{"gzip with a wrong checksum", refused, document(func(b []byte) []byte { z := gzipped(b); z[len(z)-5] ^= 1; return z }, "Content-Encoding", "gzip")},
		{"gzip with garbage behind it", refused, document(func(b []byte) []byte { return append(gzipped(b), "garbage"...) }, "Content-Encoding", "gzip")},
		{"gzip of half, then nothing", refused, document(func(b []byte) []byte { return gzipped(b)[:30] }, "Content-Encoding", "gzip")},
		{"UTF-16", refused, document(inUTF16, "Content-Type", "text/plain; charset=utf-16")},

		{"zeros of the same length", refused, document(func(b []byte) []byte { return make([]byte, len(b)) })},
		{"the second half zeros", refused, document(func(b []byte) []byte { return append(b[:len(b)/2:len(b)/2], make([]byte, len(b)-len(b)/2)...) })},
		{"zeros behind it", refused, document(func(b []byte) []byte { return append(b, make([]byte, 512)...) })},
		{"a page behind it", refused, document(func(b []byte) []byte { return append(b, "<html>Proxy error</html>\n"...) })},
		{"a page before it", refused, document(func(b []byte) []byte { return append([]byte("<html>Welcome</html>\n"), b...) })},
		{"another list", refused, document(func([]byte) []byte { return []byte("[\"" + account(9000) + "\"]\n") })},
		{"the list twice", refused, document(func(b []byte) []byte { return append(b[:len(b):len(b)], b...) })},
		{"the second half alone", refused, document(func(b []byte) []byte { return b[len(b)/2:] })},
		{"a hole in the middle", refused, document(func(b []byte) []byte { return append(b[:len(b)/3:len(b)/3], b[len(b)*2/3:]...) })},
		{"a notice", refused, document(func([]byte) []byte { return []byte("The service is closed for maintenance.\n") })},
		{"an error in JSON with a list", refused, document(func([]byte) []byte { return []byte(`{"error":"quota","result":[]}` + "\n") })},
		{"null", refused, document(func([]byte) []byte { return []byte("null\n") })},
		{"an empty object", refused, document(func([]byte) []byte { return []byte("{}\n") })},
		{"an empty element", refused, document(func([]byte) []byte { return []byte("<a/>\n") })},
		{"an array of nulls", refused, document(func([]byte) []byte { return []byte("[null,null]\n") })},
		{"numbers", refused, document(func([]byte) []byte { return []byte("[1,2,3]\n") })},
		{"deep brackets", refused, document(func([]byte) []byte { return bytes.Repeat([]byte("["), 1<<20) })},
		{"deep elements", refused, document(func([]byte) []byte { return bytes.Repeat([]byte("<a>"), 1<<18) })},
		{"a document type with entities", refused, document(func(b []byte) []byte {
			return append([]byte(`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>`+"\n<x>&b;</x>"), b...)
		})},
		{"one long line", refused, document(func([]byte) []byte { return bytes.Repeat([]byte("x"), 2<<20) })},

		{"a byte each 50 seconds", late, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			for chunk := range chunks(wholeBody(next, r), 1) {
				if _, err := w.Write(chunk); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
				select {
				case <-r.Context().Done():
					return
				case <-time.After(50 * time.Second):
				}
			}
		}},
		{"a stall behind the list", refused, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			w.Write(wholeBody(next, r))
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}},
		{"early hints without end", refused, func(_ http.Handler, w http.ResponseWriter, r *http.Request) {
			for range 100 {
				w.WriteHeader(http.StatusEarlyHints)
			}
		}},

		{"redirect to another host's page", refused, redirect("https://elsewhere.example/", 302)},
		{"redirect to a login", refused, redirect("https://login.elsewhere.example/cas/login", 302)},
		{"redirect to http", refused, redirect("http://elsewhere.example/", 301)},
		{"redirect to a file", refused, redirect("file:///etc/passwd", 302)},
		{"redirect to nowhere", refused, redirect("", 302)},
		{"redirect to no address", refused, redirect("https://%zz/", 302)},
		{"redirect with a 308", refused, redirect("https://elsewhere.example/", 308)},
		{"a choice of places", refused, redirect("https://elsewhere.example/", 300)},
	}
	for _, code := range []int{201, 202, 203, 204, 205, 206, 226, 305, 400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 412, 416, 418, 421, 425, 429,
		451, 500, 501, 503, 507, 520, 599} {
		all = append(all, hostility{fmt.Sprint("status ", code, " with the list"), refused, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			b := wholeBody(next, r)
			w.Header().Set("ETag", heldTag)
			w.WriteHeader(code)
			w.Write(b)
		}})
	}
	cuts := 0
	for name, at := range map[string]func(b []byte) int{
		"cut to nothing":         func([]byte) int { return 0 },
		"cut to a byte":          func([]byte) int { return 1 },
		"cut behind a line":      lineOf(1, 1000000),
		"cut in the first third": lineOf(1, 3),
		"cut behind the middle":  lineOf(1, 2),
		"cut within the middle":  within,
		"cut near the end":       lineOf(95, 100),
		"cut before the last":    func(b []byte) int { return bytes.LastIndexByte(bytes.TrimRight(b, "\r\n\x1a"), '\n') + 1 },
		"cut within the last":    func(b []byte) int { return len(bytes.TrimRight(b, "\r\n\x1a]}> ")) - 3 },
		"cut by the last byte":   func(b []byte) int { return len(bytes.TrimRight(b, " \r\n")) - 1 },
		"cut in the header":      func(b []byte) int { return min(20, len(b)/4) },
	} {
		for _, way := range cutAt(name, at) {
			if cuts++; cuts%longtest.N(3, 1) == 0 {
				all = append(all, way)
			}
		}
	}
	for name, b := range bombs {
		if strings.Contains(name, "ZIP") {
			all = append(all, hostility{"bomb: " + name, refused, document(func([]byte) []byte { return b })})
			continue
		}
		all = append(all, hostility{"bomb: " + name, refused, document(func([]byte) []byte { return b }, "Content-Encoding", "gzip")})
	}
	return all
}()

// tolerates says which formats rightly accept what others refuse: an archive may have
// bytes behind its end, a list of addresses may name each twice, and package badlist reads a
// file that is compressed, for all leave the same addresses.
func (p published) tolerates(h hostility) bool {
	switch h.name {
	case "zeros behind it", "a page behind it":
		return strings.Contains(p.name, "ZIP")
	case "the list twice":
		return strings.Contains(p.name, "ZIP") || p.name == "text of addresses"
	case "gzip without a header", "gzip twice, named once":
		return slices.Contains([]string{"darklist", "array of addresses", "object of arrays", "ransomwhe.re", "CSV of addresses", "text of addresses"}, p.name)
	}
	return false
}

// TestHostile holds a list while its server misbehaves for good: the list must stay, and
// must not look fresher, unless the server has sent or confirmed that list. The long test
// does half of all pairs of a list and a fault, the short one each fault with one list.
func TestHostile(t *testing.T) {
	const n = 200
	for i, list := range lists {
		t.Run(list.name, func(t *testing.T) {
			for j, h := range hostilities {
				if (i+j)%longtest.N(len(lists), 2) != 0 || list.tolerates(h) {
					continue
				}
				var problem string
				synctest.Test(t, func(t *testing.T) { problem = misbehave(t, list, h, n) })
				if problem != "" {
					t.Errorf("%s: %s", h.name, problem)
				}
			}
		})
	}
}

// misbehave loads a list of n accounts, and again from a server with the fault. It returns
// what the source did wrong, or "".
func misbehave(t *testing.T, list published, h hostility, n int) string {
	next := list.handler(n)
	if list.serve == nil {
		next = publisher(next)
	}
	bad := false
	client := serveList(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if bad {
			h.fault(next, w, r)
			return
		}
		next.ServeHTTP(w, r)
	}))
	src := &latest{source: func() sources.Source { return list.source(client) }}
	waitForPublication()
	s, err := screening.New([]sources.Source{src}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		return fmt.Sprintf("before: %v", err)
	}
	before := s.Sources()[0]
	time.Sleep(24 * time.Hour)
	bad = true
	_, err = s.Refresh(t.Context())
	after := s.Sources()[0]
	fresher := after.LastUpdated.After(before.LastUpdated)
	switch {
	case after.Digest != before.Digest || after.Entries != before.Entries:
		return fmt.Sprintf("the list was replaced by one of %d entries, %v", after.Entries, err)
	case h.want == refused && (fresher || err == nil):
		return fmt.Sprintf("fresher: %v, error %v, want the list as old as it was and an error", fresher, err)
	case h.want == late && fresher != (err == nil):
		return fmt.Sprintf("fresher: %v, error %v, want the list confirmed or refused", fresher, err)
	case h.want == confirmed && (!fresher && !strings.HasSuffix(list.name, "on Ethereum") || err != nil): // whose clock follows its blocks
		return fmt.Sprintf("fresher: %v, error %v, want the list confirmed", fresher, err)
	}
	return ""
}

// TestReplaced has a server publish another list without any fault of HTTP.
func TestReplaced(t *testing.T) {
	n := longtest.N(120, 200)
	for _, list := range lists {
		if list.serve != nil {
			continue
		}
		for _, tt := range []struct {
			name string
			list http.Handler
			want error // nil: any error
		}{
			{"an empty list", list.handler(0), nil},
			{"the same, with a date before", edited(list.handler(n-1), older), map[bool]error{true: screening.ErrOlder, false: screening.ErrCut}[list.dated()]},
			{"a third of the list", list.handler(n / 3), screening.ErrShrunk},
		} {
			if tt.want == screening.ErrCut && !list.open {
				continue // the list has no date, and may have lost an entry
			}
			var problem string
			synctest.Test(t, func(t *testing.T) {
				next := list.handler(n)
				client := serveList(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) }))
				waitForPublication()
				s, err := screening.New([]sources.Source{list.source(client)}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				before := s.Sources()[0]
				time.Sleep(24 * time.Hour)
				next = tt.list
				_, err = s.Refresh(t.Context())
				if after := s.Sources()[0]; err == nil || !errors.Is(err, tt.want) && tt.want != nil || after.Digest != before.Digest ||
					after.LastUpdated != before.LastUpdated {
					problem = fmt.Sprintf("%d entries of %v, %v, want %v and the list held", after.Entries, after.LastUpdated, err, tt.want)
				}
			})
			if problem != "" {
				t.Errorf("%s: %s: %s", list.name, tt.name, problem)
			}
		}
	}
}

// dated reports whether the list has a date of publication.
func (p published) dated() bool {
	for _, publisher := range []string{"XML", ".xml", "ZIP", "EU", "UK"} {
		if strings.Contains(p.name, publisher) {
			return true
		}
	}
	return false
}

// edited serves what change makes of next's answers.
func edited(next http.Handler, change func([]byte) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(change(wholeBody(next, r))) })
}

// older returns a list with the dates of the year before.
func older(b []byte) []byte {
	if z, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); err == nil {
		f, err := z.File[0].Open()
		if err != nil {
			panic(err) // of a file in memory
		}
		doc, _ := io.ReadAll(f)
		return zipFile("SDN.XML", older(doc))
	}
	return bytes.ReplaceAll(b, []byte("2026"), []byte("2025"))
}
