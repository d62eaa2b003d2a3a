package address

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/walletscreen/walletscreen/internal/visible"
)

// A wrapped is a text without what surrounds the addresses in it.
type wrapped struct {
	texts []string // the addresses, or the payment URI
	at    int      // the offset of the first of texts, or -1
	chain Chain    // that the wrapping names, or ""
	err   error    // why the text pays nobody
}

// unwrap removes blanks, quotation marks, the prefixes of DIDs, a name or a ticker in front of the
// address or behind it, and links from text.
func unwrap(text string) wrapped {
	s := strings.TrimLeftFunc(text, isWrapping)
	w := wrapped{at: len(text) - len(s)}
	s = strings.TrimRightFunc(s, func(c rune) bool { return isWrapping(c) || strings.ContainsRune(",;", c) })
	if len(s) > maxTolerated {
		w.texts = []string{text}
		w.at = 0
		return w
	}
	if cell, ok := strings.CutPrefix(s, `="`); ok { // text, as spreadsheet programs write it
		s, w.at = cell, w.at+2
	}
	s = w.cutNote(s)
	for _, prefix := range []string{"did:pkh:", "did:ethr:"} {
		if hasPrefixFold(s, prefix) {
			s, w.at = s[len(prefix):], w.at+len(prefix)
		}
	}
	scheme, rest, ok := strings.Cut(s, ":")
	switch scheme = lowerASCII(scheme); { // as long as before
	case !ok && isLink(s):
		w.at = -1
		w.readLink(s)
		return w
	case !ok:
	case scheme == "http" || scheme == "https":
		w.at = -1
		w.readLink(rest)
		return w
	case scheme == "web+stellar":
		w.chain, w.at = "stellar", -1
		operation, query, _ := strings.Cut(rest, "?")
		if to := parameter(query, "destination"); operation == "pay" && to != "" {
			w.texts = []string{to}
			return w
		}
		w.err = &ParseError{Offset: -1, Err: ErrSyntax, hint: "the link holds a transaction, not an address"}
		return w
	case schemeRow(scheme) != 0:
		if to, contract := readCall(s); to != "" {
			w.texts, w.at = []string{to, contract}, -1
			return w
		}
	default:
		if n := readName(scheme); n.chain != "" && !n.words && strings.IndexByte(rest, ':') < 0 {
			s, w.at = strings.TrimLeft(rest, " \t/"), w.at+len(scheme)+1
			w.name(n, s)
		}
	}
	w.texts = []string{s}
	return w
}

// cutNote returns s without the chain or the ticker that people write behind an address, as
// in "0x… (ETH)".
func (w *wrapped) cutNote(s string) string {
	head, tail, ok := strings.Cut(s, " ")
	tail = strings.TrimLeftFunc(tail, isWrapping)
	if !ok || len(tail) > maxSlug {
		return s
	}
	n := readName(tail)
	if n.chain == "" || n.words {
		return s
	}
	if on := Detect(head); len(on) == 0 || isAccountName(on[0]) {
		return s
	}
	w.name(n, head)
	return head
}

// name sets the chain that n, beside the address s, says. The address may contradict it, unless
// it is a ticker that yields.
func (w *wrapped) name(n name, s string) {
	on := slices.DeleteFunc(Detect(s), isAccountName)
	if !n.yieldsTo(on) || slices.ContainsFunc(on, func(a Address) bool { return isSameFamily(a.Chain(), n.chain) }) {
		w.chain = n.chain
	}
}

// isWrapping reports whether c is white space, invisible, or a mark that surrounds text.
func isWrapping(c rune) bool {
	seen, ok := visible.Plain(c)
	return ok && strings.TrimSpace(seen) == "" || unicode.IsSpace(c) || c == 0 || strings.ContainsRune("\"'`\u201c\u201d\u2018\u2019\u201e\u201a\u00ab\u00bb\u2039\u203a<>()[]{}*", c)
}

// readCall returns the recipient and the contract of a URI that transfers a token, both as URIs of
// the same chain: of EIP-681, of Solana Pay, or of ton.
func readCall(s string) (to, contract string) {
	u, _ := readURI(s, 0)
	scheme := u.body.scheme + ":"
	if token := cmp.Or(parameter(u.query, "spl-token"), parameter(u.query, "jetton")); token != "" {
		return s, scheme + token
	}
	to = parameter(u.query, "address")
	if !strings.EqualFold(u.call, "transfer") || to == "" {
		return "", ""
	}
	on := strings.Replace(u.id, eip155, "@", 1)
	return scheme + to + on, scheme + u.body.text + on
}

// parameter returns the value of key in query, unescaped, or "".
func parameter(query, key string) string {
	for param := range strings.SplitSeq(query, "&") {
		if k, v, _ := strings.Cut(param, "="); strings.EqualFold(k, key) {
			return unescape(v)
		}
	}
	return ""
}

