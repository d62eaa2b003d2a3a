package address

import (
	"errors"
	"slices"
	"strings"
)

// maxTolerated is the length of the longest input that Normalize reads.
const maxTolerated = 4096

// A failure says why a string is not an address: a fault of text, which is a
// part of the string, at offset at. Without a fault, text is the address.
type failure struct {
	text string
	at   int
	bad  fault
	uri  *uri // if the fault is in what surrounds the address

	found   []Address // the accounts that a URI with several recipients pays, each once
	texts   []string  // that were parsed, one for each of found
	unnamed bool      // the URI also pays somebody whom no address names
}

// normalize sets a, which is zero, to s as [Normalize] reads it on chain c, in row r.
func (a *Address) normalize(c Chain, r uint16, s string) failure {
	bad := a.parseRow(r, s, true)
	if bad.err == nil {
		return failure{text: s}
	}
	if len(s) > maxTolerated {
		return failure{text: s, bad: badLength}
	}
	bare, at := trimBlanks(s)
	if len(bare) != len(s) {
		if bad = a.parseRow(r, bare, true); bad.err == nil {
			return failure{text: bare}
		}
	}
	if i, ok := readInterop(bare); ok && i.isOn(slugOf(c, r), chains[r-1].isEVM()) {
		if a.parseRow(r, i.body, true).err == nil {
			account, _, _ := strings.Cut(bare, "@") // in hex there is none
			if !isEVMText(account) {
				account = i.body
			}
			return failure{text: account}
		}
	}
	if text := cutTag(r, bare); text != bare && a.parseRow(r, text, true).err == nil {
		return failure{text: text}
	}
	u, ok := readURI(c, r, bare)
	if !ok {
		return failure{text: bare, at: at, bad: bad}
	}
	return a.normalizeURI(u, r, at)
}

// normalizeURI is normalize for a URI at offset at.
func (a *Address) normalizeURI(u uri, r uint16, at int) failure {
	var f failure
	if len(u.payees) > 0 || u.unnamed {
		if f = u.readPayees(r); f.bad.err == nil && u.bad.err == nil {
			*a = f.found[0]
			return failure{text: f.texts[0]}
		}
		f.at += at
	}
	if u.bad.err != nil {
		around := u // on the heap, unlike u
		f.text, f.at, f.bad, f.uri = u.body, at+u.at, u.bad, &around
	}
	if f.bad.err != nil {
		return f
	}
	bad := a.parseRow(r, u.body, true)
	if bad.err == nil {
		return failure{text: u.body}
	}
	if text := cutTag(r, u.body); text != u.body && a.parseRow(r, text, true).err == nil {
		return failure{text: text}
	}
	inBody := failure{text: u.body, at: at + u.at, bad: bad}
	whole, prefix := u.whole(), len(u.scheme)+1
	if whole == "" {
		return inBody
	}
	// The scheme may be part of the address.
	other := a.parseRow(r, whole, true)
	switch {
	case other.err == nil:
		return failure{text: whole}
	case bad.err != ErrChecksum && (other.err == ErrChecksum || other.err == ErrNetwork || other.at >= prefix):
		return failure{text: whole, at: at + u.at - prefix, bad: other}
	}
	return inBody
}

// explain returns the error for s on chain c, in row r.
func (f *failure) explain(c Chain, r uint16, s string) error {
	e := diagnose(c, r, s, f.text, f.at, f.bad)
	u := f.uri
	if u == nil {
		return e
	}
	if errors.Is(e.Err, ErrSecret) || e.Err == ErrPaymentRequest || e.Err == ErrInterop || e.Err == ErrCharset {
		return e
	}
	e.Err, e.Offset, e.Other, e.hint = u.bad.err, -1, u.other, u.hint
	if at := f.at - u.at + u.bad.at; u.bad.at >= 0 && at < len(s) { // an offset at the end means that something is missing
		e.Offset = at
	}
	return e
}

// trimBlanks returns s without surrounding white space, and the number of bytes
// removed from its beginning.
func trimBlanks(s string) (string, int) {
	const blanks = " \t\r\n\u00a0"
	bare := strings.TrimLeft(s, blanks)
	return strings.TrimRight(bare, blanks), len(s) - len(bare)
}

