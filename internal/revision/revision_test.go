package revision_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

var accepted = time.Date(2026, 11, 21, 4, 57, 29, 500_000_000, time.UTC)

var header = revision.Header{
	Source: "TEST_LIST",
	Name:   "A list with \"quotes\"\nand two lines",
	Revision: sources.Revision{
		Digest:    strings.Repeat("0123456789abcdef", 4),
		Published: time.Date(2025, 11, 19, 0, 0, 0, 0, time.UTC),
		Checked:   time.Date(2025, 11, 20, 10, 30, 0, 123, time.UTC),
		Records:   18290,
		ETag:      `W/"abc"`, LastModified: "Wed, 19 Nov 2025 15:00:00 GMT",
	},
	Accepted: accepted,
}

var lazarus = address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")

var entries = []sources.Entry{
	{
		Address: lazarus,
		Listed:  "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Asset: "ETH", Kind: score.Sanctioned,
		Ref: "27307", Name: "LAZARUS GROUP", ListedAt: time.Date(2019, 9, 13, 0, 0, 0, 0, time.UTC),
		FirstSeen: time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC),
	},
	{Address: address.MustParse("bsc", "0xd882cfc20f52f2599d84b8e8d58c7fb62cfe344b"), Kind: score.Phishing},
	{Listed: " 0x9CdfC5b0ACA4527a0916412E9dbD6AD85556A49\u200b", Kind: score.Scam, Name: "bytes \xff\x00 that are no text"},
	{
		Address: lazarus,
		Listed:  "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Asset: "USDC", Kind: score.Sanctioned,
		Ref: "27307", Name: "LAZARUS GROUP", ListedAt: time.Date(2019, 9, 13, 0, 0, 0, 0, time.UTC),
	},
	{},
	{Address: lazarus, Listed: lazarus.Normalized()},
	{Address: lazarus, Listed: strings.ToUpper(lazarus.Normalized())},
	{Address: lazarus, Listed: "0X" + lazarus.Normalized()[2:]},
	{Address: lazarus, Listed: "0x098B716B8Aaf21512996dC57EB0615e2383E2f9"},
	{Address: address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"), Listed: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
	{Address: address.MustParse("tron", "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq"), Listed: "another", Asset: "XBT"},
	{ListedAt: time.Date(1900, 1, 1, 0, 0, 0, 1, time.UTC)},
}

var removals = []revision.Removal{{Entry: entries[0], At: accepted}, {Entry: entries[2], At: accepted.AddDate(-1, 0, 0)}}

