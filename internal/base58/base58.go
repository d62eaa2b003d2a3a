// Package base58 encodes and decodes Base58, bytes as the digits of one big
// number. The alphabets of Bitcoin and of the XRP Ledger are here.
package base58

// MaxLen is the longest text that Decode reads: the work grows with the square
// of the length, and no address is longer.
const MaxLen = 128

// An Alphabet is an order of the 58 digits.
type Alphabet struct {
	digits string
	values [256]byte // digit to value; 0xff: not a digit
}

// The alphabets in use. Neither has 0, O, I and l.
var (
	Bitcoin = newAlphabet("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
	Ripple  = newAlphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")
)

func newAlphabet(digits string) *Alphabet {
	a := &Alphabet{digits: digits}
	for i := range a.values {
		a.values[i] = 0xff
	}
	for i := range len(digits) {
		a.values[digits[i]] = byte(i)
	}
	return a
}

// Decode decodes s into the beginning of dst and returns the number of bytes.
// Leading zero digits are leading zero bytes, so each text has one value and
// each value one text.
//
// If s is not Base58, n is -1 and bad is the offset of the first byte that is
// no digit. If s is longer than MaxLen or its value longer than dst, n is -1 and
// bad is -1. It does not allocate.
func (a *Alphabet) Decode(dst []byte, s string) (n, bad int) {
	if len(s) > MaxLen {
		return -1, -1
	}
	for i := range len(s) {
		if a.values[s[i]] == 0xff {
			return -1, i
		}
	}
	zeros := 0
	for zeros < len(s) && s[zeros] == a.digits[0] {
		zeros++
	}
	var buf [MaxLen]byte // the number, big-endian, at the end
	top := len(buf)
	for i := zeros; i < len(s); i++ {
		carry := uint32(a.values[s[i]])
		for j := len(buf) - 1; j >= top || carry != 0; j-- {
			carry += 58 * uint32(buf[j])
			buf[j] = byte(carry)
			carry >>= 8
			top = min(top, j)
		}
	}
	n = zeros + len(buf) - top
	if n > len(dst) {
		return -1, -1
	}
	clear(dst[:zeros])
	copy(dst[zeros:], buf[top:])
	return n, -1
}

// Encode returns b in Base58.
func (a *Alphabet) Encode(b []byte) string {
	zeros := 0
	for zeros < len(b) && b[zeros] == 0 {
		zeros++
	}
	var digits []byte // little-endian
	for _, c := range b[zeros:] {
		carry := uint32(c)
		for j := range digits {
			carry += 256 * uint32(digits[j])
			digits[j] = byte(carry % 58)
			carry /= 58
		}
		for carry > 0 {
			digits = append(digits, byte(carry%58))
			carry /= 58
		}
	}
	text := make([]byte, zeros+len(digits))
	for i := range zeros {
		text[i] = a.digits[0]
	}
	for i, d := range digits {
		text[len(text)-1-i] = a.digits[d]
	}
	return string(text)
}
