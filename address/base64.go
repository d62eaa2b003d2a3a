package address

// base64Values maps digits of both Base64 alphabets of RFC 4648 to their
// values: '+' and '-' are 62, '/' and '_' are 63.
var base64Values = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range 26 {
		t['A'+i], t['a'+i] = byte(i), byte(26+i)
	}
	for i := range 10 {
		t['0'+i] = byte(52 + i)
	}
	t['+'], t['-'], t['/'], t['_'] = 62, 62, 63, 63
	return t
}()

// The alphabets to which the digits that decodeBase64 found are limited.
const (
	base64Std = 1 << iota
	base64URL
)

// decodeBase64 decodes s, in either alphabet, into dst, which must have length
// len(s)*6/8. It returns -1 on success, the index of the first character that
// is not a digit of a single alphabet, or the index of the last character if
// the remaining bits are not zero. encoding/base64 reads one alphabet at a time
// and accepts line breaks, which an address must not contain.
func decodeBase64(dst []byte, s string) (alphabets, bad int) {
	var acc uint32
	bits, n := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '+', '/':
			alphabets |= base64Std
		case '-', '_':
			alphabets |= base64URL
		}
		v := base64Values[s[i]]
		if v == 0xff || alphabets == base64Std|base64URL {
			return 0, i
		}
		acc = acc<<6 | uint32(v)
		if bits += 6; bits >= 8 {
			bits -= 8
			dst[n] = byte(acc >> bits)
			n++
		}
	}
	if bits >= 6 || acc&(1<<bits-1) != 0 {
		return 0, len(s) - 1
	}
	return alphabets, -1
}
