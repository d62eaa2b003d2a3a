package httpapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/pipenet"
)

// The tests in this file send requests that no well-behaved client sends to a real
// server: over TCP, except the slow ones.

// serve starts a server with recommended limits and returns its address. When the test
// ends, none of its goroutines may be left.
func serve(t *testing.T, h http.Handler, limit func(*http.Server)) string {
	t.Helper()
	before := runtime.NumGoroutine()
	server := httptest.NewUnstartedServer(h)
	server.Config.ReadHeaderTimeout = time.Minute
	server.Config.ReadTimeout = time.Minute
	server.Config.WriteTimeout = time.Minute
	server.Config.IdleTimeout = time.Minute
	server.Config.MaxHeaderBytes = 16 << 10
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if limit != nil {
		limit(server.Config)
	}
	server.Start()
	t.Cleanup(func() {
		server.Close()
		checkGoroutines(t, before)
	})
	return server.Listener.Addr().String()
}

// checkGoroutines waits for the number of goroutines to be at most n.
func checkGoroutines(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, want %d:\n%s", runtime.NumGoroutine(), n, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// dial connects to addr, until the end of the test or for two minutes.
func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	return c.(*net.TCPConn)
}

// A reply is the response to one request: the status, and the code and the reason of a
// problem.
type reply struct {
	status       int
	code, reason string
	header       http.Header
	body         []byte
}

// String returns text such as "400 invalid_json syntax".
func (r reply) String() string {
	return strings.Join(strings.Fields(fmt.Sprint(r.status, " ", r.code, " ", r.reason)), " ")
}

// replies reads responses from c until the server closes it. A reset also counts as
// closed: it means that a part of the request was not read.
func replies(t *testing.T, c net.Conn) (all []reply) {
	t.Helper()
	for r := bufio.NewReader(c); ; {
		if _, err := r.Peek(1); err != nil {
			if errTime, ok := err.(net.Error); ok && errTime.Timeout() {
				t.Errorf("the server keeps the connection after %v", all)
			}
			return all
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Errorf("after %v: %v", all, err)
			return all
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil && resp.ContentLength >= 0 { // else the body ends with the connection
			t.Errorf("after %v: the body: %v", all, err)
			return all
		}
		one := reply{status: resp.StatusCode, header: resp.Header, body: body}
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/problem+json") {
			var p struct{ Code, Reason string }
			if err := json.Unmarshal(body, &p); err != nil {
				t.Errorf("%s: %v", body, err)
			}
			one.code, one.reason = p.Code, p.Reason
		}
		if bytes.Contains(body, []byte(testKey)) {
			t.Errorf("the answer repeats the key: %s", body)
		}
		all = append(all, one)
	}
}

// The parts of requests.
const (
	screenLine  = "POST /api/v1/screen HTTP/1.1\r\nHost: screen.example\r\n"
	sourcesLine = "GET /api/v1/sources HTTP/1.1\r\nHost: screen.example\r\n"
	withKey     = "Authorization: Bearer " + testKey + "\r\n"
	withJSON    = "Content-Type: application/json\r\n"
	chunked     = "Transfer-Encoding: chunked\r\n"
	last        = "Connection: close\r\n"
)

