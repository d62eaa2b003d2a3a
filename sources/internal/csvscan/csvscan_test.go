package csvscan_test

import (
	"encoding/csv"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
)

// scan returns all records of a file.
func scan(r io.Reader, comma rune, openEnd bool) (records [][]string, err error) {
	err = csvscan.Rows(r, comma, openEnd, func(_ int64, fields []string) error {
		records = append(records, slices.Clone(fields))
		return nil
	})
	return records, err
}

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     [][]string
	}{
		{"nothing", "", nil},
		{"one field", "a\n", [][]string{{"a"}}},
		{"CR LF", "a,b\r\nc,d\r\n", [][]string{{"a", "b"}, {"c", "d"}}},
		{"empty fields", ",\n", [][]string{{"", ""}}},
		{"blanks are kept", " a , \"b\n", nil},
		{"blanks", " a ,b \n", [][]string{{" a ", "b "}}},
		{"quotes", "\"a,\"\"b\"\"\r\nc\",\"\",\"d\"\r\n", [][]string{{"a,\"b\"\nc", "", "d"}}},
		{"byte order mark", "\ufeffa\n", [][]string{{"a"}}},
		{"byte order mark and a quote", "\ufeff\"a\"\n", [][]string{{"a"}}},
		{"Ctrl-Z in a field", "a\x1a\n", [][]string{{"a\x1a"}}},
		{"longest record", strings.Repeat("a", csvscan.MaxRecord-1) + "\n", [][]string{{strings.Repeat("a", csvscan.MaxRecord-1)}}},
	} {
		for size, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := scan(r, ',', false)
			if (err != nil) != (tt.name == "blanks are kept") || !slices.EqualFunc(got, tt.want, slices.Equal) {
				t.Errorf("%s, %s: %.200q, %v, want %.200q", tt.name, size, got, err, tt.want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		line     int64
		cut      bool // io.ErrUnexpectedEOF
	}{
		{"no end of line", "a\nb", 2, true},
		{"half an end of line", "a\nb\r", 2, true},
		{"quote not closed", "a\n\"b\nc\n", 2, true},
		{"quote closed, no end of line", "\"a\"", 1, true},
		{"quote in a field", "a\nb\"c\"\n", 2, false},
		{"blank before a quote", "a, \"b\"\n", 1, false},
		{"text behind a quote", "\"a\"b\n" + strings.Repeat("a\n", 5000), 1, false},
		{"NUL", "a\x00\n", 1, false},
		{"NUL in a later record", "\"a\nb\"\nc,\"d\ne\x00\"\n", 3, false},
		{"long record", "a\n" + strings.Repeat("a", 2*csvscan.MaxRecord) + "\n", 2, false},
		{"long record of many lines", "\"" + strings.Repeat("a\n", csvscan.MaxRecord) + "\"\n", 1, false},
	} {
		_, err := scan(strings.NewReader(tt.in), ',', false)
		var at *sources.RecordError
		if !errors.As(err, &at) || at.Line != tt.line || errors.Is(err, io.ErrUnexpectedEOF) != tt.cut {
			t.Errorf("%s: error %v, want one on line %d, cut: %v", tt.name, err, tt.line, tt.cut)
		}
	}
	r := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(os.ErrDeadlineExceeded))
	if _, err := scan(r, ',', false); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want that of the reader", err)
	}
	// An error that a reader returns only once must not be lost.
	r = io.MultiReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a\n"))))
	if got, err := scan(r, ',', false); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("%q, error %v, want that of the reader", got, err)
	}
}

func TestOptions(t *testing.T) {
	if got, err := scan(strings.NewReader("a;\"b\";c,d"), ';', true); err != nil || !slices.EqualFunc(got, [][]string{{"a", "b", "c,d"}}, slices.Equal) {
		t.Errorf("%q, %v, want one record of three fields", got, err)
	}
	for _, in := range []string{"\"a", "a\r"} {
		if got, err := scan(strings.NewReader(in), ',', true); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %q, %v, want io.ErrUnexpectedEOF: it was cut in any case", in, got, err)
		}
	}
}

func TestEmptyLines(t *testing.T) {
	if got, err := scan(strings.NewReader("\na,b\n\r\nc\n\n"), ',', false); err != nil || !slices.EqualFunc(got, [][]string{{"a", "b"}, {"c"}}, slices.Equal) {
		t.Errorf("%q, %v, want two records", got, err)
	}
}

func TestLine(t *testing.T) {
	var lines []int64
	refused := errors.New("refused")
	err := csvscan.Rows(strings.NewReader("a\n\"b\nc\"\nd\n"), ',', false, func(line int64, _ []string) error {
		if lines = append(lines, line); len(lines) == 3 {
			return refused
		}
		return nil
	})
	var at *sources.RecordError
	if !slices.Equal(lines, []int64{1, 2, 4}) || !errors.As(err, &at) || at.Line != 4 || !errors.Is(err, refused) {
		t.Errorf("lines %v, %v, want 1, 2 and 4, and an error of the last", lines, err)
	}
}

// FuzzScan compares Rows with encoding/csv: if Rows accepts a file,
// encoding/csv must read the same records.
func FuzzScan(f *testing.F) {
	f.Add("a,b\r\n\"c\"\"\n\",d\r\n")
	f.Add("\ufeff\"a\"\n\nb\n\x1a")
	f.Add("\"a\",\"b;c\"")
	f.Add("a\n\x1a\n")
	f.Fuzz(func(t *testing.T, in string) {
		got, err := scan(strings.NewReader(in), ',', false)
		slow, slowErr := scan(iotest.OneByteReader(strings.NewReader(in)), ',', false)
		if (err == nil) != (slowErr == nil) || err == nil && !slices.EqualFunc(got, slow, slices.Equal) {
			t.Fatalf("%q: %q, %v; byte by byte %q, %v", in, got, err, slow, slowErr)
		}
		if err != nil {
			return
		}
		text := strings.TrimPrefix(in, "\ufeff")
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %q; encoding/csv: %q, %v", in, got, want, err)
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			t.Errorf("%q has no line end, but no error", in)
		}
	})
}

// BenchmarkScan compares Rows with encoding/csv.
func BenchmarkScan(b *testing.B) {
	doc := strings.Repeat(
		"12345,\"SOME NAME, LTD\",-0- ,\"SDGT] [IFSR\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"+
			"\"Gender Male; Digital Currency Address - XBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h; Passport 1234.\"\r\n",
		20000,
	)
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			csvscan.Rows(strings.NewReader(doc), ',', false, func(int64, []string) error { return nil })
		}
	})
	b.Run("encoding_csv", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			r := csv.NewReader(strings.NewReader(doc))
			r.ReuseRecord = true
			for {
				if _, err := r.Read(); err != nil {
					break
				}
			}
		}
	})
}
