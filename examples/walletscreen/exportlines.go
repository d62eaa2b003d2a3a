package main

import (
	"bytes"
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

	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// ticker matches what may be part of the name of a file.
var ticker = regexp.MustCompile(`^[A-Z0-9]{1,16}$`)

// exportLines writes files of addresses by their tickers, in the layout that many programs read:
// sanctioned_addresses_ETH.txt with one address a line, and .json with an array of strings.
func (l *listsCall) exportLines(lists lists, each eachEntry) error {
	if l.out == "" || l.out == "-" {
		return fmt.Errorf("-format %s: want -out, the directory for the files", l.format)
	}
	signers, err := openSigners(l.signingKey)
	if err != nil {
		return err
	}
	answer, err := anyResult(lists)
	if err != nil {
		return err
	}
	texts, left := map[string]map[string]bool{}, map[string]int{}
	exported := map[string]bool{}
	var open feed // the other files of -format feed
	err = each(func(held *screening.SourceStatus, e sources.Entry) error {
		exported[held.Info.ID] = true
		if l.format == "feed" {
			if open.add(held, e); held.Info.ID != "OFAC_SDN" {
				return nil
			}
		}
		if !e.Kind.Official() || e.Kind == score.Seized || !ticker.MatchString(e.Asset) || strings.ContainsAny(e.Text(), "\r\n") {
			left[held.Info.ID]++
			return nil
		}
		if texts[e.Asset] == nil {
			texts[e.Asset] = map[string]bool{}
		}
		texts[e.Asset][e.Text()] = true
		if l.spellings {
			for _, a := range e.Address.Spellings() {
				texts[e.Asset][a.Normalized()], texts[e.Asset][a.Display()] = true, true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(texts) == 0 && len(open.lists) == 0 {
		return errors.New("no list has an address with a ticker")
	}
	if err := os.MkdirAll(l.out, 0o755); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	var manifest bytes.Buffer
	fmt.Fprintf(&manifest, "walletscreen %s 1\nsnapshot %s\n", l.format, answer.Digest())
	for _, s := range lists.Sources() {
		if exported[s.Info.ID] {
			checked := "never" // a part of a list, which does not count as loaded
			if !s.LastUpdated.IsZero() {
				checked = s.LastUpdated.UTC().Format(time.RFC3339)
			}
			fmt.Fprintf(&manifest, "list %s sha256 %s published %s checked %s %s, %d left out\n", s.Info.ID, s.Digest,
				exportDay(s.Published), checked, s.Completeness, left[s.Info.ID])
		}
	}
	n := 0
	files, err := open.files()
	if err != nil {
		return err
	}
	for _, asset := range slices.Sorted(maps.Keys(texts)) {
		all := slices.Sorted(maps.Keys(texts[asset]))
		n += len(all)
		array, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		name := "sanctioned_addresses_" + asset
		files = append(files, feedFile{name + ".txt", []byte(strings.Join(all, "\n") + "\n"), len(all)}, feedFile{name + ".json", append(array, '\n'), len(all)})
	}
	for _, file := range files {
		if err := writeWhole(filepath.Join(l.out, file.name), file.text); err != nil {
			return err
		}
		fmt.Fprintf(&manifest, "file %s sha256 %x addresses %d\n", file.name, sha256.Sum256(file.text), file.entries)
	}
	text := manifest.Bytes()
	if len(signers) > 0 {
		if text, err = signed.Sign(&signed.Note{Text: manifest.String()}, signers...); err != nil {
			return err
		}
	}
	if err := writeWhole(filepath.Join(l.out, manifestFile), text); err != nil {
		return err
	}
	fmt.Fprintf(l.stderr, "%s\n", count(int64(n), "line"))
	return nil
}

// writeWhole writes a file that is never seen in part.
func writeWhole(name string, text []byte) error {
	err := atomicfile.Write(name, 0o644, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
	if err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	return nil
}