// sized returns the end of a header with a Content-Length, and the body.
func sized(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// inChunks returns the end of a header, and the body in two chunks.
func inChunks(body string) string {
	half := len(body) / 2
	return fmt.Sprintf("%s\r\n%x;ext=\"a;b\"\r\n%s\r\n%X\r\n%s\r\n0\r\n\r\n", chunked, half, body[:half], len(body)-half, body[half:])
}

func TestHostileRequests(t *testing.T) {
	addr := serve(t, httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil), nil)
	ask := screenLine + withKey + withJSON
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, question)
	z.Close()
	field := func(json string) string { return question[:len(question)-1] + `,"x":` + json + `}` }
	for _, tt := range []struct {
		name, request string
		shut          bool   // close the half of the connection on which we send
		want          string // the answers; after them the connection is closed
	}{
		{"well-formed", ask + last + sized(question), false, "200"},
		{"two", ask + sized(question) + sourcesLine + withKey + last + "\r\n", false, "200, 200"},
		{"chunks", ask + last + inChunks(question), false, "200"},
		{"trailer", ask + last + "Trailer: Checksum\r\n" + strings.TrimSuffix(inChunks(question), "\r\n") + "Checksum: 1\r\nAuthorization: x\r\n\r\n", false, "200"},
		{"line feeds only", strings.ReplaceAll(ask+last+sized(question), "\r\n", "\n"), false, "200"},
		{"absolute form", "GET http://other.example/x/api/v1/sources HTTP/1.1\r\nHost: screen.example\r\n" + withKey + last + "\r\n", false, "200"},

		{"HTTP/1.0", "POST /api/v1/screen HTTP/1.0\r\n" + withKey + withJSON + sized(question), false, "200"},
		{"HTTP/1.0 in chunks", "POST /api/v1/screen HTTP/1.0\r\n" + withKey + withJSON + inChunks(question), false, "400 invalid_json empty"},
		{"HTTP/0.9", "GET /api/v1/sources\r\n", false, "400"},
		{"HTTP/3", "GET /api/v1/sources HTTP/3.0\r\nHost: x\r\n\r\n", false, "505"},
		{"HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false, "404 not_found"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", false, "400"},
		{"no Host", "GET /api/v1/sources HTTP/1.1\r\n\r\n", false, "400"},
		{"two Hosts", sourcesLine + "Host: other.example\r\n\r\n", false, "400"},
		{"nothing", "", true, ""},
		{"a blank line", "\r\n", true, "400"},
		{"half a line", "GET /api", true, "400"},
		{"half a header", sourcesLine + "Authoriz", true, "400"},

		{"method in small letters", "post" + strings.TrimPrefix(screenLine, "POST") + withKey + withJSON + last + sized(question), false, "405 method_not_allowed"},
		{"absurd method", "BREW" + strings.TrimPrefix(sourcesLine, "GET") + withKey + last + "\r\n", false, "405 method_not_allowed"},
		{"long method", strings.Repeat("X", 8000) + strings.TrimPrefix(sourcesLine, "GET") + withKey + last + "\r\n", false, "405 method_not_allowed"},
		{"method with a blank", "GE T" + strings.TrimPrefix(sourcesLine, "GET") + "\r\n", false, "400"},
		{"CONNECT", "CONNECT screen.example:443 HTTP/1.1\r\nHost: screen.example\r\n" + last + "\r\n", false, "404 not_found"},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: screen.example\r\n" + last + "\r\n", false, "200"},

		{"NUL in path", "GET /\x00/api/v1/sources HTTP/1.1\r\nHost: x\r\n\r\n", false, "400"},
		{"encoded NUL in path", "GET /%00/api/v1/sources HTTP/1.1\r\nHost: x\r\n" + last + "\r\n", false, "401 missing_credentials"},
		{"encoded NUL at the end", "GET /api/v1/sources%00 HTTP/1.1\r\nHost: x\r\n" + withKey + last + "\r\n", false, "404 not_found"},
		{"no UTF-8 in path", "GET /\xff/api/v1/sources HTTP/1.1\r\nHost: x\r\n" + last + "\r\n", false, "401 missing_credentials"},
		{"bad escape in path", "GET /%zz/api/v1/sources HTTP/1.1\r\nHost: x\r\n\r\n", false, "400"},
		{"long path", "GET /" + strings.Repeat("x", 10_000) + "/api/v1/sources HTTP/1.1\r\nHost: x\r\n" + last + "\r\n", false, "401 missing_credentials"},
		{"NUL in header", sourcesLine + "X-Request-Id: a\x00b\r\n\r\n", false, "400"},
		{"no UTF-8 in header", sourcesLine + "Authorization: Bearer \xff\xfe\r\n" + last + "\r\n", false, "401 invalid_token"},
		{"no colon in header", sourcesLine + "Authorization\r\n\r\n", false, "400"},
		{"blank before colon", sourcesLine + "Authorization : Bearer " + testKey + "\r\n\r\n", false, "400"},
		{"large header", sourcesLine + "X: " + strings.Repeat("x", 32<<10) + "\r\n\r\n", false, "431"},
		{"many headers", sourcesLine + strings.Repeat("X: y\r\n", 8<<10) + "\r\n", false, "431"},

		{"two keys", sourcesLine + withKey + withKey + last + "\r\n", false, "401 invalid_token"},
		{"two types", ask + withJSON + last + sized(question), false, "415 unsupported_media_type"},
		{"gzip", ask + last + "Content-Encoding: gzip\r\n" + sized(zipped.String()), false, "415 unsupported_media_type"},
		{"gzip as transfer coding", ask + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", false, "501"},
		{"gzip, but not said", ask + last + sized(zipped.String()), false, "400 invalid_json invalid_unicode"},

		// A proxy in front of the server might parse these differently (RFC 9112,
		// sections 6.3 and 11.2).
		{"two lengths", ask + fmt.Sprintf("Content-Length: %d\r\n", len(question)+1) + sized(question), false, "400"},
		{"two equal lengths", ask + last + fmt.Sprintf("Content-Length: %d\r\n", len(question)) + sized(question), false, "200"},
		{"negative length", ask + "Content-Length: -1\r\n\r\n" + question, false, "400"},
		{"signed length", ask + fmt.Sprintf("Content-Length: +%d\r\n\r\n%s", len(question), question), false, "400"},
		{"list of lengths", ask + fmt.Sprintf("Content-Length: %d, %d\r\n\r\n%s", len(question), len(question), question), false, "400"},
		{"huge length", ask + "Content-Length: 99999999999999999999\r\n\r\n" + question, false, "400"},
		{"large length", ask + "Content-Length: 9999999999\r\n\r\n" + question, false, "413 body_too_large"},
		{"length and chunks", ask + last + "Content-Length: 3\r\n" + inChunks(question), false, "200"},
		{"chunks of another name", ask + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", false, "501"},
		{"chunks twice", ask + chunked + inChunks(question), false, "501"},
		{"chunks, hidden", ask + "Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n", false, "400"},
		{"folded line", sourcesLine + "Authorization: Bearer\r\n " + testKey + "\r\n" + last + "\r\n", false, "200"},

		{"length too long", ask + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(question)+1, question), true, "400 invalid_json truncated"},
		{"length too short", ask + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(question)-10, question), true, "400 invalid_json syntax, 400"},
		{"chunk of no size", ask + chunked + "\r\nzz\r\n" + question, false, "400 invalid_json truncated"},
		{"chunk of vast size", ask + chunked + "\r\nffffffffffffffffff\r\n" + question, false, "400 invalid_json truncated"},
		{"chunk too long", ask + chunked + "\r\n5\r\n" + question + "\r\n0\r\n\r\n", false, "400 invalid_json truncated"},
		{"chunks without end", ask + chunked + fmt.Sprintf("\r\n%x\r\n%s\r\n", len(question), question), true, "400 invalid_json truncated"},
		{"large chunk", ask + chunked + fmt.Sprintf("\r\n%x\r\n", 17<<10) + strings.Repeat(" ", 17<<10) + "\r\n0\r\n\r\n", false, "413 body_too_large"},
		{"chunk extension without end", ask + chunked + "\r\n1;" + strings.Repeat("x", 64<<10), false, "400 invalid_json truncated"},

		{"one after another", ask + sized(question) + ask + inChunks(question) + ask + "Trailer: Checksum\r\n" +
			strings.TrimSuffix(inChunks(question), "\r\n") + "Checksum: 1\r\n\r\n" + ask + last + sized(question), false, "200, 200, 200, 200"},
		{"after one that is wrong", ask + sized("{") + ask + inChunks("{}") + ask + last + sized(question), false,
			"400 invalid_json syntax, 400 missing_field absent, 200"},
		{"after one that is not wanted", screenLine + withJSON + sized(question) + screenLine + withJSON + inChunks(question) + ask + last + sized(question), false,
			"401 missing_credentials, 401 missing_credentials, 200"},
		{"after one that is too large", ask + sized(strings.Repeat(" ", 17<<10)) + ask + inChunks(strings.Repeat(" ", 17<<10)) + ask + last + sized(question), false,
			"413 body_too_large, 413 body_too_large"},

		{"expectation", ask + last + "Expect: 100-continue\r\n" + sized(question), false, "100, 200"},
		{"expectation, and then another", ask + "Expect: 100-continue\r\n" + sized(question) + ask + "Expect: 100-continue\r\n" + inChunks(question) +
			ask + last + sized(question), false, "100, 200, 100, 200, 200"},
		{"expectation without a key", screenLine + withJSON + "Expect: 100-continue\r\n" + sized(""), true, "401 missing_credentials"},
		{"expectation of another kind", ask + "Expect: a miracle\r\n" + sized(question), false, "417"},

		{"nested", ask + last + sized(strings.Repeat(`{"address":`, 1000)), false, "400 invalid_json syntax"},
		{"nested in a field", ask + last + sized(field(strings.Repeat("[", 8000)+strings.Repeat("]", 8000))), false, "400 invalid_json too_deep"},
		{"wide array", ask + last + sized(field("["+strings.Repeat("0,", 8000)+"0]")), false, "200"},
		{"long number", ask + last + sized(field(strings.Repeat("9", 16_000))), false, "200"},
		{"long exponent", ask + last + sized(field("1e"+strings.Repeat("9", 16_000))), false, "200"},
		{"long name", ask + last + sized(`{"`+strings.Repeat("x", 16_000)+`":1,`+question[1:]), false, "200"},
		{"long address", ask + last + sized(`{"address":"`+strings.Repeat("z", 16_000)+`","chain":"solana"}`), false, "400 invalid_address bad_length"},
		{"many fields", ask + last + sized("{"+manyFields(1500)+question[1:]), false, "200"},
		{"many fields, of one name", ask + last + sized("{"+strings.Repeat(`"":0,`, 3000)+question[1:]), false, "400 invalid_json duplicate_key"},
		{"many objects", ask + last + sized(`{"x":[`+strings.Repeat(`{"":0},`, 2000)+`0],`+question[1:]), false, "200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := dial(t, addr)
			go func() {
				io.WriteString(c, tt.request) // fails if the server gives up before
				if tt.shut {
					c.CloseWrite()
				}
			}()
			var got []string
			for _, r := range replies(t, c) {
				got = append(got, r.String())
				if r.code != "" && r.header.Get("X-Request-Id") == "" {
					t.Errorf("no request id: %v", r.header)
				}
				if tt.name == "gzip" && r.header.Get("Accept-Encoding") != "identity" { // RFC 9110, section 15.5.16
					t.Errorf("Accept-Encoding: %q", r.header.Get("Accept-Encoding"))
				}
			}
			if got := strings.Join(got, ", "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestPipelined sends ten thousand requests without waiting for their responses.
func TestPipelined(t *testing.T) {
	n := longtest.N(2000, 10_000)
	addr := serve(t, httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil), nil)
	c := dial(t, addr)
	go func() {
		w := bufio.NewWriter(c)
		for i := range n {
			end := ""
			if i == n-1 {
				end = last
			}
			fmt.Fprintf(w, "%s%sX-Request-Id: %d\r\n%s\r\n", sourcesLine, withKey, i, end)
		}
		w.Flush()
	}()
	all := replies(t, c)
	if len(all) != n {
		t.Fatalf("%d answers, want %d", len(all), n)
	}
	for i, r := range all {
		if r.status != 200 || r.header.Get("X-Request-Id") != fmt.Sprint(i) {
			t.Fatalf("answer %d: %v %v", i, r, r.header)
		}
	}
}

// serveInMemory starts a server in a synctest bubble, so that it uses the fake clock,
// and returns a function that connects to it until the end of the test.
func serveInMemory(t *testing.T, server *http.Server) (dial func() net.Conn) {
	t.Helper()
	l := pipenet.Serve(t, server)
	return func() net.Conn {
		t.Helper()
		c, err := l.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(time.Hour))
		return c
	}
}

// TestSlow checks that the server gives up on a client that sends single bytes slowly,
// in the header, in an expected body and in an unexpected one, with a ReadTimeout and
// with the body timeout of the handler.
func TestSlow(t *testing.T) {
	const soon = time.Minute
	for name, server := range map[string]*http.Server{
		"ReadTimeout":  {ReadTimeout: soon, ReadHeaderTimeout: soon},
		"body timeout": {ReadHeaderTimeout: soon},
	} {
		synctest.Test(t, func(t *testing.T) {
			server.Handler = httpapi.LimitBody(httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil), 0, soon)
			dial := serveInMemory(t, server)
			start := time.Now()
			var callers sync.WaitGroup
			for _, tt := range []struct{ name, request, want string }{
				{"header", sourcesLine + withKey + "X: ", ""},
				{"body", screenLine + withKey + withJSON + "Content-Length: 9999\r\n\r\n", "408 request_timeout"},
				{"chunks", screenLine + withKey + withJSON + chunked + "\r\nfff\r\n", "408 request_timeout"},
				{"body without a key", screenLine + withJSON + "Content-Length: 9999\r\n\r\n", "401 missing_credentials"},
				{"body to nowhere", "POST / HTTP/1.1\r\nHost: x\r\n" + chunked + "\r\nfff\r\n", "404 not_found"},
			} {
				c := dial()
				callers.Go(func() {
					for _, err := io.WriteString(c, tt.request); err == nil; _, err = io.WriteString(c, "x") {
						time.Sleep(soon / 50)
					}
				})
				callers.Go(func() {
					var got []string
					for _, r := range replies(t, c) {
						got = append(got, r.String())
					}
					if got := strings.Join(got, ", "); got != tt.want {
						t.Errorf("%s: %s: got %q, want %q", name, tt.name, got, tt.want)
					}
					if took := time.Since(start); took > soon+time.Second {
						t.Errorf("%s: %s: given up after %v", name, tt.name, took)
					}
					c.Close()
				})
			}
			callers.Wait()
		})
	}
}

