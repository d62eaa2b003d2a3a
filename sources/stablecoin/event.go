package stablecoin

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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

// An event is a change of one of the lists of accounts.
type event struct {
	contract int // which of the contracts
	added    bool
	accounts []account
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

// A follower decodes the events of some contracts.
type follower struct {
	contracts []account
	// events maps the topic of an event, for each contract, to what it means.
	events []map[hash]change
}

// A change is what an event means.
type change struct{ added, array bool }

// Events have one of two shapes. In the first, the address may be indexed: USDC's is,
// USDT's is not, except on Tron.
const (
	oneAddress    = "(address)"
	manyAddresses = "(address[])"
)

// newFollower returns the follower of the contracts.
func newFollower(contracts []Contract) (*follower, error) {
	if len(contracts) == 0 {
		return nil, errors.New("no contracts")
	}
	f := &follower{contracts: make([]account, len(contracts)), events: make([]map[hash]change, len(contracts))}
	for i, c := range contracts {
		if err := f.contracts[i].UnmarshalText([]byte(strings.ToLower(c.Address))); err != nil {
			return nil, fmt.Errorf("contract %d: address %w", i, err)
		}
		for _, other := range f.contracts[:i] {
			if other == f.contracts[i] {
				return nil, fmt.Errorf("contract %d: the event %v is given twice", i, other)
			}
		}
		f.events[i] = make(map[hash]change)
		for _, e := range []struct {
			signature string
			added     bool
		}{{c.Added, true}, {c.Removed, false}} {
			many := strings.HasSuffix(e.signature, manyAddresses)
			if !many && !strings.HasSuffix(e.signature, oneAddress) {
				return nil, fmt.Errorf("contract %d: event %.80q, want one of the form Name%s or Name%s", i, e.signature, oneAddress, manyAddresses)
			}
			f.events[i][topic(e.signature)] = change{e.added, many}
		}
		if len(f.events[i]) != 2 {
			return nil, fmt.Errorf("contract %d: %.80q adds and removes", i, c.Added)
		}
	}
	return f, nil
}

// topic returns the topic under which an event is logged: the hash of its name
// and the types of its arguments.
func topic(signature string) (t hash) {
	h := sha3.NewLegacyKeccak256()
	io.WriteString(h, signature)
	h.Sum(t[:0])
	return t
}

// topics returns the topics of all events.
func (f *follower) topics() []hash {
	var all []hash
	seen := make(map[hash]bool)
	for _, events := range f.events {
		for t := range events {
			if !seen[t] {
				seen[t] = true
				all = append(all, t)
			}
		}
	}
	slices.SortFunc(all, func(a, b hash) int { return bytes.Compare(a[:], b[:]) })
	return all
}

// decode reads the result of eth_getLogs for the blocks from..to, and sorts it by place.
// A log that was not requested, or that does not have the form of its event, is an error:
// such an answer may also omit logs.
func (f *follower) decode(result []byte, from, to uint64) ([]event, error) {
	var logs []log
	if err := json.Unmarshal(result, &logs); err != nil {
		return nil, err
	}
	if logs == nil {
		return nil, errors.New("null, want an array")
	}
	events := make([]event, len(logs))
	for i := range logs {
		e, err := f.decodeLog(&logs[i])
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

// compare orders places as they stand in the chain.
func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.Block, q.Block), cmp.Compare(p.Index, q.Index))
}

// decodeLog reads one log.
func (f *follower) decodeLog(l *log) (event, error) {
	if l.Address == nil || l.BlockNumber == nil || l.BlockHash == nil || l.Tx == nil || l.Index == nil || len(l.Topics) == 0 {
		return event{}, errors.New("a field is missing: a log of a block has an address, topics, a transaction, and its place")
	}
	if l.Removed {
		return event{}, errors.New("it is of a block that was removed")
	}
	if l.BlockTime > maxTime {
		return event{}, fmt.Errorf("time %d of its block", l.BlockTime)
	}
	e := event{
		contract:  -1,
		place:     place{Block: uint64(*l.BlockNumber), Index: uint64(*l.Index), Tx: *l.Tx, Time: int64(l.BlockTime)},
		blockHash: *l.BlockHash,
	}
	for i, c := range f.contracts {
		if c == *l.Address {
			e.contract = i
		}
	}
	if e.contract < 0 {
		return event{}, fmt.Errorf("of contract %v, which was not asked for", *l.Address)
	}
	what, ok := f.events[e.contract][l.Topics[0]]
	if !ok {
		return event{}, fmt.Errorf("of topic %v, which was not asked for", l.Topics[0])
	}
	e.added = what.added
	var err error
	e.accounts, err = accountsOf(l, what)
	return e, err
}

// accountsOf returns the accounts in a log that means what.
func accountsOf(l *log, what change) ([]account, error) {
	words := []byte(l.Data)
	switch {
	case what.array && len(l.Topics) == 1:
		// One dynamic argument: its offset, its length, its elements.
		const head = 64
		if len(words) < head || len(words)%32 != 0 {
			return nil, errors.New("data is not an array")
		}
		offset, okOffset := number(words[:32])
		n, okN := number(words[32:head])
		if words = words[head:]; !okOffset || !okN || offset != 32 || n != uint64(len(words)/32) {
			return nil, errors.New("data is not an array")
		}
	case !what.array && len(l.Topics) == 1 && len(words) == 32:
	case !what.array && len(l.Topics) == 2 && len(words) == 0:
		words = l.Topics[1][:]
	default:
		return nil, fmt.Errorf("%d topics and %d bytes of data, which is not the form of its event", len(l.Topics), len(words))
	}
	accounts := make([]account, len(words)/32)
	for i := range accounts {
		word := words[32*i : 32*i+32]
		if [12]byte(word) != [12]byte{} {
			return nil, fmt.Errorf("argument %x is not an address", word)
		}
		accounts[i] = account(word[12:])
	}
	return accounts, nil
}

// number reads a number of 32 bytes, and returns false if it exceeds 64 bits.
func number(word []byte) (uint64, bool) {
	if [24]byte(word) != [24]byte{} {
		return 0, false
	}
	return binary.BigEndian.Uint64(word[24:]), true
}
