package address

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// hex20 is the characters lead and the 40 hex digits of 20 bytes. The normal form is lower case.
// Digits in a single letter case have no checksum; mixed case must match EIP-55, or the rule of the
// chain if it has another one, too: other software writes EIP-55 on all chains. Normalize also
// reads mixed case that matches neither, and capitals in lead.
//
// See EIP-55, "Mixed-case checksum address encoding".
type hex20 struct {
	lead string
	rule *caseRule // nil: EIP-55 alone
}

// A caseRule is a checksum in the letter case of 40 hex digits: EIP-55, a variant of
// EIP-55, or another one.
type caseRule struct {
	prefix string                   // is hashed in front of the digits
	invert byte                     // 0x20 if the letter case is inverted
	other  func(digits string) bool // nil, or whether digits match another checksum
}

const evmLen = 2 + 40

func (e hex20) read(r *reader, c *codec) fault {
	s, n := r.s, len(e.lead)
	if len(s) != n+40 {
		if len(s) > n && strings.EqualFold(s[:n], e.lead) {
			r.claimed = true
			if i := firstNonHex(s[n:min(len(s), 64)]); n+i < min(len(s), 64) {
				return badChar(n + i)
			}
			return badLength
		}
		return fault{err: ErrLength, at: -1, lead: true}
	}
	lower := true
	for i := range n {
		switch {
		case s[i] == e.lead[i]:
		case r.tolerant && 'A' <= s[i] && s[i] <= 'Z' && s[i]|0x20 == e.lead[i]:
			lower = false
		default:
			return fault{err: ErrCharset, at: i, lead: true}
		}
	}
	r.claimed = true
	digits := s[n:]
	kind, ok := hexCase(digits)
	switch {
	case !ok:
		return badChar(n + firstNonHex(digits))
	case kind == hasUpper|hasLower && !r.tolerant && !eip55.matches(digits) && (e.rule == nil || !e.rule.matches(digits)):
		return badChecksum
	}
	r.n = 20
	unhex(r.buf[:20], digits)
	r.normal = lower && kind&hasUpper == 0
	return fault{}
}

func (e hex20) write(dst []byte, c *codec, payload []byte) []byte {
	return hex.AppendEncode(append(dst, e.lead...), payload)
}

func (e hex20) bounds(*codec) bounds {
	n := len(e.lead) + 40
	return bounds{n, n, classHex | classAddress, e.lead, true}
}

// evm is the accounts of the EVM chains: "0x" and 40 hex digits.
func evm() codecs { return evmWith("0x", nil) }

// evmWith is the accounts of an EVM chain in a spelling of its own.
func evmWith(lead string, rule *caseRule) codecs {
	return codecs{{enc: hex20{lead, rule}, size: 20, key: identity.KeccakHash, evm: true, show: func(text string) string {
		b := cmp.Or(rule, eip55).capitals(text[len(lead):])
		return text[:len(lead)] + string(b[:])
	}}}
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
		c := codec{enc: hex20{lead: "0x"}, size: 20, kind: 1, what: "virtual", doubt: DoubtUnscreenable, show: evm()[0].show}
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

var (
	eip55 = &caseRule{}

	// erc1191 is EIP-55 with the chain id of rootstock in the hash. See ERC-1191, "Add chain
	// id to mixed-case checksum address encoding", and RSKIP-60.
	erc1191 = &caseRule{prefix: "300x"}

	// wanchain inverts the letter case of EIP-55, to distinguish its addresses from Ethereum
	// addresses. The node accepts any letter case. See toChecksumAddress of wanchain-util.
	wanchain = &caseRule{invert: 0x20}
)

// matches reports whether the letter case of digits is a checksum by the rule.
func (e *caseRule) matches(digits string) bool {
	if e.other != nil {
		return e.other(digits)
	}
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
	rule := &caseRule{other: isZilliqaCase}
	return codecs{
		{enc: bech32Text, prefix: "zil", size: 20, key: identity.KeccakHash},
		{enc: hex20{"0x", rule}, size: 20, key: identity.KeccakHash},
		{enc: bech32Text, prefix: "tzil", size: 20, use: testers},
	}
}

// isZilliqaCase reports whether the letter case of 40 hex digits matches Zilliqa's checksum: the
// case of digit i is bit 6i of the SHA-256 hash of the bytes.
func isZilliqaCase(digits string) bool {
	var b [20]byte
	unhex(b[:], digits)
	sum := sha256.Sum256(b[:])
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

// checkCase checks the digits from offset at on, which fits says of in mixed case.
func checkCase(r *reader, at int, fits func(digits string) bool) fault {
	if digits := r.s[at:]; !r.tolerant && !isOneCase(digits) && !fits(digits) {
		return badChecksum
	}
	return fault{}
}

// bit returns bit i of a hash, most significant bit first.
func bit(sum *[32]byte, i int) bool { return sum[i/8]>>(7-i%8)&1 == 1 }

// hexText is the characters lead and the hex digits of the payload, without a
// checksum, in lower case.
type hexText struct {
	lead   string
	bare   bool // lead may be missing
	lower  bool // capitals are not accepted
	sumLen int  // bytes of sum, a checksum at the end
	sum    func(payload []byte) [32]byte
}

func (e hexText) read(r *reader, c *codec) fault {
	s := r.s
	size := c.size + e.sumLen
	at, isNormal := len(e.lead), strings.HasPrefix(s, e.lead)
	switch {
	case isNormal:
	case e.bare && len(s) == 2*size:
		at = 0
	// Digits in lead have any letter case, too, but "0X" is not strict.
	case e.lead[0] != '0' || at == len("0x") && !r.tolerant || len(s) <= at || !strings.EqualFold(s[:at], e.lead):
		return badLead(s, e.lead)
	}
	r.claimed = at > 1
	if len(s) != at+2*size {
		return badLength
	}
	bad, lower := skip(classHex, s, at), lowerHexEnd(s, at)
	if e.lower {
		bad = lower
	}
	if bad < len(s) {
		return badChar(bad)
	}
	b := r.tmp[:size] // not on the stack, because sum is a variable
	unhex(b, s[at:])
	if e.sum != nil {
		if sum := e.sum(b[:c.size]); string(sum[:e.sumLen]) != string(b[c.size:size]) {
			return badChecksum
		}
	}
	r.set(b[:c.size])
	r.normal = isNormal && lower == len(s)
	return fault{}
}

func (e hexText) write(dst []byte, c *codec, payload []byte) []byte {
	dst = hex.AppendEncode(append(dst, e.lead...), payload)
	if e.sum != nil {
		sum := e.sum(payload)
		dst = hex.AppendEncode(dst, sum[:e.sumLen])
	}
	return dst
}

func (e hexText) bounds(c *codec) bounds {
	n := len(e.lead) + 2*(c.size+e.sumLen)
	if e.bare {
		return bounds{n - len(e.lead), n, classAddress, "", false}
	}
	return bounds{n, n, classHex | classAddress, e.lead, e.sum != nil}
}
