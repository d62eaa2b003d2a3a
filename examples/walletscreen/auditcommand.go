package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
)

// An auditCall is a call of a command below audit.
type auditCall struct {
	*program
	dir, keyFile string
	witness      string
	chain        string
}

func (p *program) auditCommand() *cli.Command {
	a := &auditCall{program: p}
	flags := []cli.Flag{
		textFlag("audit", "", "`directory` of the records: the one given to serve", &a.dir),
		textFlag("audit-key", "", "`file` of the key, if serve was given one", &a.keyFile),
		boolFlag("json", "print JSON: of search, the lines as they are; of verify, one object", &a.json),
	}
	return &cli.Command{
		Name:  "audit",
		Usage: "searches and verifies the records of serve -audit",
		Commands: []*cli.Command{
			p.command("audit search", "-audit DIRECTORY [flags] ADDRESS|KEY|DATE...", "finds screenings by address, API key or time",
				"An ADDRESS is found in all of its spellings. KEY is the ID of an API key, as keys list shows it,\n"+
					"or a request ID. DATE is the beginning of a time in UTC: 2026, 2026-03, 2026-03-01 or\n"+
					"2026-03-01T09:30. Of several, all must apply.\n\n"+
					"Exit codes: 0 if something is found, 1 if nothing is, 2 if lines were changed or -audit-key is not\n"+
					"their key.",
				append([]cli.Flag{textFlag("chain", "", "`chain` of the address, by any of its names (default: detected)", &a.chain)}, flags...), a.search),
			p.command("audit verify", "-audit DIRECTORY [flags]", "finds what was changed, moved, removed or added",
				"The records are chained by hash. Each line that was tampered with is named by its file and\n"+
					"number, and stays named after a start of serve. Without -audit-key, those who can write to the\n"+
					"directory can make a new chain, and those who can write to the file of -audit-witness too can put\n"+
					"back an earlier copy of both: keep what verify prints about the last line elsewhere.\n\n"+
					"Exit codes: 0 if all is as it was written, 1 if it is not.",
				append([]cli.Flag{textFlag("audit-witness", "", "`file` of serve -audit-witness (default: the name of the directory and .witness, if it is there)", &a.witness)}, flags...), a.verify),
		},
	}
}

// key returns the key of -audit-key, or nil, and checks -audit.
func (a *auditCall) key() ([]byte, error) {
	if a.dir == "" {
		return nil, errors.New("want -audit, the directory of the records")
	}
	if info, err := os.Stat(a.dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("-audit %s: %w", a.dir, cmp.Or(err, error(fs.ErrInvalid)))
	}
	if a.keyFile == "" {
		return nil, nil
	}
	return readAuditKey(a.keyFile)
}

func (a *auditCall) verify(context.Context, []string) error {
	key, err := a.key()
	if err != nil {
		return err
	}
	witness := cmp.Or(a.witness, filepath.Clean(a.dir)+".witness")
	if _, err := os.Stat(witness); a.witness != "" && err != nil {
		return fmt.Errorf("-audit-witness: %w", err)
	} else if err != nil {
		fmt.Fprintf(a.stderr, "there is no %s: without -audit-witness, an earlier copy of the records that was put back is not found\n", witness)
	}
	trail, err := evidence.Verify(a.dir, key, witness)
	if err != nil {
		return err
	}
	if a.code = exitClean; len(trail.Faults) > 0 {
		a.code = exitMatch
	}
	if a.json {
		a.printJSON(trail)
		return nil
	}
	for _, f := range trail.Faults {
		fmt.Fprintln(a, f)
	}
	if a.code != exitClean && trail.Faults[0].Line == 1 && trail.Faults[0].Reason == "changed" {
		fmt.Fprintln(a, "If every line seems changed, -audit-key is not the key of these records, or is missing.")
	}
	outcome := "as they were written"
	if a.code != exitClean {
		outcome = counted(int64(len(trail.Faults)), "fault")
	}
	fmt.Fprintf(a, "%s, %d to %d: %s\nsum of line %[3]d: %[5]s\n", counted(int64(trail.Lines), "line"), trail.First, trail.Last, outcome, trail.Sum)
	return nil
}

// datePrefix matches the beginning of a time, and dateLike what people write for one as well.
var (
	datePrefix = regexp.MustCompile(`^\d{4}(-(0[1-9]|1[0-2])(-([0-2]\d|3[01])(T[\d:.]*Z?)?)?)?$`)
	dateLike   = regexp.MustCompile(`^\d{1,4}[-./]\d{1,2}([-./T ][-./\d:TZ ]*)?$`)
)

