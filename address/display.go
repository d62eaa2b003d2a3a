package address

import "strings"

// Display returns a as wallets show it: on EVM chains with the capitals of
// EIP-55 (of ERC-1191 on rootstock, inverted on wanchain), otherwise as
// [Address.Normalized] does. [Parse] accepts the result.
func (a Address) Display() string {
	text := a.Normalized()
	if a.shape.row() == 0 || !a.isEVM() || len(text) < 40 {
		return text
	}
	at := len(text) - 40
	if digits := text[at:]; firstNonHex(digits) == 40 {
		switch f := chains[a.shape.row()-1].format.(type) {
		case erc1191:
			return text[:at] + withCapitals(digits, f.prefix, 0)
		case wanchain:
			return text[:at] + withCapitals(digits, "", 0x20)
		}
		return text[:at] + withCapitals(digits, "", 0)
	}
	return text // Bech32
}

// withCapitals returns digits, 40 lower-case hex digits, with capitals set by
// the hash of prefix and digits. If invert is 0x20, it inverts the letter case.
func withCapitals(digits, prefix string, invert byte) string {
	sum := keccak256([]byte(prefix + digits))
	b := []byte(digits)
	for i, c := range b {
		if c < 'a' {
			continue
		}
		if sum[i/2]>>(4*(1-i&1))&15 >= 8 {
			b[i] ^= 0x20
		}
		b[i] ^= invert
	}
	return string(b)
}

// CAIP10 returns the CAIP-10 account id of a, such as "eip155:1:0xab58…". It
// reports false if the chain has no registered CAIP-2 id or the address
// contains characters that CAIP-10 does not allow.
func (a Address) CAIP10() (string, bool) {
	id, text := a.Chain().CAIP2(), a.Display()
	if prefix, body, ok := strings.Cut(text, ":"); ok && len(prefix) > 1 && charClass[prefix[0]]&classLower != 0 {
		text = body // "bitcoincash:" and "cfx:" would repeat the chain
		if prefix == "ronin" {
			text = "0x" + body
		}
	}
	if id == "" || text == "" || strings.ContainsAny(text, ":_/+= ") {
		return "", false
	}
	return id + ":" + text, true
}

// Kind returns the kind of the account as far as the address reveals it. On
// chains like Bitcoin it returns "p2pk", "p2pkh", "p2sh", "p2wpkh", "p2wsh",
// "p2tr", "witness", "shielded" or "unified"; on others "account", "contract",
// "subaddress", "integrated", "tagged", "muxed" or "name". It returns "" if the
// address does not reveal the kind, as on EVM chains, where accounts and
// contracts look alike.
func (a Address) Kind() string {
	if a.shape.row() == 0 {
		return ""
	}
	switch f := chains[a.shape.row()-1].format.(type) {
	case *utxo, *cashAddr, *liquid, *zcash:
		return a.outputKind()
	case strkey:
		return [...]string{formStellarAccount: "account", formStellarMuxed: "muxed", formStellarContract: "contract"}[a.shape.form()]
	case cryptonote:
		return [...]string{formStandard: "account", formSub: "subaddress", formIntegrated: "integrated"}[a.shape.form()]
	case xrp:
		if a.text[0] == 'X' {
			return "tagged"
		}
		return "account"
	case tezos:
		if strings.HasPrefix(a.text, "KT1") {
			return "contract"
		}
		return "account"
	case icon:
		if a.shape.form() == formIconContract {
			return "contract"
		}
		return "account"
	case multiversx:
		if _, ok := a.Key(); !ok {
			return "contract"
		}
		return "account"
	case casper:
		return "account" // contracts have another prefix, which Parse rejects
	case kadena:
		if a.shape.form() == formKadenaCapability {
			return "contract"
		}
		return "account"
	case penumbra:
		return "shielded"
	case near:
		if a.shape.form() == formNearName {
			return "name"
		}
		return "account"
	case antelope:
		return "name"
	case *bech32Bytes:
		return f.kindOf(a.text)
	}
	return ""
}

// outputKind implements Kind for chains like Bitcoin.
func (a Address) outputKind() string {
	switch chains[a.shape.row()-1].format.(type) {
	case *cashAddr:
		switch a.shape.form() {
		case formCashPKH, formCashTokenPKH:
			return "p2pkh"
		case formCashSH, formCashTokenSH:
			return "p2sh"
		}
	case *liquid:
		switch a.shape.form() {
		case formBlindPKH:
			return "p2pkh"
		case formBlindSH:
			return "p2sh"
		case formBlindWPKH:
			return "p2wpkh"
		case formBlindWSH:
			return "p2wsh"
		case formBlindWitness:
			return "witness"
		}
	case *zcash:
		if a.shape.form() == formUnified {
			return "unified"
		}
	}
	switch a.shape.form() {
	case formPKH, formOldPKH, formExchange, formStaking, formEdwards, formSchnorr:
		return "p2pkh"
	case formSH, formOldSH:
		return "p2sh"
	case formWPKH:
		return "p2wpkh"
	case formWSH:
		return "p2wsh"
	case formPubKey:
		return "p2pk"
	case formSapling, formSprout, formMWEB:
		return "shielded"
	case formWitness:
		if a.shape.packing() == packSegWit && a.shape.version() == 1 && a.shape.size() == 32 {
			return "p2tr"
		}
		return "witness"
	}
	return ""
}
