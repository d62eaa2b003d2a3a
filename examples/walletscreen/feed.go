package main

import (
	"bytes"
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
