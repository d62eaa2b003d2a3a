// Package receipt records what was known when an address was screened, so that an
// auditor with the lists of that time can check the verdict later.
//
// [New] makes a [Receipt] of a result, [Receipt.Encode] writes it as a line of JSON and
// signs it, and [Verify] replays it from the lists in a store. The receipt of a [Table] is about
// many results at once. Package audit writes the same lines.
package receipt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/internal/version"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A Receipt is the record of one question and its answer, or of a table of them. Its JSON is
// a line of evidence.
type Receipt struct {
	// Time is when the address, or the first row, was screened. It is exact, because lists may
	// change at any time.
	Time time.Time `json:"screened_at"`
	// AsOf is the time of the lists, if it is not Time. Only lines of an audit trail have it.
	AsOf time.Time `json:"as_of,omitzero"`
	// RequestID, Item and CallerID say whose question it was; see httpapi.Screening.
	RequestID string `json:"request_id,omitempty"`
	Item      int    `json:"item,omitempty"`
	CallerID  string `json:"key_id,omitempty"`
	// Text was screened as an address of Chain, and Address is its normal form. The lines of an
	// audit trail have no Text.
	Chain   address.Chain `json:"chain,omitempty"`
	Text    string        `json:"text,omitempty"`
	Address string        `json:"address,omitempty"`

	// Answer is the answer as it was given; empty for a table. One that was read has no Points in
	// its labels.
	*screening.Answer
	Table *Table `json:"table,omitempty"` // nil for one address

	ScoringVersion string `json:"scoring_version"`
	// Snapshot is the digest of the lists and exceptions together, as
	// [screening.Result.Digest] returns it. Lists are the lists; in an audit trail, only the first
	// line of a file with a snapshot has them.
	Snapshot string `json:"snapshot"`
	// ModuleVersion is the version of this module that gave the answer.
	ModuleVersion string `json:"module_version"`
	Lists         []list `json:"lists,omitempty"`
}

// A list is the state of a list.
type list struct {
	Source       string               `json:"source"`
	Name         string               `json:"name"`
	Jurisdiction sources.Jurisdiction `json:"jurisdiction"`
	Digest       string               `json:"digest,omitempty"` // empty: it was not loaded
	Published    time.Time            `json:"published_at,omitzero"`
	LastUpdated  time.Time            `json:"last_updated,omitzero"`
	Completeness sources.Completeness `json:"completeness"`
	Required     bool                 `json:"required"`
}

// A Table says what became of the rows of a table.
type Table struct {
	// Input and Output are the SHA-256 of the two files in hex.
	Input  string `json:"input_sha256"`
	Output string `json:"output_sha256"`
	// Settings say how the table was read, by names that the caller chooses, such as the
	// column that has the addresses.
	Settings map[string]string `json:"settings"`
	// Rows is how many rows there are, Levels how many have which level, and Undecided how
	// many have none: they add up.
	Rows      int64                 `json:"rows"`
	Levels    map[score.Level]int64 `json:"levels"`
	Undecided int64                 `json:"undecided"`
	// Verdicts is a digest of the verdicts of all rows, in order, that the caller makes.
	Verdicts string `json:"verdicts"`
}

// New returns the receipt of r, the result of screening text as an address of chain c at
// a time. r must have been returned without an error.
//
// There is no receipt of a text that could be a private key or seed: then the error wraps
// [address.ErrSecret].
func New(c address.Chain, text string, r screening.Result, at time.Time) (*Receipt, error) {
	if r.Digest() == "" || r.Level == "" {
		return nil, errors.New("receipt: the result is zero: want one that Screen returned")
	}
	if at.IsZero() {
		return nil, errors.New("receipt: the time is zero")
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("receipt: the text is not valid UTF-8")
	}
	reading := address.Interpret(string(c), text)
	switch got := r.Address; {
	case errors.Is(reading.Err, address.ErrSecret):
		return nil, fmt.Errorf("receipt: %w", reading.Err)
	case got.IsValid() && !slices.Contains(reading.Addresses, got), !got.IsValid() && len(r.Labels) == 0:
		return nil, fmt.Errorf("receipt: the result is not that of the %s address", c)
	}
	rec := From(r, at)
	rec.Chain, rec.Text, rec.Address = c, text, normalOf(r.Address, text)
	return rec, nil
}