// write returns a file, with h.Entries set.
func write(t testing.TB, h revision.Header, entries []sources.Entry, tables ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeTo(&b, h, entries, tables...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeTo(to io.Writer, h revision.Header, entries []sources.Entry, tables ...string) error {
	h.Entries = len(entries)
	w, err := revision.NewWriter(to, h)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.Entry(e); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := w.Table(strings.NewReader(t)); err != nil {
			return err
		}
	}
	return w.Close()
}

// read returns all that a file holds.
func read(data []byte) (h revision.Header, entries []sources.Entry, err error) {
	f, err := revision.Parse(data)
	if err != nil {
		return revision.Header{}, nil, err
	}
	for e, err := range f.Entries() {
		if err != nil {
			return revision.Header{}, nil, err
		}
		entries = append(entries, e)
	}
	return f.Header, entries, nil
}

// manyLabels returns n entries, each with a different label.
func manyLabels(n int) []sources.Entry {
	list := make([]sources.Entry, n)
	for i := range list {
		list[i] = entries[i%len(entries)]
		list[i].Name = fmt.Sprint("name ", i)
	}
	return list
}

func TestRoundTrip(t *testing.T) {
	zero := revision.Header{Source: "A", Revision: sources.Revision{Digest: header.Revision.Digest}}
	part, assembled, ruled := header, header, header
	part.Revision.Completeness = sources.Partial
	assembled.Revision.Completeness = sources.Assembled
	ruled.Rule = "3 \"x\""
	east := header
	east.Revision.Published = east.Revision.Published.In(time.FixedZone("east", 3600))
	big := entries[0]
	big.Name = strings.Repeat("n", 1<<16)
	bigs := slices.Repeat([]sources.Entry{big}, 140)
	for i := range bigs { // more than the dictionary has room for
		bigs[i].Ref = strings.Repeat(string(rune('a'+i%26)), 1<<16-i)
	}
	tests := []struct {
		name         string
		header, want revision.Header
		entries      []sources.Entry
		tables       []string
	}{
		{"full", header, header, entries, nil},
		{"empty list", header, header, nil, nil},
		{"bare", zero, zero, entries[:1], nil},
		{"not in UTC", east, header, entries, nil},
		{"partial", part, part, entries, nil},
		{"assembled", assembled, assembled, entries, nil},
		{"tables", ruled, ruled, entries, []string{"a", "", strings.Repeat("b", 3<<20), "c"}},
		{"no tables of a rule", ruled, ruled, entries, nil},
		{"more strings than are numbered", header, header, manyLabels(66_000), nil},
		{"long strings", header, header, bigs, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := write(t, tt.header, tt.entries, tt.tables...)
			if len(tt.entries) < 1000 || longtest.Enabled() {
				if again := write(t, tt.header, tt.entries, tt.tables...); !bytes.Equal(again, data) {
					t.Error("the same input made other bytes")
				}
			}
			h, list, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Entries = len(tt.entries)
			if h != tt.want {
				t.Errorf("header %+v, want %+v", h, tt.want)
			}
			if !slices.Equal(list, tt.entries) {
				t.Errorf("%d entries %+v, want %d %+v", len(list), list[:min(20, len(list))], len(tt.entries), tt.entries[:min(20, len(tt.entries))])
			}
			if h, err := revision.ReadHeader(data); err != nil || h != tt.want {
				t.Errorf("ReadHeader = %+v, %v, want %+v", h, err, tt.want)
			}
			f, err := revision.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			tables := f.Tables(tt.header.Rule)
			if len(tables) != len(tt.tables) {
				t.Fatalf("%d tables, want %d", len(tables), len(tt.tables))
			}
			for i, table := range tables {
				if string(table) != tt.tables[i] {
					t.Errorf("table %d has %d bytes %.20q, want %.20q", i, len(table), table, tt.tables[i])
				}
				if at := uintptr(unsafe.Pointer(unsafe.SliceData(table))) - uintptr(unsafe.Pointer(unsafe.SliceData(data))); at%64 != 0 {
					t.Errorf("table %d is at byte %d, want a multiple of 64", i, at)
				}
			}
			if f.Tables("another rule") != nil {
				t.Error("tables of another rule")
			}
		})
	}
}

// TestAllFields checks that a file has every field of its types: it fails when one is
// added that the codec does not know.
func TestAllFields(t *testing.T) {
	h := header
	h.Rule, h.Entries = "1", 1
	h.Revision.OpenEnded, h.Revision.Completeness, h.Revision.Provenance = true, sources.Partial, "an excerpt:\n\"a\"\nprovenance \"b\""
	e := entries[0]
	e.EntityListedAt, e.NotListedOn = e.ListedAt.AddDate(-1, 0, 0), e.ListedAt.AddDate(0, 0, -1)
	d := revision.Delta{Dropped: entries[:1], Gained: []sources.Entry{e}, Removed: []revision.Removal{{Entry: e, At: accepted}}}
	for _, v := range []any{h, h.Revision, e, d, d.Removed[0]} {
		of := reflect.ValueOf(v)
		for i := range of.NumField() {
			if name := of.Type().Field(i).Name; of.Field(i).IsZero() && name != "Until" { // Removal.At
				t.Fatalf("%T.%s: set it here, and write it", v, of.Type().Field(i).Name)
			}
		}
	}
	got, list, err := read(write(t, h, []sources.Entry{e}, "table"))
	if err != nil || got != h || len(list) != 1 || list[0] != e {
		t.Errorf("read %+v %+v, %v, want %+v %+v", got, list, err, h, e)
	}
	text, err := d.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := revision.ParseDelta(text); err != nil || !reflect.DeepEqual(got, d) {
		t.Errorf("read %+v, %v, want %+v", got, err, d)
	}
}

