// Rebuild makes the files of package bundle. Run it with go generate:
//
//	go generate ./sources/bundle
//
// It fetches each list from its publisher and replaces the bundled file if the list has
// changed. It refuses a list that a refresh would find suspect: one that shrank, lost
// all its addresses, or is older than the bundled one. -accept ID lets such a list in.
// A list that cannot be fetched or is refused keeps its file, and the exit status is 1.
// Rebuild then writes the date of the rebuild, and the bundled lists, into NOTICE and
// README.md.
//
// With -check 60 it only fails if the last rebuild is more than 60 days old.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/bundle"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "rebuild:", err)
		os.Exit(1)
	}
}

// run runs the program at the time now. The working directory is the directory of
// package bundle, as with go generate.
func run(ctx context.Context, args []string, out io.Writer, now time.Time) error {
	flags := flag.NewFlagSet("rebuild", flag.ContinueOnError)
	flags.SetOutput(out)
	dir := flags.String("dir", ".", "the directory of package bundle")
	check := flags.Int("check", 0, "only check that the last rebuild is at most that many `days` old")
	accept := flags.String("accept", "", "accept a suspect list, by its `ID`")
	mirror := flags.String("mirror", "", "fetch the lists from this `URL`, as ofac, eu, uk and badlist")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *check > 0 {
		return checkAge(*dir, *check, now)
	}
	fetched, err := fetchAll(ctx, *dir, live(*mirror), *accept, out, now)
	if fetched == 0 {
		return err // that is no rebuild
	}
	if err := os.WriteFile(filepath.Join(*dir, "rebuilt.txt"), []byte(now.UTC().Format(time.DateOnly)+"\n"), 0o644); err != nil {
		return err
	}
	return errors.Join(err, document(*dir))
}

// checkAge returns an error if the last rebuild is more than the given days before now.
func checkAge(dir string, days int, now time.Time) error {
	text, err := os.ReadFile(filepath.Join(dir, "rebuilt.txt"))
	if err != nil {
		return err
	}
	at, err := time.Parse(time.DateOnly, strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Errorf("rebuilt.txt: %q: want YYYY-MM-DD", strings.TrimSpace(string(text)))
	}
	switch age := int(now.Sub(at).Hours() / 24); {
	case age < -1:
		return fmt.Errorf("the bundle was rebuilt on %s, which is in the future: check the clock", at.Format(time.DateOnly))
	case age > days:
		return fmt.Errorf("the bundle was rebuilt %d days ago, want at most %d: run go generate ./sources/bundle", age, days)
	}
	return nil
}

// The marks around the text that document writes.
const (
	begin = "<!-- bundle: written by go generate ./sources/bundle -->\n"
	end   = "<!-- end of bundle -->\n"
)

// document describes the bundled lists in NOTICE and README.md, between the marks. A file
// without marks stays as it is.
func document(dir string) error {
	var rows, table strings.Builder
	table.WriteString("| list | bundled | addresses | completeness | provenance |\n|---|---|---|---|---|\n")
	files := append(live(""), bundled{"fbi.stays", bundle.FBI()}, bundled{"doj.stays", bundle.DOJ()}, bundled{"graphsense.stays.gz", bundle.GraphSense()})
	for _, b := range files {
		l, err := readList(filepath.Join(dir, b.file))
		if err != nil {
			return err
		}
		info := b.src.Info()
		published := l.rev.Published.Format(time.DateOnly)
		fmt.Fprintf(&rows, "   %-19s %s of %s, %s, %d entries\n%23sfrom %s\n%23sSHA-256 %s\n", b.file, info.ID, published, l.rev.Completeness, len(l.entries),
			"", l.rev.Provenance, "", l.rev.Digest)
		fmt.Fprintf(&table, "| `%s`: %s | %s | %d | %s | %s |\n", info.ID, info.Name, published, l.addresses(), l.rev.Completeness, l.rev.Provenance)
	}
	for name, text := range map[string]string{"NOTICE": rows.String(), "README.md": table.String()} {
		if err := replaceBetween(filepath.Join(dir, "../..", name), text); err != nil {
			return err
		}
	}
	return nil
}

// replaceBetween replaces the text between the marks in a file.
func replaceBetween(name, text string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return nil
	}
	return os.WriteFile(name, []byte(head+begin+text+end+tail), 0o644)
}
