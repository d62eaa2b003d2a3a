package address

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// evidence describes a text and the chain that its caller names, before [decide]
// says what it means.
type evidence struct {
	name     name      // what the caller's name of a chain says
	named    Reading   // the text on that chain, if there is one
	anywhere Reading   // the text on any chain; it is not looked at if named has no Err
	cell     []Reading // the addresses between blanks or marks, each alone, if there are several
	inside   []Address // that FindAll finds and no reading has
	beside   int       // the offset of what looks like another address with an error, plus one, or 0
	secret   string    // the hint for the kind of secret that the text has, or ""
}

// decide returns what a text means by the evidence. It alone sets doubts and errors by what
// stands against a reading:
//
//   - Several addresses in one cell mean each of them, and are [ErrSeveral].
//   - An address of the chain that is named is one, whatever else fits.
//   - An address of other chains alone is an error if the chain is named, if the name has
//     additions, or if it proves nothing; a ticker or a token standard yields to it.
//   - Without a name, the text means every account that fits.
//   - What looks like another address with an error, beside one, is [ErrSyntax], unless the text
//     pays somebody whom no list can name, anyway: then it may be an invoice.
//   - What has no meaning and has a secret in it is [ErrSecret], without addresses.
//   - Another address inside of one is added, and is [DoubtAmbiguous]. In 64 digits, which
//     can be padded, it is added alone. Inside of what means nothing, addresses are added, and
//     several of them are ErrSeveral.
func decide(e *evidence) Reading {
	if isCell(e.cell) {
		r := decideCell(e.cell)
		r.addInstead(e.inside)
		return r
	}
	r := e.choose()
	r.Addresses, r.Doubts = slices.Clip(r.Addresses), slices.Clip(r.Doubts)
	switch {
	case errors.Is(r.Err, ErrSecret):
	case r.Err == nil:
		if r.addBeside(e.inside); e.beside > 0 && !slices.Contains(r.Doubts, DoubtUnscreenable) {
			r.Err = &ParseError{Chain: r.Chain, Offset: e.beside - 1, Err: ErrSyntax, hint: besideHint}
		}
	case e.secret != "":
		return Reading{Err: &ParseError{Chain: r.Chain, Offset: -1, Err: ErrSecret, hint: e.secret}, Chain: r.Chain}
	default:
		r.addInstead(e.inside)
	}
	return r
}

// choose returns the reading that the name of the chain and the proof of the accounts select.
func (e *evidence) choose() Reading {
	n := &e.name
	switch {
	case n.err != nil:
		return Reading{Addresses: e.anywhere.Addresses, Err: n.err}
	case n.chain == "":
		return e.anywhere
	}
	r := e.named
	r.Chain, r.Note = n.chain, n.note("")
	if r.Err == nil || errors.Is(r.Err, ErrSecret) {
		return r
	}
	other := e.anywhere
	if !n.sure {
		other.Addresses = slices.DeleteFunc(slices.Clone(other.Addresses), isAccountName)
		if other.Err == nil && n.yieldsTo(other.Addresses) {
			other.Note = n.note(other.Addresses[0].Chain())
			return other
		}
	}
	r.Addresses = appendAccounts(slices.Clip(r.Addresses), other.Addresses)
	return r
}

const besideHint = "another address may stand there, with an error: give each address alone"

// addBeside adds the addresses inside of a text that has a meaning.
func (r *Reading) addBeside(all []Address) {
	for _, in := range all {
		if slices.ContainsFunc(r.Addresses, func(a Address) bool { return a.text == in.text || in.isControlledLike(a) }) {
			continue
		}
		if !slices.ContainsFunc(r.Addresses, in.isPaddedIn) {
			r.addDoubt(DoubtAmbiguous)
		}
		r.Addresses = append(r.Addresses, in)
	}
}

// isPaddedIn reports whether the 64 hex digits of b end with the digits of a.
func (a Address) isPaddedIn(b Address) bool {
	return len(b.text) == hex32Len && strings.HasSuffix(b.text, strings.TrimPrefix(a.text, "0x"))
}

// addInstead adds the addresses inside of a text that has no meaning.
func (r *Reading) addInstead(all []Address) {
	read := len(r.Addresses)
	for _, in := range all {
		r.Addresses = appendAccounts(r.Addresses, []Address{in.onChain(r.Chain)})
	}
	p, ok := errors.AsType[*ParseError](r.Err)
	if n := len(r.Addresses); read == 0 && n > 1 && ok && p.Err != ErrChain && (p.hint == "" || p.hint == aloneHint || p.Err == ErrCharset) {
		r.setSeveral(n)
	}
}

