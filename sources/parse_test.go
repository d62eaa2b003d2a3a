package sources_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/mof"
	il "github.com/walletscreen/walletscreen/sources/nbctf"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/opensanctions"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// parsers are the Parse functions of published lists, each with a document that it reads.
var parsers = []struct {
	name, file string
	parse      func(io.Reader, func(sources.Entry) error) (sources.Revision, error)
	openEnded  bool // a document that is cut behind a line may look whole
	// record is a record without a wallet, which may stand before end any number of times; "" if the records
	// must differ.
	record, end string
}{
	{"eu", "eu/testdata/xmlFullSanctionsList_1_1_excerpt_2026-09-22.xml", eu.Parse, false,
		`<sanctionEntity euReferenceNumber="EU.9.9"><remark>none</remark><nameAlias wholeName="Nobody"/></sanctionEntity>`, "</export>"},
	{"uk", "uk/testdata/UK-Sanctions-List_excerpt_2026-09-21.xml", uk.Parse, false,
		`<Designation><UniqueID>NON0001</UniqueID><OtherInformation>none</OtherInformation></Designation>`, "</Designations>"},
	{"sdn_advanced.xml", "ofac/testdata/sdn_advanced_excerpt_2025-11-19.xml.gz", ofac.Parse, false,
		`<DistinctParty><Profile ID="1"><Identity Primary="true"/></Profile></DistinctParty>`, "</DistinctParties>"},
	{"sdn.xml", "ofac/testdata/sdn_excerpt_2026-09-23.xml", ofac.Parse, false, "", ""},
	{"mof", "mof/testdata/shisantouketsu20260828.csv", mof.Parse, true, "", ""},
	{"nbctf", "nbctf/testdata/wallets_2026-08-21.csv", il.Parse, true, "", ""},
	{"opensanctions", "opensanctions/testdata/targets.simple.csv", opensanctions.Parse, true, "", ""},
}

var count = regexp.MustCompile("(<Record_Count>)[0-9]+")

// document returns a document.
func document(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil && strings.HasSuffix(file, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	return count.ReplaceAllString(doc, fmt.Sprintf("${1}%d", strings.Count(doc, "<sdnEntry>"))) // an excerpt has fewer
}

// TestParseTruncated checks that no part of a document passes for the whole, and that the error names a place.
func TestParseTruncated(t *testing.T) {
	longtest.WithoutRace(t)
	for _, p := range parsers {
		doc := document(t, p.file)
		var all []sources.Entry
		if _, err := p.parse(strings.NewReader(doc), func(e sources.Entry) error { all = append(all, e); return nil }); err != nil || len(all) == 0 {
			t.Fatalf("%s: %d entries, %v", p.name, len(all), err)
		}
		end := len(strings.TrimRight(doc, "\r\n"))
		tail, step := longtest.N(13, 200), max(1, end/longtest.N(min(200, 30_000_000/end), 2000))
		for n := range end {
			if n%step != 0 && n < end-tail {
				continue
			}
			calls := 0
			rev, err := p.parse(strings.NewReader(doc[:n]), func(sources.Entry) error { calls++; return nil })
			var at *sources.RecordError
			if err == nil && p.openEnded && rev.OpenEnded && calls <= len(all) {
				continue
			}
			if !errors.As(err, &at) || calls > 0 || !rev.IsZero() {
				t.Fatalf("%s, %d of %d bytes: %d entries, %+v, error %v, want a *RecordError alone", p.name, n, len(doc), calls, rev, err)
			}
		}
	}
}

// TestParseErrors checks that an error of the reader, or of add, ends a Parse at once.
func TestParseErrors(t *testing.T) {
	broken := errors.New("broken line")
	for _, p := range parsers {
		doc := document(t, p.file)
		calls := 0
		rev, err := p.parse(strings.NewReader(doc), func(sources.Entry) error { calls++; return broken })
		if !errors.Is(err, broken) || calls != 1 || !rev.IsZero() {
			t.Errorf("%s: %+v, %v after %d calls of add, want its error after one", p.name, rev, err, calls)
		}
		r := io.MultiReader(strings.NewReader(doc[:len(doc)-20]), iotest.ErrReader(broken))
		if rev, err := p.parse(r, func(sources.Entry) error { calls++; return nil }); !errors.Is(err, broken) || calls != 1 || !rev.IsZero() {
			t.Errorf("%s: %+v, %v, want the error of the reader", p.name, rev, err)
		}
	}
}

// TestParseMemory checks that a Parse of XML holds only the wallets of a document.
func TestParseMemory(t *testing.T) {
	longtest.WithoutRace(t)
	for _, p := range parsers {
		if p.record == "" {
			continue
		}
		doc := document(t, p.file)
		at := strings.LastIndex(doc, p.end)
		records := strings.Repeat(p.record, 64<<10/len(p.record))
		held := func(times int) uint64 {
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			parts, most := []io.Reader{strings.NewReader(doc[:at])}, uint64(0)
			for range times {
				parts = append(parts, strings.NewReader(records), read(func() {
					runtime.GC()
					runtime.ReadMemStats(&now)
					most = max(most, now.HeapAlloc)
				}))
			}
			r := io.MultiReader(append(parts, strings.NewReader(doc[at:]))...)
			if _, err := p.parse(r, func(sources.Entry) error { return nil }); err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			return most - min(most, before.HeapAlloc)
		}
		small, big := held(4), held(64)
		if big > small+1<<20 {
			t.Errorf("%s holds %d bytes for 256 KiB of records, and %d for 4 MiB: want no more than a MiB more", p.name, small, big)
		}
	}
}

// A read is an empty reader that calls a function.
type read func()

func (f read) Read([]byte) (int, error) { f(); return 0, io.EOF }
