package list

import (
	"errors"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestKeyed checks the listing of an Ethereum account under its account on Substrate chains, and
// that a damaged one is an error.
func TestKeyed(t *testing.T) {
	b := newTableBuilder()
	e := sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned, Ref: "1", FirstSeen: day}
	f := b.file(&e)
	b.add(&e, f, 0, time.Time{})
	if len(f.keys) != 2 || f.form != hexAddress {
		t.Fatalf("%v is filed under %d keys in the form %d", e.Address, len(f.keys), f.form)
	}
	_, n := b.index.At(b.index.Next(f.keys[1]) - 1)
	l, err := readListing(&b.index, n)
	if err != nil || l.Entry.Address != e.Address || l.Entry.Ref != "1" || l.Text(&f.keys[1]) != lazarus {
		t.Fatalf("listing %d: %+v, %v", n, l, err)
	}
	whole, err := b.index.Text(n)
	if err != nil {
		t.Fatal(err)
	}
	self := "\x03" + string(rune(n)) + whole[2:]
	for _, text := range []string{self, whole[:len(whole)-1], whole + "x", whole[:1], "\x03\x00" + whole[2:], "\x07" + whole[1:] + "x"} {
		damaged := b.index.AddText([]byte(text))
		if text == self {
			damaged = n
		}
		if l, err := readListing(replaced{&b.index, damaged, text}, damaged); !errors.Is(err, index.ErrDamaged) {
			t.Errorf("%q: %+v, %v, want an error", text, l, err)
		}
	}
}

// replaced is texts with another one in the place of text n.
type replaced struct {
	texts
	n    uint32
	text string
}

func (r replaced) Text(n uint32) (string, error) {
	if n == r.n {
		return r.text, nil
	}
	return r.texts.Text(n)
}
