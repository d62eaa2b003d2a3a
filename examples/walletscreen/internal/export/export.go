// Package export writes the lists of a Screener as tables, for databases that
// cannot call it.
//
// [Write] writes one row for each way in which a listed account is written and
// each label of that spelling. [WriteChains] writes the small table that says
// with which rows the addresses of a chain are joined. The document sql.md has
// the statements.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A Screener answers from the lists that are written: a *screening.Screener, or a
// *screening.Past, whose lists never change.
type Screener interface {
	Screen(address.Address) (screening.Result, error)
	ScreenText(address.Chain, string) (screening.Result, error)
}

// A Summary counts the rows that were written.
type Summary struct {
	Entries  int    // entries that were read
	Rows     int    // rows that were written
	Snapshot string // the digest that every row has
}

// ErrChanged means that the lists were refreshed while they were written. The
// table is useless; write it again.
var ErrChanged = errors.New("the lists were refreshed during the export")

// The values of the column chain that are not the name of a chain.
const (
	EVM = "evm" // every EVM chain, beside the rows of the chain itself
	Any = "any" // every chain: a listed string that is not a valid address
)

// A row is one way in which a listed account is written, with one label.
type row struct {
	chain, address string
	anyCase        bool
	level          score.Level
	published      time.Time
	snapshot       string
	screening.Label
}

// Write writes the entries of all lists from which s answers as a table. The
// rows of a spelling are the labels that s.Screen returns for it, so a join with
// the table finds what the Screener finds. They follow the order of the entries,
// which must be the entries of all lists. An entry that s does not find is an error:
// it is not on its lists.
func Write(ctx context.Context, w io.Writer, f Format, s Screener, entries iter.Seq2[sources.Entry, error]) (Summary, error) {
	out, err := newTable(w, f, "listed_addresses", columnTypes[:])
	if err != nil {
		return Summary{}, err
	}
	x := exporter{
		s: s, out: out, keys: make(map[address.Key]bool), spellings: make(map[spelling]bool),
		published: make(map[string]time.Time),
	}
	for e, err := range entries {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = x.entry(e)
		}
		if err != nil {
			return x.sum, err
		}
		x.sum.Entries++
	}
	return x.sum, out.close()
}

type exporter struct {
	s         Screener
	out       *table
	sum       Summary
	keys      map[address.Key]bool // whose spellings were written
	spellings map[spelling]bool    // those written that no key decides
	published map[string]time.Time // the date of each list
	table     *score.Table
}

// entry writes the rows of an entry that are not written yet.
func (x *exporter) entry(e sources.Entry) error {
	if !e.Address.IsValid() {
		if err := x.literal(e); err != nil {
			return err
		}
		for _, a := range readings(e) {
			if err := x.account(a); err != nil {
				return err
			}
		}
		return nil
	}
	r, err := x.screen(e.Address)
	if err != nil {
		return err
	}
	said := func(l screening.Label) bool { return l.Kind == e.Kind && l.Ref == e.Ref }
	if !slices.ContainsFunc(r.Labels, said) && !slices.ContainsFunc(r.Suppressed, func(l screening.Suppressed) bool { return said(l.Label) }) {
		return fmt.Errorf("%s, listed as %q, is on none of the lists that answer", e.Address, e.Text())
	}
	for _, a := range accounts(e) {
		if err := x.account(a); err != nil {
			return err
		}
	}
	return nil
}

// accounts returns the address of an entry, and those that its text is on other chains.
func accounts(e sources.Entry) []address.Address {
	all := []address.Address{e.Address}
	for _, a := range address.Detect(e.Text()) {
		if a.Canonical() != e.Address.Canonical() {
			all = append(all, a)
		}
	}
	return all
}

// readings returns the addresses as which the listed string of an entry that has
// none can be read.
func readings(e sources.Entry) []address.Address {
	text := sources.TrimListed(e.Listed)
	all := address.Detect(text)
	if a, ok := sources.Decode(e.Asset, text); ok && !slices.Contains(all, a) {
		all = append(all, a)
	}
	return all
}

// account writes the spellings of a and of all that is controlled by its keys.
func (x *exporter) account(a address.Address) error {
	forms := make(map[spelling]bool) // of its keys
	for _, k := range a.AppendKeys(nil) {
		for _, s := range ofKey(k) {
			if forms[s] = true; x.keys[k] {
				continue
			}
			if err := x.spelling(s); err != nil {
				return err
			}
		}
		x.keys[k] = true
	}
	for _, s := range ofAccount(a) {
		if x.spellings[s] || forms[s] {
			continue
		}
		x.spellings[s] = true
		if err := x.spelling(s); err != nil {
			return err
		}
	}
	return nil
}

// Joins reports whether a join of the normal form of a with the rows decides about a:
// whatever list has an account or key that Screen matches with a, there is a row of this
// spelling. It does not of addresses that have more than one key in them, nor of those
// from whose key another follows, such as a script that wraps it.
func Joins(a address.Address) bool {
	keys := a.AppendKeys(nil)
	switch len(keys) {
	case 0:
		return a == a.Canonical()
	case 1:
		return slices.ContainsFunc(keys[0].SpellingsOn(a.Chain()), func(b address.Address) bool {
			return b == a || slices.Contains(textsOf(b), spelling{a.Chain(), a.Normalized()})
		})
	}
	return false
}

