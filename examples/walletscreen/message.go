package main

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/screening"
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