// TestSlowRefused checks that Admit, too, waits for a limited time for the body of a request that it refuses.
func TestSlowRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := httpapi.Admit(nil, "reports", nil)(http.NotFoundHandler())
		c := serveInMemory(t, &http.Server{Handler: refused})()
		var sender sync.WaitGroup
		sender.Go(func() {
			for _, err := io.WriteString(c, "POST /reports HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n"); err == nil; _, err = io.WriteString(c, "x") {
				time.Sleep(time.Second)
			}
		})
		start := time.Now()
		all := replies(t, c)
		if len(all) != 1 || all[0].status != 401 || time.Since(start) > time.Minute {
			t.Errorf("%v after %v", all, time.Since(start))
		}
		c.Close()
		sender.Wait()
	})
}

// TestBodyTimeoutIsLifted checks that after a body has arrived in time, no deadline
// remains for the response or for the next request on the connection.
func TestBodyTimeoutIsLifted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = time.Minute
		anybody := authorizer(func(string) (httpapi.Caller, error) { return httpapi.Caller{ID: "id"}, nil })
		inner := httpapi.LimitBody(httpapi.NewHandler(newLoadedScreener(t), anybody, nil), 0, timeout)
		c := serveInMemory(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inner.ServeHTTP(w, r)
			if r.Method == "POST" {
				time.Sleep(2 * timeout)
				if err := r.Context().Err(); err != nil {
					t.Errorf("the request was ended: %v", err)
				}
			}
		})})()
		go func() {
			io.WriteString(c, screenLine+withKey+withJSON+sized(question))
			time.Sleep(5 * timeout)
			io.WriteString(c, sourcesLine+withKey+last+"\r\n")
		}()
		if all := replies(t, c); len(all) != 2 || all[0].status != 200 || all[1].status != 200 {
			t.Errorf("answers %v", all)
		}
	})
}

