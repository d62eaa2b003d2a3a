package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
)

// nimiq is the format of nimiq: "NQ", two check digits, and 20 bytes in 32
// characters of Base32 without the letters I, O, W and Z. The check is that of
// an IBAN, modulo 97. Wallets write a space after every fourth character; the
// canonical form has no spaces. In tolerant mode, parse accepts spaces anywhere,
// as the node does.
//
// See the Nimiq documentation, "User-friendly addresses", and ISO 13616.
type nimiq struct{}

const (
	formNimiq form = iota
	formNimiqGroups
)

const (
	nimiqLen       = 36
	nimiqGroupsLen = 36 + 8
	nimiqMaxLen    = 128 // with irregular spaces
)

var nimiqAlphabet = base32.New("0123456789ABCDEFGHJKLMNPQRSTUVXY")

func (n nimiq) parse(s string, tolerant bool) (string, form, fault) {
	text, f, bad := n.parseStrict(s)
	if bad.err != nil && tolerant && len(s) <= nimiqMaxLen {
		if bare := strings.ReplaceAll(s, " ", ""); len(bare) == nimiqLen && len(bare) < len(s) {
			text, f, fault := n.parseStrict(bare)
			if fault.err == nil || fault.err == ErrChecksum {
				return text, f, fault
			}
		}
	}
	return text, f, bad
}

func (nimiq) parseStrict(s string) (string, form, fault) {
	f := formNimiq
	switch len(s) {
	case nimiqLen:
	case nimiqGroupsLen:
		f = formNimiqGroups
	default:
		return "", 0, wrongLength(s)
	}
	var text [nimiqLen]byte
	n := 0
	for i := range len(s) {
		if blank := f == formNimiqGroups && i%5 == 4; blank != (s[i] == ' ') {
			return "", 0, badChar(i)
		} else if blank {
			continue
		}
		c := s[i]
		ok := nimiqAlphabet.Value(c) != base32.None
		switch n {
		case 0:
			ok = c == 'N'
		case 1:
			ok = c == 'Q'
		case 2, 3:
			ok = '0' <= c && c <= '9'
		}
		if !ok {
			return "", 0, badChar(i)
		}
		text[n] = c
		n++
	}
	// The first four characters are checked as if they were last. Several
	// check digits can leave the remainder 1, such as 02 and 99; only 02 to
	// 98 are valid, so that an account has one spelling.
	sum := ibanSum(ibanSum(0, text[4:]), []byte("NQ00"))
	if check := uint32(text[2]-'0')*10 + uint32(text[3]-'0'); check != 98-sum {
		return "", 0, badChecksum
	}
	return s, f, fault{}
}

// ibanSum returns the remainder modulo 97 of sum with the characters of text
// appended as decimal digits, where A is 10 and Z is 35.
func ibanSum(sum uint32, text []byte) uint32 {
	for _, c := range text {
		if c <= '9' {
			sum = sum*10 + uint32(c-'0')
		} else {
			sum = sum*100 + uint32(c-'A'+10)
		}
		sum %= 97
	}
	return sum
}

func (nimiq) canonical(text string, f form) (string, form) {
	if f == formNimiqGroups {
		text = strings.ReplaceAll(text, " ", "")
	}
	return text, formNimiq
}

func (nimiq) account(text string, f form) (words, tag) {
	var digits [32]byte
	for i := range digits {
		at := 4 + i
		if f == formNimiqGroups {
			at += at / 4
		}
		digits[i] = text[at]
	}
	var b [20]byte
	base32.Decode(nimiqAlphabet, b[:], digits[:])
	return key20(0, &b)
}

func (nimiq) key(string, form) (words, tag) { return words{}, 0 }

func (nimiq) proves(form) bool { return false }
