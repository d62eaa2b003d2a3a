package ofac_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// parseCSV returns the entries that ParseCSV adds. If sdn lacks its end mark, it adds one.
func parseCSV(t *testing.T, sdn, comments io.Reader) ([]sources.Entry, sources.Revision, error) {
	t.Helper()
	entries, rev, err := listtest.Parse(t, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		return ofac.ParseCSV(&marked{r: r}, comments, add)
	}, sdn)
	for _, e := range entries {
		if !e.ListedAt.IsZero() || !e.EntityListedAt.IsZero() {
			t.Errorf("entry %+v: want one without a date", e)
		}
	}
	return entries, rev, err
}

// A marked reader ends with Ctrl-Z behind its last line.
type marked struct {
	r     io.Reader
	last  byte
	ended bool
}

func (m *marked) Read(p []byte) (int, error) {
	if m.ended {
		return 0, io.EOF
	}
	n, err := m.r.Read(p)
	if n > 0 {
		m.last = p[n-1]
		return n, nil
	}
	if err == io.EOF && m.last == '\n' && len(p) > 0 {
		m.ended, p[0] = true, 0x1a
		return 1, nil
	}
	return 0, err
}

func TestParseCSV(t *testing.T) {
	for _, tt := range []struct {
		sdn, comments string
		records       int
		first         []string // rows, in the order of the list
	}{
		{"sdn_excerpt_2021-07.csv", "sdn_comments_2021-07.csv", 24, []string{
			"XBT\t12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h\tbitcoin\t25308\t-\tYAN, Xiaobing",
			"XBT\t1Kuf2Rd8mDyAViwBozGTNYnvWL8uYFrkVo\tbitcoin\t25308\t-\tYAN, Xiaobing",
		}},
		{"sdn_excerpt_2025-05.csv", "sdn_comments_excerpt_2025-05.csv", 6, []string{
			"XBT\t12udabs2TkX7NXCSj6KpqXfakjE52ZPLhz\tbitcoin\t29702\t-\tLIFSHITS, Artem Mikhaylovich",
		}},
	} {
		t.Run(tt.sdn, func(t *testing.T) {
			sdn, comments := readFile(t, tt.sdn), readFile(t, tt.comments)
			entries, rev, err := parseCSV(t, bytes.NewReader(sdn), bytes.NewReader(comments))
			if err != nil {
				t.Fatal(err)
			}
			sums := make([]byte, 0, 2*sha256.Size)
			if !bytes.HasSuffix(sdn, []byte{0x1a}) {
				sdn = append(sdn, 0x1a)
			}
			for _, b := range [][]byte{sdn, comments} {
				sum := sha256.Sum256(b)
				sums = append(sums, sum[:]...)
			}
			digest := sha256.Sum256(sums)
			if want := (sources.Revision{Digest: hex.EncodeToString(digest[:]), Records: tt.records}); rev != want {
				t.Errorf("revision %+v, want %+v", rev, want)
			}
			got := listtest.Rows(entries)
			if !slices.Equal(got[:len(tt.first)], tt.first) {
				t.Errorf("the first entries are\n%s\nwant\n%s", strings.Join(got[:len(tt.first)], "\n"), strings.Join(tt.first, "\n"))
			}
			want := listtest.ReadRows(t, tt.sdn+".tsv")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d entries\n%s\nwant %d\n%s", len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
			}
			again, revAgain, err := parseCSV(t, iotest.OneByteReader(bytes.NewReader(sdn)), iotest.HalfReader(bytes.NewReader(comments)))
			if err != nil || revAgain != rev || !slices.Equal(again, entries) {
				t.Errorf("in small parts: other entries, or %+v, or %v", revAgain, err)
			}
		})
	}
}

