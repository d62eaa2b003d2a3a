// Package badlist reads lists of bad addresses that communities keep, in the
// formats in which they do: JSON of several shapes, CSV, and plain text with one
// address on a line. [New] fetches the darklist of MyEtherWallet, or, with the
// options of [ScamSniffer] or [Ransomwhere] or with your own, another list.
//
// These lists are kept by hand, by volunteers, and say little. An entry is never
// dropped for what is wrong with it: a string that is no address is listed as it
// stands, and is found by that very string. A file that is not the list, or not
// all of it, is an error.
package badlist

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	maxSize    = 256 << 20 // of a list, in bytes; the largest known has some 10 MB
	maxLine    = 64 << 10  // of a line of text
	maxCell    = 64 << 10  // of a text with addresses in it
	maxListed  = 1024      // of a listed string; longer ones are not looked up
	maxChain   = 64        // of the name of a chain or an asset
	maxName    = 512       // of Entry.Name; a longer comment is cut
	maxNesting = 32        // of JSON values that are passed over
)

// Parse reads a list and calls add for each of its entries. It tells by the
// content which format r has:
//
//   - JSON as in MyEtherWallet's darklist: an array of objects with the members
//     "address", "comment" and "date". The first is required; others are passed
//     over. Ref is "addresses-darklist".
//   - A JSON array of addresses.
//   - A JSON object whose members are named by addresses. What is said of one is
//     true, null, a comment, several in an array, or an object as above. False
//     and numbers are errors: they may mean that it is not listed.
//   - A JSON object whose members are arrays of addresses. Their names, such as
//     domains, are the comments.
//   - CSV with a header that has a column "address", and perhaps "comment" and
//     "date", with commas, semicolons or tabs.
//   - Text with one address on a line. What follows a # is a comment. Blanks
//     around an address and empty lines do not matter.
//
// Which of the two JSON objects it is, its first name tells. Where the columns
// have other names, or there is more to know, see [Format]. A date is YYYY-MM-DD,
// with or without a time, or, as in the United States, M/D/YY; where there is
// none that can be read, ListedAt is zero.
//
// A list may begin with a byte order mark. Name is the comment, in one line and
// at most 512 bytes long, and Kind what its words say:
//
//   - phish…: [score.Phishing]
//   - scam…, fake, faked, fraud…: [score.Scam]
//   - ransom…: [score.Ransomware]
//   - hack, hacked, hacker, stole, stolen, theft: [score.StolenFunds]
//   - mixer, tumbler: [score.Mixer]
//
// and their plurals; the first of them if there are several, for "fake mixer" is a
// fake; and [score.CommunityReport] if there is none. URLs and domain names have no words.
//
// What is no address, but holds some, gives an entry for each: two addresses in a
// cell, or one with a note behind it. Letters of other alphabets that look like
// Latin ones are read as such, if that makes it an address. Listed is what the
// list prints in any case.
//
// The Digest of the revision is that of all bytes of r. The lists give no date
// of their own, so Published is zero. Records counts lines and objects.
//
// A list that is truncated, has no entries, is not of these formats, or of which
// nothing is an address, is an error, as is one of more than 256 MiB; where a
// place can be named, it wraps a [*sources.RecordError]. That CSV or text is
// truncated shows only within a line, by the last line's having no end; JSON
// shows it everywhere. An error of add or of r is wrapped as well.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return Format{}.Parse(r, add)
}

// parse is Parse without a bound of the size.
func (f Format) parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	sum := sha256.New()
	p := parser{Format: f, names: f.Columns.names(), add: add}
	if err := p.parse(bufio.NewReaderSize(io.TeeReader(r, sum), maxLine)); err != nil {
		return sources.Revision{}, err
	}
	return sources.Revision{Digest: hex.EncodeToString(sum.Sum(nil)), Records: p.records, OpenEnded: p.openEnded}, nil
}

var errSize = errors.New("list too large")

// A bounded reader reads n bytes of r, and fails if there are more.
type bounded struct {
	r io.Reader
	n int64
}

func (b *bounded) Read(buf []byte) (int, error) {
	if int64(len(buf)) > b.n+1 {
		buf = buf[:b.n+1]
	}
	n, err := b.r.Read(buf)
	if b.n -= int64(n); b.n < 0 {
		return 0, errSize
	}
	return n, err
}

// A parser holds what the formats have in common.
type parser struct {
	Format
	names   record // of the columns
	add     func(sources.Entry) error
	records int
	decoded int // records that hold an address

	openEnded bool // the format has no end mark
}