// isEVM reports whether a is written as on every EVM chain.
func isEVM(a address.Address) bool {
	c := a.Canonical()
	return c.Chain() == "ethereum" && c.Normalized() == a.Normalized()
}

// spelling writes the rows of a spelling. A text that is not an address has none:
// nobody can ask for it. Of an EVM address on one chain, only the listings for
// this chain are rows of the chain; the others are rows of every EVM chain.
func (x *exporter) spelling(s spelling) error {
	a, err := address.Normalize(s.chain, s.text)
	if err != nil {
		return nil
	}
	if s.chain == "ethereum" && isEVM(a) {
		if err := x.family(a); err != nil {
			return err
		}
	}
	r, err := x.screen(a)
	if err != nil {
		return err
	}
	if isEVM(a) {
		r.Labels = slices.DeleteFunc(r.Labels, func(l screening.Label) bool { return l.Match != score.Exact })
	}
	return x.rows(string(s.chain), s.text, anyCase(a, s.text), r)
}

// family writes the rows of an EVM address that hold on every EVM chain: its
// labels on one for which it is not listed.
func (x *exporter) family(a address.Address) error {
	if s := (spelling{EVM, a.Normalized()}); x.spellings[s] {
		return nil
	} else {
		x.spellings[s] = true
	}
	for _, c := range evmChains {
		b, err := address.Parse(c, a.Normalized())
		if err != nil {
			continue
		}
		r, err := x.screen(b)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(r.Labels, func(l screening.Label) bool { return l.Match == score.Exact }) {
			return x.rows(EVM, a.Normalized(), true, r)
		}
	}
	return nil // listed for every EVM chain, so each chain has rows of its own
}

// literal writes the rows of a listed string that is not an address.
func (x *exporter) literal(e sources.Entry) error {
	text := sources.TrimListed(e.Listed)
	if s := (spelling{Any, text}); x.spellings[s] {
		return nil
	} else {
		x.spellings[s] = true
	}
	for _, c := range address.Chains() {
		if _, err := address.Normalize(c, text); err == nil {
			continue // there it is an address
		}
		r, err := x.s.ScreenText(c, text)
		if err != nil && len(r.Labels)+len(r.Suppressed) == 0 { // else it is listed, and an address of other chains
			return fmt.Errorf("%q is on none of the lists that answer: %w", e.Listed, err)
		}
		if err := x.check(r); err != nil {
			return err
		}
		return x.rows(Any, text, isHex(text), r)
	}
	return nil
}

// isHex reports whether text is hex digits, whose letter case does not matter in
// a listed string.
func isHex(text string) bool {
	digits := text
	if len(text) > 1 && (text[:2] == "0x" || text[:2] == "0X") {
		digits = text[2:]
	}
	return strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

// screen screens a, and checks that the lists are the same as for the rows before.
func (x *exporter) screen(a address.Address) (screening.Result, error) {
	r, err := x.s.Screen(a)
	if err != nil {
		return r, err
	}
	return r, x.check(r)
}

// check checks that r is an answer from the lists of the rows before.
func (x *exporter) check(r screening.Result) error {
	if x.sum.Snapshot == r.Digest() {
		return nil
	}
	if x.sum.Snapshot != "" {
		return ErrChanged
	}
	x.sum.Snapshot = r.Digest()
	for _, s := range r.Sources() {
		x.published[s.Info.ID] = s.Published
	}
	x.table, _ = score.Lookup(r.ScoringVersion) // it is known: the points are from it
	return nil
}

// rows writes a row for each label of r.
func (x *exporter) rows(chain, text string, anyCase bool, r screening.Result) error {
	for _, l := range r.Labels {
		x.sum.Rows++
		if err := x.out.row(row{
			chain: chain, address: text, anyCase: anyCase, level: x.table.Level(l.Points),
			published: x.published[l.Source], snapshot: x.sum.Snapshot, Label: l,
		}.values(x.out.show)); err != nil {
			return err
		}
	}
	return nil
}

// anyCase reports whether text, a spelling of a, means the same account in capitals
// and in small letters.
func anyCase(a address.Address, text string) bool {
	for _, t := range []string{strings.ToUpper(text), strings.ToLower(text)} {
		if b, err := address.Normalize(a.Chain(), t); err != nil || b.Canonical() != a.Canonical() {
			return false
		}
	}
	return true
}

// evmChains are the chains that write an account as ethereum does, and on which
// it is one account.
var evmChains = func() []address.Chain {
	return slices.DeleteFunc(address.Chains(), func(c address.Chain) bool {
		a, err := address.Parse(c, "0x0000000000000000000000000000000000000001")
		return err != nil || !isEVM(a)
	})
}()

// WriteChains writes, for each chain, the values of the column chain of the rows
// with which its addresses are joined: its own, [Any], and on EVM chains [EVM].
func WriteChains(w io.Writer, f Format) error {
	out, err := newTable(w, f, "listed_chains", []column{{"chain", "text not null"}, {"listed_as", "text not null"}})
	if err != nil {
		return err
	}
	for _, c := range address.Chains() {
		names := []string{string(c), Any}
		if slices.Contains(evmChains, c) {
			names = append(names, EVM)
		}
		for _, name := range names {
			if err := out.row([]string{string(c), name}); err != nil {
				return err
			}
		}
	}
	return out.close()
}
