// Package uk reads the UK Sanctions List of the Foreign, Commonwealth and
// Development Office, the one list of the United Kingdom since 28 January 2026.
//
// The list has an element for wallets, which was empty in all of 2026. Their
// addresses stand in free text; package [address] says by [address.FindAll] what
// is one. What has no checksum, or a wrong one, is one only where a ticker labels
// it, as in "SOL: 7x…".
//
// [New] makes a source that fetches the list. [Parse] reads a file that is at
// hand, in one of the formats
//
//   - XML (UK-Sanctions-List.xml), and
//   - CSV (UK-Sanctions-List.csv), which cannot prove that it is whole.
//
// The data contain public sector information licensed under the Open Government
// Licence v3.0.
package uk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// ErrRetired is the error of the Consolidated List of the Office of Financial
// Sanctions Implementation ("ConList"), which was closed on 28 January 2026. A
// file of it, wherever it is still to be had, is out of date.
var ErrRetired = errors.New("this is the Consolidated List of OFSI, closed on 28 January 2026; want the UK Sanctions List")

// Parse reads the UK Sanctions List from r, in one of the formats above, and
// calls add for each wallet that a designation names, in the order of the list:
// in CryptoWalletAddress (XML only), in OtherInformation, and in
// UKStatementofReasons. What they repeat, the same address under the same ticker,
// is added once for a designation. What stands in CryptoWalletAddress and is no
// address is added as it is, with a zero Address, and so is what a ticker and a
// colon label as one in a text.
//
// Of an entry, Ref is the unique id of the designation, such as "RUS1421"; Name
// is its primary name; Asset is the ticker that labels the address, or "".
// ListedAt is the day on which the holder was designated. The list does not say
// when an address was added to a designation that was there before.
//
// Nothing is added unless all of r was read and is the list: well-formed to its
// last byte, with a date, with designations, and not without any wallet. A CSV
// file that was cut between two of its lines cannot be told from a whole one. The
// list of OFSI is [ErrRetired]. Errors are a [*sources.RecordError], or that of
// r, or one that wraps that of add. The revision's digest is that of all bytes of
// r.
//
// Parse holds the wallets in memory, of CSV the ids and names of the designated,
// and of the rest no more than a buffer.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	hash := sha256.New()
	l, err := freetext.Read(io.TeeReader(r, hash), readXML, readCSV)
	if err != nil {
		return sources.Revision{}, err
	}
	l.Revision.Digest = hex.EncodeToString(hash.Sum(nil))
	return l.Emit("designation", add)
}

// The bounds of what is kept. The list has some 6,300 designations.
const (
	maxDesignations = 1 << 18
	maxText         = 4096 // of a name, an id, or an address
)

// day reads a day such as 27/03/2024. It is zero if there is none that can be
// read.
func day(text string) time.Time {
	t, err := time.Parse("02/01/2006", sources.TrimListed(text))
	if err != nil {
		return time.Time{}
	}
	return t
}

// fullName joins the parts of a name: Name1 to Name5, and Name6, which is the
// family name or that of an entity.
func fullName(parts ...string) string {
	name := strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
	if len(name) > maxText {
		return ""
	}
	return name
}

// isPrimary reports whether a kind of name is that of the primary one.
func isPrimary(kind string) bool {
	return strings.EqualFold(sources.TrimListed(kind), "Primary Name")
}
