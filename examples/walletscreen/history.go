package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

// A historyCall is a call of the command history.
type historyCall struct {
	*program
	lists listOptions
	chain string
	json  bool
}

func (p *program) historyCommand() *cli.Command {
	h := &historyCall{program: p}
	return &cli.Command{
		Name:      "history",
		Usage:     "shows when lists had an address, and since when not",
		UsageText: "walletscreen history [flags] ADDRESS...",
		Description: "Each line is a list that has the account, or had it. FROM is when the list is known to have\n" +
			"had it first, and NOT ON the last day before on which the list is known not to have had it.\n" +
			"UNTIL is the first day on which it did not have it any more; of a list that has it now, it is\n" +
			"now. The bundled lists know the past of the SDN List since July 2021; of other lists it is known\n" +
			"from when -data or -db keeps them.\n\n" +
			"Exit codes: 0 if no list has or had it, 1 if one has or had it, 2 if something could not be\n" +
			"decided. 2 wins over 1.",
		Flags: append([]cli.Flag{
			p.text("chain", "", "`chain` of the addresses, by any of its names (default: detected)", &h.chain),
			p.flag("json", "print one JSON object a line, as screen -json does", &h.json),
		}, p.listFlags(&h.lists)...),
		Action: h.run,
	}
}

func (h *historyCall) run(ctx context.Context, c *cli.Command) error {
	if !c.Args().Present() {
		return errors.New("history: want an ADDRESS")
	}
	screener, err := h.openLists(ctx, h.lists)
	if err != nil {
		return err
	}
	j := newJudge(screener, h.chain)
	for i, arg := range c.Args().Slice() {
		for _, v := range j.payees(j.screen("", arg)) {
			if h.json {
				err = writeJSON(h.stdout, v.object())
			} else {
				if i > 0 {
					fmt.Fprintln(h.stdout)
				}
				err = h.print(&v)
			}
			if err != nil {
				return err
			}
			switch {
			case v.isUndecided():
				h.code = exitUndecided
			case h.code == exitClean && len(v.result.Labels)+len(v.result.Suppressed)+len(v.result.Formerly) > 0:
				h.code = exitMatch
			}
		}
	}
	if !h.json {
		fmt.Fprintln(h.stderr)
		j.printLists(h.stderr)
	}
	return nil
}

// print prints the history of an account for people.
func (h *historyCall) print(v *verdict) error {
	r := &v.result
	fmt.Fprintf(h.stdout, "%.200s\n", v.shown())
	if v.err != nil {
		fmt.Fprintf(h.stdout, "  %v\n", v.err)
	}
	for _, d := range r.Doubts {
		fmt.Fprintf(h.stdout, "  %s\n", d.Explain())
	}
	t := layout{indent: "  "}
	t.add("FROM", "NOT ON", "UNTIL", "LIST", "MATCH", "NAME")
	for i := range r.Labels {
		l := &r.Labels[i]
		t.add(day(l.AddedAt), day(l.NotListedOn), "now", strings.TrimSpace(l.Source+" "+l.Ref), l.Match.String(), l.Name)
	}
	for i := range r.Suppressed {
		l := &r.Suppressed[i]
		t.add(day(l.AddedAt), day(l.NotListedOn), "now", strings.TrimSpace(l.Source+" "+l.Ref), l.Match.String()+", suppressed", l.Name)
	}
	for _, f := range r.Formerly {
		t.add(day(f.Since), "-", day(f.Until), strings.TrimSpace(f.Source+" "+f.Ref), "formerly", f.Name)
	}
	if len(t.rows) == 1 && v.err == nil {
		_, err := fmt.Fprintln(h.stdout, "  no list is known to have it, or to have had it")
		return err
	}
	if len(t.rows) == 1 {
		return nil
	}
	return t.print(h.stdout)
}