// A uri is the result of parsing a URI or a CAIP-10 account id.
type uri struct {
	body   string // the address
	at     int    // its offset
	scheme string // the text before the body and a colon, which may be part of the address
	exact  bool   // the letter case of scheme matters
	bad    fault  // the fault, with its offset from the beginning of the URI
	other  Chain  // the chain of the URI, with ErrOtherChain
	hint   string

	payees  []payee // besides the body
	unnamed bool    // it also pays somebody whom no address names
}

// readURI parses s as a CAIP-10 account id or as a payment URI, for chain on, in row
// r. It reports false if s is neither.
//
// A payment URI is a scheme, a colon, an address, and parameters after a question mark (BIP-21 and
// similar). On EVM chains, "pay-" may precede the address, and an at sign and the chain id may
// follow it (EIP-681). readURI rejects a contract call, and parameters that BIP-21 requires a
// reader to understand. Further recipients (BIP-321, ZIP-321) are the payees of the result.
func readURI(on Chain, r uint16, s string) (uri, bool) {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || len(scheme) > maxSlug {
		return uri{}, false
	}
	if u, ok := readCAIP10(on, s, scheme, rest); ok {
		return u, true
	}
	c := &chains[r-1]
	row := schemeRow(scheme)
	if row == 0 {
		return uri{}, false
	}
	u := uri{body: rest, at: len(scheme) + 1, scheme: scheme}
	u.skip("//")
	var query string
	if i := strings.IndexAny(u.body, "?#"); i >= 0 {
		u.body, query = u.body[:i], u.body[i+1:]
	}
	queryAt := u.at + len(u.body) + 1

	onEVM := c.isEVM() && (row == r || row == ethereumRow)
	switch {
	case onEVM && row != otherEVMRow:
		u.readEVM(on)
	case row == otherEVMRow:
		u.bad, u.hint = fault{err: ErrSyntax, at: 0}, "eip155 is followed by the number of a chain, as in eip155:1:0x…"
		return u, true
	case row != r:
		u.bad = fault{err: ErrSyntax, at: 0}
		if new(Address).parseRow(row, u.body, true).err == nil || new(Address).parseRow(row, scheme+":"+u.body, true).err == nil {
			u.bad, u.other = fault{err: ErrOtherChain, at: -1}, chains[row-1].slug
		}
		return u, true
	case c.slug == "ton":
		u.skip("transfer/")
	}
	if u.bad.err == nil {
		u.readQuery(c, query, queryAt)
	}
	blank := len(u.body) - len(strings.TrimLeft(u.body, " \t"))
	u.body, u.at = u.body[blank:], u.at+blank
	return u, true
}

// whole returns the scheme, a colon and the body, or "" if no address includes the scheme.
func (u *uri) whole() string {
	switch {
	case u.scheme == "":
		return ""
	case u.exact, strings.ToUpper(u.body) == u.body && strings.ToUpper(u.scheme) == u.scheme:
		return u.scheme + ":" + u.body
	}
	return strings.ToLower(u.scheme) + ":" + u.body
}

// skip removes prefix, if present, from the beginning of the body.
func (u *uri) skip(prefix string) {
	if strings.HasPrefix(u.body, prefix) {
		u.body, u.at = u.body[len(prefix):], u.at+len(prefix)
	}
}

// readEVM parses the additions of EIP-681 around the address.
func (u *uri) readEVM(c Chain) {
	u.skip("pay-")
	if i := strings.IndexByte(u.body, '/'); i >= 0 {
		u.bad, u.hint = fault{err: ErrSyntax, at: u.at + i}, "it calls a contract, and the account that is meant is not the one in front"
		u.body, _, _ = strings.Cut(u.body[:i], "@")
		return
	}
	i := strings.IndexByte(u.body, '@')
	if i < 0 {
		return // the URI does not name a chain
	}
	id, idAt := u.body[i+1:], u.at+i+1
	u.body = u.body[:i]
	if eip155+id != c.CAIP2() {
		u.bad, u.other, u.hint = otherID(eip155+id, idAt)
	}
}

// xrpRow is the row of xrp, plus one.
var xrpRow = lookup("xrp")

