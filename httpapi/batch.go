package httpapi

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// Limits of a batch.
const (
	maxBatch     = 1000
	maxBatchBody = 512 << 10
	maxBatches   = 32 // that are screened and not answered, beside those that compute: answers take 20 times the memory of a body
	maxOfCaller  = 24 // of them
	shares       = 64 // of callers by their hash, so that two callers may have one
)

// A batchItem is one address of a batch, and its answer.
type batchItem struct {
	text, name string  // its address and its chain
	id         *string // nil if it has none

	chain address.Chain
	named error    // why the name of the chain is no full one
	bad   *problem // why it has no result
	*itemAnswer
}

// An itemAnswer is what was found about an item.
type itemAnswer struct {
	found  screening.Result
	err    error  // of its screening
	answer result // of an item that was granted
}

// screenBatch answers a POST to /api/v1/screen/batch. What takes long, or may wait, comes before
// the charge; nothing is recorded before the answer is ready to be sent.
func (e *exchange) screenBatch() ([]byte, *problem) {
	if p := e.enter(true); p != nil {
		return nil, p
	}
	e.waitTurn()
	body, p := e.readBody(maxBatchBody)
	if p != nil {
		return nil, p
	}
	items, at, p := e.readBatch(body)
	if p != nil {
		return nil, p
	}
	lists := lists(e.screener)
	if !at.IsZero() { // to open them is dear, so all items are charged before
		if p := e.charge(len(items)); p != nil {
			return nil, p
		}
		if len(e.Header["Idempotency-Key"]) == 0 {
			e.refundRest(0) // others have it meanwhile; otherwise it is the charge that is repeated
		}
		if lists, p = e.openPast(at); p != nil {
			return nil, p
		}
	}
	for _, places := range []turns{e.shares[crc32.ChecksumIEEE([]byte(e.caller.ID))%shares], e.batches} {
		if p := e.take(places); p != nil {
			return nil, p
		}
		defer func() { <-places }()
	}
	answers := make([]itemAnswer, len(items))
	for i := range items {
		items[i].itemAnswer = &answers[i]
	}
	var valid int
	var unlisted error
	p = e.takeTurn(func() *problem {
		if valid, unlisted = e.screenItems(lists, items); time.Now().Before(e.sendBy) {
			return nil
		}
		return overload() // before the charge
	})
	if p != nil {
		return nil, p
	}
	e.now = time.Now()
	e.refundRest(valid)
	if e.charged == 0 && valid > 0 {
		if p := e.charge(valid); p != nil { // before errors that are not the client's
			return nil, p
		}
	}
	if unlisted != nil {
		return nil, e.failed(unlisted)
	}
	p = e.takeTurn(func() *problem {
		e.grantItems(items)
		body = e.answerBatch(lists, items)
		return nil
	})
	return body, p
}

// readBatch reads the body of a batch, in turn with others.
func (e *exchange) readBatch(body []byte) (items []batchItem, at time.Time, p *problem) {
	p = e.takeTurn(func() (p *problem) {
		if p = e.hold(0); p != nil {
			return p
		}
		if p = e.readObject(body); p == nil {
			items, p = newBatch(e.fields["items"].([]any))
		}
		if text, ok := e.fields["at"].(string); ok && p == nil {
			at, p = e.readAt(text)
		}
		clear(e.fields) // not held until the answer is read
		return p
	})
	return items, at, p
}

// takeTurn waits for its turn and calls f, unless it is too late. What takes long computes on half of the
// processors at most, because many at once would delay single requests by seconds.
func (e *exchange) takeTurn(f func() *problem) *problem {
	if p := e.take(e.turns); p != nil {
		return p
	}
	defer func() { <-e.turns }()
	return f()
}

// take waits for a turn, or returns the problem if it is too late.
func (e *exchange) take(t turns) *problem {
	ctx, cancel := context.WithDeadline(e.Context(), e.sendBy)
	defer cancel()
	if t.take(ctx) != nil {
		return overload()
	}
	if time.Now().After(e.sendBy) {
		<-t
		return overload()
	}
	return nil
}

// inTurn takes a turn and a place, calls f, and returns its answer in JSON.
func (e *exchange) inTurn(f func() (any, *problem)) (body []byte, p *problem) {
	p = e.takeTurn(func() *problem {
		if p := e.enter(false); p != nil { // not while it waited for the turn or a store
			return p
		}
		answer, p := f()
		if p == nil {
			body = marshal(&e.buf, answer)
		}
		return p
	})
	return body, p
}

// waitTurn waits for a turn and leaves it to the next at once. Requests for batches, and
// those that are not admitted, begin in this way: of thousands that arrive at once, only
// some are ever ready to run, so a single request of a key that arrives between them runs
// after these, not after all. Each lets others run before, because a connection with many
// such requests in its buffer would answer them all before it waits.
func (e *exchange) waitTurn() {
	runtime.Gosched()
	e.takeTurn(func() *problem { return nil })
}

