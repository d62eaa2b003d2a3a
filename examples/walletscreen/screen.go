package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

// A screenCall is a call of the command screen, or of history.
type screenCall struct {
	*program
	table   tableOptions
	history bool

	at                  string
	receipt, receiptKey string // files
	report              string // a file
}

func (p *program) screenCommand() *cli.Command {
	s := &screenCall{program: p}
	return p.command("screen", "[flags] ADDRESS...\n-in FILE -out FILE [-report FILE.html] [flags]\n-data DIR -at 2026-03-01 ADDRESS...",
		"screens addresses, or each row of a table",
		"A table is CSV with any delimiter, TSV, JSON lines or a workbook (XLSX), and may be compressed\n"+
			"with gzip; - is the standard input or output. Each row of -in is one row of -out, in the same order, with columns\n"+
			"added, such as level, doubt, score, source, name, lists, suppressed and error; where the table\n"+
			"has such a column, its name begins with walletscreen_. A row with a doubt or an error has a level\n"+
			"only if it is listed.\n\n"+
			"Exit codes: 0 if all are clean, 1 if something is listed, 2 if something could not be\n"+
			"decided: a doubt, an invalid address, a missing or an old list. 2 wins over 1.",
		slices.Concat(
			s.table.flags(),
			[]cli.Flag{boolFlag("json", "print results as JSON: one object a line for each ADDRESS; of a table, the summary", &s.json),
				textFlag("at", "", "`day` or time of the past: screen with the lists that were answered from at its end, which -data or -db keeps; of a day before the first start, with what is known of the past of the bundled lists", &s.at),
				textFlag("report", "", "`file` to which a report of a table is written, to read or to print: HTML, or JSON if its name ends with .json", &s.report),
				textFlag("receipt", "", "`file` to which a receipt of each ADDRESS, or of the table, is appended: see docs/receipt.md", &s.receipt),
				textFlag("receipt-key", "", "`file` with the private key that signs receipts; receipt key makes one", &s.receiptKey),
			},
			s.lists.flags(),
		), s.run)
}

func (p *program) historyCommand() *cli.Command {
	h := &screenCall{program: p, history: true}
	return p.command("history", "[flags] ADDRESS...", "shows when lists had an address, and since when not",
		"Each line is a list that has the account, or had it. FROM is when the list is known to have\n"+
			"had it first, and NOT ON the last day before on which the list is known not to have had it.\n"+
			"UNTIL is the first day on which it did not have it any more; of a list that has it now, it is\n"+
			"now. The bundled lists know the past of the SDN List since July 2021; of other lists it is known\n"+
			"from when -data or -db keeps them.\n\n"+
			"Exit codes: 0 if no list has or had it, 1 if one has or had it, 2 if something could not be\n"+
			"decided. 2 wins over 1.",
		append([]cli.Flag{
			textFlag("chain", "", "`chain` of the addresses, by any of its names (default: detected)", &h.table.chain),
			boolFlag("json", "print one JSON object a line, as screen -json does", &h.json),
		}, h.lists.flags()...), func(ctx context.Context, args []string) error {
			if len(args) == 0 {
				return errors.New("want an ADDRESS")
			}
			j, err := h.newJudge(ctx)
			if err != nil {
				return err
			}
			return h.screenArguments(ctx, j, args)
		})
}

func (s *screenCall) run(ctx context.Context, args []string) error {
	if err := s.table.check(args); err != nil {
		return err
	}
	if err := s.checkFiles(); err != nil {
		return err
	}
	if s.table.in != "" {
		if err := checkChain(s.table.chain); err != nil {
			return err
		}
	}
	j, err := s.newJudge(ctx)
	if err != nil {
		return err
	}
	if s.table.in != "" {
		return s.screenTable(ctx, j)
	}
	return s.screenArguments(ctx, j, args)
}

