package address

// base64Values are the values of the digits of Base64, of both alphabets of RFC
// 4648: '+' and '-' are 62, '/' and '_' are 63.
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

// The alphabets in which decodeBase64 has found digits that the other has not.
const (
	base64Std = 1 << iota
	base64URL
)

// decodeBase64 decodes s, of either alphabet, and writes the bytes to dst, which
// is to be len(s)*6/8 long. It returns -1, or the index of the first character
// that is no digit of the one alphabet that s is in, or of the last if the bits
// left over are not zero.
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
