// Package revision reads and writes the file that holds one revision of a list: its
// entries, and the look-up tables that answer questions about them. [NewWriter] writes
// a file and [Parse] verifies and reads one.
//
// # Format
//
// A file begins with a header of text lines, which people can read, too:
//
//	walletscreen revision 1
//	source OFAC_SDN
//	name "OFAC Specially Designated Nationals"
//	digest 36c517bd264d8d97eff353eadd8d84427d5eb293505a8ce07271a5bc258c3117
//	published 2025-11-19T00:00:00Z
//	checked 2025-11-19T00:00:00Z
//	accepted 2026-11-21T04:57:29.5Z
//	completeness assembled
//	provenance "public extractions of the list"
//	open-ended false
//	records 18290
//	entries 761
//	rule "3"
//	etag ""
//	last-modified ""
//
// The lines are in this order, and an empty line ends them. The line provenance is
// missing if it is "". Times are in UTC by RFC 3339; "-" is the zero time. The rule is the
// version of the rule that filed the tables.
//
// Then come the entries. An entry names its chain and the normal form of its address, so it
// can be read whatever tables a later version of the module builds. It consists of
//
//   - a byte that says which parts follow, see the constants of this package;
//   - its label, unless that is the label of the entry before it: what many entries share,
//     which is chain, asset, kind, ref, name, the date of the listing, and the time at which
//     the entry was first seen; in a dated label follow the date of the listing of the entity,
//     and the last one on which the entry was not listed;
//   - the address: the 20 bytes of "0x" and 40 hex digits, or a text;
//   - the listed string, if it is not the address: a text, or, where it differs from
//     "0x" and 40 hex digits only in letter case, 5 bytes with a bit for each capital.
//
// Numbers are unsigned varints (LEB128). A text is its length and its bytes. A string
// in a label is 0 if it is empty, 1 and a text, or 2 plus the number of an earlier text,
// counted from 0. When there are 65,536 texts, or 8 MiB of them, writer and reader forget
// all; so neither needs memory in proportion to the list. A time is 0 for the zero time, or 1
// and the seconds since 1970 as a signed varint, or 2, the seconds, and the nanoseconds.
//
// Each table begins at a multiple of 64 bytes, after zeros; tables are opaque.
//
// The trailer has the offset and the length of the entries, and the number of tables
// with the offset and the length of each; then the number of blocks of 1 MiB before the
// trailer, and the CRC-32C of each block. Offsets, lengths and counts have 8 bytes,
// little-endian, and checksums 4. The last 40 bytes of a file are the offset of the
// trailer, and the SHA-256 of the header and of the trailer with its offset. The last
// 40 bytes and the first line stay as they are in every version of the format, so a
// file whose version line was damaged is not mistaken for one of a later version.
//
// Equal headers, entries and tables make equal bytes.
package revision

import (
	"errors"
	"hash/crc32"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

var (
	// ErrDamaged is wrapped by errors about a file that is not as it was written.
	ErrDamaged = errors.New("damaged revision file")
	// ErrVersion is wrapped by errors about an intact file in a format of another
	// version of this module.
	ErrVersion = errors.New("revision file of an unknown version")
)

// A Header describes a revision.
type Header struct {
	Source, Name string           // ID and name of the source
	Revision     sources.Revision // Checked is the time of the last check when the file was written
	Accepted     time.Time        // zero if the list was never accepted, as in bundled data
	Entries      int              // number of entries
	Rule         string           // version of the rule that filed the tables; "" if there are none
}

// A Removal is an entry that is no longer on a list. An entry that comes back is no
// longer a Removal, and has the FirstSeen that it had.
type Removal struct {
	Entry sources.Entry // as in the last revision that had it
	At    time.Time     // when the first revision without the entry was accepted, in UTC
}

const (
	magic   = "walletscreen revision "
	version = "1"

	maxString  = 1 << 16 // bytes of a string
	maxNormal  = 128     // bytes of the normal form of most addresses
	maxHeader  = 1 << 20 // bytes of a header
	blockBytes = 1 << 20 // bytes that share a checksum
	alignment  = 64      // of tables
	sealBytes  = 8 + 32  // at the end of a file

	// When a dictionary exceeds one of these, it is emptied.
	maxNumbered = 1 << 16 // strings
	maxStrings  = 8 << 20 // bytes of strings
)

// The first byte of an entry has one of each group.
const (
	noAddress   = 0 // the listed string decodes to nothing
	hexAddress  = 1 // 20 bytes, which the normal form has as 0x and hex digits
	textAddress = 2
	addressMask = 3

	noListed   = 0 << 2 // Listed is ""
	sameListed = 1 << 2 // Listed is the normal form
	caseListed = 2 << 2 // Listed is a hexAddress with capitals
	textListed = 3 << 2
	listedMask = 3 << 2

	sameLabel  = 1 << 4 // the label of the previous entry
	newLabel   = 2 << 4
	datedLabel = 3 << 4 // a new label with two more dates
	labelMask  = 3 << 4
)

// hexDigits is the number of digits of a hexAddress.
const hexDigits = 40

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
