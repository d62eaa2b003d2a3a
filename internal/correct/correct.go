// Package correct undoes copying errors in addresses. Begin with [Text].
package correct

import (
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/visible"
)

// A Correction is the address that a text becomes if one copying error is undone. It is
// for a person to compare with the original: nothing reads a text as its correction.
type Correction struct {
	Cause   string        `json:"cause"`   // missing_prefix, look_alike, capitals, extra_character or missing_character
	Address string        `json:"address"` // the text without the error
	Chain   address.Chain `json:"chain"`
	Offset  int           `json:"offset"` // of the error in the text, in bytes
	Length  int           `json:"length"` // how many bytes of the text are wrong
}

// Explain returns a sentence for people, in lower case, without a full stop.
func (c *Correction) Explain() string {
	cause := map[string]string{
		"missing_prefix":    "the 0x at the beginning is missing",
		"look_alike":        "a character looks like another one, such as the letter O for the digit 0",
		"capitals":          "a small letter and a capital are mixed up",
		"extra_character":   "there is one character too many",
		"missing_character": "one character is missing",
	}[c.Cause]
	return cause + ": perhaps it is " + c.Address + "; compare it with the original"
}

// longestGuessed is the length up to which a missing character is looked for: in a longer
// text there are too many places.
const longestGuessed = 64

// Text returns the only address that text becomes by undoing one copying error, on
// chain or, if that is "", on any. It returns nil if there is none, or more than one. Only
// a checksum decides, so a digit that is missing in an address without one is never guessed.
func Text(chain address.Chain, text string) *Correction {
	s := strings.TrimSpace(text)
	if len(s) < 25 || len(s) > 128 {
		return nil
	}
	g := guesses{chain, s, strings.Index(text, s), make(map[address.Address]*Correction)}
	if len(s) == 40 {
		g.try("missing_prefix", "0x"+s, 0, 0)
	}
	g.tryLookAlikes()
	if len(g.found) == 0 {
		g.tryCapitals()
	}
	digits, hex := strings.CutPrefix(s, "0x")
	checked := !hex || digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) // by a checksum
	if len(g.found) == 0 && checked {
		for i := range s {
			g.try("extra_character", s[:i]+s[i+1:], i, 1)
		}
	}
	if len(g.found) == 0 && checked && len(s) <= longestGuessed {
		g.tryMissing()
	}
	for _, c := range g.found {
		if len(g.found) == 1 {
			return c
		}
	}
	return nil
}

// guesses are the addresses that a text becomes by undoing an error.
type guesses struct {
	chain address.Chain // or "" for any
	text  string
	lead  int // the offset of text in the request
	found map[address.Address]*Correction
}

// try adds the address that a candidate is. offset and length say where the text differs.
func (g *guesses) try(cause, candidate string, offset, length int) {
	c := g.chain
	if c == "" && strings.HasPrefix(candidate, "0x") { // what most people mean
		c = "ethereum"
	}
	var a address.Address
	if c == "" {
		if all := address.Detect(candidate); len(all) > 0 {
			a = all[0]
		}
	} else if address.Valid(c, candidate) {
		a, _ = address.Parse(c, candidate)
	}
	if a.Proven() && (cause == "missing_prefix" || hasChecksum(a, candidate)) {
		g.found[a.Canonical()] = &Correction{cause, candidate, a.Chain(), g.lead + offset, length}
	}
}

// hasChecksum reports whether a checksum proves a, which text spells. 40 hex digits have one
// only in their capitals.
func hasChecksum(a address.Address, text string) bool {
	if n := len(text) - 40; n < 0 || strings.Trim(text[n:], "0123456789abcdefABCDEF") != "" || !strings.HasSuffix(a.Normalized(), strings.ToLower(text[n:])) {
		return true
	}
	digits := text[len(text)-40:]
	return digits != strings.ToLower(digits) && digits != strings.ToUpper(digits)
}

func (g *guesses) tryLookAlikes() {
	for _, candidate := range visible.Alike(g.text) {
		if len(candidate) == len(g.text) && !strings.EqualFold(candidate, g.text) {
			g.try("look_alike", candidate, difference(g.text, candidate), 1)
		}
	}
}

func (g *guesses) tryCapitals() {
	for i, c := range []byte(g.text) {
		if 'A' <= c&^0x20 && c&^0x20 <= 'Z' {
			g.try("capitals", g.text[:i]+string(c^0x20)+g.text[i+1:], i, 1)
		}
	}
}

func (g *guesses) tryMissing() {
	s := g.text
	alphabet := "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0l"
	switch {
	case strings.HasPrefix(s, "0x"):
		alphabet = "0123456789abcdefABCDEF"
	case s == strings.ToLower(s): // Bech32, CashAddr
		alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	case s == strings.ToUpper(s): // base32
		alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	}
	for i := range len(s) + 1 {
		for j := range len(alphabet) {
			g.try("missing_character", s[:i]+alphabet[j:j+1]+s[i:], i, 0)
		}
	}
}

// difference returns the first offset at which two texts of one length differ, or -1.
func difference(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
