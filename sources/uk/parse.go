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
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/remark"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
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
	l, err := read(r)
	if err != nil {
		return sources.Revision{}, err
	}
	if err := l.each(add); err != nil {
		return sources.Revision{}, err
	}
	return l.revision, nil
}

// A list is what a file says about wallets.
type list struct {
	revision sources.Revision
	holders  []holder
	wallets  []wallet // in the order of the file
	named    map[naming]bool
}

// A holder is somebody who is designated.
type holder struct {
	id, name  string
	isPrimary bool // name is the primary one
	listed    time.Time
}

// A wallet is an address of a holder.
type wallet struct {
	remark.Wallet
	holder int // in list.holders
}

// A naming is what a designation may repeat.
type naming struct {
	holder      int
	asset, text string
}

// The bounds of what is kept. The list has some 6,300 designations.
const (
	maxWallets      = 1 << 20
	maxDesignations = 1 << 18
	maxText         = 4096 // of a name, an id, or an address
)

// each calls add for each wallet.
func (l *list) each(add func(sources.Entry) error) error {
	for _, w := range l.wallets {
		h := &l.holders[w.holder]
		err := add(sources.Entry{Address: w.Address, Listed: w.Text, Asset: w.Asset, Kind: score.Sanctioned, Ref: h.id, Name: h.name, ListedAt: h.listed})
		if err != nil {
			return fmt.Errorf("designation %.64q: %w", h.id, err)
		}
	}
	return nil
}

// read reads a whole file.
func read(r io.Reader) (*list, error) {
	buffered := bufio.NewReaderSize(r, 512)
	head, _ := buffered.Peek(512)
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	head = bytes.TrimLeft(head, " \t\r\n")
	lower := bytes.ToLower(head)
	var l *list
	var err error
	switch {
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return nil, &sources.RecordError{Err: errors.New("HTML page, not the list")}
	case len(head) == 0 || head[0] == '<':
		l, err = readXML(buffered)
	default:
		l, err = readCSV(buffered)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// check returns an error if what was read is not the list.
func (l *list) check() error {
	switch {
	case l.revision.Records == 0:
		return errors.New("no records")
	case l.revision.Published.IsZero():
		return errors.New("no date of publication")
	case len(l.wallets) == 0:
		return fmt.Errorf("no wallet in %d records", l.revision.Records)
	}
	return nil
}

// find adds the wallets that a text of a holder names.
func (l *list) find(holder int, text string) error {
	for _, w := range remark.Find(text) {
		if err := l.add(holder, w); err != nil {
			return err
		}
	}
	return nil
}

// add adds a wallet, unless it was there before.
func (l *list) add(holder int, w remark.Wallet) error {
	key := naming{holder, w.Asset, w.Text}
	if l.named[key] {
		return nil
	}
	if len(l.wallets) == maxWallets {
		return fmt.Errorf("more than %d wallets", maxWallets)
	}
	if l.named == nil {
		l.named = make(map[naming]bool)
	}
	l.named[key] = true
	l.wallets = append(l.wallets, wallet{w, holder})
	return nil
}

// typed adds what an element for wallets says. Here an address needs no checksum,
// and nothing is left out.
func (l *list) typed(holder int, text string) error {
	text = sources.TrimListed(text)
	if text == "" {
		return nil
	}
	if len(text) > maxText {
		return fmt.Errorf("CryptoWalletAddress of %d bytes", len(text))
	}
	if found := remark.Find(text); len(found) > 0 {
		return l.find(holder, text)
	}
	w := remark.Wallet{Text: text}
	if a, ok := sources.Decode("", text); ok {
		w.Address = a
	} else if fields := strings.Fields(text); len(fields) > 1 {
		asset, rest := strings.TrimRight(fields[0], ":-"), fields[len(fields)-1]
		if a, ok := sources.Decode(asset, rest); ok && asset != "" {
			w = remark.Wallet{Asset: asset, Text: rest, Address: a}
		}
	}
	return l.add(holder, w)
}

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

// call notes a name of the holder: the first, but the primary one if there is.
func (h *holder) call(name string, primary bool) {
	if name != "" && (h.name == "" || primary && !h.isPrimary) {
		h.name, h.isPrimary = name, primary
	}
}
