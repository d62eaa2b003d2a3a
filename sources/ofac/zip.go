package ofac

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

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
