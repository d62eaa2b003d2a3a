// Package opensanctions reads the crypto wallets in datasets of OpenSanctions, which collects
// the lists of many authorities in one format. Begin with [New], or with [Parse] for a file.
//
// OpenSanctions' data are under CC BY-NC 4.0. Use in business needs a license from
// OpenSanctions. So this module contains none of the data, and loads them only through New.
//
// The file is targets.simple.csv. It has neither the currency of a wallet nor its holder, so an
// address without a checksum, such as one of Solana, matches only as a string.
//
// A dataset is OpenSanctions' version of an authority's list, and not that list. So a wallet
// is of a community kind, sanctioned or not, unless Options.Jurisdiction says otherwise.
package opensanctions

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

const maxSize = 2 << 30 // of a file, in bytes

// kind returns the kind of a wallet.
func (o *Options) kind(sanctioned bool) score.Kind {
	switch {
	case sanctioned && o.Jurisdiction != "" && o.Jurisdiction != sources.Community:
		return score.Sanctioned
	case o.Dataset == "ransomwhere":
		return score.Ransomware
	case o.Dataset == "us_fbi_lazarus_crypto":
		return score.StolenFunds
	}
	return score.CommunityReport
}

// The columns of targets.simple.csv that are read, and their places in a row.
const (
	columnID = iota
	columnSchema
	columnName
	columnIdentifiers
	columnSanctions
	columnFirstSeen
	columnCount
)

var columnNames = [columnCount]string{"id", "schema", "name", "identifiers", "sanctions", "first_seen"}

// Parse reads targets.simple.csv; see package sources. Ref is the id of the entity, and Name
// its name unless that looks like an address. FirstSeen is when OpenSanctions first saw the wallet;
// ListedAt and Published are zero. Records is the number of entities.
//
// Nothing is added unless all of r was read. A file that was cut within a line, is another
// file, or has no wallet is an error. One that was cut between two lines looks whole, so
// Revision.OpenEnded is true; [New] compares a checksum.
//
// Entries have the kinds of a list of jurisdiction Community; see [Options.Parse] for
// others.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return new(Options).Parse(r, add)
}

// Parse is the function [Parse] with the kinds of the Dataset and the Jurisdiction of o. It uses
// nothing else of o.
func (o *Options) Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return freetext.Parse(unpack.Limit(r, maxSize), "entity", add, o.read)
}

// read reads the rows below the header
//
//	id,schema,name,…,identifiers,sanctions,…,first_seen,…
func (o *Options) read(r io.Reader) (*freetext.List, error) {
	l := &freetext.List{Revision: sources.Revision{OpenEnded: true}}
	ids := make(map[string]bool) // of the entities with wallets
	f := csvscan.File{Columns: columnNames[:], Table: true}
	err := f.Read(r, func(_ int64, cells, _ []string) error {
		id := cells[columnID]
		if id == "" || cells[columnSchema] == "" {
			return errors.New("no entity: id or schema missing")
		}
		l.Revision.Records++
		if cells[columnSchema] != "CryptoWallet" {
			return nil
		}
		h, err := o.holder([columnCount]string(cells))
		switch {
		case !utf8.ValidString(strings.Join(cells, ",")):
			err = errors.New("invalid UTF-8")
		case err == nil && ids[id]:
			err = errors.New("id given twice")
		case err == nil:
			ids[id] = len(h.Wallets) > 0
			err = l.Add(h)
		}
		if err != nil {
			err = fmt.Errorf("entity %.64q: %w", id, err)
		}
		return err
	})
	if err == nil && len(l.Holders) == 0 {
		err = &sources.RecordError{Err: fmt.Errorf("no wallet in %d entities", l.Revision.Records)}
	}
	return l, err
}

// holder returns the entity of a row with its wallets. Their addresses are its identifiers, and its name if that
// looks like one, or if there is no other. Its errors name no place.
func (o *Options) holder(t [columnCount]string) (*freetext.Holder, error) {
	keys, err := values(t[columnIdentifiers])
	if err != nil {
		return nil, fmt.Errorf("identifiers: %w", err)
	}
	name := t[columnName]
	if !slices.Contains(keys, name) && name != "" && (len(keys) == 0 || len(address.FindLikely(name)) > 0) {
		keys = append(keys, name)
	}
	if slices.Contains(keys, name) {
		name = ""
	}
	h := &freetext.Holder{Ref: freetext.Name(t[columnID]), Name: freetext.Name(name)}
	for _, key := range keys {
		switch {
		case sources.TrimListed(key) == "":
			return nil, errors.New("an address of no text")
		case strings.ContainsRune(key, utf8.RuneError):
			return nil, fmt.Errorf("address %.64q: a character was lost", key)
		}
		e := sources.Entry{Listed: key, Kind: o.kind(t[columnSanctions] != "")}
		// Times of OpenSanctions name no zone, and are of UTC.
		e.FirstSeen = freetext.Date(t[columnFirstSeen], "2006-01-02T15:04:05", time.RFC3339, time.DateTime, time.DateOnly)
		e.Address, _ = sources.Decode("", key)
		h.Wallets = append(h.Wallets, e)
	}
	return h, nil
}

// values returns the values of a cell with several: CSV of its own, of one
// record with semicolons.
func values(cell string) ([]string, error) {
	if cell == "" {
		return nil, nil
	}
	r := csv.NewReader(strings.NewReader(cell))
	r.Comma = ';'
	rows, err := r.ReadAll()
	if err == nil && len(rows) != 1 {
		err = errors.New("want one line")
	}
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}
