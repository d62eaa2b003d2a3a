package stablecoin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/sha3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

const (
	// maxTime is the last second of the year 9999, the last that RFC 3339 can express.
	maxTime = 253402300799
	// maxBlock exceeds any block's number: a node must not make Load count forever.
	maxBlock = 1 << 40
)

// topic returns the topic under which an event is logged: the hash of its name
// and the types of its arguments.
func topic(signature string) string {
	h := sha3.NewLegacyKeccak256()
	io.WriteString(h, signature)
	return fmt.Sprintf("%#x", h.Sum(nil))
}

// loadEVM reads the events up to the last final block of an EVM chain. What was read before an
// error stays read.
func (r *reader) loadEVM(ctx context.Context) error {
	var id string
	if err := r.call(ctx, &id, "eth_chainId"); err != nil {
		return err
	}
	if got, want := fmt.Sprintf("eip155:%d", number(id)), r.chain.CAIP2(); got != want {
		return fmt.Errorf("the node is one of %s, want %s", got, want)
	}
	last, at, err := r.block(ctx, "finalized")
	if err == nil {
		r.Next = min(r.Next, last+1) // a node that was asked before may have named a block that was to come
		err = r.readTo(ctx, last)
	}
	switch {
	case err != nil:
		return err
	case len(r.Events) == 0:
		r.Next = r.first // another node may have them
		return fmt.Errorf("contract %s had no events: the node does not have its history", r.address)
	}
	r.AsOf = max(r.AsOf, at) // a node may lag behind another one that was asked before
	return nil
}

// readTo reads the events of all blocks up to last.
func (r *reader) readTo(ctx context.Context, last uint64) error {
	largest := cmp.Or(r.opts.maxRange, 50_000)
	size := largest
	for r.Next <= last {
		from := r.Next
		to := min(last, from+size-1)
		var logs []log
		err := r.call(ctx, &logs, "eth_getLogs", map[string]any{
			"fromBlock": tag(from), "toBlock": tag(to), "address": strings.ToLower(r.address),
			"topics": [][]string{{topic(r.added), topic(r.removed)}},
		})
		if err != nil && ctx.Err() == nil && isTooMuch(err) && from < to {
			size = (to - from + 1) / 2
			continue
		}
		if err == nil {
			err = r.replace(ctx, logs, from, to)
		}
		if err != nil {
			return fmt.Errorf("blocks %d to %d: %w", from, to, err)
		}
		r.Next = to + 1
		// Ask for a little more next time: the node may have refused a crowded range.
		size = min(size+size/8+1, largest)
	}
	return nil
}

// replace replaces the events of the blocks from..to by those in logs. A log that was not requested, or that
// does not have the form of its event, is an error: such an answer may also omit logs.
func (r *reader) replace(ctx context.Context, logs []log, from, to uint64) error {
	all := slices.DeleteFunc(slices.Clone(r.Events), func(e event) bool { return from <= e.Block && e.Block <= to })
	for i := range logs {
		e, err := r.event(ctx, &logs[i])
		if err == nil && (e.Block < from || e.Block > to) {
			err = fmt.Errorf("of block %d, want %d to %d", e.Block, from, to)
		}
		if err != nil {
			return fmt.Errorf("log %d: %w", i, err)
		}
		all = append(all, e)
	}
	slices.SortFunc(all, event.compare)
	for i := 1; i < len(all); i++ {
		if all[i-1].Block == all[i].Block && all[i-1].Index == all[i].Index {
			return fmt.Errorf("log %d of block %d is given twice", all[i].Index, all[i].Block)
		}
	}
	r.Events = all
	return nil
}

// block returns the number, and the Unix time, of the block of a number or tag.
func (r *reader) block(ctx context.Context, which string) (n uint64, at int64, err error) {
	var b struct{ Number, Timestamp string }
	err = r.call(ctx, &b, "eth_getBlockByNumber", which, false)
	n, at = number(b.Number), int64(number(b.Timestamp))
	if err == nil && (n > maxBlock || at <= 0 || at > maxTime || which != "finalized" && which != tag(n)) {
		err = fmt.Errorf("block %s: a field is missing, or wrong", which)
	}
	return n, at, err
}

// tag returns the name of a block in a call.
func tag(number uint64) string { return fmt.Sprintf("%#x", number) }

// A log is a log as eth_getLogs returns it, without the fields that are not read.
type log struct {
	Address string   `json:"address"`
	Topics  []string `json:"topics"`
	Data    string   `json:"data"`
	Block   string   `json:"blockNumber"`
	Time    string   `json:"blockTimestamp"` // of newer nodes, which saves a request for each block
	Tx      string   `json:"transactionHash"`
	Index   string   `json:"logIndex"`
	Removed bool     `json:"removed"`
}

