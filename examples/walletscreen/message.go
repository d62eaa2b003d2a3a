package main

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/screening"
)

// A reason is one cause of a change.
type reason struct {
	change string // added, removed, suppressed or unsuppressed
	screening.Label
}

// MarshalJSON returns the label with the change as its first member.
func (r reason) MarshalJSON() ([]byte, error) {
	text, err := r.Label.MarshalJSON()
	return append([]byte(`{"change":"`+r.change+`",`), text[1:]...), err
}

// newMessage returns the message about a customer whose verdict has changed. before is
// nil if there was none. Rows of the table that say the same have one ID. refresh is random:
// a list that goes back and forth makes the same change again, under another ID.
func newMessage(refresh, from, to string, c customer, before, after *screening.Result) outbox.Event {
	sum := sha256.Sum256([]byte(refresh + "\x00" + from + "\x00" + to + "\x00" + c.id + "\x00" + c.address.String()))
	return outbox.Event{ID: "msg_" + hex.EncodeToString(sum[:16]), Customer: c.order(), Type: "customer.verdict_changed", Data: map[string]any{
		"customer": c.id, "chain": c.address.Chain(), "address": c.address.Normalized(),
		"before": newMessageVerdict(before), "after": newMessageVerdict(after), "why": why(before, after),
		"snapshot_before": from, "snapshot_after": to, "scoring_version": after.ScoringVersion,
	}}
}

// order names the customer whose messages are delivered one after the other: by the
// address if the table has no name, because the number of a row changes with the table.
func (c customer) order() string {
	if c.unnamed {
		return c.address.String()
	}
	return c.id
}

func newMessageVerdict(r *screening.Result) *screening.Answer {
	if r == nil {
		return nil
	}
	a := r.Answer().WithURLs(r.Sources())
	return &a
}

// why returns the differences between two verdicts, none if they are the same. Names and
// dates are not part of a verdict.
func why(before, after *screening.Result) []reason {
	var reasons []reason
	diff := func(old, now []screening.Label, gone, came string) {
		same := func(a, b *screening.Label) bool {
			return a.Kind == b.Kind && a.Match == b.Match && a.Points == b.Points && a.Source == b.Source && a.Ref == b.Ref && a.Listed == b.Listed
		}
		missing := func(from []screening.Label, l *screening.Label) bool {
			for i := range from {
				if same(&from[i], l) {
					return false
				}
			}
			return true
		}
		for i := range now {
			if missing(old, &now[i]) {
				reasons = append(reasons, reason{came, now[i]})
			}
		}
		for i := range old {
			if missing(now, &old[i]) {
				reasons = append(reasons, reason{gone, old[i]})
			}
		}
	}
	if before == nil {
		before = &screening.Result{}
	}
	diff(before.Labels, after.Labels, "removed", "added")
	diff(suppressed(before), suppressed(after), "unsuppressed", "suppressed")
	return reasons
}

func suppressed(r *screening.Result) []screening.Label {
	var labels []screening.Label
	for i := range r.Suppressed {
		labels = append(labels, r.Suppressed[i].Label)
	}
	return labels
}
