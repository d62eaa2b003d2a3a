package stablecoin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// maxTime is the last second of the year 9999, the last that RFC 3339 can express.
const maxTime = 253402300799

// maxBlock exceeds the number of any block. Without it, a node could make Load count
// forever.
const maxBlock = 1 << 40

// A reader reads the events of a contract on an EVM chain. It must load once at a time.
type reader struct {
	Contract
	contract       account
	chainID        uint64
	added, removed hash // the topics of the events
	maxRange       uint64
	stateFile      string

	node  node
	size  uint64 // the number of blocks to ask about next
	state *state // nil until the first load
}

// newReader returns the reader of a contract, from the node at the endpoint.
func newReader(c Contract, endpoint string, opts *Options) (*reader, error) {
	r := &reader{Contract: c, node: node{url: endpoint, allowHTTP: opts.AllowHTTP, client: opts.Client}}
	r.maxRange = min(cmp.Or(opts.MaxRange, 50_000), maxBlock)
	r.size = r.maxRange
	if opts.StateFile != "" {
		r.stateFile = opts.StateFile + "." + string(c.Chain)
	}
	id, ok := strings.CutPrefix(c.Chain.CAIP2(), "eip155:")
	var err error
	if r.chainID, err = strconv.ParseUint(id, 10, 64); err != nil || !ok {
		return r, errors.New("the chain has no id by EIP-155")
	}
	if err := r.contract.UnmarshalText([]byte(strings.ToLower(c.Address))); err != nil {
		return r, fmt.Errorf("contract: address %w", err)
	}
	for _, event := range []string{c.Added, c.Removed} {
		if !strings.HasSuffix(event, "(address)") {
			return r, fmt.Errorf("contract: event %.80q, want one of the form Name(address)", event)
		}
	}
	if c.Added == c.Removed {
		return r, fmt.Errorf("contract: %.80q adds and removes", c.Added)
	}
	r.added, r.removed = topic(c.Added), topic(c.Removed)
	return r, nil
}

// load brings the state up to date and returns the freezes.
func (r *reader) load(ctx context.Context) (freezes, error) {
	if r.state == nil {
		st, err := r.restore()
		if err != nil {
			return freezes{}, err
		}
		r.state = st
	}
	r.node.bytes = 0
	if err := r.update(ctx); err != nil {
		return freezes{}, err
	}
	st := r.state
	if st.Events == 0 {
		return freezes{}, fmt.Errorf("contract %s had no events: the node does not have its history, or FirstBlock is wrong", r.Address)
	}
	all := freezes{events: st.Events, asOf: time.Unix(st.Head.Time, 0).UTC()}
	for _, l := range st.sorted() {
		a, err := address.Normalize(r.Chain, l.Account.String())
		if err != nil {
			return freezes{}, err
		}
		e := sources.Entry{Address: a, Ref: fmt.Sprintf("%v:%d", l.Tx, l.Index), Name: "Frozen by " + r.Issuer, ListedAt: time.Unix(l.Time, 0).UTC()}
		if l.Ended != 0 {
			e.Until = time.Unix(l.Ended, 0).UTC()
		}
		all.entries = append(all.entries, e)
	}
	return all, nil
}

// update reads the events up to the last final block. What was read before an
// error stays read.
func (r *reader) update(ctx context.Context) (err error) {
	var id quantity
	if err := r.node.call(ctx, &id, "eth_chainId"); err != nil {
		return err
	}
	if uint64(id) != r.chainID {
		return fmt.Errorf("the node is one of chain %d, want %d", id, r.chainID)
	}
	head, err := r.node.block(ctx, "finalized")
	if err != nil {
		return err
	}
	if r.state.Head != (block{}) {
		// Everything that was read is in this block or below.
		b, err := r.node.blockAt(ctx, r.state.Head.Number)
		if err != nil {
			return fmt.Errorf("the last block that was read: %w", err)
		}
		if b.Hash != r.state.Head.Hash {
			r.state = r.empty()
		}
	}
	if r.state.Head == (block{}) {
		var code data
		if err := r.node.call(ctx, &code, "eth_getCode", r.contract, "latest"); err != nil {
			return err
		}
		if len(code) == 0 {
			return fmt.Errorf("there is no contract at %v", r.contract)
		}
	}
	defer func() {
		if saveErr := r.save(); err == nil {
			err = saveErr
		}
	}()
	if head.Number > r.state.Head.Number || r.state.Head == (block{}) {
		r.state.Head = head // else the node lags behind the node that was asked last
	}
	return r.read(ctx)
}

