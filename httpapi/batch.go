package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// Limits of a batch.
const (
	maxBatch     = 1000
	maxBatchBody = 512 << 10
)

// A batchItem is one address of a batch, and what became of it.
type batchItem struct {
	req   screenRequest
	id    string
	hasID bool
	chain address.Chain
	named error    // why the name of the chain is no full one
	bad   *problem // why it has no result
	res   screening.Result
}

// screenBatch answers a POST to /api/v1/screen/batch.
func (e *exchange) screenBatch() ([]byte, *problem) {
	if p := e.checkContent(); p != nil {
		return nil, p
	}
	if p := e.enter(true); p != nil {
		return nil, p
	}
	e.waitTurn()
	body, p := e.readBody(max(maxBatchBody, e.MaxBody))
	if p != nil {
		return nil, p
	}
	e.batches <- struct{}{}
	defer func() { <-e.batches }()
	var items []batchItem
	var at *string
	e.takeTurn(func() { items, at, p = readBatch(body) })
	if p != nil {
		return nil, p
	}
	lists := lists(e.screener)
	if at != nil {
		if lists, p = e.listsAt(*at); p != nil {
			return nil, p
		}
	}
	valid, unlisted := 0, error(nil)
	e.takeTurn(func() { valid, unlisted = e.screenItems(lists, items) })
	e.now = time.Now()
	if valid > 0 {
		if p := e.chargeBatch(valid, body); p != nil { // before errors that are not the client's
			return nil, p
		}
	}
	if unlisted != nil {
		return nil, e.failed("", unlisted)
	}
	granted := e.grantItems(items)
	if p := e.recordItems(items); p != nil {
		return nil, p
	}
	e.screened = granted
	if e.Observe != nil {
		for i := range items {
			if items[i].bad == nil {
				e.batch = append(e.batch, items[i].res)
			}
		}
	}
	e.takeTurn(func() { body = e.answerBatch(lists, items) })
	return body, nil
}

// chargeBatch is charge for a batch, which lets other batches go on while it waits for the
// Meter.
func (e *exchange) chargeBatch(n int, body []byte) *problem {
	<-e.batches
	defer func() { e.batches <- struct{}{} }()
	return e.charge(n, body)
}

// takeTurn waits for its turn and calls f. Batches compute on half of the processors at
// most, and f yields to others now and then, because many of them at once would delay
// single requests by seconds.
func (e *exchange) takeTurn(f func()) {
	e.turns <- struct{}{}
	defer func() { <-e.turns }()
	f()
}

// waitTurn waits for a turn and leaves it to the next at once. Requests for batches, and
// those that are not admitted, begin in this way: of thousands that arrive at once, only
// some are ever ready to run, so a single request of a key that arrives between them runs
// after these, not after all. Each lets others run before, because a connection with many
// such requests in its buffer would answer them all before it waits.
func (e *exchange) waitTurn() {
	runtime.Gosched()
	e.takeTurn(func() {})
}

// screenItems screens the items against one snapshot of the lists. It returns how
// many have a valid address, and the error of the lists if they cannot answer.
func (e *exchange) screenItems(lists lists, items []batchItem) (valid int, unlisted error) {
	for i := range items {
		it := &items[i]
		if it.bad != nil {
			continue
		}
		e.hide(it.req.Address)
		if it.req.Chain == "" { // it is found from the address
			continue
		}
		it.chain, it.named = address.ParseChain(it.req.Chain)
	}
	for range maxSnapshots {
		digest, again := "", false
		valid, unlisted = 0, nil
		for i := range items {
			it := &items[i]
			if it.bad != nil {
				continue
			}
			var err error
			it.res, _, err = lists.ScreenInput(it.req.Chain, it.req.Address)
			if err != nil || it.named != nil || it.req.Chain == "" {
				it.chain = it.res.Address.Chain()
			}
			pace.Step(i)
			if isInput(err) {
				if it.bad = e.checkItem(it, err); it.bad != nil {
					continue
				}
				err = nil
			}
			switch {
			case err != nil:
				unlisted = err
			case digest == "":
				digest = it.res.Digest()
			case digest != it.res.Digest(): // a list was replaced during the batch
				again = true
			}
			valid++
		}
		if !again {
			break
		}
	}
	return valid, unlisted
}

// checkItem returns the problem of an item whose address or chain is wrong, or nil if the address
// is listed whatever else is wrong.
func (e *exchange) checkItem(it *batchItem, err error) *problem {
	switch {
	case len(it.res.Labels) > 0:
		return nil
	case it.named != nil:
		return e.failed(it.req.Chain, it.named)
	case it.req.Chain == "":
		v := detect(it.req.Address)
		return &problem{Code: v.Code, Field: v.Field, Reason: v.Reason, Detail: v.Detail, SuggestedChain: v.SuggestedChain}
	}
	return e.failed(it.req.Chain, err)
}

