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

	"github.com/walletscreen/walletscreen/internal/wire"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// manifestLine is a line of a manifest about a list or a file.
var manifestLine = regexp.MustCompile(`^(list|file) ([A-Za-z0-9_][A-Za-z0-9_.]{0,99}) sha256 ([0-9a-f]{64}) (.*)$`)

// verify checks the feed in a directory.
func (l *listsCall) verify(_ context.Context, args []string) error {
	if len(args) != 1 || len(l.keys) == 0 {
		return errors.New("want the directory of a feed, and in -key the public key of its publisher")
	}
	text, err := l.openManifest(args[0])
	if err != nil {
		return err
	}
	lists, files, err := readManifest(text)
	if err != nil {
		return err
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
	fmt.Fprintf(l, "%s, as signed\n", counted(int64(len(files)), "file"))
	return l.compareWitnesses(lists)
}

// openManifest returns the text of the manifest in a directory, whose signature is good.
func (l *listsCall) openManifest(dir string) (string, error) {
	known, err := readVerifiers(l.keys...)
	if err != nil {
		return "", err
	}
	text, err := readAtMost(filepath.Join(dir, manifestFile), 1<<20)
	if err != nil {
		return "", err
	}
	if !bytes.Contains(text, []byte("\n\n— ")) {
		return "", fmt.Errorf("%s is not signed; lists export -receipt-key signs it", manifestFile)
	}
	n, err := signed.Open(text, signed.VerifierList(known...))
	if err != nil {
		return "", fmt.Errorf("%s: %w", manifestFile, err)
	}
	for _, s := range n.Sigs { // the last digit has bits that do not count
		if b, err := base64.StdEncoding.Strict().DecodeString(s.Base64); err != nil || len(b) == 0 {
			return "", fmt.Errorf("%s: the signature of %s was changed", manifestFile, s.Name)
		}
		fmt.Fprintf(l, "signed by %s\n", s.Name)
	}
	return n.Text, nil
}

// readManifest returns the digests of lists and of files in the text of a manifest.
func readManifest(text string) (lists, files map[string]string, err error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 3 || lines[0] != "walletscreen feed 1" && lines[0] != "walletscreen lines 1" || !strings.HasPrefix(lines[1], "snapshot ") {
		return nil, nil, fmt.Errorf("%s: not the manifest of a feed", manifestFile)
	}
	found := map[string]map[string]string{"list": {}, "file": {}}
	for i, line := range lines[2:] {
		m := manifestLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			return nil, nil, fmt.Errorf("%s: line %d: want list or file", manifestFile, i+3)
		case found[m[1]][m[2]] != "":
			return nil, nil, fmt.Errorf("%s: line %d: %s again", manifestFile, i+3, m[2])
		}
		found[m[1]][m[2]] = m[3]
	}
	return found["list"], found["file"], nil
}

// A witnessManifest is what another party got on a day. Its hash covers all but the signature.
type witnessManifest struct {
	Schema   string `json:"schema"`
	Day      string `json:"day"`
	Previous struct {
		ContentSHA256 string `json:"content_sha256"`
	} `json:"previous"`
	Signature struct {
		ContentSHA256 string `json:"content_sha256"`
	} `json:"signature"`
	Sources []struct {
		List   string `json:"list_name"`
		SHA256 string `json:"sha256"`
		Day    string `json:"effective_day"`
	} `json:"sources"`
}

// witnessed are the names that a witness has for lists.
var witnessed = map[string]string{"ofac-sdn-advanced": "OFAC_SDN", "eu-fsf": "EU_CONSOLIDATED", "uk-uksl": "UK_CONSOLIDATED"}

