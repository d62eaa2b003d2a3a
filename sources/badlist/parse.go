// Package badlist reads lists of bad addresses that communities keep: the
// darklist of MyEtherWallet, and plain text with one address on a line.
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
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	maxSize    = 64 << 20 // of a list, in bytes; the largest known has 0.5 MB
	maxLine    = 64 << 10 // of a line of text
	maxListed  = 1024     // of a listed string; longer ones are not looked up
	maxName    = 512      // of Entry.Name; a longer comment is cut
	maxNesting = 32       // of JSON values that are passed over
)

// Parse reads a list and calls add for each of its entries. It tells by the
// first character which format r has:
//
//   - JSON as in MyEtherWallet's darklist: an array of objects with the strings
//     "address", "comment" and "date". The first is required; other members are
//     passed over. A date is YYYY-MM-DD or, as in the United States, M/D/YY;
//     where there is none that can be read, ListedAt is zero. Ref is
//     "addresses-darklist".
//   - Text with one address on a line. What follows a # is a comment. Blanks
//     around an address and empty lines do not matter. Ref is "".
//
// Either may begin with a byte order mark. Name is the comment, in one line and
// at most 512 bytes long, and Kind what its words say:
//
//   - phish…: [score.Phishing]
//   - scam…, fake, fraud…: [score.Scam]
//   - ransom…: [score.Ransomware]
//   - hack, hacked, hacker, stole, stolen, theft: [score.StolenFunds]
//   - mixer, tumbler: [score.Mixer]
//
// the first of them if there are several, for "fake mixer" is a fake; and
// [score.CommunityReport] if there is none. URLs and domain names have no words.
//
// The Digest of the revision is that of all bytes of r. The lists give no date
// of their own, so Published is zero.
//
// A list that is truncated, has no entries, is not of these formats, or of which
// nothing is an address, is an error, as is one of more than 64 MiB; where a
// place can be named, it wraps a [*sources.RecordError]. An error of add or of r
// is wrapped as well.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return parse(&bounded{r, maxSize}, add)
}

// parse is Parse without a bound of the size.
func parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	sum := sha256.New()
	p := parser{add: add}
	if err := p.parse(bufio.NewReader(io.TeeReader(r, sum))); err != nil {
		return sources.Revision{}, err
	}
	return sources.Revision{Digest: hex.EncodeToString(sum.Sum(nil)), Records: p.records}, nil
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
	add     func(sources.Entry) error
	records int
	decoded int // records that are addresses
}

func (p *parser) parse(in *bufio.Reader) error {
	skipped, first, err := skipBlank(in)
	switch {
	case err == io.EOF:
		return errors.New("the list is empty")
	case err != nil:
		return err
	case first == '[':
		err = p.darklist(in, skipped)
	case first == '{':
		return &sources.RecordError{Byte: skipped.bytes, Err: errors.New("JSON object, want an array")}
	case first == '<':
		return &sources.RecordError{Byte: skipped.bytes, Err: errors.New("HTML or XML, not a list of addresses")}
	default:
		err = p.text(in, skipped)
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

// A position is how much of a list was read.
type position struct {
	bytes int64
	lines int64 // ends of lines
}

// skipBlank reads a byte order mark and blanks, and returns how much it read and
// the byte that follows, which it does not read.
func skipBlank(in *bufio.Reader) (skipped position, first byte, err error) {
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
		skipped.bytes = 3
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

// emit adds an entry. An error has no place yet.
func (p *parser) emit(listed, comment, ref string, listedAt time.Time) error {
	switch {
	case sources.TrimListed(listed) == "":
		return errors.New("no address")
	case len(listed) > maxListed:
		return fmt.Errorf("an address of %d bytes", len(listed))
	case !utf8.ValidString(listed) || strings.ContainsRune(listed, utf8.RuneError):
		return fmt.Errorf("address %.64q: not UTF-8", listed)
	}
	e := sources.Entry{Listed: listed, Kind: kindOf(comment), Ref: ref, Name: nameOf(comment), ListedAt: listedAt}
	var ok bool
	if e.Address, ok = sources.Decode("", listed); ok {
		p.decoded++
	}
	p.records++
	return p.add(e)
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