// search prints the screenings to which all terms apply.
func (a *auditCall) search(_ context.Context, terms []string) error {
	key, err := a.key()
	if err != nil {
		return err
	}
	if len(terms) == 0 {
		return errors.New("want an ADDRESS, the ID of a KEY, or a DATE")
	}
	if err := checkChain(a.chain); err != nil {
		return err
	}
	if files, err := evidence.Files(a.dir); err != nil || len(files) == 0 {
		return cmp.Or(err, fmt.Errorf("there is no trail in %s", a.dir))
	}
	var tests []func(*receipt.Receipt) bool
	var unsure error // if nothing is found
	for _, term := range terms {
		test, err := a.test(term, key)
		unsure = cmp.Or(unsure, err)
		tests = append(tests, test)
	}
	t := layout{}
	t.add("TIME", "KEY", "LEVEL", ">SCORE", "CHAIN", "ADDRESS", "LISTED BY")
	chain, found := evidence.New(key), false
	for l, err := range evidence.Read(a.dir) {
		if err != nil {
			return err
		}
		if !asWritten(chain, l.Text) {
			unsure = errors.New("nothing is found, but lines were changed, or -audit-key is not their key: audit verify shows them")
		}
		var r receipt.Receipt
		if json.Unmarshal(l.Text, &r) != nil || r.Answer == nil || slices.ContainsFunc(tests, func(test func(*receipt.Receipt) bool) bool { return !test(&r) }) {
			continue
		}
		found = true
		if !a.json {
			t.add(auditCells(&r)...)
		} else if _, err := a.Write(l.Text); err != nil {
			return err
		}
	}
	switch {
	case !found && unsure != nil:
		return unsure
	case !found:
		a.code = exitMatch
		fmt.Fprintln(a.stderr, "nothing is found")
	case !a.json:
		t.print(a)
	}
	return nil
}

// asWritten reports whether a line is as it was written, or is still being written.
func asWritten(c evidence.Chain, text []byte) bool {
	l, err := c.Open(text)
	return err == nil && l.Sum == l.Computed || !bytes.HasSuffix(text, []byte("\n"))
}

// auditCells returns the cells of a line in the table of search.
func auditCells(r *receipt.Receipt) []string {
	level := string(r.Level)
	if !r.Decided() {
		level = "not decided"
	}
	level += formatted(r.AsOf, " as of "+time.RFC3339, "")
	return []string{r.Time.Format(time.RFC3339Nano), r.CallerID, level, fmt.Sprint(r.Score), string(r.Chain), r.Address,
		joined(r.Labels, ", ", func(l screening.Label) string { return strings.TrimSpace(l.Source + " " + l.Ref) })}
}

// test returns a function that reports whether a term of search applies to a line, and an error if the
// term looks like an address and is none. A list may have it all the same, or a request.
func (a *auditCall) test(term string, key []byte) (test func(*receipt.Receipt) bool, err error) {
	isID := func(r *receipt.Receipt) bool { return r.CallerID == term || r.RequestID == term } // which may look like anything
	if datePrefix.MatchString(term) {
		begin := strings.TrimSuffix(term, "Z") // answers show whole seconds
		return func(r *receipt.Receipt) bool {
			return isID(r) || strings.HasPrefix(r.Time.Format(time.RFC3339Nano), begin)
		}, nil
	}
	rd := address.Interpret(a.chain, term) // an id in small letters can be an account of NEAR, too
	forms := []string{sources.TrimListed(term)}
	for _, one := range rd.Addresses {
		for _, s := range append(one.Spellings(), one) {
			forms = append(forms, s.Normalized())
		}
	}
	if key != nil {
		for i := range forms {
			forms[i] = "hmac:" + audit.Hash(key, forms[i])
		}
	}
	switch {
	case dateLike.MatchString(term):
		err = fmt.Errorf("%q is not the beginning of a time: want 2026, 2026-03, 2026-03-01 or 2026-03-01T09:30", term)
	case len(rd.Addresses) == 0 && plausible(term) && !strings.Contains(term, "-"):
		err = fmt.Errorf("what has %d characters is not an address of any chain, a key's ID or a date", len(term))
	}
	return func(r *receipt.Receipt) bool { return isID(r) || slices.Contains(forms, r.Address) }, err
}
