// Package opensanctions reads the crypto wallets in datasets of OpenSanctions, which collects
// the lists of many authorities in one format. Begin with [New], or with [Parse] for a file.
//
// OpenSanctions' data are under CC BY-NC 4.0. Use in business needs a license from
// OpenSanctions. So this module contains none of the data, and loads them only through New.
//
// Prefer entities.ftm.json, whose lines are entities of the FollowTheMoney model: it has the
// currency of a wallet, its holder, and the accusation. targets.simple.csv has none of
// these, so an address without a checksum, such as one of Solana, matches only as a string.
//
// A dataset is OpenSanctions' version of an authority's list, and not that list. So a wallet
// is of a community kind, sanctioned or not, unless Options.Jurisdiction says otherwise.
package opensanctions

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
)

const (
	maxSize    = 8 << 30  // of a file, in bytes; the file of all datasets has some 3 GB
	maxLine    = 16 << 20 // of an entity
	maxWallets = 1 << 20
	maxHolders = 1 << 20 // beyond it, or beyond maxNames, wallets have no name
	maxNames   = 1 << 26 // of all names, in bytes
	maxListed  = 1024    // of an address
)

// kind returns the kind of a wallet with the given topics: of those that are known, the one
// with the most points counts.
func (o *Options) kind(topics []string) score.Kind {
	official := o.Jurisdiction != "" && o.Jurisdiction != sources.Community
	switch {
	case official && slices.Contains(topics, "sanction"): // not "sanction.linked": an entity near a sanctioned one
		return score.Sanctioned
	case slices.Contains(topics, "crime.theft"):
		return score.StolenFunds
	case slices.Contains(topics, "crime.fraud"):
		return score.Scam
	}
	return cmp.Or(datasetKinds[o.Dataset], score.CommunityReport)
}

// datasetKinds maps datasets of one subject to their kinds.
var datasetKinds = map[string]score.Kind{
	"ransomwhere":           score.Ransomware,
	"us_fbi_lazarus_crypto": score.StolenFunds,
}

// Parse reads a dataset and calls add for each address of a wallet, in the order of the
// dataset. The content shows whether r is entities.ftm.json or targets.simple.csv. In the
// former, entities of other schemas than CryptoWallet give the names of holders. In the
// latter, wallets whose column "sanctions" is not empty have the topic "sanction".
//
// Asset is the wallet's currency, Ref the id of the entity, and Name the name of its holder.
// FirstSeen is when OpenSanctions first saw the wallet; ListedAt is zero. The Digest covers
// all bytes of r, Records is the number of its entities, and Published is zero.
//
// Nothing is added unless all of r was read. A file that was cut within a line, is another
// file, or has no wallet is an error. One that was cut between two lines looks whole, so
// Revision.OpenEnded is true; [New] compares a checksum. Errors are a
// [*sources.RecordError], or come from r, or wrap an error of add. Parse holds the wallets in
// memory, and the names of up to a million possible holders.
//
// Entries have the kinds of a list of jurisdiction Community; see [Options.Parse] for
// others.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return new(Options).Parse(r, add)
}

// Parse is the function [Parse] with the kinds of the Dataset and the Jurisdiction of o. It uses
// nothing else of o.
func (o *Options) Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	d := dataset{kind: o.kind, ids: make(map[string]bool), names: names{seed: maphash.MakeSeed(), places: make(map[uint64]uint32)}}
	rev, err := d.read(r)
	if err != nil {
		return sources.Revision{}, err
	}
	for _, w := range d.wallets {
		if err := add(d.entry(w)); err != nil {
			return sources.Revision{}, fmt.Errorf("entity %.64q: %w", w.id, err)
		}
	}
	return rev, nil
}

// A dataset is what a file says about wallets.
type dataset struct {
	kind    func(topics []string) score.Kind
	records int
	wallets []wallet
	ids     map[string]bool // of the entities with wallets
	names   names           // of entities that may hold wallets
}