// screenItems screens the items against one snapshot of the lists, until it is too late for the answer. It returns
// how many have a valid address, and the error of the lists if they cannot answer.
func (e *exchange) screenItems(lists lists, items []batchItem) (valid int, unlisted error) {
	for again := true; again && time.Now().Before(e.sendBy); { // until no list is replaced meanwhile
		digest := e.screener.Digest()
		mixed := e.screenOnce(lists, items, digest)
		again = e.asOf.IsZero() && (mixed || e.screener.Digest() != digest) // the past stays as it is
	}
	var notKept *problem // of all items that nothing is known about
	for i := range items {
		it := &items[i]
		if it.bad != nil {
			continue
		}
		if c := it.found.Address.Chain(); c != "" || it.err != nil || it.named != nil {
			it.chain = c
		}
		switch {
		case isInput(it.err):
			it.bad = e.checkItem(it, it.err)
		case errors.Is(it.err, screening.ErrNotLoaded) && !e.asOf.IsZero(): // other items may be listed
			if notKept == nil {
				notKept = e.failed(it.err) // which may wait for the store
			}
			it.bad = notKept
		case it.err != nil:
			unlisted = it.err
		}
		if it.bad == nil {
			valid++
		}
	}
	return valid, unlisted
}

// screenOnce screens the items, and reports whether a result is of other lists than a digest names.
func (e *exchange) screenOnce(lists lists, items []batchItem, digest string) (mixed bool) {
	for i := range items {
		if it := &items[i]; it.bad == nil && time.Now().Before(e.sendBy) {
			it.found, _, it.err = lists.ScreenInput(it.name, it.text)
			mixed = mixed || it.err == nil && it.found.Digest() != digest
		}
	}
	return mixed
}

// checkItem returns the problem of an item whose address or chain is wrong, or nil if the address
// is listed whatever else is wrong.
func (e *exchange) checkItem(it *batchItem, err error) *problem {
	var ticker *address.ParseError
	switch {
	case len(it.found.Labels) > 0:
		return nil
	case errors.As(it.named, &ticker) && ticker.Other != "":
		return e.failed(it.named)
	case it.name == "":
		return invalidInput(err, false)
	}
	return e.failed(err)
}

// grantItems answers as many items as are charged, and marks those beyond.
func (e *exchange) grantItems(items []batchItem) {
	for i := range items {
		it := &items[i]
		switch {
		case it.bad != nil:
		case len(e.screened) < e.charged:
			name := it.name
			if c, err := address.ParseChain(name); it.chain != "" && (err != nil || c != it.chain) {
				name = string(it.chain)
			}
			it.answer, _ = e.newResult(it.text, name, it.found)
			it.answer.ID = it.id
			e.screened = append(e.screened, e.record(i, it.chain, it.answer.Address, it.found))
		default:
			it.bad = &problem{Code: quotaExceeded, Detail: fmt.Sprintf("The quota of %d screenings in a calendar month (UTC) ended before this item. It was not screened.", e.caller.Quota)}
		}
	}
}

// An itemProblem is why an item has no result.
type itemProblem struct {
	ID *string `json:"id,omitempty"`
	*problem
}

// answerBatch returns the answer.
func (e *exchange) answerBatch(lists lists, items []batchItem) []byte {
	results := make([]any, len(items)) // each a result or an itemProblem
	status, digest, version := lists.Sources(), "", score.Latest().Version()
	if e.asOf.IsZero() {
		digest = e.screener.Digest()
	}
	for i := range items {
		it := &items[i]
		if it.bad != nil {
			it.bad.describe()
			results[i] = itemProblem{it.id, it.bad}
			continue
		}
		results[i] = &it.answer
		status, digest, version = it.found.Sources(), it.found.Digest(), it.found.ScoringVersion
	}
	return e.withSnapshot(marshal(&e.buf, map[string]any{"results": results}), nil, status, digest, version)
}

// newBatch returns the items of a batch, or its problem. Invalid items have their own
// problems.
func newBatch(list []any) ([]batchItem, *problem) {
	switch {
	case len(list) > maxBatch:
		return nil, &problem{Code: bodyTooLarge, Detail: fmt.Sprintf("A batch may have at most %d items.", maxBatch)}
	case len(list) == 0:
		return nil, &problem{Code: missingField, Field: "items", Reason: "empty", Detail: "The field items has no item."}
	}
	items := make([]batchItem, len(list))
	for i, value := range list {
		it := &items[i]
		fields, ok := value.(object)
		if !ok {
			it.bad = &problem{Code: invalidType, Reason: jsonType(value), Detail: "The item is not a JSON object, but " + article(jsonType(value)) + "."}
			continue
		}
		it.bad = fields.want([]string{"address"}, []string{"chain", "id"})
		if id, ok := fields["id"].(string); ok {
			it.id = &id
		}
		it.text, _ = fields["address"].(string)
		if it.name, _ = fields["chain"].(string); it.name != "" { // else it is found from the address
			it.chain, it.named = address.ParseChain(it.name)
		}
	}
	return items, nil
}
