package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// license stands in each file of cases.
const license = "CC0-1.0 (https://creativecommons.org/publicdomain/zero/1.0/). Entries of the lists of OFAC and the FBI are in the public domain; the EU's are reused under decision 2011/833/EU, and the UK's under the Open Government Licence v3.0."

// A generator makes the cases. It chooses entries by their digest, so that a list that
// changes changes few cases.
type generator struct {
	cases   []Case
	entries map[string][]entry // by the chain of the address
	listed  map[address.Key]bool
	known   map[string]bool // ids
	past    []sources.Entry
}

type entry struct {
	sources.Entry
	list string
}

func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// generate returns all cases. root is the root of the module, which has the vectors of
// standards.
func generate(root string) ([]Case, error) {
	g := &generator{entries: make(map[string][]entry), listed: make(map[address.Key]bool), known: make(map[string]bool)}
	for _, src := range bundle.All() {
		_, err := src.Load(context.Background(), sources.Revision{}, func(e sources.Entry) error {
			if e.Address.IsValid() {
				g.listed[e.Address.Account()] = true
			}
			if e.Address.IsValid() && e.Kind == "SANCTIONED" && e.Name != "" {
				c := string(e.Address.Chain())
				g.entries[c] = append(g.entries[c], entry{e, src.Info().ID})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, all := range g.entries {
		slices.SortFunc(all, func(a, b entry) int {
			return cmp.Or(cmp.Compare(digest(a.Text()), digest(b.Text())), cmp.Compare(a.list, b.list), cmp.Compare(a.Asset, b.Asset), cmp.Compare(a.Ref, b.Ref))
		})
	}
	var err error
	if g.past, err = sources.History(bundle.OFAC()); err != nil {
		return nil, err
	}
	g.checksums()
	g.encodings()
	g.families()
	g.tickers()
	g.links()
	g.mistakes()
	g.strangers()
	g.states()
	g.delisted()
	return g.cases, g.vectors(filepath.Join(root, "address/testdata/vectors"))
}

// some returns n entries of a chain, of different accounts.
func (g *generator) some(chain string, n int) (some []entry) {
	seen := make(map[address.Key]bool)
	for _, e := range g.entries[chain] {
		if !seen[e.Address.Account()] && len(some) < n {
			some = append(some, e)
		}
		seen[e.Address.Account()] = true
	}
	return some
}

// ask returns the question about a text on a chain.
func ask(chain, text string) Asked {
	c := address.Chain(chain)
	a := Asked{Chain: c.Name(), CAIP2: c.CAIP2(), Text: text}
	if t := c.Tickers(); len(t) > 0 {
		a.Ticker = t[0]
	}
	return a
}

// add adds a case unless its question is there. expect can have more answers that are
// right, behind a bar: "error|listed".
func (g *generator) add(theme, flags string, e *entry, asked Asked, expect, why, authority string) {
	g.addWith(nil, theme, flags, e, asked, expect, why, authority)
}

func (g *generator) addWith(lists *Lists, theme, flags string, e *entry, asked Asked, expect, why, authority string) {
	c := Case{Theme: theme, Lists: lists, Asked: asked, Why: why, Authority: authority, Flags: strings.Fields(flags)}
	answers := strings.Split(expect, "|")
	c.Expect, c.Accept = answers[0], answers[1:]
	c.Severity = map[string]string{isListed: sanctioned, isNotListed: falseHit, isError: unread}[c.Expect]
	if c.Expect == isListed && slices.Contains(c.Flags, "same_key") {
		c.Severity = related
	}
	if e != nil {
		c.Listed = &Listed{List: e.list, Ticker: e.Asset, Text: sources.TrimListed(e.Text()), Ref: e.Ref, Entity: e.Name}
	}
	state := ""
	if lists != nil {
		state = fmt.Sprint(*lists)
	}
	c.ID = theme + "-" + digest(asked.Chain, asked.Ticker, asked.Text, state)[:8]
	if !g.known[c.ID] {
		g.known[c.ID] = true
		g.cases = append(g.cases, c)
	}
}

// document names the list that an entry comes from.
func (e *entry) document() string {
	return map[string]string{"OFAC_SDN": "OFAC, Specially Designated Nationals List", "EU_CONSOLIDATED": "EU consolidated list", "UK_CONSOLIDATED": "UK Sanctions List"}[e.list] + ", entry " + e.Ref
}

// checksums asks for listed accounts in each letter case.
func (g *generator) checksums() {
	for _, e := range g.some("ethereum", 12) {
		shown := e.Address.Display()
		low := strings.ToLower(shown)
		const eip = "EIP-55, \"Implementation\""
		for _, s := range []string{shown, low, "0x" + strings.ToUpper(low[2:])} {
			g.add("checksum", "same_account letter_case", &e, ask("ethereum", s), isListed, "Hex digits mean the same in either letter case; capitals are only a checksum.", eip)
		}
		if i := strings.IndexAny(shown[2:], "abcdef"); i >= 0 {
			i += 2
			s := shown[:i] + strings.ToUpper(shown[i:i+1]) + shown[i+1:]
			g.add("checksum", "same_account letter_case", &e, ask("ethereum", s), "listed|error", "The capitals do not match the checksum: a system may refuse them, and must not call the listed account clean.", eip)
		}
	}
	for _, e := range g.some("bitcoin", 60) {
		s := e.Address.Normalized()
		if strings.HasPrefix(s, "bc1") {
			g.add("checksum", "same_account letter_case", &e, ask("bitcoin", strings.ToUpper(s)), isListed, "Bech32 in capitals is the same address, and QR codes have it so.", "BIP-173, \"Uppercase/lowercase\"")
			g.add("checksum", "letter_case typo", &e, ask("bitcoin", strings.ToUpper(s[:10])+s[10:]), "error|listed", "Bech32 in mixed letter case must not be accepted.", "BIP-173, \"Uppercase/lowercase\"")
		} else if len(g.cases) < 90 {
			g.add("checksum", "letter_case typo", &e, ask("bitcoin", strings.ToLower(s)), "error|listed", "Base58 without its capitals is not an address; a system that ignores letter case hides which account was meant.", "Bitcoin developer reference, \"Base58Check\"")
		}
	}
}

// encodings asks for listed accounts in each way that their chain writes them.
func (g *generator) encodings() {
	for chain, authority := range byName(map[string]string{
		"bitcoin-cash": "CashAddr specification, \"Address format\"", "xrp": "XRPL XLS-5d, X-address format", "zcash": "Zcash protocol specification, 5.6.1.1 and ZIP-320",
		"binance-beacon": "BNB Beacon Chain documentation, addresses", "litecoin": "Litecoin Core, chainparams.cpp, SCRIPT_ADDRESS2",
		"tron": "TRON developer documentation, account address formats", "dash": "Dash Core, chainparams.cpp", "dogecoin": "Dogecoin Core, chainparams.cpp", "solana": "Solana documentation, accounts",
		"monero": "Monero documentation, standard address", "bitcoin-sv": "Bitcoin SV node, chainparams.cpp", "bitcoin-gold": "Bitcoin Gold node, chainparams.cpp", "verge": "Verge node, chainparams.cpp", "bitcoin": "Bitcoin developer reference, \"Base58Check\"; BIP-173; BIP-350",
	}) {
		for _, e := range g.some(chain, 8) {
			g.add("encoding", "as_printed", &e, ask(chain, sources.TrimListed(e.Text())), isListed, "The list prints this text for this account.", e.document())
			for _, a := range e.Address.Spellings() {
				g.add("encoding", "same_account format", &e, ask(chain, a.Normalized()), isListed, "Another encoding of the listed account names the same account.", authority)
				if _, bare, ok := strings.Cut(a.Normalized(), ":"); ok {
					g.add("encoding", "same_account format", &e, ask(chain, bare), isListed, "The prefix may be left out where the chain is known.", authority)
				}
			}
			if k, ok := e.Address.Key(); ok && chain == "tron" {
				g.add("encoding", "same_account format", &e, ask(chain, "41"+strings.TrimPrefix(k.String(), "h20:")), "listed|error", "Nodes and explorers write Tron accounts as 41 and 40 hex digits.", authority)
			}
		}
	}
}

// byName ranges over a map in the order of its keys.
func byName(m map[string]string) func(yield func(k, v string) bool) {
	return func(yield func(k, v string) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// families asks for listed accounts on other chains, and for accounts of their keys.
func (g *generator) families() {
	chains := []string{"polygon", "bsc", "arbitrum", "optimism", "base", "avalanche", "gnosis", "celo", "linea", "ethereum-classic", "fantom", "scroll"}
	for i, e := range g.some("ethereum", 30) {
		for j := range 2 {
			c := chains[(2*i+j)%len(chains)]
			g.add("evm", "same_account evm_family", &e, ask(c, e.Address.Display()), isListed, "The same 20 bytes are controlled by the same key on each EVM chain; OFAC lists the holder, not the chain.", "EIP-155; Ethereum Yellow Paper, section 4 and appendix F")
		}
	}
	for _, e := range append(g.some("bitcoin", 60), g.some("litecoin", 8)...) {
		k, ok := e.Address.Key()
		if !ok || !strings.HasPrefix(k.String(), "h160:") {
			continue
		}
		asked := slices.IndexFunc(g.cases, func(c Case) bool { return c.Theme == "key" })
		if asked >= 0 && len(g.cases)-asked >= 60 {
			break
		}
		for _, a := range k.Spellings() {
			same := a.Canonical() == e.Address.Canonical()
			if c := a.Chain(); same || c != "bitcoin" && c != "litecoin" || c != e.Address.Chain() {
				continue
			}
			g.add("key", "same_key", &e, ask(string(a.Chain()), a.Normalized()), isListed, "The holder of the listed account's key can spend from this one: both are the hash of one public key.", "BIP-141, \"Witness program\"; BIP-44 and BIP-84, whose wallets share keys")
		}
		for _, w := range e.Address.AppendKeys(nil) {
			for _, a := range w.Spellings() {
				if a.Kind() != "p2sh" {
					break
				}
				if a.Chain() == e.Address.Chain() {
					g.add("key", "same_key", &e, ask(string(a.Chain()), a.Normalized()), isListed, "P2SH wraps the witness program of the listed account's key.", "BIP-141, \"P2WPKH nested in BIP16 P2SH\"")
					break
				}
			}
		}
	}
}

// tickers asks for entries whose printed ticker belongs to another chain.
func (g *generator) tickers() {
	for _, chain := range []string{"tron", "bitcoin", "ethereum"} {
		n := 0
		for _, e := range g.entries[chain] {
			own := address.Chain(chain).Tickers()
			if e.Asset == "" || e.Asset == "TRX" || e.Asset == own[0] || chain == "bitcoin" && e.Asset == "XBT" || n >= 16 && e.Asset != "XBT" {
				continue
			}
			n++
			const why = "The list prints this address under the ticker of a token or of another coin; the ticker is a hint, and the account is listed."
			g.add("ticker", "as_printed", &e, ask(chain, sources.TrimListed(e.Text())), isListed, why, e.document())
			asked := ask(chain, sources.TrimListed(e.Text()))
			asked.Ticker = e.Asset
			g.add("ticker", "as_printed", &e, asked, isListed, why, e.document())
		}
	}
}

// writeCases writes the file of each theme, and the schema, into dir.
func writeCases(dir string, all []Case) error {
	for _, theme := range themes {
		var cases []Case
		for _, c := range all {
			if c.Theme == theme {
				cases = append(cases, c)
			}
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "\t")
		if err := enc.Encode(struct {
			Schema  string `json:"$schema"`
			License string `json:"license"`
			Cases   []Case `json:"cases"`
		}{"schema.json", license, cases}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, theme+".json"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generateInto writes the cases into the folder dir of this example.
func generateInto(dir string) error {
	all, err := generate(filepath.Join(dir, "../.."))
	if err != nil {
		return err
	}
	if err := writeLists(filepath.Join(dir, "cases/lists"), all); err != nil {
		return err
	}
	return writeCases(filepath.Join(dir, "cases"), all)
}
