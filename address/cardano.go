package address

import "github.com/walletscreen/walletscreen/internal/identity"

// cardano is Shelley addresses in Bech32 (addr1, stake1), without the length
// limit of BIP-173, and Byron addresses in Base58 (Ae2…, DdzFF…), which are CBOR
// with a CRC-32.
//
// See CIP-19 for the bytes of Shelley addresses, CIP-5 for the human-readable
// parts, and the CDDL in CIP-19 for Byron addresses.
func cardano() codecs {
	with := func(hrp string, network byte, stake bool) codecs {
		kind := uint8(0)
		if stake {
			kind = 1
		}
		return codecs{{enc: bech32Text, prefix: hrp, kind: kind, keys: shelleyKeys,
			check: func(r *reader) fault { return checkShelley(r.payload(), stake, network) }}}
	}
	return all(with("addr", 1, false), with("stake", 1, true), codecs{{enc: base58Check{hash: noHash}, kind: 2, proof: proven, check: checkByron}},
		test(with("addr_test", 0, false), with("stake_test", 0, true)))
}

// checkShelley checks the header of b, its network, and the length that its type
// requires.
func checkShelley(b []byte, stake bool, network byte) fault {
	if len(b) < 1+28 {
		return badLength
	}
	kind, id := b[0]>>4, b[0]&15
	switch {
	case id != network: // the header contradicts the human-readable part
		return badSyntax
	case stake != (kind == 14 || kind == 15) || kind >= 8 && !stake:
		return badSyntax
	case kind <= 3: // payment and stake credentials
		if len(b) != 1+28+28 {
			return badLength
		}
	case kind <= 5: // payment credential and pointer
		rest := b[1+28:]
		for range 3 {
			n := varintLen(rest)
			if n == 0 {
				return badSyntax
			}
			rest = rest[n:]
		}
		if len(rest) != 0 {
			return badLength
		}
	case len(b) != 1+28: // payment or stake credential
		return badLength
	}
	return fault{}
}

// varintLen returns the length of the number at the beginning of b, encoded with
// seven bits in each byte, most significant first. It returns 0 if there is not a
// number. The ledger accepts numbers of at most 32, 16 and 16 bits.
func varintLen(b []byte) int {
	for i := range min(len(b), 5) {
		if b[i] < 0x80 {
			return i + 1
		}
	}
	return 0
}

// shelleyKeys returns the payment and the stake credential. Bits 4 and 5 of the
// header tell which of them is the hash of a script.
func shelleyKeys(r *reader, b []byte) {
	kind := b[0] >> 4
	if kind >= 14 {
		r.keys.add(identity.StakeKeyHash+identity.Class(kind&1), b[1:29])
		return
	}
	r.keys.add(identity.PaymentKeyHash+identity.Class(kind&1), b[1:29])
	if kind <= 3 {
		r.keys.add(identity.StakeKeyHash+identity.Class(kind>>1), b[29:57])
	}
}