// TestGone checks that clients that disconnect at any byte of a request leave no
// goroutine behind.
func TestGone(t *testing.T) {
	addr := serve(t, httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil), nil)
	request := screenLine + withKey + withJSON + sized(question)
	for i := range len(request) {
		c := dial(t, addr)
		io.WriteString(c, request[:i])
		if i%2 == 0 {
			c.SetLinger(0) // a reset
		}
		c.Close()
	}
}

// TestPanics checks that a panic in a hook becomes a problem with a request id, and
// that the connection remains usable.
func TestPanics(t *testing.T) {
	keys := authorizer(func(token string) (httpapi.Caller, error) {
		switch token {
		case "abort":
			panic(http.ErrAbortHandler)
		case "panic":
			panic(errors.New("with " + testKey))
		}
		return httpapi.Caller{ID: "id"}, nil
	})
	addr := serve(t, httpapi.NewHandler(newLoadedScreener(t), keys, nil), nil)
	c := dial(t, addr)
	io.WriteString(c, sourcesLine+"Authorization: Bearer panic\r\nX-Request-Id: the-id\r\n\r\n"+
		screenLine+"Authorization: Bearer panic\r\n"+withJSON+sized(question)+
		screenLine+withKey+withJSON+last+sized(question))
	var got []string
	for _, r := range replies(t, c) {
		got = append(got, r.String())
		if r.status == 500 && !bytes.Contains(r.body, []byte(`"request_id":"`+r.header.Get("X-Request-Id")+`"`)) {
			t.Errorf("no request id: %v %s", r.header, r.body)
		}
	}
	if got := strings.Join(got, ", "); got != "500 internal, 500 internal, 200" {
		t.Errorf("answers %s", got)
	}

	c = dial(t, addr)
	io.WriteString(c, sourcesLine+"Authorization: Bearer abort\r\n\r\n")
	if all := replies(t, c); len(all) != 0 {
		t.Errorf("aborted, but answered %v", all)
	}
}