// TestParseCSVTruncated cuts each file of the pair at many places, and between any two
// lines. ParseCSV refuses every truncated file.
func TestParseCSVTruncated(t *testing.T) {
	sdn, comments := readFile(t, "sdn_excerpt_2021-07.csv"), readFile(t, "sdn_comments_2021-07.csv")
	if rev, err := ofac.ParseCSV(bytes.NewReader(sdn), bytes.NewReader(comments), func(sources.Entry) error { return nil }); err != nil || rev.OpenEnded {
		t.Errorf("the whole file: %+v, %v, want no error and a marked end", rev, err)
	}
	for n := range sdn {
		if n%longtest.Step(211, 13) != 0 && !bytes.ContainsAny(sdn[max(n-2, 0):n], "\r\n") {
			continue
		}
		_, err := ofac.ParseCSV(bytes.NewReader(sdn[:n]), bytes.NewReader(comments), func(sources.Entry) error {
			t.Fatalf("sdn.csv cut to %d bytes: an entry was added", n)
			return nil
		})
		if err == nil {
			t.Errorf("sdn.csv cut to %d bytes: no error", n)
		}
	}
	for n := 0; n < len(comments); n += longtest.Step(31, 7) {
		if _, _, err := parseCSV(t, bytes.NewReader(sdn), bytes.NewReader(comments[:n])); err == nil {
			t.Errorf("sdn_comments.csv cut to %d bytes: no error", n)
		}
	}
	if _, _, err := parseCSV(t, bytes.NewReader(sdn), nil); err == nil {
		t.Error("without sdn_comments.csv: no error")
	}
}

// fill returns text of n characters that ends with end.
func fill(n int, end string) string { return strings.Repeat("x", n-len(end)) + end }

