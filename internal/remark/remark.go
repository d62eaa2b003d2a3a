// Package remark finds the wallets that sanctions lists name in free text: the
// remarks of the EU's list, and what the UK's calls other information. Those
// lists have no field for wallets, or leave it empty.
package remark

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// A Wallet is an address that a text names.
type Wallet struct {
	// Asset is the ticker that labels the address, as printed, or "".
	Asset string
	// Text is the address as printed, but in one piece if a line break cuts it.
	Text string
	// Address is what Text means under Asset, as [sources.Decode] reads it. It is
	// never zero.
	Address address.Address
}

// Find returns the wallets that text names, in the order of the text. What is an
// address is up to [address.FindAll]: what its checksum proves, and "0x" with 40
// hex digits.
//
// The label of an address is the ticker in front of it, as in "ETH: 0x…",
// "Digital Currency Address: XBT 3L…" or "USDT (TRC20) wallet: T…": a word in
// capitals that is the ticker of a chain, or one of three to five that begins a
// clause and has a colon behind it, or any behind the words "Digital Currency
// Address". It holds for the addresses that follow, too, as long as nothing but
// marks, numbers of a list and the words "and" and "or" stand between them. A
// label on a line of its own needs a colon.
//
// Labels are hints, and decide only between the chains of which Text can be an
// address.
func Find(text string) []Wallet {
	var wallets []Wallet
	asset, end := "", 0
	for _, f := range address.FindAll(text) {
		gap := text[end:f.Start]
		if l, ok := label(gap); ok {
			asset = l
		} else if end == 0 || !isBare(gap) {
			asset = ""
		}
		end = f.End
		w := Wallet{strings.Clone(asset), inOnePiece(text[f.Start:f.End]), f.Address}
		if a, ok := sources.Decode(asset, w.Text); ok {
			w.Address = a
		}
		wallets = append(wallets, w)
	}
	return wallets
}

// inOnePiece returns an address without the blanks of a line break within, and
// holds nothing of the text around it.
func inOnePiece(s string) string {
	if !strings.ContainsAny(s, " \t\r\n") {
		return strings.Clone(s)
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, s)
}

// maxLabel is how many bytes in front of an address are searched for its label.
const maxLabel = 160

// label returns the ticker at the end of before, the text in front of an
// address.
func label(before string) (string, bool) {
	if len(before) > maxLabel {
		before = before[len(before)-maxLabel:]
	}
	for {
		rest := strings.TrimRightFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		marks := before[len(rest):]
		word := rest[lastNonWord(rest):]
		before = rest[:len(rest)-len(word)]
		colon := strings.ContainsAny(marks, ":=")
		switch {
		case word == "" || strings.ContainsAny(marks, ";,"):
			return "", false
		case isLabel(word, before, colon):
			if strings.Contains(marks, "\n") && !colon && !announced(before) {
				return "", false // the end of some sentence
			}
			return word, true
		case !isQualifier(word) || strings.Contains(marks, "\n") && !colon:
			return "", false
		}
	}
}

// lastNonWord returns the offset behind the last character of s that is neither
// an ASCII letter or digit nor within a word of another script.
func lastNonWord(s string) int {
	i := len(s)
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		i -= n
	}
	return i
}

// isLabel reports whether word, with before in front of it, labels an address.
func isLabel(word, before string, colon bool) bool {
	letters := 0
	for _, c := range []byte(word) {
		switch {
		case c >= 'A' && c <= 'Z':
			letters++
		case c < '0' || c > '9':
			return false
		}
	}
	switch {
	case letters == 0 || len(word) > 10:
		return false
	case announced(before):
		return true
	case tickers()[word]:
		return colon || len(word) > 1
	case isNetwork(word):
		return false // the token in front of it is the asset
	}
	return colon && len(word) >= 3 && len(word) <= 5 && beginsClause(before)
}

// announced reports whether before ends in the words that the UK, and the US,
// print in front of a ticker.
func announced(before string) bool {
	const words = "digital currency address"
	before = strings.TrimRight(before, " \t:-–")
	return len(before) >= len(words) && strings.EqualFold(before[len(before)-len(words):], words)
}

// beginsClause reports whether what follows before begins a clause.
func beginsClause(before string) bool {
	before = strings.TrimRight(before, " \t\u00a0")
	return before == "" || strings.ContainsAny(before[len(before)-1:], "\n.:;,)•*-")
}

// isQualifier reports whether word may stand between a ticker and an address.
func isQualifier(word string) bool {
	if isNetwork(word) || len(word) <= 3 && strings.Trim(word, "0123456789") == "" {
		return true
	}
	switch strings.ToLower(word) {
	case "wallet", "wallets", "address", "addresses", "crypto", "cryptocurrency", "blockchain", "network", "token", "no", "number", "is", "are":
		return true
	}
	return false
}

// isNetwork reports whether word is the standard of a token, or what is left of
// one that is printed with a hyphen.
func isNetwork(word string) bool {
	switch strings.ToUpper(word) {
	case "TRC20", "ERC20", "BEP20", "BEP2", "TRC", "ERC", "BEP", "OMNI":
		return true
	}
	return false
}

// isBare reports whether nothing is in gap but what may stand between the
// addresses of one label.
func isBare(gap string) bool {
	for _, word := range strings.FieldsFunc(gap, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch {
		case word == "and" || word == "or":
		case len(word) <= 3 && strings.Trim(word, "0123456789") == "":
		default:
			return false
		}
	}
	return true
}

// tickers is the set of the tickers of all chains.
var tickers = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for _, c := range address.Chains() {
		info, _ := c.Info()
		for _, t := range info.Tickers {
			all[t] = true
		}
	}
	return all
})
