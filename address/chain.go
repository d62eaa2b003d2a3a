package address

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Chain identifies a blockchain by its slug: "bitcoin", "ethereum", "tron". A slug is a full name
// in lower case, never a ticker. [ParseChain] accepts other names; [Chains] lists all slugs.
type Chain string

// A chain is one row of the table in table.go.
type chain struct {
	id      uint16 // numbers the accounts of the chain; never changes
	slug    Chain
	name    string // display name
	caip2   string // CAIP-2 chain id; "" if none is registered
	slip44  int32  // SLIP-44 coin type; -1 if none is registered
	aliases string // other full names, separated by spaces
	tickers string // asset tickers, separated by spaces
	codecs  codecs
}

// isEVM reports whether c is an EVM chain: each of its accounts is an account of all EVM chains.
func (c *chain) isEVM() bool {
	return !slices.ContainsFunc(c.codecs, func(c codec) bool { return !c.evm && c.use == everybody && c.doubt == "" })
}

func (c *chain) hasKind(kind string) bool {
	return slices.ContainsFunc(c.codecs, func(c codec) bool { return c.what == kind })
}

// row returns the row of c in the table, or an empty one.
func (c Chain) row() *chain {
	if r := rowOf(c); r != 0 && r != otherEVMRow {
		return &chains[r-1]
	}
	return &chain{slip44: -1}
}

// Name returns the display name of c, such as "Bitcoin Cash", or "" if c is not supported.
func (c Chain) Name() string {
	name := c.row().name
	if digits, ok := chainNumber(c); ok && name == "" {
		return "EVM chain " + digits
	}
	return name
}

// CAIP2 returns the CAIP-2 chain id of c, such as "eip155:1", or "" if none is registered.
func (c Chain) CAIP2() string {
	if _, ok := chainNumber(c); ok {
		return string(c)
	}
	return c.row().caip2
}

// SLIP44 returns the SLIP-44 coin type of c, or -1 if none is registered.
func (c Chain) SLIP44() int { return int(c.row().slip44) }

// Aliases returns the other full names that [ParseChain] accepts for c.
func (c Chain) Aliases() []string { return strings.Fields(c.row().aliases) }

// Tickers returns the tickers of the assets on c, in upper case, which sanctions lists use. A
// ticker does not identify a chain, since several chains can share one.
func (c Chain) Tickers() []string { return strings.Fields(c.row().tickers) }

// Chains returns the slugs of the chains in the table, sorted. Every other EVM chain is supported
// as "eip155:" and its number. The caller may modify the slice.
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

// ParseChain parses the name of a chain: a slug, a display name ("Bitcoin Cash"), a CAIP-2 id, or
// an alias, such as the chain's name at CoinGecko, in Trust Wallet's registry or in EIP-3770. It
// ignores letter case and surrounding white space, and reads a space or an underscore as a hyphen.
// It accepts "eip155:" followed by any number as an EVM chain. Otherwise it returns a [*ParseError]
// that wraps [ErrChain]; if name is a ticker, such as "eth", which is also a short name of
// EIP-3770, its Other field holds the slug to use.
func ParseChain(name string) (Chain, error) {
	if r := lookup(Chain(name)); r != 0 && r != otherEVMRow {
		return chains[r-1].slug, nil
	}
	if c, isTicker := chainOf(name); c != "" && !isTicker {
		return c, nil
	}
	return "", unsupported(Chain(name))
}

// chainOf returns the chain that has a name or a ticker, as [ParseChain] reads it, or "".
func chainOf(name string) (c Chain, isTicker bool) {
	if len(name) > maxSlug {
		return "", false
	}
	folded := foldName(name)
	if r := chainNames()[folded]; r != 0 {
		return chains[r-1].slug, false
	}
	if rowOf(Chain(folded)) == otherEVMRow {
		return Chain(folded), false
	}
	if r := tickers()[strings.ToUpper(strings.TrimSpace(name))]; r != 0 {
		return chains[r-1].slug, true
	}
	return "", false
}

// foldName returns the form in which names of chains are compared.
func foldName(name string) string {
	return hyphens.Replace(strings.ToLower(strings.TrimSpace(name)))
}

var hyphens = strings.NewReplacer(" ", "-", "_", "-")

// index returns a map of names to rows plus one. A name that several rows have is of the first,
// by the first function that returns it.
func index(names ...func(c *chain) []string) func() map[string]uint16 {
	return sync.OnceValue(func() map[string]uint16 {
		rows := make(map[string]uint16)
		for _, of := range names {
			for i := range chains {
				for _, name := range of(&chains[i]) {
					if rows[name] == 0 && name != "" && name != otherEVMSlug {
						rows[name] = uint16(i + 1)
					}
				}
			}
		}
		return rows
	})
}

