package stablecoin

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
)

// A state is the accounts and the position read from the chain.
type state struct {
	// Of names the chain, the contracts and their events.
	Of string `json:"of"`
	// Head is the block up to which events are read; zero before the first.
	Head block `json:"head"`
	// Next is the first block not read yet.
	Next uint64 `json:"next"`
	// Events is the number of events read, for each contract.
	Events []int `json:"events"`

	listed map[listedKey]listing
}

// A listing is one account that a contract lists.
type listing struct {
	listedKey
	place          // where it was put on the list
	Position int   `json:"position"`        // in the array of the event
	Ended    int64 `json:"ended,omitempty"` // when it was taken off the list, in seconds of Unix time; 0: it was not
}

type listedKey struct {
	Contract int     `json:"contract"`
	Account  account `json:"account"`
}

// empty returns the state before the first block.
func (s *source) empty() *state {
	var of strings.Builder
	fmt.Fprint(&of, "chain ", s.opts.ChainID)
	first := s.opts.Contracts[0].FirstBlock
	for _, c := range s.opts.Contracts {
		fmt.Fprintf(&of, "\n%s from %d, %s, %s", strings.ToLower(c.Address), c.FirstBlock, c.Added, c.Removed)
		first = min(first, c.FirstBlock)
	}
	return &state{Of: of.String(), Next: first, Events: make([]int, len(s.opts.Contracts)), listed: make(map[listedKey]listing)}
}

// apply changes the list by sorted events. An account that is added while it is listed stays
// listed since the first time.
func (st *state) apply(events []event) error {
	for _, e := range events {
		st.Events[e.contract]++
		for i, a := range e.accounts {
			key := listedKey{e.contract, a}
			switch l, ok := st.listed[key]; {
			case e.added && (!ok || l.Ended != 0):
				st.listed[key] = listing{key, e.place, i, 0}
			case !e.added && ok && l.Ended == 0:
				l.Ended = e.Time
				st.listed[key] = l
			}
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
	slices.SortFunc(all, func(a, b listing) int {
		return cmp.Or(a.compare(b.place), cmp.Compare(a.Position, b.Position))
	})
	return all
}

// A stateFile has the SHA-256 of its second line, in hex, on the first line, and this in
// JSON on the second.
type stateFile struct {
	*state
	Listed []listing `json:"listed"`
}

// save writes the state file, if the options name one.
func (s *source) save() error {
	if s.opts.StateFile == "" {
		return nil
	}
	text, err := json.Marshal(stateFile{s.state, s.state.sorted()})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	text = append(append(hex.AppendEncode(nil, sum[:]), '\n'), text...)
	return atomicfile.Write(s.opts.StateFile, 0o600, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}

// restore returns the state in the file, or the empty state if there is no usable file.
func (s *source) restore() (*state, error) {
	empty := s.empty()
	if s.opts.StateFile == "" {
		return empty, nil
	}
	text, err := os.ReadFile(s.opts.StateFile)
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
	file := stateFile{state: &state{}}
	if json.Unmarshal(text, &file) != nil || file.Of != empty.Of || len(file.Events) != len(empty.Events) {
		return empty, nil
	}
	st := file.state
	st.listed = make(map[listedKey]listing, len(file.Listed))
	for _, l := range file.Listed {
		if l.Contract < 0 || l.Contract >= len(st.Events) || l.Time < 0 || l.Time > maxTime || l.Ended < 0 || l.Ended > maxTime {
			return empty, nil
		}
		st.listed[l.listedKey] = l
	}
	return st, nil
}
