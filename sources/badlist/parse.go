// Package badlist reads lists of bad addresses that communities maintain, in JSON of
// several shapes, CSV, TagPack (YAML), and text with one address on a line. Begin with
// [New], which fetches MyEtherWallet's darklist or another list, and [Parse] for a file.
// [ScamSniffer], [Ransomwhere] and others are options for [New].
//
// Volunteers maintain these lists by hand. A malformed entry is never dropped: a string
// that is not an address is listed as it stands, and the same string matches. A file that is
// not the list, or not the whole list, is an error.
package badlist

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

const (
	maxSize = 256 << 20 // of a list, in bytes; the largest known has some 10 MB
	maxItem = 64 << 10  // of an item in JSON, and of a text in several lines, give or take a buffer
)

// Parse reads a list and calls add for each of its entries. The content shows the format
// of r:
//
//   - JSON as in MyEtherWallet's darklist: an array of objects with the members "address",
//     "chain" (or "network", "blockchain"), "comment" (or "family"), "date" (or "createdAt"),
//     "kind" and "ref". Only the first is required; others are ignored. Ref is
//     "addresses-darklist" unless the item or the options name another.
//   - A JSON array of addresses.
//   - A JSON object whose members are such arrays. The names of the members, such
//     as domains, are the comments of addresses. A member whose name is an address has
//     an object with the others, or a comment.
//   - CSV with a header that has a column "address", and maybe "chain", "comment", "date",
//     "kind" and "ref", separated by commas, semicolons or tabs. A row that begins with "#" is a comment,
//     unless another column has its address.
//   - TagPack, the YAML of GraphSense: only tags with an "abuse" count, their own or the head's,
//     for the others are of exchanges and victims. The abuse gives the Kind, and the
//     source of the tag is its Ref.
//   - Text with one address on a line, and a comment behind #. Blanks around an address and
//     empty lines are ignored.
//
// A chain is a name or a slug of package address, such as "bitcoin", or the ticker of an
// asset. It is a hint; see [sources.Decode]. A date is YYYY-MM-DD, with or without a time, or
// M/D/YY as in the United States; for any other text ListedAt is zero.
//
// A list may begin with a byte order mark, and may be compressed with gzip. Name is the
// comment, in one line of at most 512 bytes. The words of the kind, or else of the comment, give
// the Kind:
//
//   - phish…: [score.Phishing]
//   - scam…, fake, faked, fraud…: [score.Scam]
//   - ransom…: [score.Ransomware]
//   - hack, hacked, hacker, stole, stolen, theft: [score.StolenFunds]
//   - mixer, tumbler: [score.Mixer]
//
// and their plurals. The first of these kinds counts, for a "fake mixer" is a fake. Without
// such a word the kind is [score.CommunityReport]. URLs and domain names are ignored.
//
// Text that is not an address but contains some gives an entry for each, and for each other word
// that may be one: two addresses in a cell, or one with a note behind it. Letters of other alphabets
// that look like Latin ones are read as such if that makes an address. If the chain or the comment
// is an address and the address is a mere word, they are swapped. Listed is always the text of the list.
//
// The Digest of the revision covers all bytes of the list, uncompressed. Published is zero, for the lists
// have no date. Records counts lines and objects.
//
// A list that is truncated, empty, of another format, without any address, or longer than
// 256 MiB is an error, which wraps a [*sources.RecordError] where a place can be named. CSV
// and text that were cut between two lines look whole: Revision.OpenEnded is true. Errors
// of add and r are wrapped as well.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return (&Options{}).Parse(r, add)
}

// Parse is the function [Parse] for a list of the format that o describes.
func (o *Options) Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return o.parse(r, maxSize, add)
}

// parse is Parse with a limit of the size.
func (o *Options) parse(r io.Reader, size int64, add func(sources.Entry) error) (sources.Revision, error) {
	sum := sha256.New()
	p := parser{Options: o, add: add, itemRef: o.Ref}
	if o.Info.ID == "" {
		p.itemRef = cmp.Or(o.Ref, darklistRef)
	}
	if err := p.parse(bufio.NewReaderSize(io.TeeReader(unpack.Limit(unpack.Gunzip(r, false), size), sum), csvscan.MaxLine)); err != nil {
		return sources.Revision{}, err
	}
	return sources.Revision{Digest: hex.EncodeToString(sum.Sum(nil)), Records: p.records, OpenEnded: p.openEnded}, nil
}

// The places of the columns in a record.
const (
	columnAddress = iota
	columnChain
	columnName
	columnDate
	columnRef
	columnKind
	columnCount
)

// A record is a line or an object: a text for each column.
type record [columnCount]string

// columns are the columns of CSV.
var columns = record{columnAddress: "address", columnChain: "chain", columnName: "comment", columnDate: "date", columnRef: "ref", columnKind: "kind"}

// darklistRef is the Ref of all entries of a darklist: its items have no names,
// so the list stands for them.
const darklistRef = "addresses-darklist"

// dateLayouts are the layouts of dates; see Parse.
var dateLayouts = []string{time.DateOnly, "1/2/06", time.RFC3339, time.DateTime, "2006-01-02T15:04:05"}

// A parser is the part that the formats share.
type parser struct {
	*Options
	itemRef string // the Ref of JSON objects
	add     func(sources.Entry) error
	records int
	decoded int // records that hold an address

	openEnded bool // the format has no end mark
}

