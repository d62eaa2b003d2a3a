package badlist

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// A found is an address within a text, and its spelling there.
type found struct {
	address address.Address
	listed  string
}

// decodeWithin returns the addresses within a text that is not an address itself. Some lists
// have two addresses in a cell, or a note behind one, or letters of two alphabets.
func decodeWithin(chain, text string) []found {
	latin, at := toLatin(text)
	if latin != text {
		if _, ok := sources.Decode("", latin); ok { // by a checksum, not by a guess
			a, _, _ := decode(chain, latin)
			return []found{{a, text}}
		}
	}
	var all []found
	for _, f := range address.FindAll(latin) {
		listed := text[at[f.Start]:at[f.End]]
		if len(listed) <= maxListed {
			all = append(all, found{f.Address, listed})
		}
	}
	return all
}

// toLatin returns text with letters that look like Latin ones replaced by these, and
// without invisible characters. at has the offset in text of each byte of the result, and
// of its end.
func toLatin(text string) (latin string, at []int) {
	var b strings.Builder
	for i, r := range text {
		n := utf8.RuneLen(r)
		switch like, ok := lookalikes[r]; {
		case ok:
			b.WriteByte(like)
			n = 1
		case unicode.Is(unicode.Cf, r): // zero-width characters, soft hyphens
			n = 0
		default:
			b.WriteRune(r)
		}
		for ; n > 0; n-- {
			at = append(at, i)
		}
	}
	return b.String(), append(at, len(text))
}

// lookalikes maps the letters of the Cyrillic and Greek alphabets that look like Latin
// ones.
var lookalikes = map[rune]byte{
	'А': 'A', 'В': 'B', 'С': 'C', 'Е': 'E', 'Н': 'H', 'І': 'I', 'Ј': 'J', 'К': 'K', 'М': 'M', 'О': 'O', 'Р': 'P', 'Ѕ': 'S', 'Т': 'T', 'У': 'Y', 'Х': 'X', 'Ԁ': 'D', 'Ԍ': 'G', 'Ԛ': 'Q', 'Ԝ': 'W', 'Ѵ': 'V', 'Ү': 'Y',
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'у': 'y', 'к': 'k', 'м': 'm', 'т': 't', 'п': 'n',
	'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X',
	'ο': 'o', 'ν': 'v', 'ρ': 'p', 'α': 'a', 'κ': 'k', 'ι': 'i', 'υ': 'u', 'χ': 'x',
}
