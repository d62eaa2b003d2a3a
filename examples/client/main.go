// Client sends the addresses on standard input to a walletscreen server, using only
// net/http. Each line is the slug of a chain, a space and an address. The program
// shows when to retry, and when not to:
//
//	$ echo 'ethereum 0x098B716B8Aaf21512996dC57EB0615e2383E2f96' | WALLETSCREEN_API_KEY=… go run ./examples/client
//	CRITICAL 100 ethereum 0x098b716b8aaf21512996dc57eb0615e2383e2f96
//
// Doubts about the address and caveats of the lists follow: without a match, an address with
// either is not clean. The exit status is 1 if any line has no answer. No answer never means clean.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// A client calls a server. It must not be used by several goroutines at once.
type client struct {
	http *http.Client // its Timeout bounds one attempt
	url  string       // of /api/v1/screen
	key  string       // the API key

	notBefore time.Time // the earliest time of the next attempt
}

// screen sends a request until it gets a final response, and returns its body. It
// retries after a network error and after the statuses 429, 500, 502, 503 and 504, but
// never before the time that the server names; every other status would be the same
// next time. All attempts carry one Idempotency-Key, so the server counts them once.
// screen gives up when ctx ends, or at once if it would have to wait longer than that.
func (c *client) screen(ctx context.Context, request []byte) (response []byte, err error) {
	call := strconv.Quote(rand.Text())
	for try, again := 0, true; again; try++ {
		if err := c.wait(ctx, err); err != nil {
			return nil, err
		}
		var wait time.Duration
		response, wait, again, err = c.attempt(ctx, request, call)
		if again && wait == 0 {
			wait = time.Second << min(try, 5) * time.Duration(50+mathrand.N(50)) / 100 // spreads the retries of many clients
		}
		c.notBefore = time.Now().Add(wait)
	}
	return response, err
}

// attempt sends a request once. It returns how long the server wants no other request, and whether to send this one again.
func (c *client) attempt(ctx context.Context, request []byte, call string) (response []byte, wait time.Duration, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, "POST", c.url, bytes.NewReader(request))
	if err != nil {
		return nil, 0, false, err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", call)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, true, err
	}
	defer resp.Body.Close()
	response, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	wait = retryAfter(resp.Header)
	switch resp.StatusCode {
	case 200:
		return response, wait, err != nil, err // an error is a connection that broke
	case 429, 500, 502, 503, 504:
		again = true
	}
	return nil, wait, again, fmt.Errorf("%s: %s", resp.Status, response)
}

// wait waits until the next attempt is due. Its error wraps cause, the error of the
// last attempt.
func (c *client) wait(ctx context.Context, cause error) error {
	if end, ok := ctx.Deadline(); ok && end.Before(c.notBefore) {
		return errors.Join(fmt.Errorf("the server asks for no request before %v", c.notBefore.UTC().Format(time.RFC3339)), cause)
	}
	timer := time.NewTimer(time.Until(c.notBefore))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return errors.Join(ctx.Err(), cause)
	case <-timer.C:
		return ctx.Err()
	}
}

// retryAfter returns how long a response asks the client to wait: the longest of
// Retry-After and of the limits in RateLimit that are used up, such as
// "burst";r=0;t=20.
func retryAfter(header http.Header) (wait time.Duration) {
	note := func(seconds string) {
		if n, err := strconv.ParseUint(seconds, 10, 31); err == nil {
			wait = max(wait, time.Duration(n)*time.Second)
		}
	}
	note(header.Get("Retry-After"))
	if at, err := http.ParseTime(header.Get("Retry-After")); err == nil { // of a proxy, perhaps
		wait = max(wait, time.Until(at))
	}
	for limit := range strings.SplitSeq(strings.Join(header.Values("RateLimit"), ","), ",") {
		if _, params, ok := strings.Cut(limit, ";r=0;t="); ok {
			seconds, _, _ := strings.Cut(params, ";")
			note(seconds)
		}
	}
	return wait
}

func main() {
	base := flag.String("url", "http://127.0.0.1:8080", "base `URL` of the server")
	patience := flag.Duration("patience", 30*time.Second, "time limit for one address, retries included")
	flag.Parse()
	c := &client{http: &http.Client{Timeout: 10 * time.Second}, url: *base + "/api/v1/screen", key: os.Getenv("WALLETSCREEN_API_KEY")}
	if !c.run(os.Stdin, os.Stdout, os.Stderr, *patience) {
		os.Exit(1)
	}
}

// run screens each line of in and reports whether the server answered all of them.
func (c *client) run(in io.Reader, out, errs io.Writer, patience time.Duration) bool {
	ok := true
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		if err := c.line(lines.Text(), out, patience); err != nil {
			fmt.Fprintf(errs, "line %d: %v\n", n, err)
			ok = false
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(errs, err)
		ok = false
	}
	return ok
}

func (c *client) line(line string, out io.Writer, patience time.Duration) error {
	chain, address, _ := strings.Cut(line, " ")
	request, err := json.Marshal(map[string]string{"chain": chain, "address": address})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	response, err := c.screen(ctx, request)
	if err != nil {
		return err
	}
	var v struct {
		Address, Chain, Level string
		Score                 int
		Doubts                []string
		Caveats               []struct{ Source, Caveat string }
	}
	if err := json.Unmarshal(response, &v); err != nil {
		return err
	}
	text := fmt.Sprint(v.Level, " ", v.Score, " ", v.Chain, " ", v.Address)
	if len(v.Doubts) > 0 {
		text += " doubts: " + strings.Join(v.Doubts, " ")
	}
	for _, c := range v.Caveats {
		text += " caveat: " + c.Source + " " + c.Caveat
	}
	_, err = fmt.Fprintln(out, text)
	return err
}
