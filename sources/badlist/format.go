package badlist

import (
	"io"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Format says of a list what its content does not: which columns matter, and
// of which asset and kind its addresses are. The zero Format is right for the
// lists that [Parse] describes.
type Format struct {
	// List is the member of a JSON object that holds the list, if it is not the
	// document itself: "result" of {"count": 2, "result": […]}.
	List string
	// Columns names the columns of CSV and the members of JSON objects that
	// matter. If it is not zero, what is not JSON is CSV.
	Columns Columns
	// Asset is the ticker of addresses of which no column says the chain. As
	// everywhere it is a hint; see [sources.Decode].
	Asset string
	// Kind is that of entries of which no column says one. If it is "", the words
	// of the comment decide, as Parse describes.
	Kind score.Kind
	// Ref is that of entries of which no column says one.
	Ref string
	// OpenEnd takes text and CSV whose last line has no end. Without it such a
	// list is an error, for it may have been cut within that line.
	OpenEnd bool
}

// Columns are names of columns in the header of CSV, where letter case does not
// matter, or of members of JSON objects, where it does. What is "" is not read,
// but for Address, which then is "address". In CSV all that are named must be
// there; in JSON objects only Address must.
type Columns struct {
	// Address is the column of addresses, one in a cell. If a cell is no address, each
	// address that [address.FindAll] finds in it is an entry of its own. In CSV, a row
	// with an empty cell is an entry that lists "(no address)", which is an anomaly.
	Address string
	// Chain is that of the chain, as a name or a slug of package address, such as
	// "bitcoin", or of the asset, as a ticker.
	Chain string
	// Kind is that of what the address is accused of: a kind of package score such
	// as "RANSOMWARE", or words, as in a comment. An official kind makes a
	// Screener refuse the list unless its Info has an official jurisdiction.
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

// A record is what one line or object says: a text for each column.
type record [columnCount]string

// darklistColumns are those of MyEtherWallet's darklist.
var darklistColumns = record{columnAddress: "address", columnName: "comment", columnDate: "date"}

// names returns the names of the columns, and "" for those that are not read.
func (c Columns) names() record {
	if c == (Columns{}) {
		return darklistColumns
	}
	if c.Address == "" {
		c.Address = darklistColumns[columnAddress]
	}
	return record{c.Address, c.Chain, c.Kind, c.Ref, c.Name, c.Date}
}

// Parse is as the function [Parse], for a list of the format f.
func (f Format) Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return f.parse(&bounded{r, maxSize}, add)
}
