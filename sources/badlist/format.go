package badlist

import (
	"io"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Format says what the content of a list does not: which columns matter, and the asset
// and kind of its addresses. The zero Format fits the lists that [Parse] describes.
type Format struct {
	// List is the member of a JSON object that holds the list, if it is not the
	// document itself: "result" of {"count": 2, "result": […]}.
	List string
	// Columns names the columns of CSV and the members of JSON objects that matter. If
	// it is not zero, a list that is not JSON is CSV.
	Columns Columns
	// Asset is the ticker of addresses without a chain in a column. It is a hint; see
	// [sources.Decode].
	Asset string
	// Kind is the kind of entries without one in a column. If it is "", the words of the
	// comment decide, as Parse describes.
	Kind score.Kind
	// Ref is the reference of entries without one in a column.
	Ref string
	// OpenEnd accepts text and CSV whose last line has no line end. Without it such a
	// list is an error, for it may have been cut within that line.
	OpenEnd bool
}

// Columns names columns in the header of CSV, in any letter case, or members of JSON
// objects, in exact letter case. A column named "" is not read, except Address, whose
// default is "address". CSV must have all that are named; JSON objects only Address.
type Columns struct {
	// Address is the column of addresses, one in a cell. If a cell is no address, each
	// address that [address.FindAll] finds in it is an entry of its own. In CSV, a row
	// with an empty cell is an entry that lists "(no address)", which is an anomaly.
	Address string
	// Chain is that of the chain, as a name or a slug of package address, such as
	// "bitcoin", or of the asset, as a ticker.
	Chain string
	// Kind is the column of the accusation: a kind of package score such as
	// "RANSOMWARE", or words as in a comment. A Screener refuses a list with a kind that
	// its Info may not emit.
	Kind string
	// Ref, Name and Date are those of the fields of [sources.Entry].
	Ref, Name, Date string
}

// The places of the columns in a record.
const (
	columnAddress = iota
	columnChain
	columnKind
	columnRef
	columnName
	columnDate
	columnCount
)

// A record is a line or an object: a text for each column.
type record [columnCount]string

// darklistColumns are those of MyEtherWallet's darklist.
var darklistColumns = record{columnAddress: "address", columnName: "comment", columnDate: "date"}

// names returns the names of the columns, with "" for those that are not read.
func (c Columns) names() record {
	if c == (Columns{}) {
		return darklistColumns
	}
	if c.Address == "" {
		c.Address = darklistColumns[columnAddress]
	}
	return record{c.Address, c.Chain, c.Kind, c.Ref, c.Name, c.Date}
}

// Parse is the function [Parse] for a list of the format f.
func (f Format) Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return f.parse(&bounded{r, maxSize}, add)
}
