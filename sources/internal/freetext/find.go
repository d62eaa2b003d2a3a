// Package freetext finds the wallets that sanctions lists name in free text, such as the
// remarks of the EU's list, and collects what a list says about wallets and their holders.
// Begin with [Find] and [List].
package freetext

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// Find returns the wallets in text, in order, as entries with Asset, Listed and Address. [address.FindAll]
// finds those that a checksum proves, and "0x" with 40 hex digits; one that a line break cuts is joined. A word
// that [sources.Repair] repairs, as one with a letter that looks like another one, is a wallet without an
// Address. A label makes an address of another word that looks like one: on a chain whose addresses have no
// checksum, such as Solana, and, if the label has a colon or the words below, also of a word that is not a known
// address, which may be mistyped.
//
// The label of an address is the ticker before it, as in "ETH: 0x…", "Digital Currency
// Address: XBT 3L…" or "USDT (TRC20) wallet: T…": a word in capitals that is the ticker of a
// chain, or any word behind "Digital Currency Address" or 暗号資産アドレス. These words are a label by themselves,
// too. A label also holds for the addresses that follow, if only marks, numbers of a list and the words "and" and
// "or" stand between them; its colon or words hold for a ticker among these. A ticker on a line of its own needs a
// colon. The name of a chain with a colon labels words without a checksum, as in "Solana address: 7x…".
//
// Labels are hints: they only choose between the chains on which the text can be an address.
//
// Find takes time in proportion to the text.
func Find(text string) []sources.Entry {
	var f finder
	for _, found := range address.FindLikely(text) {
		isAddress := found.Address.IsValid()
		if !isAddress && len(sources.Repair("", text[found.Start:found.End])) == 0 {
			continue
		}
		f.words(text, found.Start)
		l := f.label(text, found.Start)
		w := sources.Entry{Asset: strings.Clone(l.asset), Listed: strings.Clone(text[found.Start:found.End]), Address: found.Address}
		if _, err := address.Normalize(found.Address.Chain(), w.Listed); err != nil && isAddress { // in pieces, or without 0x
			w.Listed = found.Address.Normalized()
		}
		if a, ok := sources.Decode(l.asset, w.Listed); ok {
			w.Address = a
		}
		f.add(w, l, found.End)
	}
	f.words(text, len(text))
	return f.wallets
}

// A finder searches a text.
type finder struct {
	wallets []sources.Entry
	last    labelled // of the last wallet
	end     int      // where the last wallet ends
	next    int      // where the next word may begin
}

func (f *finder) add(w sources.Entry, l labelled, end int) {
	f.wallets = append(f.wallets, w)
	f.last, f.end, f.next = l, end, end
}

// label returns the label of the word that begins at start.
func (f *finder) label(text string, start int) labelled {
	gap := text[f.end:start]
	l, ok := label(gap)
	switch {
	case f.end == 0:
	case !ok && isBare(gap):
		return f.last
	case ok && f.last.sure && isBare(strings.Replace(gap, l.asset, "", 1)):
		l.sure = true
	}
	return l
}

// words adds the words up to limit that a label makes addresses.
func (f *finder) words(text string, limit int) {
	for f.next < limit {
		start, end := nextWord(text, f.next, limit)
		f.next = end
		if end-start < minPart || !isCode(text[start:end]) {
			continue // too short, or a word of a language
		}
		if next, _ := utf8.DecodeRuneInString(text[end:]); end == limit && isWord(next) {
			continue // it is glued to an address
		}
		// A word too short for an address must be joined to the word on the next line.
		// Labels are looked up last, because that takes longest.
		word := text[start:end]
		rest, to := joined(text, end, limit)
		if len(word)+len(rest) < minWord {
			continue
		}
		l := f.label(text, start)
		a, ok := l.decode(word)
		if !ok && l.sure && rest != "" {
			if a, ok = l.decode(word + rest); ok {
				word, end = word+rest, to
			}
		}
		if ok || l.sure && isLikely(word) {
			f.add(sources.Entry{Asset: strings.Clone(l.asset), Listed: strings.Clone(word), Address: a}, l, end)
		}
	}
}

// The shortest word that a label makes an address, the shortest first part of one that a
// line feed breaks, and the longest word. Addresses of Solana have 32 characters or more.
const (
	minWord = 25
	minPart = 8
	maxWord = 128
)

// isCode reports whether a word is unlike a word of a language: it has a digit, or a capital
// behind a small letter.
func isCode(word string) bool {
	small := false
	for _, c := range []byte(word) {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z' && small:
			return true
		case c >= 'a' && c <= 'z':
			small = true
		}
	}
	return false
}

// isLikely reports whether a word looks like an address: it is long, and has letters and
// digits. Some letters may be other than ASCII ones that they look like.
func isLikely(word string) bool {
	others := 0
	for _, r := range word {
		if r >= utf8.RuneSelf {
			others++
		}
	}
	return len(word) >= minWord && len(word) <= maxWord && others <= len(word)/4 && strings.ContainsAny(word, digits) && strings.Trim(word, digits) != ""
}

