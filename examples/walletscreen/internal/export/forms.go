package export

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// A form is one way in which a chain writes the addresses of a key: all of
// the address follows from the key.
type form struct {
	chain address.Chain
	class identity.Class
	size  int // bytes of the key
	write writer
}

// forms are all forms, by class. Chains of the EVM share the form of ethereum.
var forms = func() map[identity.Class][]form {
	byClass := make(map[identity.Class][]form)
	for _, f := range slices.Concat(coins(), cashCoins(), otherHash160(), cosmosChains(), keccakHashes(), ed25519Keys(), otherKeys()) {
		byClass[f.class] = append(byClass[f.class], f)
	}
	return byClass
}()

// coins are the forms of Bitcoin and similar chains.
func coins() []form {
	var all []form
	for _, c := range []struct {
		chain    address.Chain
		pkh, sh  string // versions in hex, several with a blank between them
		hrp      string // of SegWit
		blake256 bool   // the checksum and the hash of keys are BLAKE-256
	}{
		{chain: "bitcoin", pkh: "00", sh: "05", hrp: "bc"},
		{chain: "litecoin", pkh: "30", sh: "32 05", hrp: "ltc"},
		{chain: "dogecoin", pkh: "1e", sh: "16"},
		{chain: "dash", pkh: "4c", sh: "10"},
		{chain: "bitcoin-cash", pkh: "00", sh: "05"},
		{chain: "ecash", pkh: "00", sh: "05"},
		{chain: "bitcoin-sv", pkh: "00", sh: "05"},
		{chain: "bitcoin-gold", pkh: "26", sh: "17", hrp: "btg"},
		{chain: "digibyte", pkh: "1e", sh: "3f 05", hrp: "dgb"},
		{chain: "verge", pkh: "1e", sh: "21", hrp: "vg"},
		{chain: "ravencoin", pkh: "3c", sh: "7a"},
		{chain: "namecoin", pkh: "34", sh: "0d", hrp: "nc"},
		{chain: "peercoin", pkh: "37", sh: "75", hrp: "pc"},
		{chain: "vertcoin", pkh: "47", sh: "05", hrp: "vtc"},
		{chain: "groestlcoin", hrp: "grs"}, // its Base58 needs a hash that only package address has
		{chain: "qtum", pkh: "3a", sh: "32", hrp: "qc"},
		{chain: "firo", pkh: "52 01b9bb", sh: "07"},
		{chain: "pivx", pkh: "1e 3f 01b9a2", sh: "0d"},
		{chain: "decred", pkh: "073f 071f 0701", sh: "071a", blake256: true},
		{chain: "horizen", pkh: "2089 1cb8", sh: "2096 1cbd"},
		{chain: "komodo", pkh: "3c", sh: "55"},
		{chain: "liquid", pkh: "39", sh: "27", hrp: "ex"},
		{chain: "monacoin", pkh: "32", sh: "37 05", hrp: "mona"},
		{chain: "viacoin", pkh: "47", sh: "21", hrp: "via"},
		{chain: "syscoin", pkh: "3f", sh: "05", hrp: "sys"},
		{chain: "reddcoin", pkh: "3d", sh: "05", hrp: "rdd"},
		{chain: "lbry", pkh: "55", sh: "7a", hrp: "lbc"},
		{chain: "stratis", pkh: "4b", sh: "8c", hrp: "strax"},
		{chain: "neblio", pkh: "35", sh: "70"},
		{chain: "zcash", pkh: "1cb8", sh: "1cbd"},
		{chain: "flux", pkh: "1cb8", sh: "1cbd"},
		{chain: "zclassic", pkh: "1cb8", sh: "1cbd"},
		{chain: "bitcoinz", pkh: "1cb8", sh: "1cbd"},
		{chain: "bitcoin-diamond", pkh: "00", sh: "05", hrp: "bcd"},
		{chain: "neo", sh: "17"},
		{chain: "neo-n3", sh: "35"},
		{chain: "ontology", sh: "17"},
	} {
		sum, class := sha256d, identity.Hash160
		if c.blake256 {
			sum, class = blake256d, identity.Blake160
		}
		for v := range strings.FieldsSeq(c.pkh) {
			all = append(all, form{c.chain, class, 20, base58Check(base58.Bitcoin, v, sum)})
		}
		for v := range strings.FieldsSeq(c.sh) {
			all = append(all, form{c.chain, identity.ScriptHash, 20, base58Check(base58.Bitcoin, v, sum)})
		}
		if c.hrp != "" {
			w := bech32Of(c.hrp, bech32.Bech32, "\x00", "")
			all = append(all, form{c.chain, identity.Hash160, 20, w}, form{c.chain, identity.WitnessScript, 32, w})
		}
	}
	return all
}

