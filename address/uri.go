package address

import (
	"slices"
	"strings"
)

// A uri is a payment URI, or a CAIP-10 account id. Its offsets are in the text that it is part of.
type uri struct {
	row     uint16 // of the chain that the scheme names, plus one, or 0
	id      string // the CAIP-2 id of the chain in it, or ""
	idAt    int    // its offset, or of the scheme
	caip10  bool
	call    string // the function of a contract
	query   string
	queryAt int

	body    payee   // perhaps ""
	more    []payee // in parameters
	unnamed bool    // it also pays somebody whom no address names

	bad   fault // why it is no URI of the chain
	other Chain // the chain of the URI, with ErrOtherChain
	hint  string
}

// A payee is the text of a recipient, with its offset.
type payee struct {
	text   string
	at     int
	scheme string // the text in front of it and a colon, which may be part of the address, or ""
}

// whole returns the scheme, a colon and the text.
func (p *payee) whole() string {
	if strings.ToUpper(p.text) == p.text && strings.ToUpper(p.scheme) == p.scheme {
		return p.scheme + ":" + p.text
	}
	return strings.ToLower(p.scheme) + ":" + p.text
}

// skip removes prefix, if present, from the beginning of p.
func (p *payee) skip(prefix string) {
	if strings.HasPrefix(p.text, prefix) {
		p.text, p.at = p.text[len(prefix):], p.at+len(prefix)
	}
}

// readURI parses s, at offset at, as a CAIP-10 account id or as a payment URI. It reports false if
// s is neither.
//
// A payment URI is a scheme, a colon, an address, and parameters after a question mark (BIP-21 and
// similar). On EVM chains, "pay-" may precede the address, and an at sign and the chain id may
// follow it (EIP-681).
func readURI(s string, at int) (u uri, ok bool) {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || len(scheme) > maxSlug {
		return u, false
	}
	u.row, u.idAt = schemeRow(scheme), at
	u.body = payee{rest, at + len(scheme) + 1, scheme}
	if reference, account, ok := strings.Cut(rest, ":"); ok && reference != "" && len(reference) <= 32 {
		id := s[:len(scheme)+1+len(reference)]
		if bad, c, _ := otherID(id, 0); c != "" || bad.err == ErrNetwork || u.row == 0 && hasNamespace(scheme) {
			u.caip10, u.id = true, id
			u.body = payee{account, u.body.at + len(reference) + 1, reference} // in "conflux:cfx:…" it is also the prefix
			return u, true
		}
	}
	if u.row == 0 {
		return u, false
	}
	u.body.skip("//")
	if i := strings.IndexAny(u.body.text, "?#"); i >= 0 {
		u.query, u.queryAt = u.body.text[i+1:], u.body.at+i+1
		u.body.text = u.body.text[:i]
	}
	switch c := &chains[u.row-1]; {
	case u.row == otherEVMRow:
		u.bad, u.hint = fault{err: ErrSyntax, at: at}, "eip155 is followed by the number of a chain, as in eip155:1:0x…"
	case c.isEVM():
		u.readEVM()
	case c.slug == "ton":
		u.body.skip("transfer/")
	}
	blank := len(u.body.text) - len(strings.TrimLeft(u.body.text, " \t"))
	u.body.skip(u.body.text[:blank])
	return u, true
}

// readEVM parses the additions of EIP-681 around the address. A contract call is a fault.
func (u *uri) readEVM() {
	u.body.skip("pay-")
	to, call, isCall := strings.Cut(u.body.text, "/")
	if isCall {
		u.call, u.hint = call, "it calls a contract, and the account that is meant is not the one in front"
		u.bad = fault{err: ErrSyntax, at: u.body.at + len(to)}
	}
	to, id, hasID := strings.Cut(to, "@")
	if hasID {
		u.id, u.idAt = eip155+id, u.body.at+len(to)+1
	}
	u.body.text = to
}

// on completes u, as a URI on chain c, in row r: what contradicts the chain is a fault, and further
// recipients (BIP-321, ZIP-321) are read.
func (u *uri) on(c Chain, r uint16) {
	isOfRow := u.caip10 || u.row == r || u.row == ethereumRow && chains[r-1].isEVM()
	switch {
	case u.bad.err != nil:
	case !isOfRow && new(Address).readPayee(u.row, u.body).bad.err == nil:
		u.bad, u.other = fault{err: ErrOtherChain, at: -1}, chains[u.row-1].slug
	case !isOfRow:
		u.bad = fault{err: ErrSyntax, at: u.idAt}
	case u.id != "" && !strings.EqualFold(u.id, c.CAIP2()):
		u.bad, u.other, u.hint = otherID(u.id, u.idAt)
	default:
		u.readQuery(&chains[r-1])
	}
}

// unnamedKeys are the parameters of BIP-321 that name a recipient without an
// address: a Lightning invoice or offer, a silent payment address, and the like.
var unnamedKeys = []string{"lightning", "lno", "sp", "pay", "b12", "lnurl", "ark"}

// testKeys are the parameters of BIP-321 for the test networks of bitcoin.
var testKeys = []string{"tb", "tbs", "bcrt", "tsp"}

// textKeys are parameters for people and for programs, which pay nobody.
var textKeys = []string{"amount", "label", "message", "memo", "pj", "r", "pop", "time", "exp"}

// readQuery reads the parameters of a payment URI for chain c: the payees that they name, and what
// keeps the URI from being understood, as parameters that BIP-21 requires a reader to understand.
func (u *uri) readQuery(c *chain) {
	query, at := u.query, u.queryAt
	for query != "" {
		param, rest, _ := strings.Cut(query, "&")
		key, value, _ := strings.Cut(param, "=")
		valueAt := at + min(len(key)+1, len(param))
		name, value := unescape(key), unescape(value)
		required := hasPrefixFold(name, "req-")
		if required {
			name = name[len("req-"):]
		}
		switch {
		case value == "":
		case isPayeeKey(name):
			u.more = append(u.more, payee{text: value, at: valueAt})
		case isOneOf(name, unnamedKeys):
			u.unnamed = true
		case isOneOf(name, testKeys):
			u.bad, u.hint = fault{err: ErrNetwork, at: valueAt}, "it pays an account of a test network"
			return
		case required:
			u.bad, u.hint = fault{err: ErrSyntax, at: at}, "a parameter is required that is not known here"
			return
		case c.hasKind("p2pkh") && !isOneOf(name, textKeys):
			if new(Address).parseRow(lookup(c.slug), value, false).err == nil {
				u.more = append(u.more, payee{text: value, at: valueAt})
			}
		}
		at += len(param) + 1
		query = rest
	}
}

// isPayeeKey reports whether the parameter key names an account: "bc" of BIP-321,
// or "address" and "address.1" of ZIP-321.
func isPayeeKey(key string) bool {
	return strings.EqualFold(key, "bc") || strings.EqualFold(key, "address") || hasPrefixFold(key, "address.")
}

func isOneOf(key string, keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, key) })
}

// unescape replaces the percent-encoded bytes of s, and leaves everything else.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1:i+3]) {
			b = append(b, unhexDigit(s[i+1])<<4|unhexDigit(s[i+2]))
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
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
