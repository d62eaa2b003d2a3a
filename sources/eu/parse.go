// Package eu reads the consolidated list of persons, groups and entities that
// are subject to the financial sanctions of the European Union, as the European
// Commission publishes it in its Financial Sanctions Files.
//
// The list has no field for wallets. Their addresses stand in its remarks, in
// free text; package [address] says by [address.FindAll] what is one. What has no
// checksum, or a wrong one, is one only where a ticker labels it, as in "SOL: 7x…".
//
// [New] makes a source that fetches the list. [Parse] reads a file that is at
// hand, in one of the formats
//
//   - XML 1.1 (xmlFullSanctionsList_1_1), and
//   - CSV 1.1 (csvFullSanctionsList_1_1), which cannot prove that it is whole,
//     and in which somebody found none of the addresses of the XML in July 2026.
//
// The data may be reused under Commission Decision 2011/833/EU if the source is
// named: © European Union. Only what the Official Journal prints is authentic.
package eu

import (
	"crypto/sha1"
	"encoding/hex"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// Parse reads the list from r, in one of the formats above, and calls add for
// each wallet that a remark of an entity names, in the order of the list. What an
// entity's remarks repeat, the same address under the same ticker, is added once.
// What a ticker and a colon label as an address, and is none, is added as it is,
// with a zero Address.
//
// Of an entry, Ref is the EU reference number, such as "EU.12747.39", or the
// logical id of the few entities without one; Name is the first name that is not
// a weak alias; Asset is the ticker that labels the address, or "". ListedAt is
// the day of the regulation that is given for the very name, address or document
// whose remark it is: a wallet may be added to an entity that was listed long
// before. Where there is none it is the entity's day of designation, else the
// first day on which a regulation about it was published.
//
// Nothing is added unless all of r was read and is the list: of format 1.1,
// well-formed to its last byte, with a date, with records, and not without any
// wallet. Format 1.0, in which no entity has a reference number, is refused. A
// CSV file that was cut between two of its lines cannot be told from a whole one.
// Errors are a [*sources.RecordError], or that of r, or one that wraps that of
// add.
//
// The Commission generates the files anew without a change in them. So the
// revision's digest is that of the XML document without the generationDate and
// globalFileId of its root element, and of CSV that of all fields but
// fileGenerationDate. Published is that date.
//
// Parse holds the wallets in memory, of CSV the ids of the entities, and of the
// rest no more than a buffer.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	l, err := read(r)
	if err != nil {
		return sources.Revision{}, err
	}
	return l.Emit("entity", add)
}

// A list is what a file says about wallets.
type list struct {
	freetext.List
	sha1    string // of the file, in hex
	isTimed bool   // Revision.Published is a time, not a day
}

// The bounds of what is kept. The list has some 6,200 entities, two of them with
// wallets.
const (
	maxEntities = 1 << 18
	maxText     = 4096 // of a name or an id
)

// read reads a whole file.
func read(r io.Reader) (*list, error) {
	sum := sha1.New()
	l, err := freetext.Read(io.TeeReader(r, sum), readXML, readCSV)
	if err != nil {
		return nil, err
	}
	l.sha1 = hex.EncodeToString(sum.Sum(nil))
	return l, nil
}

// day reads a day such as 2025-02-24. It is zero if there is none that can be
// read: a slip of the pen in one of so many dates must not make the list be
// refused.
func day(text []byte) time.Time {
	if len(text) > len(time.DateOnly) {
		text = text[:len(time.DateOnly)]
	}
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		return time.Time{}
	}
	return t
}

// first returns the earlier of two days, either of which may be zero.
func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// fullName returns the whole name, or what there is of its parts.
func fullName(whole string, parts ...string) string {
	if whole = sources.TrimListed(whole); whole != "" {
		return whole
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}
