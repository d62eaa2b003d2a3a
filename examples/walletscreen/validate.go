package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/address"
)

func (p *program) validateCommand() *cli.Command {
	var chain string
	var asJSON bool
	return &cli.Command{
		Name:      "validate",
		Usage:     "says which address a text is, or what is wrong with it and where",
		UsageText: "walletscreen validate [flags] ADDRESS...",
		Description: "It needs no list. An address is valid if a wallet should accept it: its checksum and EIP-55\n" +
			"capitals verify, it has no blanks, and it is of a main network.\n\n" +
			"Exit codes: 0 if all are valid, 2 if not.",
		Flags: []cli.Flag{
			p.text("chain", "", "`chain` of the addresses (default: each that fits)", &chain),
			p.flag("json", "print one JSON object a line", &asJSON),
		},
		Action: func(_ context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			if len(args) == 0 {
				return errors.New("validate: want an ADDRESS")
			}
			slug := address.Chain("")
			if chain != "" {
				var err error
				if slug, err = parseChain(chain); err != nil {
					return fmt.Errorf("-chain: %w", err)
				}
			}
			for i, arg := range args {
				v := validate(slug, arg)
				if !v.Valid {
					p.code = exitUndecided
				}
				if asJSON {
					if err := writeJSON(p.stdout, v); err != nil {
						return err
					}
					continue
				}
				if i > 0 {
					fmt.Fprintln(p.stdout)
				}
				p.printValidation(v)
			}
			return nil
		},
	}
}

// A validation is what validate says of one text.
type validation struct {
	Input     string     `json:"input,omitempty"` // left out if it may be a secret
	Valid     bool       `json:"valid"`
	Addresses []spelling `json:"addresses,omitempty"` // most specific first
	Error     string     `json:"error,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	Offset    *int       `json:"offset,omitempty"` // of the first wrong byte
	Hint      string     `json:"hint,omitempty"`
}

// A spelling is a text as an address of one chain.
type spelling struct {
	Chain      address.Chain `json:"chain"`
	Normalized string        `json:"normalized"`
	Canonical  string        `json:"canonical"`
	CAIP10     string        `json:"caip10,omitempty"`
	Key        string        `json:"key,omitempty"`
}

func newSpelling(a address.Address) spelling {
	s := spelling{Chain: a.Chain(), Normalized: a.Normalized(), Canonical: a.Canonical().String()}
	if id := a.Chain().CAIP2(); id != "" {
		s.CAIP10 = id + ":" + a.Normalized()
	}
	if k, ok := a.Key(); ok {
		s.Key = k.String()
	}
	return s
}

// validate says what text is, on chain c if that is not empty.
func validate(c address.Chain, text string) validation {
	v := validation{Input: text}
	if c != "" {
		a, err := address.Parse(c, text)
		if err != nil {
			return v.fail(err, c)
		}
		v.Valid, v.Addresses = true, []spelling{newSpelling(a)}
		return v
	}
	all := address.Detect(text)
	found, err := detect(text)
	if len(all) > 0 && len(found) > 0 {
		for _, a := range all {
			v.Addresses = append(v.Addresses, newSpelling(a))
		}
		v.Valid = true
		return v
	}
	c = "ethereum"
	if a, e := detect(strings.TrimSpace(text)); len(a) == 1 && e == nil {
		c = a[0].Chain()
	}
	if _, e := address.Normalize(c, text); e == nil { // only Parse is stricter
		_, err = address.Parse(c, text)
		return v.fail(err, c)
	}
	return v.fail(err, "")
}

// fail returns v with the reason. On chain c, if it is not empty, a tolerant reading is
// tried for the hint.
func (v validation) fail(err error, c address.Chain) validation {
	v.Error = err.Error()
	var p *address.ParseError
	if !errors.As(err, &p) {
		return v
	}
	for _, r := range []struct {
		err  error
		name string
	}{{address.ErrSecret, "secret"}, {address.ErrOtherChain, "wrong_chain"}, {address.ErrNetwork, "wrong_network"}, {address.ErrChecksum, "bad_checksum"},
		{address.ErrLength, "bad_length"}, {address.ErrCharset, "bad_charset"}, {address.ErrChain, "unsupported_chain"}, {address.ErrSyntax, "bad_format"}} {
		if errors.Is(err, r.err) {
			v.Reason = r.name
			break
		}
	}
	if p.Offset >= 0 {
		v.Offset = &p.Offset
	}
	if errors.Is(err, address.ErrSecret) {
		v.Input = ""
		return v
	}
	v.Hint = p.Hint()
	if a, e := address.Normalize(c, v.Input); e == nil && v.Hint == "" {
		v.Hint = "screening reads it as " + a.String()
	}
	return v
}

// printValidation prints v for people.
func (p *program) printValidation(v validation) {
	if v.Valid {
		fmt.Fprintf(p.stdout, "valid    %s\n", clean(v.Input))
		t := layout{indent: "  "}
		for i, a := range v.Addresses {
			if i == 8 {
				t.add(fmt.Sprintf("and %d other chains", len(v.Addresses)-i), "", "", "")
				break
			}
			also := ""
			if a.Canonical != string(a.Chain)+":"+a.Normalized {
				also = "the same account as " + a.Canonical
			}
			t.add(string(a.Chain), a.Normalized, a.Key, also)
		}
		t.print(p.stdout)
		return
	}
	if v.Input == "" {
		fmt.Fprintf(p.stdout, "INVALID  (not shown)\n  %s\n", v.Error)
		return
	}
	fmt.Fprintf(p.stdout, "INVALID  %.200s\n", clean(v.Input))
	if v.Offset != nil && *v.Offset < min(200, len(v.Input)) {
		fmt.Fprintf(p.stdout, "         %*s\n", *v.Offset+1, "^")
	}
	fmt.Fprintf(p.stdout, "  %s\n", v.Error)
	if v.Hint != "" && !strings.Contains(v.Error, v.Hint) {
		fmt.Fprintf(p.stdout, "  %s\n", v.Hint)
	}
}
