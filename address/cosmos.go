package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// A cosmos is the format of Cosmos SDK chains: Bech32 of 20 bytes, the hash160
// of a secp256k1 key, or of 32 bytes, for contracts, modules and interchain
// accounts. In tolerant mode, parse also accepts the address of a validator,
// which is the account of its operator with another human-readable part. It
// rejects the addresses of consensus keys ("…valcons") and public keys.
//
// See ADR 28, "Derive addresses", of the Cosmos SDK.
type cosmos struct {
	hrp      string
	test     string // human-readable parts of the test networks, separated by spaces
	operator string // human-readable part of validators; "" means hrp and "valoper"
	keys     cosmosKeys
}

// cosmosKeys says which keys control the accounts of a chain.
type cosmosKeys uint8

const (
	bitcoinKeys  cosmosKeys = iota // 20 bytes are the hash160 of a key
	ethereumKeys                   // 20 bytes are the Keccak-256 hash of a key, as on EVM chains
	bothKeys                       // either
)

// The lengths of Cosmos addresses in bytes.
const (
	cosmosLen     = 20
	cosmosLongLen = 32
)

// The forms of Cosmos chains.
const (
	formCosmos     form = iota // 20 bytes
	formCosmosLong             // 32 bytes
	lastCosmosForm
)

func (c *cosmos) parse(s string, tolerant bool) (string, form, fault) {
	text, n, bad := parseBech32(c.hrp, c.test, bech32.Bech32, cosmosLen, cosmosLongLen, s)
	if bad.err != nil {
		if tolerant {
			if text := operatorAccount(c.hrp, c.operator, s); text != "" {
				return text, formCosmos, fault{}
			}
		}
		return "", 0, bad
	}
	if n == cosmosLongLen {
		return text, formCosmosLong, fault{}
	}
	return text, formCosmos, fault{}
}

// operatorAccount returns the account of the validator s with the
// human-readable part hrp, or "" if s is not a validator. The human-readable
// part of validators is operator, or hrp and "valoper" if operator is "".
func operatorAccount(hrp, operator, s string) string {
	const suffix = "valoper"
	if operator == "" {
		if len(s) < len(hrp)+len(suffix) || !strings.EqualFold(s[len(hrp):len(hrp)+len(suffix)], suffix) {
			return ""
		}
		operator = hrp + suffix
	}
	text, _, bad := parseBech32(operator, "", bech32.Bech32, cosmosLen, cosmosLen, s)
	if bad.err != nil {
		return ""
	}
	return encodeKey(hrp, newKey(bech32Key(0, len(operator)+1, text)))
}

func (c *cosmos) canonical(text string, f form) (string, form) { return text, f }

func (c *cosmos) account(text string, f form) (words, tag) { return bech32Key(0, len(c.hrp)+1, text) }

func (c *cosmos) key(text string, f form) (words, tag) {
	if f != formCosmos {
		return words{}, 0
	}
	if c.keys == ethereumKeys {
		return bech32Key(identity.KeccakHash, len(c.hrp)+1, text)
	}
	return bech32Key(identity.Hash160, len(c.hrp)+1, text)
}

// allKeys returns the keys of an account that either hash can identify.
func (c *cosmos) allKeys(text string, f form) (ks keys) {
	ks[0] = newKey(c.key(text, f))
	if f == formCosmos && c.keys == bothKeys {
		ks[1] = newKey(bech32Key(identity.KeccakHash, len(c.hrp)+1, text))
	}
	return ks
}

func (c *cosmos) proves(form) bool { return true }

// sei is the format of Sei: that of a Cosmos chain, and "0x" and 40 hex digits
// for EVM accounts, which are those of all EVM chains. A key has one account of
// each kind. Only the chain knows which accounts belong together, because their
// bytes are the results of different hashes.
//
// See "Accounts" in its documentation.
type sei struct{ cosmos }

const formSeiEVM = lastCosmosForm

func (c *sei) parse(s string, tolerant bool) (string, form, fault) {
	if hasHexPrefix(s) {
		text, _, bad := evm{}.parse(s, tolerant)
		return text, formSeiEVM, bad
	}
	return c.cosmos.parse(s, tolerant)
}

func (c *sei) account(text string, f form) (words, tag) {
	if f == formSeiEVM {
		return evm{}.account(text, formEVM)
	}
	return c.cosmos.account(text, f)
}

// An evmBech32 is the format of an EVM chain that also writes accounts as the
// Bech32 of their 20 bytes. The canonical form is that of all EVM chains. On
// the Cosmos SDK chains among them, parse in tolerant mode also accepts the
// address of a validator.
//
// See the documentation of harmony, iotex, injective, evmos, canto and
// zetachain.
type evmBech32 struct {
	evm
	hrp      string
	test     string // human-readable parts of the test networks, separated by spaces
	operator string // human-readable part of validators, if any
}

const formEVMBech32 = formEVM + 1

func (e *evmBech32) parse(s string, tolerant bool) (string, form, fault) {
	if hasHexPrefix(s) {
		return e.evm.parse(s, tolerant)
	}
	text, _, bad := parseBech32(e.hrp, e.test, bech32.Bech32, 20, 20, s)
	if bad.err != nil && tolerant && e.operator != "" {
		if text := operatorAccount(e.hrp, e.operator, s); text != "" {
			return text, formEVMBech32, fault{}
		}
	}
	return text, formEVMBech32, bad
}

func (e *evmBech32) account(text string, f form) (words, tag) {
	if f != formEVMBech32 {
		return e.evm.account(text, f)
	}
	return bech32Key(evmKind, len(e.hrp)+1, text)
}

func (e *evmBech32) key(text string, f form) (words, tag) {
	return bech32Key(identity.KeccakHash, len(e.hrp)+1, text)
}