// cashCoins are the forms of CashAddr. Package address takes them with and
// without the prefix.
func cashCoins() []form {
	var all []form
	for _, c := range []struct {
		chain   address.Chain
		class   identity.Class
		size    int
		version byte // the type in bits 3 to 6
	}{
		{"bitcoin-cash", identity.Hash160, 20, 0}, {"bitcoin-cash", identity.Hash160, 20, 2 << 3},
		{"bitcoin-cash", identity.ScriptHash, 20, 1 << 3}, {"bitcoin-cash", identity.ScriptHash, 20, 3 << 3},
		{"bitcoin-cash", identity.ScriptHash, 32, 1 << 3}, {"bitcoin-cash", identity.ScriptHash, 32, 3 << 3},
		{"ecash", identity.Hash160, 20, 0}, {"ecash", identity.ScriptHash, 20, 1 << 3},
	} {
		prefix := map[address.Chain]string{"bitcoin-cash": "bitcoincash", "ecash": "ecash"}[c.chain]
		w := cashAddr(prefix, c.version)
		all = append(all, form{c.chain, c.class, c.size, w}, form{c.chain, c.class, c.size, prefixed(prefix+":", w)})
	}
	return all
}

// otherHash160 are forms of the hash of a secp256k1 key, or of a script, beside
// those of coins.
func otherHash160() []form {
	avax := bech32Of("avax", bech32.Bech32, "", "")
	return []form{
		{"zcash", identity.Hash160, 20, bech32Of("tex", bech32.Bech32m, "", "")},
		{"xrp", identity.Hash160, 20, base58Check(base58.Ripple, "00", sha256d)},
		{"xrp", identity.Hash160, 20, suffixed(base58Check(base58.Ripple, "0544", sha256d), "000000000000000000")}, // an X-address with no tag
		{"stacks", identity.Hash160, 20, c32Check(22)},
		{"stacks", identity.ScriptHash, 20, c32Check(20)},
		{"avalanche-x", identity.Hash160, 20, prefixed("X-", avax)},
		{"avalanche-p", identity.Hash160, 20, prefixed("P-", avax)},
	}
}

// cosmosChains are the forms of the chains of the Cosmos SDK.
func cosmosChains() []form {
	var all []form
	for _, c := range [...][2]string{
		{"cosmos", "cosmos"}, {"osmosis", "osmo"}, {"axelar", "axelar"}, {"fetch-ai", "fetch"}, {"noble", "noble"},
		{"celestia", "celestia"}, {"akash", "akash"}, {"terra", "terra"}, {"terra-classic", "terra"}, {"kava", "kava"},
		{"thorchain", "thor"}, {"secret", "secret"}, {"crypto-org", "cro"}, {"dydx", "dydx"}, {"binance-beacon", "bnb"},
		{"sei", "sei"}, {"juno", "juno"}, {"stargaze", "stars"}, {"stride", "stride"}, {"kujira", "kujira"},
		{"neutron", "neutron"}, {"coreum", "core"}, {"persistence", "persistence"}, {"band", "band"}, {"maya", "maya"},
		{"agoric", "agoric"}, {"irisnet", "iaa"}, {"regen", "regen"}, {"sentinel", "sent"}, {"archway", "archway"},
		{"provenance", "pb"}, {"babylon", "bbn"}, {"mantra", "mantra"},
	} {
		all = append(all, form{address.Chain(c[0]), identity.Hash160, 20, bech32Of(c[1], bech32.Bech32, "", "")})
	}
	return all
}

// keccakHashes are the forms of an Ethereum key's hash.
func keccakHashes() []form {
	evm := prefixed("0x", hexOf)
	all := []form{
		{"ethereum", identity.KeccakHash, 20, evm},
		{"tron", identity.KeccakHash, 20, bitcoinCheck("41")},
		{"xdc", identity.KeccakHash, 20, prefixed("xdc", hexOf)},
		{"ronin", identity.KeccakHash, 20, prefixed("ronin:", hexOf)},
		{"filecoin", identity.KeccakHash, 20, filecoin},
	}
	for _, c := range []address.Chain{"near", "sei", "hedera", "zilliqa"} { // of the same key, but not of the EVM family
		all = append(all, form{c, identity.KeccakHash, 20, evm})
	}
	for _, c := range [...][2]string{
		{"harmony", "one"}, {"iotex", "io"}, {"injective", "inj"}, {"evmos", "evmos"}, {"canto", "canto"}, {"zetachain", "zeta"}, {"zilliqa", "zil"},
		{"dymension", "dym"}, {"initia", "init"}, {"kava", "kava"}, {"mantra", "mantra"}, // kava and mantra take keys of both kinds
	} {
		all = append(all, form{address.Chain(c[0]), identity.KeccakHash, 20, bech32Of(c[1], bech32.Bech32, "", "")})
	}
	return all
}

// ed25519Keys are the forms of an ed25519 key.
func ed25519Keys() []form {
	return []form{
		{"solana", identity.Ed25519, 32, base58.Bitcoin.Encode},
		{"eclipse", identity.Ed25519, 32, base58.Bitcoin.Encode},
		{"kadena", identity.Ed25519, 32, prefixed("k:", hexOf)},
		{"stellar", identity.Ed25519, 32, stellar},
		{"algorand", identity.Ed25519, 32, algorand},
		{"multiversx", identity.Ed25519, 32, bech32Of("erd", bech32.Bech32, "", "")},
		{"aeternity", identity.Ed25519, 32, prefixed("ak_", bitcoinCheck(""))},
		{"helium", identity.Ed25519, 32, bitcoinCheck("0001")},
		{"near", identity.Ed25519, 32, hexOf},
		{"hedera", identity.Ed25519, 32, prefixed("0.0.302a300506032b6570032100", hexOf)},
	}
}

