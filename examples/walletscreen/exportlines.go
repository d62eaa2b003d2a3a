package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// eachEntry calls add for the entries to export.
type eachEntry func(add func(held *screening.SourceStatus, e sources.Entry) error) error

// tickerForm matches what may be part of the name of a file.
var tickerForm = regexp.MustCompile(`^[A-Z0-9]{1,16}$`)

// exportLines writes files of addresses by their tickers, in the layout that many programs read:
// sanctioned_addresses_ETH.txt with one address a line, and .json with an array of strings. In
// -format feed the other files of a feed stand beside them.
func (l *listsCall) exportLines(lists screeningLists, each eachEntry) error {
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
	texts := tickerTexts{spellings: l.spellings, texts: make(map[string]map[string]bool), left: make(map[string]int)}
	exported := make(map[string]bool)
	var open []feedList
	err = each(func(held *screening.SourceStatus, e sources.Entry) error {
		exported[held.Info.ID] = true
		if l.format == "feed" {
			open = addToFeed(open, held, e)
		}
		if l.format != "feed" || held.Info.ID == "OFAC_SDN" {
			texts.add(held, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	files, err := feedFiles(open)
	byTicker, err2 := texts.files()
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	if files = append(files, byTicker...); len(files) == 0 {
		return errors.New("no list has an address with a ticker")
	}
	if err := os.MkdirAll(l.out, 0o755); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	manifest := fmt.Appendf(nil, "walletscreen %s 1\nsnapshot %s\n", l.format, answer.Digest())
	for _, s := range lists.Sources() {
		if exported[s.Info.ID] {
			manifest = append(manifest, listLine(s, texts.left[s.Info.ID])...)
		}
	}
	for _, file := range files {
		if err := writeWhole(filepath.Join(l.out, file.name), file.text); err != nil {
			return err
		}
		manifest = fmt.Appendf(manifest, "file %s sha256 %x addresses %d\n", file.name, sha256.Sum256(file.text), file.entries)
	}
	if len(signers) > 0 {
		if manifest, err = signed.Sign(&signed.Note{Text: string(manifest)}, signers...); err != nil {
			return err
		}
	}
	if err := writeWhole(filepath.Join(l.out, manifestFile), manifest); err != nil {
		return err
	}
	n := 0
	for _, of := range texts.texts {
		n += len(of)
	}
	fmt.Fprintf(l.stderr, "%s\n", counted(int64(n), "line"))
	return nil
}

// listLine returns the line of a manifest about a list; left entries are not exported.
func listLine(s screening.SourceStatus, left int) string {
	checked := formatted(s.LastUpdated, time.RFC3339, "never") // as a part of a list
	return fmt.Sprintf("list %s sha256 %s published %s checked %s %s, %d left out\n", s.Info.ID, s.Digest,
		dayOrNone(s.Published), checked, s.Completeness, left)
}

// tickerTexts are addresses as they are listed, by their tickers.
type tickerTexts struct {
	spellings bool // add the other spellings of each
	texts     map[string]map[string]bool
	left      map[string]int // entries without a ticker, by list
}

func (t *tickerTexts) add(held *screening.SourceStatus, e sources.Entry) {
	if !e.Kind.Official() || e.Kind == score.Seized || !tickerForm.MatchString(e.Asset) || strings.ContainsAny(e.Text(), "\r\n") {
		t.left[held.Info.ID]++
		return
	}
	if t.texts[e.Asset] == nil {
		t.texts[e.Asset] = make(map[string]bool)
	}
	texts := t.texts[e.Asset]
	texts[e.Text()] = true
	if t.spellings {
		for _, account := range accountsOf(&e) {
			for _, a := range account.Spellings() {
				texts[a.Normalized()], texts[a.Display()] = true, true
			}
		}
	}
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

// files returns two files for each ticker.
func (t *tickerTexts) files() (files []feedFile, err error) {
	for _, asset := range slices.Sorted(maps.Keys(t.texts)) {
		all := slices.Sorted(maps.Keys(t.texts[asset]))
		array, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return nil, err
		}
		name := "sanctioned_addresses_" + asset
		files = append(files, feedFile{name + ".txt", []byte(strings.Join(all, "\n") + "\n"), len(all)}, feedFile{name + ".json", append(array, '\n'), len(all)})
	}
	return files, nil
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
