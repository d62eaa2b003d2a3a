package stablecoin

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	attempts  = 4
	backoff   = 2 * time.Second // before the second attempt; doubles from then on
	maxWait   = 2 * time.Minute // what an endpoint may ask us to wait
	patience  = 2 * time.Minute // for one answer, whole
	maxAnswer = 32 << 20        // bytes, uncompressed
)

// A node is the JSON-RPC endpoint of a node. Its calls come one at a time.
//
// The address of an endpoint is a secret: most have a key in their path. Nothing
// that comes out of here names it.
type node struct {
	url       string
	allowHTTP bool
	client    *http.Client
	id        uint64 // of the last call
}

// A statusError is the HTTP status of an answer that is not JSON-RPC.
type statusError int

func (e statusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("status %d %s", int(e), http.StatusText(int(e))))
}

// An answerError is an error that the endpoint answers with.
type answerError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *answerError) Error() string {
	return fmt.Sprintf("the endpoint says, with code %d: %.300q", e.Code, e.Message)
}

var (
	errTooLarge = errors.New("answer too large")
	errTooSlow  = fmt.Errorf("no answer within %v", patience)
	errBroken   = errors.New("answer is not JSON-RPC")
)

// isTooMuch reports whether a call that failed with err may work if it asks for
// less. There is no code for that which all endpoints use, so whatever error
// they answer with counts.
func isTooMuch(err error) bool {
	var said *answerError
	var status statusError
	if errors.As(err, &status) {
		switch status {
		case http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusGatewayTimeout:
			return true
		}
	}
	return errors.As(err, &said) || errors.Is(err, errTooLarge) || errors.Is(err, errTooSlow)
}

// call calls method and unmarshals its result. A result of null is left to the
// Unmarshal of result. It tries again, after a while with some chance in it, if
// there is no answer, a broken one, or one that says that there are too many
// calls or that the server has failed. Errors wrap ctx.Err() or the cause.
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
	for attempt := 0; ; attempt++ {
		answer, wait, err := n.try(ctx, body, id)
		if err == nil {
			if err := json.Unmarshal(answer, result); err != nil {
				return fmt.Errorf("%s: result: %w", method, n.redact(err))
			}
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", method, ctx.Err())
		}
		if wait < 0 || wait > maxWait || attempt == attempts-1 {
			return fmt.Errorf("%s: %w", method, err)
		}
		timer := time.NewTimer(max(wait, backoff<<attempt/2+rand.N(backoff<<attempt)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%s: %w, after: %w", method, ctx.Err(), err)
		}
	}
}

// try makes one attempt of a call and returns the result. With an error it
// returns how long to wait at least before the next attempt, and less than zero
// if there is no use in one.
func (n *node) try(ctx context.Context, body []byte, id string) (result json.RawMessage, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errTooSlow)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil || req.URL.Host == "" {
		return nil, -1, errors.New("malformed address of the endpoint")
	}
	if req.URL.Scheme != "https" && (req.URL.Scheme != "http" || !n.allowHTTP) {
		return nil, -1, errors.New("the address of the endpoint is not https; see Options.AllowHTTP")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	client := http.Client{}
	if n.client != nil {
		client = *n.client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, n.cause(ctx, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, 0, n.cause(ctx, fmt.Errorf("answer broke off: %w", err))
	}
	if len(text) > maxAnswer {
		return nil, -1, errTooLarge
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		return nil, retryAfter(resp.Header.Get("Retry-After")), statusError(resp.StatusCode)
	}

	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *answerError    `json:"error"`
	}
	err = json.Unmarshal(text, &answer)
	switch {
	case err == nil && answer.Version == "2.0" && answer.Error != nil && (string(answer.ID) == id || string(answer.ID) == "null"):
		answer.Error.Message = n.hide(answer.Error.Message)
		if answer.Error.Code == http.StatusTooManyRequests {
			return nil, retryAfter(resp.Header.Get("Retry-After")), answer.Error
		}
		return nil, -1, answer.Error
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusForbidden: // the latter from firewalls, in bursts
		return nil, retryAfter(resp.Header.Get("Retry-After")), statusError(resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return nil, -1, statusError(resp.StatusCode)
	case err != nil:
		return nil, 0, errBroken // cut short, it may come whole next time
	case answer.Version != "2.0":
		return nil, -1, errBroken
	case string(answer.ID) != id:
		return nil, -1, fmt.Errorf("%w to this call: it has another id", errBroken)
	case answer.Result == nil:
		return nil, -1, fmt.Errorf("%w: it has no result", errBroken)
	}
	return answer.Result, 0, nil
}

// cause returns what err, of a request with ctx, is to be called.
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

// retryAfter reads the header field of that name: seconds, or a date.
func retryAfter(v string) time.Duration {
	if n, err := strconv.ParseUint(v, 10, 32); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}

// A hash is that of a block or a transaction, or the topic of a log.
type hash [32]byte

func (h hash) MarshalText() ([]byte, error)     { return appendHex(nil, h[:]), nil }
func (h *hash) UnmarshalText(text []byte) error { return decodeHex(h[:], text) }
func (h hash) String() string                   { return string(appendHex(nil, h[:])) }

// An account is the address of an account or a contract.
type account [20]byte

func (a account) MarshalText() ([]byte, error)     { return appendHex(nil, a[:]), nil }
func (a *account) UnmarshalText(text []byte) error { return decodeHex(a[:], text) }
func (a account) String() string                   { return string(appendHex(nil, a[:])) }

func appendHex(b, bytes []byte) []byte { return hex.AppendEncode(append(b, "0x"...), bytes) }

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

func (q quantity) MarshalText() ([]byte, error) {
	return strconv.AppendUint([]byte("0x"), uint64(q), 16), nil
}

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

func (d data) MarshalText() ([]byte, error) { return appendHex(nil, d), nil }

func (d *data) UnmarshalText(text []byte) error {
	if len(text) < 2 {
		return fmt.Errorf("%q: want 0x and hex digits", text)
	}
	*d = make([]byte, (len(text)-2)/2)
	return decodeHex(*d, text)
}
