package address_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// describe returns a reading in one line, for the table in testdata/interpret.txt.
func describe(r address.Reading) string {
	var b strings.Builder
	if r.Err != nil {
		reason := "?"
		for _, e := range []struct {
			err  error
			name string
		}{{address.ErrSecret, "secret"}, {address.ErrChain, "chain"}, {address.ErrSeveral, "several"}, {address.ErrName, "name"},
			{address.ErrPaymentRequest, "payment request"},
			{address.ErrInterop, "interop"}, {address.ErrExtendedKey, "extended key"}, {address.ErrOtherChain, "other chain"}, {address.ErrNetwork, "network"},
			{address.ErrChecksum, "checksum"},
			{address.ErrLength, "length"}, {address.ErrCharset, "charset"}, {address.ErrSyntax, "syntax"}} {
			if errors.Is(r.Err, e.err) {
				reason = e.name
				break
			}
		}
		b.WriteString("ERROR " + reason)
		var p *address.ParseError
		if errors.As(r.Err, &p) && p.Other != "" {
			b.WriteString(" " + string(p.Other))
		}
		if len(r.Addresses) > 0 {
			b.WriteString("; elsewhere ")
		}
	}
	if r.Several {
		b.WriteString("several: ")
	}
	for i, a := range r.Addresses {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(a.String())
	}
	for _, d := range r.Doubts {
		b.WriteString(" ?" + string(d))
	}
	if r.Note != "" {
		b.WriteString(" (" + r.Note + ")")
	}
	return b.String()
}

// TestInterpret compares readings with testdata/interpret.txt, which has a line of
// "chain | text | reading" for each. Texts are quoted as in Go.
func TestInterpret(t *testing.T) {
	const name = "testdata/interpret.txt"
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	for i, line := range strings.Split(strings.TrimSuffix(string(file), "\n"), "\n") {
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		fields := strings.SplitN(line, " | ", 3)
		if len(fields) != 3 {
			t.Fatalf("%s:%d: want chain | text | reading", name, i+1)
		}
		text := fields[1]
		if strings.HasPrefix(text, `"`) {
			if _, err := fmt.Sscanf(text, "%q", &text); err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
		}
		tests++
		if got := describe(address.Interpret(strings.TrimSpace(fields[0]), text)); got != fields[2] {
			t.Errorf("%s:%d: Interpret(%q, %q)\n got %s\nwant %s", name, i+1, strings.TrimSpace(fields[0]), text, got, fields[2])
		}
	}
	if tests < 100 {
		t.Errorf("%d readings in %s, want at least 100", tests, name)
	}
}

// TestInterpretVectors checks for every vector that Interpret has no doubt about
// what Parse accepts, with and without decoration, and finds the account again
// without a chain.
func TestInterpretVectors(t *testing.T) {
	for _, name := range vectorFiles(t) {
		for _, v := range readVectors(t, name) {
			c, s := address.Chain(v.fields["chain"]), v.fields["input"]
			a, err := address.Parse(c, s)
			if err != nil {
				if _, e := address.Normalize(c, s); e != nil {
					if r := address.Interpret(string(c), s); r.Err == nil && !strings.ContainsAny(s, " :?") && !isJoined(s) {
						t.Errorf("%s:%d: Interpret(%s, %q) = %s, Parse: %v", name, v.line, c, s, describe(r), err)
					}
				}
				continue
			}
			texts := []string{s, " " + s + "\n", "\u00a0\u201c" + s + "\u201d", "'" + s + "',"}
			if id := c.CAIP2(); id != "" {
				texts = append(texts, id+":"+s, "did:pkh:"+id+":"+s)
			}
			for _, text := range texts {
				r := address.Interpret(string(c), text)
				if r.Err == nil && len(r.Addresses) == 2 && r.Addresses[0] == a && strings.Contains(s, r.Addresses[1].Normalized()[2:]) && !a.Proven() {
					continue // with another address in it
				}
				if r.Err != nil || len(r.Addresses) != 1 || r.Addresses[0] != a || !isOnly(r.Doubts, a.Doubt()) || r.Several || r.Chain != a.Chain() ||
					r.Note != "" {
					t.Errorf("%s:%d: Interpret(%s, %q) = %s", name, v.line, c, text, describe(r))
				}
			}
			r := address.Interpret("", s)
			if r.Err != nil || !slices.ContainsFunc(r.Addresses, func(b address.Address) bool { return b.Canonical() == a.Canonical() }) {
				t.Errorf("%s:%d: Interpret(%q) = %s, without %v", name, v.line, s, describe(r), a)
			}
		}
	}
}

// isOnly reports whether d alone is in doubts, or nothing if d is "".
func isOnly(doubts []address.Doubt, d address.Doubt) bool {
	return d == "" && doubts == nil || d != "" && len(doubts) == 1 && doubts[0] == d
}

// isJoined reports whether s differs from what Parse accepts by a first letter.
func isJoined(s string) bool { return s != "" && strings.ToLower(s[:1]) != s[:1] }

// TestNormalizeSeveral checks that Normalize reads a payment URI only if it pays
// one account.
func TestNormalizeSeveral(t *testing.T) {
	const b = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
	for _, tt := range []struct {
		chain address.Chain
		text  string
		want  string
		err   error
	}{
		{"bitcoin", "bitcoin:" + testBTC + "?bc=" + b, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:" + testBTC + "?BC=" + b, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:" + testBTC + "?%62c=" + b, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:" + testBTC + "?amount=1&bc=" + testBTC + "&bc=" + b, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:?bc=" + b + "&bc=" + testBC1, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:" + testBTC + "?lightning=" + invoice, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:" + testBTC + "?LNO=" + offer, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:" + testBTC + "?sp=" + silent, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:" + testBTC + "?pay=" + offer, "", address.ErrSeveral},
		{"bitcoin", "bitcoin:" + testBTC + "?tb=tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "", address.ErrNetwork},
		{"bitcoin", "bitcoin:?lightning=" + invoice, "", address.ErrPaymentRequest},
		{"bitcoin", "bitcoin:" + testBTC + "?bc=" + testBTC, testBTC, nil},
		{"bitcoin", "bitcoin:?bc=" + strings.ToUpper(testBC1), testBC1, nil},
		{"bitcoin", "bitcoin:?bc=" + testBTC[:33] + "h", "", address.ErrChecksum},
		{"bitcoin-cash", "bitcoincash:" + testCash + "?address=" + testBTC, "bitcoincash:" + testCash, nil},
		{"zcash", "zcash:?address=t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs", "t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs", nil},
	} {
		a, err := address.Normalize(tt.chain, tt.text)
		if !errors.Is(err, tt.err) || a.Normalized() != tt.want {
			t.Errorf("Normalize(%s, %q) = %v, %v, want %s, %v", tt.chain, tt.text, a, err, tt.want, tt.err)
		}
	}
}

// A capital X, which some programs print, is the prefix of an EVM address in lower case, too.
func TestInterpretCapitalPrefix(t *testing.T) {
	rd := address.Interpret("", "0X098b716b8aaf21512996dc57eb0615e2383e2f96")
	if rd.Err != nil || !slices.ContainsFunc(rd.Addresses, func(a address.Address) bool { return a.Chain() == "ethereum" }) {
		t.Errorf("%+v, want the account on ethereum among them", rd)
	}
}
