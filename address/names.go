package address

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

// A name is a caller's name of a chain, as [Interpret] reads it.
type name struct {
	chain Chain
	sure  bool   // chain is named, not only hinted at
	code  string // what hints at chain, and what it is
	err   error
}

// note returns what [Reading.Note] says about n if the text is an address of
// chain other instead, or if other is "".
func (n *name) note(other Chain) string {
	switch {
	case n.sure || n.chain == "":
		return ""
	case other == "":
		other = n.chain
	}
	return n.code + ", read as " + string(other)
}

// codes are the token standards and network codes of exchanges that stand for a
// chain where people write them in place of one.
var codes = [...]struct {
	chain Chain
	codes string
}{
	{"ethereum", "erc20 erc721 erc1155 erc223 eip20 ether dai weth wbtc link uni shib tusd pyusd gusd busd usdp steth"},
	{"tron", "trc20 trc10 trc721 tronix"},
	{"bsc", "bep20 bep721 bscscan bnbchain"},
	{"binance-beacon", "bep2 bep8"},
	{"bitcoin", "segwit brc20 omni btcsegwit segwitbtc taproot nativesegwit"},
	{"solana", "spl spltoken"},
	{"polygon", "prc20 maticpoly polygonpos"},
	{"avalanche", "avaxc avaxcchain cchain arc20 cavax"},
	{"avalanche-x", "xchain avaxx"},
	{"avalanche-p", "pchain avaxp"},
	{"arbitrum", "arbone arbevm arbitrumone arbi"},
	{"optimism", "opeth opmainnet"},
	{"base", "basenet baseevm"},
	{"zksync", "zksyncera zksera"},
	{"bitcoin-cash", "slp bchabc bchn"},
	{"neo", "nep5"}, {"neo-n3", "nep17 neo3"},
	{"kaia", "kip7"}, {"harmony", "hrc20"}, {"xdc", "xrc20"}, {"ton", "jetton"}, {"tezos", "fa12 fa2"}, {"kaspa", "krc20"},
	{"cosmos", "cosmoshub4"}, {"stellar", "lumens"}, {"starknet", "stark"}, {"terra", "luna2"},
}

// codeRows maps the codes to rows plus one.
var codeRows = sync.OnceValue(func() map[string]uint16 {
	rows := make(map[string]uint16)
	for i := range codes {
		for code := range strings.FieldsSeq(codes[i].codes) {
			rows[code] = lookup(codes[i].chain)
		}
	}
	return rows
})

// testWords occur in the names of test networks.
var testWords = []string{"testnet", "sepolia", "goerli", "holesky", "hoodi", "devnet", "regtest", "signet", "amoy", "mumbai", "nile", "shasta", "chapel", "fuji"}

// readName reads a name of a chain, or what people write in place of one.
func readName(s string) (n name) {
	if strings.Trim(s, "-–—_.?/ \t\u00a0") == "" { // as people mark an empty cell
		return n
	}
	c, err := ParseChain(s)
	if err == nil {
		return name{chain: c, sure: true}
	}
	var p *ParseError
	if errors.As(err, &p) && p.Other != "" {
		return name{chain: p.Other, code: strings.ToUpper(strings.TrimSpace(s)) + " is a ticker"}
	}
	n.err = err
	if len(s) > maxSlug {
		return n
	}
	parts := strings.FieldsFunc(foldName(s), func(c rune) bool { return strings.ContainsRune("-()[]/,;+", c) })
	if slices.ContainsFunc(parts, func(s string) bool { return slices.Contains(testWords, s) }) {
		p.hint = "only main networks are supported"
		return n
	}
	if len(parts) > 6 {
		return n
	}
	best := noPart
	for size := len(parts); size > 0; size-- { // the longest run first
		for i := 0; i+size <= len(parts); i++ {
			if part, rank := readPart(strings.Join(parts[i:i+size], "-")); rank < best {
				n, best = part, rank
			}
		}
	}
	return n
}

// noPart is the rank of what says nothing.
const noPart = 3

// readPart reads a part of a name, and returns how far behind other parts it stands: a
// token standard says more than a name, and that more than a ticker.
func readPart(s string) (n name, rank int) {
	if r := codeRows()[strings.NewReplacer("-", "", ".", "").Replace(s)]; r != 0 {
		return name{chain: chains[r-1].slug, code: strings.ToUpper(s) + " is a token standard or a network code"}, 0
	}
	c, err := ParseChain(s)
	var p *ParseError
	switch {
	case err == nil:
		return name{chain: c, code: "the name has additions"}, 1
	case errors.As(err, &p) && p.Other != "":
		return name{chain: p.Other, code: strings.ToUpper(s) + " is a ticker"}, 2
	}
	return n, noPart
}
