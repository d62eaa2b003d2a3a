package book_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/screening/book"
	"github.com/walletscreen/walletscreen/screening/internal/list"
)

// TestBookDamage damages a file at every byte and truncates it at every length.
func TestBookDamage(t *testing.T) {
	data := newBook(t, address.MustParse("ethereum", lazarus), address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")).Bytes()
	if _, err := book.Load(data); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, i int, data []byte) {
		if _, err := book.Load(data); !errors.Is(err, book.ErrDamaged) {
			t.Errorf("%s %d: %v", what, i, err)
		}
	}
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		refused("damaged at", i, damaged)
		refused("cut at", i, data[:i])
	}
	refused("with more than", len(data), append(slices.Clone(data), 0))

	path := filepath.Join(t.TempDir(), "book")
	for _, damaged := range [][]byte{nil, data[:len(data)-1], append(slices.Clone(data[:len(data)-1]), 1)} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := book.Open(path); !errors.Is(err, book.ErrDamaged) {
			t.Errorf("a file of %d bytes: %v", len(damaged), err)
		}
	}
}

// bookOf returns the bytes of a book file with these texts, and the second to last of
// them under key k.
func bookOf(t testing.TB, k address.Key, texts ...string) []byte {
	t.Helper()
	var b index.Builder
	for _, text := range texts {
		b.Intern(text)
	}
	b.Add(list.KeyOf(k), uint32(len(texts)-2))
	ix, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if _, err := ix.WriteTo(&data); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// TestBookOfOthers opens intact files that this version of Write cannot write.
func TestBookOfOthers(t *testing.T) {
	k, _ := address.MustParse("ethereum", lazarus).Key()
	const magic = "walletscreen book 1\n"
	line := fmt.Sprintf("ethereum:%s\tethereum#0\t%x:%s\n", lazarus, int(identity.KeccakHash), lazarus[2:])
	if _, err := book.Load(bookOf(t, k, magic, "ethereum#0", line)); err != nil {
		t.Fatalf("a file as it should be: %v", err)
	}
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"an index":            {bookOf(t, k, "something", "ethereum#0", line), book.ErrDamaged},
		"another key":         {bookOf(t, k, magic, "ethereum#0", strings.Replace(line, "\t2:", "\t8001:", 1)), book.ErrOutdated},
		"no key":              {bookOf(t, k, magic, "ethereum#0", "ethereum:"+lazarus+"\tethereum#0\n"), book.ErrOutdated},
		"another value":       {bookOf(t, k, magic, "ethereum#0", strings.Replace(line, "\tethereum#0", "\tethereum#1", 1)), book.ErrOutdated},
		"a line of old":       {bookOf(t, k, magic, "ethereum#0x", strings.Replace(line, "\tethereum#0", "", 1)), book.ErrOutdated},
		"a chain that is not": {bookOf(t, k, magic, "ethereum#0", "nonesuch:x\t1:00\n"), book.ErrOutdated},
	} {
		if _, err := book.Load(tt.data); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	report := firstReport(t)
	for _, text := range []string{
		"ethereum:" + clean, "bitcoin", "nonesuch", "", ":", "ethereum:0x", "ethereum", "ethereum#", "ethereum#1", "ethereum#-1", "ethereum#x",
		"ethereum#0#0", "ethereum#99999999999999999999",
		"bitcoin#0", "nonesuch#0",
	} {
		b, err := book.Load(bookOf(t, k, magic, text, line))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for c, err := range b.Changed(report) {
			if n++; !errors.Is(err, book.ErrDamaged) || c.Address.IsValid() {
				t.Errorf("the text %q: %+v, %v", text, c, err)
			}
		}
		if n != 1 {
			t.Errorf("the text %q: said nothing", text)
		}
	}
}

// FuzzBook opens arbitrary bytes as a book, and calls its methods.
func FuzzBook(f *testing.F) {
	k, _ := address.MustParse("ethereum", lazarus).Key()
	f.Add(newBook(f, address.MustParse("bsc", lazarus),
		address.MustParse("monero", "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A")).Bytes())
	f.Add(bookOf(f, k, "walletscreen book 1\n", "ethereum#0", ""))
	f.Add([]byte("wsindex\n"))
	report := firstReport(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := book.Load(data)
		if err != nil {
			return
		}
		for c, err := range b.Changed(report) {
			if err == nil && c.Address.Account() != address.MustParse("ethereum", lazarus).Account() {
				t.Errorf("%v changed, which nobody listed", c.Address)
			}
		}
		b.Close()
	})
}
