package stablecoin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/sha3"

	"github.com/walletscreen/walletscreen/address"
)

const (
	// maxTime is the last second of the year 9999, the last that RFC 3339 can express.
	maxTime = 253402300799
	// maxBlock exceeds the number of any block. Without it, a node could make Load count
	// forever.
	maxBlock = 1 << 40
	// maxEvents limits the events of a contract.
	maxEvents = 10_000_000
)

// A reader reads the events of a contract on an EVM chain. It must load once at a time.
type reader struct {
	Contract
	contract       data
	chainID        uint64
	added, removed data // the topics of the events
	stateFile      string

	node     endpoint
	maxRange uint64 // limits the blocks of one request
	size     uint64 // the number of blocks to ask about next
	state    *state // nil until the first load
	last     block  // the last one asked about for its time
}

// newReader returns the reader of a contract, from the node at the endpoint.
func newReader(c Contract, node endpoint) (*reader, error) {
	r := &reader{Contract: c, node: node, maxRange: cmp.Or(node.opts.maxRange, 50_000)}
	r.size = r.maxRange
	if node.opts.StateFile != "" {
		r.stateFile = node.opts.StateFile + "." + string(c.Chain)
	}
	id, ok := strings.CutPrefix(c.Chain.CAIP2(), "eip155:")
	var err error
	if r.chainID, err = strconv.ParseUint(id, 10, 64); err != nil || !ok {
		return r, errors.New("the chain has no id by EIP-155")
	}
	if err := r.contract.UnmarshalText([]byte(c.Address)); err != nil || len(r.contract) != accountLen {
		return r, fmt.Errorf("contract: address %.80q: want 0x and 40 hex digits", c.Address)
	}
	if !strings.HasSuffix(c.Added, "(address)") || !strings.HasSuffix(c.Removed, "(address)") || c.Added == c.Removed {
		return r, fmt.Errorf("contract: events %.80q and %.80q, want two of the form Name(address)", c.Added, c.Removed)
	}
	r.added, r.removed = topic(c.Added), topic(c.Removed)
	return r, nil
}

// topic returns the topic under which an event is logged: the hash of its name
// and the types of its arguments.
func topic(signature string) data {
	h := sha3.NewLegacyKeccak256()
	io.WriteString(h, signature)
	return data(fmt.Sprintf("%#x", h.Sum(nil)))
}

// load reads the events up to the last final block and returns all of them, with the time of
// that block. What was read before an error stays read.
func (r *reader) load(ctx context.Context) (events []event, asOf time.Time, err error) {
	if r.state == nil {
		if r.state, err = r.restore(); err != nil {
			return nil, asOf, err
		}
	}
	r.node.bytes = 0
	if err := r.seek(ctx); err != nil {
		return nil, asOf, err
	}
	err = r.read(ctx)
	if saveErr := r.save(); err == nil {
		err = saveErr
	}
	if err == nil && len(r.state.Events) == 0 {
		err = fmt.Errorf("contract %s had no events: the node does not have its history, or FirstBlock is wrong", r.Address)
	}
	return r.state.Events, time.Unix(r.state.Head.Time, 0).UTC(), err
}

// seek checks that the node has the contract and the blocks that were read, else it starts
// again, and moves the head to the last final block.
func (r *reader) seek(ctx context.Context) error {
	var id quantity
	if err := r.node.call(ctx, &id, "eth_chainId"); err != nil {
		return err
	}
	if uint64(id) != r.chainID {
		return fmt.Errorf("the node is one of chain %d, want %d", id, r.chainID)
	}
	head, err := r.block(ctx, "finalized")
	if err != nil {
		return err
	}
	if r.state.Head != (block{}) {
		// Everything that was read is in this block or below.
		b, err := r.block(ctx, tag(r.state.Head.Number))
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
		if len(code) <= len("0x") {
			return fmt.Errorf("there is no contract at %s", r.contract)
		}
	}
	if head.Number > r.state.Head.Number || r.state.Head == (block{}) {
		r.state.Head = head // else the node lags behind the node that was asked last
	}
	return nil
}

// read reads the events of all blocks up to the head of the state.
func (r *reader) read(ctx context.Context) error {
	st := r.state
	for st.Next <= st.Head.Number {
		from := st.Next
		to := min(st.Head.Number, from+r.size-1)
		var logs []log
		err := r.node.call(ctx, &logs, "eth_getLogs", map[string]any{
			"fromBlock": tag(from), "toBlock": tag(to),
			"address": r.contract,
			"topics":  [][]data{{r.added, r.removed}},
		})
		if err != nil && ctx.Err() == nil && isTooMuch(err) && from < to {
			r.size = (to - from + 1) / 2
			continue
		}
		var events []event
		if err == nil {
			events, err = r.events(ctx, logs, from, to)
		}
		if err == nil && len(st.Events)+len(events) > maxEvents {
			err = fmt.Errorf("more than %d events", maxEvents)
		}
		if err != nil {
			return fmt.Errorf("blocks %d to %d: %w", from, to, err)
		}
		st.Events = append(st.Events, events...)
		st.Next = to + 1
		// Ask for a little more next time: the node may have refused a crowded range.
		r.size = min(r.size+r.size/8+1, r.maxRange)
	}
	return nil
}

// A block identifies a block.
type block struct {
	Number uint64 `json:"number"`
	Hash   data   `json:"hash"`
	Time   int64  `json:"time"`
}

