package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/score"
)

// tableOptions say which table to read and where to write it.
type tableOptions struct {
	in, out       string
	format        string
	delimiter     string
	addressColumn string
	chainColumn   string
	chain         string
	sheet         string
}

func (o *tableOptions) flags() []cli.Flag {
	return []cli.Flag{
		textFlag("in", "", "table to read, a `file` or - for the standard input", &o.in),
		textFlag("out", "", "`file` to write, or - for the standard output; with .gz at the end it is compressed", &o.out),
		textFlag("chain", "", "`chain` of addresses without one, by any of its names (default: detected)", &o.chain),
		textFlag("address-column", "", "`column` of the addresses, a name or a number from 1 (default: by the usual names)", &o.addressColumn),
		textFlag("chain-column", "", "`column` of the chains, a name or a number from 1 (default: by the usual names)", &o.chainColumn),
		textFlag("format", "", "`format` of the table: csv, tsv or jsonl (default: detected)", &o.format),
		textFlag("delimiter", "", "`character` between columns, or tab (default: detected; of a workbook, a comma in the output)", &o.delimiter),
		textFlag("sheet", "", "`name` of the sheet to read of a workbook (default: the first)", &o.sheet),
	}
}

// check returns an error if the options do not go with each other, or with args.
func (o *tableOptions) check(args []string) error {
	switch {
	case o.in == "" && len(args) == 0 && o.out != "":
		return errors.New("-out needs -in, the table to read")
	case o.in == "" && len(args) == 0:
		return errors.New("want an ADDRESS, or -in FILE for a table; see -help")
	case o.in != "" && len(args) > 0:
		return fmt.Errorf("%w beside -in", unexpected(args[0]))
	case o.in == "" && (o.addressColumn != "" || o.chainColumn != "" || o.format != "" || o.delimiter != "" || o.out != "" || o.sheet != ""):
		return errors.New("-out, -address-column, -chain-column, -format, -delimiter and -sheet need -in")
	case o.format != "" && o.format != "csv" && o.format != "tsv" && o.format != "jsonl":
		return fmt.Errorf("unknown -format %q; want csv, tsv or jsonl", o.format)
	}
	return o.checkDelimiter()
}

// checkDelimiter checks -delimiter, and replaces the name of the tab by the character.
func (o *tableOptions) checkDelimiter() error {
	switch o.delimiter {
	case "tab", `\t`:
		o.delimiter = "\t"
	case "\"", "\n", "\r":
		return fmt.Errorf("-delimiter %q cannot divide columns", o.delimiter)
	}
	if len(o.delimiter) > 1 || o.delimiter > "\x7f" {
		return fmt.Errorf("-delimiter %q: want one ASCII character, or tab", o.delimiter)
	}
	return nil
}

// formatOrName returns -format or the format in the name of the file, and "" if neither says one.
func (o *tableOptions) formatOrName() string {
	if o.format != "" {
		return o.format
	}
	name := strings.TrimSuffix(strings.ToLower(o.in), ".gz")
	if strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".ndjson") {
		return "jsonl"
	}
	return ""
}

// A tableJob reads a table and writes it with verdicts.
type tableJob struct {
	*program
	options tableOptions
	add     []rows.Column
	cells   func(dst []string, row *rows.Row, total *tally) []string // of the added columns
	total   tally
	columns rows.Columns
	hashes  *tableHashes // or nil
	started time.Time
}

// tableHashes are the SHA-256 of a table as it was read and as it was written, and of its verdicts.
type tableHashes struct{ input, output, verdicts hash.Hash }

// newTableJob returns a job that screens a table, with hashes for what proves it.
func newTableJob(p *program, o tableOptions, j *judge, proved bool) *tableJob {
	t := &tableJob{program: p, options: o, add: verdictColumns, cells: j.cells}
	if proved {
		t.hashes = &tableHashes{sha256.New(), sha256.New(), sha256.New()}
		j.sum = t.hashes.verdicts
	}
	return t
}

