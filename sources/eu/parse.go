// Package eu reads the European Union's consolidated list of persons, groups and entities
// subject to financial sanctions. Begin with [New], or with [Parse] for a file.
//
// The list has no field for wallets: their addresses stand in remarks, in free text. What
// [address.FindAll] finds there is an address. Text without a valid checksum is one only
// behind a ticker, as in "SOL: 7x…".
//
// The format is XML 1.1 (xmlFullSanctionsList_1_1). The Commission's CSV was found in July
// 2026 to lack the addresses, and is refused. The data may be reused under Commission
// Decision 2011/833/EU if the source is named: © European Union. Only what the Official
// Journal prints is authentic.
package eu

import (
	"io"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// Parse reads the list from r; see package sources. An address that an entity's remarks
// repeat under the same ticker is added once. Text that a ticker and a colon label as an
// address is added with a zero Address if it is none.
//
// Ref is the EU reference number, such as "EU.12747.39", or the logical id of the few
// entities without one. Name is the first name that is not a weak alias. Asset is the
// ticker that labels the address, or "". ListedAt is the day of the regulation given for
// the name, address or document of the remark, since a wallet may be added to an entity
// long after its listing. EntityListedAt is the entity's day of designation, or else the
// first day on which a regulation about it was published.
//
// Nothing is added unless r is the whole list: of format 1.1, well-formed to its last byte,
// with a date, records and a wallet. Format 1.0, which has no reference numbers, is refused.
//
// The Commission regenerates the file without changing it. So the revision's digest
// covers the document without the generationDate and globalFileId of its root element.
// Published is that date.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	l, err := readXML(r)
	if err != nil {
		return sources.Revision{}, err
	}
	return l.Emit("entity", add)
}

// day reads a day such as 2025-02-24, perhaps with more behind it.
func day(text string) time.Time {
	return freetext.Date(text[:min(len(text), len(time.DateOnly))], time.DateOnly)
}
