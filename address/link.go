package address

import (
	"slices"
	"strings"
)

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
		s = string(e.text)
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
	named := ""
	for i, segment := range segments {
		segment = unescape(segment)
		if i > 0 && slices.Contains(addressWords, strings.ToLower(segments[i-1])) {
			named = segment
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
		_, proven := detectProven(segment, 0)
		if isEVMText(segment) || proven || named == segment {
			w.texts = append(w.texts, segment)
		}
	}
	if len(w.texts) == 0 && named != "" {
		w.texts = []string{named}
	}
	if len(w.texts) == 0 {
		w.err = &ParseError{Chain: w.chain, Offset: -1, Err: ErrSyntax, hint: "the link shows no address"}
	}
}
