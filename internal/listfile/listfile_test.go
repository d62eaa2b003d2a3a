package listfile_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/listfile"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

var header = listfile.Header{
	ID:   "TEST_LIST",
	Name: "A list with \"quotes\"\nand two lines",
	Revision: sources.Revision{
		Digest:    strings.Repeat("0123456789abcdef", 4),
		Published: time.Date(2025, 11, 19, 0, 0, 0, 0, time.UTC),
		Checked:   time.Date(2025, 11, 20, 10, 30, 0, 123, time.UTC),
		Records:   18290,
		ETag:      `W/"abc"`, LastModified: "Wed, 19 Nov 2025 15:00:00 GMT",
	},
}

var entries = []sources.Entry{
	{
		Address: address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"),
		Listed:  "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Asset: "ETH", Kind: score.Sanctioned,
		Ref: "27307", Name: "LAZARUS GROUP", ListedAt: time.Date(2019, 9, 13, 0, 0, 0, 0, time.UTC),
		FirstSeen: time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC),
	},
	{Address: address.MustParse("bsc", "0xd882cfc20f52f2599d84b8e8d58c7fb62cfe344b"), Kind: score.Phishing},
	{Listed: " 0x9CdfC5b0ACA4527a0916412E9dbD6AD85556A49\u200b", Kind: score.Scam, Name: "bytes \xff\x00 that are no text"},
	{
		Address: address.MustParse("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"),
		Listed:  "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Asset: "USDC", Kind: score.Sanctioned,
		Ref: "27307", Name: "LAZARUS GROUP", ListedAt: time.Date(2019, 9, 13, 0, 0, 0, 0, time.UTC),
	},
	{},
}

func write(t testing.TB, h listfile.Header, entries []sources.Entry) string {
	t.Helper()
	var buf strings.Builder
	if err := listfile.Write(&buf, h, entries); err != nil {
		t.Fatalf("Write: %v", err)
	}
	return buf.String()
}

func read(data string) (listfile.Header, []sources.Entry, error) {
	var got []sources.Entry
	h, err := listfile.Read(data, func(e sources.Entry) error {
		got = append(got, e)
		return nil
	})
	return h, got, err
}

func TestRoundTrip(t *testing.T) {
	zero := header
	zero.Revision = sources.Revision{Digest: header.Revision.Digest}
	part := header
	part.Revision.Completeness = sources.Partial
	east := header
	east.Revision.Published = east.Revision.Published.In(time.FixedZone("east", 3600))
	var long []sources.Entry // of several times what is written at once
	for i := range 10_000 {
		e := entries[i%len(entries)]
		e.Name = strconv.Itoa(i) + " " + strings.Repeat("x", 30)
		long = append(long, e)
	}
	tests := []struct {
		name         string
		header, want listfile.Header
		entries      []sources.Entry
	}{
		{"full", header, header, entries},
		{"no entries", header, header, nil},
		{"no dates", zero, zero, entries[:1]},
		{"not in UTC", east, header, entries},
		{"a part", part, part, entries},
		{"long", header, header, long},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := write(t, tt.header, tt.entries)
			if again := write(t, tt.header, tt.entries); again != data {
				t.Error("a second Write wrote other bytes")
			}
			h, got, err := read(data)
			if err != nil {
				t.Fatalf("Read: %v", err)
			}
			tt.want.Entries = len(tt.entries)
			if !reflect.DeepEqual(h, tt.want) {
				t.Errorf("header %+v, want %+v", h, tt.want)
			}
			if !slices.Equal(got, tt.entries) {
				t.Errorf("entries %+v, want %+v", got, tt.entries)
			}
			if h, err := listfile.ReadHeader(data); err != nil || !reflect.DeepEqual(h, tt.want) {
				t.Errorf("ReadHeader = %+v, %v, want %+v", h, err, tt.want)
			}
		})
	}
}

