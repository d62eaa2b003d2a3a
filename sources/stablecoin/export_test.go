package stablecoin

// Topic returns the topic of an event in hex.
func Topic(signature string) string { return topic(signature).String() }

// A Change is one account that an event freezes or unfreezes.
type Change struct {
	Added        bool
	Account      string
	Block, Index uint64
}

// Decode decodes the result of eth_getLogs for blocks from..to of a contract.
func Decode(c Contract, result []byte, from, to uint64) ([]Change, error) {
	r, err := newReader(c, "", &Options{})
	if err != nil {
		return nil, err
	}
	events, err := r.decode(result, from, to)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for _, e := range events {
		changes = append(changes, Change{e.added, e.account.String(), e.Block, e.Index})
	}
	return changes, nil
}

// Known returns the contracts of a token that Frozen knows.
func Known(token string) []Contract { return tokens[token] }
