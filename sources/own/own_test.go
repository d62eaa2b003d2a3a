package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

const (
	lazarus = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	yan     = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
	justin  = "TT2T17KZhoDu47i2E4FWxfG79zdkEWkU9N"
)

// rows returns all rows of a list.
func rows(text string) (all []row, err error) {
	err = each(strings.NewReader(text), func(r row) error { all = append(all, r); return nil })
	if err != nil {
		return nil, err
	}
	return all, nil
}

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // line, address, action, reason, reference, author, expiry
	}{
		{"nothing", "", nil},
		{"blank lines", "\r\n \n", nil},
		{"comments alone", "# nobody yet\n", nil},
		{"a header alone", "address,reason\r\n", nil},
		{"text", lazarus + " # the theft\n\n# more\n" + justin, []string{
			"ethereum:" + strings.ToLower(lazarus) + " block \"the theft\" \"\" \"\" -", "tron:" + justin + " block \"\" \"\" \"\" -"}},
		{"a byte order mark", "\ufeff" + justin + "\n", []string{"tron:" + justin + ` block "" "" "" -`}},
		{"CSV", "Address,Chain,Action,Reason,Reference,Author,Expires\n" + yan + ",bitcoin,block,\"fraud, reported\",CASE-7,Ann,2026-12-31\n",
			[]string{"bitcoin:" + yan + ` block "fraud, reported" "CASE-7" "Ann" 2027-01-01T00:00:00Z`}},
		{"chains by other names", "address,chain\n" + lazarus + ",eip155:98865\n" + lazarus + ",Binance Smart Chain\n",
			[]string{"eip155:98865:" + strings.ToLower(lazarus) + ` block "" "" "" -`, "bsc:" + strings.ToLower(lazarus) + ` block "" "" "" -`}},
		{"CSV with a byte order mark, semicolons and blank lines", "\ufeffreason;address;action\r\n\r\n# ours\r\nour hot wallet;" + justin + ";ALLOW\r\n",
			[]string{"tron:" + justin + ` allow "our hot wallet" "" "" -`}},
		{"tabs, without an end of the last line", "address\texpires\n" + justin + "\t2026-12-31T12:00:00+02:00",
			[]string{"tron:" + justin + ` block "" "" "" 2026-12-31T10:00:00Z`}},
	} {
		all, err := rows(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		var got []string
		for _, r := range all {
			action, expires := "block", "-"
			if r.allow {
				action = "allow"
			}
			if !r.expires.IsZero() {
				expires = r.expires.Format(time.RFC3339)
			}
			got = append(got, fmt.Sprintf("%s %s %q %q %q %s", r.address, action, r.reason, r.reference, r.author, expires))
		}
		if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// TestNote lists an address without the words beside it: several chains may print it alike.
func TestNote(t *testing.T) {
	for _, text := range []string{"USDT: " + justin, justin + ".", "wallet " + justin + " (memo 12)", justin + " (" + justin[:5] + "..." + justin[30:] + ")",
		justin + " ref a1b2c3d4e5f60718293a4b5c6d7e8f90", justin + " donaudampfschifffahrtsgesellschaft"} {
		if all, err := rows(text + " # a reason\n"); err != nil || len(all) != 1 || all[0].listed != justin || all[0].address.Normalized() != justin {
			t.Errorf("%q: %+v, %v, want %s", text, all, err, justin)
		}
	}
}

// TestNoteOnChain lists an address of a named chain without the words beside it, if they have full stops, too.
func TestNoteOnChain(t *testing.T) {
	for _, note := range []string{"https://tronscan.io/address", "a.b@example.com", "v1.2.3", "https://tronscan.org/#/address/" + justin} {
		all, err := rows("address,chain\n" + justin + " " + note + ",tron\n")
		if err != nil || len(all) != 1 || sources.Repair("tron", all[0].listed)[0].Address.Normalized() != justin {
			t.Errorf("%q: %+v, %v, want %s", note, all, err, justin)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		line             int64
	}{
		{"no address", "# list\nhello, world\n", "not an address", 2},
		{"a mistyped address", "address\n" + justin[:33] + "M\n", "not an address", 2},
		{"several chains", "address\n5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d\n", "column chain", 2},
		{"an address without a checksum beside another", justin + " 5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d\n", "another word", 1},
		{"64 hex digits beside an address", justin + ", 98793cd91a3f870fb126f66285808c7e094afcfc4eda8a970f6648cdf0dbd6de\n", "another word", 1},
		{"an id in Base64 glued to an address", "address\nGRQ7swQO1AMyFgnuAPI7AvGQlW3lzuQuwlJb-pWV7xk/" + lazarus + "\n", "another word", 2},
		{"a mistyped address beside another", "address\n" + justin + ";" + yan[:33] + "g\n", "another word", 2},
		{"a shortened address beside another", "address\n" + justin + " not " + justin[:5] + "…" + yan[30:] + "\n", "another word", 2},
		{"an id beside its address in hex", "address,chain\n0.0.1234567 (" + lazarus + "),hedera\n", "another word", 2},
		{"a name beside an address", "address,chain\n" + justin + " / alice.near,near\n", "another word", 2},
		{"another chain", "address,chain\n" + justin + ",bitcoin\n", "bitcoin", 2},
		{"no chain of that name", "address,chain\n" + justin + ",tronn\n", "tronn", 2},
		{"an unknown column", "address,note\n", `"note"`, 1},
		{"a column twice", "address,reason,Reason\n", "twice", 1},
		{"a column missing", "address,reason\n" + justin + "\n", "1 columns, want 2", 2},
		{"an unknown action", "address,action\n" + justin + ",blok\n", `"blok"`, 2},
		{"no date", "address,expires\n" + justin + ",31.12.2026\n", "31.12.2026", 2},
		{"a quote that is not closed", "address,reason\n" + justin + ",\"a\n" + justin + ",b\n", "unexpected EOF", 2},
		{"a row in a quote", "address,reason\n" + justin + ",\"a\n" + justin + ",b\"\n", "out of place", 2},
		{"no address in a row", "address,reason\n,x\n", "no address", 2},
		{"HTML", "<html>\n", "not an address", 1},
		{"another header", "Adresse;Aktion\n" + justin + ";\n", "call a column address", 1},
		{"a workbook", "PK\x03\x04\x14\x00\v\n", "of a workbook, save the sheet as CSV", 1},
		{"a CR in a comment", justin + " # x\r" + justin + "\n", "line break", 1},
		{"a line separator in a comment", "\n" + justin + " # x\u2028" + justin + "\n", "line break", 2},
		{"a reason that looks like a comment", "reason,address\n#12 ticket," + justin + "\n", "begins with #", 2},
	} {
		all, err := rows(tt.text)
		var at *sources.RecordError
		if all != nil || !errors.As(err, &at) || at.Line != tt.line || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %d rows, error %v, want one of line %d with %q", tt.name, len(all), err, tt.line, tt.want)
		}
	}
	// The error does not quote a pasted private key.
	const secret = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
	for _, text := range []string{secret + "\n", "address,chain\n" + secret + ",bitcoin\n", "address,chain\n" + secret + ",ethereum\n",
		"reason,address\n#," + secret + "\n", "#\r" + secret + "\n"} {
		if _, err := rows(text); err == nil || strings.Contains(err.Error(), secret[:10]) {
			t.Errorf("a private key: error %v", err)
		}
	}
}

func TestAllowed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list.csv")
	write(t, name, "address,action,reason,author,expires\n"+lazarus+",block,a,,\n"+justin+",allow,b,Ann,2026-12-31\n")
	src := File("OWN", name)
	rows, err := sources.AllowedBy(src)
	if want := (sources.Allowed{Address: address.MustParse("tron", justin), Reason: "b", Author: "Ann", Expires: time.Date(2027, 1, 1, 0, 0, 0, 0,
		time.UTC)}); err != nil ||
		len(rows) != 1 ||
		rows[0] != want {
		t.Errorf("%+v, %v, want the row that allows", rows, err)
	}
	write(t, name, "hello\n")
	if rows, err := sources.AllowedBy(src); err == nil || rows != nil || !strings.Contains(err.Error(), name+": line 1") {
		t.Errorf("a broken file: %+v, %v", rows, err)
	}
	os.Remove(name)
	if _, err := sources.AllowedBy(src); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// write writes the list with the modification time of a settled file.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
}

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list.csv")
	write(t, name, "address,reason,reference,action\n"+lazarus+",theft,CASE-1,\n"+justin+",,,allow\n")
	sourcetest.Run(t, func(t *testing.T) sources.Source { return File("OWN", name) })
	src := File("OWN", name)
	if info := src.Info(); info.Validate() != nil || info.Jurisdiction != sources.Operator || info.ID != "OWN" {
		t.Errorf("Info = %+v", info)
	}
	entries, rev, err := listtest.Load(t.Context(), src, sources.Revision{})
	if err != nil || len(entries) != 1 || entries[0].Kind != score.Blocked || entries[0].Ref != "CASE-1" || entries[0].Name != "theft" ||
		!src.Info().MayEmit(score.Blocked) {
		t.Fatalf("%+v, %v, want the row that blocks", entries, err)
	}
	if again, _, err := listtest.Load(t.Context(), src, rev); again != nil || !errors.Is(err, sources.ErrUnchanged) {
		t.Errorf("again: %d entries, %v, want ErrUnchanged", len(again), err)
	}
	write(t, name, "")
	if entries, rev, err := listtest.Load(t.Context(), src, rev); err != nil || entries != nil || rev.Digest == "" {
		t.Errorf("emptied: %d entries, %+v, %v, want an empty list", len(entries), rev, err)
	}
	write(t, name, lazarus+"\nhello\n")
	if entries, _, err := listtest.Load(t.Context(), src, rev); err == nil || !strings.Contains(err.Error(), "line 2") || entries != nil {
		t.Errorf("broken: %d entries, %v, want an error of line 2", len(entries), err)
	}
	os.Remove(name)
	if _, _, err := listtest.Load(t.Context(), src, rev); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed: %v, want that it does not exist", err)
	}
}

