package address

import (
	"slices"
	"strings"
	"unicode"
)

// maxCell is the number of addresses that are read from one cell.
const maxCell = 16

// cellPieces returns the pieces of a text between blanks or marks that can be addresses, if
// there are several, and otherwise only short words or words without a digit, as people write
// two addresses into one cell.
func cellPieces(text string) (pieces []string) {
	if len(text) < 2*minFound+1 || len(text) > maxTolerated || strings.IndexFunc(text[minFound:len(text)-minFound], isBetween) < 0 {
		return nil
	}
	slash := !slices.ContainsFunc(strings.Split(text, "/"), func(p string) bool { return len(p) < 26 }) // else it may be in an address or a link
	for piece := range strings.FieldsFuncSeq(text, func(c rune) bool { return isBetween(c) && (c != '/' || slash) }) {
		if len(piece) >= minFound && strings.ContainsAny(piece, "0123456789") {
			pieces = append(pieces, strings.Trim(piece, ".:"))
		}
	}
	if len(pieces) < 2 || len(pieces) > maxCell {
		return nil
	}
	return pieces
}

// isBetween reports whether c may stand between two addresses.
func isBetween(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(",;|/，；、", c) }
