// Package ofac reads the lists of the US Treasury's Office of Foreign Assets Control: the
// SDN List and the consolidated (non-SDN) list. Begin with [New], [NewConsolidated] and,
// for files, [Parse] and [ParseCSV].
//
// The formats are sdn_advanced.xml, which says when each entity was listed, sdn.xml, the
// ZIP files of both, and CSV. An entry is one listed address: Asset is the ticker as
// printed, Ref the id of the entity, and EntityListedAt the day on which it was listed.
// OFAC does not say when it added an address to an entity. The lists are works of the US
// government and in the public domain.
package ofac

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
	"github.com/walletscreen/walletscreen/sources/internal/xmlscan"
)

// Parse reads the SDN List from r, as sdn_advanced.xml, sdn.xml or a ZIP file of one, in the
// namespaces before and since May 2024; see package sources. An address that is listed twice
// is added twice. One that decodes to nothing is added with a zero Address. An address
// elsewhere in a record, such as in remarks, is added too; one under another type, or outside
// of the records, is an error.
//
// Nothing is added unless r is a whole list: well-formed to its last byte, of the right kind,
// with the number of records that it states (sdn.xml), and with a wallet. Parse refuses the
// consolidated list: sdn_advanced.xml names the list of each party, and in sdn.xml the
// programs show it. For CSV, which is two files, use [ParseCSV]. The revision's digest covers
// the XML document, also of a ZIP file, which Parse holds in memory.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return sdn.parse(r, add)
}

// ParseConsolidated is [Parse] for the consolidated non-SDN list. It refuses the SDN List.
// The list had no wallet in 2026, so a list without wallets is accepted. ListedAt is the
// first day on which the entity was on one of the lists that it consolidates.
func ParseConsolidated(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return consolidated.parse(r, add)
}

func (k kind) parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	document, err := open(r)
	if err != nil {
		return sources.Revision{}, err
	}
	return freetext.Parse(document, "entity", add, func(r io.Reader) (*freetext.List, error) { return readXML(xmlscan.New(r), k) })
}

// open returns a reader of the document in r, which may be a ZIP file.
func open(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 16) // large reads go past the buffer
	if head, _ := buffered.Peek(len(zipMagic)); string(head) == zipMagic {
		return unzip(buffered)
	}
	return buffered, nil
}

// readXML reads the document of s to its end.
func readXML(s *xmlscan.Scanner, k kind) (*freetext.List, error) {
	d := document{Scanner: s, kind: k}
	s.Stray = freetext.Stray
	var check func() error
	err := s.Document(func(root *xmlscan.Node) (records map[string]func(*xmlscan.Node) error, err error) {
		switch root.Name {
		case "Sanctions":
			records, check = d.advanced()
		case "sdnList":
			records, check = d.simple()
		default:
			err = d.Errorf("", "root element <%.64s> is that of no list of OFAC", root.Name)
		}
		return records, err
	})
	if err == nil {
		err = check()
	}
	if err != nil {
		return nil, err
	}
	if err := d.Check(k == consolidated); err != nil {
		return nil, d.Errorf("", "%w", err)
	}
	return &d.List, nil
}

// A document is a list while it is read.
type document struct {
	*xmlscan.Scanner
	freetext.List
	kind    kind   // which one it should be
	claimed string // the number of records that it states
}

// addWallet adds a wallet.
func addWallet(h *freetext.Holder, asset, text string) {
	a, _ := sources.Decode(asset, text)
	h.Add(sources.Entry{Asset: asset, Listed: text, Address: a})
}

// label begins the type of a wallet in all formats. A ticker follows.
const label = "Digital Currency Address"

// ticker returns the ticker in a type such as "Digital Currency Address - XBT", and false
// if it is not the type of a wallet. Any ticker is accepted: OFAC adds new ones.
func ticker(kind string) (string, bool) {
	kind = strings.TrimSpace(kind)
	if len(kind) < len(label) || !strings.EqualFold(kind[:len(label)], label) {
		return "", false
	}
	isMark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) } // a dash, or what it became
	return sources.TrimListed(strings.TrimLeftFunc(kind[len(label):], isMark)), true
}

// resembles reports whether text has two of the three words of the label, in any letter
// case: a typing error of OFAC in the label must not hide a wallet.
func resembles(text string) bool {
	lower, known := strings.ToLower(text), 0
	for _, word := range [...]string{"digital", "currency", "address"} {
		if strings.Contains(lower, word) {
			known++
		}
	}
	return known >= 2
}

// tickerOfType is ticker of a type that may have a typing error.
func tickerOfType(kind string) (string, bool) {
	if asset, ok := ticker(kind); ok || !resembles(kind) {
		return asset, ok
	}
	_, asset, _ := strings.Cut(kind, "-")
	return sources.TrimListed(asset), true
}

// zipMagic begins a ZIP file that is not empty.
const zipMagic = "PK\x03\x04"

// maxZIP limits a ZIP file, which is held in memory because its directory is at the end.
// OFAC's have some 3 MB (sdn.xml) and 5 MB (sdn_advanced.xml).
const maxZIP = 64 << 20

// maxRatio limits the compression that a ZIP file may claim. The lists compress to a thirtieth.
const maxRatio = 250

// unzip returns a reader of the only XML file in the ZIP file r. The reader checks
// length and CRC-32.
func unzip(r io.Reader) (io.Reader, error) {
	b, err := io.ReadAll(unpack.Limit(r, maxZIP))
	if err != nil {
		return nil, zipError("%w", err)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, zipError("%w", err)
	}
	var doc *zip.File
	for _, f := range z.File {
		if !strings.EqualFold(path.Ext(f.Name), ".xml") {
			continue
		}
		if doc != nil {
			return nil, zipError("with more than one XML file")
		}
		doc = f
	}
	if doc == nil {
		return nil, zipError("without an XML file")
	}
	if n := doc.UncompressedSize64; n > maxBytes || n > maxRatio*doc.CompressedSize64+1<<20 { // archive/zip lets it have no more than it claims
		return nil, zipError("with a file of %d bytes in %d", n, doc.CompressedSize64)
	}
	unzipped, err := doc.Open()
	if err != nil {
		return nil, zipError("%w", err)
	}
	return unzipped, nil
}

func zipError(format string, args ...any) error {
	return &sources.RecordError{Byte: 0, Err: fmt.Errorf("ZIP file "+format, args...)}
}