// TestFormat holds the bytes themselves: files of version 1 must be read for
// ever.
func TestFormat(t *testing.T) {
	want := "walletscreen list 1\n" +
		"source TEST_LIST\n" +
		`name "A list with \"quotes\"\nand two lines"` + "\n" +
		"digest 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n" +
		"published 2025-11-19T00:00:00Z\n" +
		"checked 2025-11-20T10:30:00.000000123Z\n" +
		"records 18290\n" +
		`etag "W/\"abc\""` + "\n" +
		`last-modified "Wed, 19 Nov 2025 15:00:00 GMT"` + "\n" +
		"entries 2\n\n" +
		"\x01\x08ethereum\x01\x2a0x098b716b8aaf21512996dc57eb0615e2383e2f96" +
		"\x01\x2a0x098B716B8Aaf21512996dC57EB0615e2383E2f96\x01\x03ETH\x01\x0aSANCTIONED\x01\x0527307\x01\x0dLAZARUS GROUP" +
		"\x01\x142019-09-13T00:00:00Z\x01\x192026-01-02T03:04:05.6789Z" +
		"\x02\x03\x04\x01\x04USDC\x06\x07\x08\x09\x00"
	sum := sha256.Sum256([]byte(want))
	want += string(sum[:])
	got := write(t, header, []sources.Entry{entries[0], entries[3]})
	if got != want {
		t.Errorf("Write wrote\n%q\nwant\n%q", got, want)
	}
}

var accepted = time.Date(2026, 11, 21, 4, 57, 29, 500_000_000, time.UTC)

// TestFormat2 holds the bytes of version 2.
func TestFormat2(t *testing.T) {
	want := "walletscreen list 2\n" +
		"source TEST_LIST\n" +
		`name "A list with \"quotes\"\nand two lines"` + "\n" +
		"digest 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n" +
		"published 2025-11-19T00:00:00Z\n" +
		"checked 2025-11-20T10:30:00.000000123Z\n" +
		"records 18290\n" +
		`etag "W/\"abc\""` + "\n" +
		`last-modified "Wed, 19 Nov 2025 15:00:00 GMT"` + "\n" +
		"accepted 2026-11-21T04:57:29.5Z\n" +
		"entries 1\n" +
		"removed 1\n\n" +
		"\x01\x03bsc\x01\x2a0xd882cfc20f52f2599d84b8e8d58c7fb62cfe344b\x00\x00\x01\x08PHISHING\x00\x00\x00\x00" +
		"\x02\x03\x00\x00\x04\x01\x01a\x00\x00\x00\x01\x162026-11-21T04:57:29.5Z"
	sum := sha256.Sum256([]byte(want))
	want += string(sum[:])
	h := header
	h.Accepted = accepted
	gone := entries[1]
	gone.Ref = "a"
	var buf strings.Builder
	if err := listfile.Write(&buf, h, entries[1:2], sources.Removal{Entry: gone, At: accepted}); err != nil || buf.String() != want {
		t.Errorf("Write wrote\n%q, %v\nwant\n%q", buf.String(), err, want)
	}
}

// TestFormat3 holds the header of version 3.
func TestFormat3(t *testing.T) {
	want := "walletscreen list 3\n" +
		"source TEST_LIST\n" +
		`name "A list with \"quotes\"\nand two lines"` + "\n" +
		"digest 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n" +
		"published 2025-11-19T00:00:00Z\n" +
		"checked 2025-11-20T10:30:00.000000123Z\n" +
		"records 18290\n" +
		`etag "W/\"abc\""` + "\n" +
		`last-modified "Wed, 19 Nov 2025 15:00:00 GMT"` + "\n" +
		"completeness partial\n" +
		"accepted -\n" +
		"entries 0\n" +
		"removed 0\n\n"
	h := header
	h.Revision.Completeness = sources.Partial
	if got := write(t, h, nil); got != sealed(want) {
		t.Errorf("Write wrote\n%q\nwant\n%q", got, sealed(want))
	}
}