// isCell reports whether each of several readings of the pieces of a cell is of an address.
func isCell(pieces []Reading) bool {
	return len(pieces) > 1 && !slices.ContainsFunc(pieces, func(r Reading) bool { return !isOfCell(r) })
}

// isOfCell reports whether r, of a piece of a cell, is of an address.
func isOfCell(r Reading) bool {
	return len(r.Addresses) > 0 && (r.Err == nil || errors.Is(r.Err, ErrOtherChain)) && !isWord(r.Addresses[0])
}

func decideCell(pieces []Reading) Reading {
	r, n := pieces[0], 0
	r.Addresses, r.Doubts = nil, nil
	for _, one := range pieces {
		if first := one.Addresses[0]; first.Proven() { // the other chains of one key are found by the key
			one.Addresses = append(one.Addresses[:1:1], slices.DeleteFunc(slices.Clone(one.Addresses[1:]), first.isControlledLike)...)
		}
		before := len(r.Addresses)
		r.Addresses = appendAccounts(r.Addresses, one.Addresses)
		switch added := len(r.Addresses) - before; {
		case one.Several:
			n += added
		case added > 0: // the others are what the piece can mean, too
			n++
		}
		r.addDoubt(one.Doubts...)
	}
	if n > 1 {
		r.setSeveral(n)
	}
	return r
}

func (r *Reading) setSeveral(n int) {
	r.Several = true
	r.Err = &ParseError{Chain: r.Chain, Offset: -1, Err: ErrSeveral, hint: fmt.Sprintf("%d addresses in this cell: screen each of them", n)}
}

// appendAccounts appends the addresses of more to all whose accounts are not there yet.
func appendAccounts(all, more []Address) []Address {
	for _, a := range more {
		if !slices.ContainsFunc(all, func(b Address) bool { return a.Canonical() == b.Canonical() }) {
			all = append(all, a)
		}
	}
	return all
}

// isControlledLike reports whether a and b are one account, or have a key in common.
func (a Address) isControlledLike(b Address) bool {
	keys := b.AppendKeys(nil)
	return a.Canonical() == b.Canonical() || slices.ContainsFunc(a.AppendKeys(nil), func(k Key) bool { return slices.Contains(keys, k) })
}

// hasMark reports whether the text of a shows its chain: by a checksum, or in a form that no
// other chain has.
func (a Address) hasMark() bool { return a.Proven() || a.Chain() == "icon" }

// isAccountName reports whether a is an account's name, which almost any word can
// be, or 64 hex digits, which can be a hash or a private key.
func isAccountName(a Address) bool { return chains[a.row-1].hasKind("name") }

// isWord reports whether a is an account's name that is a word or a number: one with a full stop has
// a letter behind it, apart from what looks like a checksum of hedera.
func isWord(a Address) bool {
	dot := strings.LastIndexByte(a.text, '.')
	top, _, _ := strings.Cut(a.text[dot+1:], "-")
	return isAccountName(a) && (dot < 0 || isOf(classDigit, top))
}

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

func (r *Reading) addDoubt(more ...Doubt) {
	for _, d := range more {
		if i, ok := slices.BinarySearch(r.Doubts, d); !ok && d != "" {
			r.Doubts = slices.Insert(r.Doubts, i, d)
		}
	}
}

const maxCell = 16

// cellPieces returns the pieces of a text between blanks or marks that can be addresses, if
// there are several, as people write two addresses into one cell. Between them may only be short
// words and words without a digit: words reports whether one of these names no chain.
func cellPieces(text string) (pieces []string, words bool) {
	if len(text) < 2*minFound+1 || len(text) > maxTolerated || strings.IndexFunc(text[minFound:len(text)-minFound], isBetween) < 0 {
		return nil, false
	}
	var others []string
	slash := !slices.ContainsFunc(strings.Split(text, "/"), func(p string) bool { return len(p) < 26 }) // else it may be in an address or a link
	for piece := range strings.FieldsFuncSeq(text, func(c rune) bool { return isBetween(c) && (c != '/' || slash) }) {
		if len(piece) >= minFound && strings.ContainsFunc(piece, unicode.IsDigit) {
			pieces = append(pieces, strings.Trim(piece, ".:"))
		} else {
			others = append(others, strings.Trim(piece, "()[]{}.:"))
		}
	}
	if len(pieces) < 2 || len(pieces) > maxCell {
		return nil, false
	}
	return pieces, slices.ContainsFunc(others, func(s string) bool { return readName(s).chain == "" })
}

func isBetween(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(",;|/，；、", c) }
