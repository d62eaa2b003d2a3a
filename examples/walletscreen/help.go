package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
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