// TestRemoved has an entry whose chain is not known any more: fatal for one that
// is listed, and none for one that was.
func TestRemoved(t *testing.T) {
	h := header
	h.Accepted = accepted
	removed := []sources.Removal{{Entry: entries[0], At: accepted}, {Entry: entries[2], At: accepted.AddDate(-1, 0, 0)}}
	var buf strings.Builder
	if err := listfile.Write(&buf, h, entries, removed...); err != nil {
		t.Fatal(err)
	}
	all := func(data string) (h listfile.Header, n int, got []sources.Removal, err error) {
		h, err = listfile.ReadAll(data, func(sources.Entry) error { n++; return nil }, func(r sources.Removal) error {
			got = append(got, r)
			return nil
		})
		return h, n, got, err
	}
	h.Entries, h.Removed = len(entries), 2
	if got, n, gone, err := all(buf.String()); got != h || n != len(entries) || !slices.Equal(gone, removed) || err != nil {
		t.Errorf("ReadAll = %+v, %d entries, %+v, %v", got, n, gone, err)
	}
	if got, list, err := read(buf.String()); got != h || !slices.Equal(list, entries) || err != nil {
		t.Errorf("Read = %+v, %+v, %v", got, list, err)
	}
	for i := range buf.Len() {
		if _, _, _, err := all(buf.String()[:i]); err == nil {
			t.Fatalf("cut to %d bytes it is read", i)
		}
	}
	buf.Reset()
	if err := listfile.Write(&buf, h, nil, removed...); err != nil {
		t.Fatal(err)
	}
	unknown := func(data string) string {
		return sealed(strings.Replace(data[:len(data)-sha256.Size], "\x08ethereum", "\x08atlantis", 1))
	}
	want := slices.Clone(removed) // the ticker still says which chain it was
	if _, _, gone, err := all(unknown(buf.String())); err != nil || !slices.Equal(gone, want) {
		t.Errorf("of an unknown chain was removed %+v, %v, want %+v", gone, err, want)
	}
	if _, _, err := read(unknown(write(t, header, entries))); !errors.Is(err, address.ErrChain) {
		t.Errorf("of an unknown chain is listed: %v", err)
	}
	many := sealed(strings.Replace(buf.String()[:buf.Len()-sha256.Size], "removed 2", "removed 9000000000000000000", 1))
	if _, _, _, err := all(many); !errors.Is(err, listfile.ErrDamaged) {
		t.Errorf("more removed entries than there is room for: %v", err)
	}
}

// TestDamage changes, cuts and lengthens a file at every place.
func TestDamage(t *testing.T) {
	data := write(t, header, entries)
	for i := range len(data) {
		for bit := range 8 {
			b := []byte(data)
			b[i] ^= 1 << bit
			want := listfile.ErrDamaged
			if i < len(listfile.Magic) {
				want = listfile.ErrFormat
			}
			if _, _, err := read(string(b)); !errors.Is(err, want) {
				t.Fatalf("byte %d, bit %d flipped: error %v, want %v", i, bit, err, want)
			}
		}
		if _, _, err := read(data[:i]); !errors.Is(err, listfile.ErrDamaged) && !errors.Is(err, listfile.ErrFormat) {
			t.Fatalf("cut to %d bytes: error %v, want ErrDamaged or ErrFormat", i, err)
		}
		if _, _, err := read(data[:i] + data[i+1:]); !errors.Is(err, listfile.ErrDamaged) && !errors.Is(err, listfile.ErrFormat) {
			t.Fatalf("without byte %d: error %v, want ErrDamaged or ErrFormat", i, err)
		}
	}
	for _, more := range []string{"\x00", "\n", data} {
		if _, err := listfile.ReadHeader(data + more); !errors.Is(err, listfile.ErrDamaged) {
			t.Errorf("with %d bytes more: error %v, want ErrDamaged", len(more), err)
		}
	}
}

// sealed returns body as a file whose checksum is right.
func sealed(body string) string {
	sum := sha256.Sum256([]byte(body))
	return body + string(sum[:])
}

