package stablecoin

// Topic returns the topic of an event in hex.
func Topic(signature string) string { return topic(signature).String() }

// A Change is one account that an event adds or removes.
type Change struct {
	Contract     int
	Added        bool
	Account      string
	Block, Index uint64
}

// Decode decodes the result of eth_getLogs for blocks from..to of the contracts.
func Decode(contracts []Contract, result []byte, from, to uint64) ([]Change, error) {
	f, err := newFollower(contracts)
	if err != nil {
		return nil, err
	}
	events, err := f.decode(result, from, to)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for _, e := range events {
		for _, a := range e.accounts {
			changes = append(changes, Change{e.contract, e.added, a.String(), e.Block, e.Index})
		}
	}
	return changes, nil
}

// Tokens returns the addresses of the contracts on EVM chains that Frozen knows.
func Tokens() (all []string) {
	for _, t := range tokens {
		if t.chain != "tron" {
			all = append(all, t.Address)
		}
	}
	return all
}
