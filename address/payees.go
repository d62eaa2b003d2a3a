package address

import (
	"slices"
	"strings"
)

// A payee is a further recipient in the parameters of a payment URI.
type payee struct {
	text string
	at   int // offset in the URI
}

// unnamedKeys are the parameters of BIP-321 that name a recipient without an
// address: a Lightning invoice or offer, a silent payment address, and the like.
var unnamedKeys = []string{"lightning", "lno", "sp", "pay", "b12", "lnurl", "ark"}

// testKeys are the parameters of BIP-321 for the test networks of bitcoin.
var testKeys = []string{"tb", "tbs", "bcrt", "tsp"}

// textKeys are parameters for people and for programs, which pay nobody.
var textKeys = []string{"amount", "label", "message", "memo", "pj", "r", "pop", "time", "exp"}

// readQuery reads the parameters of a payment URI for chain c: the payees that they name, and what
// keeps the URI from being understood. at is the offset of query.
func (u *uri) readQuery(c *chain, query string, at int) {
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
			u.payees = append(u.payees, payee{value, valueAt})
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
				u.payees = append(u.payees, payee{value, valueAt})
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

// readPayees reads the body and the payees of u as addresses of row r. There is no fault
// if they are of one account.
func (u *uri) readPayees(r uint16) failure {
	all := u.payees
	if u.body != "" {
		all = append([]payee{{u.body, u.at}}, all...)
	}
	p := failure{text: u.body, at: u.at, unnamed: u.unnamed}
	for i, to := range all {
		var a Address
		bad := a.parseRow(r, to.text, true)
		if bad.err != nil && i == 0 && u.body != "" && u.whole() != "" && a.parseRow(r, u.whole(), true).err == nil {
			bad, to.text = fault{}, u.whole() // the scheme is part of the address
		}
		switch {
		case bad.err != nil:
			if p.bad.err == nil {
				p.text, p.at, p.bad = to.text, to.at, bad
			}
		case !slices.ContainsFunc(p.found, func(b Address) bool { return b.Canonical() == a.Canonical() }):
			p.found, p.texts = append(p.found, a), append(p.texts, to.text)
		}
	}
	switch {
	case p.bad.err != nil:
	case len(p.found) == 0:
		p.bad = fault{err: ErrPaymentRequest, at: -1}
	case len(p.found) > 1 || u.unnamed:
		p.bad = fault{err: ErrSeveral, at: -1}
	}
	return p
}