// block returns the block of the given number or tag.
func (r *reader) block(ctx context.Context, which string) (block, error) {
	var answer *struct {
		Number *quantity `json:"number"`
		Hash   data      `json:"hash"`
		Time   *quantity `json:"timestamp"`
	}
	err := r.node.call(ctx, &answer, "eth_getBlockByNumber", which, false)
	switch {
	case err != nil:
		return block{}, err
	case answer == nil:
		return block{}, fmt.Errorf("block %s: the node does not have it", which)
	case answer.Number == nil || len(answer.Hash) != wordLen || answer.Time == nil || *answer.Number > maxBlock || *answer.Time > maxTime:
		return block{}, fmt.Errorf("block %s: a field is missing, or wrong", which)
	}
	b := block{uint64(*answer.Number), answer.Hash, int64(*answer.Time)}
	if which != "finalized" && which != tag(b.Number) {
		return block{}, fmt.Errorf("got block %s, want %s", tag(b.Number), which)
	}
	return b, nil
}

// tag returns the name of a block in a call.
func tag(number uint64) string { return fmt.Sprintf("%#x", number) }

// A log is a log as eth_getLogs returns it, without the fields that are not read.
type log struct {
	Address     data      `json:"address"`
	Topics      []data    `json:"topics"`
	Data        data      `json:"data"`
	BlockNumber *quantity `json:"blockNumber"`
	BlockHash   data      `json:"blockHash"`
	// BlockTime is not in the standard, but newer nodes have it, which saves a request
	// for each block. Zero means that it is missing.
	BlockTime quantity  `json:"blockTimestamp"`
	Tx        data      `json:"transactionHash"`
	Index     *quantity `json:"logIndex"`
	Removed   bool      `json:"removed"`
}

// date fills in the time of a log that has none.
func (r *reader) date(ctx context.Context, l *log) (err error) {
	if l.BlockTime != 0 || l.BlockNumber == nil {
		return nil
	}
	if number := uint64(*l.BlockNumber); r.last.Number != number || r.last.Hash != l.BlockHash {
		if r.last, err = r.block(ctx, tag(number)); err != nil {
			return err
		}
	}
	if r.last.Hash != l.BlockHash {
		return fmt.Errorf("of another block %d than the node has", r.last.Number)
	}
	l.BlockTime = quantity(r.last.Time)
	return nil
}

// events returns the events in the result of eth_getLogs for the blocks from..to, in the
// order of the chain. A log that was not requested, or that does not have the form of its
// event, is an error: such an answer may also omit logs.
func (r *reader) events(ctx context.Context, logs []log, from, to uint64) ([]event, error) {
	if logs == nil {
		return nil, errors.New("null, want an array")
	}
	events := make([]event, len(logs))
	for i := range logs {
		var e event
		err := r.date(ctx, &logs[i])
		if err == nil {
			e, err = r.event(&logs[i])
		}
		if err == nil && (e.Block < from || e.Block > to) {
			err = fmt.Errorf("of block %d, want %d to %d", e.Block, from, to)
		}
		if err != nil {
			return nil, fmt.Errorf("log %d: %w", i, err)
		}
		events[i] = e
	}
	compare := func(a, b event) int { return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Index, b.Index)) }
	slices.SortFunc(events, compare)
	for i := 1; i < len(events); i++ {
		if compare(events[i-1], events[i]) == 0 {
			return nil, fmt.Errorf("log %d of block %d is given twice", events[i].Index, events[i].Block)
		}
	}
	return events, nil
}

// event reads one log.
func (r *reader) event(l *log) (event, error) {
	if l.BlockNumber == nil || len(l.BlockHash) != wordLen || len(l.Tx) != wordLen || l.Index == nil || len(l.Topics) == 0 {
		return event{}, errors.New("a field is missing: a log of a block has an address, topics, a transaction, and its place")
	}
	word := l.Data
	if len(l.Topics) == 2 && word == "0x" {
		word = l.Topics[1] // the address is indexed: USDC's is, USDT's is not
	}
	switch {
	case l.Removed, uint64(*l.BlockNumber) == r.state.Head.Number && l.BlockHash != r.state.Head.Hash:
		return event{}, fmt.Errorf("of another block %d than the chain has", *l.BlockNumber)
	case l.BlockTime > maxTime:
		return event{}, fmt.Errorf("time %d of its block", l.BlockTime)
	case l.Address != r.contract:
		return event{}, fmt.Errorf("of contract %.80q, which was not asked for", l.Address)
	case l.Topics[0] != r.added && l.Topics[0] != r.removed:
		return event{}, fmt.Errorf("of topic %.80q, which was not asked for", l.Topics[0])
	case len(l.Topics) > 2 || len(l.Topics) == 2 && l.Data != "0x" || len(word) != wordLen:
		return event{}, fmt.Errorf("%d topics and %d digits of data, which is not the form of its event", len(l.Topics), len(l.Data))
	}
	account, ok := strings.CutPrefix(string(word), "0x"+strings.Repeat("0", 24))
	if !ok {
		return event{}, fmt.Errorf("argument %.80q is not an address", word)
	}
	a, err := address.Normalize(r.Chain, "0x"+account)
	return event{
		Address: a, Added: l.Topics[0] == r.added, Block: uint64(*l.BlockNumber), Index: uint64(*l.Index),
		Ref: fmt.Sprintf("%s:%d", l.Tx, *l.Index), Time: int64(l.BlockTime) * 1000,
	}, err
}