func TestParseCSVRemarks(t *testing.T) {
	const label, a, b = "Digital Currency Address - ", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h", "1Kuf2Rd8mDyAViwBozGTNYnvWL8uYFrkVo"
	const nothing = `1,"A",-0- ,"P",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ` + "\r\n"
	entity := func(remarks string) string {
		return `2,"B, C",-0- ,"P",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"` + remarks + `"` + "\r\n"
	}
	more := func(text string) string { return `2,"` + text + `"` + "\r\n" }
	for _, tt := range []struct {
		name, remarks, comments string
		want                    []string // tickers and addresses; nil: an error
	}{
		{"one", label + "XBT " + a + ".", "", []string{"XBT " + a}},
		{"several", "Gender Male; " + label + "XBT " + a + "; alt. " + label + "ETH 0x1; Passport 1.", "", []string{"XBT " + a, "ETH 0x1"}},
		{"a ticker that nobody has seen", label + "NEW1 " + a + ".", "", []string{"NEW1 " + a}},
		{"a typing error in the label", "Digital Curency Address - XBT " + a +
			"; Email Address a@digital-currency.example; alt. Digital Currency Adress - ETH x.", "", []string{"XBT " + a}},
		{"a typing error in one of two labels", label + "XBT " + a + "; alt. Digital Currency Adress - XBT " + b + ".", "", []string{"XBT " + a, "XBT " + b}},
		{"a ticker in small letters", label + "usdt " + a + ".", "", []string{"usdt " + a}},
		{"a label in capitals, without the blanks", "DIGITAL CURRENCY ADDRESS-XBT " + a + ".", "", []string{"XBT " + a}},
		{"no blank behind the semicolon", label + "XBT " + a + ";" + label + "XBT " + b + ".", "", []string{"XBT " + a, "XBT " + b}},
		{"no label", label + "XBT " + a + "; Wallet " + b + ".", "", []string{"XBT " + a, " " + b}},
		{"no label at all", "Gender Male; ETH: 0x098B716B8Aaf21512996dC57EB0615e2383E2f96.", "", []string{"ETH 0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}},
		{"quotes", "a.k.a. \"\"X\"\"; " + label + "XBT " + a + ".", "", []string{"XBT " + a}},
		{"an address with a full stop", label + "NEAR alice.near.", "", []string{"NEAR alice.near"}},

		{"cut in an address", fill(1000, "; "+label+"XBT "+a[:10]), more(a[10:] + "; alt. " + label + "XBT " + b + "."), []string{"XBT " + a, "XBT " + b}},
		{"cut in the label", fill(1000, "; "+label[:20]), more(label[20:] + "XBT " + a + "."), []string{"XBT " + a}},
		{"cut before the full stop", fill(1000, "; "+label+"XBT "+a), more("."), []string{"XBT " + a}},
		{"cut behind a blank that is there", fill(1000, "; "+label+"XBT "), more(a + "."), []string{"XBT " + a}},
		{"cut behind a blank that was trimmed", fill(999, "; "+label+"XBT"), more(a + "."), []string{"XBT " + a}},
		{"cut twice", fill(1000, "; "+label+"XBT "+a[:10]), more(a[10:20]) + more(a[20:]+"."), []string{"XBT " + a}},
		{"cut, letters beyond ASCII", fill(998, "; "+label+"XBT "+a[:10]) + "", "", nil},
		{"1000 characters of more bytes", strings.Repeat("é", 900) + fill(100, "; "+label+"XBT "+a[:10]), more(a[10:] + "."), []string{"XBT " + a}},

		{"cut, and nothing else", fill(1000, "; "+label+"XBT "+a), "", nil},
		{"cut, no wallet yet", label + "XBT " + a + "; " + fill(1000-len(label+"XBT "+a+"; "), ""), "", nil},
		{"cut behind a full stop", fill(1000, "; "+label+"XBT "+a+"."), "", nil},
		{"cut, and goes on elsewhere", fill(1000, "; "+label+"XBT "+a[:10]), `1,"` + a[10:] + `."` + "\r\n", nil},
		{"goes on, and was not cut", label + "XBT " + a + ".", more("x."), nil},
		{"no full stop", label + "XBT " + a, "", nil},
		{"a rest without a full stop", fill(1000, "; "+label+"XBT "+a[:10]), more(a[10:]), nil},
		{"no address", label + "XBT.", "", nil},
		{"no ticker", label + a + ".", "", nil},
		{"two words", label + "XBT " + a + " " + b + ".", "", []string{"XBT " + a + " " + b, "XBT " + a, "XBT " + b}},
		{"a word in front", "Former " + label + "XBT " + a + ".", "", nil},
		{"the blank in front of the address lost", fill(1000, "; "+label+"XBT"), more(a + "."), nil},
		{"no wallet", "Gender Male.", "", nil},
	} {
		entries, _, err := parseCSV(t, strings.NewReader(nothing+entity(tt.remarks)), strings.NewReader(tt.comments))
		var got []string
		for _, e := range entries {
			if e.Ref != "2" || e.Name != "B, C" {
				t.Errorf("%s: Ref %q, Name %q, want those of the row", tt.name, e.Ref, e.Name)
			}
			got = append(got, e.Asset+" "+e.Listed)
		}
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) {
			t.Errorf("%s: %q, error %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// TestParseCSVCutElsewhere checks that text cut off before it names a wallet is
// reported as cut.
func TestParseCSVCutElsewhere(t *testing.T) {
	const columns = `,"A",-0- ,"P",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"`
	wallet := "1" + columns + "Digital Currency Address - XBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h.\"\r\n"
	for n, want := range map[int]bool{999: true, 1000: false} {
		_, _, err := parseCSV(t, strings.NewReader(wallet+"2"+columns+fill(n, "S.A.")+"\"\r\n"), nil)
		if (err == nil) != want {
			t.Errorf("other remarks of %d characters: error %v, want none: %v", n, err, want)
		}
	}
}

func TestParseCSVErrors(t *testing.T) {
	longtest.WithoutRace(t)
	const good = `2,"B",-0- ,"P",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"Digital Currency Address - XBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h."` + "\r\n"
	third := "3" + good[1:]
	for _, tt := range []struct {
		name, sdn, comments, want string
		line                      int64
	}{
		{"nothing", "", "", "no records", 0},
		{"Ctrl-Z only", "\x1a", "", "no records", 0},
		{"HTML", "<!DOCTYPE html>\n<html>\n", "", "fields", 1},
		{"an error of S3", `<Error><Code>NoSuchKey</Code></Error>`, "", "no end", 1},
		{"a header", "ent_num,SDN_Name,SDN_Type,Program,Title,Call_Sign,Vess_type,Tonnage,GRT,Vess_flag,Vess_owner,Remarks\r\n" + good, "", "id", 1},
		{"the files exchanged", `2,"rest."` + "\r\n", good, "fields", 1},
		{"another list's columns", good + "3,\"A\"\r\n", "", "fields", 2},
		{"an id twice", good + third + good, "", "twice", 3},
		{"Ctrl-Z in the middle", good + "\x1a" + third, "", `id "\x1a3"`, 2},
		{"a last line without an end", good + third[:len(third)-2], "", "no end", 2},
		{"a quote that is not closed", good + third[:len(third)-3] + "\r\n", "", "quote", 2},
		{"the rest of an entity that is not there", good, `9,"rest."` + "\r\n", "9", 0},
		{"comments in HTML", good, "<!DOCTYPE html>\n", "fields", 1},
		{"comments cut", good, `2,"rest`, "no end", 1},
		{"UTF-16", "\xff\xfe2\x00,\x00", "", "NUL", 1},
		{"a block of zeros", good + strings.Replace(third, "XBT 12Qt", "XBT \x00\x00\x00\x00", 1) + "\x1a", "", "NUL", 2},
	} {
		_, _, err := parseCSV(t, strings.NewReader(tt.sdn), strings.NewReader(tt.comments))
		var at *sources.RecordError
		if !errors.As(err, &at) || at.Line != tt.line || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q at line %d", tt.name, err, tt.want, tt.line)
		}
	}

	fails := iotest.ErrReader(os.ErrDeadlineExceeded)
	if _, _, err := parseCSV(t, io.MultiReader(strings.NewReader(good), fails), nil); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want that of the reader of sdn.csv", err)
	}
	if _, _, err := parseCSV(t, strings.NewReader(good), fails); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want that of the reader of sdn_comments.csv", err)
	}
	refused := errors.New("refused")
	if _, err := ofac.ParseCSV(strings.NewReader(good+"\x1a"), nil, func(sources.Entry) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("error %v, want that of add", err)
	}
	if _, _, err := parseCSV(t, strings.NewReader(good), repeat("1,\""+strings.Repeat("x", 1000)+"\"\r\n")); err == nil ||
		!strings.Contains(err.Error(), "more than") {
		t.Errorf("comments without end: error %v, want one that says so", err)
	}
}

// repeat returns a reader that repeats s.
func repeat(s string) io.Reader { return &repeated{s: s} }

type repeated struct {
	s string
	n int
}

func (r *repeated) Read(b []byte) (int, error) {
	n := copy(b, r.s[r.n:])
	r.n = (r.n + n) % len(r.s)
	return n, nil
}

func FuzzParseCSV(f *testing.F) {
	const row, wallet = "2,\"B, C\",-0- ,\"P\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,\"", "Digital Currency Address - XBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
	f.Add(row+"Gender Male; "+wallet+"; alt. "+wallet+".\"\r\n\x1a", "")
	f.Add(row+strings.Replace(wallet, "-", "\x1f", 1)+".\"\r\n\x1a", "") // a dash that was damaged
	f.Add(row+fill(1000, "; "+wallet[:40])+"\"\r\n", "2,\""+wallet[40:]+".\"\r\n")
	// A damaged label: the address is found without a ticker.
	f.Add(row+"Digital CurreBT 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h.\"\r\n\x1a", "")
	f.Fuzz(func(t *testing.T, sdn, comments string) {
		announced := comments != "" || strings.Contains(strings.ToLower(sdn), "digital currency address") // a word may be mistyped
		entries, rev, err := parseCSV(t, strings.NewReader(sdn), strings.NewReader(comments))
		if err != nil {
			return
		}
		if len(entries) == 0 || rev.Records == 0 {
			t.Fatalf("%d entries of %d records, and no error", len(entries), rev.Records)
		}
		for _, e := range entries {
			// A cell with more than an address is kept as it is: package screening reads it.
			if e.Listed == "" || strings.Contains(e.Listed, ";") {
				t.Errorf("entry %+v: want a cell", e)
			}
			if e.Asset == "" && !e.Address.IsValid() && !announced && len(sources.Repair("", e.Listed)) == 0 {
				t.Errorf("entry %+v: want a ticker, or an address", e)
			}
		}
	})
}
