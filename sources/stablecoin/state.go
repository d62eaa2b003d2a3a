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
	"slices"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
)

// maxListed limits the accounts that are held.
const maxListed = 10_000_000

// A state is the accounts and the position read from the chain.
type state struct {
	// Of names the chain, the contract and its events.
	Of string `json:"of"`
	// Head is the block up to which events are read; zero before the first.
	Head block `json:"head"`
	// Next is the first block not read yet.
	Next uint64 `json:"next"`
	// Events is the number of events read.
	Events int `json:"events"`

	listed map[account]listing
}

// A listing is one account that was frozen.
type listing struct {
	Account account `json:"account"`
	place           // where it was frozen
	Ended   int64   `json:"ended,omitempty"` // when it was unfrozen, in seconds of Unix time; 0: it was not
}

// empty returns the state before the first block.
func (r *reader) empty() *state {
	of := fmt.Sprintf("chain %d\n%v from %d, %s, %s", r.chainID, r.contract, r.FirstBlock, r.Added, r.Removed)
	return &state{Of: of, Next: r.FirstBlock, listed: make(map[account]listing)}
}

// apply changes the list by sorted events. An account that is frozen while it is frozen counts
// since the first time.
func (st *state) apply(events []event) error {
	for _, e := range events {
		st.Events++
		switch l, ok := st.listed[e.account]; {
		case e.added && (!ok || l.Ended != 0):
			st.listed[e.account] = listing{e.account, e.place, 0}
		case !e.added && ok && l.Ended == 0:
			l.Ended = e.Time
			st.listed[e.account] = l
		}
		if len(st.listed) > maxListed {
			return fmt.Errorf("more than %d accounts", maxListed)
		}
	}
	return nil
}

// sorted returns the list in the order of the chain.
func (st *state) sorted() []listing {
	all := make([]listing, 0, len(st.listed))
	for _, l := range st.listed {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b listing) int { return a.compare(b.place) })
	return all
}

// A stateFile has the SHA-256 of its second line, in hex, on the first line, and this in
// JSON on the second.
type stateFile struct {
	*state
	Listed []listing `json:"listed"`
}

// save writes the state file, if there is one.
func (r *reader) save() error {
	if r.stateFile == "" {
		return nil
	}
	text, err := json.Marshal(stateFile{r.state, r.state.sorted()})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	text = append(append(hex.AppendEncode(nil, sum[:]), '\n'), text...)
	return atomicfile.Write(r.stateFile, 0o600, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// restore returns the state in the file, or the empty state if there is no usable file.
func (r *reader) restore() (*state, error) {
	empty := r.empty()
	if r.stateFile == "" {
		return empty, nil
	}
	text, err := os.ReadFile(r.stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return nil, err
	}
	sumText, text, _ := bytes.Cut(text, []byte("\n"))
	sum := sha256.Sum256(text)
	if string(sumText) != hex.EncodeToString(sum[:]) {
		return empty, nil
	}
	file := stateFile{state: empty}
	if json.Unmarshal(text, &file) != nil || file.Of != r.empty().Of {
		return r.empty(), nil
	}
	for _, l := range file.Listed {
		file.listed[l.Account] = l
	}
	return file.state, nil
}
