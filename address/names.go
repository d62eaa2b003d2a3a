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
	words bool   // there are words beside it that say something else or nothing known
	added bool   // chain is named, with words beside it
	open  bool   // the ticker is of a token that is on other chains, too
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

// yieldsTo reports whether n is only a hint, and all, the addresses of a text, show other chains.
func (n *name) yieldsTo(all []Address) bool {
	return !n.sure && !n.added && len(all) > 0 && (n.open || slices.ContainsFunc(all, Address.hasMark))
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

var codeRows = sync.OnceValue(func() map[string]uint16 {
	rows := make(map[string]uint16)
	for i := range codes {
		for code := range strings.FieldsSeq(codes[i].codes) {
			rows[code] = lookup(codes[i].chain)
		}
	}
	return rows
})

// testWords occur in the names of test networks, with or without a number behind them.
var testWords = strings.Fields("testnet test devnet regtest signet sepolia goerli holesky hoodi ropsten rinkeby kovan amoy mumbai nile shasta chapel fuji" +
	" preprod preview previewnet westend rococo paseo saigon stokenet cardona apothem alfajores baklava bepolia bartio coston calibration calibnet" +
	" ghostnet shadownet stagenet localnet alphanet betanet mocha arabica chiado sokol moonbase shibuya baobab kairos minato hekla athens" +
	" aeneid galileo jungle kylin wannsee lisbon tn ghost futurenet curtis tenderly")

// isTestWord reports whether s occurs in the names of test networks.
func isTestWord(s string) bool {
	return slices.Contains(testWords, strings.TrimRight(strings.ToLower(s), "0123456789"))
}

// fillers are words in names of chains that say nothing.
var fillers = strings.Fields("mainnet main network net chain blockchain protocol token coin native smart the on via evm address wallet deposit withdrawal")

// openTickers are of tokens that are on more chains than the table says.
var openTickers = []string{"USDT", "USDC"}

// readName reads a name of a chain, or what people write in place of one.
func readName(s string) (n name) {
	if strings.Trim(s, "-–—_.?/ \t\u00a0") == "" { // as people mark an empty cell
		return n
	}
	c, err := ParseChain(s)
	if err == nil {
		return name{chain: c, sure: true}
	}
	if n, rank := readPart(foldName(s)); rank == tickerPart {
		return n
	}
	n.err = err
	if len(s) > maxSlug {
		return n
	}
	parts := strings.FieldsFunc(foldName(s), func(c rune) bool { return strings.ContainsRune("-()[]/,;+:|&", c) })
	if slices.ContainsFunc(parts, isTestWord) {
		var p *ParseError
		errors.As(err, &p)
		p.hint = "only main networks are supported"
		return n
	}
	if len(parts) > 6 {
		return n
	}
	return readParts(parts, n)
}

// readParts reads the words of a name. The longest run of words that means something counts,
// and of several a token standard before a name, and that before a ticker. It returns unread if the
// words mean nothing, or name chains of two families.
func readParts(parts []string, unread name) name {
	n, best := unread, noPart
	var named Chain
	for size := len(parts); size > 0; size-- {
		for i := 0; i+size <= len(parts); i++ {
			part, rank := readPart(strings.Join(parts[i:i+size], "-"))
			if rank == noPart || slices.Contains(parts[i:i+size], "") {
				continue
			}
			for j := range size { // read
				parts[i+j] = ""
			}
			switch {
			case rank != namePart:
			case named == "":
				named = part.chain
			case !isSameFamily(named, part.chain):
				return unread
			}
			if rank < best {
				n, best = part, rank
			}
		}
	}
	for _, word := range parts {
		switch {
		case word == "" || slices.Contains(fillers, word):
		case len(word) == 1 || slices.Contains([]string{"or", "not", "non", "no"}, word): // as in flare-p, another chain of the family
			return unread
		default:
			n.words = true
		}
	}
	n.added = n.words || best == namePart
	return n
}

// The ranks of what a part of a name says.
const (
	codePart   = iota // a token standard or a network code
	namePart          // a name of a chain
	tickerPart        // a ticker
	noPart            // nothing
)

// unpointed takes the points out of a code, as in ERC-20.
var unpointed = strings.NewReplacer("-", "", ".", "")

// readPart reads a part of a name, and returns what it says.
func readPart(s string) (n name, rank int) {
	if r := codeRows()[unpointed.Replace(s)]; r != 0 {
		return name{chain: chains[r-1].slug, code: strings.ToUpper(s) + " is a token standard or a network code"}, codePart
	}
	c, isTicker := chainOf(s)
	switch {
	case c == "":
		return n, noPart
	case isTicker:
		s = strings.ToUpper(s)
		return name{chain: c, code: s + " is a ticker", open: slices.Contains(openTickers, s)}, tickerPart
	}
	return name{chain: c, code: "the name has additions"}, namePart
}
