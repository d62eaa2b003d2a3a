// Mkbundle makes the files of package sources/bundle from lists as they were
// published.
//
//	go run ./internal/mkbundle -ofac SDN_ADVANCED.XML -badlist addresses-darklist.json
//	go run ./internal/mkbundle -partial -eu eu_excerpt.xml -uk uk_excerpt.xml
//
// Run it at the root of the module. A list that is not named stays as it is. With
// -partial, those that are named are known to be parts of the lists. A name that
// ends in .gz or .bz2 is that of a compressed file. It prints what it
// has read, for the comments of package bundle, the NOTICE file and the tests,
// which say how old the lists are and what is in them.
package main

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/uk"
)

func main() {
	ofacFile := flag.String("ofac", "", "the SDN List of OFAC, with dates: SDN_ADVANCED.XML")
	euFile := flag.String("eu", "", "the consolidated list of the EU: xmlFullSanctionsList_1_1")
	ukFile := flag.String("uk", "", "the UK Sanctions List: UK-Sanctions-List.xml")
	partial := flag.Bool("partial", false, "the files are known to be parts of the lists")
	badlistFile := flag.String("badlist", "", "MyEtherWallet's addresses-darklist.json")
	out := flag.String("out", "sources/bundle", "where to write")
	flag.Parse()
	if *ofacFile+*euFile+*ukFile+*badlistFile == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, l := range []struct {
		in, out string
		info    sources.Info
		parse   parser
	}{
		{*ofacFile, "ofac.rev", ofac.New(nil).Info(), ofac.Parse},
		{*euFile, "eu.rev", eu.New(nil).Info(), eu.Parse},
		{*ukFile, "uk.rev", uk.New(nil).Info(), uk.Parse},
		{*badlistFile, "badlist.rev", badlist.New(nil).Info(), badlist.Parse},
	} {
		if l.in == "" {
			continue
		}
		if err := bundle(l.in, filepath.Join(*out, l.out), l.info, l.parse, *partial); err != nil {
			fmt.Fprintln(os.Stderr, "mkbundle:", err)
			os.Exit(1)
		}
	}
}

type parser func(io.Reader, func(sources.Entry) error) (sources.Revision, error)

// bundle reads the list in the file in, or a part of it, and writes it as out.
func bundle(in, out string, info sources.Info, parse parser, partial bool) error {
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := unpack(f, in)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	var entries []sources.Entry
	rev, err := parse(r, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	if err := date(&rev, entries); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	if partial {
		rev.Completeness = sources.Partial
	}
	var file bytes.Buffer
	w, err := revision.NewWriter(&file, revision.Header{Source: info.ID, Name: info.Name, Revision: rev, Entries: len(entries)})
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.Entry(e); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(out, file.Bytes(), 0o644); err != nil {
		return err
	}
	report(out, file.Len(), rev, entries)
	return nil
}

// unpack returns what f holds, decompressed if its name says that it is not.
func unpack(f io.Reader, name string) (io.Reader, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewReader(f)
	case ".bz2":
		return bzip2.NewReader(f), nil
	}
	return f, nil
}

// date gives a list the dates that a bundled one must have. Published, if the
// list does not say, is the date of its newest entry. It was last known to be
// current when it was published; and what has no date of its own counts as first
// seen then, not whenever a program starts.
func date(rev *sources.Revision, entries []sources.Entry) error {
	if rev.Published.IsZero() {
		for _, e := range entries {
			if e.ListedAt.After(rev.Published) {
				rev.Published = e.ListedAt
			}
		}
	}
	if rev.Published.IsZero() || rev.Published.After(time.Now()) {
		return fmt.Errorf("published %v: want a date that has passed", rev.Published)
	}
	rev.Checked = rev.Published
	for i := range entries {
		if entries[i].ListedAt.IsZero() {
			entries[i].FirstSeen = rev.Published
		}
	}
	return nil
}

// report prints what was written, and each string that is no address.
func report(name string, size int, rev sources.Revision, entries []sources.Entry) {
	listed, refs := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		text := e.Address.Normalized()
		if !e.Address.IsValid() {
			text = e.Listed
			fmt.Printf("%s: no address: %s %q of %q\n", name, e.Asset, e.Listed, e.Ref)
		}
		listed[text] = true
		refs[e.Ref] = true
	}
	fmt.Printf("%s: %d bytes, published %s, %d records, %d entries of %d addresses, %d references\n",
		name, size, rev.Published.Format(time.DateOnly), rev.Records, len(entries), len(listed), len(refs))
}
