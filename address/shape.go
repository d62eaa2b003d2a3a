package address

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// A text of letters and digits can be an account's name on near, but hardly
// anybody has a name in the form of another chain's address, or of a secret. Such
// a text is a mistake there, and no check of the lists could find it.

const (
	minWordsLike  = 36 // letters of twelve words of three
	minBech32Like = 20 // characters after the separator
	minTextLike   = 25 // characters of an address in Base58
)

// shapeOf reports whether s, in lower case, has the form of an address or of a secret, even if a
// checksum does not match. It returns the chain of the address if that is known.
func shapeOf(s string) (c Chain, ok bool) {
	if c, ok := hexShape(s); ok {
		return c, true
	}
	if strings.HasPrefix(s, "0.0.") && len(s) > 4 && strings.IndexByte("0123456789ol", s[4]) >= 0 { // misread, perhaps
		return "hedera", true
	}
	if c := bech32Shape(s); c != "" {
		return c, true
	}
	if data, ok := strings.CutPrefix(s, "ms1"); ok && len(data) >= minBech32Like && isOf(classBech32, data) { // codex32, BIP-93
		return "", true
	}
	return "", isUnlikelyName(s)
}

// bech32Shape returns a chain if s, in any letter case and apart from at most two characters
// behind the separator, has the form of its addresses in Bech32. Otherwise it returns "".
func bech32Shape(s string) Chain {
	one := strings.IndexByte(s[:min(len(s), maxHRP+1)], '1')
	if one < 1 || len(s) < one+minBech32Like {
		return ""
	}
	rows := rowsBy(s[:one+1])
	if len(rows) == 0 || strays(classBech32, s[one+1:]) > 2 || strings.HasSuffix(s, ".near") {
		return ""
	}
	return chains[rows[0]-1].slug
}

func strays(class uint16, s string) (n int) {
	for i := range len(s) {
		if charClass[s[i]]&class == 0 {
			n++
		}
	}
	return n
}

// isNearlyHex reports whether s has 40 characters or more, and all but a few are hex digits.
func isNearlyHex(s string) bool { return len(s) >= 40 && strays(classHex, s) <= 4 }

// isLikeOther reports whether s, which may encode 32 bytes, looks like a mistyped address of
// another format: nearly all its characters are hex digits or letters of one case, or it is an address
// in Bech32 whose letter case is mixed. Hardly any 32 bytes that nobody has chosen look so; some
// programs of solana have chosen bytes that do. It reads 16 characters of most texts.
func isLikeOther(s string) bool {
	var upper, lower, notHex uint16 // how many, each times its class
	for i := range len(s) {
		class := charClass[s[i]]
		upper, lower, notHex = upper+class&classUpper, lower+class&classLower, notHex+^class&classHex
		if i%16 == 15 && upper > 2*classUpper && lower > 2*classLower && notHex > 4*classHex {
			break
		}
	}
	like := upper <= 2*classUpper || lower <= 2*classLower || notHex <= 4*classHex && len(s) >= 40 ||
		bech32Shape(s) != "" && isProven(strings.ToLower(s))
	return like && !strings.Contains(s, "11111111")
}

// isLongCode reports whether a word is as long as an address and has letters, and a digit or more
// capitals among small letters than words without blanks have, and is no hash of 16 or 32 bytes in
// hex, as of a transaction, whose first two digits may be taken for an escape behind "=".
func isLongCode(word string) bool {
	n := len(word)
	if n < minTextLike || isOf(classDigit, word) || !strings.ContainsAny(word, "0123456789") &&
		(6*marks(word) < n || 3*strays(classLower, word) < n) {
		return false
	}
	digits := strings.TrimPrefix(word, "0x")
	return !slices.Contains([]int{30, 32, 62, 64}, len(digits)) || !isHex(digits)
}

func hexShape(s string) (c Chain, ok bool) {
	digits := strings.TrimPrefix(s, "0x")
	n := len(digits)
	switch {
	case len(s) == 42 && hasAnyPrefix(s, "hx", "cx"):
		return "icon", isHex(s[2:])
	case !isHex(digits):
	case n == 40 && n == len(s):
		return "ethereum", true
	case n == 42 && digits[:2] == "41":
		return "tron", true
	case n == 16:
		return "flow", true
	case n < len(s) && n >= 60: // 32 bytes, cut
		return "", true
	}
	return "", false
}

