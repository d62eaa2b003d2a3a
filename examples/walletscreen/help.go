package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/internal/wire"
)

// columns is the width of the help.
const columns = 80

// helpExamples are the examples in the help of each command, in an order in which all of them can be
// run. A test runs them. " \\ " breaks a line.
var helpExamples = []struct {
	command string
	lines   []string
}{
	{"", []string{"walletscreen", "walletscreen screen 0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}},
	{"serve", []string{
		"walletscreen serve -data /var/lib/walletscreen",
		"walletscreen serve -data /var/lib/walletscreen -require all -max-age 48h \\ -ops-addr 127.0.0.1:9090 -list OWN=own.csv",
	}},
	{"screen", []string{
		"walletscreen screen 0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
		"walletscreen screen -in customers.csv -out verdicts.csv -report report.html",
		"walletscreen screen -data /var/lib/walletscreen -at 2026-03-01 \\ -in customers.csv -out verdicts.csv",
	}},
	{"validate", []string{"walletscreen validate -chain bitcoin 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "walletscreen validate -in customers.csv -out valid.csv"}},
	{"extract", []string{"walletscreen extract mail.txt"}},
	{"history", []string{"walletscreen history 0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b"}},
	{"lists", []string{"walletscreen lists status"}},
	{"lists status", []string{"walletscreen lists status -data /var/lib/walletscreen -max-age 48h"}},
	{"lists anomalies", []string{"walletscreen lists anomalies"}},
	{"lists refresh", []string{"walletscreen lists refresh -data /var/lib/walletscreen"}},
	{"lists diff", []string{"walletscreen lists diff -data /var/lib/walletscreen 2026-03-01"}},
	{"lists export", []string{"walletscreen lists export -out lists.csv", "walletscreen lists export -lists OFAC_SDN -format lines -out ofac"}},
	{"lists import", []string{"walletscreen lists import -data /var/lib/walletscreen \\ -downloaded 2026-03-01 OFAC_SDN=sdn_advanced.xml"}},
	{"keys", []string{"walletscreen keys list -data /var/lib/walletscreen"}},
	{"keys create", []string{"walletscreen keys create -data /var/lib/walletscreen -id payments \\ -quota 100000 -rate 50 -burst 100"}},
	{"keys list", []string{"walletscreen keys list -data /var/lib/walletscreen"}},
	{"keys set", []string{"walletscreen keys set -data /var/lib/walletscreen -quota none payments"}},
	{"keys rotate", []string{"walletscreen keys rotate -data /var/lib/walletscreen -overlap 7d payments"}},
	{"keys revoke", []string{"walletscreen keys revoke -data /var/lib/walletscreen payments"}},
	{"receipt key", []string{"walletscreen receipt key -out signing.key -name example.com/screening"}},
	{"receipt", []string{"walletscreen screen -data /var/lib/walletscreen \\ -receipt receipts.jsonl -receipt-key signing.key \\ 0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}},
	{"receipt verify", []string{"walletscreen receipt verify receipts.jsonl -data /var/lib/walletscreen \\ -key signing.key.pub"}},
	{"receipt bundle", []string{"walletscreen receipt bundle receipts.jsonl -data /var/lib/walletscreen \\ -out receipts.zip"}},
	{"lists verify", []string{"walletscreen lists export -format feed -out feed -receipt-key signing.key", "walletscreen lists verify -key signing.key.pub feed"}},
	{"audit", []string{"walletscreen audit verify -audit /var/lib/walletscreen/audit"}},
	{"audit search", []string{"walletscreen audit search -audit /var/lib/walletscreen/audit \\ 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 2026-03"}},
	{"audit verify", []string{"walletscreen audit verify -audit /var/lib/walletscreen/audit"}},
	{"health", []string{"walletscreen health -ops-addr 127.0.0.1:9090"}},
	{"version", []string{"walletscreen version"}},
}

func examplesOf(c *cli.Command) []string {
	for _, e := range helpExamples {
		if "walletscreen"+strings.TrimRight(" "+e.command, " ") == c.FullName() {
			return e.lines
		}
	}
	return nil
}

func printHelp(w io.Writer, _ string, data any) {
	c, ok := data.(*cli.Command)
	if !ok {
		return
	}
	fmt.Fprintf(w, "%s %s.\n\n", c.FullName(), c.Usage)
	for line := range strings.SplitSeq(cmp.Or(c.UsageText, c.FullName()+" COMMAND [flags]"), "\n") {
		fmt.Fprintf(w, "  %s\n", line)
	}
	for paragraph := range strings.SplitSeq(c.Description, "\n\n") {
		if strings.HasPrefix(paragraph, " ") { // lines to paste
			fmt.Fprintf(w, "\n%s\n", paragraph)
		} else if paragraph != "" {
			fmt.Fprintf(w, "\n%s\n", strings.Join(wrap(paragraph, columns), "\n"))
		}
	}
	for i, e := range examplesOf(c) {
		if i == 0 {
			fmt.Fprint(w, "\nExamples:\n")
		}
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(e, " \\ ", " \\\n      "))
	}
	width := 0
	for _, sub := range c.VisibleCommands() {
		width = max(width, len(sub.Name))
	}
	for i, sub := range c.VisibleCommands() {
		if i == 0 {
			fmt.Fprint(w, "\nCommands:\n")
		}
		lines := wrap(sub.Usage, columns-width-4)
		fmt.Fprintf(w, "  %-*s  %s\n", width, sub.Name, strings.Join(lines, fmt.Sprintf("\n%*s", width+4, "")))
	}
	if len(c.Commands) > 0 {
		fmt.Fprintf(w, "\nHelp for a command: %s COMMAND -help\n", c.FullName())
	}
	printFlags(w, c)
}

func printFlags(w io.Writer, c *cli.Command) {
	heading := "\nFlags:\n"
	for _, f := range c.Flags {
		f, ok := f.(*cli.GenericFlag)
		if !ok { // -help, which package cli has added
			continue
		}
		usage, value := f.Usage, ""
		if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
			usage, value = strings.Join(parts, ""), " "+strings.ToUpper(parts[1])
		}
		if shown := f.Value.String(); shown != "" {
			usage += " (default: " + shown + ")"
		}
		fmt.Fprintf(w, "%s  -%s%s\n        %s\n", heading, f.Name, value, strings.Join(wrap(usage, columns-8), "\n        "))
		heading = ""
	}
}

// wrap breaks text into lines of at most width bytes.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// A layout is a table for people: columns as wide as their widest cell. The name of a
// column whose cells are numbers begins with ">", and they are aligned to the right. Columns for
// which a terminal of 80 has no room are on further lines of each row, unless it is wide.
type layout struct {
	indent string
	wide   bool
	rows   [][]string
}

// add adds a row. The first one has the names of the columns. Characters that a terminal
// would act on are left out.
func (l *layout) add(cells ...string) {
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	l.rows = append(l.rows, cells)
}

func (l *layout) print(w io.Writer) {
	if len(l.rows) == 0 {
		return
	}
	right := make([]bool, len(l.rows[0]))
	for i, name := range l.rows[0] {
		l.rows[0][i], right[i] = strings.CutPrefix(name, ">")
	}
	width := make([]int, len(right))
	for _, row := range l.rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range l.rows {
		for start, end, indent := 0, 0, l.indent; start < len(row); start, indent = end, l.indent+"    " {
			line := indent
			for end = start; end < len(row); end++ {
				gap := strings.Repeat(" ", min(2, 2*(end-start)))
				fill := strings.Repeat(" ", width[end]-utf8.RuneCountInString(row[end]))
				cell := gap + row[end] + fill
				if right[end] {
					cell = gap + fill + row[end]
				}
				if end == len(row)-1 {
					cell = strings.TrimRight(cell, " ") // it may be shorter than others
				}
				if end > start && !l.wide && utf8.RuneCountInString(line+cell) > columns {
					break
				}
				line += cell
			}
			line = strings.TrimRight(line, " ")
			if !l.wide && utf8.RuneCountInString(line) > columns {
				line = indent + strings.Join(wrap(line, columns-len(indent)), "\n"+indent)
			}
			if line != "" || start == 0 {
				b.WriteString(line + "\n")
			}
		}
	}
	io.WriteString(w, b.String())
}

// fold breaks a line for a terminal of 80 columns, and indents what follows by four more blanks.
func fold(line string) string {
	if utf8.RuneCountInString(line) <= columns {
		return line
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
	return margin + strings.Join(wrap(line, columns-len(margin)-4), "\n"+margin+"    ")
}

// formatted returns t in UTC, or none if t is zero.
func formatted(t time.Time, form, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(form)
}

func minute(t time.Time) string    { return formatted(t, "2006-01-02T15:04Z", "-") }
func day(t time.Time) string       { return formatted(t, time.DateOnly, "-") }
func dayOrNone(t time.Time) string { return formatted(t, time.DateOnly, "") }

// clean returns s without characters that a terminal or a table would act on, or that nobody sees.
func clean(s string) string { return visible.Text(s) }

func writeJSON(w io.Writer, v any) error {
	text, err := wire.JSON(v)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

// grouped returns n with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ageText returns d in days, or in hours if it is less than two days.
func ageText(d time.Duration) string {
	if d < 48*time.Hour {
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " days"
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// counted returns n things, as "1 row" or "2 rows".
func counted(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// shellQuote returns s as one word of a shell command.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
