// Package evidence is the form of a line of evidence: one JSON object that says what was answered, or
// what happened to the lines, chained by hash to the line before. A receipt is one such line, and an
// audit trail is files of them. Begin with [Marshal] and [New].
package evidence

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/internal/wire"
)

// The types of lines.
const (
	Screening = "screening" // the answer about one address
	Table     = "table"     // the answers about the rows of a table
	Repair    = "repair"    // of a trail that was cut short
)

const (
	begin   = `{"format":"walletscreen evidence 1","type":"`
	n       = `,"n":`
	prev    = `,"prev":"`
	sum     = `","sum":"`
	end     = "\"}\n"
	sumSize = 2 * sha256.Size
)

// MaxLine bounds the length of a line, in bytes.
const MaxLine = 1 << 20

var (
	// ErrForm reports a line that an earlier version of this module has written.
	ErrForm = errors.New("an earlier version of walletscreen has written this, in another form: verify it with that version")
	// ErrChanged reports a line that is not as it was written, or was written with another key.
	ErrChanged = errors.New("changed: its sum is not that of the line")

	errLine = errors.New("not a line of evidence, or not in the form in which they are written")
)

// Marshal returns a line with a type and the members of v, a struct, without its links.
func Marshal(kind string, v any) ([]byte, error) {
	text, err := wire.JSON(v)
	if err != nil {
		return nil, err
	}
	return append([]byte(begin+kind+`",`), text[1:]...), nil
}

// A Link is the place of a line in a chain: its number, from 1, and its sum. The zero Link is before the first line.
type Link struct {
	N   int64  `json:"n"`
	Sum string `json:"sum"`
}

// A Line is a line that was read.
type Line struct {
	Type string
	Text []byte // without its links, as Marshal returned it
	Link
	Prev     string // the sum of the line before
	Computed string // what Sum must be
}

// A Chain seals and opens the lines of a chain, and is for one goroutine.
type Chain struct{ hash hash.Hash }

// New returns a Chain whose sums are SHA-256 or, with a key, HMAC-SHA-256.
func New(key []byte) Chain {
	if key == nil {
		return Chain{sha256.New()}
	}
	return Chain{hmac.New(sha256.New, key)}
}

// Sum returns the sum of a text in hex.
func (c Chain) Sum(text []byte) string {
	c.hash.Reset()
	c.hash.Write(text)
	return hex.EncodeToString(c.hash.Sum(nil))
}

// Seal appends a line with its links to dst, and returns its own link.
func (c Chain) Seal(dst, line []byte, before Link) ([]byte, Link) {
	start, own := len(dst), Link{N: before.N + 1}
	dst = append(append(dst, line[:len(line)-1]...), n...)
	dst = append(append(strconv.AppendInt(dst, own.N, 10), prev...), before.Sum...)
	own.Sum = c.Sum(dst[start:])
	return append(append(append(dst, sum...), own.Sum...), end...), own
}

// Open reads a line that Seal has written. The error is [ErrForm], or says why the text is not a line. The
// caller compares the Sum with the Computed one.
func (c Chain) Open(text []byte) (l Line, err error) {
	rest, ok := bytes.CutPrefix(text, []byte(begin))
	if !ok {
		for _, former := range []string{`{"type":"`, `{"format":"walletscreen receipt `, `{"format":"walletscreen table receipt `} {
			if bytes.HasPrefix(text, []byte(former)) {
				return l, ErrForm
			}
		}
		return l, errLine
	}
	kind, _, _ := bytes.Cut(rest, []byte(`"`))
	i := bytes.LastIndex(text, []byte(n))
	if i < 0 {
		return l, errLine
	}
	number, tail, _ := strings.Cut(string(text[i+len(n):]), prev)
	l = Line{Type: string(kind), Text: append(text[:i:i], '}')}
	l.Prev, tail, _ = strings.Cut(tail, sum)
	l.Sum, ok = strings.CutSuffix(tail, end)
	l.N, err = strconv.ParseInt(number, 10, 64)
	if err != nil || !ok || l.N < 1 || !isSum(l.Sum) || !isSum(l.Prev) && (l.N > 1 || l.Prev != "") {
		return Line{}, errLine
	}
	again, own := c.Seal(nil, l.Text, Link{l.N - 1, l.Prev})
	if l.Computed = own.Sum; len(again) != len(text) || !bytes.Equal(again[:len(again)-len(end)-sumSize], text[:len(text)-len(end)-sumSize]) {
		return Line{}, errLine
	}
	return l, nil
}

func isSum(s string) bool {
	return len(s) == sumSize && strings.Trim(s, "0123456789abcdef") == ""
}
