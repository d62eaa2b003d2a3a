package address

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// A Reading is what a text means, as [Interpret] reads it.
type Reading struct {
	// Addresses are the accounts that the text can mean, most likely first. If Several is true, the
	// text pays each of them. If Err is not nil, they are what the text would mean on other chains,
	// or with the correction that Err asks for, or what [FindAll] finds in it.
	Addresses []Address
	// Several reports whether the text pays several accounts, as the URIs of BIP-321 can, or one in
	// a token, whose contract is the last of the Addresses; or has several addresses in it: then Err
	// wraps [ErrSeveral].
	Several bool
	// Doubts are sorted, each once; nil if there are none.
	Doubts []Doubt
	// Chain is the chain that the caller's name means, or "" if it names none, or
	// is only a hint that the text contradicts.
	Chain Chain
	// Note says how the name of the chain was understood if it is not one, such
	// as a ticker; otherwise it is "".
	Note string
	// Err is why the text means nothing on the chain, a [*ParseError], or nil.
	Err error
}

// Interpret reads a text as a person, a cell or a URL gives it. chain is any name of a chain that
// [ParseChain] reads, or "" if none is known. It can also be a ticker, a token standard ("TRC-20")
// or a network code of an exchange: these are only hints, and if the text proves itself an address
// of other chains, the text decides, and Note says so. It can also be a name with additions
// ("Ethereum Mainnet", "Bitcoin (BTC)"), which must not contradict the text.
//
// What [Parse] accepts has no other doubt than [Address.Doubt]. Surrounding blanks and quotation
// marks, URI schemes, amounts, tags, CAIP-10, links to block explorers, a chain or a ticker in
// front of the address or behind it, and blanks between groups of characters are decoration.
// Interpret never guesses a character that was mistyped.
//
// If such a text also has an address in it that [FindAll] finds, and that is no
// account of the reading, it is among the Addresses, and the reading is ambiguous. What looks
// like another address with an error, as [FindLikely] says, is an error of the text.
// A text with several addresses, such as two in one cell of a table, means each of them
// on its own: they are the Addresses, and Err wraps [ErrSeveral].
//
// What FindAll finds in a text that means nothing, up to 1000 bytes long, is among
// the Addresses beside Err, so that a listed account can be shown.
func Interpret(chain, text string) Reading {
	if chain == "" {
		if all := plainEVM(text); all != nil {
			return Reading{Addresses: all}
		}
	}
	return interpret(chain, text)
}

func interpret(chain, text string) Reading {
	e := gather(chain, text)
	r := decide(&e)
	if e.look(text, &r) {
		r = decide(&e)
	}
	if p, ok := r.Err.(*ParseError); ok && !isCell(e.cell) {
		p.locate(text)
	}
	return r
}

// aloneHint is the advice for a text of words.
const aloneHint = "give the address alone, without other words"

// gather returns the evidence about a text, without what look adds.
func gather(chain, text string) (e evidence) {
	pieces, words := cellPieces(text)
	for _, piece := range pieces {
		one := gatherWhole(chain, piece)
		if e.cell = append(e.cell, decide(&one)); !isOfCell(e.cell[len(e.cell)-1]) {
			break
		}
	}
	switch {
	case !isCell(e.cell):
	case decideCell(e.cell).Several:
		return e
	case !words: // one account, more than once
		return gatherWhole(chain, pieces[0])
	}
	return gatherWhole(chain, text)
}

// gatherWhole is gather for a text with one address or none.
func gatherWhole(chain, text string) (e evidence) {
	e.name = readName(chain)
	c := e.name.chain
	if c != "" {
		if a, err := Parse(c, text); err == nil && doubtOf(c, text) == "" && a.Doubt() == "" { // the common case
			e.named.Addresses = []Address{a}
			return e
		}
	}
	w := unwrap(text)
	if c != "" {
		if e.named = w.read(c); e.named.Err == nil || errors.Is(e.named.Err, ErrSecret) {
			return e
		}
	}
	e.anywhere = w.read("")
	return e
}

// The lengths of a text that means nothing, up to which it is searched for addresses, and of
// any text, from which on there can be one in it.
const (
	maxSearched = 1000
	minFound    = 14
)

// look adds the evidence that can stand against the reading r: a secret in a text without a
// meaning, and addresses beside those that r has. It reports whether there is any.
func (e *evidence) look(text string, r *Reading) bool {
	if errors.Is(r.Err, ErrSecret) {
		return false
	}
	if r.Err != nil {
		// Without what surrounds it, a key may have lost the word that names it.
		if e.secret = secretIn(text); e.secret != "" {
			return true
		}
		if len(text) > maxSearched {
			return false
		}
	} else if a := r.Addresses; len(a) > 0 && a[0].text == text && (a[0].Proven() || a[0].codec().open && !hasGlued(text)) { // the common case
		return false
	}
	text, own := withoutOwn(text, r.Addresses)
	if r.Err == nil && len(text) < minFound {
		return false
	}
	if r.Err != nil {
		e.addInside(FindAll(text))
		return e.inside != nil
	}
	e.lookBeside(text, own, r.Addresses)
	return e.inside != nil || e.beside > 0
}

