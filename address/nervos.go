package address

import (
	"slices"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// nervos is a lock script, which consists of the hash of a code, the type of that hash, and
// arguments. A script has up to three spellings. The canonical one, in Bech32m, is full. The other
// two, in Bech32, are deprecated: they omit the type, or identify one of three codes by a number.
//
// See RFC 21, "CKB Address Format".
func nervos() codecs {
	with := func(hrp string) codecs {
		return codecs{
			{enc: bech32mText, prefix: hrp, check: checkNervos, also: nervosAlso},
			{enc: bech32Text, prefix: hrp, check: checkOldNervos, core: nervosScript, uncore: oldNervos, also: nervosAlso},
		}
	}
	return all(with("ckb"), test(with("ckt")))
}

// The first byte of an address of nervos determines the layout of the rest.
const (
	nervosFull    = 0 // code hash, hash type, arguments
	nervosShort   = 1 // number of the code, arguments
	nervosOldData = 2 // code hash, arguments; the type is "data"
	nervosOldType = 4 // code hash, arguments; the type is "type"
)

// nervosCodes holds the hashes of the numbered codes: key hash, multi-signature
// script hash, anyone-can-pay. Their type is "type", which is 1.
//
// See RFC 24, "CKB Genesis Script List".
var nervosCodes = [...]string{
	"\x9b\xd7\xe0\x6f\x3e\xcf\x4b\xe0\xf2\xfc\xd2\x18\x8b\x23\xf1\xb9\xfc\xc8\x8e\x5d\x4b\x65\xa8\x63\x7b\x17\x72\x3b\xbd\xa3\xcc\xe8",
	"\x5c\x50\x69\xeb\x08\x57\xef\xc6\x5e\x1b\xca\x0c\x07\xdf\x34\xc3\x16\x63\xb3\x62\x2f\xd3\x87\x6c\x87\x63\x20\xfc\x96\x34\xe2\xa8",
	"\xd3\x69\x59\x7f\xf4\x7f\x29\xfb\xc0\xd4\x7d\x2e\x37\x75\x37\x0d\x12\x50\xb8\x51\x40\xc6\x70\xe4\x71\x8a\xf7\x12\x98\x3a\x23\x54",
}

// omnilock is the code whose arguments name a key of another chain; see RFC 42.
const omnilock = "\x9b\x81\x97\x93\xa6\x44\x63\xae\xd7\x7c\x61\x5d\x6c\xb2\x26\xee\xa5\x48\x7c\xcf\xc0\x78\x30\x43\xa5\x87\x25\x4c\xda\x2b\x6f\x26"

// nervosAlso adds the hash of a key in the arguments of a script: of the two codes
// for one key, or of Omnilock, where the first byte says how the key is hashed.
func nervosAlso(ks *keys, r *reader, full []byte) {
	code, typ, args := string(full[1:33]), full[33], full[34:]
	switch {
	case typ != 1 || len(args) < 20:
	case code == nervosCodes[0] || code == nervosCodes[2]:
		ks.add(identity.CKBHash, args[:20])
	case code == omnilock && len(args) > 20:
		switch args[0] {
		case 0:
			ks.add(identity.CKBHash, args[1:21])
		case 1, 3, 0x12: // ethereum, tron
			ks.add(identity.KeccakHash, args[1:21])
		case 4, 5: // bitcoin, dogecoin
			ks.add(identity.Hash160, args[1:21])
		}
	}
}

// checkNervos checks a full script: the type of the hash is of the data of a
// cell, for each version of the virtual machine, or of the type script.
func checkNervos(r *reader) fault {
	b := r.payload()
	switch {
	case b[0] != nervosFull: // which has the other checksum
		return fault{err: ErrChecksum, at: -1, lead: b[0] != nervosShort && b[0] != nervosOldData && b[0] != nervosOldType}
	case len(b) < 1+32+1:
		return badLength
	}
	return unless(b[33] <= 2 || b[33] == 4)
}

// checkOldNervos checks one of the deprecated layouts. The arguments of a
// numbered code are 20 bytes; anyone-can-pay may have two more.
func checkOldNervos(r *reader) fault {
	b := r.payload()
	switch b[0] {
	case nervosFull:
		return badChecksum
	case nervosShort:
		if args := len(b) - 2; args < 0 || args != 20 && !(args > 20 && args <= 22 && b[1] == 2) {
			return badLength
		}
		return unless(int(b[1]) < len(nervosCodes))
	case nervosOldData, nervosOldType:
		if len(b) < 1+32 {
			return badLength
		}
		return fault{}
	}
	return badSyntax
}

// nervosScript returns the payload of the full spelling of a deprecated one.
func nervosScript(r *reader) []byte {
	b := r.payload()
	typ := byte(1)
	code, args := "", b[1:]
	switch b[0] {
	case nervosShort:
		code, args = nervosCodes[b[1]], b[2:]
	case nervosOldData:
		typ = 0
	}
	out := append(r.tmp[:0], nervosFull)
	if out = append(out, code...); code == "" {
		out, args = append(out, args[:32]...), args[32:]
	}
	return append(append(out, typ), args...)
}

// oldNervos returns the deprecated payloads of a full one.
func oldNervos(full []byte) (all [][]byte) {
	code, typ, args := string(full[1:33]), full[33], full[34:]
	if i := slices.Index(nervosCodes[:], code); i >= 0 && typ == 1 {
		all = append(all, append([]byte{nervosShort, byte(i)}, args...))
	}
	switch typ {
	case 0:
		all = append(all, append(append([]byte{nervosOldData}, code...), args...))
	case 1:
		all = append(all, append(append([]byte{nervosOldType}, code...), args...))
	}
	return all
}