// maxSnapshots bounds the repetitions of a batch because a list was replaced.
const maxSnapshots = 10

// grantItems marks the items beyond the charged number, and returns how many remain.
func (e *exchange) grantItems(items []batchItem) (granted int) {
	for i := range items {
		it := &items[i]
		switch {
		case it.bad != nil:
		case granted < e.charged:
			granted++
		default:
			it.bad = &problem{Code: quotaExceeded, Detail: fmt.Sprintf("The quota of %d screenings in a calendar month (UTC) ended before this item. It was not screened.", e.caller.Quota)}
		}
	}
	return granted
}

// recorders is the number of items that are recorded at once, so that those that
// wait for the disk wait together.
const recorders = 32

// recordItems gives the answered items to Options.Audit.
func (e *exchange) recordItems(items []batchItem) *problem {
	var todo []int
	for i := range items {
		if items[i].bad == nil {
			if e.echoed || e.Audit != nil {
				e.hide(screened(items[i].req, &items[i].res))
			}
			todo = append(todo, i)
		}
	}
	if e.Audit == nil {
		return nil
	}
	errs := make([]error, min(recorders, len(todo)))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					errs[w] = fmt.Errorf("panic: %v", v)
				}
			}()
			for k := w; k < len(todo) && errs[w] == nil; k += len(errs) {
				it := &items[todo[k]]
				errs[w] = e.Audit(e.Context(), e.recordOf(todo[k], it.chain, it.req, it.res))
			}
		})
	}
	wg.Wait()
	return e.unrecorded(errors.Join(errs...))
}

// A batchResult is the answer to a batch.
type batchResult struct {
	Results []json.RawMessage `json:"results"` // each a result or an itemProblem
}

// An itemProblem is why an item has no result.
type itemProblem struct {
	ID *string `json:"id,omitempty"`
	*problem
}

// answerBatch returns the answer.
func (e *exchange) answerBatch(lists lists, items []batchItem) []byte {
	answer := batchResult{Results: make([]json.RawMessage, len(items))}
	status, digest, version := lists.Sources(), "", score.Latest().Version()
	if e.asOf.IsZero() {
		digest = e.screener.Digest()
	}
	for i := range items {
		it := &items[i]
		pace.Step(i)
		var id *string
		if it.hasID {
			id = &it.id
		}
		if it.bad != nil {
			it.bad.describe()
			answer.Results[i] = marshal(itemProblem{id, it.bad})
			continue
		}
		req := it.req
		if c, err := address.ParseChain(req.Chain); it.chain != "" && (err != nil || c != it.chain) {
			req.Chain = string(it.chain)
		}
		r := newResult(req, &it.res)
		r.ID = id
		answer.Results[i] = marshal(r)
		status, digest, version = it.res.Sources(), it.res.Digest(), it.res.ScoringVersion
	}
	return e.withSnapshot(marshal(answer), status, digest, version, e.now, e.asOf)
}

// readBatch reads the body of a batch, or returns its problem. Invalid items
// have their own problems.
func readBatch(body []byte) (items []batchItem, at *string, p *problem) {
	fields, p := readObject(body)
	if p != nil {
		return nil, nil, p
	}
	value, ok := fields["items"]
	if !ok {
		return nil, nil, absent("items")
	}
	list, ok := value.([]any)
	switch {
	case !ok:
		return nil, nil, wrongType("items", "an array", value)
	case len(list) > maxBatch:
		return nil, nil, &problem{Code: bodyTooLarge, Detail: fmt.Sprintf("A batch may have at most %d items.", maxBatch)}
	case len(list) == 0:
		return nil, nil, &problem{Code: missingField, Field: "items", Reason: "empty", Detail: "The field items has no item."}
	}
	if at, p = fields.optionalText("at"); p != nil {
		return nil, nil, p
	}
	items = make([]batchItem, len(list))
	for i := range list {
		items[i] = newBatchItem(list[i])
	}
	return items, at, nil
}

// newBatchItem returns an item of a batch.
func newBatchItem(value any) (it batchItem) {
	fields, ok := value.(object)
	if !ok {
		it.bad = &problem{Code: invalidType, Reason: jsonType(value), Detail: "The item is not a JSON object, but " + article(jsonType(value)) + "."}
		return it
	}
	it.bad = fields.wantTexts("address")
	for _, optional := range []string{"chain", "id"} {
		if _, ok := fields[optional]; ok && it.bad == nil {
			it.bad = fields.wantTexts(optional)
		}
	}
	it.id, it.hasID = fields["id"].(string)
	it.req = screenRequest{Address: fields.text("address"), Chain: fields.text("chain")}
	return it
}