// withoutOwn returns text with blanks for the proven addresses of a reading, which has all, and for
// the ids of its chains. own is true where the reading's addresses stand.
func withoutOwn(text string, all []Address) (_ string, own []bool) {
	rest := lowerASCII(text)
	own = make([]bool, len(text))
	blank := func(i, n int) {
		blanks := strings.Repeat(" ", n)
		text, rest = text[:i]+blanks+text[i+n:], rest[:i]+blanks+rest[i+n:]
	}
	for _, a := range all {
		id, spelled := lowerASCII(a.Chain().CAIP2()), lowerASCII(a.text)
		if i := strings.Index(rest, id); i >= 0 && len(id) >= minTextLike { // it looks like an address, too
			blank(i, len(id))
		}
		i := strings.Index(rest, spelled)
		for j := 0; i >= 0 && j < len(spelled); j++ {
			own[i+j] = true
		}
		if i >= 0 && a.Proven() {
			blank(i, len(spelled))
		}
	}
	return text, own
}

// lookBeside adds what looks like an address beside all, the addresses of a reading, in the text
// that withoutOwn returned for them.
func (e *evidence) lookBeside(text string, own []bool, all []Address) {
	found := findLikely(text, true)
	if !slices.Contains(own, true) { // it has escapes, or blanks, in it
		for _, f := range found {
			if f.Address.IsValid() && slices.ContainsFunc(all, f.Address.isControlledLike) {
				own[f.Start] = true
			}
		}
	}
	if i := slices.IndexFunc(found, func(f Found) bool {
		return !f.Address.IsValid() && !slices.Contains(own[f.Start:f.End], true) && !isSaid(text, f.Start)
	}); i >= 0 && slices.Contains(own, true) {
		e.beside = found[i].Start + 1
	}
	e.addInside(slices.DeleteFunc(found, func(f Found) bool { return !f.Address.IsValid() }))
	others := []byte(text)
	for i := range others {
		if own[i] {
			others[i] = '?'
		}
	}
	for _, s := range []string{text, string(others)} {
		e.addInside(FindAll(squeezed(s)))
	}
}

func (e *evidence) addInside(found []Found) {
	for _, f := range found {
		e.inside = append(e.inside, f.Address)
	}
}

// doubtOf returns the doubt about text, which Normalize reads as an address of c
// without decoration, or "".
func doubtOf(c Chain, text string) Doubt {
	r := rowOf(c)
	rd := newReader(text, true)
	defer rd.free()
	if form, bad := chains[r-1].codecs.read(rd); bad.err == nil && chains[r-1].codecs[form].doubt != "" {
		return chains[r-1].codecs[form].doubt
	}
	var a Address
	if a.parseRow(r, text, false).err == nil {
		return ""
	}
	// The prefix may be in capitals, which are no checksum.
	start := max(0, len(text)-40)
	if hasHexPrefix(text) {
		start = 2
	}
	lower := lowerASCII(text)
	if a.parseRow(r, lower[:start]+text[start:], false).err != nil && a.parseRow(r, lower, false).err == nil {
		return DoubtCapitals
	}
	return ""
}

// addPadded adds the EVM address that the first address of 64 hex digits is if zeros fill it
// up, on either side.
func (r *Reading) addPadded() {
	for _, a := range r.Addresses {
		if s := a.Normalized(); len(s) == hex32Len && hasHexPrefix(s) {
			if evm, ok := readPadded(s[2:]); ok {
				r.Addresses = append(r.Addresses, evm)
			}
			if evm, ok := readPadded(s[evmLen:] + s[2:evmLen]); ok {
				r.Addresses = append(r.Addresses, evm)
			}
			return
		}
	}
}

// readOn reads s, without wrapping, as the recipients of a payment on chain c.
func readOn(c Chain, s string) (rd Reading) {
	r := rowOf(c)
	var a Address
	f := a.normalize(c, r, s)
	if f.bad.err == nil {
		f.found = []payment{{a, f.text}}
	}
	for _, p := range f.found {
		p.to.setNumber(c)
		rd.addDoubt(doubtOf(c, p.text), p.to.Doubt())
		rd.Addresses = append(rd.Addresses, p.to)
	}
	switch {
	case f.bad.err == ErrSeveral:
		rd.Several = len(f.found) > 1
		if f.unnamed {
			rd.addDoubt(DoubtUnscreenable)
		}
	case f.bad.err != nil:
		rd.Err = f.explain(c, r, s)
	}
	return rd
}