func (p *parser) parse(in *bufio.Reader) error {
	head, err := in.Peek(csvscan.MaxLine)
	if err != nil && err != io.EOF {
		return err // Peek returns it once
	}
	text := bytes.TrimPrefix(head, []byte("\ufeff"))
	mark := len(head) - len(text)
	switch text = bytes.TrimLeft(text, " \t\r\n"); {
	case len(text) == 0 && err == io.EOF:
		return errors.New("the list is empty")
	case len(text) == 0:
		return &sources.RecordError{Err: fmt.Errorf("%d blanks, not a list", len(head))}
	case text[0] == '[' || text[0] == '{':
		in.Discard(mark)
		err = p.json(in, int64(mark))
	case text[0] == '<':
		return &sources.RecordError{Byte: int64(len(head) - len(text)), Err: errors.New("HTML or XML, not a list of addresses")}
	case isTagPack(text):
		p.openEnded = true
		in.Discard(mark)
		err = p.tagPack(in)
	default:
		p.openEnded = true
		f := csvscan.File{Columns: columns[:], Comment: columnName}
		err = f.Read(in, func(_ int64, cells, _ []string) error { return p.emit(record(cells)) })
	}
	if err != nil {
		return err
	}
	if p.records == 0 {
		return errors.New("the list has no entries")
	}
	if p.decoded == 0 {
		return fmt.Errorf("none of the %d entries is an address", p.records)
	}
	return nil
}

// emit adds the entries of a record. Its errors name no place.
func (p *parser) emit(r record) error {
	listed := r[columnAddress]
	switch {
	case sources.TrimListed(listed) == "":
		return errors.New("no address")
	case !utf8.ValidString(listed) || strings.ContainsRune(listed, utf8.RuneError):
		return fmt.Errorf("address %.64q: not UTF-8", listed)
	}
	e := sources.Entry{
		Listed:   listed,
		Kind:     cmp.Or(p.Kind, r.kind()),
		Ref:      cmp.Or(r[columnRef], p.Ref),
		Name:     freetext.Name(r[columnName]),
		ListedAt: freetext.Date(r[columnDate], dateLayouts...),
	}
	chain := cmp.Or(sources.TrimListed(r[columnChain]), p.Asset)
	if _, err := address.ParseChain(chain); err != nil {
		e.Asset = chain // a ticker
	}
	p.records++
	var ok bool
	if e.Address, ok = sources.Decode(chain, listed); ok {
		p.decoded++
		return p.add(e)
	}
	found := sources.Repair(chain, listed)
	if len(found) == 0 {
		for _, column := range []int{columnChain, columnName} {
			if _, ok := sources.Decode("", r[column]); ok && len(csvscan.Others(listed, nil)) == 0 { // its cells are swapped
				if strings.ContainsAny(listed, ".0123456789") { // it may be a name or an id, too
					if err := p.add(e); err != nil {
						return err
					}
				}
				r[columnAddress], r[column] = r[column], r[columnAddress]
				p.records--
				return p.emit(r)
			}
		}
		return p.add(e)
	}
	p.decoded++
	found = append(found, csvscan.Others(listed, found)...)
	slices.SortFunc(found, func(a, b address.Found) int { return a.Start - b.Start })
	for _, f := range found {
		e.Address, e.Listed = f.Address, listed[f.Start:f.End]
		if err := p.add(e); err != nil {
			return err
		}
	}
	return nil
}

// signals are the words that show the kind of a report, in order of precedence. A word
// ending in "…" matches all words that begin so.
var signals = []struct {
	kind  score.Kind
	words []string
}{
	{score.Phishing, []string{"phish…"}},
	{score.Scam, []string{"scam…", "fake", "fakes", "faked", "fraud…"}},
	{score.Ransomware, []string{"ransom…"}},
	{score.StolenFunds, []string{"hack", "hacks", "hacked", "hacker", "hackers", "stole", "stolen", "theft", "thefts"}},
	{score.Mixer, []string{"mixer", "mixers", "tumbler", "tumblers"}},
}

// kind returns the kind of a record, which the column for it says, or else its comment.
func (r record) kind() score.Kind {
	kind := kindOf(strings.ReplaceAll(r[columnKind], "_", " "))
	if kind == score.CommunityReport && r[columnKind] != string(kind) {
		kind = kindOf(r[columnName])
	}
	return kind
}

// kindOf returns the kind that the words of a text show. See Parse.
func kindOf(text string) score.Kind {
	words := wordsOf(text)
	for _, s := range signals {
		for _, signal := range s.words {
			prefix, open := strings.CutSuffix(signal, "…")
			for _, w := range words {
				if w == signal || open && strings.HasPrefix(w, prefix) {
					return s.kind
				}
			}
		}
	}
	return score.CommunityReport
}

// wordsOf returns the words of a comment in lower case, without the words of URLs and domain
// names: "metamask/eth-phishing-detect" names the place of a report, not its kind.
func wordsOf(comment string) []string {
	var words []string
	for _, field := range strings.Fields(strings.ToLower(comment)) {
		field = strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if strings.Contains(field, "://") || strings.Contains(field, ".") {
			continue
		}
		words = append(words, strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) })...)
	}
	return words
}
