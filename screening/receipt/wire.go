package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	// format is the first member of each receipt. A receipt with other members, or whose digests
	// are computed in another way, has another number.
	format       = "walletscreen receipt 2"
	formerFormat = "walletscreen receipt 1"
	// maxReceipt bounds the JSON of a receipt, and maxSigned the note, in bytes.
	maxReceipt = 1 << 20
	maxSigned  = maxReceipt + 64<<10
)

// A wireReceipt is a receipt as it is written.
type wireReceipt struct {
	Format string `json:"format"`
	*Receipt
}

// Lists are states of lists. Those that were read have only the ID, Name and Jurisdiction of
// their Info, and their Required, LastUpdated, Published, Digest and Completeness.
type Lists []screening.SourceStatus

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

// MarshalJSON returns the lists as they are in receipts.
func (all Lists) MarshalJSON() ([]byte, error) {
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
	return line(lists)
}

var errLists = errors.New("not a receipt: a list has no valid id, name, jurisdiction or completeness")

// UnmarshalJSON sets all to the lists of a receipt.
func (all *Lists) UnmarshalJSON(text []byte) error {
	var lists []wireList
	if err := json.Unmarshal(text, &lists); err != nil {
		return err
	}
	*all = nil
	for _, l := range lists {
		s := screening.SourceStatus{Info: sources.Info{ID: l.Source, Name: l.Name, Jurisdiction: l.Jurisdiction},
			Published: l.PublishedAt.time(), LastUpdated: l.LastUpdated.time(), Required: l.Required}
		if s.Info.Validate() != nil {
			return errLists
		}
		if l.Digest != nil && l.Completeness != nil {
			s.Digest = *l.Digest
			if s.Completeness.UnmarshalText([]byte(*l.Completeness)) != nil {
				return errLists
			}
		}
		*all = append(*all, s)
	}
	return nil
}

// line returns the only form of a receipt: one line, with the members in this order.
func (r *Receipt) line() ([]byte, error) {
	all := *r
	all.Labels = append([]screening.Label{}, r.Labels...) // never null, like the next two
	all.Doubts, all.Caveats = append([]address.Doubt{}, r.Doubts...), append([]screening.Caveat{}, r.Caveats...)
	return line(wireReceipt{format, &all})
}

// line returns v as a line of JSON.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// parse returns the receipt in a line that Receipt.line has written.
func parse(text []byte) (*Receipt, error) {
	w := wireReceipt{Receipt: new(Receipt)}
	if err := unmarshal(text, &w); err != nil {
		return nil, err
	}
	w.Time = w.Time.UTC()
	return w.Receipt, accept(text, w.Format, format, !w.Time.IsZero() && w.isComplete(), w.line)
}

// ErrForm reports that a receipt has the form of an earlier version of this module, which computed
// the digests of lists in another way: only that version can compute its verdict again, with the lists
// that it has stored. A signature is verified all the same.
var ErrForm = errors.New("of another form: an earlier version of walletscreen wrote this receipt, and only that version can compute its verdict again")

// renew returns the line of a receipt as it would be in today's format, and whether it is in the former one.
func renew(text []byte, former, format string) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(text, []byte(`{"format":"`+former+`"`))
	if !ok {
		return text, false
	}
	return append([]byte(`{"format":"`+format+`"`), rest...), true
}

// unmarshal reads the line of a receipt. Errors do not quote it: it may have been edited to
// hold a private key.
func unmarshal(text []byte, v any) error {
	if len(text) > maxReceipt {
		return fmt.Errorf("larger than %d bytes", maxReceipt)
	}
	err := json.Unmarshal(text, v)
	if err != nil && !errors.Is(err, errLists) {
		return errors.New("not a receipt: the first line is not JSON with the members of a receipt")
	}
	return err
}

// isComplete reports whether b says enough to open the lists again.
func (b *Basis) isComplete() bool { return b.Snapshot != "" && len(b.Lists) > 0 }

// accept returns an error unless text is in the form that line returns again, so that nothing
// in it is ignored.
func accept(text []byte, format, want string, complete bool, line func() ([]byte, error)) error {
	switch {
	case format != want:
		return fmt.Errorf("not a receipt of this version: want the format %q", want)
	case !complete:
		return errors.New("not a receipt: the time, the snapshot, the lists or the files are missing")
	}
	if again, err := line(); err != nil || !bytes.Equal(again, text) {
		return errors.New("not in the form in which receipts are written; want each byte as it was")
	}
	return nil
}
