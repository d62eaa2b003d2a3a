package address

// base58Digits are the digits of Base58 in the order of Bitcoin.
const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// base58Values are the values of the digits, 0xff for what is none.
var base58Values = func() (v [256]byte) {
	for i := range v {
		v[i] = 0xff
	}
	for i := range len(base58Digits) {
		v[base58Digits[i]] = byte(i)
	}
	return v
}()

const (
	base58WordLen  = 10                 // the most digits whose value is sure to fit a word
	base58WordBase = 430804206899405824 // 58^10
)

// base58Word returns the value of the first ten digits of s, and the or of
// their values, whose top bit tells that one was no digit. It joins them in
// pairs first, which need not wait for each other.
func base58Word(s string) (w uint64, or byte) {
	_ = s[base58WordLen-1]
	v0, v1 := base58Values[s[0]], base58Values[s[1]]
	v2, v3 := base58Values[s[2]], base58Values[s[3]]
	v4, v5 := base58Values[s[4]], base58Values[s[5]]
	v6, v7 := base58Values[s[6]], base58Values[s[7]]
	v8, v9 := base58Values[s[8]], base58Values[s[9]]
	or = v0 | v1 | v2 | v3 | v4 | v5 | v6 | v7 | v8 | v9
	low := (uint64(v4)*58+uint64(v5))*(58*58*58*58) + (uint64(v6)*58+uint64(v7))*(58*58) + (uint64(v8)*58 + uint64(v9))
	high := (uint64(v0)*58+uint64(v1))*(58*58) + (uint64(v2)*58 + uint64(v3))
	return high*(58*58*58*58*58*58) + low, or
}
