package stablecoin

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

const (
	patience  = 2 * time.Minute // for one whole answer
	maxAnswer = 32 << 20        // bytes, uncompressed
)

// A node is the JSON-RPC endpoint of a node. It must make one call at a time.
//
// The address of an endpoint is a secret: most have a key in their path. No error and
// no result names it.
type node struct {
	url       string
	allowHTTP bool
	client    *http.Client
	id        uint64 // of the last call
	bytes     int64  // of the answers in this Load
}

// An answerError is an error in a JSON-RPC answer.
type answerError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *answerError) Error() string {
	return fmt.Sprintf("the endpoint answers with code %d: %.300q", e.Code, e.Message)
}

var (
	errTooSlow  = fmt.Errorf("no answer within %v", patience)
	errBroken   = errors.New("answer is not JSON-RPC")
	errEndpoint = errors.New("the address of the endpoint")
)

// isTooMuch reports whether a call that failed with err may succeed if it asks for
// less. Endpoints share no error code for that, so every JSON-RPC error counts.
func isTooMuch(err error) bool {
	var said *answerError
	var status *fetch.StatusError
	if errors.As(err, &status) {
		switch status.Status {
		case http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusGatewayTimeout:
			return true
		}
	}
	return errors.As(err, &said) || errors.Is(err, fetch.ErrTooLarge) || errors.Is(err, errTooSlow)
}

// call calls method and unmarshals its result; the Unmarshal of result decides what a
// null means. It repeats the call, after a randomized wait, if there is no answer, if
// the answer is broken, or if it says that there were too many calls or that the server
// has failed. Errors wrap ctx.Err() or the cause.
func (n *node) call(ctx context.Context, result any, method string, params ...any) error {
	n.id++
	id := strconv.FormatUint(n.id, 10)
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": n.id, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var answer json.RawMessage
	err = fetch.Retry(ctx, 0, 0, func() (f *fetch.Failure) {
		answer, f = n.try(ctx, body, id)
		return f
	})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("%s: result: %w", method, n.redact(err))
	}
	return nil
}

// try makes one attempt of a call and returns its result.
func (n *node) try(ctx context.Context, body []byte, id string) (json.RawMessage, *fetch.Failure) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errTooSlow)
	defer cancel()
	resp, err := n.post(ctx, body)
	if err != nil {
		return nil, &fetch.Failure{Err: n.cause(ctx, err), Final: errors.Is(err, errEndpoint)}
	}
	defer resp.Body.Close()
	text, failure := n.read(ctx, resp)
	if failure != nil {
		return nil, failure
	}
	return n.result(resp, text, id)
}

// post sends a call.
func (n *node) post(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil || req.URL.Host == "" {
		return nil, fmt.Errorf("%w is malformed", errEndpoint)
	}
	if req.URL.Scheme != "https" && (req.URL.Scheme != "http" || !n.allowHTTP) {
		return nil, fmt.Errorf("%w is not https; see Options.AllowHTTP", errEndpoint)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "gzip")
	client := http.Client{}
	if n.client != nil {
		client = *n.client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client.Do(req)
}

// read reads the body of an answer and checks its encoding and length.
func (n *node) read(ctx context.Context, resp *http.Response) ([]byte, *fetch.Failure) {
	body, err := fetch.NewBody(resp, &counted{resp.Body, &n.bytes, sources.Progress(ctx)}, maxAnswer)
	if err != nil {
		return nil, &fetch.Failure{Err: err, Final: true}
	}
	text, err := io.ReadAll(body)
	if err == nil {
		err = body.Finish()
	}
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, fetch.ErrTooLarge):
		return nil, &fetch.Failure{Err: err, Final: true}
	}
	return nil, &fetch.Failure{Err: n.cause(ctx, fmt.Errorf("answer broke off: %w", err))}
}

