package address

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// maxCell is the number of addresses that are read from one cell.
const maxCell = 16

// readCell reads a text that has several addresses, and otherwise only short words or
// words without a digit, as people write two into one cell. It reports false if text is
// something else; then hardly any time was lost.
func readCell(chain, text string) (r Reading, ok bool) {
	if len(text) < 2*minFound+1 || len(text) > maxTolerated || strings.IndexFunc(text[minFound:len(text)-minFound], isBetween) < 0 {
		return r, false
	}
	var pieces []string
	slash := !slices.ContainsFunc(strings.Split(text, "/"), func(p string) bool { return len(p) < 26 }) // else it may be in an address or a link
	for piece := range strings.FieldsFuncSeq(text, func(c rune) bool { return isBetween(c) && (c != '/' || slash) }) {
		if len(piece) >= minFound && strings.ContainsAny(piece, "0123456789") {
			pieces = append(pieces, strings.Trim(piece, ".:"))
		}
	}
	if len(pieces) < 2 || len(pieces) > maxCell {
		return r, false
	}
	n := 0
	for _, piece := range pieces {
		one := interpret(chain, piece)
		if len(one.Addresses) == 0 || one.Several || one.Err != nil && !errors.Is(one.Err, ErrOtherChain) ||
			isAccountName(one.Addresses[0]) && strings.IndexByte(piece, '.') < 0 {
			return r, false
		}
		if one.Addresses[0].Proven() { // the other chains of one key are found by the key
			one.Addresses = one.Addresses[:1:1]
		}
		if n == 0 {
			r = one
		}
		before := len(r.Addresses)
		if r.Addresses = appendAccounts(r.Addresses, one.Addresses); n == 0 || len(r.Addresses) > before {
			n++
		}
		for _, d := range one.Doubts {
			r.addDoubt(d)
		}
	}
	if n > 1 {
		r.setSeveral(n)
	}
	return r, true
}

// setSeveral says that the text has n addresses.
func (r *Reading) setSeveral(n int) {
	r.Several = true
	r.Err = &ParseError{Chain: r.Chain, Offset: -1, Err: ErrSeveral, hint: fmt.Sprintf("%d addresses in this cell: screen each of them", n)}
}

// isBetween reports whether c may stand between two addresses.
func isBetween(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(",;|/，；、", c) }

// onChain returns a on the chain that the caller named, if that is of its family.
func (a Address) onChain(c Chain) Address {
	if c == "" || a.Chain() == c || !isSameFamily(a.Chain(), c) {
		return a
	}
	if b, err := Normalize(c, a.text); err == nil {
		return b
	}
	return a
}