// otherKeys are the forms of all other classes.
func otherKeys() []form {
	all := []form{
		{"handshake", identity.Blake2b160, 20, bech32Of("hs", bech32.Bech32, "\x00", "")},
		{"nano", identity.Ed25519Blake2b, 32, prefixed("nano_", nano)},
		{"nano", identity.Ed25519Blake2b, 32, prefixed("xrb_", nano)},
		{"internet-computer", identity.LedgerAccount, 32, hexOf},
		{"aptos", identity.MoveAccount, 32, prefixed("0x", hexOf)},
		{"movement", identity.MoveAccount, 32, prefixed("0x", hexOf)},
		{"cardano", identity.PaymentKeyHash, 28, bech32Of("addr", bech32.Bech32, "", "\x61")},
		{"cardano", identity.PaymentScript, 28, bech32Of("addr", bech32.Bech32, "", "\x71")},
		{"cardano", identity.StakeKeyHash, 28, bech32Of("stake", bech32.Bech32, "", "\xe1")},
		{"cardano", identity.StakeScript, 28, bech32Of("stake", bech32.Bech32, "", "\xf1")},
		{"kaspa", identity.Secp256k1, 32, prefixed("kaspa:", cashAddr("kaspa", 0))},
	}
	for _, sign := range []byte{2, 3} { // the identity of a public key has no sign
		all = append(all,
			form{"kaspa", identity.Secp256k1, 32, compressed(sign, prefixed("kaspa:", cashAddr("kaspa", 1)))},
			form{"ergo", identity.Secp256k1, 32, compressed(sign, ergo)},
			form{"fio", identity.Secp256k1, 32, compressed(sign, fio)})
	}
	for _, c := range []struct {
		chain  address.Chain
		prefix byte
	}{
		{"polkadot", 0}, {"kusama", 2}, {"substrate", 42}, {"bittensor", 42}, {"aleph-zero", 42}, {"acala", 10},
		{"astar", 5}, {"polymesh", 12}, {"centrifuge", 36}, {"kilt", 38}, {"phala", 30}, {"hydration", 63},
	} {
		all = append(all, form{c.chain, identity.Substrate, 32, ss58(c.prefix)})
	}
	return all
}

// A spelling is a text that is an address on a chain.
type spelling struct {
	chain address.Chain
	text  string
}

// ofKey returns the spellings of all addresses of a key that the key alone
// decides.
func ofKey(k address.Key) []spelling {
	words, tag := k.Identity()
	bytes := identity.Bytes(words)
	var all []spelling
	for _, f := range forms[identity.Account(tag)] {
		if f.size == identity.Len(tag) {
			all = append(all, spelling{f.chain, f.write(bytes[:f.size])})
		}
	}
	return all
}

// ofAccount returns spellings of the account of a that its key does not decide,
// or that has no key: its own, the canonical one, and what some chains have
// beside these.
func ofAccount(a address.Address) []spelling {
	c := a.Canonical()
	all := []spelling{{a.Chain(), a.Normalized()}}
	add := func(texts ...string) {
		for _, t := range texts {
			s := spelling{a.Chain(), t}
			if b, err := address.Normalize(s.chain, t); err == nil && b.Canonical() == c && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	text := c.Normalized()
	add(text)
	switch a.Chain() {
	case "ton":
		workchain, digits, _ := strings.Cut(text, ":")
		w, err := strconv.ParseInt(workchain, 10, 8)
		hash, err2 := hex.DecodeString(digits)
		if err != nil || err2 != nil {
			break // no address of this kind
		}
		for _, tag := range []byte{0x11, 0x51} { // bounceable, and not
			add(ton(tag, byte(w), hash, base64.URLEncoding), ton(tag, byte(w), hash, base64.StdEncoding))
		}
	case "aptos", "movement", "sui", "starknet", "iota":
		if digits := strings.TrimLeft(strings.TrimPrefix(text, "0x"), "0"); digits != "" {
			add("0x" + digits)
		}
	case "hedera":
		if n, err := strconv.ParseUint(strings.TrimPrefix(text, "0.0."), 10, 63); err == nil {
			add(fmt.Sprintf("0x%040x", n), text+"-"+hederaSum(text))
		}
	case "nervos":
		add(nervos(text)...)
	case "nem", "symbol":
		add(grouped(text, 6, "-"))
	case "nimiq":
		add(grouped(text, 4, " "))
	}
	return all
}

// grouped returns text in groups of n characters.
func grouped(text string, n int, separator string) string {
	var groups []string
	for group := range slices.Chunk([]byte(text), n) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, separator)
}
