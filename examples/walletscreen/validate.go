package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
)

func (p *program) validateCommand() *cli.Command {
	var table tableOptions
	var asJSON bool
	return &cli.Command{
		Name:  "validate",
		Usage: "validates addresses, and says what is wrong and where",
		UsageText: "walletscreen validate [flags] ADDRESS...\n" +
			"walletscreen validate -in FILE -out FILE [flags]",
		Description: "It needs no list. An address is valid if a wallet should accept it: its checksum and EIP-55\n" +
			"capitals verify, it has no blanks, and it is of a main network. Tables are those of screen; the\n" +
			"columns that are added are valid, chain_detected, normalized, reason, offset and error.\n\n" +
			"Exit codes: 0 if all are valid, 2 if not.",
		Flags: append(p.tableFlags(&table), p.flag("json", "print one JSON object a line; of a table, the summary", &asJSON)),
		Action: func(ctx context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			if err := table.check("validate", args); err != nil {
				return err
			}
			chain := address.Chain("")
			if table.chain != "" {
				var err error
				if chain, err = parseChain(table.chain); err != nil {
					return fmt.Errorf("-chain: %w", err)
				}
			}
			if table.in != "" {
				return p.validateTable(ctx, table, chain, asJSON)
			}
			for i, arg := range args {
				v := validate(chain, arg)
				if !v.Valid {
					p.code = exitUndecided
				}
				var err error
				if asJSON {
					err = writeJSON(p.stdout, v)
				} else {
					if i > 0 {
						fmt.Fprintln(p.stdout)
					}
					err = v.print(p.stdout)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// validationColumns are the columns that validate adds to a table.
var validationColumns = []rows.Column{
	{Name: "valid", Type: rows.Bool}, {Name: "chain_detected", Type: rows.Exact}, {Name: "normalized", Type: rows.Exact}, {Name: "reason"}, {Name: "offset", Type: rows.Number}, {Name: "error"},
}

// validateTable validates the table of -in.
func (p *program) validateTable(ctx context.Context, options tableOptions, chain address.Chain, asJSON bool) error {
	job := &tableJob{program: p, options: options, add: validationColumns, cells: func(dst []string, row *rows.Row, total *tally) []string {
		v := validateRow(chain, row)
		total.add("", !v.Valid)
		if !v.Valid {
			offset := ""
			if v.Offset != nil {
				offset = strconv.Itoa(*v.Offset)
			}
			return append(dst, "false", "", "", v.Reason, offset, v.Error)
		}
		return append(dst, "true", string(v.Addresses[0].Chain), v.Addresses[0].Normalized, "", "", "")
	}}
	err := job.run(ctx)
	if errors.Is(err, errSetup) {
		return errors.Unwrap(err)
	}
	if asJSON {
		to := p.stderr
		if options.out != "" && options.out != "-" {
			to = p.stdout
		}
		writeJSON(to, map[string]any{"rows": job.total.rows, "valid": job.total.rows - job.total.undecided, "invalid": job.total.undecided})
	} else {
		fmt.Fprintf(p.stderr, "%s, %s valid, %s invalid\n", count(job.total.rows, "row"), grouped(job.total.rows-job.total.undecided), grouped(job.total.undecided))
	}
	p.code = job.total.code()
	return err
}

// validateRow validates a row of a table.
func validateRow(chain address.Chain, row *rows.Row) validation {
	if row.Err != nil {
		return validation{Error: row.Err.Error(), Reason: "bad_format"}
	}
	if s := strings.TrimSpace(string(row.Chain)); s != "" {
		c, err := parseChain(s)
		if err != nil {
			return validation{Error: err.Error(), Reason: "unsupported_chain"}
		}
		chain = c
	}
	if len(row.Address) == 0 {
		return validation{Error: errNoAddress.Error(), Reason: "bad_length"}
	}
	return validate(chain, string(row.Address))
}

// A validation is the result of validate for one text.
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

// validate explains text, on chain c if that is not empty.
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
	found, err := detect(text)
	if all := address.Detect(text); len(all) > 0 && len(found) > 0 {
		for _, a := range all {
			v.Addresses = append(v.Addresses, newSpelling(a))
		}
		v.Valid = true
		return v
	}
	r := address.Interpret("", text)
	if err = cmp.Or(err, r.Err); err != nil {
		return v.fail(err, "")
	}
	c = r.Addresses[0].Chain() // only Parse is stricter
	_, err = address.Parse(c, text)
	return v.fail(err, c)
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
	}{{address.ErrSecret, "secret"}, {address.ErrOtherChain, "wrong_chain"}, {address.ErrNetwork, "wrong_network"}, {address.ErrName, "name_not_address"}, {address.ErrPaymentRequest, "payment_request"}, {address.ErrInterop, "interoperable_address"}, {address.ErrChecksum, "bad_checksum"},
		{address.ErrLength, "bad_length"}, {address.ErrCharset, "bad_charset"}, {address.ErrChain, "unsupported_chain"}, {address.ErrSyntax, "bad_format"}} {
		if errors.Is(err, r.err) {
			v.Reason = r.name
			break
		}
	}
	if p.Offset >= 0 {
		v.Offset = &p.Offset
	}
	if hidesInput(err, v.Input) {
		v.Input = ""
		return v
	}
	v.Hint = p.Hint()
	if a, e := address.Normalize(c, v.Input); e == nil && v.Hint == "" {
		v.Hint = "screening reads it as " + a.String()
	}
	return v
}

// print prints v for people.
func (v *validation) print(w io.Writer) error {
	if !v.Valid {
		return v.printInvalid(w)
	}
	if _, err := fmt.Fprintf(w, "valid    %s\n", clean(v.Input)); err != nil {
		return err
	}
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
	return t.print(w)
}

func (v *validation) printInvalid(w io.Writer) error {
	shown, mark, hint := "(not shown)", "", ""
	if v.Input != "" {
		shown = fmt.Sprintf("%.200s", clean(v.Input))
		if v.Offset != nil && *v.Offset < min(200, len(v.Input)) {
			mark = fmt.Sprintf("         %*s\n", *v.Offset+1, "^")
		}
		if v.Hint != "" && !strings.Contains(v.Error, v.Hint) {
			hint = "  " + v.Hint + "\n"
		}
	}
	_, err := fmt.Fprintf(w, "INVALID  %s\n%s  %s\n%s", shown, mark, v.Error, hint)
	return err
}