// manyFields returns n ignored fields, each followed by a comma.
func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":0,`, i)
	}
	return b.String()
}

// TestLoad checks that many clients, some of them misbehaving, do not increase the
// memory and goroutines of the server.
func TestLoad(t *testing.T) {
	addr := serve(t, httpapi.NewHandler(newLoadedScreener(t), testKeys(t), nil), nil)
	requests := []struct{ text, want string }{
		{screenLine + withKey + withJSON + sized(question), "200"},
		{screenLine + withKey + withJSON + inChunks(question), "200"},
		{sourcesLine + withKey + "\r\n", "200"},
		{sourcesLine + "\r\n", "401 missing_credentials"},
		{screenLine + withKey + withJSON + sized(`{"address":"0x1","chain":"ethereum"}`), "400 invalid_address bad_length"},
		{screenLine + withKey + withJSON + sized("{"), "400 invalid_json syntax"},
		{screenLine + withKey + withJSON + sized(strings.Repeat(" ", 20<<10)), "413 body_too_large"},
		{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404 not_found"},
	}
	run := func(rounds int) (heap uint64) {
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				for range rounds {
					c, err := net.Dial("tcp", addr)
					if err != nil {
						t.Error(err)
						return
					}
					c.SetDeadline(time.Now().Add(2 * time.Minute))
					var want []string
					go func() {
						for _, r := range requests {
							io.WriteString(c, r.text)
						}
						io.WriteString(c, sourcesLine+withKey+last+"\r\n")
					}()
					for _, r := range requests {
						want = append(want, r.want)
					}
					want = append(want, "200")
					var got []string
					for _, r := range replies(t, c) {
						got = append(got, r.String())
					}
					if strings.Join(got, ", ") != strings.Join(want, ", ") {
						t.Errorf("got %s, want %s", got, want)
					}
					c.Close()
				}
			})
		}
		callers.Wait()
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := run(longtest.N(3, 20))
	after := run(longtest.N(20, 200))
	if after > before+4<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", before, after)
	}
}