// From returns what a receipt says of any result, without its question. The caller sets Table for the
// receipt of a table whose rows are screened with the lists of r from the given time on.
func From(r screening.Result, at time.Time) *Receipt {
	answer, all := r.Answer(), r.Sources()
	rec := &Receipt{Time: at.UTC().Round(0), Answer: &answer, ScoringVersion: r.ScoringVersion, Snapshot: r.Digest(),
		ModuleVersion: version.Module(), Lists: make([]list, len(all))}
	for i := range all {
		rec.Lists[i] = listOf(&all[i])
	}
	return rec
}

func listOf(s *screening.SourceStatus) list {
	seconds := func(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
	return list{s.Info.ID, s.Info.Name, s.Info.Jurisdiction, s.Digest, seconds(s.Published), seconds(s.LastUpdated), s.Completeness, s.Required}
}

// normalOf returns the normal form of an address, or the text that is none, but a list has it.
func normalOf(a address.Address, text string) string {
	return cmp.Or(a.Normalized(), sources.TrimListed(text))
}

// Encode returns the receipt as a line of JSON. With signers it is a signed note of
// package note, whose text is that line.
func (r *Receipt) Encode(signers ...note.Signer) ([]byte, error) {
	text, err := r.line(evidence.Link{})
	switch {
	case err != nil:
		return nil, fmt.Errorf("receipt: %w", err)
	case len(text) > evidence.MaxLine:
		return nil, fmt.Errorf("receipt: it has %d bytes, want at most %d", len(text), evidence.MaxLine)
	case len(signers) == 0:
		return text, nil
	}
	signed, err := note.Sign(&note.Note{Text: string(text)}, signers...)
	if err != nil {
		return nil, fmt.Errorf("receipt: signing: %w", err)
	}
	return signed, nil
}

// line returns the only form of r, after the line of a link.
func (r *Receipt) line(before evidence.Link) ([]byte, error) {
	kind, all := evidence.Screening, *r
	if r.Table != nil {
		kind, all.Answer = evidence.Table, nil
	}
	text, err := evidence.Marshal(kind, &all)
	if err != nil {
		return nil, err
	}
	text, _ = evidence.New(nil).Seal(nil, text, before)
	return text, nil
}

// parse returns the receipt in a line, and evidence.ErrChanged beside it if its sum is another one. Errors
// do not quote the line: it may have been edited to hold a private key.
func parse(text []byte) (*Receipt, error) {
	l, err := evidence.New(nil).Open(text)
	if err != nil {
		return nil, err
	}
	r := &Receipt{Answer: &screening.Answer{}}
	if l.Type == evidence.Repair || json.Unmarshal(l.Text, r) != nil {
		return nil, errors.New("not a receipt: want a line of JSON with its members")
	}
	r.Time = r.Time.UTC()
	if !r.isWhole() {
		return nil, errors.New("not a receipt: the time, the snapshot, the answer or the files are missing")
	}
	if !r.AsOf.IsZero() && (r.Table != nil || r.Text != "") {
		return nil, errors.New("not a receipt: only a line of an audit trail has as_of")
	}
	again, err := r.line(evidence.Link{N: l.N - 1, Sum: l.Prev})
	if rest, ok := bytes.CutSuffix(text, []byte(l.Sum+"\"}\n")); err != nil || !ok || !bytes.HasPrefix(again, rest) {
		return nil, errors.New("not in the form in which receipts are written; want each byte as it was")
	}
	if l.Sum != l.Computed {
		err = evidence.ErrChanged
	}
	return r, err
}

// isWhole reports whether r has the members that each receipt has.
func (r *Receipt) isWhole() bool {
	if r.Time.IsZero() || r.Snapshot == "" {
		return false
	}
	if r.Table != nil {
		return r.Table.Input != "" && r.Table.Output != ""
	}
	return (r.Chain != "" || r.Text == "") && r.Address != "" && r.Labels != nil && r.Doubts != nil && r.Caveats != nil
}
