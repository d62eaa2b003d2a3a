package address

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/address/internal/curve"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// The functions in this file read eight hex digits at a time, as the bytes of a little-endian word,
// and without branches, because branches on the digits of fresh addresses are unpredictable.

const (
	eachByte = 0x0101010101010101 // multiplying a byte by it repeats the byte eight times
	caseBits = 0x20 * eachByte
)

func load8(s string, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// unhex8 returns the four bytes, little-endian, that eight valid hex digits spell.
func unhex8(w uint64) uint64 {
	letter := w >> 6 & eachByte       // 1 for a-f and A-F
	n := w&(0x0f*eachByte) + letter*9 // the values of the digits
	n = n * (1 + 1<<12) & 0xff00ff00ff00ff00
	n = n * (1 + 1<<8) & 0xffff0000ffff0000
	return n * (1 + 1<<16) >> 32
}

// notHex8 returns zero if eight bytes are digits and letters from a to f. Otherwise it has values
// over 15 in the upper halves of bytes, and in bit 6 values from 10 on that are not letters, and
// smaller values that are. A carry into the next byte comes only from a value over 15.
func notHex8(w uint64) uint64 {
	n := w ^ '0'*eachByte // digits become 0 to 9; letters have bit 6
	n -= n >> 6 & eachByte * ('a' ^ '0' - 10)
	letter := (n + (0x40-10)*eachByte) ^ w
	return n&(0xf0*eachByte) | letter&(0x40*eachByte)
}

// hexCase reports whether all of digits are hex digits, and the letter cases among them.
func hexCase(digits string) (kind int, ok bool) {
	var lower, upper, bad uint64
	for ; digits != ""; digits = digits[min(8, len(digits)):] {
		w := uint64('0' * eachByte)
		if len(digits) >= 8 {
			w = load8(digits, 0)
		} else {
			for i := range len(digits) {
				w = w<<8 | uint64(digits[i])
			}
		}
		low := w | w>>1&caseBits // with bytes from 0x40 to 0x5f, which include all capitals, in lower case
		bad |= notHex8(low)
		upper |= low ^ w
		lower |= low >> 1 & w // a letter has bit 6, and in lower case bit 5
	}
	if bad != 0 {
		return 0, false
	}
	if lower&caseBits != 0 {
		kind = hasLower
	}
	if upper != 0 {
		kind |= hasUpper
	}
	return kind, true
}

// The letter cases that hexCase finds.
const (
	hasLower = 1 << iota
	hasUpper
)

// isLowerHex reports whether the first 40 characters of s are digits and letters from a to f.
func isLowerHex(s string) bool {
	_ = s[39]
	return notHex8(load8(s, 0))|notHex8(load8(s, 8))|notHex8(load8(s, 16))|notHex8(load8(s, 24))|notHex8(load8(s, 32)) == 0
}

// hexWords returns the 20 bytes that the first 40 characters of s, valid hex digits, spell.
func hexWords(s string) identity.Words {
	_ = s[39]
	return identity.Words{
		W0: unhex8(load8(s, 0)) | unhex8(load8(s, 8))<<32, W1: unhex8(load8(s, 16)) | unhex8(load8(s, 24))<<32, W2: unhex8(load8(s, 32)),
	}
}

// ParseEVM is [Parse] followed by [Address.Identity], for the text that most questions have:
// "0x" and 40 digits in lower case, on an EVM chain with a slug. It sets a to the address. For
// any other text it returns the zero Tag and leaves a unchanged.
func (a *Address) ParseEVM(c Chain, s string) (identity.Words, identity.Tag) {
	if len(s) != evmLen || s[:2] != "0x" {
		return identity.Words{}, identity.Tag{}
	}
	d0, d1, d2, d3, d4 := load8(s, 2), load8(s, 10), load8(s, 18), load8(s, 26), load8(s, 34)
	r := lookup(c)
	if r == 0 || r == otherEVMRow || notHex8(d0)|notHex8(d1)|notHex8(d2)|notHex8(d3)|notHex8(d4) != 0 {
		return identity.Words{}, identity.Tag{}
	}
	if first := &chains[r-1].codecs[0]; !first.evm || first.doubt != "" {
		return identity.Words{}, identity.Tag{}
	}
	*a = Address{text: s, row: r}
	return identity.Words{W0: unhex8(d0) | unhex8(d1)<<32, W1: unhex8(d2) | unhex8(d3)<<32, W2: unhex8(d4)}, evmTag
}

// lowerHexEnd returns the offset behind the digits and letters from a to f that begin at offset at of s.
func lowerHexEnd(s string, at int) int {
	return min(skip(classHex, s, at), skip(classLower|classDigit, s, at))
}

// firstNonHex returns the index of the first byte of s that is not a hex digit, or len(s).
func firstNonHex(s string) int { return skip(classHex, s, 0) }

func isHex(s string) bool { return firstNonHex(s) == len(s) }

// unhex decodes 2*len(dst) valid hex digits into dst.
func unhex(dst []byte, digits string) {
	for ; len(dst) >= 4; dst, digits = dst[4:], digits[8:] {
		binary.LittleEndian.PutUint32(dst, uint32(unhex8(load8(digits, 0))))
	}
	for i := range dst {
		dst[i] = unhexDigit(digits[2*i])<<4 | unhexDigit(digits[2*i+1])
	}
}

func unhexDigit(c byte) byte { return c&15 + c>>6*9 }

// putHexNumber writes the number that valid hex digits spell to dst, behind zeros.
func putHexNumber(dst []byte, digits string) {
	at, odd := len(dst)-(len(digits)+1)/2, len(digits)&1
	clear(dst[:at])
	if odd == 1 {
		dst[at] = unhexDigit(digits[0])
	}
	unhex(dst[at+odd:], digits[odd:])
}

func hasHexPrefix(s string) bool { return len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x' }

const hex32Len = 2 + 64

// hexText is the characters lead and the hex digits of the payload. The normal form is lower case.
// Normalize also reads capitals in lead, and a letter case that does not match rule.
type hexText struct {
	lead     string
	bare     bool      // lead may be missing
	lower    bool      // capitals are not accepted
	rule     *caseRule // what digits in mixed case must match, or nil
	min, max int       // if not zero, the number of digits; zeros in front of them are missing
	sumLen   int       // bytes of sum, a checksum at the end
	sum      func(payload []byte) [32]byte
}

// digits returns the numbers of digits that e has.
func (e hexText) digits(c *codec) (least, most int) {
	if e.max != 0 {
		return e.min, e.max
	}
	return 2 * (c.size + e.sumLen), 2 * (c.size + e.sumLen)
}

func (e hexText) read(r *reader, c *codec) fault {
	at, bad := e.readLead(r, c)
	if bad.err != nil {
		return bad
	}
	r.claimed = at > 1
	digits := r.s[at:]
	kind, ok := hexCase(digits)
	least, most := e.digits(c)
	switch fits := least <= len(digits) && len(digits) <= most; {
	case !ok && (fits || at > 0):
		return badChar(at + firstNonHex(digits))
	case !fits, c.use == everybody && e.isOther(digits):
		return badLength
	case e.lower && kind&hasUpper != 0:
		return badChar(lowerHexEnd(r.s, at))
	case c.size == 32 && isInteropHex(r.s):
		return badSyntax
	}
	b := r.tmp[:c.size+e.sumLen] // not on the stack, because sum is a variable
	putHexNumber(b, digits)
	if !e.hasSum(b, c.size) || kind == hasLower|hasUpper && !r.tolerant && e.rule != nil && !e.rule.accepts(b, digits) {
		return badChecksum
	}
	r.set(b[:c.size])
	r.normal = kind&hasUpper == 0 && strings.HasPrefix(r.s, e.lead)
	return fault{}
}

// readLead returns the offset behind lead.
func (e hexText) readLead(r *reader, c *codec) (at int, bad fault) {
	// Digits in lead have any letter case, too, but "0X" is not strict.
	at = len(e.lead)
	anyCase := r.tolerant || at > len("0x") && e.lead[0] == '0'
	least, most := e.digits(c)
	switch {
	case strings.HasPrefix(r.s, e.lead), anyCase && hasPrefixFold(r.s, e.lead):
		return at, fault{}
	case e.bare && len(r.s) == most:
		return 0, fault{}
	case e.lead == "0x" && (len(r.s) < at+least || len(r.s) > at+most):
		return 0, fault{err: ErrLength, at: -1, lead: true}
	}
	return 0, badLead(r.s, e.lead)
}

// hasSum reports whether the checksum behind the first size bytes of b is right.
func (e hexText) hasSum(b []byte, size int) bool {
	if e.sum == nil {
		return true
	}
	sum := e.sum(b[:size])
	return string(sum[:e.sumLen]) == string(b[size:])
}

// isOther reports whether the digits of a number have the length of an EVM or Flow address, with
// or without leading zeros, which write drops, or are 63 with a leading zero, which the 64th digit
// of a padded address would follow.
func (e hexText) isOther(digits string) bool {
	n, all := len(strings.TrimLeft(digits, "0")), len(digits)
	return e.max != 0 && (n == 40 || n == 16 || all == 40 || all == 16 || e.min == 63 && n < 63)
}

func (e hexText) write(dst []byte, c *codec, payload []byte) []byte {
	from := len(dst) + len(e.lead)
	dst = hex.AppendEncode(append(dst, e.lead...), payload)
	switch {
	case e.max != 0:
		last := len(dst) - 1
		rest := len(bytes.TrimLeft(dst[from:last], "0"))
		return append(dst[:from], dst[last-rest:]...)
	case e.sum != nil:
		sum := e.sum(payload)
		dst = hex.AppendEncode(dst, sum[:e.sumLen])
	}
	return dst
}

func (e hexText) bounds(c *codec) bounds {
	least, most := e.digits(c)
	n := len(e.lead)
	if e.bare {
		return bounds{least, n + most, classAddress, "", false}
	}
	return bounds{n + least, n + most, classAddress, e.lead, e.sum != nil}
}

// hex32 is the accounts of chains on which they are 32 bytes: "0x" and 64 hex digits. The normal
// form is lower case. Aptos and movement also have "0x0" to "0xf" (AIP-40). Normalize also reads
// addresses without their leading digits, if 60 are left: wallets cut zeros.
//
// See AIP-40, "Address Standard v1" (aptos), and the documentation of Sui and IOTA on addresses.
func hex32(short, special bool) codecs {
	account := codec{enc: hexText{lead: "0x"}, size: 32}
	cs := codecs{account}
	if short {
		account.enc, account.use, account.doubt = hexText{lead: "0x", min: 60, max: 63}, tolerated, DoubtShort
		cs = append(cs, account)
	}
	if special {
		cs[0].keys = moveKeys
		cs = append(cs, codec{enc: hexText{lead: "0x", min: 1, max: 1}, size: 32})
	}
	return cs
}

// moveKeys returns the account itself on the chains that derive it from a key like aptos, so that
// one of them finds what another lists. "0x0" to "0xf" belong to the chain.
func moveKeys(r *reader, b []byte) {
	if [31]byte(b) != [31]byte{} || b[31] > 0xf {
		r.keys.add(identity.MoveAccount, b)
	}
}

// fuel is "0x" and 64 hex digits. Digits in mixed case must match the checksum of its
// tools: as in EIP-55, a letter is upper case if the digit at its position in the SHA-256 of
// the digits in lower case is at least eight. The same 32 bytes in Bech32m, which its tools
// wrote until 2024, are the same account. The test network uses the same addresses.
//
// See packages/address/src of fuels-ts, Address.toChecksum and toBech32.
func fuel() codecs {
	rule := &caseRule{other: func(b []byte, digits string) bool {
		var lower [64]byte
		hex.Encode(lower[:], b)
		sum := sha256.Sum256(lower[:])
		return hasCase(digits, func(i, _ int) bool { return bit(&sum, 4*i) })
	}}
	return codecs{{enc: hexText{lead: "0x", rule: rule}, size: 32}, {enc: bech32mText, prefix: "fuel", size: 32}}
}

// starknet is a number below 2^251-256, which no address of a contract reaches: "0x" and 1 to 64
// hex digits, because its tools drop leading zeros. The canonical form has 64. Its addresses are
// hashes, so none has enough leading zeros to shrink to the length of an EVM or Flow address.
// Digits in mixed case must match the checksum of its tools.
//
// See the documentation of Starknet on contract addresses.
func starknet() codecs {
	with := func(min, max int) codec {
		return codec{enc: hexText{lead: "0x", min: min, max: max, rule: &caseRule{other: isStarknetCase}}, size: 32,
			check: func(r *reader) fault { return unless(string(r.payload()) < starknetEnd) }}
	}
	short := with(2, 63)     // 63 digits that begin with 0 are padded ones
	short.doubt = DoubtShort // tools drop one digit of any address, because it is below 2^252
	return codecs{with(0, 0), with(63, 63), with(1, 1), short}
}

// starknetEnd is 2^251-256, above all addresses.
const starknetEnd = "\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00"

// isStarknetCase reports whether the capitals among digits, which spell b, match the checksum of
// Starknet's tools. As in EIP-55, a letter is upper case if the digit at its position in the hash
// is at least eight; the hash is the keccak256 of the number in as few bytes as possible.
func isStarknetCase(b []byte, digits string) bool {
	short := bytes.TrimLeft(b[:31], "\x00")
	sum := keccak256(b[31-len(short):])
	return hasCase(digits, func(i, _ int) bool { return bit(&sum, 4*(64-len(digits)+i)) })
}

// flow is 16 hex digits, with or without "0x". The 64 bits are a nonzero word of a linear code of
// length 64, dimension 45 and distance 7. The addresses of the test network and of the emulator are
// words of the code combined with a constant.
//
// See flow-go, model/flow/address.go, and "Flow account addressing" there.
func flow() (cs codecs) {
	for i, xor := range [...]uint64{0, 0x6834ba37b3980209, 0x1cb159857af02018} {
		check := func(r *reader) fault {
			if !isFlowCode(binary.BigEndian.Uint64(r.buf[:]) ^ xor) {
				return badChecksum
			}
			return fault{}
		}
		u := everybody
		if i > 0 {
			u = testers
		}
		cs = append(cs, codec{enc: hexText{lead: "0x", bare: true}, size: 8, check: check, use: u})
	}
	return cs
}

const flowParityLen = 19

// flowParity holds the columns of the code's parity-check matrix that are not
// unit vectors, for the bits from 19 on, lowest first.
var flowParity = [64 - flowParityLen]uint32{
	0x7328d, 0x6689a, 0x6112f, 0x6084b, 0x433fd, 0x42aab, 0x41951, 0x233ce, 0x22a81,
	0x21948, 0x1ef60, 0x1deca, 0x1c639, 0x1bdd8, 0x1a535, 0x194ac, 0x18c46, 0x1632b,
	0x1529b, 0x14a43, 0x13184, 0x12942, 0x118c1, 0x0f812, 0x0e027, 0x0d00e, 0x0c83c,
	0x0b01d, 0x0a831, 0x0982b, 0x07034, 0x0682a, 0x05819, 0x03807, 0x007d2, 0x00727,
	0x0068e, 0x0067c, 0x0059d, 0x004eb, 0x003b4, 0x0036a, 0x002d9, 0x001c7, 0x0003f,
}

// isFlowCode reports whether word is in the code, and not zero.
func isFlowCode(word uint64) bool {
	parity := uint32(word & (1<<flowParityLen - 1))
	for i, column := range flowParity {
		parity ^= column * uint32(word>>(flowParityLen+i)&1)
	}
	return parity == 0 && word != 0
}

// casper is a public key in hex, after "01" for ed25519 or "02" for secp256k1, or "account-hash-"
// and the hash of the key, which is canonical. Digits in mixed case must match the checksum of
// CEP-57, which covers the bytes of the key or of the hash.
//
// See CEP-57, "Checksummed addresses", and account_hash.rs of casper-types.
func casper() codecs {
	with := func(lead string, size int, algorithm string, key identity.Class, valid func(b []byte) bool) codec {
		c := codec{enc: hexText{lead: lead, rule: &caseRule{other: isCEP57}}, size: size, what: "account",
			check: func(r *reader) fault { return unless(valid == nil || valid(r.payload())) }}
		if algorithm != "" {
			c.also = func(ks *keys, r *reader, _ []byte) { b := r.payload(); ks.add(key, b[len(b)-32:]) }
			c.core = func(r *reader) []byte {
				sum := blake2b.Sum256(append(append(append(r.tmp[:0], algorithm...), 0), r.payload()...))
				return append(r.tmp[:0], sum[:]...)
			}
		}
		return c
	}
	return codecs{with("account-hash-", 32, "", 0, nil),
		with("01", 32, "ed25519", identity.Ed25519, func(b []byte) bool { return curve.IsEd25519((*[32]byte)(b)) }),
		with("02", 33, "secp256k1", identity.Secp256k1, func(b []byte) bool { return isSecp256k1Key([33]byte(b)) })}
}

// isCEP57 reports whether the capitals among digits, which spell b, match the checksum of CEP-57:
// the letters take their case from the bits of the hash of b, in order, lowest bit first.
func isCEP57(b []byte, digits string) bool {
	sum := blake2b.Sum256(b)
	return hasCase(digits, func(_, letters int) bool { return sum[letters/8]>>(letters%8)&1 == 1 })
}
