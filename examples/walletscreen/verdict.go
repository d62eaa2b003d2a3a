package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// errNoAddress is the error of an empty cell.
var errNoAddress = errors.New("no address")

// errSpreadsheet is the error of a cell whose address a spreadsheet program has lost.
var errSpreadsheet = errors.New("a formula, or a number that a spreadsheet program has rounded: export the column again as text")

// A judge screens what people write.
type judge struct {
	screener *screening.Screener
	chain    address.Chain            // of an address without one; "" to detect it
	chains   map[string]address.Chain // what cells of a chain column mean
	asked    address.Chain            // of the last question to the screener
}

func newJudge(s *screening.Screener, chain string) (*judge, error) {
	j := &judge{screener: s, chains: make(map[string]address.Chain)}
	if chain != "" {
		var err error
		if j.chain, err = parseChain(chain); err != nil {
			return nil, fmt.Errorf("-chain: %w", err)
		}
	}
	return j, nil
}

// parseChain is [address.ParseChain], with the nearest name for one that is unknown.
func parseChain(s string) (address.Chain, error) {
	c, err := address.ParseChain(s)
	if p := (*address.ParseError)(nil); errors.As(err, &p) && p.Other == "" {
		names := make([]string, 0, 256)
		for _, c := range address.Chains() {
			names = append(names, string(c))
		}
		name := strings.ToLower(strings.TrimSpace(s))
		if slug := tokenStandards[strings.ReplaceAll(name, "-", "")]; slug != "" {
			return "", fmt.Errorf("unsupported chain %.60q; it is a standard for tokens; use the slug %s", s, slug)
		}
		if n, e := strconv.ParseUint(name, 10, 63); e == nil && n > 0 {
			return "", fmt.Errorf("unsupported chain %.60q; if it is the id of an EVM chain, write eip155:%d", s, n)
		}
		if hint := didYouMean(name, names, ""); strings.HasPrefix(hint, "; did") {
			return "", fmt.Errorf("unsupported chain %.60q%s", s, hint)
		}
	}
	return c, err
}

// tokenStandards are names that exchanges print in place of a chain.
var tokenStandards = map[string]string{"erc20": "ethereum", "bep20": "bsc", "trc20": "tron", "bep2": "binance-beacon"}

// screen screens text, on the chain of that name if it is not empty. If text may be an
// address of several chains, the result is that of the highest score, and the error is
// an *ambiguousError.
func (j *judge) screen(chain, text []byte) (screening.Result, error) {
	c := j.chain
	if len(chain) > 0 {
		known, ok := j.chains[string(chain)]
		if !ok && len(strings.TrimSpace(string(chain))) > 0 {
			var err error
			if known, err = parseChain(string(chain)); err != nil {
				return screening.Result{}, err
			}
			if len(j.chains) < 1000 {
				j.chains[string(chain)] = known
			}
		}
		if known != "" {
			c = known
		}
	}
	s := sources.TrimListed(string(text))
	switch {
	case s == "":
		return screening.Result{}, errNoAddress
	case s[0] == '=' || scientific.MatchString(s):
		return screening.Result{}, errSpreadsheet
	case c != "":
		return j.ask(c, s)
	case len(s) == 42 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'):
		return j.ask("ethereum", s)
	}
	found, err := detect(s)
	switch {
	case len(found) == 1:
		return j.ask(found[0].Chain(), s)
	case len(found) == 0:
		// A list may print a text that is not an address.
		if r, e := j.ask("bitcoin", s); e == nil && len(r.Labels)+len(r.Suppressed) > 0 {
			return r, nil
		}
		return screening.Result{}, err
	}
	best := screening.Result{}
	for _, a := range found {
		r, e := j.screener.Screen(a)
		if e != nil {
			return screening.Result{}, e
		}
		if best.Level == "" || r.Score > best.Score {
			best = r
		}
	}
	return best, err
}

// ask screens a text on a chain.
func (j *judge) ask(c address.Chain, text string) (screening.Result, error) {
	j.asked = c
	return j.screener.ScreenText(c, text)
}

// verdictColumns are the columns that screen adds to a table.
var verdictColumns = []rows.Column{
	{Name: "level", Type: rows.Word}, {Name: "score", Type: rows.Number}, {Name: "match"}, {Name: "source"}, {Name: "source_ref"},
	{Name: "name"}, {Name: "listed_address"}, {Name: "labels", Type: rows.Number}, {Name: "error"},
}

// cells appends the cells of verdictColumns of a row, and counts it.
func (j *judge) cells(dst []string, row *rows.Row, total *tally) []string {
	var r screening.Result
	err := row.Err
	if err == nil || len(row.Address) > 0 {
		if r, err = j.screen(row.Chain, row.Address); row.Err != nil {
			err = row.Err
		}
	}
	total.addResult(&r, err)
	// A doubtful row is never clean, but its labels are shown.
	if err != nil && len(r.Labels) == 0 {
		return append(dst, "", "", "", "", "", "", "", "", err.Error())
	}
	failure := ""
	if err != nil {
		failure = err.Error()
	}
	if len(r.Labels) == 0 {
		return append(dst, string(r.Level), strconv.Itoa(r.Score), "", "", "", "", "", "0", failure)
	}
	l := &r.Labels[0]
	return append(dst, string(r.Level), strconv.Itoa(r.Score), l.Match.String(), l.Source, l.Ref, l.Name, l.Listed, strconv.Itoa(len(r.Labels)), failure)
}

