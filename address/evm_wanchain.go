package address

// wanchain is the format of Wanchain. Its wallets invert the letter case of
// EIP-55 to distinguish its addresses from those of Ethereum. The node accepts
// any letter case, and other software writes EIP-55, so either is a valid
// checksum; in strict mode, parse rejects mixed case that matches neither.
//
// See toChecksumAddress of wanchain-util.
type wanchain struct{ evm }

var _ evmFamily = wanchain{}

func (w wanchain) parse(s string, tolerant bool) (string, form, fault) {
	text, f, bad := w.evm.parse(s, tolerant)
	if bad == badChecksum && isInvertedEIP55(s[2:]) {
		return w.evm.parse(s, true)
	}
	return text, f, bad
}

// isInvertedEIP55 reports whether the letter case of mixed, 40 valid hex
// digits, is the inverse of EIP-55.
func isInvertedEIP55(mixed string) bool {
	var inverted [40]byte
	for i := range inverted {
		inverted[i] = mixed[i]
		if mixed[i] > '9' {
			inverted[i] ^= 0x20
		}
	}
	return isEIP55(string(inverted[:]))
}
