package ofac

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
)

// zipMagic is how a ZIP file with something in it begins.
const zipMagic = "PK\x03\x04"

// maxZIP bounds a ZIP file, which must be held to be read: its directory stands
// at the end. Those of OFAC have some 3 MB (sdn.xml) and 5 MB (sdn_advanced.xml).
const maxZIP = 64 << 20

// maxRatio bounds what the ZIP file may claim to be compressed to: the lists are
// so to a thirtieth. What is longer than it claims is an error of archive/zip.
const maxRatio = 250

// unzip returns a reader of the one XML file in the ZIP file r. That reader
// checks length and CRC-32 of what it gives.
func unzip(r io.Reader) (io.Reader, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxZIP+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxZIP {
		return nil, zipError("of more than %d bytes", maxZIP)
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
	if n := doc.UncompressedSize64; n > maxBytes || n > maxRatio*doc.CompressedSize64+1<<20 {
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
