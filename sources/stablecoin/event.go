package stablecoin

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"golang.org/x/crypto/sha3"
)

// A log is a log as eth_getLogs returns it, without the fields that are not read.
type log struct {
	Address     *account  `json:"address"`
	Topics      []hash    `json:"topics"`
	Data        data      `json:"data"`
	BlockNumber *quantity `json:"blockNumber"`
	BlockHash   *hash     `json:"blockHash"`
	// BlockTime is not in the standard, but newer nodes have it, which saves a request
	// for each block. Zero means that it is missing.
	BlockTime quantity  `json:"blockTimestamp"`
	Tx        *hash     `json:"transactionHash"`
	Index     *quantity `json:"logIndex"`
	Removed   bool      `json:"removed"`
}

// An event freezes or unfreezes an account.
type event struct {
	account account
	added   bool
	place
	blockHash hash
}

// A place is the place of an event in the chain.
type place struct {
	Block uint64 `json:"block"`
	Index uint64 `json:"index"` // among the logs of the block
	Tx    hash   `json:"tx"`
	Time  int64  `json:"time"` // of the block, in seconds of Unix time; 0 if not known yet
}

// compare orders places as they stand in the chain.
func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.Block, q.Block), cmp.Compare(p.Index, q.Index))
}

// topic returns the topic under which an event is logged: the hash of its name
// and the types of its arguments.
func topic(signature string) (t hash) {
	h := sha3.NewLegacyKeccak256()
	io.WriteString(h, signature)
	h.Sum(t[:0])
	return t
}

// A block identifies a block.
type block struct {
	Number uint64 `json:"number"`
	Hash   hash   `json:"hash"`
	Time   int64  `json:"time"`
}

// block returns the block of the given number or tag.
func (n *node) block(ctx context.Context, which string) (block, error) {
	var answer *struct {
		Number *quantity `json:"number"`
		Hash   *hash     `json:"hash"`
		Time   *quantity `json:"timestamp"`
	}
	err := n.call(ctx, &answer, "eth_getBlockByNumber", which, false)
	switch {
	case err != nil:
		return block{}, err
	case answer == nil:
		return block{}, fmt.Errorf("block %s: the node does not have it", which)
	case answer.Number == nil || answer.Hash == nil || answer.Time == nil || *answer.Number > maxBlock || *answer.Time > maxTime:
		return block{}, fmt.Errorf("block %s: a field is missing, or wrong", which)
	}
	return block{uint64(*answer.Number), *answer.Hash, int64(*answer.Time)}, nil
}

// blockAt is block for a number.
func (n *node) blockAt(ctx context.Context, number uint64) (block, error) {
	b, err := n.block(ctx, tag(number))
	if err == nil && b.Number != number {
		err = fmt.Errorf("got block %d, want %d", b.Number, number)
	}
	return b, err
}

// tag returns the name of a block in a call.
func tag(number uint64) string { return fmt.Sprintf("%#x", number) }