// read reads the events of all blocks up to the head of the state.
func (r *reader) read(ctx context.Context) error {
	st := r.state
	for st.Next <= st.Head.Number {
		from := st.Next
		to := min(st.Head.Number, from+r.size-1)
		var result json.RawMessage
		err := r.node.call(ctx, &result, "eth_getLogs", map[string]any{
			"fromBlock": tag(from), "toBlock": tag(to),
			"address": r.contract,
			"topics":  [][]hash{{r.added, r.removed}},
		})
		if err != nil && ctx.Err() == nil && isTooMuch(err) && from < to {
			r.size = (to - from + 1) / 2
			continue
		}
		var events []event
		if err == nil {
			events, err = r.decode(result, from, to)
		}
		if err == nil {
			err = r.date(ctx, events)
		}
		if err == nil {
			err = st.apply(events)
		}
		if err != nil {
			return fmt.Errorf("blocks %d to %d: %w", from, to, err)
		}
		st.Next = to + 1
		// Ask for a little more next time: the node may have refused a crowded range.
		r.size = min(r.size+r.size/8+1, r.maxRange)
	}
	return nil
}

// decode reads the result of eth_getLogs for the blocks from..to, and sorts it by place.
// A log that was not requested, or that does not have the form of its event, is an error:
// such an answer may also omit logs.
func (r *reader) decode(result []byte, from, to uint64) ([]event, error) {
	var logs []log
	if err := json.Unmarshal(result, &logs); err != nil {
		return nil, err
	}
	if logs == nil {
		return nil, errors.New("null, want an array")
	}
	events := make([]event, len(logs))
	for i := range logs {
		e, err := r.event(&logs[i])
		if err == nil && (e.Block < from || e.Block > to) {
			err = fmt.Errorf("of block %d, want %d to %d", e.Block, from, to)
		}
		if err != nil {
			return nil, fmt.Errorf("log %d: %w", i, err)
		}
		events[i] = e
	}
	slices.SortFunc(events, func(a, b event) int { return a.compare(b.place) })
	for i := 1; i < len(events); i++ {
		if events[i].compare(events[i-1].place) == 0 {
			return nil, fmt.Errorf("log %d of block %d is given twice", events[i].Index, events[i].Block)
		}
	}
	return events, nil
}

// event reads one log.
func (r *reader) event(l *log) (event, error) {
	if l.Address == nil || l.BlockNumber == nil || l.BlockHash == nil || l.Tx == nil || l.Index == nil || len(l.Topics) == 0 {
		return event{}, errors.New("a field is missing: a log of a block has an address, topics, a transaction, and its place")
	}
	word := []byte(l.Data)
	if len(l.Topics) == 2 && len(word) == 0 {
		word = l.Topics[1][:] // the address is indexed: USDC's is, USDT's is not
	}
	switch {
	case l.Removed:
		return event{}, errors.New("it is of a block that was removed")
	case l.BlockTime > maxTime:
		return event{}, fmt.Errorf("time %d of its block", l.BlockTime)
	case *l.Address != r.contract:
		return event{}, fmt.Errorf("of contract %v, which was not asked for", *l.Address)
	case l.Topics[0] != r.added && l.Topics[0] != r.removed:
		return event{}, fmt.Errorf("of topic %v, which was not asked for", l.Topics[0])
	case len(l.Topics) > 2 || len(l.Topics) == 2 && len(l.Data) > 0 || len(word) != 32:
		return event{}, fmt.Errorf("%d topics and %d bytes of data, which is not the form of its event", len(l.Topics), len(l.Data))
	case !bytes.HasPrefix(word, make([]byte, 12)):
		return event{}, fmt.Errorf("argument %x is not an address", word)
	}
	return event{
		account:   account(word[12:]),
		added:     l.Topics[0] == r.added,
		place:     place{Block: uint64(*l.BlockNumber), Index: uint64(*l.Index), Tx: *l.Tx, Time: int64(l.BlockTime)},
		blockHash: *l.BlockHash,
	}, nil
}

// date fills in the times of the events that have none.
func (r *reader) date(ctx context.Context, events []event) error {
	var last block
	for i := range events {
		e := &events[i]
		if e.Block == r.state.Head.Number && e.blockHash != r.state.Head.Hash {
			return fmt.Errorf("a log is of another block %d than the last", e.Block)
		}
		if e.Time != 0 {
			continue
		}
		if last.Number != e.Block || last.Hash == (hash{}) {
			b, err := r.node.blockAt(ctx, e.Block)
			if err != nil {
				return err
			}
			last = b
		}
		if last.Hash != e.blockHash {
			return fmt.Errorf("a log is of another block %d than the node has", e.Block)
		}
		e.Time = last.Time
	}
	return nil
}
