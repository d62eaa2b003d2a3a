package sources

import (
	"strings"
	"unicode"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/visible"
)

// Repair returns the accounts that a list may mean by a text in a field for an address, and
// where in it they are, if [Decode] does not know it: a publisher's slip must not hide an
// account. asset is a hint, a ticker or the name of a chain. Repair drops invisible
// characters and blanks, supplies a missing "0x", drops a tag, and reads characters as others
// that look like them if that has exactly one solution. Failing that, it reads each part of
// the text, such as two addresses or one with a note, and names with full stops on the chains of
// asset. It returns nil if nothing helps.
//
// Entries without an Address are matched as what Repair returns, by
// [github.com/walletscreen/walletscreen/score.Literal]; nobody else needs to call it.
func Repair(asset, text string) []address.Found {
	if len(text) > maxRepair {
		return nil
	}
	latin, at := toLatin(text)
	if a, ok := repair(asset, latin); ok {
		start, end := len(latin)-len(strings.TrimLeft(latin, outer)), len(strings.TrimRight(latin, outer))
		return []address.Found{{Address: a, Start: at[start], End: at[end]}}
	}
	var all []address.Found
	add := func(a address.Address, start, end int) {
		all = append(all, address.Found{Address: a, Start: at[start], End: at[end]})
	}
	end := 0 // of the last address
	words := func(to int) {
		for field := range strings.FieldsSeq(latin[end:to]) {
			parts, read := strings.FieldsFunc(field, isGap), repair
			if id := strings.Trim(field, outer); strings.Contains(id, ".") { // such as alice.near or 0.0.1234
				if _, ok := Decode(asset, id); ok {
					parts, read = []string{id}, Decode
				}
			}
			for _, word := range parts {
				start := end + strings.Index(latin[end:], word)
				end = start + len(word)
				if a, ok := read(asset, word); ok {
					add(a, start, end)
				}
			}
		}
	}
	for _, f := range address.FindAll(latin) {
		words(f.Start)
		if a, ok := Decode(asset, latin[f.Start:f.End]); ok { // several chains print it alike
			f.Address = a
		}
		add(f.Address, f.Start, f.End)
		end = f.End
	}
	words(len(latin))
	return all
}

// The lengths of texts that Repair reads, and of the words that it repairs.
const (
	maxRepair   = 4096 // package screening refuses lists with longer ones
	minRepair   = 14
	maxRepaired = 256
)

// outer are the characters around a word that do not belong to it.
const outer = " .,;:()[]<>{}\"'`"

func isGap(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
}

// repair returns the account that one word means.
func repair(asset, word string) (address.Address, bool) {
	word = strings.Trim(strings.Join(strings.Fields(word), ""), outer)
	if len(word) < minRepair || len(word) > maxRepaired {
		return address.Address{}, false
	}
	for _, s := range respelled(word) {
		if a, ok := Decode(asset, s); ok {
			return a, true
		}
	}
	var only address.Address
	for _, s := range visible.Alike(word) {
		a, ok := Decode(asset, s)
		if !ok || !a.Proven() || a.Account() == only.Account() && only.IsValid() {
			continue
		}
		if only.IsValid() {
			return address.Address{}, false // two solutions
		}
		only = a
	}
	return only, only.IsValid()
}

// respelled returns word, and what it is without decorations that leave no doubt.
func respelled(word string) []string {
	all := []string{word}
	if len(word) == 40 {
		all = append(all, "0x"+word)
	}
	if len(word) == 44 && strings.EqualFold(word[:4], "0x41") {
		all = append(all, word[2:], "0x"+word[4:]) // Tron in hex
	}
	if one := strings.IndexByte(word, '1'); one > 0 && strings.ToLower(word) != word {
		all = append(all, strings.ToLower(word)) // a capital at the beginning, by autocorrection
	}
	return all
}

// toLatin returns text with letters that look like Latin ones replaced by these,
// blanks by spaces, and without invisible characters. at has the offset in text of each byte of the result, and
// of its end.
func toLatin(text string) (latin string, at []int) {
	var b strings.Builder
	for i, r := range text {
		seen, ok := visible.Plain(r)
		like := visible.Latin(r)
		switch {
		case like != "":
			seen = like
		case unicode.IsSpace(r):
			seen = " "
		case !ok:
			seen = string(r)
		}
		b.WriteString(seen)
		for range len(seen) {
			at = append(at, i)
		}
	}
	return b.String(), append(at, len(text))
}
