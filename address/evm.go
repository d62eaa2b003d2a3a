package address

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

const evmLen = 2 + 40

// evm is the accounts of the EVM chains: "0x" and 40 hex digits, which must match EIP-55 in
// mixed case.
//
// See EIP-55, "Mixed-case checksum address encoding".
func evm() codecs { return evmWith("0x", eip55) }

// evmWith is the accounts of an EVM chain in a spelling of its own.
func evmWith(lead string, rule *caseRule) codecs {
	return codecs{{enc: hexText{lead: lead, rule: rule}, size: 20, key: identity.KeccakHash, evm: true, proven: true, show: func(text string) string {
		b := rule.capitals(text[len(lead):])
		return text[:len(lead)] + string(b[:])
	}}}
}

// isPlainEVM reports whether c is the spelling that the EVM chains share.
func (c *codec) isPlainEVM() bool {
	e, ok := c.enc.(hexText)
	return ok && c.evm && e.lead == "0x" && e.rule == eip55
}

// plainEVM returns what interpret reads in "0x" and 40 hex digits in lower case, or with the
// capitals of EIP-55, for a caller who names no chain. Most rows of tables are such texts. For any
// other text it returns nil.
func plainEVM(text string) []Address {
	if len(text) != evmLen || text[:2] != "0x" || text[10:14] == "0000" || strings.EqualFold(text[10:14], "fdfd") {
		return nil // also what may be a number of hedera, or a virtual address of tempo
	}
	read := plainForms
	if !isLowerHex(text[2:]) {
		if !isEIP55Capitals(text[2:]) {
			return nil
		}
		text, read = lowerASCII(text), capitalForms
	}
	all := slices.Clone(read)
	for i := range all {
		all[i].text = text
	}
	return all
}

// plainForms and capitalForms are the addresses that any such text is: its digits do not matter.
var (
	plainForms   = interpret("", "0xd8da6bf26964af9d7eed9e03e53415d37aa96045").Addresses
	capitalForms = interpret("", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045").Addresses
)

// tempo is evm, and virtual addresses: the four bytes of a master, ten bytes fd, and a tag of six
// bytes, which is not part of the account. Only the chain knows the address of the master.
//
// See TIP-1022, "Virtual Addresses for TIP-20 Deposit Forwarding".
func tempo() codecs {
	with := func(anyTag bool) codec {
		c := evm()[0]
		c.kind, c.key, c.evm, c.what, c.doubt = 1, 0, false, "virtual", DoubtUnscreenable
		c.check = func(r *reader) fault {
			b := r.payload()
			return unless(string(b[4:14]) == virtualMark && (anyTag || string(b[14:]) == noTag))
		}
		c.core = func(r *reader) []byte { return r.payload()[:4] }
		c.uncore = func(master []byte) [][]byte { return [][]byte{append(slices.Clone(master[:4]), virtualMark+noTag...)} }
		return c
	}
	return all(codecs{with(false), with(true)}, evm())
}

const (
	virtualMark = "\xfd\xfd\xfd\xfd\xfd\xfd\xfd\xfd\xfd\xfd"
	noTag       = "\x00\x00\x00\x00\x00\x00"
)

// A caseRule is a checksum in the letter case of hex digits: EIP-55, a variant of EIP-55, or
// another one.
type caseRule struct {
	prefix string                             // is hashed in front of the digits
	invert byte                               // 0x20 if the letter case is inverted
	other  func(b []byte, digits string) bool // nil, or whether digits, which spell b, match another checksum
}

var (
	eip55 = &caseRule{}

	// erc1191 is EIP-55 with the chain id of rootstock in the hash. See ERC-1191, "Add chain
	// id to mixed-case checksum address encoding", and RSKIP-60.
	erc1191 = &caseRule{prefix: "300x"}

	// wanchain inverts the letter case of EIP-55, to distinguish its addresses from Ethereum
	// addresses. The node accepts any letter case. See toChecksumAddress of wanchain-util.
	wanchain = &caseRule{invert: 0x20}
)

// accepts reports whether the letter case of digits, which spell b, is a checksum by the rule, or
// by EIP-55, which other software writes on all chains.
func (e *caseRule) accepts(b []byte, digits string) bool {
	if e.other != nil && e.other(b, digits) {
		return true
	}
	return len(b) == 20 && (eip55.matches(digits) || e != eip55 && e.matches(digits))
}

// matches reports whether digits have the capitals of EIP-55, or of its variant.
func (e *caseRule) matches(digits string) bool {
	b := e.capitals(digits)
	return string(b[:]) == digits
}

// capitals returns digits, in any letter case, with capitals where the nibble of the hash of
// the lower-case digits is 8 or more.
func (e *caseRule) capitals(digits string) (b [40]byte) {
	var buf [8 + 40]byte
	text := append(buf[:0], e.prefix...)
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], load8(digits, i)|caseBits) // digits have this bit, too
	}
	sum := keccak256(append(text, b[:]...))
	for i := 0; i < len(b); i += 8 { // without branches, which the processor cannot predict
		h := uint64(binary.LittleEndian.Uint32(sum[i/2:]))
		h = (h | h<<16) & 0x0000ffff_0000ffff
		h = (h | h<<8) & 0x00ff00ff_00ff00ff // a byte of the hash for each two digits
		upper := h>>2&0x00200020_00200020 | h<<10&0x20002000_20002000
		w := binary.LittleEndian.Uint64(b[i:])
		letters := w >> 1 & caseBits
		binary.LittleEndian.PutUint64(b[i:], w^(upper^uint64(e.invert)*(caseBits/0x20))&letters)
	}
	return b
}

// zilliqa is Bech32 of 20 bytes, or "0x" and their 40 hex digits. Digits in mixed case must match
// Zilliqa's own checksum or, since the chain has an EVM, EIP-55.
//
// An account is the end of the SHA-256 hash of a key, or of the Keccak-256 hash as on EVM chains;
// the address does not reveal which. Its key is an [identity.KeccakHash]: if an Ethereum account
// has the same bytes, the hash must be that one, because nobody can find two keys whose different
// hashes are equal.
//
// See ZIP-1, and toChecksumAddress in zilliqa-js.
func zilliqa() codecs {
	return codecs{
		{enc: bech32Text, prefix: "zil", size: 20, key: identity.KeccakHash},
		{enc: hexText{lead: "0x", rule: &caseRule{other: isZilliqaCase}}, size: 20, key: identity.KeccakHash, proven: true},
		{enc: bech32Text, prefix: "tzil", size: 20, use: testers},
	}
}

// isZilliqaCase reports whether the letter case of the 40 hex digits of b matches Zilliqa's
// checksum: the case of digit i is bit 6i of the SHA-256 hash of b.
func isZilliqaCase(b []byte, digits string) bool {
	sum := sha256.Sum256(b)
	return hasCase(digits, func(i, _ int) bool { return bit(&sum, 6*i) })
}

// hasCase reports whether the letters of digits are capitals where isUpper says so,
// given the offset of a letter and the number of letters before it.
func hasCase(digits string, isUpper func(i, letters int) bool) bool {
	letters := 0
	for i := range len(digits) {
		if c := digits[i]; c >= 'A' {
			if isUpper(i, letters) != (c < 'a') {
				return false
			}
			letters++
		}
	}
	return true
}

// bit returns bit i of a hash, most significant bit first.
func bit(sum *[32]byte, i int) bool { return sum[i/8]>>(7-i%8)&1 == 1 }