func TestReadErrors(t *testing.T) {
	data := write(t, header, entries[:2])
	body := data[:len(data)-sha256.Size]
	head, rest, _ := strings.Cut(body, "\n\n")
	head += "\n\n"
	change := func(old, new string) string {
		if !strings.Contains(body, old) {
			t.Fatalf("%q is not in the file", old)
		}
		return sealed(strings.Replace(body, old, new, 1))
	}
	with := func(fields ...string) string {
		b := []byte(strings.Replace(head, "entries 2\n", "entries 1\n", 1))
		for _, f := range fields {
			if f == "" {
				b = append(b, 0)
				continue
			}
			b = append(binary.AppendUvarint(append(b, 1), uint64(len(f))), f...)
		}
		return sealed(string(b))
	}
	ofPart := header
	ofPart.Revision.Completeness = sources.Partial
	part := write(t, ofPart, nil)
	evm := "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	if _, _, err := read(with("ethereum", evm, evm, "", "SCAM", "", "", "", "")); err != nil {
		t.Fatalf("the file that is to be broken: %v", err)
	}
	tests := []struct {
		name string
		data string
		want error
	}{
		{"empty", "", listfile.ErrFormat},
		{"another file", "<!DOCTYPE html>", listfile.ErrFormat},
		{"the next version", change("list 1\n", "list 4\n"), listfile.ErrFormat},
		{"the header of version 1 in version 3", change("list 1\n", "list 3\n"), listfile.ErrDamaged},
		{"a part that is none", sealed(strings.Replace(part[:len(part)-sha256.Size], "completeness partial", "completeness some", 1)), listfile.ErrDamaged},
		{"a part in version 2", sealed(strings.Replace(part[:len(part)-sha256.Size], "list 3\n", "list 2\n", 1)), listfile.ErrDamaged},
		{"a version of more digits", change("list 1\n", "list 11\n"), listfile.ErrFormat},
		{"the header of version 1 in version 2", change("list 1\n", "list 2\n"), listfile.ErrDamaged},
		{"CR LF", sealed(strings.ReplaceAll(body, "\n", "\r\n")), listfile.ErrFormat},
		{"magic only", "walletscreen list 1\n", listfile.ErrDamaged},
		{"no header", sealed("walletscreen list 1\n\n"), listfile.ErrDamaged},
		{"no end of the header", sealed("walletscreen list 1\nsource X"), listfile.ErrDamaged},
		{"line missing", change("published 2025-11-19T00:00:00Z\n", ""), listfile.ErrDamaged},
		{"line twice", change("records 18290\n", "records 18290\nrecords 18290\n"), listfile.ErrDamaged},
		{"lines exchanged", change("published 2025-11-19T00:00:00Z\nchecked", "checked 2025-11-19T00:00:00Z\npublished"), listfile.ErrDamaged},
		{"unknown line", change("records 18290\n", "rows 18290\n"), listfile.ErrDamaged},
		{"no source", change("source TEST_LIST", "source "), listfile.ErrDamaged},
		{"source in lower case", change("source TEST_LIST", "source test"), listfile.ErrDamaged},
		{"name not quoted", change(`name "A`, `name A`), listfile.ErrDamaged},
		{"name quoted otherwise", change(`\nand`, `\x0aand`), listfile.ErrDamaged},
		{"short digest", change("digest 01", "digest "), listfile.ErrDamaged},
		{"no time", change("published 2025-11-19T00:00:00Z", "published yesterday"), listfile.ErrDamaged},
		{"time not in UTC", change("published 2025-11-19T00:00:00Z", "published 2025-11-19T01:00:00+01:00"), listfile.ErrDamaged},
		{"time without need of digits", change("published 2025-11-19T00:00:00Z", "published 2025-11-19T00:00:00.0Z"), listfile.ErrDamaged},
		{"zero time in full", change("published 2025-11-19T00:00:00Z", "published 0001-01-01T00:00:00Z"), listfile.ErrDamaged},
		{"negative records", change("records 18290", "records -1"), listfile.ErrDamaged},
		{"records with a sign", change("records 18290", "records +18290"), listfile.ErrDamaged},
		{"fewer entries than there are", change("entries 2", "entries 1"), listfile.ErrDamaged},
		{"more entries than there are", change("entries 2", "entries 3"), listfile.ErrDamaged},
		{"more entries than there is room", change("entries 2", "entries 9000000000000000000"), listfile.ErrDamaged},
		{"bytes after the entries", sealed(body + "\x00"), listfile.ErrDamaged},
		{"half of the entries", sealed(head + rest[:len(rest)/2]), listfile.ErrDamaged},

		{"unknown string", sealed(head + "\x02\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00"), listfile.ErrDamaged},
		{"new empty string", sealed(head + "\x01\x00" + strings.Repeat("\x00", 17)), listfile.ErrDamaged},
		{"string longer than the file", sealed(head + "\x01\x7f" + strings.Repeat("\x00", 17)), listfile.ErrDamaged},
		{"string longer than is allowed", sealed(head + "\x01\x81\x80\x04" + strings.Repeat("a", 1<<16+1) + strings.Repeat("\x00", 17)), listfile.ErrDamaged},
		{"number longer than need be", sealed(head + "\x80\x00" + strings.Repeat("\x00", 17)), listfile.ErrDamaged},
		{"number without end", sealed(head + strings.Repeat("\xff", 30)), listfile.ErrDamaged},

		{"unknown chain", with("atlantis", evm, evm, "", "SCAM", "", "", "", ""), address.ErrChain},
		{"chain without address", with("ethereum", "", evm, "", "SCAM", "", "", "", ""), address.ErrSyntax},
		{"address without chain", with("", evm, evm, "", "SCAM", "", "", "", ""), address.ErrChain},
		{"no address", with("ethereum", evm[1:], evm, "", "SCAM", "", "", "", ""), address.ErrSyntax},
		{"address not in normal form", with("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", evm, "", "SCAM", "", "", "", ""), listfile.ErrDamaged},
		{"bad listing date", with("ethereum", evm, evm, "", "SCAM", "", "", "2025-11-19", ""), listfile.ErrDamaged},
		{"bad first date", with("ethereum", evm, evm, "", "SCAM", "", "", "", "2025-11-19T00:00:00z"), listfile.ErrDamaged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := read(tt.data); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

// TestReadDecodesNothing has a file of a time at which an address could not be
// decoded, or of a list that did not care to.
func TestReadDecodesNothing(t *testing.T) {
	want := []sources.Entry{{Listed: "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Asset: "ETH"}}
	if _, got, err := read(write(t, header, want)); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %+v, %v, want %+v", got, err, want)
	}
}

func TestReadAddError(t *testing.T) {
	data := write(t, header, entries)
	refused := errors.New("refused")
	calls := 0
	_, err := listfile.Read(data, func(sources.Entry) error {
		calls++
		return refused
	})
	if !errors.Is(err, refused) || calls != 1 {
		t.Errorf("add was called %d times, error %v, want 1 and that of add", calls, err)
	}
}

func TestWriteErrors(t *testing.T) {
	change := func(f func(*listfile.Header)) listfile.Header {
		h := header
		f(&h)
		return h
	}
	long := strings.Repeat("a", 1<<16+1)
	tests := []struct {
		name   string
		header listfile.Header
		entry  sources.Entry
	}{
		{"no header", listfile.Header{}, sources.Entry{}},
		{"bad id", change(func(h *listfile.Header) { h.ID = "A\nB" }), sources.Entry{}},
		{"long name", change(func(h *listfile.Header) { h.Name = long }), sources.Entry{}},
		{"no digest", change(func(h *listfile.Header) { h.Revision.Digest = "" }), sources.Entry{}},
		{"digest in capitals", change(func(h *listfile.Header) { h.Revision.Digest = strings.Repeat("A", 64) }), sources.Entry{}},
		{"negative records", change(func(h *listfile.Header) { h.Revision.Records = -1 }), sources.Entry{}},
		{"published in the year 10000", change(func(h *listfile.Header) { h.Revision.Published = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }), sources.Entry{}},
		{"checked in the year -1", change(func(h *listfile.Header) { h.Revision.Checked = time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC) }), sources.Entry{}},
		{"long string", header, sources.Entry{Listed: long}},
		{"listed in the year 10000", header, sources.Entry{ListedAt: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"seen in the year 10000", header, sources.Entry{FirstSeen: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var buf bytes.Buffer
			if err := listfile.Write(&buf, tt.header, []sources.Entry{tt.entry}); err == nil {
				t.Error("Write returned no error")
			}
			if buf.Len() > 0 {
				t.Errorf("Write wrote %d bytes", buf.Len())
			}
		})
	}
	for name, gone := range map[string]sources.Removal{
		"long string":        {Entry: sources.Entry{Listed: long}},
		"gone in year 10000": {At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"seen in year 10000": {Entry: sources.Entry{FirstSeen: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		var buf bytes.Buffer
		if err := listfile.Write(&buf, header, nil, gone); err == nil || buf.Len() > 0 {
			t.Errorf("removed, %s: Write wrote %d bytes, %v", name, buf.Len(), err)
		}
	}
	// What was written of a long list before the error is no file.
	many := slices.Repeat([]sources.Entry{{Listed: strings.Repeat("x", 100)}}, 100_000)
	for name, last := range map[string][]sources.Entry{
		"listed in the year 10000": {{ListedAt: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		"long string":              {{Ref: long}},
	} {
		var buf strings.Builder
		if err := listfile.Write(&buf, header, append(many, last...)); err == nil {
			t.Errorf("%s, at the end: Write returned no error", name)
		}
		if h, _, err := read(buf.String()); err == nil {
			t.Errorf("%s, at the end: what Write wrote is read as %+v", name, h)
		}
	}
	for _, es := range [][]sources.Entry{entries, many} {
		if err := listfile.Write(new(failing), header, es); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Write of %d entries to a file that fails: error %v, want %v", len(es), err, os.ErrClosed)
		}
	}
}

// failing is a Writer that fails once.
type failing struct{ failed bool }

func (w *failing) Write(b []byte) (int, error) {
	if !w.failed {
		w.failed = true
		return 0, os.ErrClosed
	}
	return len(b), nil
}

// FuzzRead gives Read files whose checksum is right, or it would not see any.
// What it takes must be written as it was read.
func FuzzRead(f *testing.F) {
	for _, list := range [][]sources.Entry{nil, entries[:1], entries} {
		data := write(f, header, list)
		f.Add(data[:len(data)-sha256.Size])
	}
	h := header
	h.Accepted = accepted
	var buf strings.Builder
	if err := listfile.Write(&buf, h, entries[:2], sources.Removal{Entry: entries[2], At: accepted}); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.String()[:buf.Len()-sha256.Size])
	f.Add("walletscreen list 1\n")
	f.Fuzz(func(t *testing.T, body string) {
		read(body)
		var gone []sources.Removal
		var got []sources.Entry
		h, err := listfile.ReadAll(sealed(body), func(e sources.Entry) error {
			got = append(got, e)
			return nil
		}, func(r sources.Removal) error {
			gone = append(gone, r)
			return nil
		})
		if err != nil {
			return
		}
		if h.Entries != len(got) {
			t.Fatalf("%d entries, want %d", len(got), h.Entries)
		}
		var buf strings.Builder
		if err := listfile.Write(&buf, h, got, gone...); err != nil {
			t.Fatal(err)
		}
		h2, got2, err := read(buf.String())
		if err != nil || !reflect.DeepEqual(h2, h) || !slices.Equal(got2, got) || len(gone) != h.Removed {
			t.Errorf("read %+v %+v, and again %+v %+v, %v", h, got, h2, got2, err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	many := make([]sources.Entry, 1000)
	for i := range many {
		many[i] = entries[0]
		many[i].Ref = strconv.Itoa(i)
	}
	data := write(b, header, many)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := listfile.Read(data, func(sources.Entry) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		if err := listfile.Write(io.Discard, header, entries); err != nil {
			b.Fatal(err)
		}
	}
}
