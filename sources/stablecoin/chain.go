package stablecoin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// maxTime is the last second of the year 9999, the last that RFC 3339 can express.
const maxTime = 253402300799

// maxBlock exceeds the number of any block. Without it, a node could make Load count
// forever.
const maxBlock = 1 << 40

// maxListed limits the accounts that are held.
const maxListed = 10_000_000

// A block identifies a block.
type block struct {
	Number uint64 `json:"number"`
	Hash   hash   `json:"hash"`
	Time   int64  `json:"time"`
}

// block returns the block of the given number or tag, and false if the node has
// no such block.
func (n *node) block(ctx context.Context, which string) (block, bool, error) {
	var answer *struct {
		Number *quantity `json:"number"`
		Hash   *hash     `json:"hash"`
		Time   *quantity `json:"timestamp"`
	}
	if err := n.call(ctx, &answer, "eth_getBlockByNumber", which, false); err != nil || answer == nil {
		return block{}, false, err
	}
	if answer.Number == nil || answer.Hash == nil || answer.Time == nil || *answer.Number > maxBlock || *answer.Time > maxTime {
		return block{}, false, fmt.Errorf("block %s: a field is missing, or wrong", which)
	}
	return block{uint64(*answer.Number), *answer.Hash, int64(*answer.Time)}, true, nil
}

// blockAt is block for a number.
func (n *node) blockAt(ctx context.Context, number uint64) (block, bool, error) {
	b, ok, err := n.block(ctx, tag(number))
	if ok && b.Number != number {
		return block{}, false, fmt.Errorf("got block %d, want %d", b.Number, number)
	}
	return b, ok, err
}

// tag returns the name of a block in a call.
func tag(number uint64) string { return fmt.Sprintf("%#x", number) }

// head returns the last block that is final.
func (s *source) head(ctx context.Context) (block, error) {
	which := "finalized"
	if s.opts.Confirmations > 0 {
		which = "latest"
	}
	head, ok, err := s.node.block(ctx, which)
	if err == nil && !ok {
		err = errors.New("the node knows none")
	}
	if err != nil {
		return block{}, fmt.Errorf("%s block: %w", which, err)
	}
	if s.opts.Confirmations == 0 {
		return head, nil
	}
	if head.Number < s.opts.Confirmations {
		return block{}, fmt.Errorf("the chain has %d blocks, and none with %d above it", head.Number, s.opts.Confirmations)
	}
	final, ok, err := s.node.blockAt(ctx, head.Number-s.opts.Confirmations)
	if err == nil && !ok {
		err = fmt.Errorf("the node has no block %d", head.Number-s.opts.Confirmations)
	}
	return final, err
}

// update reads the events up to the last final block. What was read before an
// error stays read.
func (s *source) update(ctx context.Context) (err error) {
	var id quantity
	if err := s.node.call(ctx, &id, "eth_chainId"); err != nil {
		return err
	}
	if uint64(id) != s.opts.ChainID {
		return fmt.Errorf("the node is one of chain %d, want %d", id, s.opts.ChainID)
	}
	head, err := s.head(ctx)
	if err != nil {
		return err
	}
	if s.state.Head != (block{}) {
		// Everything that was read is in this block or below.
		b, ok, err := s.node.blockAt(ctx, s.state.Head.Number)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("the node does not have block %d, up to which another had been read", s.state.Head.Number)
		}
		if b.Hash != s.state.Head.Hash {
			s.state = s.empty()
		}
	}
	if s.state.Head == (block{}) {
		if err := s.find(ctx); err != nil {
			return err
		}
	}
	defer func() {
		if saveErr := s.save(); err == nil {
			err = saveErr
		}
	}()
	if head.Number > s.state.Head.Number || s.state.Head == (block{}) {
		s.state.Head = head // else the node lags behind the node that was asked last
	}
	return s.read(ctx)
}

// find returns an error if one of the contracts is not there.
func (s *source) find(ctx context.Context) error {
	for _, c := range s.follower.contracts {
		var code data
		if err := s.node.call(ctx, &code, "eth_getCode", c, "latest"); err != nil {
			return err
		}
		if len(code) == 0 {
			return fmt.Errorf("there is no contract at %v", c)
		}
	}
	return nil
}

// read reads the events of all blocks up to the head of the state.
func (s *source) read(ctx context.Context) error {
	st := s.state
	for st.Next <= st.Head.Number {
		from := st.Next
		to := st.Head.Number
		if to-from >= s.size {
			to = from + s.size - 1
		}
		var result json.RawMessage
		err := s.node.call(ctx, &result, "eth_getLogs", map[string]any{
			"fromBlock": tag(from), "toBlock": tag(to),
			"address": s.follower.contracts,
			"topics":  [][]hash{s.follower.topics()},
		})
		if err != nil && ctx.Err() == nil && isTooMuch(err) && from < to {
			s.size = (to - from + 1) / 2
			continue
		}
		if err != nil {
			return fmt.Errorf("blocks %d to %d: %w", from, to, err)
		}
		events, err := s.follower.decode(result, from, to)
		if err == nil {
			err = s.date(ctx, events)
		}
		if err == nil {
			err = st.apply(events)
		}
		if err != nil {
			return fmt.Errorf("blocks %d to %d: %w", from, to, err)
		}
		st.Next = to + 1
		// Ask for a little more next time: the node may have refused a crowded range.
		s.size = min(s.size+s.size/8+1, s.opts.MaxRange)
		if s.opts.Progress != nil {
			s.opts.Progress(to, st.Head.Number)
		}
	}
	return nil
}

// date fills in the times of the events that have none.
func (s *source) date(ctx context.Context, events []event) error {
	var last *block
	for i := range events {
		e := &events[i]
		if e.Block == s.state.Head.Number && e.blockHash != s.state.Head.Hash {
			return fmt.Errorf("a log is of another block %d than the last", e.Block)
		}
		if e.Time != 0 {
			continue
		}
		if last == nil || last.Number != e.Block {
			b, ok, err := s.node.blockAt(ctx, e.Block)
			if err == nil && !ok {
				err = errors.New("the node does not have it")
			}
			if err != nil {
				return fmt.Errorf("block %d: %w", e.Block, err)
			}
			last = &b
		}
		if last.Hash != e.blockHash {
			return fmt.Errorf("a log is of another block %d than the node has", e.Block)
		}
		e.Time = last.Time
	}
	return nil
}
