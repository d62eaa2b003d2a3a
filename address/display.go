package address

import "strings"

// Display returns a as wallets show it: on EVM chains with the capitals of
// EIP-55 (of ERC-1191 on rootstock, inverted on wanchain), otherwise as
// [Address.Normalized] does. [Parse] accepts the result.
func (a Address) Display() string {
	if a.row == 0 {
		return ""
	}
	if show := a.codec().show; show != nil {
		return show(a.text)
	}
	return a.text
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
	if a.row == 0 {
		return ""
	}
	return a.codec().what
}