// readWitness returns the manifest in a file, whose hash is right.
func readWitness(name string) (w witnessManifest, err error) {
	text, err := readAtMost(name, 16<<20)
	if err != nil {
		return w, err
	}
	all := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&all); err == nil {
		err = json.Unmarshal(text, &w)
	}
	if err != nil || w.Schema != "lynceris-manifest/1" {
		return w, fmt.Errorf("-witness %s: want a manifest of the form lynceris-manifest/1", name)
	}
	delete(all, "signature")
	var body bytes.Buffer // with sorted members, and a line feed
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(all); err != nil {
		return w, err
	}
	if sum := sha256.Sum256(body.Bytes()); hex.EncodeToString(sum[:]) != w.Signature.ContentSHA256 {
		return w, fmt.Errorf("-witness %s: its hash is wrong: it was changed", name)
	}
	return w, nil
}

// compareWitnesses says which lists other parties got alike.
func (l *listsCall) compareWitnesses(lists map[string]string) error {
	last := ""
	for _, name := range l.witnesses {
		w, err := readWitness(name)
		if err != nil {
			return err
		}
		if last != "" && w.Previous.ContentSHA256 != last {
			return fmt.Errorf("-witness %s: it does not follow the one before: the chain is broken", name)
		}
		last = w.Signature.ContentSHA256
		for _, s := range w.Sources {
			id := witnessed[s.List]
			if lists[id] == "" || s.SHA256 == "" {
				continue
			}
			said := "another file, of " + s.Day
			if lists[id] == s.SHA256 {
				said = "the same file, of " + s.Day
			}
			fmt.Fprintf(l, "%s: the witness of %s had %s\n", id, w.Day, clean(said))
		}
	}
	return nil
}

// A feedFile is a file of a feed.
type feedFile struct {
	name    string
	text    []byte
	entries int
}

// manifestFile is the name of the file that describes the others.
const manifestFile = "manifest.txt"

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

	held *screening.SourceStatus
	left int // entries that the files by ticker lack
}

func newFeedList(held *screening.SourceStatus) *feedList {
	return &feedList{Source: held.Info.ID, Name: held.Info.Name, License: held.Info.Licence, Attribution: held.Info.Attribution,
		Provenance: held.Provenance, Digest: held.Digest, Published: dayOrNone(held.Published), held: held}
}

// files returns the files of the list.
func (l *feedList) files() []feedFile {
	return []feedFile{{l.Source + ".json", indented(l, " "), len(l.Entries)}, {l.Source + ".tagpack.yaml", l.tagPack(), len(l.Entries)}}
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

func newFeedEntry(e *sources.Entry) feedEntry {
	return feedEntry{string(e.Kind), e.Ref, e.Name, string(e.Address.Chain()), e.Address.Normalized(), e.Text(), e.Asset,
		dayOrNone(e.ListedAt), dayOrNone(e.EntityListedAt)}
}

// abuses are what TagPacks call the kinds.
var abuses = map[score.Kind]string{
	score.Sanctioned: "sanction", score.TerroristFinancing: "terrorism", score.Seized: "seizure", score.Ransomware: "ransomware",
	score.StolenFunds: "service_hack", score.Phishing: "phishing", score.Scam: "scam", score.Mixer: "mixing_service",
}

// tagPack returns the list as a TagPack. A JSON string is a YAML string, too.
func (l *feedList) tagPack() []byte {
	quoted := func(s string) string {
		text, _ := wire.JSON(s) // a string has no error
		return string(text)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "title: %s\ncreator: walletscreen\ndescription: %s\nconfidence: authority_data\nis_cluster_definer: false\ntags:\n",
		quoted(l.Name), quoted(strings.Trim(l.License+". "+l.Attribution, " ")))
	for _, e := range l.Entries {
		fmt.Fprintf(&b, "- address: %s\n", quoted(e.Listed))
		for _, field := range [][2]string{
			{"currency", cmp.Or(e.Asset, e.Chain)}, {"label", cmp.Or(e.Name, l.Name)}, {"source", cmp.Or(l.held.Info.URL(e.Ref), e.Ref, l.Source)},
			{"abuse", cmp.Or(abuses[score.Kind(e.Kind)], "report")}, {"lastmod", cmp.Or(e.ListedAt, e.EntityListedAt, l.Published)},
		} {
			if field[1] != "" {
				fmt.Fprintf(&b, "  %s: %s\n", field[0], quoted(field[1]))
			}
		}
	}
	return b.Bytes()
}
