package badlist

import (
	"cmp"
	"io"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
)

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

// darklistColumns are the columns of MyEtherWallet's darklist.
var darklistColumns = record{columnAddress: "address", columnName: "comment", columnDate: "date"}

// columns returns the names of the columns, with "" for those that are not read. named
// reports whether o names any.
func (o *Options) columns() (names record, named bool) {
	names = record{o.AddressColumn, o.ChainColumn, o.KindColumn, o.RefColumn, o.NameColumn, o.DateColumn}
	if names == (record{}) {
		return darklistColumns, false
	}
	names[columnAddress] = cmp.Or(names[columnAddress], darklistColumns[columnAddress])
	return names, true
}

// Parse is the function [Parse] for a list of the format that o describes.
func (o *Options) Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return o.parse(csvscan.Limit(r, maxSize), add)
}