// expect loads src and checks that the list is unchanged if count is negative, and
// otherwise that it has so many entries. It returns the Revision.
func expect(t *testing.T, src sources.Source, held sources.Revision, count int) sources.Revision {
	t.Helper()
	entries, rev, err := listtest.Load(t.Context(), src, held)
	if unchanged := errors.Is(err, sources.ErrUnchanged); unchanged != (count < 0) || !unchanged && (err != nil || len(entries) != count) {
		t.Errorf("at %v: %d entries, %v, want %d", time.Now(), len(entries), err, count)
	}
	return rev
}

// TestExpiry checks that a row counts until it expires, even if the file does not
// change, and that a Load does not read the file if nothing can have changed.
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "list.csv")
		write(t, name, "address,expires\n"+lazarus+",2000-01-03\n"+justin+",2000-01-02T12:00:00Z\n"+yan+",\n")
		past := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(name, past, past); err != nil {
			t.Fatal(err)
		}
		src := File("OWN", name)
		var held sources.Revision
		for _, tt := range []struct {
			at    time.Time
			count int // -1: unchanged
		}{
			{time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), 3},
			{time.Date(2000, 1, 2, 11, 59, 59, 0, time.UTC), -1},
			{time.Date(2000, 1, 2, 12, 0, 0, 0, time.UTC), 2},
			{time.Date(2000, 1, 3, 23, 0, 0, 0, time.UTC), -1},
			{time.Date(2000, 1, 4, 0, 0, 0, 0, time.UTC), 1},
			{time.Date(2010, 1, 4, 0, 0, 0, 0, time.UTC), -1},
		} {
			time.Sleep(time.Until(tt.at))
			held = expect(t, src, held, tt.count)
		}
	})
}