// isUnlikelyName reports whether s, in lower case, consists of many letters alone, like the words
// of a mnemonic, or of 48 digits, like a secret, or is as long as an address and has
// three hyphens, or a digit and letters that are not of hex, and no dot. Nobody can
// choose so long a name, unless it belongs to another one, behind a dot.
func isUnlikelyName(s string) bool {
	all := classesOf(s)
	if dot := strings.LastIndexByte(s, '.'); dot >= 0 {
		last := s[dot+1:] // nobody has the end of an address for a top-level name
		return len(last) >= minTextLike-1 && strings.ContainsAny(last, "0123456789") && !isHex(last) || hasAnyPrefix(s, "0x", "hx", "cx", "xdc") && isNearlyHex(s)
	}
	if len(s) >= minTextLike {
		digits := strings.TrimPrefix(s, "0x")
		if strings.ContainsAny(s, "0123456789") && !isHex(digits) || strings.Count(s, "-") >= 3 {
			return true
		}
	}
	return len(s) == xamanDigits && all&classDigit != 0 || len(s) >= minWordsLike && all&classLower != 0
}

// xamanDigits is the number of digits of Xaman's secret numbers, and of a SeedQR of twelve words.
const xamanDigits = 48

// isExtendedKey reports whether s is an extended public key of BIP-32, such as an
// xpub, which shows all addresses of a wallet.
func isExtendedKey(s string) bool {
	var buf [base58.MaxLen]byte
	if len(s) < 107 || len(s) > 113 {
		return false
	}
	n, _ := base58.Bitcoin.Decode(buf[:], s)
	return n == 82 && (buf[45] == 2 || buf[45] == 3) && sha256d.verifies(buf[:n])
}

// isSecretNumbers reports whether s has, with at most maxGap characters between
// its digits, Xaman's secret numbers, eight groups of six digits with a check digit
// each, or a SeedQR, which numbers 12 or 24 words of BIP-39.
func isSecretNumbers(s string) bool {
	var digits [2*xamanDigits + 1]byte
	n, gap := 0, 0
	isSecret := func() bool { return isXaman(digits[:n]) || isSeedQR(digits[:n]) }
	for i := range len(s) {
		if c := s[i] - '0'; c <= 9 {
			digits[min(n, len(digits)-1)] = c
			n, gap = min(n+1, len(digits)), 0
			continue
		}
		if gap++; gap > maxGap {
			if isSecret() {
				return true
			}
			n = 0
		}
	}
	return isSecret()
}

// maxGap is the number of characters between the digits of one secret.
const maxGap = 4

func isXaman(digits []byte) bool {
	if len(digits) != xamanDigits {
		return false
	}
	for i := range 8 {
		value := 0
		for _, d := range digits[6*i : 6*i+5] {
			value = 10*value + int(d)
		}
		if value > 0xffff || value*(2*i+1)%9 != int(digits[6*i+5]) {
			return false
		}
	}
	return true
}

func isSeedQR(digits []byte) bool {
	if len(digits) != xamanDigits && len(digits) != 2*xamanDigits {
		return false
	}
	var b [33]byte
	for i := range len(digits) / 4 {
		word := 0
		for _, d := range digits[4*i : 4*i+4] {
			word = 10*word + int(d)
		}
		if word > 2047 {
			return false
		}
		for bit := range 11 {
			at := 11*i + bit
			b[at/8] |= byte(word>>(10-bit)&1) << (7 - at%8)
		}
	}
	n := len(digits) / 3 // bytes of entropy: 4 for each 12 digits
	sum := sha256.Sum256(b[:n])
	shift := 8 - n/4
	return b[n]>>shift == sum[0]>>shift
}

func hasShape(s string) bool {
	_, ok := shapeOf(s)
	return ok
}

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
	if !slices.ContainsFunc(nameSuffixes, func(suffix string) bool {
		n := len(s) - len(suffix)
		return n > 1 && s[n-1] == '.' && strings.EqualFold(s[n:], suffix)
	}) {
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
	return !strings.ContainsAny(user, " \t\r\n:/?#") && !strings.ContainsFunc(domain, func(c rune) bool {
		return c < utf8.RuneSelf && charClass[c]&classAlnum == 0 && c != '.' && c != '-'
	})
}

// isPaymentRequest reports whether s is a Lightning invoice (BOLT 11), an LNURL (LUD-01), an offer
// of BOLT 12 or a silent payment address (BIP-352), with or without the scheme "lightning:".
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

// isInvoiceHRP reports whether hrp is the human-readable part of a Lightning invoice: "ln", the
// prefix of a network, and an optional amount, such as "lnbc2500u".
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
