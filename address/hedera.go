package address

import (
	"github.com/walletscreen/walletscreen/internal/identity"
)

// hedera is one of
//
//   - "0.0." and the number of the account, optionally followed by a dash and
//     five lower-case letters, a checksum of the number and the ledger;
//   - "0x" and 40 hex digits: the alias of an Ethereum key, or of a contract. If
//     they begin with 24 zeros, they are the number of the account. The letter
//     case follows the rules for EVM addresses;
//   - "0.0." and the DER form of a public key in hex: the alias of the key. A
//     secp256k1 key identifies the account of its Ethereum address. It has a
//     short form that the SDKs use and one that conforms to RFC 5480.
//
// Only the ledger knows the number of an alias. Shards and realms other than 0 do not exist.
//
// See HIP-15, "Address Checksum", HIP-32 on aliases of keys, and HIP-583 on Ethereum aliases.
func hedera() codecs {
	secp256k1 := codec{size: 33, kind: 1, key: identity.KeccakHash, check: secp256k1Payload,
		core: func(r *reader) []byte {
			xy, _ := decompress([33]byte(r.payload()))
			sum := keccak256(xy[:])
			return append(r.tmp[:0], sum[12:]...)
		},
		also: func(ks *keys, r *reader, _ []byte) { ks.add(identity.Secp256k1, r.payload()[1:]) }}
	number := func(ks *keys, r *reader, b []byte) { ks.add(identity.HederaNumber, b) }
	short, long := secp256k1, secp256k1
	short.enc, long.enc = hexText{lead: "0.0.302d300706052b8104000a032200"}, hexText{lead: "0.0.3036301006072a8648ce3d020106052b8104000a032200"}
	return codecs{
		{enc: numberText{}, prefix: "0.0.", size: 8, also: number},
		{enc: numberText{checked: true}, prefix: "0.0.", size: 8, also: number},
		{enc: hex20{lead: "0x"}, size: 20, proof: unproven, also: number,
			check:  func(r *reader) fault { return unless([12]byte(r.buf[:]) == [12]byte{} && r.buf[12] < 0x80) },
			core:   func(r *reader) []byte { return r.payload()[12:] },
			uncore: func(number []byte) [][]byte { return [][]byte{append(make([]byte, 12), number...)} }},
		{enc: hex20{lead: "0x"}, size: 20, kind: 1, proof: unproven, key: identity.KeccakHash},
		{enc: hexText{lead: "0.0.302a300506032b6570032100"}, size: 32, kind: 2, key: identity.Ed25519},
		short, long,
		{enc: numberText{checked: true, ledger: 1}, prefix: "0.0.", size: 8, use: testers},
		{enc: numberText{checked: true, ledger: 2}, prefix: "0.0.", size: 8, use: testers},
	}
}

// hederaSum returns the checksum letters of an account id on a ledger whose id
// is one byte, as defined in HIP-15.
func hederaSum(id []byte, ledger uint32) (letters [5]byte) {
	const p3, p5 = 26 * 26 * 26, 26 * 26 * 26 * 26 * 26
	var even, odd, all uint32
	for i := range len(id) {
		d := uint32(10) // the dot
		if id[i] != '.' {
			d = uint32(id[i] - '0')
		}
		if i%2 == 0 {
			even += d
		} else {
			odd += d
		}
		all = (all*31 + d) % p3
	}
	h := uint64(ledger)
	for range 6 {
		h = h * 31 % p5
	}
	c := ((uint64(len(id)%5)*11+uint64(even%11))*11+uint64(odd%11))*p3 + uint64(all) + h
	c = c % p5 * 1000003 % p5
	for i := len(letters) - 1; i >= 0; i-- {
		letters[i] = 'a' + byte(c%26)
		c /= 26
	}
	return letters
}
