package ofac

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

// maxCSV limits each of the two CSV files, in bytes. They had 5.6 MB and less than 1 MB in August 2026, and
// are held in memory.
const maxCSV = 64 << 20

// ParseCSV reads the SDN List from the two files of its oldest format, and calls add
// for each listed address, in the order of the list: sdn.csv, and sdn_comments.csv,
// which continues remarks that are cut in sdn.csv. Prefer the other formats: this one says
// neither when an entity was listed nor when the list was published, and has wallets
// only in the remarks of an entity, in the 12th column:
//
//	Gender Male; Digital Currency Address - XBT 12Qt…; alt. Digital Currency Address - XBT 1Kuf…; Passport ….
//
// OFAC cuts that column at 1000 characters, even within an address, and continues it in
// sdn_comments.csv. Text that is cut in one file must continue in the other, and
// the reverse; otherwise the files are of different days, which is an error. So is a
// wallet whose text may not be whole, or cannot be told from other text.
//
// Name is as the file prints it, the last name first: "YAN, Xiaobing". ListedAt is
// zero, and so is Published; a caller who knows that date should set it. Records
// counts the entities. The digest is the SHA-256 of the two files' SHA-256 sums.
//
// As with [Parse], nothing is added unless both files were read to their ends. OFAC's
// sdn.csv ends with the byte 0x1A (Ctrl-Z): a file without it was cut, which is an
// error. Errors are a [*sources.RecordError], come from a reader, or wrap the error of add.
// comments may be nil if no remarks continue.
func ParseCSV(sdnFile, comments io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	if comments == nil {
		comments = strings.NewReader("")
	}
	more := make(map[string]string) // the continued remarks by the id of the entity
	second, _, err := readRows("sdn_comments.csv", 2, comments, func(row []string) error {
		more[row[0]] += row[1] // with nothing between: it was cut within a word
		return nil
	})
	if err != nil {
		return sources.Revision{}, err
	}
	var l freetext.List
	seen := make(map[string]bool)
	first, isWhole, err := readRows("sdn.csv", 12, sdnFile, func(row []string) error {
		id := row[0]
		if seen[id] {
			return errors.New("id given twice")
		}
		seen[id] = true
		l.Revision.Records++
		if err := sdn.check(strings.Split(row[3], "] [")); err != nil {
			return err
		}
		remarks, err := whole(row[11], more[id])
		delete(more, id)
		if err != nil {
			return err
		}
		return addRemarks(&l, id, row[1], remarks)
	})
	switch {
	case err != nil:
	case l.Revision.Records == 0:
		err = fail("sdn.csv", "", errors.New("no records"))
	case !isWhole:
		err = fail("sdn.csv", "", fmt.Errorf("no Ctrl-Z (0x1A) at the end, so the file was cut: %w", io.ErrUnexpectedEOF))
	case len(l.Holders) == 0:
		err = fail("sdn.csv", "", fmt.Errorf("no wallet in %d records", l.Revision.Records))
	case len(more) > 0:
		err = fail("sdn_comments.csv", slices.Sorted(maps.Keys(more))[0], fmt.Errorf("not in sdn.csv: %w", errApart))
	}
	if err != nil {
		return sources.Revision{}, err
	}
	digest := sha256.Sum256(append(first[:], second[:]...))
	l.Revision.Digest = hex.EncodeToString(digest[:])
	return l.Emit("entity", add)
}

// errApart: the two files are not of one list.
var errApart = errors.New("the files are of different days, or one is cut")

// readRows calls read for each row of a file, whose first column is an id; the slice is valid until read returns.
// It returns the SHA-256 of the file, and whether it ends with Ctrl-Z.
func readRows(name string, columns int, r io.Reader, read func(row []string) error) (sum [sha256.Size]byte, marked bool, err error) {
	text, err := io.ReadAll(unpack.Limit(r, maxCSV))
	if err != nil {
		return sum, false, fmt.Errorf("%s: %w", name, err)
	}
	body, marked := bytes.CutSuffix(bytes.TrimRight(text, "\r\n"), []byte("\x1a"))
	if !marked {
		body = text
	}
	err = csvscan.Rows(bytes.NewReader(body), ',', marked, func(line int64, row []string) (err error) {
		switch {
		case len(row) != columns:
			err = fmt.Errorf("%d fields, want %d", len(row), columns)
		case row[0] == "" || strings.Trim(row[0], "0123456789") != "":
			err = fmt.Errorf("id %.64q: want a number", row[0])
		default:
			err = read(row)
		}
		if err != nil {
			err = &sources.RecordError{Line: line, Ref: row[0], Err: err}
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return sha256.Sum256(text), marked, err
}

// fail returns an error of a file, or of the record ref in it.
func fail(name, ref string, err error) error {
	return fmt.Errorf("%s: %w", name, &sources.RecordError{Ref: ref, Err: err})
}

// maxRemarks is the length at which OFAC cuts the remarks, in characters.
const maxRemarks = 1000

// whole returns the remarks of a row with their continuation.
func whole(remarks, more string) (string, error) {
	switch n := utf8.RuneCountInString(remarks); {
	case more != "" && n == maxRemarks-1:
		// The last of the 1000 characters was a blank, which was trimmed.
		return remarks + " " + more, nil
	case more != "" && n < maxRemarks:
		return "", fmt.Errorf("remarks of %d characters go on in the comments, want %d: %w", n, maxRemarks, errApart)
	case more == "" && n == maxRemarks:
		return "", fmt.Errorf("remarks are cut at %d characters, and do not go on in the comments: %w", n, errApart)
	}
	return remarks + more, nil
}

// addRemarks adds the wallets in remarks, and their holder. Remarks are items separated by
// semicolons, with a full stop at the end.
func addRemarks(l *freetext.List, id, name, remarks string) error {
	remarks = strings.TrimRightFunc(remarks, unicode.IsSpace)
	body, ok := strings.CutSuffix(remarks, ".")
	if !ok && mentions(remarks) {
		return errors.New("remarks with a wallet do not end in a full stop: they were cut")
	}
	h := &freetext.Holder{Ref: id, Name: sources.TrimListed(name)}
	for item := range strings.SplitSeq(body, ";") {
		if !mentions(item) {
			continue
		}
		asset, text, err := walletOf(item)
		if err != nil {
			return err
		}
		addWallet(h, asset, text)
	}
	h.Find(time.Time{}, remarks)
	return l.Add(h)
}

// mentions reports whether text has the label of a wallet, with any blanks.
func mentions(text string) bool {
	return strings.Contains(strings.ToLower(strings.Join(strings.Fields(text), "")), "digitalcurrencyaddress")
}

// walletOf reads an item that mentions the label: the label as in the other formats, after "alt." or not, a
// ticker and an address.
func walletOf(item string) (asset, text string, err error) {
	words := strings.Fields(item)
	if words[0] == "alt." {
		words = words[1:]
	}
	rest, ok := ticker(strings.Join(words, " "))
	asset, text, found := strings.Cut(rest, " ")
	if !ok || !found {
		return "", "", fmt.Errorf("%.128q: want %q, a ticker and an address", item, label+" -")
	}
	return asset, text, nil
}