// A counted reader reports how many bytes were read by all that share n.
type counted struct {
	io.Reader
	n        *int64
	progress func(read, total int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if *c.n += int64(n); n > 0 {
		c.progress(*c.n, -1)
	}
	return n, err
}

// result returns the result in the answer resp with the body text.
func (n *node) result(resp *http.Response, text []byte, id string) (json.RawMessage, *fetch.Failure) {
	status, failed := resp.StatusCode, &fetch.StatusError{Status: resp.StatusCode}
	wait := fetch.RetryAfter(resp.Header)
	if status == http.StatusTooManyRequests {
		return nil, &fetch.Failure{Err: failed, Wait: wait}
	}
	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *answerError    `json:"error"`
	}
	err := json.Unmarshal(text, &answer)
	switch {
	case err == nil && answer.Version == "2.0" && answer.Error != nil && (string(answer.ID) == id || string(answer.ID) == "null"):
		answer.Error.Message = n.hide(answer.Error.Message)
		if answer.Error.Code == http.StatusTooManyRequests {
			return nil, &fetch.Failure{Err: answer.Error, Wait: wait}
		}
		return nil, &fetch.Failure{Err: answer.Error, Final: true}
	case status >= 500, status == http.StatusForbidden: // the latter from firewalls, in bursts
		return nil, &fetch.Failure{Err: failed, Wait: wait}
	case status != http.StatusOK:
		return nil, &fetch.Failure{Err: failed, Final: true}
	case err != nil:
		return nil, &fetch.Failure{Err: errBroken} // cut short, it may be whole next time
	case answer.Version != "2.0":
		return nil, &fetch.Failure{Err: errBroken, Final: true}
	case string(answer.ID) != id:
		return nil, &fetch.Failure{Err: fmt.Errorf("%w: it has the id of another call", errBroken), Final: true}
	case answer.Result == nil:
		return nil, &fetch.Failure{Err: fmt.Errorf("%w: it has no result", errBroken), Final: true}
	}
	return answer.Result, nil
}

// cause returns the error to report for err, of a request with ctx.
func (n *node) cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var in *url.Error
	for errors.As(err, &in) {
		err = in.Err
	}
	return n.redact(err)
}

// redact returns err, or if its text shows a part of the endpoint's address that
// may be secret, an error with the rest of the text.
func (n *node) redact(err error) error {
	if text := err.Error(); n.hide(text) != text {
		return errors.New(n.hide(text))
	}
	return err
}

// hide returns text without the parts of the endpoint's address that may be
// secret: the words of some length in its path, its query and its user.
func (n *node) hide(text string) string {
	u, err := url.Parse(n.url)
	if err != nil {
		return "(a text that may name the address of the endpoint)"
	}
	query, _ := url.QueryUnescape(u.RawQuery)
	parts := u.Path + "/" + u.EscapedPath() + "/" + query + "/" + u.RawQuery
	if u.User != nil {
		password, _ := u.User.Password()
		parts += "/" + u.User.Username() + "/" + password + "/" + u.User.String()
	}
	for _, word := range strings.FieldsFunc(parts, func(r rune) bool { return strings.ContainsRune("/?&=:@", r) }) {
		if len(word) >= 6 {
			text = strings.ReplaceAll(text, word, "…")
		}
	}
	return text
}

// A hash is the hash of a block or a transaction, or the topic of a log.
type hash [32]byte

func (h hash) MarshalText() ([]byte, error)     { return hexText(h[:]), nil }
func (h *hash) UnmarshalText(text []byte) error { return decodeHex(h[:], text) }
func (h hash) String() string                   { return string(hexText(h[:])) }

// An account is the address of an account or a contract.
type account [20]byte

func (a account) MarshalText() ([]byte, error)     { return hexText(a[:]), nil }
func (a *account) UnmarshalText(text []byte) error { return decodeHex(a[:], text) }
func (a account) String() string                   { return string(hexText(a[:])) }

func hexText(b []byte) []byte { return hex.AppendEncode([]byte("0x"), b) }

// decodeHex decodes 0x and the hex digits of exactly as many bytes as dst has.
func decodeHex(dst, text []byte) error {
	digits, ok := bytes.CutPrefix(text, []byte("0x"))
	if !ok || len(digits) != 2*len(dst) {
		return fmt.Errorf("%.80q: want 0x and %d hex digits", text, 2*len(dst))
	}
	_, err := hex.Decode(dst, digits)
	return err
}

// A quantity is a number as JSON-RPC writes it: 0x and hex digits.
type quantity uint64

func (q *quantity) UnmarshalText(text []byte) error {
	digits, ok := strings.CutPrefix(string(text), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil || strings.ContainsAny(digits, "+_") {
		return fmt.Errorf("%.80q: want 0x and a number in hex", text)
	}
	*q = quantity(n)
	return nil
}

// A data is a string of bytes of any length.
type data []byte

func (d *data) UnmarshalText(text []byte) error {
	if len(text) < 2 {
		return fmt.Errorf("%q: want 0x and hex digits", text)
	}
	*d = make([]byte, (len(text)-2)/2)
	return decodeHex(*d, text)
}