// readAnywhere reads s, without wrapping, for a caller who names no chain.
func readAnywhere(s string) (rd Reading) {
	if len(s) == len("0x41")+40 && hasHexPrefix(s) && s[2:4] == "41" && isHex(s[4:]) {
		return readOn("tron", s)
	}
	rd.Addresses = Detect(s)
	for _, a := range rd.Addresses {
		rd.addDoubt(a.Doubt())
	}
	if plainEVM := len(s) == evmLen && s[:2] == "0x" && isLowerHex(s[2:]); len(rd.Addresses) == 0 || hasHexPrefix(s) && !plainEVM {
		rd.addTolerant(s)
	}
	if len(rd.Addresses) > 0 {
		if !slices.ContainsFunc(rd.Addresses, func(a Address) bool { return !isWord(a) }) {
			rd.addDoubt(DoubtAmbiguous)
		}
		return rd
	}
	c := namedChain(s)
	if c == "" {
		rd.Err = diagnoseAnywhere(s)
		return rd
	}
	rd = readOn(c, s)
	if p, ok := errors.AsType[*ParseError](rd.Err); ok && p.Other != "" { // ethereum is also the scheme of other EVM chains
		if other := readOn(p.Other, s); other.Err == nil {
			return other
		}
	}
	return rd
}

// addTolerant adds the accounts that only Normalize accepts, one for all EVM
// chains. They are no reason for a doubt if the text proves itself on a chain.
func (r *Reading) addTolerant(s string) {
	strict := r.Addresses
	proven := slices.ContainsFunc(strict, Address.Proven)
	detect(s, tolerantly, func(rd *reader, row uint16, f form) bool {
		a := rd.address(row, f)
		if slices.ContainsFunc(strict, func(b Address) bool { return a.Canonical() == b.Canonical() }) {
			return true
		}
		r.Addresses = append(r.Addresses, a)
		if !proven {
			r.addDoubt(doubtOf(a.Chain(), s))
		}
		return true
	})
}

// namedChain returns the chain that the scheme of s, its CAIP-2 id, or the
// addition of an interoperable address names, or "".
func namedChain(s string) Chain {
	if i, ok := readInterop(s); ok && i.bad.err == nil {
		return cmp.Or(i.chain, chains[ethereumRow-1].slug)
	}
	if u, ok := readURI(s, 0); ok {
		if _, c, _ := otherID(u.id, 0); c != "" {
			return c
		}
		if u.row != 0 && u.row != otherEVMRow {
			return chains[u.row-1].slug
		}
	}
	if account := cutTag(xrpRow, s); account != s && new(Address).parseRow(xrpRow, account, false).err == nil {
		return chains[xrpRow-1].slug
	}
	return ""
}

// isCutMonero reports whether s looks like an address of monero of another length: it is longer
// than most others in Base58.
func isCutMonero(s string) bool {
	return len(s) > 52 && len(s) != 95 && len(s) != 106 && strings.IndexByte("48", s[0]) >= 0 && isOf(classBase58, s)
}

// worstFault returns the fault of the text of rd as an address of a test network, or else of the
// first row whose checksum alone is wrong, and how many have that fault. Without either, it returns
// badSyntax. Of words with blanks between them, only nimiq has addresses.
func worstFault(rd *reader, words bool) (row uint16, fits int, worst fault) {
	row, worst = ethereumRow, badSyntax
	for i := range chains {
		c := &chains[i]
		if uint16(i+1) == otherEVMRow || words && c.slug != "nimiq" {
			continue
		}
		_, bad := c.codecs.read(rd)
		switch {
		case bad.err == ErrNetwork:
			return uint16(i + 1), fits, bad
		case bad.err == ErrChecksum && (c.slug != "ergo" || rd.s[0] == '9'): // else any Base58 may be a script
			if fits++; fits == 1 {
				row, worst = uint16(i+1), bad
			}
		}
	}
	return row, fits, worst
}

// diagnoseAnywhere returns the error for s, which is an address of no chain: of a
// test network, or of the chains whose checksum alone is wrong.
func diagnoseAnywhere(s string) error {
	rd := newReader(s[:min(len(s), maxDiagnosed+1)], true)
	defer rd.free()
	words := strings.ContainsAny(s, " \t\r\n")
	row, fits, worst := worstFault(rd, words)
	if worst.err != ErrNetwork && isCutMonero(s) {
		row, fits, worst = lookup("monero"), 0, badLength
	} else if n := len(s) - evmLen; worst == badSyntax && hasHexPrefix(s) && max(n, -n) <= maxMissing {
		_, worst = chains[ethereumRow-1].codecs.read(rd)
	}
	e := diagnose("", row, s, s, 0, worst)
	e.Chain = ""
	switch {
	case e.Err == ErrChecksum && e.hint == "" && fits == 1:
		e.hint = "it looks like an address of " + string(chains[row-1].slug)
	case e.Err == ErrCharset && words: // not a wrong character
		e.Err, e.Offset, e.hint = ErrSyntax, -1, aloneHint
	}
	return e
}
