// Package own reads an operator's own list from a file: addresses to block, and
// addresses to allow. Begin with [File], which watches the file.
//
// A list may be text with one address on a line and a comment behind "#", or CSV with a
// header. The column address is required. Optional columns, in any order, are:
//
//   - action: block (the default) or allow
//   - chain: the name of a chain, such as "ethereum"
//   - reason, reference, author: texts
//   - expires: a date (the last day on which the row counts, in UTC) or a time (RFC 3339)
//
// A row that begins with "#" is a comment; it is an error if the address is in a later
// column.
//
// Columns are separated by commas, semicolons or tabs. A row with an error makes the
// whole file an error, which names the line; a Screener then keeps the last good list.
// An empty file is an empty list. The file may be compressed with gzip.
package own

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

const maxBytes = 64 << 20

// A row is a row of the list.
type row struct {
	address   address.Address // zero if listed means several, by [sources.Repair]
	listed    string          // as the file has it, without a note
	allow     bool            // the action is allow
	reason    string
	reference string
	author    string
	expires   time.Time // the instant at which the row ends; zero if it does not
}

// each calls do for each row of a list, also for those that have expired.
func each(r io.Reader, do func(row) error) error {
	in := unpack.Limit(unpack.Gunzip(r, false), maxBytes)
	f := csvscan.File{Columns: columnNames[:], Comment: columnReason, ByHand: true}
	return f.Read(in, func(_ int64, cells, _ []string) error {
		row, err := newRow(cells)
		if err != nil {
			return err
		}
		return do(row)
	})
}

// File returns the blocked addresses in the file called name, as a list of the given
// id. Its entries are [score.Blocked]: Ref is the reference, Name the reason.
//
// Each Load looks at the file, and reads it if it has changed or has a row that expires. With a
// short Schedule.Every in the options of package screening, changes take effect within that time.
// Write a new file beside the old one and rename it.
//
// The SetExceptions of a Screener with this list reads the rows that allow, from the file as
// it is then. See [sources.AllowedBy].
func File(id, name string) sources.Source {
	return &source{name: name, info: sources.Info{
		ID: id, Name: "the operator's list " + id, Jurisdiction: sources.Operator, Licence: "the operator's own",
	}}
}

type source struct {
	info sources.Info
	name string
}

func (s *source) Info() sources.Info { return s.info }

// Allowed returns the rows that allow, for the exceptions of a Screener.
func (s *source) Allowed() (all []sources.Allowed, err error) {
	f, err := os.Open(s.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	err = each(f, func(row row) error {
		if row.allow {
			all = append(all, sources.Allowed{Address: row.address, Reason: row.reason, Author: row.author, Expires: row.expires})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return all, nil
}

// Load reads a list with a row that expires each time: its ETag is "". The digest covers the rows
// that count.
func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	now, expires := time.Now(), false
	file := sources.File(s.info, s.name, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		rev := sources.Revision{OpenEnded: true}
		err := each(r, func(row row) error {
			expires = expires || !row.allow && !row.expires.IsZero()
			if row.allow || !row.expires.IsZero() && !now.Before(row.expires) {
				return nil
			}
			rev.Records++
			return add(sources.Entry{Address: row.address, Listed: row.listed, Kind: score.Blocked, Ref: row.reference, Name: row.reason})
		})
		return rev, err
	})
	var entries []sources.Entry
	rev, err := file.Load(ctx, prev, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err == nil {
		var list sources.Revision
		list, err = sources.Static(s.info, entries...).Load(ctx, prev, add)
		if rev.Digest = list.Digest; expires {
			rev.ETag = ""
		}
	}
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("own list %s: %w", s.info.ID, err)
	}
	return rev, err
}

// The columns.
const (
	columnAddress = iota
	columnAction
	columnChain
	columnReason
	columnReference
	columnAuthor
	columnExpires
	columnCount
)

var columnNames = [columnCount]string{"address", "action", "chain", "reason", "reference", "author", "expires"}

// newRow returns the row with these values.
func newRow(values []string) (row, error) {
	for i, text := range values {
		if !utf8.ValidString(text) {
			return row{}, fmt.Errorf("%s: invalid UTF-8", columnNames[i])
		}
		values[i] = sources.TrimListed(text)
	}
	r := row{listed: values[columnAddress], reason: values[columnReason], reference: values[columnReference], author: values[columnAuthor]}
	switch strings.ToLower(values[columnAction]) {
	case "", "block":
	case "allow":
		r.allow = true
	default:
		return row{}, fmt.Errorf("action %.40q, want block or allow", values[columnAction])
	}
	var err error
	if r.address, err = decode(values[columnChain], r.listed); err != nil {
		// A slip must not hide an account that is blocked. An account that is allowed must be clear.
		repaired := sources.Repair(values[columnChain], r.listed)
		_, elsewhere := sources.Decode("", r.listed)
		switch {
		case r.allow || elsewhere || len(repaired) == 0:
			return row{}, err
		case hasOther(r.listed, repaired) || len(repaired) > 1 && len(repaired) != len(sources.Repair("", r.listed)):
			return row{}, errors.New("not an address alone: another word looks like one")
		case len(repaired) == 1:
			r.address, r.listed = repaired[0].Address, r.listed[repaired[0].Start:repaired[0].End]
		}
	}
	if r.expires, err = parseExpiry(values[columnExpires]); err != nil {
		return row{}, err
	}
	return r, nil
}

// hasOther reports whether text may have an address that is not found. A word may repeat a found one with
// characters left out, as in 0x57EC…1259.
func hasOther(text string, found []address.Found) bool {
	return slices.ContainsFunc(csvscan.Others(text, found), func(other address.Found) bool {
		ends := strings.FieldsFunc(strings.ToLower(text[other.Start:other.End]), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		return !slices.ContainsFunc(found, func(f address.Found) bool {
			whole := strings.ToLower(text[f.Start:f.End])
			return len(ends) == 2 && strings.HasPrefix(whole, ends[0]) && strings.HasSuffix(whole, ends[1])
		})
	})
}

// decode returns the account that text is on the chain, or, if chain is "", on the only
// chain that it proves itself to be of.
func decode(chain, text string) (address.Address, error) {
	if text == "" {
		return address.Address{}, errors.New("no address")
	}
	if chain == "" {
		if a, ok := sources.Decode("", text); ok {
			return a, nil
		}
		if len(address.Detect(text)) > 0 {
			return address.Address{}, errors.New("the address may be of several chains: name one in the column chain")
		}
		if strings.ContainsAny(text, ",;\t") {
			return address.Address{}, errors.New("not an address of a known chain; if it is the header of a table, call a column address")
		}
		return address.Address{}, errors.New("not an address of a known chain")
	}
	c, err := address.ParseChain(chain)
	if err != nil {
		return address.Address{}, err
	}
	return address.Normalize(c, text)
}

// parseExpiry returns the instant at which a row ends: the instant of a time, or the end of
// a day.
func parseExpiry(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UTC(), nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("expires %.40q, want YYYY-MM-DD or a time such as 2026-12-31T12:00:00Z", text)
	}
	return t.AddDate(0, 0, 1), nil
}
