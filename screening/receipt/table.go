package receipt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/store"
)

// tableFormat is the first member of each receipt of a table.
const (
	tableFormat       = "walletscreen table receipt 2"
	formerTableFormat = "walletscreen table receipt 1"
)

// A Table is the record of a table whose rows were screened with the same lists. Its JSON is
// what Encode writes.
type Table struct {
	// Time is when the first row was screened.
	Time time.Time `json:"screened_at"`
	// Input and Output are the SHA-256 of the two files in hex.
	Input  string `json:"input_sha256"`
	Output string `json:"output_sha256"`
	// Settings say how the table was read, by names that the caller chooses, such as the
	// column that has the addresses.
	Settings map[string]string `json:"settings"`
	Tally    Tally             `json:"tally"`

	Basis
}

// A Tally is what became of the rows of a table.
type Tally struct {
	// Rows is how many rows there are, Levels how many have which level, and Undecided how
	// many have none: they add up.
	Rows      int64                 `json:"rows"`
	Levels    map[score.Level]int64 `json:"levels"`
	Undecided int64                 `json:"undecided"`
	// Verdicts is a digest of the verdicts of all rows, in order, that the caller makes.
	Verdicts string `json:"verdicts"`
}

func (t *Tally) equal(u *Tally) bool {
	return t.Rows == u.Rows && t.Undecided == u.Undecided && t.Verdicts == u.Verdicts && maps.Equal(t.Levels, u.Levels)
}

// NewTable returns the receipt of a table, without its Input, Output, Settings and Tally. r is
// any result of the lists with which the rows are screened from the given time on.
func NewTable(r screening.Result, at time.Time) *Table {
	return &Table{Time: at.UTC().Round(0), Basis: basisOf(&r)}
}

// A wireTable is the receipt of a table as it is written.
type wireTable struct {
	Format string `json:"format"`
	*Table
}

func (t *Table) line() ([]byte, error) { return line(wireTable{tableFormat, t}) }

// Encode returns the receipt as [Receipt.Encode] does.
func (t *Table) Encode(signers ...note.Signer) ([]byte, error) { return encode(t.line, signers) }

// IsTable reports whether data is the receipt of a table, or looks like one.
func IsTable(data []byte) bool {
	data, _ = renew(data, formerTableFormat, tableFormat)
	return bytes.HasPrefix(data, []byte(`{"format":"`+tableFormat+`"`))
}

// VerifyTable reads a receipt that [Table.Encode] has written. It calls rows with the lists
// of that time, to screen the table again and return the tally, and compares that with the
// receipt. An error of rows says why the table cannot be screened again: the Outcome is
// [CannotTell], unless it wraps [ErrOtherTable]. With a nil st there are no lists to call rows
// with: it is called with nil, to compare the files.
//
// Otherwise it is like [Verify]. The Output is for the caller to compare with the file.
func VerifyTable(ctx context.Context, st store.Store, data []byte, rows func(*Table, *screening.Past) (Tally, error), known ...note.Verifier) (Verdict, error) {
	var v Verdict
	text, err := v.open(data, known)
	text, former := renew(text, formerTableFormat, tableFormat)
	if err == nil {
		v.Table, err = parseTable(text)
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("receipt: %w", err)
	}
	t := v.Table
	v.decide(known, func() (string, error) {
		var failed error
		if st == nil || former {
			switch _, failed = rows(t, nil); {
			case failed != nil:
			case st == nil:
				failed = ErrNotComputed
			default:
				failed = ErrForm
			}
			if errors.Is(failed, ErrOtherTable) {
				return Different, failed
			}
			return CannotTell, failed
		}
		outcome, reason := t.Basis.replay(ctx, st, t.Time, func(past *screening.Past) error {
			var got Tally
			if got, failed = rows(t, past); failed != nil {
				return nil
			}
			return t.Tally.compare(&got)
		})
		switch {
		case errors.Is(failed, ErrOtherTable):
			return Different, failed
		case outcome == Same && failed != nil:
			return CannotTell, failed
		}
		return outcome, reason
	})
	return v, nil
}

// ErrOtherTable reports that a file is not the table of a receipt.
var ErrOtherTable = errors.New("the file is not the table of the receipt: it was changed, or it is another one")

// compare returns an error that names the first difference.
func (t *Tally) compare(got *Tally) error {
	switch {
	case t.equal(got):
		return nil
	case t.Rows != got.Rows:
		return fmt.Errorf("the receipt has %d rows, the table has %d", t.Rows, got.Rows)
	case t.Undecided != got.Undecided:
		return fmt.Errorf("the receipt has %d undecided rows, the lists of that time give %d", t.Undecided, got.Undecided)
	}
	for _, level := range slices.Sorted(maps.Keys(got.Levels)) {
		if t.Levels[level] != got.Levels[level] {
			return fmt.Errorf("the receipt has %d rows of level %s, the lists of that time give %d", t.Levels[level], level, got.Levels[level])
		}
	}
	return errors.New("the receipt has other verdicts than the lists of that time give")
}

// parseTable returns the receipt in a line that Table.line has written.
func parseTable(text []byte) (*Table, error) {
	w := wireTable{Table: new(Table)}
	if err := unmarshal(text, &w); err != nil {
		return nil, err
	}
	w.Time = w.Time.UTC()
	complete := !w.Time.IsZero() && w.isComplete() && w.Input != "" && w.Output != ""
	return w.Table, accept(text, w.Format, tableFormat, complete, w.line)
}
