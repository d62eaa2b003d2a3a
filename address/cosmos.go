package address

import "github.com/walletscreen/walletscreen/internal/identity"

// cosmos is the accounts of a chain of the Cosmos SDK: Bech32 of 20 bytes, the
// hash160 of a secp256k1 key, or of 32 bytes, for contracts, modules and
// interchain accounts. Normalize also reads the address of a validator, which is
// the account of its operator with another human-readable part: operator, or
// hrp and "valoper". The addresses of consensus keys ("…valcons") and public
// keys are not accounts. tests are the human-readable parts of test networks.
//
// See ADR 28, "Derive addresses", of the Cosmos SDK.
func cosmos(hrp string, tests ...string) codecs {
	return cosmosWith(identity.Hash160, hrp, hrp+"valoper", tests...)
}

// cosmosWith is cosmos with another class of the 20 bytes and another
// human-readable part of validators.
func cosmosWith(key identity.Class, hrp, operator string, tests ...string) codecs {
	account := codec{enc: bech32Text, size: 20, key: key}
	long := codec{enc: bech32Text, size: 32, kind: 1}
	return all(account.with(hrp), account.with(operator).only(tolerated), long.with(hrp), test(account.with(tests...), long.with(tests...)))
}

// eitherKey returns cs, accounts of a chain where 20 bytes are the hash160 of a
// key or its Keccak-256 hash, as on EVM chains.
func (cs codecs) eitherKey() codecs {
	for i := range cs {
		if cs[i].key == identity.Hash160 {
			cs[i].keys = func(r *reader, b []byte) {
				r.keys.add(identity.Hash160, b)
				r.keys.add(identity.KeccakHash, b)
			}
		}
	}
	return cs
}

// evmCosmos is the accounts of an EVM chain that also writes them in Bech32.
// See the documentation of harmony, iotex, injective, evmos, canto and zetachain.
func evmCosmos(hrp, operator string, tests ...string) codecs {
	account := codec{enc: bech32Text, size: 20, key: identity.KeccakHash, evm: true}
	var validator codecs
	if operator != "" {
		validator = account.with(operator).only(tolerated)
	}
	return all(evm(), account.with(hrp), validator, test(account.with(tests...)))
}
