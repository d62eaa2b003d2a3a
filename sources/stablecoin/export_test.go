package stablecoin

import (
	"context"
	"encoding/json"
	"time"
)

// SetMaxRange limits the blocks of one request.
func (o *Options) SetMaxRange(blocks uint64) { o.maxRange = blocks }

// SetPause sets the wait between two requests on tron.
func (o *Options) SetPause(d time.Duration) { o.pause = d }

// Topic returns the topic of an event in hex.
func Topic(signature string) string { return string(topic(signature)) }

// A Change is one account that an event freezes or unfreezes.
type Change struct {
	Added        bool
	Account      string
	Block, Index uint64
}

// Decode decodes the result of eth_getLogs for blocks from..to of a contract.
func Decode(c Contract, result []byte, from, to uint64) ([]Change, error) {
	r, err := newReader(c, endpoint{opts: &Options{}})
	if err != nil {
		return nil, err
	}
	var logs []log
	if err := json.Unmarshal(result, &logs); err != nil {
		return nil, err
	}
	r.state = r.empty()
	r.state.Head.Number = maxBlock + 1
	for i := range logs {
		logs[i].BlockTime = max(logs[i].BlockTime, 1) // no node to ask
	}
	events, err := r.events(context.Background(), logs, from, to)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for _, e := range events {
		changes = append(changes, Change{e.Added, e.Address.Normalized(), e.Block, e.Index})
	}
	return changes, nil
}

// Known returns the contracts of a token that Frozen knows.
func Known(token string) []Contract { return tokens[token] }