// TestExpiryClockBack checks that a row that expired by a clock that was ahead counts again
// when the clock is right.
func TestExpiryClockBack(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list.csv")
	write(t, name, "address,expires\n"+lazarus+",2000-01-03\n"+justin+",1990-01-01\n")
	past := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(name, past, past); err != nil {
		t.Fatal(err)
	}
	src := File("OWN", name)
	var held sources.Revision
	for _, tt := range []struct {
		ahead time.Duration // of the clock, which begins in 2000
		count int           // -1: unchanged
	}{{0, 1}, {10 * 365 * 24 * time.Hour, 0}, {time.Hour, 1}, {0, -1}, {72 * time.Hour, 0}, {73 * time.Hour, -1}, {0, 1}} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(tt.ahead)
			held = expect(t, src, held, tt.count)
		})
	}
}

func FuzzRows(f *testing.F) {
	f.Add("address,chain,expires\n" + justin + ",tron,2026-12-31\n")
	f.Add(lazarus + " # x\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := rows(text)
		if err != nil && all != nil {
			t.Errorf("%q: rows and the error %v", text, err)
		}
		for _, r := range all {
			if !r.address.IsValid() || r.listed == "" {
				t.Errorf("%q: row %+v", text, r)
			}
		}
	})
}

func ExampleFile() {
	name := filepath.Join(os.TempDir(), "own-example.csv")
	list := "address,chain,reason,expires\n" + yan + ",bitcoin,\"fraud, reported by a customer\",2999-12-31\n"
	if err := os.WriteFile(name, []byte(list), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(name)
	src := File("OUR_LIST", name)
	entries, _, err := listtest.Load(context.Background(), src, sources.Revision{})
	fmt.Println(entries[0].Kind, entries[0].Address, entries[0].Name, err)
	// Output: BLOCKED bitcoin:12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h fraud, reported by a customer <nil>
}
