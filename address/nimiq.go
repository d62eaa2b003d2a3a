package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/base32"
)

// nimiq is "NQ", two check digits, and 20 bytes in 32 characters of Base32
// without the letters I, O, W and Z. The check digits are computed as in an IBAN,
// modulo 97. Wallets write a space after every fourth character. Normalize also
// reads spaces anywhere, as the node does.
//
// See the Nimiq documentation, "User-friendly addresses", and ISO 13616.
func nimiq() codecs {
	return codecs{{enc: iban{}, size: 20}, {enc: iban{loose: true}, size: 20, use: tolerated}, {enc: iban{groups: true}, size: 20}}
}

// iban is in one piece, in groups of four, or has spaces anywhere.
type iban struct{ groups, loose bool }

// nimiqLen is the number of characters without spaces.
const nimiqLen = 36

var nimiqAlphabet = base32.New("0123456789ABCDEFGHJKLMNPQRSTUVXY")

func (e iban) read(r *reader, c *codec) fault {
	s := r.s
	r.normal = true
	if e.loose {
		var buf [128]byte
		if _, bad := ungroup(buf[:0], s[:min(len(s), len(buf))], 4, ' '); len(s) > len(buf) || bad < 0 || strings.IndexByte(s, ' ') < 0 {
			return badLength
		}
		s = strings.ReplaceAll(s, " ", "")
	}
	every := nimiqLen
	if e.groups {
		every = 4
	}
	if len(s) != nimiqLen+(nimiqLen-1)/every {
		return badLength
	}
	var buf [nimiqLen]byte
	text, bad := ungroup(buf[:0], s, every, ' ')
	if bad >= 0 {
		return badChar(bad)
	}
	for i, ch := range text {
		ok := nimiqAlphabet.Value(ch) != base32.None
		switch i {
		case 0:
			ok = ch == 'N'
		case 1:
			ok = ch == 'Q'
		case 2, 3:
			ok = '0' <= ch && ch <= '9'
		}
		if !ok {
			return badChar(i + i/every)
		}
	}
	r.claimed = true
	if ibanCheck(text[4:]) != uint32(text[2]-'0')*10+uint32(text[3]-'0') {
		return badChecksum
	}
	base32.Decode(nimiqAlphabet, r.buf[:20], text[4:])
	r.n = 20
	return fault{}
}

// ibanCheck returns the check digits of text. The first four characters are
// checked as if they were last. Several numbers can leave the remainder 1, such
// as 02 and 99; only 02 to 98 are valid, so that an account has one spelling.
func ibanCheck(text []byte) uint32 {
	return 98 - ibanSum(ibanSum(0, text), []byte("NQ00"))
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

func (e iban) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [36]byte
	digits := nimiqAlphabet.Append(buf[:0], payload)
	check := ibanCheck(digits)
	from := len(dst)
	dst = append(dst, 'N', 'Q', '0'+byte(check/10), '0'+byte(check%10))
	dst = append(dst, digits...)
	if e.groups {
		dst = group(dst, from, 4, ' ')
	}
	return dst
}

func (e iban) bounds(*codec) bounds { return bounds{36, 128, 0, "nq", false} }
