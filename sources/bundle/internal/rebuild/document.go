package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/bundle"
)

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
	updated := head + begin + text + end + tail
	if updated == string(old) {
		return nil
	}
	return os.WriteFile(name, []byte(updated), 0o644)
}
