package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v3"
)

func (p *program) historyCommand() *cli.Command {
	h := &screenCall{program: p, history: true}
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
			p.text("chain", "", "`chain` of the addresses, by any of its names (default: detected)", &h.table.chain),
			p.flag("json", "print one JSON object a line, as screen -json does", &h.json),
		}, p.listFlags(&h.lists)...),
		Action: func(ctx context.Context, c *cli.Command) error {
			if !c.Args().Present() {
				return errors.New("history: want an ADDRESS")
			}
			j, err := h.newJudge(ctx)
			if err != nil {
				return err
			}
			return h.screenArguments(ctx, j, c.Args().Slice())
		},
	}
}
