package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A feedList is a list in a file of a feed.
type feedList struct {
	Source      string      `json:"source"`
	Name        string      `json:"name"`
	License     string      `json:"license"`
	Attribution string      `json:"attribution,omitempty"`
	Provenance  string      `json:"provenance,omitempty"`
	Digest      string      `json:"digest"`
	Published   string      `json:"published_at"`
	Entries     []feedEntry `json:"entries"`

	info sources.Info
}

type feedEntry struct {
	Kind           string `json:"kind"`
	Ref            string `json:"source_ref"`
	Name           string `json:"name"`
	Chain          string `json:"chain"`
	Address        string `json:"address"`
	Listed         string `json:"listed_address"`
	Asset          string `json:"asset"`
	ListedAt       string `json:"listed_at,omitempty"`
	EntityListedAt string `json:"entity_listed_at,omitempty"`
}

// A feedFile is a file of a feed.
type feedFile struct {
	name    string
	text    []byte
	entries int
}

// addToFeed adds an entry to the lists that are written as JSON and as TagPacks. The entries of a
// list follow each other.
func addToFeed(lists []feedList, held *screening.SourceStatus, e sources.Entry) []feedList {
	if n := len(lists); n == 0 || lists[n-1].Source != held.Info.ID {
		lists = append(lists, feedList{Source: held.Info.ID, Name: held.Info.Name, License: held.Info.Licence, Attribution: held.Info.Attribution,
			Provenance: held.Provenance, Digest: held.Digest, Published: dayOrNone(held.Published), info: held.Info})
	}
	l := &lists[len(lists)-1]
	l.Entries = append(l.Entries, feedEntry{string(e.Kind), e.Ref, e.Name, string(e.Address.Chain()), e.Address.Normalized(), e.Text(), e.Asset,
		dayOrNone(e.ListedAt), dayOrNone(e.EntityListedAt)})
	return lists
}

// feedFiles returns two files for each list.
func feedFiles(lists []feedList) (all []feedFile, err error) {
	for i := range lists {
		l := &lists[i]
		text, err := json.MarshalIndent(l, "", " ")
		if err != nil {
			return nil, err
		}
		all = append(all, feedFile{l.Source + ".json", append(text, '\n'), len(l.Entries)}, feedFile{l.Source + ".tagpack.yaml", l.tagPack(), len(l.Entries)})
	}
	return all, nil
}

// abuses are what TagPacks call the kinds.
var abuses = map[score.Kind]string{
	score.Sanctioned: "sanction", score.TerroristFinancing: "terrorism", score.Seized: "seizure", score.Ransomware: "ransomware",
	score.StolenFunds: "service_hack", score.Phishing: "phishing", score.Scam: "scam", score.Mixer: "mixing_service",
}

// tagPack returns the list as a TagPack. A JSON string is a YAML string, too.
func (l *feedList) tagPack() []byte {
	quoted := func(s string) string {
		text, _ := json.Marshal(s) // a string has no error
		return string(text)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "title: %s\ncreator: walletscreen\ndescription: %s\nconfidence: authority_data\nis_cluster_definer: false\ntags:\n",
		quoted(l.Name), quoted(strings.Trim(l.License+". "+l.Attribution, " ")))
	for _, e := range l.Entries {
		fmt.Fprintf(&b, "- address: %s\n", quoted(e.Listed))
		for _, field := range [][2]string{
			{"currency", cmp.Or(e.Asset, e.Chain)}, {"label", cmp.Or(e.Name, l.Name)}, {"source", cmp.Or(l.info.URL(e.Ref), e.Ref, l.Source)},
			{"abuse", cmp.Or(abuses[score.Kind(e.Kind)], "report")}, {"lastmod", cmp.Or(e.ListedAt, e.EntityListedAt, l.Published)},
		} {
			if field[1] != "" {
				fmt.Fprintf(&b, "  %s: %s\n", field[0], quoted(field[1]))
			}
		}
	}
	return b.Bytes()
}

// fileLine matches a line of a manifest about a file.
var fileLine = regexp.MustCompile(`(?m)^file ([A-Za-z0-9_][A-Za-z0-9_.]{0,99}) sha256 ([0-9a-f]{64}) `)

// verify checks the feed in a directory.
func (l *listsCall) verify(_ context.Context, args []string) error {
	if len(args) != 1 || len(l.keys) == 0 {
		return errors.New("want the directory of a feed, and in -key the public key of its publisher")
	}
	text, err := l.openManifest(args[0])
	if err != nil {
		return err
	}
	files := make(map[string]string)
	for _, m := range fileLine.FindAllStringSubmatch(text, -1) {
		files[m[1]] = m[2]
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: not the manifest of a feed", manifestFile)
	}
	for name, want := range files {
		file, err := readAtMost(filepath.Join(args[0], name), 1<<30)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != want {
			return fmt.Errorf("%s is not the file that was signed", name)
		}
	}
	found, err := os.ReadDir(args[0])
	if err != nil {
		return err
	}
	for _, f := range found {
		if files[f.Name()] == "" && f.Name() != manifestFile {
			return fmt.Errorf("%s is not in the manifest: it was added, or is of an earlier feed", f.Name())
		}
	}
	_, err = fmt.Fprintf(l.stdout, "%s, as signed\n", counted(int64(len(files)), "file"))
	return err
}

// openManifest returns the text of the manifest in a directory, whose signature is good.
func (l *listsCall) openManifest(dir string) (string, error) {
	var known []signed.Verifier
	for _, name := range l.keys {
		v, err := readVerifier(name)
		if err != nil {
			return "", fmt.Errorf("-key: %w", err)
		}
		known = append(known, v)
	}
	text, err := readAtMost(filepath.Join(dir, manifestFile), 1<<20)
	if err != nil {
		return "", err
	}
	n, err := signed.Open(text, signed.VerifierList(known...))
	if err != nil {
		return "", fmt.Errorf("%s: %w", manifestFile, err)
	}
	for _, s := range n.Sigs { // the last digit has bits that do not count
		if b, err := base64.StdEncoding.Strict().DecodeString(s.Base64); err != nil || len(b) == 0 {
			return "", fmt.Errorf("%s: the signature of %s was changed", manifestFile, s.Name)
		}
		fmt.Fprintf(l.stdout, "signed by %s\n", s.Name)
	}
	return n.Text, nil
}

// manifestFile is the name of the file that describes the others.
const manifestFile = "manifest.txt"
