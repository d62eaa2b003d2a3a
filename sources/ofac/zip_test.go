package ofac_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/walletscreen/walletscreen/sources"
)

// zipped returns a ZIP file of the given names, each with the given content.
func zipped(t *testing.T, content []byte, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A ZIP file is read like the list in it.
func TestParseZIP(t *testing.T) {
	for name, doc := range map[string][]byte{
		"SDN_ADVANCED.XML": readFile(t, "sdn_advanced_excerpt_2025-03-04.xml.gz"),
		"SDN.XML":          recount(readFile(t, "sdn_excerpt_2026-09-23.xml")),
	} {
		want, wantRev, err := parse(t, bytes.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		got, rev, err := parse(t, bytes.NewReader(zipped(t, doc, name, "README.txt")))
		if err != nil || rev != wantRev || !slices.Equal(got, want) {
			t.Errorf("%s in a ZIP file: %d entries, %+v, %v, want %d and %+v", name, len(got), rev, err, len(want), wantRev)
		}
	}
}

func TestZIPRefused(t *testing.T) {
	doc := []byte(smallXML)
	whole := zipped(t, doc, "SDN.XML")
	for n := range len(whole) {
		if _, _, err := parse(t, bytes.NewReader(whole[:n])); err == nil {
			t.Errorf("%d of %d bytes: no error", n, len(whole))
		}
	}
	// One byte of the compressed list is changed; the CRC-32 reveals it.
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/3] ^= 0x40
	for name, file := range map[string][]byte{
		"damaged":       damaged,
		"no file":       zipped(t, doc, "sdn.csv"),
		"two files":     zipped(t, doc, "SDN.XML", "SDN_ADVANCED.XML"),
		"a bad file":    zipped(t, doc[:len(doc)-20], "SDN.XML"),
		"another list":  zipped(t, []byte("<html/>"), "SDN.XML"),
		"an empty file": zipped(t, nil, "SDN.XML"),
		"a bomb":        zipped(t, bytes.Replace(doc, []byte("</n:sdnList>"), append(bytes.Repeat([]byte(" "), 4<<20), "</n:sdnList>"...), 1), "SDN.XML"),
	} {
		if _, _, err := parse(t, bytes.NewReader(file)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	_, _, err := parse(t, bytes.NewReader(zipped(t, doc, "SDN.XML", "SDN_ADVANCED.XML")))
	var at *sources.RecordError
	if !errors.As(err, &at) || !strings.Contains(err.Error(), "more than one") {
		t.Errorf("two files: error %v, want a *RecordError that says so", err)
	}
	broken := errors.New("broken line")
	if _, _, err := parse(t, io.MultiReader(bytes.NewReader(whole[:100]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("broken off by the reader: error %v, want that of the reader", err)
	}
}
