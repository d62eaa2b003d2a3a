package address

import (
	"slices"
	"strings"
	"sync"
)

// A Chain names a blockchain by its slug: "bitcoin", "ethereum", "tron". A slug
// is a full name in lower case, never a ticker. [ParseChain] reads one from
// outside; [Chains] lists all.
type Chain string

// A chain is one row of the table in table.go.
type chain struct {
	slug    Chain
	name    string // for people
	caip2   string // blockchain id by CAIP-2, "" where none is registered
	slip44  int32  // coin type by SLIP-44, -1 where none is registered
	aliases string // other full names, separated by blanks
	tickers string // asset tickers, separated by blanks
	format  format
}

// row returns the row of c in the table, and nil if there is none.
func (c Chain) row() *chain {
	if r := rowOf(c); r != 0 && r != otherEVMRow {
		return &chains[r-1]
	}
	return nil
}

// Name returns the display name of c, such as "Bitcoin Cash", and "" if c is
// not supported.
func (c Chain) Name() string {
	if row := c.row(); row != nil {
		return row.name
	}
	if digits, ok := chainNumber(c); ok {
		return "EVM chain " + digits
	}
	return ""
}

// CAIP2 returns the CAIP-2 chain id of c, such as "eip155:1", and "" if none is
// registered.
func (c Chain) CAIP2() string {
	if row := c.row(); row != nil {
		return row.caip2
	}
	if _, ok := chainNumber(c); ok {
		return string(c)
	}
	return ""
}

// SLIP44 returns the SLIP-44 coin type of c, and -1 if none is registered.
func (c Chain) SLIP44() int {
	if row := c.row(); row != nil {
		return int(row.slip44)
	}
	return -1
}

// Aliases returns the other full names that [ParseChain] accepts for c.
func (c Chain) Aliases() []string {
	if row := c.row(); row != nil {
		return strings.Fields(row.aliases)
	}
	return nil
}

// Tickers returns the tickers of the assets on c, in upper case. They are for
// reading lists. A ticker does not name a chain: several chains share one.
func (c Chain) Tickers() []string {
	if row := c.row(); row != nil {
		return strings.Fields(row.tickers)
	}
	return nil
}

// Chains returns the slugs of the chains in the table, sorted. Any other EVM
// chain is supported as "eip155:" and its number. The slice is the caller's own.
func Chains() []Chain {
	all := make([]Chain, 0, len(chains))
	for i := range chains {
		if uint16(i+1) != otherEVMRow {
			all = append(all, chains[i].slug)
		}
	}
	slices.Sort(all)
	return all
}

// ParseChain returns the Chain that name names, in any letter case and without
// outer blanks: a slug, a display name ("Bitcoin Cash"), a CAIP-2 id, or an alias,
// which may be the name of the chain at CoinGecko, in Trust Wallet's registry or
// by EIP-3770. "eip155:" and any number is an EVM chain. Anything else is a
// [*ParseError] with [ErrChain]; for the ticker of an asset its Other is the slug
// to use.
func ParseChain(name string) (Chain, error) {
	if r := lookup(Chain(name)); r != 0 && r != otherEVMRow {
		return chains[r-1].slug, nil
	}
	if len(name) > maxSlug {
		return "", unsupported(Chain(name), "")
	}
	lower := strings.ToLower(strings.TrimSpace(name))
	if r := chainNames()[lower]; r != 0 {
		return chains[r-1].slug, nil
	}
	if r := rowOf(Chain(lower)); r == otherEVMRow {
		return Chain(lower), nil
	}
	return "", unsupported(Chain(name), "")
}

// chainNames maps all names of chains, in lower case, to their rows, plus one.
var chainNames = sync.OnceValue(func() map[string]uint16 {
	names := make(map[string]uint16)
	add := func(name string, i int) {
		if _, ok := names[name]; !ok && name != "" {
			names[strings.ToLower(name)] = uint16(i + 1)
		}
	}
	for i := range chains {
		if uint16(i+1) != otherEVMRow {
			add(string(chains[i].slug), i)
		}
	}
	for i := range chains {
		for alias := range strings.FieldsSeq(chains[i].aliases) {
			add(alias, i)
		}
		add(chains[i].caip2, i)
	}
	for i := range chains {
		add(chains[i].name, i)
	}
	return names
})

// maxSlug bounds what ParseChain looks at; the longest name is far shorter.
const maxSlug = 64

// unsupported returns the error for a chain that is not in the table. It names
// the slug where c is one of its other names.
func unsupported(c Chain, input string) *ParseError {
	e := &ParseError{Chain: Chain(redactSecret(string(c))), Input: redactSecret(input), Offset: -1, Err: ErrChain}
	if len(c) > maxSlug {
		e.Chain = e.Chain[:min(len(e.Chain), maxSlug)]
		return e
	}
	lower := strings.ToLower(strings.TrimSpace(string(c)))
	if r := chainNames()[lower]; r != 0 {
		e.Other = chains[r-1].slug
		e.hint = "use the slug " + string(e.Other)
		return e
	}
	upper := strings.ToUpper(lower)
	for i := range chains {
		row := &chains[i]
		if hasWord(row.tickers, upper) {
			e.Other, e.hint = row.slug, upper+" is a ticker; use the slug "+string(row.slug)
			return e
		}
	}
	return e
}

// hasWord reports whether word is one of the blank-separated words.
func hasWord(words, word string) bool {
	for w := range strings.FieldsSeq(words) {
		if w == word {
			return true
		}
	}
	return false
}

// lookup returns the row of the chain with slug c, plus one; or zero.
//
// It is on the path of every call, so it is a hash table of its own: two reads and
// a comparison of words, against some six nanoseconds for a map.
func lookup(c Chain) uint16 {
	if len(c) == 0 || len(c) > maxSlug {
		return 0
	}
	ends := slugEnds(c)
	for h := ends.hash(); ; h++ {
		e := &slugIndex[h%uint32(len(slugIndex))]
		if e.row == 0 || e.ends == ends && (len(c) <= 16 || chains[e.row-1].slug == c) {
			return e.row
		}
	}
}

// ends are the length of a slug and its first and last eight bytes, or all that it
// has. Up to a length of 16, they are all there is to know of it.
type ends struct {
	n           int
	first, last uint64
}

// slugEnds returns the ends of c, which is not empty.
func slugEnds(c Chain) ends {
	n := len(c)
	if n >= 8 {
		return ends{n, load8(string(c), 0), load8(string(c), n-8)}
	}
	if n >= 4 {
		return ends{n, load4(string(c), 0), load4(string(c), n-4)}
	}
	return ends{n, uint64(c[0]) | uint64(c[n/2])<<8, uint64(c[n-1])}
}

// hash must be cheap and need not be good: slugs are our own constants.
func (e ends) hash() uint32 {
	return uint32((e.first*0x9e3779b97f4a7c15 + e.last*0xc2b2ae3d27d4eb4f) >> 40)
}

// slugIndex maps hashes of slugs to rows, plus one, with linear probing.
var slugIndex = func() (t [1024]struct {
	ends
	row uint16
}) {
	for i := range chains {
		e := slugEnds(chains[i].slug)
		h := e.hash()
		for t[h%uint32(len(t))].row != 0 {
			h++
		}
		t[h%uint32(len(t))].ends, t[h%uint32(len(t))].row = e, uint16(i+1)
	}
	return t
}()

// The rows of two chains, plus one.
var (
	ethereumRow = lookup("ethereum")
	icpRow      = lookup("internet-computer")
)
