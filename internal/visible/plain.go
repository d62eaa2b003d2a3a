package visible

import (
	"strings"
	"unicode"
)

// Plain returns what a person reads in a character that is not ASCII: nothing for an invisible
// one, a blank or a line break for white space, "-" for a hyphen, "|" for the line between two
// columns, the narrow form of a full-width one, and the digit or the letter of ASCII for one of
// another script or of a style of mathematics. ok is false if it stands for itself.
func Plain(r rune) (s string, ok bool) {
	switch {
	case isLetterLike(r):
		return "", false
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return "\n", true
	case 0xff01 <= r && r <= 0xff5e:
		return string(r - 0xff01 + '!'), true
	case r == 0x2010 || r == 0x2011:
		return "-", true
	case r == '│' || r == '┃' || r == '║':
		return "|", true
	case isInvisible(r):
		return "", true
	case unicode.Is(unicode.Zs, r):
		return " ", true
	case unicode.IsDigit(r): // ten to a script, from zero to nine
		n := rune(0)
		for unicode.IsDigit(r - n - 1) {
			n++
		}
		return string('0' + n%10), true
	case 0x1d400 <= r && r <= 0x1d6a3: // alphabets of mathematics
		return string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(r-0x1d400)%52]), true
	}
	return "", false
}

// isLetterLike reports whether r is in one of the ranges of letters that Plain need not look at.
func isLetterLike(r rune) bool {
	return r < 0x80 || r > 0xa0 && r < 0x600 && r != 0xad && r != 0x34f || 0x3001 <= r && r < 0xfe00 && r != 0x3164
}

// isInvisible reports whether r is a joiner, a filler, a selector of variations or a format character.
func isInvisible(r rune) bool {
	return r == 0x34f || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || 0xfe00 <= r && r <= 0xfe0f || unicode.Is(unicode.Cf, r)
}

// Latin returns the Latin letter that a letter of the Cyrillic, the Greek or the Armenian alphabet
// looks like, or "".
func Latin(r rune) string {
	if r < 0x370 || r > 0x58f {
		return ""
	}
	return latin[r]
}

var latin = func() map[rune]string {
	all := make(map[rune]string)
	for _, pair := range strings.Fields("АA ВB СC ЕE НH ІI ЈJ КK МM ОO РP ЅS ТT УY ХX ԀD ԌG ԚQ ԜW ѴV ҮY " +
		"Ӏl ӏl ՕO օo սu հh ոn ցg аa сc ԁd еe һh іi јj оo рp ԛq ѕs ѵv ԝw хx уy кk мm тt пn " +
		"ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX οo νv ρp αa κk ιi υu χx") {
		r := []rune(pair)
		all[r[0]] = string(r[1])
	}
	return all
}()

// What letters and digits are read for others, in the alphabets of addresses that lack them.
var (
	likeHex    = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1", "i", "1")
	likeBase58 = strings.NewReplacer("0", "o", "O", "o", "l", "1", "I", "1")
	likeCapQ   = strings.NewReplacer("0", "Q", "O", "Q", "l", "1", "I", "1")
	likeBase32 = strings.NewReplacer("0", "O", "1", "I", "8", "B")
	likeBech32 = strings.NewReplacer("o", "0", "i", "l", "1", "l", "b", "6")
)

// Digits returns s with the digits for which letters are read.
func Digits(s string) string { return likeHex.Replace(s) }

// Alike returns what a word of ASCII can be if characters are read as others that look like
// them: in hex digits, which "0x" may precede, in Base58, in Base32, and in Bech32 and
// CashAddr, which get the letter case of most of the word. None is the word itself.
func Alike(word string) (all []string) {
	add := func(s string) {
		if s != word {
			all = append(all, s)
		}
	}
	lead, digits := "", word
	if len(word) > 2 && strings.IndexByte("0OoQ", word[0]) >= 0 && word[1]|0x20 == 'x' {
		lead, digits = "0x", word[2:]
	}
	if digits = likeHex.Replace(digits); len(digits) >= 40 && strings.Trim(digits, "0123456789abcdefABCDEF") == "" {
		add(lead + digits)
	}
	add(likeBase58.Replace(word))
	if strings.ContainsAny(word, "0O") {
		add(likeCapQ.Replace(word))
	}
	add(likeBase32.Replace(word))
	lower := strings.ToLower(word)
	for i := 1; i < min(len(lower), 16); i++ {
		one := lower[i : i+1]
		switch one {
		case "l", "i":
			one = "1"
		case "1", ":":
		default:
			continue
		}
		s := strings.ReplaceAll(lower[:i], "0", "o") + one + likeBech32.Replace(lower[i+1:])
		if strings.ToUpper(word) == word {
			s = strings.ToUpper(s)
		}
		add(s)
	}
	return all
}