// An ambiguousError says that a text may be an address of several chains.
type ambiguousError struct{ chains []string }

func (e *ambiguousError) Error() string {
	return "could be an address of " + orList(e.chains) + "; say which with -chain or a chain column"
}

// detect returns the addresses that s may be, without a chain to go by. If there is not
// exactly one, the error says why.
func detect(s string) ([]address.Address, error) {
	found, hint := candidates(s)
	switch {
	case len(found) > 1:
		return found, &ambiguousError{chainsOf(found)}
	case len(found) == 1:
		if _, err := address.Normalize("ethereum", s); !found[0].Proven() && err != nil && len(strings.TrimSpace(s)) == 64 { // hex: it may as well be a hash or a private key
			return nil, fmt.Errorf("%w; if it is an account of %s, say so with -chain or a chain column", err, found[0].Chain())
		}
		return found, nil
	}
	if prefix, rest, ok := cutLast(s, ":"); ok {
		if c, err := address.ParseChain(prefix); err == nil {
			a, err := address.Normalize(c, s)
			if err != nil {
				a, err = address.Normalize(c, rest)
			}
			if err != nil {
				return nil, err
			}
			return []address.Address{a}, nil
		}
	}
	err := diagnose(s)
	if p := (*address.ParseError)(nil); errors.As(err, &p) && p.Err == address.ErrOtherChain { // a CAIP-10 account, for one
		if a, e := address.Normalize(p.Other, s); e == nil {
			return []address.Address{a}, nil
		}
	}
	if i := strings.LastIndexByte(s, '.'); i > 0 && nameServices[strings.ToLower(s[i+1:])] {
		return nil, errors.New("a name, not an address: look up the address behind it, and screen that")
	}
	if hint != nil && !errors.Is(err, address.ErrChecksum) && !errors.Is(err, address.ErrNetwork) && !errors.Is(err, address.ErrSecret) {
		return nil, hint
	}
	return nil, err
}

// candidates returns the addresses that s is likely to be: those proven by a checksum, or
// else the only one that shows a key. If there are none, but s has the form of an account
// or an account name on some chains, hint says so.
func candidates(s string) (found []address.Address, hint error) {
	var proven, keyed, loose, names []address.Address
	for _, a := range address.Detect(s) {
		_, key := a.Key()
		switch {
		case a.Proven():
			proven = append(proven, a)
		case a.Kind() == "name":
			names = append(names, a)
		default:
			loose = append(loose, a)
		}
		if key && !a.Proven() {
			keyed = append(keyed, a)
		}
	}
	switch {
	case len(proven) > 0:
		return proven, nil
	case len(keyed) == 1:
		return keyed, nil
	case len(keyed) > 1 && len(loose) > 0:
		return loose, nil
	}
	account := "account"
	if len(loose) == 0 {
		account, loose = "account name", names
	}
	if len(loose) > 0 {
		hint = fmt.Errorf("not recognized as an address; it may be an %s of %s: say so with -chain or a chain column", account, orList(chainsOf(loose)))
	}
	return nil, hint
}

// chainsOf returns the names of the chains of addresses.
func chainsOf(all []address.Address) (names []string) {
	for _, a := range all {
		names = append(names, string(a.Chain()))
	}
	return names
}

// scientific matches a long number as spreadsheet programs write it.
var scientific = regexp.MustCompile(`^[0-9]([.,][0-9]+)?E\+[0-9]+$`)

// nameServices are the endings of names that stand for addresses.
var nameServices = map[string]bool{"eth": true, "sol": true, "ton": true, "crypto": true, "bnb": true, "lens": true, "xyz": true}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// diagnose returns the error that says most about why s is not an address of any chain.
func diagnose(s string) error {
	var best *address.ParseError
	rank := 0
	for _, c := range likely(s) {
		var e *address.ParseError
		if _, err := address.Normalize(c, s); !errors.As(err, &e) {
			continue
		}
		r := 1
		for i, kind := range []error{address.ErrCharset, address.ErrLength, address.ErrOtherChain, address.ErrChecksum, address.ErrNetwork, address.ErrSecret} {
			if errors.Is(e, kind) && (kind != address.ErrLength || c != "ethereum" || len(s) > 1 && (s[1] == 'x' || s[1] == 'X') || len(s) == 40) {
				r = 2 + i
			}
		}
		if r > rank {
			best, rank = e, r
		}
	}
	switch {
	case best == nil || rank < 3:
		return errors.New("not an address of any supported chain")
	default:
		return best
	}
}

// likely returns the chains that s may be a misspelled address of.
func likely(s string) []address.Chain {
	var chains []address.Chain
	for _, p := range []struct {
		prefix string
		chain  address.Chain
	}{{"T", "tron"}, {"r", "xrp"}, {"L", "litecoin"}, {"M", "litecoin"}, {"ltc1", "litecoin"}, {"D", "dogecoin"}, {"X", "dash"}, {"4", "monero"},
		{"8", "monero"}, {"t1", "zcash"}, {"addr1", "cardano"}, {"cosmos1", "cosmos"}, {"bnb1", "binance-beacon"}, {"G", "stellar"},
		{"bitcoincash:", "bitcoin-cash"}, {"q", "bitcoin-cash"}, {"EQ", "ton"}, {"UQ", "ton"}} {
		if strings.HasPrefix(s, p.prefix) {
			chains = append(chains, p.chain)
		}
	}
	return append(chains, "ethereum", "bitcoin") // both recognize secrets
}
