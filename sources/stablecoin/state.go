package stablecoin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/sources"
)

// An event freezes or unfreezes an account.
type event struct {
	Address address.Address `json:"address"`
	Added   bool            `json:"added"`
	Block   uint64          `json:"block"`
	Index   uint64          `json:"index"` // among the logs of the block
	Ref     string          `json:"ref"`
	Time    int64           `json:"time"` // of the block, in milliseconds of Unix time
}

// entries returns the freezes that events in the order of the chain make. An account that is
// frozen while it is frozen counts since the first time.
func entries(events []event, name string) []sources.Entry {
	var all []sources.Entry
	frozen := make(map[address.Address]int) // the index of the entry that has not ended
	for _, e := range events {
		at := time.UnixMilli(e.Time).UTC()
		i, ok := frozen[e.Address]
		switch {
		case e.Added && !ok:
			frozen[e.Address] = len(all)
			all = append(all, sources.Entry{Address: e.Address, Ref: e.Ref, Name: name, ListedAt: at})
		case !e.Added && ok:
			delete(frozen, e.Address)
			all[i].Until = at
		}
	}
	return all
}

// A state is the events and the position read from the chain. Its file has the SHA-256 of the
// second line, in hex, on the first line, and the state in JSON on the second.
type state struct {
	// Of names the chain, the contract and its events.
	Of string `json:"of"`
	// Head is the block up to which events are read; zero before the first.
	Head block `json:"head"`
	// Next is the first block not read yet.
	Next uint64 `json:"next"`
	// Events are the events below Next, in the order of the chain.
	Events []event `json:"events"`
}

// empty returns the state before the first block.
func (r *reader) empty() *state {
	of := fmt.Sprintf("chain %d\n%s from %d, %s, %s", r.chainID, r.contract, r.FirstBlock, r.Added, r.Removed)
	return &state{Of: of, Next: r.FirstBlock}
}

// save writes the state file, if there is one.
func (r *reader) save() error {
	if r.stateFile == "" {
		return nil
	}
	text, err := json.Marshal(r.state)
	if err != nil {
		return err
	}
	return atomicfile.Write(r.stateFile, 0o600, func(f *os.File) error {
		_, err := fmt.Fprintf(f, "%x\n%s", sha256.Sum256(text), text)
		return err
	})
}

// restore returns the state in the file, or the empty state if there is no usable file.
func (r *reader) restore() (*state, error) {
	if r.stateFile == "" {
		return r.empty(), nil
	}
	text, err := os.ReadFile(r.stateFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	sum, text, _ := bytes.Cut(text, []byte("\n"))
	want := sha256.Sum256(text)
	var st state
	if string(sum) != hex.EncodeToString(want[:]) || json.Unmarshal(text, &st) != nil || st.Of != r.empty().Of {
		return r.empty(), nil
	}
	return &st, nil
}