func (p *parser) parse(in *bufio.Reader) error {
	skipped, first, err := skipBlank(in)
	switch {
	case err == io.EOF:
		return errors.New("the list is empty")
	case err != nil:
		return err
	case first == '[' || first == '{':
		err = p.json(in, skipped)
	case first == '<':
		return &sources.RecordError{Byte: skipped.bytes, Err: errors.New("HTML or XML, not a list of addresses")}
	case p.List != "":
		return &sources.RecordError{Byte: skipped.bytes, Err: errors.New("not JSON")}
	default:
		err = p.lines(in, skipped)
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

// lines reads a list that is no JSON.
func (p *parser) lines(in *bufio.Reader, skipped position) error {
	p.openEnded = true
	comma, ok, err := p.header(in)
	switch {
	case err != nil:
		return err
	case ok:
		return p.csv(in, comma, skipped)
	}
	return p.text(in, skipped)
}

// A position is how much of a list was read.
type position struct {
	bytes int64
	lines int64 // ends of lines
}

// skipBlank reads a byte order mark and blanks, and returns how much it read and
// the byte that follows, which it does not read.
func skipBlank(in *bufio.Reader) (skipped position, first byte, err error) {
	switch mark, err := in.Peek(3); {
	case string(mark) == "\ufeff":
		in.Discard(3)
		skipped.bytes = 3
	case err != nil && err != io.EOF:
		return skipped, 0, err // which Peek tells once
	}
	for {
		c, err := in.ReadByte()
		if err != nil {
			return skipped, 0, err
		}
		switch c {
		case '\n':
			skipped.lines++
		case ' ', '\t', '\r':
		default:
			return skipped, c, in.UnreadByte()
		}
		skipped.bytes++
	}
}

// emit adds the entries of a record. An error has no place yet.
func (p *parser) emit(r record) error {
	listed := r[columnAddress]
	switch {
	case sources.TrimListed(listed) == "":
		return errors.New("no address")
	case len(listed) > maxCell:
		return fmt.Errorf("an address of %d bytes", len(listed))
	case !utf8.ValidString(listed) || strings.ContainsRune(listed, utf8.RuneError):
		return fmt.Errorf("address %.64q: not UTF-8", listed)
	case len(r[columnChain]) > maxChain:
		return fmt.Errorf("a chain of %d bytes", len(r[columnChain]))
	}
	e := sources.Entry{
		Listed:   listed,
		Kind:     p.kind(r),
		Ref:      nameOf(r[columnRef]),
		Name:     nameOf(r[columnName]),
		ListedAt: parseDate(r[columnDate]),
	}
	if e.Ref == "" {
		e.Ref = p.Ref
	}
	chain := sources.TrimListed(r[columnChain])
	if chain == "" {
		chain = p.Asset
	}
	p.records++
	var ok bool
	if e.Address, e.Asset, ok = decode(chain, listed); ok {
		p.decoded++
		return p.add(e)
	}
	found := decodeWithin(chain, listed)
	if len(found) == 0 {
		if len(listed) > maxListed {
			return fmt.Errorf("an address of %d bytes", len(listed))
		}
		return p.add(e)
	}
	p.decoded++
	for _, f := range found {
		e.Address, e.Listed = f.address, f.listed
		if err := p.add(e); err != nil {
			return err
		}
	}
	return nil
}

// kind returns the kind that a record says, or else the format.
func (p *parser) kind(r record) score.Kind {
	if said := sources.TrimListed(r[columnKind]); said != "" {
		k := score.Kind(strings.ToUpper(strings.ReplaceAll(said, " ", "_")))
		if _, ok := score.Latest().Points(k, score.Exact); ok && k != score.Blocked {
			return k
		}
		if k := kindOf(said); k != score.CommunityReport {
			return k
		}
	}
	if p.Kind != "" {
		return p.Kind
	}
	return kindOf(r[columnName])
}

// decode returns the account that text is on a chain, or under a ticker, if
// chain is no chain's name, and that ticker. Either is only a hint.
func decode(chain, text string) (a address.Address, asset string, ok bool) {
	if chain == "" {
		a, ok = sources.Decode("", text)
		return a, "", ok
	}
	c, err := address.ParseChain(strings.ReplaceAll(chain, " ", "-"))
	if err != nil {
		a, ok = sources.Decode(chain, text)
		return a, chain, ok
	}
	if a, err := address.Normalize(c, sources.TrimListed(text)); err == nil {
		return a, "", true
	}
	a, ok = sources.Decode("", text)
	return a, "", ok
}

// nameOf returns a comment as it is shown: in one line, without control
// characters, and not longer than maxName.
func nameOf(comment string) string {
	name := strings.Join(strings.FieldsFunc(comment, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	name = strings.ToValidUTF8(name, "\ufffd")
	if len(name) <= maxName {
		return name
	}
	const more = "…"
	cut := maxName - len(more)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + more
}

// signals are the words that say of which kind a report is, in the order in
// which they count. A word ending in "…" stands for all that begin so.
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

// kindOf returns the kind of a report with the given comment. See Parse.
func kindOf(comment string) score.Kind {
	words := wordsOf(comment)
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

// wordsOf returns the words of a comment in lower case, without those of URLs
// and domain names: a site that is called so is not always meant so, and
// "metamask/eth-phishing-detect" is where a report was made.
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
