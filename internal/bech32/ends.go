package bech32

import "github.com/walletscreen/walletscreen/internal/fivebit"

// Ends appends to dst the lengths at which data, cut there, ends with a right
// checksum of either variant after the human-readable part hrp, in lower case,
// and a one. It stops at the first byte that is no digit or of another letter
// case than those before, so the work grows with what it has looked at.
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
