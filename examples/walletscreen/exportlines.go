package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// An exported entry is one to export, and its list.
type exported struct {
	sources.Entry
	held *screening.SourceStatus // the same one for each entry of a list
}

// exportLines writes files of addresses by their tickers, in the layout that many programs read:
// sanctioned_addresses_ETH.txt with one address a line, and .json with an array of strings. In
// -format feed the other files of a feed stand beside them.
func (l *listsCall) exportLines(lists screeningLists, entries iter.Seq2[exported, error]) error {
	if l.out == "" || l.out == "-" {
		return fmt.Errorf("-format %s: want -out, the directory for the files", l.format)
	}
	signers, err := openSigners(l.signingKey)
	if err != nil {
		return err
	}
	answer, err := lists.Screen(anyAddress)
	if err != nil {
		return err
	}
	all, texts, err := l.collect(entries)
	if err != nil {
		return err
	}
	files, lines := texts.files()
	if l.format == "feed" {
		var before []feedFile
		for _, list := range all {
			before = append(before, list.files()...)
		}
		files = append(before, files...)
	}
	if len(files) == 0 {
		return errors.New("no list has an address with a ticker")
	}
	manifest := fmt.Appendf(nil, "walletscreen %s 1\nsnapshot %s\n", l.format, answer.Digest())
	for _, list := range all {
		checked := formatted(list.held.LastUpdated, time.RFC3339, "never") // as a part of a list
		manifest = fmt.Appendf(manifest, "list %s sha256 %s published %s checked %s %s, %d left out\n", list.Source, list.Digest,
			list.Published, checked, list.held.Completeness, list.left)
	}
	for _, file := range files {
		manifest = fmt.Appendf(manifest, "file %s sha256 %x addresses %d\n", file.name, sha256.Sum256(file.text), file.entries)
	}
	if len(signers) > 0 {
		if manifest, err = signed.Sign(&signed.Note{Text: string(manifest)}, signers...); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(l.out, 0o755); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	for _, file := range append(files, feedFile{name: manifestFile, text: manifest}) {
		if err := writeWhole(filepath.Join(l.out, file.name), file.text); err != nil {
			return err
		}
	}
	fmt.Fprintf(l.stderr, "%s\n", counted(int64(lines), "line"))
	return nil
}

// collect returns the lists, and the addresses for the files by ticker.
func (l *listsCall) collect(entries iter.Seq2[exported, error]) (all []*feedList, texts tickerTexts, err error) {
	texts = make(tickerTexts)
	for e, err := range entries {
		if err != nil {
			return nil, nil, err
		}
		if len(all) == 0 || all[len(all)-1].held != e.held {
			all = append(all, newFeedList(e.held))
		}
		list := all[len(all)-1]
		list.Entries = append(list.Entries, newFeedEntry(&e.Entry))
		if (l.format == "lines" || list.Source == "OFAC_SDN") && !texts.add(&e.Entry, l.spellings) {
			list.left++
		}
	}
	return all, texts, nil
}

// tickerTexts are addresses as they are listed, by their tickers.
type tickerTexts map[string]map[string]bool

// tickerForm matches what may be part of the name of a file.
var tickerForm = regexp.MustCompile(`^[A-Z0-9]{1,16}$`)

// add adds an entry, perhaps with the other spellings of its address, and reports whether it has a ticker.
func (t tickerTexts) add(e *sources.Entry, spellings bool) bool {
	if !e.Kind.Official() || e.Kind == score.Seized || !tickerForm.MatchString(e.Asset) || strings.ContainsAny(e.Text(), "\r\n") {
		return false
	}
	texts := t[e.Asset]
	if texts == nil {
		texts = make(map[string]bool)
		t[e.Asset] = texts
	}
	texts[e.Text()] = true
	if spellings {
		for _, account := range accountsOf(e) {
			for _, a := range account.Spellings() {
				texts[a.Normalized()], texts[a.Display()] = true, true
			}
		}
	}
	return true
}

// files returns two files for each ticker, and how many lines half of them have.
func (t tickerTexts) files() (files []feedFile, lines int) {
	for _, asset := range slices.Sorted(maps.Keys(t)) {
		all := slices.Sorted(maps.Keys(t[asset]))
		lines += len(all)
		name := "sanctioned_addresses_" + asset
		files = append(files, feedFile{name + ".txt", []byte(strings.Join(all, "\n") + "\n"), len(all)}, feedFile{name + ".json", indented(all, "  "), len(all)})
	}
	return files, lines
}

// accountsOf returns the account of an entry, or what its text, which may have a slip, means.
func accountsOf(e *sources.Entry) (all []address.Address) {
	if e.Address.IsValid() {
		return []address.Address{e.Address}
	}
	for _, f := range sources.Repair(e.Asset, e.Listed) {
		all = append(all, f.Address)
	}
	return all
}

// indented returns texts as JSON for people.
func indented(texts any, indent string) []byte {
	b, _ := json.MarshalIndent(texts, "", indent) // texts have no error
	return visible.JSON(append(b, '\n'))
}

// writeWhole writes a file that is never seen in part, unless it is a device or a pipe.
func writeWhole(name string, text []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, text, 0o644)
	}
	err := atomicfile.Write(name, 0o644, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
	if err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	return nil
}