// TestDelta cuts and lengthens a Delta, and writes some that cannot be read back.
func TestDelta(t *testing.T) {
	text, err := (&revision.Delta{Dropped: entries, Gained: entries[:2], Removed: removals}).Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range text {
		if _, err := revision.ParseDelta(text[:n]); !errors.Is(err, revision.ErrDamaged) {
			t.Fatalf("cut to %d bytes: error %v, want ErrDamaged", n, err)
		}
	}
	if _, err := revision.ParseDelta(append(text, 0)); !errors.Is(err, revision.ErrDamaged) {
		t.Errorf("with a byte more: error %v, want ErrDamaged", err)
	}
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, d := range map[string]revision.Delta{
		"dropped, listed in 10000": {Dropped: []sources.Entry{{ListedAt: late}}},
		"gained, long name":        {Gained: []sources.Entry{{Name: strings.Repeat("a", 1<<16+1)}}},
		"removed in 10000":         {Removed: []revision.Removal{{At: late}}},
		"removed, seen in 10000":   {Removed: []revision.Removal{{Entry: sources.Entry{FirstSeen: late}}}},
	} {
		if _, err := d.Append(nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestFormat checks the bytes themselves: files of version 1 must stay readable.
func TestFormat(t *testing.T) {
	head := "walletscreen revision 1\n" +
		"source TEST_LIST\n" +
		`name "A list with \"quotes\"\nand two lines"` + "\n" +
		"digest 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n" +
		"published 2025-11-19T00:00:00Z\n" +
		"checked 2025-11-20T10:30:00.000000123Z\n" +
		"accepted 2026-11-21T04:57:29.5Z\n" +
		"completeness whole\n" +
		"open-ended false\n" +
		"records 18290\n" +
		"entries 4\n" +
		`rule "7"` + "\n" +
		`etag "W/\"abc\""` + "\n" +
		`last-modified "Wed, 19 Nov 2025 15:00:00 GMT"` + "\n\n"
	raw := "\x09\x8b\x71\x6b\x8a\xaf\x21\x51\x29\x96\xdc\x57\xeb\x06\x15\xe2\x38\x3e\x2f\x96"
	body := head +
		// Address as 20 bytes, listed with capitals, a new label.
		"\x29" + "\x01\x08ethereum" + "\x01\x03ETH" + "\x01\x0aSANCTIONED" + "\x01\x0527307" + "\x01\x0dLAZARUS GROUP" +
		"\x01\x80\xf0\xd6\xd7\x0b" + "\x02\xca\xd6\xb9\x95\x0d\xa0\xe2\xdc\xc3\x02" + raw + "\x88\x02\x20\x03\x08"
	list := []sources.Entry{entries[0], entries[0], entries[2], entries[0]}
	h := header
	h.Rule = "7"
	got := string(write(t, h, list, "table"))
	if !strings.HasPrefix(got, head) {
		t.Fatalf("header\n%q\nwant\n%q", got[:len(head)], head)
	}
	golden := "testdata/version1.rev"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("wrote\n%q\nwant\n%q", got, want)
	}
	if !strings.HasPrefix(got, body) {
		t.Errorf("first entry\n%q\nwant\n%q", got[len(head):len(body)], body[len(head):])
	}
	// The second entry has the same label: a byte, the address, and the capitals.
	if second := got[len(body) : len(body)+26]; second != "\x19"+raw+got[len(body)-5:len(body)] {
		t.Errorf("second entry %q", second)
	}
	if !strings.Contains(got, "\x00table") {
		t.Error("no table after zeros")
	}
}

// seal returns a file with the given header lines and entries and a valid seal.
func seal(head, body string) []byte {
	u64 := binary.LittleEndian.AppendUint64
	b := []byte(head + body)
	off := uint64(len(b))
	var trailer []byte
	trailer = u64(u64(trailer, uint64(len(head))), uint64(len(body)))
	trailer = u64(trailer, 0)
	blocks := (len(b) + 1<<20 - 1) >> 20
	trailer = u64(trailer, uint64(blocks))
	for i := range blocks {
		trailer = binary.LittleEndian.AppendUint32(trailer, crc32.Checksum(b[i<<20:min(len(b), (i+1)<<20)], crc32.MakeTable(crc32.Castagnoli)))
	}
	return sealTrailer(head, b, off, trailer)
}

func sealTrailer(head string, body []byte, off uint64, trailer []byte) []byte {
	trailer = binary.LittleEndian.AppendUint64(trailer, off)
	sum := revision.SealOf([]byte(head), trailer)
	return slices.Concat(body, trailer, sum[:])
}

// headOf returns the header lines of a file, and the section with its entries.
func headOf(t testing.TB, data []byte) (head, body string) {
	t.Helper()
	end := bytes.Index(data, []byte("\n\n")) + 2
	trailer := binary.LittleEndian.Uint64(data[len(data)-40:])
	n := binary.LittleEndian.Uint64(data[trailer+8:])
	return string(data[:end]), string(data[end : end+int(n)])
}

func TestParseErrors(t *testing.T) {
	head, body := headOf(t, write(t, header, entries[:2]))
	change := func(old, new string) []byte {
		if !strings.Contains(head, old) {
			t.Fatalf("%q is not in the header", old)
		}
		return seal(strings.Replace(head, old, new, 1), body)
	}
	one := strings.Replace(head, "entries 2\n", "entries 1\n", 1)
	entry := func(s string) []byte { return seal(one, s) }
	evm := "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	text := func(s string) string { return string(binary.AppendUvarint(nil, uint64(len(s)))) + s }
	label := func(chain string) string { return "\x01" + text(chain) + "\x00\x00\x00\x00\x00\x00" }
	if _, _, err := read(entry("\x22" + label("ethereum") + text(evm))); err != nil {
		t.Fatalf("the file that is broken below: %v", err)
	}
	if _, _, err := read(seal(head, body)); err != nil {
		t.Fatalf("the file that is broken below: %v", err)
	}
	damaged := revision.ErrDamaged
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, damaged},
		{"another file", []byte("<!DOCTYPE html>"), damaged},
		{"a later version", change("revision 1\n", "revision 2\n"), revision.ErrVersion},
		{"a version of more digits", change("revision 1\n", "revision 11\n"), revision.ErrVersion},
		{"a later version with other lines", seal("walletscreen revision 9\nanything\n\n", "x"), revision.ErrVersion},
		{"CR LF", seal(strings.ReplaceAll(head, "\n", "\r\n"), body), damaged},
		{"first line only", []byte("walletscreen revision 1\n"), damaged},
		{"no lines", seal("walletscreen revision 1\n\n", body), revision.ErrVersion},
		{"no end of the header", seal("walletscreen revision 1\nsource X", "x"), damaged},
		{"line missing", change("published 2025-11-19T00:00:00Z\n", ""), revision.ErrVersion},
		{"an unreleased version", change("open-ended false\n", ""), revision.ErrVersion},
		{"another unreleased version", change("entries 2\n", "entries 2\nremoved 0\n"), revision.ErrVersion},
		{"line twice", change("records 18290\n", "records 18290\nrecords 18290\n"), revision.ErrVersion},
		{"lines exchanged", change("published 2025-11-19T00:00:00Z\nchecked", "checked 2025-11-19T00:00:00Z\npublished"), revision.ErrVersion},
		{"unknown line", change("records 18290\n", "rows 18290\n"), revision.ErrVersion},
		{"no source", change("source TEST_LIST", "source "), damaged},
		{"source in lower case", change("source TEST_LIST", "source test"), damaged},
		{"name not quoted", change(`name "A`, `name A`), damaged},
		{"name quoted otherwise", change(`\nand`, `\x0aand`), damaged},
		{"short digest", change("digest 01", "digest "), damaged},
		{"no time", change("published 2025-11-19T00:00:00Z", "published yesterday"), damaged},
		{"time not in UTC", change("published 2025-11-19T00:00:00Z", "published 2025-11-19T01:00:00+01:00"), damaged},
		{"time with a digit too many", change("published 2025-11-19T00:00:00Z", "published 2025-11-19T00:00:00.0Z"), damaged},
		{"zero time in full", change("published 2025-11-19T00:00:00Z", "published 0001-01-01T00:00:00Z"), damaged},
		{"unknown completeness", change("completeness whole", "completeness some"), damaged},
		{"neither open-ended nor not", change("open-ended false", "open-ended no"), damaged},
		{"no completeness", change("completeness whole", "completeness "), damaged},
		{"negative records", change("records 18290", "records -1"), damaged},
		{"records with a sign", change("records 18290", "records +18290"), damaged},
		{"fewer entries than there are", change("entries 2", "entries 1"), damaged},
		{"more entries than there are", change("entries 2", "entries 3"), damaged},
		{"more entries than bytes", change("entries 2", "entries 9000000000000000000"), damaged},
		{"bytes after the entries", seal(head, body+"\x00"), damaged},
		{"half of the entries", seal(head, body[:len(body)/2]), damaged},

		{"unknown form", entry("\x62" + label("ethereum") + text(evm)), damaged},
		{"unknown address form", entry("\x23" + label("ethereum") + text(evm)), damaged},
		{"a dated label that is cut", entry("\x32" + label("ethereum") + text(evm)), damaged},
		{"no label before", entry("\x12" + text(evm) + "\x00\x00\x00"), damaged},
		{"label form of none", entry("\x02" + text(evm)), damaged},
		{"unknown string", entry("\x22\x02\x00\x00\x00\x00\x00\x00" + text(evm)), damaged},
		{"unknown time form", entry("\x22\x00\x00\x00\x00\x00\x03\x00\x00" + text(evm)), damaged},
		{"time in the year 10000", entry("\x22\x00\x00\x00\x00\x00\x01\x80\xa0\xff\xee\xff\xff\x7f\x00" + text(evm)), damaged},
		{"string longer than the file", entry("\x22\x01\x7fx"), damaged},
		{"string longer than is allowed", entry("\x22\x01\x81\x80\x04" + strings.Repeat("a", 1<<17)), damaged},
		{"number without end", entry("\x22\x01" + strings.Repeat("\xff", 30)), damaged},
		{"capitals of a text", entry("\x2a" + label("ethereum") + text(evm) + "\x00\x00\x00\x00\x00"), damaged},
		{"address cut", entry("\x21" + label("ethereum") + "12345"), damaged},

		{"unknown chain", entry("\x22" + label("atlantis") + text(evm)), address.ErrChain},
		{"chain without address", entry("\x22" + label("ethereum") + "\x00"), address.ErrSyntax},
		{"address without chain", entry("\x22\x00\x00\x00\x00\x00\x00\x00" + text(evm)), address.ErrChain},
		{"no address", entry("\x22" + label("ethereum") + text(evm[1:])), address.ErrSyntax},
		{"address not in normal form", entry("\x22" + label("ethereum") + text(entries[0].Listed)), damaged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := read(tt.data); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
	u64 := func(numbers ...uint64) (b []byte) {
		for _, n := range numbers {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		return b
	}
	size := uint64(len(head + body))
	for name, trailer := range map[string][]byte{
		"empty":                       nil,
		"entries beyond the end":      u64(0, size+1, 0, 1),
		"entries at an overflow":      u64(1<<63, 1<<63, 0, 1),
		"more tables than fit":        u64(0, 0, 1<<60, 1),
		"a table beyond the end":      u64(0, 0, 1, size, 1, 1),
		"no blocks":                   u64(0, 0, 0),
		"fewer checksums than blocks": u64(0, 0, 0, 1),
		"more blocks than bytes":      u64(0, 0, 0, 2, 0),
	} {
		if _, err := revision.Parse(sealTrailer(head, []byte(head+body), size, trailer)); !errors.Is(err, damaged) {
			t.Errorf("trailer with %s: %v, want ErrDamaged", name, err)
		}
	}
}

// TestDamage changes, cuts and lengthens a file at every place.
func TestDamage(t *testing.T) {
	h := header
	h.Rule = "1"
	data := write(t, h, entries, "table 1", "table 2")
	damaged := func(what string, b []byte) {
		t.Helper()
		if _, err := revision.Parse(b); !errors.Is(err, revision.ErrDamaged) || errors.Is(err, revision.ErrVersion) {
			t.Fatalf("%s: error %v, want ErrDamaged", what, err)
		}
	}
	for i := range data {
		for bit := range longtest.N(2, 8) {
			bit := (i + 5*bit) % 8
			data[i] ^= 1 << bit
			damaged(fmt.Sprintf("byte %d, bit %d flipped", i, bit), data)
			data[i] ^= 1 << bit
		}
		damaged(fmt.Sprintf("cut to %d bytes", i), data[:i])
		damaged(fmt.Sprintf("without byte %d", i), slices.Delete(slices.Clone(data), i, i+1))
	}
	for _, more := range []string{"\x00", "\n", string(data)} {
		damaged(fmt.Sprintf("with %d bytes more", len(more)), append(slices.Clone(data), more...))
	}
	large := write(t, h, entries, strings.Repeat("table", 1<<20))
	for i := 0; i < len(large); i += 1<<18 - 1 { // in each block
		large[i] ^= 1
		damaged(fmt.Sprintf("byte %d of a large file", i), large)
		large[i] ^= 1
	}
	if _, err := revision.Parse(large); err != nil {
		t.Errorf("restored: %v", err)
	}
}

// TestUnknownChain reads entries on a chain that this version does not know: an error
// for an entry that is listed, but not for one that was removed.
func TestUnknownChain(t *testing.T) {
	head, body := headOf(t, write(t, header, entries))
	if _, _, err := read(seal(head, strings.Replace(body, "\x08ethereum", "\x08atlantis", 1))); !errors.Is(err, address.ErrChain) {
		t.Errorf("listed: %v, want ErrChain", err)
	}
	for _, d := range []revision.Delta{{Removed: removals}, {Gained: entries[:1]}} {
		text, err := d.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := revision.ParseDelta(bytes.Replace(text, []byte("\x08ethereum"), []byte("\x08atlantis"), 1))
		if d.Gained == nil && (err != nil || !slices.Equal(got.Removed, removals)) {
			t.Errorf("removed: %+v, %v, want %+v", got.Removed, err, removals) // the ticker says which chain it was
		} else if d.Gained != nil && !errors.Is(err, address.ErrChain) {
			t.Errorf("gained: %v, want ErrChain", err)
		}
	}
}

// TestNotDecoded reads an entry that had no address when it was written, although its
// string is one.
func TestNotDecoded(t *testing.T) {
	want := []sources.Entry{{Listed: entries[0].Listed, Asset: "ETH"}}
	if _, got, err := read(write(t, header, want)); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %+v, %v, want %+v", got, err, want)
	}
}

func TestWriterErrors(t *testing.T) {
	with := func(f func(*revision.Header)) revision.Header {
		h := header
		f(&h)
		return h
	}
	long := strings.Repeat("a", 1<<16+1)
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	for name, h := range map[string]revision.Header{
		"no header":                 {},
		"bad id":                    with(func(h *revision.Header) { h.Source = "A\nB" }),
		"long name":                 with(func(h *revision.Header) { h.Name = long }),
		"long rule":                 with(func(h *revision.Header) { h.Rule = long }),
		"no digest":                 with(func(h *revision.Header) { h.Revision.Digest = "" }),
		"digest in capitals":        with(func(h *revision.Header) { h.Revision.Digest = strings.Repeat("A", 64) }),
		"negative records":          with(func(h *revision.Header) { h.Revision.Records = -1 }),
		"unknown completeness":      with(func(h *revision.Header) { h.Revision.Completeness = "some" }),
		"published in year 10000":   with(func(h *revision.Header) { h.Revision.Published = year(10000) }),
		"checked in the year -1":    with(func(h *revision.Header) { h.Revision.Checked = year(-1) }),
		"accepted in the year 9999": with(func(h *revision.Header) { h.Accepted = year(10000) }),
	} {
		if _, err := revision.NewWriter(io.Discard, h); err == nil {
			t.Errorf("%s: NewWriter returned no error", name)
		}
	}
	for name, e := range map[string]sources.Entry{
		"long listed string": {Listed: long},
		"long name":          {Name: long},
		"listed in 10000":    {ListedAt: year(10000)},
		"seen in 10000":      {FirstSeen: year(10000)},
	} {
		var b bytes.Buffer
		if err := writeTo(&b, header, []sources.Entry{e}); err == nil || b.Len() > 0 {
			t.Errorf("entry, %s: %v, %d bytes written, want an error and none", name, err, b.Len())
		}
		if err := writeTo(&b, header, append(manyLabels(5000), e)); err == nil {
			t.Errorf("last entry, %s: no error", name)
		}
		if _, err := revision.Parse(b.Bytes()); err == nil {
			t.Errorf("last entry, %s: what was written can be read", name)
		}
	}
	if err := writeTo(io.Discard, header, nil, "a table"); err == nil {
		t.Error("a table without a rule: no error")
	}
	w, err := revision.NewWriter(io.Discard, with(func(h *revision.Header) { h.Entries = 1 }))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("fewer entries than in the header: no error")
	}
	for n := range 3 {
		err := writeTo(&failing{after: n}, with(func(h *revision.Header) { h.Rule = "1" }), manyLabels(5000), "a table")
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("the write after %d fails: %v, want %v", n, err, os.ErrClosed)
		}
	}
}