// event reads one log. If it does not have the time of its block, the node is asked for that.
func (r *reader) event(ctx context.Context, l *log) (e event, err error) {
	n, index, at, tx := number(l.Block), number(l.Index), int64(number(l.Time)), strings.TrimPrefix(l.Tx, "0x")
	if n > maxBlock || index > maxBlock || l.Removed || !isBytes(tx, 32) || len(l.Topics) == 0 || len(l.Topics) > 2 {
		return e, errors.New("a log of a block has one topic or two, a transaction, and its place")
	}
	arguments := strings.Join(l.Topics[1:], "") + strings.TrimPrefix(l.Data, "0x") // USDC's is a topic, USDT's is data
	account, ok := strings.CutPrefix(strings.TrimPrefix(arguments, "0x"), strings.Repeat("0", 24))
	added := strings.EqualFold(l.Topics[0], topic(r.added))
	switch {
	case !strings.EqualFold(l.Address, r.address), !added && !strings.EqualFold(l.Topics[0], topic(r.removed)):
		return e, fmt.Errorf("topic %.80q of contract %.80q, which was not asked for", l.Topics[0], l.Address)
	case !ok || !isBytes(account, 20) || !strings.HasPrefix(l.Data, "0x"):
		return e, fmt.Errorf("its arguments are %.80q, want one address", arguments)
	case at > maxTime:
		return e, fmt.Errorf("its block has the time %q", l.Time)
	case at <= 0:
		if _, at, err = r.block(ctx, tag(n)); err != nil {
			return e, err
		}
	}
	a, err := address.Normalize(r.chain, "0x"+account)
	return event{Address: a, Added: added, Block: n, Index: index, Ref: fmt.Sprintf("0x%s:%d", strings.ToLower(tx), index), Time: at}, err
}

// get makes a request and calls read with the answer, which it may do more than once.
func (r *reader) get(ctx context.Context, req fetch.Request, read func(text []byte) error) error {
	req.Client, req.AllowHTTP, req.MaxBytes = r.opts.Client, r.opts.AllowHTTP, 32<<20
	_, err := fetch.Get(ctx, &req, func(body io.Reader) error {
		text, err := io.ReadAll(body)
		if err != nil {
			return err
		}
		err = read(text)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset >= int64(len(text)) {
			return fmt.Errorf("%w: %w", fetch.ErrAgain, err) // it breaks off, and may be whole next time
		}
		return err
	})
	return err
}

// call calls a method of JSON-RPC and unmarshals its result, which must not be null.
func (r *reader) call(ctx context.Context, result any, method string, params ...any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": append([]any{}, params...)})
	if err == nil {
		err = r.get(ctx, fetch.Request{Options: fetch.Options{URL: r.url}, Body: body}, func(text []byte) error { return parseAnswer(text, result) })
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// parseAnswer unmarshals the result in an answer of JSON-RPC.
func parseAnswer(text []byte, result any) error {
	var a struct {
		JSONRPC string
		ID      json.RawMessage
		Result  any
		Error   *struct {
			Code    int64
			Message string
		}
	}
	a.Result = result
	err := json.Unmarshal(text, &a)
	switch {
	case err != nil:
		return err
	case a.JSONRPC != "2.0":
		return errors.New("answer is not JSON-RPC 2.0")
	case a.Error != nil && a.Error.Code == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %.300q", fetch.ErrAgain, a.Error.Message)
	case a.Error != nil:
		return fmt.Errorf("%w of code %d: %.300q", errAnswer, a.Error.Code, a.Error.Message)
	case string(a.ID) != "1":
		return errors.New("answer has the id of another call")
	case a.Result == nil:
		return errors.New("the result is null")
	}
	return nil
}

var errAnswer = errors.New("the endpoint answers with an error")

// isTooMuch reports whether a call that failed with err may succeed if it asks for
// less. Endpoints share no error code for that, so every answer with an error counts.
func isTooMuch(err error) bool {
	if status, ok := errors.AsType[*fetch.StatusError](err); ok {
		return slices.Contains([]int{400, 408, 413, 500, 504}, status.Status)
	}
	return errors.Is(err, errAnswer) || errors.Is(err, fetch.ErrTooLarge) || errors.Is(err, fetch.ErrStalled)
}

// hide returns an error with the text of err without the words of some length in the endpoint's
// address: they may be secret.
func (r *reader) hide(err error) error {
	text := err.Error()
	decoded, _ := url.PathUnescape(r.url) // "" if it is malformed
	for _, word := range strings.FieldsFunc(r.url+"/"+decoded, func(c rune) bool { return strings.ContainsRune("/?&=:@", c) }) {
		if len(word) >= 6 {
			text = strings.ReplaceAll(text, word, "…")
		}
	}
	return errors.New(text)
}

// isBytes reports whether s is the hex digits of n bytes.
func isBytes(s string, n int) bool {
	return len(s) == 2*n && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// number returns the number that JSON-RPC writes as 0x and hex digits, and for any other text the
// largest one, which is too large for everything.
func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil || !strings.HasPrefix(text, "0x") {
		return math.MaxUint64
	}
	return n
}
