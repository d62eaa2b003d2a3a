package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// nameSuffixes are the top-level names of naming services: ENS, TON DNS,
// Unstoppable Domains, and the services of Solana, BNB Chain, Arbitrum, Tezos,
// Lens, Avalanche, Aptos, Sui, Starknet, Stacks and Hedera. Suffixes that are
// also in use on near or eos, such as "tg" and "x", are not among them.
var nameSuffixes = []string{
	"eth", "ton", "t.me", "crypto", "nft", "wallet", "bitcoin", "dao", "888", "zil", "blockchain", "polygon", "unstoppable",
	"anime", "manga", "klever", "kresus", "binanceus", "altimist", "pudgy", "bitget", "metropolis", "ethermail",
	"sol", "bnb", "arb", "tez", "lens", "avax", "apt", "sui", "stark", "btc", "hbar",
}

// resolveFirst is the advice for a name.
const resolveFirst = "resolve it to an address first"

// maxServiceName is the length of the longest name, as in the DNS.
const maxServiceName = 253

// isServiceName reports whether s is a name of a naming service, in any letter
// case, such as "vitalik.eth". Such a name stands for a different account on
// each chain, and for none until it is resolved.
func isServiceName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot < 1 || len(s) > maxServiceName {
		return false
	}
	known := false
	for _, suffix := range nameSuffixes {
		n := len(s) - len(suffix)
		known = known || n > 1 && s[n-1] == '.' && strings.EqualFold(s[n:], suffix)
	}
	if !known {
		return false
	}
	letters := false
	for i := range dot {
		switch c := s[i]; {
		case c >= 0x80, charClass[c]&(classUpper|classLower) != 0:
			letters = true
		case '0' <= c && c <= '9', c == '-', c == '_':
		case c == '.' && i > 0 && s[i-1] != '.':
		default:
			return false
		}
	}
	return letters || dot >= 3 && strings.IndexByte(s[:dot], '.') < 0 // "0.0.888" is an account of hedera
}

// isMailName reports whether s has the form of a mail address, as the names of
// PayString, OpenAlias, BIP-353 and Lightning have.
func isMailName(s string) bool {
	user, domain, ok := strings.Cut(s, "@")
	dot := strings.IndexByte(domain, '.')
	if !ok || user == "" || dot < 1 || dot == len(domain)-1 || len(s) > maxServiceName {
		return false
	}
	for i := range len(domain) {
		if c := domain[i]; charClass[c]&(classUpper|classLower) == 0 && (c < '0' || c > '9') && c != '.' && c != '-' && c < 0x80 {
			return false
		}
	}
	return !strings.ContainsAny(user, " \t\r\n:/?#")
}

// isPaymentRequest reports whether s is a Lightning invoice (BOLT 11), an LNURL
// (LUD-01), an offer of BOLT 12 or a silent payment address (BIP-352), with or
// without the scheme "lightning:".
func isPaymentRequest(s string) bool {
	const scheme = "lightning:"
	if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
		s = s[len(scheme):]
	}
	one := strings.LastIndexByte(s, '1')
	if one < 2 || one > 15 || len(s) < one+1+bech32.Std.ChecksumLen {
		return false
	}
	hrp := strings.ToLower(s[:one])
	switch {
	case hrp == "lno", hrp == "lni", hrp == "lnr", // BOLT 12 has no checksum
		isInvoiceHRP(hrp) && len(s) > bech32.MaxLen:
		return isOf(classBech32, s[one+1:])
	case hrp == "lnurl", hrp == "sp", hrp == "tsp", isInvoiceHRP(hrp):
		v, _, fault := bech32.Std.Verify(hrp, s)
		return fault == bech32.OK && (v == bech32.Bech32m) == (hrp == "sp" || hrp == "tsp")
	}
	return false
}

// isInvoiceHRP reports whether hrp is the human-readable part of a Lightning
// invoice: "ln", the prefix of a network, and an optional amount, such as
// "lnbc2500u".
func isInvoiceHRP(hrp string) bool {
	for _, network := range []string{"lnbcrt", "lntbs", "lnbc", "lntb"} {
		amount, ok := strings.CutPrefix(hrp, network)
		if !ok {
			continue
		}
		digits := strings.TrimRight(amount, "munp")
		return len(amount)-len(digits) <= 1 && strings.Trim(digits, "0123456789") == ""
	}
	return false
}
