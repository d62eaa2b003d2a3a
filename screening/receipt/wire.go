package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	// format is the first member of each receipt. A receipt with other members has
	// another number.
	format = "walletscreen receipt 1"
	// maxReceipt bounds the JSON of a receipt, and maxSigned the note, in bytes.
	maxReceipt = 1 << 20
	maxSigned  = maxReceipt + 64<<10
)

// The types below are the JSON of a receipt. Labels are as httpapi writes them, without
// the URL of the record, which is not evidence.

type wireReceipt struct {
	Format         string                 `json:"format"`
	ScreenedAt     time.Time              `json:"screened_at"` // exact, because lists may change at any time
	Input          wireInput              `json:"input"`
	Address        string                 `json:"address"`
	Score          int                    `json:"score"`
	Level          score.Level            `json:"level"`
	Labels         []screening.Label      `json:"labels"`
	Suppressed     []screening.Suppressed `json:"suppressed,omitempty"`
	ScoringVersion string                 `json:"scoring_version"`
	Snapshot       string                 `json:"snapshot"`
	Lists          []wireList             `json:"lists"`
	ModuleVersion  string                 `json:"module_version"`
}

type wireInput struct {
	Chain   address.Chain `json:"chain"`
	Address string        `json:"address"`
}

type wireList struct {
	Source       string               `json:"source"`
	Name         string               `json:"name"`
	Jurisdiction sources.Jurisdiction `json:"jurisdiction"`
	Digest       *string              `json:"digest"` // null if the list was not loaded
	PublishedAt  *timestamp           `json:"published_at"`
	LastUpdated  *timestamp           `json:"last_updated"`
	Completeness *string              `json:"completeness"` // null if the list was not loaded
	Required     bool                 `json:"required"`
}

// A timestamp is a time in RFC 3339, UTC, in whole seconds.
type timestamp time.Time

func newTimestamp(t time.Time) *timestamp {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return (*timestamp)(&t)
}

func (t *timestamp) time() time.Time {
	if t == nil {
		return time.Time{}
	}
	return time.Time(*t)
}

func (t timestamp) MarshalText() ([]byte, error) {
	return time.Time(t).AppendFormat(nil, time.RFC3339), nil
}

func (t *timestamp) UnmarshalText(text []byte) error {
	parsed, err := time.Parse(time.RFC3339, string(text))
	*t = timestamp(parsed.UTC())
	return err
}

// encode returns the only form of a receipt: one line, with the members in this order.
func encode(r *Receipt) ([]byte, error) {
	w := wireReceipt{
		Format: format, ScreenedAt: r.Time, Input: wireInput{r.Chain, r.Text}, Address: r.Address,
		Score: r.Score, Level: r.Level, Labels: append([]screening.Label{}, r.Labels...), Suppressed: r.Suppressed, ScoringVersion: r.ScoringVersion,
		Snapshot: r.Snapshot, Lists: newWireLists(r.Lists), ModuleVersion: r.ModuleVersion,
	}
	return line(w)
}

// newWireLists returns lists as they are in receipts.
func newWireLists(all []screening.SourceStatus) []wireList {
	lists := []wireList{}
	for i := range all {
		s := &all[i]
		l := wireList{Source: s.Info.ID, Name: s.Info.Name, Jurisdiction: s.Info.Jurisdiction, PublishedAt: newTimestamp(s.Published),
			LastUpdated: newTimestamp(s.LastUpdated), Required: s.Required}
		if s.Digest != "" {
			completeness := s.Completeness.String()
			l.Digest, l.Completeness = &s.Digest, &completeness
		}
		lists = append(lists, l)
	}
	return lists
}

// parseLists returns the lists of a receipt.
func parseLists(lists []wireList) ([]screening.SourceStatus, error) {
	var all []screening.SourceStatus
	for _, l := range lists {
		s := screening.SourceStatus{Info: sources.Info{ID: l.Source, Name: l.Name, Jurisdiction: l.Jurisdiction},
			Published: l.PublishedAt.time(), LastUpdated: l.LastUpdated.time(), Required: l.Required}
		if err := s.Info.Validate(); err != nil {
			return nil, errors.New("not a receipt: a list has no valid id, name or jurisdiction")
		}
		if l.Digest != nil && l.Completeness != nil {
			s.Digest = *l.Digest
			if err := s.Completeness.UnmarshalText([]byte(*l.Completeness)); err != nil {
				return nil, errors.New("not a receipt: the completeness of a list is unknown")
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// line returns v as a line of JSON.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// parse returns the receipt in a line that encode has written. It accepts no other form,
// so that nothing in the line is ignored. Errors do not quote it: it may have been
// edited to hold a private key.
func parse(text []byte) (*Receipt, error) {
	if len(text) > maxReceipt {
		return nil, fmt.Errorf("larger than %d bytes", maxReceipt)
	}
	var w wireReceipt
	if err := json.Unmarshal(text, &w); err != nil {
		return nil, errors.New("not a receipt: the first line is not JSON with the members of a receipt")
	}
	if w.Format != format {
		return nil, fmt.Errorf("not a receipt of this version: want the format %q", format)
	}
	r := &Receipt{
		Time: w.ScreenedAt.UTC(), Chain: w.Input.Chain, Text: w.Input.Address, Address: w.Address, Score: w.Score, Level: w.Level, Suppressed: w.Suppressed,
		ScoringVersion: w.ScoringVersion, Snapshot: w.Snapshot, ModuleVersion: w.ModuleVersion,
	}
	if len(w.Labels) > 0 {
		r.Labels = w.Labels
	}
	var err error
	if r.Lists, err = parseLists(w.Lists); err != nil {
		return nil, err
	}
	switch again, err := encode(r); {
	case r.Time.IsZero() || r.Snapshot == "" || len(r.Lists) == 0:
		return nil, errIncomplete
	case err != nil || !bytes.Equal(again, text):
		return nil, errForm
	}
	return r, nil
}

var (
	errIncomplete = errors.New("not a receipt: the time, the snapshot or the lists are missing")
	errForm       = errors.New("not in the form in which receipts are written; want each byte as it was")
)
