package stablecoin

import (
	"context"
	"encoding/json"
	"time"

	"github.com/walletscreen/walletscreen/address"
)

// SetMaxRange limits the blocks of one request.
func (o *Options) SetMaxRange(blocks uint64) { o.maxRange = blocks }

// SetPause sets the wait between two requests on tron.
func (o *Options) SetPause(d time.Duration) { o.pause = d }

// Topic returns the topic of an event in hex.
func Topic(signature string) string { return topic(signature) }

// A Contract is a contract of a token.
type Contract struct {
	Chain          address.Chain
	Address        string
	FirstBlock     uint64
	Added, Removed string
	Issuer         string
}

// SetContract makes a contract the only one.
func (o *Options) SetContract(c Contract) {
	o.token = &token{c.Issuer, c.Added, c.Removed, []contract{{c.Chain, c.Address, c.FirstBlock}}}
}

// Contract returns the only contract.
func (o *Options) Contract() Contract { return exported(*o.token)[0] }

func exported(t token) (all []Contract) {
	for _, c := range t.contracts {
		all = append(all, Contract{c.chain, c.address, c.first, t.added, t.removed, t.issuer})
	}
	return all
}

// Known returns the contracts of a token that Frozen knows.
func Known(name string) []Contract { return exported(tokens[name]) }

// A Change is one account that an event freezes or unfreezes.
type Change struct {
	Added        bool
	Account      string
	Block, Index uint64
}

// Decode decodes the result of eth_getLogs for blocks from..to of USDT.
func Decode(result []byte, from, to uint64) ([]Change, error) {
	r := Frozen("USDT", map[address.Chain]string{"ethereum": ""}, nil).(*frozen).readers[0]
	var logs []log
	if err := json.Unmarshal(result, &logs); err != nil {
		return nil, err
	}
	for i := range logs {
		if logs[i].Time == "" {
			logs[i].Time = "0x1" // no node to ask
		}
	}
	if err := r.replace(context.Background(), logs, from, to); err != nil {
		return nil, err
	}
	var changes []Change
	for _, e := range r.Events {
		changes = append(changes, Change{e.Added, e.Address.Normalized(), e.Block, e.Index})
	}
	return changes, nil
}