// checkFiles checks the flags of the receipt and the report.
func (s *screenCall) checkFiles() error {
	switch {
	case s.receipt == "-" || s.report == "-":
		return errors.New("-receipt and -report want the name of a file")
	case s.sameFile(s.receiptKey, s.receipt) || s.sameFile(s.receiptKey, s.report) || s.sameFile(s.receiptKey, s.table.out):
		return fmt.Errorf("-receipt-key is the same file as -receipt, -report or -out, %s: the key would be lost", s.receiptKey)
	case s.receipt != "" && (s.sameFile(s.table.in, s.receipt) || s.sameFile(s.receipt, s.table.out) || s.report != "" && s.sameFile(s.receipt, s.report)):
		return fmt.Errorf("-receipt is the same file as -in, -out or -report, %s", s.receipt)
	case s.report != "" && s.table.in == "":
		return errors.New("-report is about a table, and needs -in")
	case s.report != "" && (s.sameFile(s.table.in, s.report) || s.sameFile(s.report, s.table.out)):
		return fmt.Errorf("-report is the same file as -in or -out, %s", s.report)
	case s.receipt != "" && s.at != "":
		return errors.New("-receipt is for verdicts of now, not for -at")
	case s.receiptKey != "" && s.receipt == "":
		return errors.New("-receipt-key needs -receipt")
	}
	return nil
}

// newJudge returns a judge with the lists of now, or of -at.
func (s *screenCall) newJudge(ctx context.Context) (*judge, error) {
	if s.at == "" {
		screener, err := s.openLists(ctx)
		if err != nil {
			return nil, err
		}
		return &judge{screener: screener, chain: s.table.chain}, nil
	}
	at, err := parsePast(s.at, time.Now())
	if err != nil {
		return nil, fmt.Errorf("-at %w", err)
	}
	past, err := s.openPast(ctx, at)
	if err != nil {
		return nil, err
	}
	return &judge{screener: past, chain: s.table.chain, asOf: at}, nil
}

// printLists prints which lists the verdicts come from, and their caveats.
func (j *judge) printLists(w io.Writer) {
	if !j.asOf.IsZero() {
		fmt.Fprintf(w, "as of %s:\n", minute(j.asOf))
	}
	printLists(w, j.screener.Sources(), cmp.Or(j.asOf, time.Now()))
	for _, text := range caveatTexts(j.caveats()) {
		fmt.Fprintln(w, fold("caveat: "+text))
	}
}

func (s *screenCall) screenArguments(ctx context.Context, j *judge, args []string) error {
	var receipts *receiptFile
	if s.receipt != "" {
		var err error
		if receipts, err = openReceipts(s.receipt, s.receiptKey); err != nil {
			return err
		}
	}
	var total tally
	accounts, had := 0, false // how many there are; whether one is suppressed, or was listed
	for _, arg := range args {
		whole := j.screen("", arg)
		all := j.payees(whole)
		total.addPayees(all)
		for i := range all {
			v := &all[i]
			accounts++
			had = had || len(v.result.Suppressed)+len(v.result.Formerly) > 0
			if receipts != nil {
				if err := receipts.add(v, j.screener); err != nil {
					return errors.Join(fmt.Errorf("-receipt: %w", err), receipts.close(ctx, s.program, nil))
				}
			}
			if s.json {
				o := v.object()
				o.AsOf = orNull(j.asOf)
				s.printJSON(o)
				continue
			}
			if accounts > 1 {
				fmt.Fprintln(s)
			}
			v.print(s, s.hasColors(), s.history)
		}
	}
	if !s.json {
		fmt.Fprintln(s.stderr)
		j.printLists(s.stderr)
	}
	if s.code = total.code(); s.history && had && s.code == exitClean {
		s.code = exitMatch
	}
	if receipts != nil {
		if err := receipts.close(ctx, s.program, j.answered); err != nil {
			return err
		}
		if receipts.missing > 0 {
			fmt.Fprintf(s.stderr, "walletscreen: %d of %d addresses have no receipt: undecided, or possibly a private key\n", receipts.missing, accounts)
			s.code = exitUndecided
		}
	}
	return nil
}

// hasColors reports whether the standard output is a terminal that shows colors.
func (p *program) hasColors() bool {
	return isTerminal(p.stdout) && p.lookup("NO_COLOR") == "" && p.lookup("TERM") != "dumb"
}

// paint returns the heading of a verdict in the color of its level.
func (v *verdict) paint(heading string) string {
	color := "31" // red
	switch {
	case !v.hasLevel() || v.result.Level == score.Medium:
		color = "33" // yellow
	case v.result.Level == score.CleanNoMatch:
		color = "32" // green
	}
	return "\x1b[" + color + "m" + heading + "\x1b[0m"
}