// chainNames are the names of chains, folded.
var chainNames = index(
	func(c *chain) []string { return []string{string(c.slug)} },
	func(c *chain) []string { return append(strings.Fields(c.aliases), foldName(c.caip2)) },
	func(c *chain) []string { return []string{foldName(c.name)} })

var tickers = index(func(c *chain) []string { return strings.Fields(c.tickers) })

// maxSlug is the longest name that ParseChain reads. All names are far shorter.
const maxSlug = 64

// unsupported returns the error for a chain that is not in the table. If c is
// another name of a chain, the error holds the slug.
func unsupported(c Chain) *ParseError {
	other, isTicker := chainOf(string(c))
	e := &ParseError{Chain: shownName(c), Offset: -1, Err: ErrChain, Other: other}
	switch bare := strings.TrimSpace(string(c)); {
	case isTicker:
		e.hint = strings.ToUpper(bare) + " is a ticker; use the slug " + string(other)
	case other != "":
		e.hint = "use the slug " + string(other)
	case slices.Contains(leftOut, foldName(bare)):
		e.hint = "no exact rule for its addresses is known"
	case isChainNumber(bare):
		e.hint = "if it is the id of an EVM chain, write " + eip155 + bare
	}
	return e
}

// leftOut are chains that people ask for; see CONTRIBUTING.md.
var leftOut = []string{"aleo", "hive", "iost", "qubic"}

// shownName returns what an error shows of the name of a chain: nothing if it is too
// long for a name, or has a word that is too long, as an address or a key has.
func shownName(c Chain) Chain {
	if len(c) > maxSlug {
		return ""
	}
	words := 0
	for t := range tokens(string(c)) {
		if words++; words > 6 || t.end-t.start > 20 && !strings.HasPrefix(string(c), eip155) {
			return ""
		}
	}
	if secretIn(string(c)) != "" {
		return ""
	}
	return c
}

// lookup returns the row of the chain with slug c plus one, or zero. Every call needs it, so it takes
// less time than a map.
func lookup(c Chain) uint16 {
	for h := slugHash(c); ; h++ {
		if e := &slugTable[h%uint(len(slugTable))]; e.slug == c || e.row == 0 {
			return e.row
		}
	}
}

// slugHash is cheap rather than good.
func slugHash(c Chain) uint {
	n := len(c)
	if n == 0 {
		return 0
	}
	return uint(n) ^ uint(c[0])*31 ^ uint(c[n/2])*211 ^ uint(c[n-1])*977
}

var slugTable = func() (t [1024]struct {
	slug Chain
	row  uint16
}) {
	for i := range chains {
		h := slugHash(chains[i].slug)
		for t[h%uint(len(t))].row != 0 {
			h++
		}
		t[h%uint(len(t))].slug, t[h%uint(len(t))].row = chains[i].slug, uint16(i+1)
	}
	return t
}()

// The rows of frequently used chains, plus one.
var (
	ethereumRow = lookup("ethereum")
)

// The EVM chains without a row in the table are identified by their CAIP-2 ids,
// "eip155:" and a number. See EIP-155 and the CAIP-2 namespace eip155.

const (
	otherEVMSlug = "eip155"
	eip155       = otherEVMSlug + ":"
)

var otherEVMRow = lookup(otherEVMSlug)

// chainNumber reports whether c is "eip155:" and a number without leading zeros.
func chainNumber(c Chain) (digits string, ok bool) {
	digits, ok = strings.CutPrefix(string(c), eip155)
	if !ok || !isChainNumber(digits) {
		return "", false
	}
	return digits, true
}

// isChainNumber reports whether digits are a decimal number without leading
// zeros below 2^63, the bound of EIP-2294.
func isChainNumber(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 64)
	return err == nil && digits[0] != '0' && n < 1<<63
}

// rowOf returns the row of c, plus one. c can be a slug, or "eip155:" and the id of an EVM chain;
// for an id without a row, rowOf returns otherEVMRow. It returns zero if c is not a chain.
func rowOf(c Chain) uint16 {
	if r := lookup(c); r != 0 && r != otherEVMRow {
		return r
	}
	if _, ok := chainNumber(c); !ok {
		return 0
	}
	for i := range chains {
		if chains[i].caip2 == string(c) {
			return uint16(i + 1)
		}
	}
	return otherEVMRow
}

// slugOf returns the slug of row r, or c, the id of a chain without a row.
func slugOf(c Chain, r uint16) Chain {
	if r == otherEVMRow {
		return c
	}
	return chains[r-1].slug
}

// setNumber sets the number of a, an address of c, if c has no row.
func (a *Address) setNumber(c Chain) {
	if a.row == otherEVMRow {
		digits, _ := chainNumber(c)
		a.number, _ = strconv.ParseUint(digits, 10, 64)
	}
}
