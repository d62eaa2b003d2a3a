package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// A screenCall is a call of the command screen.
type screenCall struct {
	*program
	lists listOptions
	table tableOptions
	json  bool

	receipt, receiptKey string // files
}

func (p *program) screenCommand() *cli.Command {
	s := &screenCall{program: p}
	return &cli.Command{
		Name:  "screen",
		Usage: "screens addresses, or each row of a table",
		UsageText: "walletscreen screen [flags] ADDRESS...\n" +
			"walletscreen screen -in FILE -out FILE [flags]",
		Description: "A table is CSV with any delimiter, TSV or JSON lines, and may be compressed with gzip; - is the\n" +
			"standard input or output. Each row of -in is one row of -out, in the same order, with the\n" +
			"columns level, score, match, source, source_ref, name and listed_address of the most severe\n" +
			"label, labels (how many there are), and error; where the table has such a column, its name begins\n" +
			"with walletscreen_. A row that cannot be screened says why in error, and has a level only if\n" +
			"something was found anyway.\n\n" +
			"Exit codes: 0 if all are clean, 1 if something is listed, 2 if something could not be\n" +
			"decided: an invalid address, a missing or an old list. 2 wins over 1.",
		Flags: slices.Concat(
			p.tableFlags(&s.table),
			[]cli.Flag{p.flag("json", "print results as JSON: one object a line for each ADDRESS; of a table, the summary", &s.json),
				p.text("receipt", "", "`file` to which a receipt of each ADDRESS is appended: see docs/receipt.md", &s.receipt),
				p.text("receipt-key", "", "`file` with the private key that signs receipts; receipt key makes one", &s.receiptKey),
			},
			p.listFlags(&s.lists),
		),
		Action: s.run,
	}
}

func (s *screenCall) run(ctx context.Context, c *cli.Command) error {
	args := c.Args().Slice()
	if err := s.table.check("screen", args); err != nil {
		return err
	}
	switch {
	case s.receipt != "" && s.table.in != "":
		return errors.New("screen: -receipt is for addresses of the command line, not for -in")
	case s.receiptKey != "" && s.receipt == "":
		return errors.New("screen: -receipt-key needs -receipt")
	}
	screener, err := s.openLists(ctx, s.lists)
	if err != nil {
		return err
	}
	j, err := newJudge(screener, s.table.chain)
	if err != nil {
		return err
	}
	if s.table.in != "" {
		return s.screenTable(ctx, j)
	}
	return s.screenArguments(j, args)
}

// screenArguments screens the addresses of the command line.
func (s *screenCall) screenArguments(j *judge, args []string) error {
	var receipts *receiptFile
	if s.receipt != "" {
		var err error
		if receipts, err = openReceipts(s.receipt, s.receiptKey); err != nil {
			return err
		}
	}
	var total tally
	for i, arg := range args {
		r, err := j.screen(nil, []byte(arg))
		v := singleVerdict{Input: arg, Result: r, Err: err}
		total.addResult(&r, err)
		if receipts != nil {
			if err := receipts.add(j.asked, strings.TrimSpace(arg), r, err); err != nil {
				return errors.Join(fmt.Errorf("-receipt: %w", err), receipts.close())
			}
		}
		if s.json {
			err = writeJSON(s.stdout, v.object())
		} else {
			if i > 0 {
				fmt.Fprintln(s.stdout)
			}
			err = v.print(s.stdout)
		}
		if err != nil {
			return err
		}
	}
	if !s.json {
		fmt.Fprintln(s.stderr)
		printLists(s.stderr, j.screener.Sources())
	}
	s.code = total.code()
	if receipts != nil {
		if err := receipts.close(); err != nil {
			return fmt.Errorf("-receipt: %w", err)
		}
		if receipts.missing > 0 {
			fmt.Fprintf(s.stderr, "walletscreen: %d of %d addresses have no receipt: undecided, or possibly a private key\n", receipts.missing, len(args))
			s.code = exitUndecided
		}
	}
	return nil
}

// writeJSON writes v as one line.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// A singleVerdict is the verdict about an address of the command line.
type singleVerdict struct {
	Input  string
	Result screening.Result
	Err    error
}

// print prints the verdict for people.
func (v *singleVerdict) print(w io.Writer) error {
	r := &v.Result
	shown := clean(v.Input)
	a := r.Address
	if a.IsValid() {
		shown = string(a.Chain()) + " " + a.Normalized()
	}
	if v.Err != nil && len(r.Labels) == 0 {
		shown = clean(v.Input)
		if hidesInput(v.Err, v.Input) {
			shown = "(not shown)"
		}
		_, err := fmt.Fprintf(w, "UNDECIDED  %.200s\n  %v\n", shown, v.Err)
		return err
	}
	if _, err := fmt.Fprintf(w, "%s  %d  %s\n", r.Level, r.Score, shown); err != nil {
		return err
	}
	if v.Err != nil {
		fmt.Fprintf(w, "  %v\n", v.Err)
	} else if _, err := address.Parse(a.Chain(), strings.TrimSpace(v.Input)); errors.Is(err, address.ErrChecksum) {
		// The screener does not take letter case for a doubt, but a person can compare.
		fmt.Fprintln(w, "  the capitals do not match the checksum of the address: compare it with the original")
	}
	t := layout{indent: "  "}
	for _, l := range r.Labels {
		t.add(string(l.Kind), l.Match.String()+" match", strings.TrimSpace(l.Source+" "+l.Ref), clean(l.Name), said(&l))
	}
	for _, l := range r.Suppressed {
		t.add("suppressed", l.Match.String()+" match", strings.TrimSpace(l.Source+" "+l.Ref), clean(l.Name), clean(l.Reason))
	}
	return t.print(w)
}