// print prints the verdict for people, or the history of the account.
func (v *verdict) print(w io.Writer, colors, history bool) {
	r := &v.result
	heading, but := "UNDECIDED", "no match, but "
	if v.hasLevel() {
		heading, but = fmt.Sprintf("%s  %d", r.Level, r.Score), ""
	}
	if colors {
		heading = v.paint(heading)
	}
	heading += "  "
	if history {
		heading, but = "", ""
	}
	fmt.Fprintf(w, "%s%.200s\n", heading, v.shown())
	if v.err != nil {
		fmt.Fprintln(w, fold("  "+v.err.Error()))
	}
	for _, d := range r.Doubts {
		fmt.Fprintln(w, fold("  "+but+d.Explain()))
	}
	if v.isUndecided() && !v.isListed() && !v.hides() {
		if c := corrected(string(v.reading.Chain), v.input); c != nil {
			fmt.Fprintln(w, fold("  "+c.Explain()))
		}
	}
	if v.reading.Note != "" {
		fmt.Fprintln(w, fold("  "+clean(v.reading.Note)))
	}
	t := v.matches(history)
	t.print(w)
}

// matches returns the table of the matches, suppressed and former ones included, or the history.
func (v *verdict) matches(history bool) layout {
	t := layout{indent: "  "}
	if history {
		t.add("FROM", "NOT ON", "UNTIL", "LIST", "MATCH", "NAME")
	}
	add := func(l *screening.Label, kind, suppressed, said string) {
		list := strings.TrimSpace(l.Source + " " + l.Ref)
		if history {
			t.add(day(l.AddedAt), day(l.NotListedOn), "now", list, l.Match.String()+suppressed, l.Name)
			return
		}
		t.add(kind, l.Match.String()+" match", list, l.Name, said)
	}
	for i := range v.result.Labels {
		l := &v.result.Labels[i]
		add(l, string(l.Kind), "", listedText(l))
	}
	for i := range v.result.Suppressed {
		l := &v.result.Suppressed[i]
		add(&l.Label, "suppressed", ", suppressed", l.Reason+" ("+l.Author+")")
	}
	for _, f := range v.result.Formerly {
		list := strings.TrimSpace(f.Source + " " + f.Ref)
		if history {
			t.add(day(f.Since), "-", day(f.Until), list, "formerly", f.Name)
			continue
		}
		t.add("formerly listed", "", list, f.Name, day(f.Since)+" to "+day(f.Until)+" as "+f.Listed)
	}
	if history && len(t.rows) == 1 {
		t.rows = nil
		if v.err == nil {
			t.add("no list is known to have it, or to have had it")
		}
	}
	return t
}

// listedText returns what the list of l says about when and how the address is listed.
func listedText(l *screening.Label) string {
	switch {
	case l.AddedAt.IsZero():
		return "listed as " + clean(l.Listed)
	case l.AddedAt.Equal(l.EntityListedAt):
		return "entity listed " + day(l.AddedAt) + ", as " + clean(l.Listed)
	}
	return "listed " + day(l.AddedAt) + " as " + clean(l.Listed)
}

func (s *screenCall) screenTable(ctx context.Context, j *judge) error {
	job := newTableJob(s.program, s.table, j, s.receipt != "" || s.report != "")
	var err error
	var receipts *receiptFile
	var answer screening.Result // of the lists
	var shown *tableReport
	began := time.Now()
	if s.receipt != "" {
		if answer, err = j.screener.Screen(anyAddress); err == nil {
			receipts, err = openReceipts(s.receipt, s.receiptKey)
		}
	}
	if err == nil && s.report != "" {
		shown, err = openReport(s.report)
	}
	if err != nil {
		return err
	}
	if shown != nil {
		j.each = func(row *rows.Row, v *verdict) { shown.add(row, v, job.columns.Own) }
	}
	err = job.run(ctx)
	if receipts != nil {
		var text []byte
		lists := &answer
		if err != nil {
			lists = nil
		} else if text, err = job.receipt(receipt.From(answer, began), j, receipts.signers); err == nil {
			_, err = receipts.file.Write(text)
		}
		if shown != nil {
			shown.Receipt = string(text)
		}
		err = errors.Join(err, receipts.close(ctx, s.program, lists))
	}
	if shown != nil && err == nil {
		err = shown.write(job, j)
	}
	if shown != nil && err != nil {
		shown.discard()
	}
	if err != nil && job.total.rows == 0 {
		return err
	}
	if s.json {
		err = errors.Join(err, writeJSON(job.besideTable(), job.summary(j, err)))
	} else {
		job.printSummary(s.stderr)
		j.printLists(s.stderr)
	}
	s.code = job.total.code()
	return err
}