// names are names by id. Most entities of a dataset may hold wallets, and hardly any does,
// so names keeps a hash of each id, and one text. Two ids of a million have one hash once
// in thirty million datasets.
type names struct {
	seed   maphash.Seed
	places map[uint64]uint32 // in text, of the length of a name, by the hash of the id
	text   []byte
}

// add adds a name of at most 512 bytes, unless there are too many.
func (n *names) add(id, name string) {
	if name != "" && len(n.places) < maxHolders && len(n.text) < maxNames {
		n.places[maphash.String(n.seed, id)] = uint32(len(n.text))
		n.text = append(binary.LittleEndian.AppendUint16(n.text, uint16(len(name))), name...)
	}
}

// of returns the name of an id, or "".
func (n *names) of(id string) string {
	place, ok := n.places[maphash.String(n.seed, id)]
	if !ok {
		return ""
	}
	text := n.text[place:]
	return string(text[2 : 2+binary.LittleEndian.Uint16(text)])
}

// A wallet is an address of an entity of the schema CryptoWallet.
type wallet struct {
	id, listed, asset, name string
	holders                 []string // ids
	kind                    score.Kind
	firstSeen               time.Time
}

func (d *dataset) entry(w wallet) sources.Entry {
	e := sources.Entry{Listed: w.listed, Asset: w.asset, Kind: w.kind, Ref: w.id, Name: w.name, FirstSeen: w.firstSeen}
	for _, id := range w.holders {
		if name := d.names.of(id); name != "" {
			e.Name = name
			break
		}
	}
	e.Address, _ = sources.Decode(w.asset, w.listed)
	return e
}

// read reads a whole file.
func (d *dataset) read(r io.Reader) (sources.Revision, error) {
	hash := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(csvscan.Limit(r, maxSize), hash), 64<<10)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return sources.Revision{}, err
	}
	switch text := strings.TrimPrefix(string(head), "\ufeff"); {
	case text == "":
		return sources.Revision{}, fail(0, "", io.ErrUnexpectedEOF)
	case text[0] == '{':
		in.Discard(len(head) - len(text))
		err = d.readEntities(in)
	case text[0] == '<':
		err = fail(1, "", errors.New("HTML or XML, not a dataset"))
	default:
		err = d.readTargets(in)
	}
	if err == nil && len(d.wallets) == 0 {
		err = fail(0, "", fmt.Errorf("no wallet in %d entities", d.records))
	}
	if err != nil {
		return sources.Revision{}, err
	}
	return sources.Revision{Digest: hex.EncodeToString(hash.Sum(nil)), Records: d.records, OpenEnded: true}, nil
}

// fail returns an error of a line, or of the file if line is 0.
func fail(line int64, ref string, err error) error {
	return &sources.RecordError{Line: line, Byte: 0, Ref: ref, Err: err}
}

// end ends an entity with wallets. Its errors name no place.
func (d *dataset) end(id string) error {
	if d.ids[id] {
		return errors.New("id given twice")
	}
	if len(d.ids) < maxWallets {
		d.ids[id] = true
	}
	return nil
}

// add adds a wallet. Its errors name no place.
func (d *dataset) add(w wallet) error {
	switch {
	case sources.TrimListed(w.listed) == "":
		return errors.New("an address of no text")
	case len(w.listed) > maxListed:
		return fmt.Errorf("an address of %d bytes", len(w.listed))
	case !utf8.ValidString(w.listed) || strings.ContainsRune(w.listed, utf8.RuneError):
		return fmt.Errorf("address %.64q: not UTF-8", w.listed)
	case len(d.wallets) == maxWallets:
		return fmt.Errorf("more than %d addresses", maxWallets)
	}
	d.wallets = append(d.wallets, w)
	return nil
}

// parseTime returns the time that s gives, in UTC, or the zero time. Times of
// OpenSanctions name no zone, and are of UTC.
func parseTime(s string) time.Time {
	for _, layout := range []string{"2006-01-02T15:04:05", time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
