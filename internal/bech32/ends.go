package bech32

import "github.com/walletscreen/walletscreen/internal/fivebit"

// Ends appends to dst the lengths at which data, truncated there, ends with a valid
// checksum of either variant, given that hrp, in lower case, and a one precede it. It
// stops at the first byte that is not a digit or whose letter case differs, so its work
// is proportional to what it reads.
func Ends(dst []int, hrp, data string) []int {
	chk := begin(hrp)
	var marks byte
	for i := range len(data) {
		m := marked[data[i]]
		marks |= m
		if marks&fivebit.Foreign != 0 || marks&(fivebit.Lower|fivebit.Upper) == fivebit.Lower|fivebit.Upper {
			break
		}
		chk = step(chk, m&31)
		if v := Variant(chk); i >= ChecksumLen-1 && (v == Bech32 || v == Bech32m) {
			dst = append(dst, i+1)
		}
	}
	return dst
}
