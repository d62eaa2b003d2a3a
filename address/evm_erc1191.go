package address

// erc1191 is the format of an EVM chain whose wallets use the letter case of
// ERC-1191, EIP-55 with the chain id in the hash, in addition to that of
// EIP-55. Either is a valid checksum; in strict mode, parse rejects mixed case
// that matches neither.
//
// See ERC-1191, "Add chain id to mixed-case checksum address encoding", and
// RSKIP-60.
type erc1191 struct {
	evm
	prefix string // hashed before the digits: the decimal chain id and "0x"
}

var _ evmFamily = erc1191{}

func (c erc1191) parse(s string, tolerant bool) (string, form, fault) {
	text, f, bad := c.evm.parse(s, tolerant)
	if bad == badChecksum && isERC1191(s[2:], c.prefix) {
		return c.evm.parse(s, true)
	}
	return text, f, bad
}