// read reads w for a chain, or for any chain if c is "".
func (w *wrapped) read(c Chain) (r Reading) {
	if w.err != nil {
		r.Err = w.err
		return r
	}
	if c == "" {
		c = w.chain
		defer r.addPadded()
	} else if w.chain != "" && !isSameFamily(c, w.chain) {
		r = w.read("")
		if r.Err == nil {
			r.Several, r.Doubts = false, nil
			r.Err = &ParseError{Chain: c, Offset: -1, Err: ErrOtherChain, Other: w.chain}
		}
		if p, ok := errors.AsType[*ParseError](r.Err); ok && p.Other == c {
			p.Err, p.Other = ErrSyntax, ""
		}
		return r
	}
	for i, s := range w.texts {
		one := readRespelled(c, s)
		if i == 0 {
			r = one
			continue
		}
		r.Addresses = appendAccounts(r.Addresses, one.Addresses)
		r.addDoubt(one.Doubts...)
		if r.Err == nil {
			r.Err = one.Err
		}
		r.Several = r.Err == nil && len(r.Addresses) > 1
	}
	if r.Err != nil && c == w.chain && c != "" { // the text contradicts its surroundings
		r.Addresses = appendAccounts(r.Addresses, readRespelled("", w.texts[0]).Addresses)
	}
	if p, ok := errors.AsType[*ParseError](r.Err); ok && p.Offset >= 0 {
		if w.at < 0 {
			p.Offset = -1
		} else {
			p.Offset += w.at
		}
	}
	return r
}

// isSameFamily reports whether an address of chain a is one of chain b: they are
// equal or EVM chains.
func isSameFamily(a, b Chain) bool {
	ra, rb := rowOf(a), rowOf(b)
	return a == b || chains[ra-1].isEVM() && chains[rb-1].isEVM()
}

// readRespelled reads s on chain c, or anywhere if c is "". If s cannot be read,
// it tries what people and programs do to an address: parameters without a scheme,
// a capital at the beginning, and groups.
func readRespelled(c Chain, s string) Reading {
	first := readPlain(c, s)
	if first.Err == nil || errors.Is(first.Err, ErrSecret) {
		return first
	}
	if head, query, ok := strings.Cut(s, "?"); ok && strings.IndexByte(head, ':') < 0 && strings.IndexByte(query, '=') > 0 {
		on, all := c, Reading{}
		if c == "" {
			if all = readAnywhere(head); len(all.Addresses) > 0 {
				on = all.Addresses[0].Chain()
			}
		}
		if on != "" {
			r := readPlain(on, string(on)+":"+s)
			if len(r.Addresses) > 0 {
				if !r.Several { // the other chains that fit
					r.Addresses = appendAccounts(r.Addresses, all.Addresses)
				}
				r.addDoubt(all.Doubts...)
				return r
			}
		}
	}
	for _, t := range []string{lowerFirst(s), joinGroups(s)} {
		if t == "" {
			continue
		}
		r := readPlain(c, t)
		if r.Err == nil && slices.ContainsFunc(r.Addresses, func(a Address) bool { return !isAccountName(a) }) {
			return r
		}
	}
	return offer(first, c, s)
}

// offer adds to r, an error, the addresses that s would be with a correction that
// the error asks for.
func offer(r Reading, c Chain, s string) Reading {
	p, ok := errors.AsType[*ParseError](r.Err)
	if !ok {
		return r
	}
	if p.hint == addPrefix {
		if c == "" || !chains[rowOf(c)-1].isEVM() {
			c = chains[ethereumRow-1].slug
		}
		if a, err := Normalize(c, "0x"+s); err == nil {
			r.Addresses = append(r.Addresses, a)
		}
	}
	if rest, ok := strings.CutPrefix(s, "C-"); ok {
		for _, c := range []Chain{"avalanche-x", "avalanche-p"} {
			if a, err := Parse(c, strings.ToUpper(string(c[len(c)-1:]))+"-"+rest); err == nil {
				r.Addresses = append(r.Addresses, a)
				p.Err, p.Offset, p.Other = ErrSyntax, -1, ""
				p.hint = "it belongs to a key that moves coins to and from the C-Chain, where accounts begin with 0x"
			}
		}
	}
	return r
}

func readPlain(c Chain, s string) Reading {
	if c == "" {
		return readAnywhere(s)
	}
	return readOn(c, s)
}

// lowerFirst returns s with a small letter at the beginning if the capital there
// is the only one, as programs that correct sentences leave it, or else "".
func lowerFirst(s string) string {
	if len(s) < 8 || charClass[s[0]]&classUpper == 0 || strings.ToLower(s[1:]) != s[1:] {
		return ""
	}
	return string(s[0]|0x20) + s[1:]
}