// dates returns when an address was added to a list, and when its entity was. The lists of
// authorities date the entity, not its addresses, which they may have added later.
func dates(l *screening.Label) (added, entity time.Time) {
	if l.Kind.Official() {
		return time.Time{}, l.AddedAt
	}
	return l.AddedAt, time.Time{}
}

// said returns what the list of l says about when and how the address is listed.
func said(l *screening.Label) string {
	added, entity := dates(l)
	switch {
	case !entity.IsZero():
		return "entity listed " + day(entity) + ", as " + clean(l.Listed)
	case !added.IsZero():
		return "listed " + day(added) + " as " + clean(l.Listed)
	}
	return "listed as " + clean(l.Listed)
}

// hidesInput reports whether text, for which screening or validating returned err, must
// not be shown: it is a private key or a seed, or an LNURL, or 64 hex digits, which can be
// a key.
func hidesInput(err error, text string) bool {
	text = strings.TrimPrefix(strings.TrimSpace(text), "0x")
	return errors.Is(err, address.ErrSecret) || errors.Is(err, address.ErrPaymentRequest) ||
		errors.Is(err, address.ErrSyntax) && len(text) == 64 && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// clean returns s without characters that a terminal or a table would act on.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}

// day returns the day of t, or a dash for none.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

// A jsonLabel is a label of a jsonResult.
type jsonLabel struct {
	Kind          score.Kind `json:"kind"`
	Match         string     `json:"match"`
	Points        int        `json:"points"`
	Source        string     `json:"source"`
	SourceRef     string     `json:"source_ref"`
	Name          string     `json:"name"`
	ListedAddress string     `json:"listed_address"`
	AddedAt       *time.Time `json:"added_at,omitempty"`
	EntityListed  *time.Time `json:"entity_listed_at,omitempty"` // then the list does not date the address
}

func newJSONLabel(l *screening.Label) jsonLabel {
	added, entity := dates(l)
	return jsonLabel{l.Kind, l.Match.String(), l.Points, l.Source, l.Ref, l.Name, l.Listed, orNull(added), orNull(entity)}
}

// A jsonResult is the verdict about an address for programs. Without a level there is
// none, and error says why.
type jsonResult struct {
	Input          string      `json:"input,omitempty"` // left out if it may be a secret
	Chain          string      `json:"chain,omitempty"`
	Address        string      `json:"address,omitempty"`
	Level          score.Level `json:"level,omitempty"`
	Score          *int        `json:"score,omitempty"`
	Labels         []jsonLabel `json:"labels,omitempty"`
	ScoringVersion string      `json:"scoring_version,omitempty"`
	Snapshot       string      `json:"snapshot,omitempty"`
	Error          string      `json:"error,omitempty"`
}

func (v *singleVerdict) object() jsonResult {
	r := &v.Result
	o := jsonResult{Input: v.Input}
	if v.Err != nil {
		o.Error = v.Err.Error()
		if hidesInput(v.Err, v.Input) {
			o.Input = ""
		}
		if len(r.Labels) == 0 {
			return o
		}
	}
	o.Level, o.Score, o.ScoringVersion, o.Snapshot = r.Level, &r.Score, r.ScoringVersion, r.Digest()
	if a := r.Address; a.IsValid() {
		o.Chain, o.Address = string(a.Chain()), a.Normalized()
	}
	for _, l := range r.Labels {
		o.Labels = append(o.Labels, newJSONLabel(&l))
	}
	return o
}

// A tally counts verdicts.
type tally struct {
	levels    map[score.Level]int64
	undecided int64 // rows with an error
	rows      int64
}

func (t *tally) add(level score.Level, failed bool) {
	if t.levels == nil {
		t.levels = make(map[score.Level]int64)
	}
	t.rows++
	if level != "" {
		t.levels[level]++
	}
	if failed {
		t.undecided++
	}
}

// clone returns a copy that does not change with t.
func (t *tally) clone() tally {
	c := *t
	c.levels = maps.Clone(t.levels)
	return c
}

func (t *tally) addResult(r *screening.Result, err error) {
	if err != nil && len(r.Labels) == 0 {
		t.add("", true)
		return
	}
	t.add(r.Level, err != nil)
}

// code returns the exit code.
func (t *tally) code() int {
	switch {
	case t.undecided > 0:
		return exitUndecided
	case len(t.levels) > 0 && t.rows > t.levels[score.CleanNoMatch]:
		return exitMatch
	}
	return exitClean
}

// count returns n things, as "1 row" or "2 rows".
func count(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// grouped returns n with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
