package stablecoin

import (
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

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// maxAnswer limits the bytes of an answer, uncompressed.
const maxAnswer = 32 << 20

// An endpoint is a server that answers in JSON. It must answer one request at a time.
type endpoint struct {
	url   string
	opts  *Options
	id    uint64 // of the last call
	bytes int64  // of the answers in this Load
}

// get makes a request and calls read with the body of the answer.
func (e *endpoint) get(ctx context.Context, req fetch.Request, read func(text []byte) error) error {
	earlier, progress := e.bytes, sources.Progress(ctx)
	req.Client, req.AllowHTTP = e.opts.Client, e.opts.AllowHTTP
	req.Progress = func(read, _ int64) {
		e.bytes = earlier + read
		progress(e.bytes, -1)
	}
	_, err := fetch.Get(ctx, &req, func(body io.Reader) error {
		text, err := io.ReadAll(body)
		if err != nil {
			return err
		}
		return read(text)
	})
	return err
}

// unmarshal is json.Unmarshal. An answer that breaks off may be whole next time.
func unmarshal(text []byte, v any) error {
	err := json.Unmarshal(text, v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset >= int64(len(text)) {
		return fmt.Errorf("%w: %w", fetch.ErrAgain, err)
	}
	return err
}

// An answerError is an error in a JSON-RPC answer.
type answerError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *answerError) Error() string {
	return fmt.Sprintf("the endpoint answers with code %d: %.300q", e.Code, e.Message)
}

// isTooMuch reports whether a call that failed with err may succeed if it asks for
// less. Endpoints share no error code for that, so every JSON-RPC error counts.
func isTooMuch(err error) bool {
	var answer *answerError
	var status *fetch.StatusError
	if errors.As(err, &status) {
		switch status.Status {
		case http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusGatewayTimeout:
			return true
		}
	}
	return errors.As(err, &answer) || errors.Is(err, fetch.ErrTooLarge) || errors.Is(err, fetch.ErrStalled)
}

// call calls a method of JSON-RPC and unmarshals its result; the Unmarshal of result decides
// what a null means.
func (e *endpoint) call(ctx context.Context, result any, method string, params ...any) error {
	e.id++
	id := strconv.FormatUint(e.id, 10)
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": e.id, "method": method, "params": append([]any{}, params...)})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	var found json.RawMessage
	req := fetch.Request{Options: fetch.Options{URL: e.url}, Body: body, MaxBytes: maxAnswer, Refused: func(text []byte) error {
		_, err := parseAnswer(text, id)
		var answer *answerError
		if errors.As(err, &answer) {
			return err
		}
		return nil
	}}
	err = e.get(ctx, req, func(text []byte) (err error) {
		found, err = parseAnswer(text, id)
		return err
	})
	if err == nil {
		err = json.Unmarshal(found, result)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// parseAnswer returns the result in the answer to the call with the id.
func parseAnswer(text []byte, id string) (json.RawMessage, error) {
	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *answerError    `json:"error"`
	}
	err := unmarshal(text, &answer)
	switch {
	case err != nil:
		return nil, fmt.Errorf("answer is not JSON-RPC: %w", err)
	case answer.Version != "2.0":
		return nil, errors.New("answer is not JSON-RPC 2.0")
	case answer.Error != nil && answer.Error.Code == http.StatusTooManyRequests:
		return nil, fmt.Errorf("%w: %w", fetch.ErrAgain, answer.Error)
	case answer.Error != nil && (string(answer.ID) == id || string(answer.ID) == "null"):
		return nil, answer.Error
	case string(answer.ID) != id:
		return nil, errors.New("answer has the id of another call")
	case answer.Result == nil:
		return nil, errors.New("answer has no result")
	}
	return answer.Result, nil
}

// hide returns an error with the text of err without the parts of the endpoint's address that may be
// secret: the words of some length in its path, its query and its user.
func hide(err error, endpoint string) error {
	u, urlErr := url.Parse(endpoint)
	decoded, pathErr := url.PathUnescape(endpoint)
	if urlErr != nil || pathErr != nil {
		return errors.New("the address of the endpoint is malformed")
	}
	text := err.Error()
	for _, word := range strings.FieldsFunc(endpoint+"/"+decoded, func(r rune) bool { return strings.ContainsRune("/?&=:@", r) }) {
		if len(word) >= 6 && word != u.Hostname() {
			text = strings.ReplaceAll(text, word, "…")
		}
	}
	return errors.New(text)
}

// data is 0x and the hex digits of bytes, in lower case.
type data string

// The lengths of data that is an account, and of data that is a hash or a word.
const (
	accountLen = 2 + 2*20
	wordLen    = 2 + 2*32
)

func (d *data) UnmarshalText(text []byte) error {
	*d = data(strings.ToLower(string(text)))
	digits, ok := strings.CutPrefix(string(*d), "0x")
	if _, err := hex.DecodeString(digits); err != nil || !ok {
		return fmt.Errorf("%.80q: want 0x and hex digits", text)
	}
	return nil
}

// A quantity is a number as JSON-RPC writes it: 0x and hex digits.
type quantity uint64

func (q *quantity) UnmarshalText(text []byte) error {
	digits, ok := strings.CutPrefix(string(text), "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return fmt.Errorf("%.80q: want 0x and a number in hex", text)
	}
	*q = quantity(n)
	return nil
}