const digits = "0123456789"

// nextWord returns the first word between from and limit that has no letters of Japanese, to which a word may be
// glued. Both results are limit if there is none.
func nextWord(text string, from, limit int) (start, end int) {
	isPart := func(r rune) bool {
		return isWord(r) && (r < utf8.RuneSelf || !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana))
	}
	n := strings.IndexFunc(text[from:limit], isPart)
	if n < 0 {
		return limit, limit
	}
	start = from + n
	if n = strings.IndexFunc(text[start:limit], func(r rune) bool { return !isPart(r) }); n < 0 {
		return start, limit
	}
	return start, start + n
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
func isMark(r rune) bool { return !isWord(r) }

// joined returns the first word on the next line after a word that ends at end, and where it
// ends, or "".
func joined(text string, end, limit int) (string, int) {
	start, to := nextWord(text, end, limit)
	if gap := text[end:start]; start == to || strings.Count(gap, "\n") != 1 || strings.Trim(gap, " \t\r\n") != "" {
		return "", 0
	}
	return text[start:to], to
}

// A labelled is the meaning of a label.
type labelled struct {
	asset string        // the ticker, or ""
	sure  bool          // it has a colon, is announced, or is the words that announce one
	chain address.Chain // the chain that is named, if no ticker is
}

// decode returns the address that word is according to its label.
func (l labelled) decode(word string) (a address.Address, ok bool) {
	if hint := cmp.Or(l.asset, string(l.chain)); hint != "" && isLikely(word) {
		return sources.Decode(hint, word)
	}
	return a, false
}

// maxLabel is the number of bytes in front of an address that are searched for its label.
const maxLabel = 160

// label returns the ticker at the end of before, the text in front of an address, or the name of
// a chain with a colon behind it or the words that may follow.
func label(before string) (labelled, bool) {
	if len(before) > maxLabel {
		before = before[len(before)-maxLabel:]
	}
	sure, ended := false, false // ended: a line ended, so a ticker may be of another sentence
	for {
		if announced(before) {
			return labelled{sure: true}, true
		}
		rest := strings.TrimRightFunc(before, isMark)
		marks := before[len(rest):]
		if rest == "" || strings.ContainsAny(marks, ";,") {
			return labelled{}, false
		}
		word := rest[len(strings.TrimRightFunc(rest, isWord)):]
		before = rest[:len(rest)-len(word)]
		colon := strings.ContainsAny(marks, ":=")
		sure = sure || colon
		newLine := strings.Contains(marks, "\n") && !colon
		if announced := announced(before); !ended && isLabel(word, announced, colon) {
			if newLine && !announced {
				return labelled{}, false // the end of some sentence
			}
			return labelled{asset: word, sure: announced || sure}, true
		}
		if c, err := address.ParseChain(strings.ToLower(word)); err == nil && sure {
			return labelled{chain: c, sure: announced(before)}, true
		}
		if !isNumber(word) && !slices.Contains(qualifiers, strings.ToLower(word)) {
			return labelled{}, false
		}
		ended = ended || newLine
	}
}

// isLabel reports whether word labels an address.
func isLabel(word string, announced, colon bool) bool {
	isTicker := len(word) <= 10 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"+digits) == "" && strings.Trim(word, digits) != ""
	return isTicker && (announced || tickers()[word] && (colon || len(word) > 1))
}

// announced reports whether before ends in the words that the UK and the US, or Japan, print in front of a
// ticker, or of an address, and in marks.
func announced(before string) bool {
	const words = "digital currency address"
	before = strings.TrimRightFunc(before, func(r rune) bool { return isMark(r) && r != ';' && r != ',' })
	return len(before) >= len(words) && strings.EqualFold(before[len(before)-len(words):], words) ||
		strings.HasSuffix(before, "暗号資産アドレス")
}

// qualifiers are the words that may stand between a ticker and an address, such as the standard of a token, or
// the first part of one that is printed with a hyphen.
var qualifiers = strings.Fields("wallet wallets address addresses crypto cryptocurrency blockchain network token no number is are " +
	"trc20 erc20 bep20 bep2 trc erc bep omni")

// isNumber reports whether word is a number of a list.
func isNumber(word string) bool { return len(word) <= 3 && strings.Trim(word, digits) == "" }

// isBare reports whether nothing is in gap but what may stand between the
// addresses of one label.
func isBare(gap string) bool {
	if len(gap) > maxLabel {
		return false
	}
	for _, word := range strings.FieldsFunc(gap, isMark) {
		if word != "and" && word != "or" && !isNumber(word) {
			return false
		}
	}
	return true
}

// tickers is the set of the tickers of all chains.
var tickers = sync.OnceValue(func() map[string]bool {
	all := make(map[string]bool)
	for _, c := range address.Chains() {
		for _, t := range c.Tickers() {
			all[t] = true
		}
	}
	return all
})
