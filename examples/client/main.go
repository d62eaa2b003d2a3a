// Client asks a walletscreen server about the addresses on standard input, one to a
// line behind the slug of its chain, with nothing but net/http. It shows how to ask
// again, and when not to:
//
//	$ echo 'ethereum 0x098B716B8Aaf21512996dC57EB0615e2383E2f96' | WALLETSCREEN_API_KEY=… go run ./examples/client
//	CRITICAL 100 ethereum 0x098b716b8aaf21512996dc57eb0615e2383e2f96
//
// The exit status is 1 if any line has no answer: that is never the same as clean.
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

// A client asks a server. It is for one goroutine at a time.
type client struct {
	http *http.Client // its Timeout bounds one try
	url  string       // of /api/v1/screen
	key  string       // the API key

	rest time.Time // until then it does not ask
}

// screen sends a question until it is answered for good, and returns the answer. It
// asks again if there was no answer, or one of the server that says so (429, 500, 502,
// 503 and 504), but not before the time that the server names; anything else would be
// answered alike the next time. All tries are one call, which is counted once. It gives
// up when ctx ends, or at once if it would have to wait beyond that.
func (c *client) screen(ctx context.Context, question []byte) (answer []byte, err error) {
	call := strconv.Quote(rand.Text())
	for try := 0; ; try++ {
		if err := c.wait(ctx, err); err != nil {
			return nil, err
		}
		var req *http.Request
		if req, err = http.NewRequestWithContext(ctx, "POST", c.url, bytes.NewReader(question)); err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+c.key)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", call)
		backoff := time.Second << min(try, 5) * time.Duration(50+mathrand.N(50)) / 100 // so that clients do not come all at once

		var resp *http.Response
		if resp, err = c.http.Do(req); err != nil {
			c.rest = time.Now().Add(backoff)
			continue
		}
		answer, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		resp.Body.Close()
		c.rest = time.Now().Add(restOf(resp.Header))
		switch resp.StatusCode {
		case 200:
			if err == nil {
				return answer, nil
			}
			c.rest = time.Now().Add(backoff) // it broke off
		case 429, 500, 502, 503, 504:
			if resp.Header.Get("Retry-After") == "" {
				c.rest = time.Now().Add(backoff)
			}
			err = fmt.Errorf("%s: %s", resp.Status, answer)
		default:
			return nil, fmt.Errorf("%s: %s", resp.Status, answer)
		}
	}
}

// wait waits until c may ask. The error has cause, for which it has to wait.
func (c *client) wait(ctx context.Context, cause error) error {
	if end, ok := ctx.Deadline(); ok && end.Before(c.rest) {
		return errors.Join(fmt.Errorf("not to be asked again before %v", c.rest.UTC().Format(time.RFC3339)), cause)
	}
	timer := time.NewTimer(time.Until(c.rest))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return errors.Join(ctx.Err(), cause)
	case <-timer.C:
		return ctx.Err()
	}
}

// restOf returns for how long the header of an answer asks to be left alone: the
// seconds of Retry-After, and those of each limit in RateLimit of which nothing
// remains, such as "burst";r=0;t=20.
func restOf(header http.Header) (rest time.Duration) {
	note := func(seconds string) {
		if n, err := strconv.ParseUint(seconds, 10, 31); err == nil {
			rest = max(rest, time.Duration(n)*time.Second)
		}
	}
	note(header.Get("Retry-After"))
	for limit := range strings.SplitSeq(strings.Join(header.Values("RateLimit"), ","), ",") {
		if _, params, ok := strings.Cut(limit, ";r=0;t="); ok {
			seconds, _, _ := strings.Cut(params, ";")
			note(seconds)
		}
	}
	return rest
}

func main() {
	base := flag.String("url", "http://127.0.0.1:8080", "where the server is")
	patience := flag.Duration("patience", 30*time.Second, "time for one address")
	flag.Parse()
	c := &client{http: &http.Client{Timeout: 10 * time.Second}, url: *base + "/api/v1/screen", key: os.Getenv("WALLETSCREEN_API_KEY")}
	if !c.run(os.Stdin, os.Stdout, os.Stderr, *patience) {
		os.Exit(1)
	}
}

// run asks about each line of in, and reports whether all were answered.
func (c *client) run(in io.Reader, out, complaints io.Writer, patience time.Duration) bool {
	ok := true
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		if err := c.line(lines.Text(), out, patience); err != nil {
			fmt.Fprintf(complaints, "line %d: %v\n", n, err)
			ok = false
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(complaints, err)
		ok = false
	}
	return ok
}

func (c *client) line(line string, out io.Writer, patience time.Duration) error {
	chain, address, _ := strings.Cut(line, " ")
	question, err := json.Marshal(map[string]string{"chain": chain, "address": address})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := c.screen(ctx, question)
	if err != nil {
		return err
	}
	var verdict struct {
		Address, Chain, Level string
		Score                 int
	}
	if err := json.Unmarshal(answer, &verdict); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, verdict.Level, verdict.Score, verdict.Chain, verdict.Address)
	return err
}
