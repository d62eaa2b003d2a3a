package address

import (
	"errors"
	"slices"
	"strings"
)

// maxTolerated is the length of the longest input that Normalize reads.
const maxTolerated = 4096

// A failure says why a string is not an address: a fault of text, which is a
// part of the string, at offset at. Without a fault, text is the address.
type failure struct {
	text string
	at   int
	bad  fault
	uri  *uri // if the fault is in what surrounds the address

	found   []payment // the accounts that a URI with several recipients pays, each once
	unnamed bool      // the URI also pays somebody whom no address names
}

// A payment is an account, and its text in a URI.
type payment struct {
	to   Address
	text string
}

// normalize sets a, which is zero, to s as [Normalize] reads it on chain c, in row r.
func (a *Address) normalize(c Chain, r uint16, s string) failure {
	f := a.readPayee(r, payee{text: s})
	if f.bad.err == nil {
		return f
	}
	if len(s) > maxTolerated {
		return failure{text: s, bad: badLength}
	}
	bare, at := trimBlanks(s)
	if len(bare) != len(s) {
		if f = a.readPayee(r, payee{text: bare, at: at}); f.bad.err == nil {
			return f
		}
	}
	if i, ok := readInterop(bare); ok && i.isOn(slugOf(c, r), chains[r-1].isEVM()) {
		if a.parseRow(r, i.body, true).err == nil {
			account, _, _ := strings.Cut(bare, "@") // in hex there is none
			if !isEVMText(account) {
				account = i.body
			}
			return failure{text: account}
		}
	}
	if u, ok := readURI(bare, at); ok {
		u.on(c, r)
		return a.normalizeURI(&u, r)
	}
	return f
}

// normalizeURI is normalize for a URI.
func (a *Address) normalizeURI(u *uri, r uint16) (f failure) {
	switch {
	case len(u.more) > 0 || u.unnamed:
		if f = u.readPayees(r); f.bad.err == nil {
			*a = f.found[0].to
		}
	case u.bad.err == nil:
		return a.readPayee(r, u.body)
	}
	if u.bad.err != nil {
		around := *u // on the heap, unlike u
		f.text, f.at, f.bad, f.uri = u.body.text, u.body.at, u.bad, &around
	}
	return f
}

// readPayee sets a, which is zero, to the address of p in row r.
func (a *Address) readPayee(r uint16, p payee) failure {
	bad := a.parseRow(r, p.text, true)
	if bad.err == nil {
		return failure{text: p.text}
	}
	if text := cutTag(r, p.text); text != p.text && a.parseRow(r, text, true).err == nil {
		return failure{text: text}
	}
	if p.scheme != "" { // which may be part of the address
		whole, prefix := p.whole(), len(p.scheme)+1
		other := a.parseRow(r, whole, true)
		switch {
		case other.err == nil:
			return failure{text: whole}
		case bad.err != ErrChecksum && (other.err == ErrChecksum || other.err == ErrNetwork || other.at >= prefix):
			return failure{text: whole, at: p.at - prefix, bad: other}
		}
	}
	return failure{text: p.text, at: p.at, bad: bad}
}

// readPayees reads the body and the other payees of u as addresses of row r. There is no fault
// if they are of one account.
func (u *uri) readPayees(r uint16) failure {
	f := failure{text: u.body.text, at: u.body.at, unnamed: u.unnamed}
	all := u.more
	if u.body.text != "" {
		all = append([]payee{u.body}, all...)
	}
	for _, p := range all {
		var a Address
		switch one := a.readPayee(r, p); {
		case one.bad.err == nil:
			if !hasAccount(f.found, a) {
				f.found = append(f.found, payment{a, one.text})
			}
		case f.bad.err == nil:
			f.text, f.at, f.bad = one.text, one.at, one.bad
		}
	}
	switch {
	case f.bad.err != nil:
	case len(f.found) == 0:
		f.bad = fault{err: ErrPaymentRequest, at: -1}
	case len(f.found) > 1 || u.unnamed:
		f.bad = fault{err: ErrSeveral, at: -1}
	default:
		f.text = f.found[0].text
	}
	return f
}

func hasAccount(all []payment, a Address) bool {
	return slices.ContainsFunc(all, func(p payment) bool { return p.to.Canonical() == a.Canonical() })
}

// explain returns the error for s on chain c, in row r.
func (f *failure) explain(c Chain, r uint16, s string) error {
	e := diagnose(c, r, s, f.text, f.at, f.bad)
	u := f.uri
	if u == nil {
		return e
	}
	if errors.Is(e.Err, ErrSecret) || e.Err == ErrPaymentRequest || e.Err == ErrInterop || e.Err == ErrCharset {
		return e
	}
	e.Err, e.Offset, e.Other, e.hint = u.bad.err, -1, u.other, u.hint
	if u.bad.at < len(s) { // an offset at the end means that something is missing
		e.Offset = u.bad.at
	}
	return e
}

// trimBlanks returns s without surrounding white space, and the number of bytes
// removed from its beginning.
func trimBlanks(s string) (string, int) {
	const blanks = " \t\r\n\u00a0"
	bare := strings.TrimLeft(s, blanks)
	return strings.TrimRight(bare, blanks), len(s) - len(bare)
}

// xrpRow is the row of xrp, plus one.
var xrpRow = lookup("xrp")

// cutTag returns s without the destination tag that wallets of xrp append to an
// address, as in "r…:1", if r is the row of xrp.
func cutTag(r uint16, s string) string {
	if i := strings.LastIndexByte(s, ':'); r == xrpRow && i > 0 && i < len(s)-1 && len(s)-i <= 11 && strings.Trim(s[i+1:], "0123456789") == "" {
		return s[:i]
	}
	return s
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
