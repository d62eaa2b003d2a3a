package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/internal/correct"
	"github.com/walletscreen/walletscreen/internal/secret"
)

func (p *program) validateCommand() *cli.Command {
	var table tableOptions
	return p.command("validate", "[flags] ADDRESS...\n-in FILE -out FILE [flags]", "validates addresses, and says what is wrong and where",
		"It needs no list. It reads a text as screen does: blanks, URIs, links and CAIP-10 around an\n"+
			"address do not matter, and it prints the normal form that screen uses. A doubt, such as capitals\n"+
			"that do not verify, stands beside it.\n"+
			"Tables are those of screen; the columns that are added are valid, chain_detected, normalized,\n"+
			"doubt, reason, offset and error.\n\n"+
			"Exit codes: 0 if all are valid and without a doubt, 2 if not.",
		append(table.flags(), boolFlag("json", "print one JSON object a line; of a table, the summary", &p.json)), func(ctx context.Context, args []string) error {
			if err := table.check(args); err != nil {
				return err
			}
			if err := checkChain(table.chain); err != nil {
				return err
			}
			if table.in != "" {
				return p.validateTable(ctx, table)
			}
			for i, arg := range args {
				v := validate(table.chain, arg)
				if !v.isSure() {
					p.code = exitUndecided
					v.Correction = corrected(table.chain, v.Input)
				}
				if p.json {
					p.printJSON(v)
					continue
				}
				if i > 0 {
					fmt.Fprintln(p)
				}
				v.print(p)
			}
			return nil
		})
}

// validationColumns are the columns that validate adds to a table.
var validationColumns = []rows.Column{
	{Name: "valid", Type: rows.Bool}, {Name: "chain_detected", Type: rows.Exact}, {Name: "normalized", Type: rows.Exact}, {Name: "doubt", Type: rows.Exact},
	{Name: "reason"}, {Name: "offset", Type: rows.Number}, {Name: "error"},
}

func (p *program) validateTable(ctx context.Context, options tableOptions) error {
	job := &tableJob{program: p, options: options, add: validationColumns, cells: func(dst []string, row *rows.Row, total *tally) []string {
		v := validateRow(options.chain, row)
		total.count("", !v.isSure())
		chain, normalized, offset := "", "", ""
		if v.Valid && len(v.Addresses) > 0 {
			chain, normalized = string(v.Addresses[0].Chain), v.Addresses[0].Normalized
		}
		if v.Offset != nil {
			offset = strconv.Itoa(*v.Offset)
		}
		return append(dst, strconv.FormatBool(v.Valid), chain, normalized, joinDoubts(v.Doubts), v.Reason, offset, v.Error)
	}}
	err := job.run(ctx)
	if err != nil && job.total.rows == 0 {
		return err
	}
	if p.json {
		err = errors.Join(err, writeJSON(job.besideTable(), map[string]any{"rows": job.total.rows, "valid": job.total.rows - job.total.undecided, "invalid": job.total.undecided, "columns": job.columns}))
	} else {
		fmt.Fprintf(p.stderr, "%s, %s valid, %s invalid\n", counted(job.total.rows, "row"), grouped(job.total.rows-job.total.undecided), grouped(job.total.undecided))
		job.printColumns(p.stderr)
	}
	p.code = job.total.code()
	return err
}

func validateRow(chain string, row *rows.Row) validation {
	if row.Err != nil {
		return validation{Error: row.Err.Error(), Reason: "bad_format"}
	}
	if s := strings.TrimSpace(row.Chain); s != "" {
		chain = s
	}
	if len(row.Address) == 0 {
		return validation{Error: errNoAddress.Error(), Reason: "bad_length"}
	}
	return validate(chain, row.Address)
}

// A validation is the result of validate for one text.
type validation struct {
	Input     string          `json:"input,omitempty"` // left out if it is a secret
	Valid     bool            `json:"valid"`
	Addresses []spelling      `json:"addresses,omitempty"` // most specific first
	Doubts    []address.Doubt `json:"doubts,omitempty"`
	Error     string          `json:"error,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Offset    *int            `json:"offset,omitempty"` // of the first wrong byte
	Hint      string          `json:"hint,omitempty"`

	Correction *correct.Correction `json:"correction,omitempty"` // of a single text
}

// isSure reports whether the text is an address without a doubt.
func (v *validation) isSure() bool { return v.Valid && len(v.Doubts) == 0 }

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
	id, _ := a.CAIP10()
	s.CAIP10 = strings.Replace(id, a.Display(), s.Normalized, 1)
	if k, ok := a.Key(); ok {
		s.Key = k.String()
	}
	return s
}

// validate explains text, on the named chain if the name is not empty.
func validate(chain, text string) validation {
	rd := address.Interpret(chain, text)
	v := validation{Input: text, Doubts: rd.Doubts}
	if rd.Err != nil {
		return v.fail(explainChain(chain, rd.Err))
	}
	for _, a := range rd.Addresses {
		v.Addresses = append(v.Addresses, newSpelling(a))
	}
	if rd.Several {
		return v.fail(&address.ParseError{Chain: rd.Chain, Offset: -1, Err: address.ErrSeveral})
	}
	v.Valid = true
	return v
}

// fail returns v with the reason.
func (v validation) fail(err error) validation {
	v.Error = err.Error()
	p, ok := errors.AsType[*address.ParseError](err)
	if !ok {
		return v
	}
	v.Reason = causeOf(err).name
	if p.Offset >= 0 {
		v.Offset = &p.Offset
	}
	if secret.Hides(err, v.Input) {
		v.Input = ""
		return v
	}
	v.Hint = p.Hint()
	return v
}

func (v *validation) print(w io.Writer) {
	switch {
	case !v.Valid:
		v.printInvalid(w)
	case len(v.Doubts) > 0:
		fmt.Fprintf(w, "DOUBT    %s\n", clean(v.Input))
	default:
		fmt.Fprintf(w, "valid    %s\n", clean(v.Input))
	}
	for _, d := range v.Doubts {
		fmt.Fprintf(w, "  %s\n", d.Explain())
	}
	if v.Correction != nil {
		fmt.Fprintln(w, fold("  "+v.Correction.Explain()))
	}
	t := layout{indent: "  ", wide: true}
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
	t.print(w)
}

func (v *validation) printInvalid(w io.Writer) {
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
	fmt.Fprintf(w, "INVALID  %s\n%s  %s\n%s", shown, mark, v.Error, hint)
}
