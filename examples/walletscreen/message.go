package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A labelChange is one label more or less of a verdict.
type labelChange struct {
	change string // added, removed, suppressed or unsuppressed
	screening.Label
}

// MarshalJSON returns the label with the change as its first member.
func (r labelChange) MarshalJSON() ([]byte, error) {
	text, err := r.Label.MarshalJSON()
	return append([]byte(`{"change":"`+r.change+`",`), text[1:]...), err
}

// newMessage returns the message about a customer whose verdict has changed. before is
// nil if there was none. Rows of the table that say the same have one ID. refresh is random:
// a list that goes back and forth makes the same change again, under another ID.
func newMessage(refresh, from, to string, c customer, before, after *screening.Result, fresh bool) outbox.Event {
	sum := sha256.Sum256([]byte(refresh + "\x00" + from + "\x00" + to + "\x00" + c.id + "\x00" + c.address.String()))
	return outbox.Event{ID: "msg_" + hex.EncodeToString(sum[:16]), Customer: c.order(), Type: "customer.verdict_changed", Data: map[string]any{
		"customer": c.id, "chain": c.address.Chain(), "address": c.address.Normalized(),
		"before": newMessageVerdict(before, true), "after": newMessageVerdict(after, fresh), "why": changesOf(before, after),
		"snapshot_before": from, "snapshot_after": to, "scoring_version": after.ScoringVersion,
	}}
}

// order names whose messages are delivered in turn: the address without a name, as the number of a row changes.
func (c customer) order() string {
	if c.unnamed {
		return c.address.String()
	}
	return c.id
}

func newMessageVerdict(r *screening.Result, fresh bool) *screening.Answer {
	if r == nil {
		return nil
	}
	a := r.Answer().WithURLs(r.Sources())
	a.AllClear = a.AllClear && fresh
	return &a
}

// changesOf returns the differences between two verdicts.
func changesOf(before, after *screening.Result) (changes []labelChange) {
	if before == nil {
		before = &screening.Result{}
	}
	add := func(change string, all, without []screening.Label) {
		known := labelKeys(without)
		for i, key := range labelKeys(all) {
			if !slices.Contains(known, key) {
				changes = append(changes, labelChange{change, all[i]})
			}
		}
	}
	add("added", after.Labels, before.Labels)
	add("removed", before.Labels, after.Labels)
	add("suppressed", suppressedLabels(after), suppressedLabels(before))
	add("unsuppressed", suppressedLabels(before), suppressedLabels(after))
	return changes
}

// A customer is an address of a row of the table of customers.
type customer struct {
	id      string
	unnamed bool // the table has no id, and id is the number of the row
	address address.Address
}

// readCustomers calls each for each address of a table of customers. bad rows have no address that can be watched, or are not
// well formed.
func readCustomers(file string, each func(customer) error) (bad int, columns rows.Columns, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, columns, err
	}
	defer f.Close()
	t, err := rows.NewReader(f, rows.Options{Plausible: plausible, IsName: isName, IsChain: isChain})
	if err != nil { // there is no flag for the column
		text := strings.NewReplacer("name it with -address-column", "call it that", "name one with -address-column", "call one of them address", ", or name it with -sheet", "").Replace(err.Error())
		return 0, columns, fmt.Errorf("%s: %s", file, text)
	}
	for n := 1; ; n++ {
		row, err := t.Next()
		if err == io.EOF {
			return bad, t.Columns(), nil
		} else if err != nil {
			return bad, columns, fmt.Errorf("%s: %w", file, err)
		}
		c := customer{id: row.Cell(t.Columns().ID)}
		if c.id == "" {
			c.id, c.unnamed = fmt.Sprintf("row %d", n), true
		}
		found, err := meantBy(row.Chain, sources.TrimListed(row.Address))
		if err != nil || row.Err != nil { // another address may be hidden in the row
			bad++
		}
		if err != nil {
			continue
		}
		for _, c.address = range found {
			if err := each(c); err != nil {
				return bad, columns, err
			}
		}
	}
}

// meantBy returns the addresses that a text means, one for each chain that it may be of.
func meantBy(chain, text string) ([]address.Address, error) {
	if strings.TrimSpace(chain) == "" {
		if a, err := address.Normalize("ethereum", text); err == nil {
			return []address.Address{a}, nil
		}
	}
	rd := address.Interpret(chain, text)
	if rd.Err == nil && slices.Contains(rd.Doubts, address.DoubtAmbiguous) {
		return nil, errors.New(address.DoubtAmbiguous.Explain())
	}
	return rd.Addresses, rd.Err
}