// joinGroups returns s without the white space between groups of characters, or ""
// if s is not in groups: at least three pieces of at most ten characters, or pieces
// of at least four with a digit in each. A mark that stands alone is not a group.
func joinGroups(s string) string {
	pieces := strings.Fields(s)
	short, digits := len(pieces) > 2, true
	for _, p := range pieces {
		if !strings.ContainsFunc(p, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
			return ""
		}
		short = short && len(p) <= 10
		digits = digits && strings.ContainsAny(p, "0123456789")
	}
	if len(pieces) < 2 || !short && !digits {
		return ""
	}
	return strings.Join(pieces, "")
}

// explorers are block explorers, each with the chain that it shows.
var explorers = [...]struct {
	chain Chain
	hosts string
}{
	{"ethereum", "etherscan.io ethplorer.io eth.blockscout.com"},
	{"bsc", "bscscan.com"}, {"polygon", "polygonscan.com"}, {"arbitrum", "arbiscan.io"}, {"optimism", "optimistic.etherscan.io"},
	{"base", "basescan.org"}, {"avalanche", "snowtrace.io snowscan.xyz"}, {"fantom", "ftmscan.com"}, {"gnosis", "gnosisscan.io"},
	{"celo", "celoscan.io"}, {"linea", "lineascan.build"}, {"scroll", "scrollscan.com"}, {"cronos", "cronoscan.com"},
	{"moonbeam", "moonscan.io"}, {"zksync", "era.zksync.network explorer.zksync.io"}, {"blast", "blastscan.io"}, {"sonic", "sonicscan.org"},
	{"tron", "tronscan.org tronscan.io"}, {"solana", "solscan.io explorer.solana.com solana.fm"},
	{"bitcoin", "mempool.space blockstream.info btcscan.org blockchain.com"}, {"litecoin", "litecoinspace.org"},
	{"xrp", "xrpscan.com bithomp.com livenet.xrpl.org"}, {"ton", "tonscan.org tonviewer.com"}, {"cardano", "cardanoscan.io cexplorer.io"},
	{"aptos", "explorer.aptoslabs.com"}, {"sui", "suiscan.xyz suivision.xyz"}, {"starknet", "starkscan.co voyager.online"},
	{"near", "nearblocks.io"}, {"hedera", "hashscan.io"}, {"stellar", "stellar.expert"}, {"tezos", "tzkt.io"}, {"algorand", "allo.info"},
}

// addressWords come before an address in the path of a link.
var addressWords = []string{"address", "addresses", "addr", "account", "accounts", "wallet", "wallets", "contract", "token", "holder", "object", "a", "destination", "validator"}

// isLink reports whether s begins with the name of a host and a slash, as a link without
// its scheme does.
func isLink(s string) bool {
	host, _, ok := strings.Cut(s, "/")
	dot := strings.LastIndexByte(host, '.')
	return ok && dot > 0 && dot+2 < len(host) && !strings.ContainsAny(host[dot:], "0123456789") && strings.IndexByte(host, ' ') < 0
}

// readLink reads a link to a block explorer, without its scheme.
func (w *wrapped) readLink(s string) {
	if e := clean(s, onlyMarks); e != nil { // an entity would cut an address
		s = e.text.String()
	}
	host, path, _ := strings.Cut(strings.TrimLeft(s, "/"), "/")
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	labels := strings.Split(host, ".")
	segments := strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune("/?#&=", c) })
	for _, e := range explorers {
		if slices.ContainsFunc(strings.Fields(e.hosts), func(known string) bool { return host == known || strings.HasSuffix(host, "."+known) }) {
			w.chain = e.chain
		}
	}
	if slices.ContainsFunc(labels, isTestWord) || slices.ContainsFunc(segments, isTestWord) {
		w.err = &ParseError{Chain: w.chain, Offset: -1, Err: ErrNetwork}
		return
	}
	w.readPath(segments)
}

// readPath reads the parts of the path and the query of a link.
func (w *wrapped) readPath(segments []string) {
	var named []string
	for i, segment := range segments {
		segment = unescape(segment)
		if i > 0 && slices.Contains(addressWords, strings.ToLower(segments[i-1])) && !slices.Contains(addressWords, strings.ToLower(segment)) {
			named = append(named, segment)
		}
		if len(segment) < 20 {
			// A part of the path, or a name.
			if i == 0 && len(segments) > 1 && segment != "mainnet" {
				if c, err := ParseChain(segment); err == nil {
					w.chain = c
				}
			}
			continue
		}
		if isEVMText(segment) || isProven(segment) || slices.Contains(named, segment) {
			w.texts = append(w.texts, segment)
		}
	}
	if len(w.texts) == 0 {
		w.texts = named
	}
	if len(w.texts) == 0 {
		w.err = &ParseError{Chain: w.chain, Offset: -1, Err: ErrSyntax, hint: "the link shows no address"}
	}
}