// failing is a Writer that fails once.
type failing struct{ after int }

func (w *failing) Write(b []byte) (int, error) {
	if w.after--; w.after == -1 {
		return 0, os.ErrClosed
	}
	return len(b), nil
}

// FuzzEntries reads arbitrary entries in a file with a valid seal. What can be read can
// be written and read again.
func FuzzEntries(f *testing.F) {
	for _, n := range []int{0, 1, len(entries)} {
		_, body := headOf(f, write(f, header, entries[:n]))
		f.Add(uint16(n), body)
	}
	f.Fuzz(func(t *testing.T, n uint16, body string) {
		h := header
		h.Entries = int(n)
		head, _ := headOf(t, write(t, header, nil))
		head = strings.Replace(head, "entries 0\n", fmt.Sprintf("entries %d\n", n), 1)
		got, list, err := read(seal(head, body))
		if err != nil {
			return
		}
		if got != h || len(list) != h.Entries {
			t.Fatalf("read %+v, %d entries, want %+v", got, len(list), h)
		}
		again, list2, err := read(write(t, got, list))
		if err != nil || again != h || !slices.Equal(list2, list) {
			t.Errorf("read %+v, and again %+v, %v", list, list2, err)
		}
	})
}

// FuzzParse reads arbitrary bytes, also with a valid seal.
func FuzzParse(f *testing.F) {
	f.Add(write(f, revision.Header{Source: "A", Revision: sources.Revision{Digest: header.Revision.Digest}}, entries[1:2]))
	f.Add([]byte("walletscreen revision 1\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read(data)
		head, body, _ := strings.Cut(string(data), "\n\n")
		read(seal(head+"\n\n", body))
	})
}