// cutTag returns s without the destination tag that wallets of xrp append to an
// address, as in "r…:1", if r is the row of xrp.
func cutTag(r uint16, s string) string {
	if i := strings.LastIndexByte(s, ':'); r == xrpRow && i > 0 && i < len(s)-1 && len(s)-i <= 11 && strings.Trim(s[i+1:], "0123456789") == "" {
		return s[:i]
	}
	return s
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// readCAIP10 parses s, which consists of namespace, a colon and rest, as a
// CAIP-10 account id: a CAIP-2 chain id, a colon, and an address.
func readCAIP10(c Chain, s, namespace, rest string) (uri, bool) {
	reference, body, ok := strings.Cut(rest, ":")
	if !ok || reference == "" || len(reference) > 32 {
		return uri{}, false
	}
	id := s[:len(namespace)+1+len(reference)]
	u := uri{body: body, at: len(id) + 1}
	if strings.EqualFold(c.CAIP2(), id) {
		// In "conflux:cfx:…" the reference is also the prefix of the address.
		u.scheme, u.exact = reference, true
		return u, true
	}
	u.bad, u.other, u.hint = otherID(id, 0)
	if u.other == "" && u.bad.err != ErrNetwork && (schemeRow(namespace) != 0 || !hasNamespace(namespace)) { // a payment URI, or nothing
		return uri{}, false
	}
	return u, true
}

// otherID returns the fault of a CAIP-2 chain id, at offset at, of another
// chain than the requested one, and that chain if it is known.
func otherID(id string, at int) (bad fault, other Chain, hint string) {
	for i := range chains {
		if chains[i].caip2 != "" && strings.EqualFold(chains[i].caip2, id) {
			return fault{err: ErrOtherChain, at: at}, chains[i].slug, ""
		}
	}
	for _, test := range testNetworks {
		if test == id {
			return fault{err: ErrNetwork, at: at}, "", ""
		}
	}
	if _, ok := chainNumber(Chain(id)); ok {
		return fault{err: ErrOtherChain, at: at}, Chain(id), ""
	}
	return fault{err: ErrSyntax, at: at}, "", "the chain id is not the one of this chain"
}

// testNetworks lists CAIP-2 chain ids of test networks that wallets show.
var testNetworks = [...]string{
	"eip155:11155111", // Sepolia
	"eip155:17000",    // Holesky
	"eip155:560048",   // Hoodi
	"eip155:5",        // Goerli
	"eip155:97",       // bsc
	"eip155:80002",    // polygon
	"eip155:421614",   // arbitrum
	"eip155:11155420", // optimism
	"eip155:84532",    // base
	"eip155:43113",    // avalanche
	"bip122:000000000933ea01ad0ee984209779ba", // bitcoin
	"solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", // devnet
	"solana:4uhcVJyU9pJkvQyS88uRDiswHXSGkY3z", // testnet
	"tvm:-3",
	"tron:0xcd8690dc", // Nile
	"tron:0x94a9059e", // Shasta
	"stellar:testnet",
	"xrpl:1",
	"hedera:testnet",
	"near:testnet",
}

func hasNamespace(namespace string) bool {
	return slices.ContainsFunc(chains[:], func(c chain) bool { return hasPrefixFold(c.caip2, namespace+":") })
}

// schemeRow returns the row, plus one, of the chain whose payment URIs begin
// with scheme, in any letter case, or zero. A scheme is a slug, another name of
// the chain, or an abbreviation that its wallets use.
func schemeRow(scheme string) uint16 {
	if r := lookup(Chain(lowerASCII(scheme))); r != 0 { // the common case
		return r
	}
	for _, s := range schemes {
		if strings.EqualFold(s.scheme, scheme) {
			return lookup(s.slug)
		}
	}
	if strings.IndexByte(scheme, ' ') < 0 {
		return chainNames()[foldName(scheme)]
	}
	return 0
}

// schemes lists the schemes that are not names in the chain table. The schemes of
// the EVM chains are the short names of ERC-3770.
var schemes = [...]struct {
	scheme string
	slug   Chain
}{
	{"cfx", "conflux"}, {"liquidnetwork", "liquid"}, {"nanorep", "nano"}, {"raven", "ravencoin"},
	{"web+cardano", "cardano"}, {"xrb", "nano"}, {"xrpl", "xrp"}, {"zen", "horizen"},
	{"arb1", "arbitrum"}, {"avax", "avalanche"}, {"bnb", "bsc"}, {"eth", "ethereum"},
	{"gno", "gnosis"}, {"matic", "polygon"}, {"oeth", "optimism"}, {"scr", "scroll"},
	{"ftm", "fantom"}, {"etc", "ethereum-classic"}, {"cro", "cronos"}, {"pls", "pulsechain"}, {"flr", "flare"}, {"btt", "bittorrent"},
	{"vic", "viction"}, {"wan", "wanchain"}, {"ewt", "energy-web"}, {"bera", "berachain"},
}