func (t *tableJob) run(ctx context.Context) error {
	t.started = time.Now()
	if t.sameFile(t.options.in, t.options.out) {
		return fmt.Errorf("-in and -out are the same file, %s", inputName(t.options.in))
	}
	in, size, err := t.openInput(ctx, t.options.in)
	if err != nil {
		return fmt.Errorf("-in: %w", err)
	}
	defer in.Close()
	inputSum, outputSum := io.Discard, io.Discard
	if t.hashes != nil {
		inputSum, outputSum = t.hashes.input, t.hashes.output
	}
	source := io.TeeReader(in, inputSum)
	var delimiter byte
	if t.options.delimiter != "" {
		delimiter = t.options.delimiter[0]
	}
	reader, err := rows.NewReader(source, rows.Options{
		Format: t.options.formatOrName(), Delimiter: delimiter,
		Address: t.options.addressColumn, Chain: t.options.chainColumn,
		Sheet: t.options.sheet, Plausible: plausible, IsName: isName, IsChain: isChain, Add: t.add,
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted: no row of %s was read", inputName(t.options.in))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(t.options.in), err)
	}
	t.columns = reader.Columns()
	out, err := openOutput(t.options.out, t.stdout, outputSum)
	if err != nil {
		return err
	}
	line := newStatusLine(t.stderr)
	err = t.copy(ctx, reader, out, func(rows int64) { line.table(rows, t.started, in.n, size) })
	line.finish()
	err = cmp.Or(err, out.Close())
	if err == nil && t.hashes != nil {
		_, err = io.Copy(io.Discard, source) // what follows the table
	}
	whole := counted(t.total.rows, "whole row")
	if t.options.out != "" && t.options.out != "-" {
		whole += " in " + t.options.out
	}
	if out.lost {
		whole = t.options.out + " is cut short: make it again"
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("interrupted: %s, the rest of %s was not read", whole, inputName(t.options.in))
	case err != nil:
		return fmt.Errorf("%s: %w; %s", inputName(t.options.in), err, whole)
	}
	return nil
}

// copy reads and writes all rows. Only whole rows are written.
func (t *tableJob) copy(ctx context.Context, reader *rows.Reader, out *output, done func(rows int64)) error {
	const flushAt = 64 << 10
	buf := reader.AppendHeader(make([]byte, 0, 2*flushAt))
	pending := tally{levels: make(map[score.Level]int64)}
	cells := make([]string, 0, len(t.add))
	flush := func() error {
		if err := out.write(buf); err != nil {
			return err
		}
		t.total, buf = pending, buf[:0]
		t.total.levels = maps.Clone(pending.levels)
		return nil
	}
	for n := 0; ; n++ {
		if n%256 == 0 {
			if err := ctx.Err(); err != nil {
				return errors.Join(err, flush())
			}
			done(pending.rows)
		}
		row, err := reader.Next()
		if err == io.EOF {
			return flush()
		}
		if err != nil {
			return errors.Join(err, flush())
		}
		cells = t.row(cells[:0], &row, &pending)
		buf = reader.AppendRow(buf, &row, cells...)
		if len(buf) >= flushAt {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// row returns the cells of a row. A panic costs that row its verdict, and no other row.
func (t *tableJob) row(dst []string, row *rows.Row, total *tally) (cells []string) {
	before := total.rows
	defer func() {
		if p := recover(); p != nil {
			if total.rows == before {
				total.count("", true)
			}
			cells = append(make([]string, len(t.add)-1, len(t.add)), "this row has met a defect of the program, and has no verdict: please report it")
		}
	}()
	return t.cells(dst, row, total)
}

// sameFile reports whether a file, which may be "", is where an output goes, or will. - is the standard input, - and "" the standard output.
func (p *program) sameFile(in, out string) bool {
	if in == "" {
		return false
	}
	from, err := stat(in, p.stdin)
	to, err2 := stat(out, p.stdout)
	if err == nil && err2 == nil {
		return from.Mode().IsRegular() && os.SameFile(from, to)
	}
	return in != "-" && out != "" && filepath.Clean(in) == filepath.Clean(out)
}

// stat describes a file, or the standard input or output, if that is one, for - or no name.
func stat(name string, std any) (os.FileInfo, error) {
	if name != "" && name != "-" {
		return os.Stat(name)
	}
	if f, ok := std.(*os.File); ok {
		return f.Stat()
	}
	return nil, os.ErrNotExist
}

// openInput opens a file, or the standard input for -. The size is -1 if it is not known.
func (p *program) openInput(ctx context.Context, name string) (*interruptible, int64, error) {
	if name == "-" {
		return newInterruptible(ctx, io.NopCloser(p.stdin)), -1, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	size := int64(-1)
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		f.Close()
		return nil, 0, fmt.Errorf("%s is a directory; want a file", name)
	}
	if err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return newInterruptible(ctx, f), size, nil
}

// inputName returns the name of the input for messages.
func inputName(in string) string {
	if in == "-" {
		return "the standard input"
	}
	return in
}

// summary returns the object that -json prints of a table.
func (t *tableJob) summary(j *judge, err error) any {
	s := struct {
		Rows      int64                 `json:"rows"`
		Levels    map[score.Level]int64 `json:"levels"`
		Undecided int64                 `json:"undecided"` // rows without a level
		Doubtful  int64                 `json:"doubtful"`  // rows with a level and a doubt or an error
		Seconds   float64               `json:"seconds"`
		Columns   rows.Columns          `json:"columns"`
		Lists     []jsonList            `json:"lists"`
		AsOf      *time.Time            `json:"as_of,omitempty"`
		Error     string                `json:"error,omitempty"`
	}{t.total.rows, t.total.levels, t.total.undecided, t.total.doubtful, time.Since(t.started).Seconds(), t.columns, jsonLists(j.screener.Sources()), orNull(j.asOf), ""}
	if s.Levels == nil {
		s.Levels = map[score.Level]int64{}
	}
	if err != nil {
		s.Error = err.Error()
	}
	return s
}

// besideTable returns the standard output if the table goes to a file, and else the standard error.
func (t *tableJob) besideTable() io.Writer {
	if t.options.out != "" && t.options.out != "-" {
		return t.stdout
	}
	return t.stderr
}

func (t *tableJob) printSummary(w io.Writer) {
	took := time.Since(t.started)
	rate := ""
	if took > 100*time.Millisecond {
		rate = fmt.Sprintf(" (%s rows/s)", grouped(int64(float64(t.total.rows)/took.Seconds())))
	}
	fmt.Fprintf(w, "%s in %s%s\n", counted(t.total.rows, "row"), took.Round(10*time.Millisecond), rate)
	for _, c := range t.total.classes() {
		note := ""
		if c.Class == undecided {
			note = "   see the columns doubt and error"
		}
		fmt.Fprintf(w, "  %-*s  %9s%s\n", len(score.CleanNoMatch), c.Class, grouped(c.Rows), note)
	}
	if t.total.doubtful > 0 {
		fmt.Fprintf(w, "  %s of the listed rows also have a doubt or an error\n", grouped(t.total.doubtful))
	}
	t.printColumns(w)
	fmt.Fprintln(w)
}

// printColumns prints which columns of the input were read, and which were not.
func (t *tableJob) printColumns(w io.Writer) {
	c := &t.columns
	fmt.Fprintf(w, "addresses: column %s\n", clean(c.Address))
	if c.Chain != "" {
		fmt.Fprintf(w, "chains: column %s\n", clean(c.Chain))
	}
	if len(c.Unused) > 0 {
		fmt.Fprintf(w, "not read, although it looks like addresses or chains: %s\n", clean(strings.Join(c.Unused, ", ")))
	}
	if len(c.OtherSheets) > 0 {
		fmt.Fprintf(w, "read: sheet %.80q; not read: %.400q\n", c.Sheet, c.OtherSheets)
	}
	if c.Skipped > 0 {
		fmt.Fprintf(w, "left out: %s above the header\n", counted(int64(c.Skipped), "line"))
	}
}
