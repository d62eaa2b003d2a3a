package freetext

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A List is the part of a list that has been read. [List.Emit] makes the entries after the whole
// list was read.
type List struct {
	Revision sources.Revision
	Holders  []Holder
	Wallets  []Wallet        // in the order of the list
	named    map[Wallet]bool // by holder and printed text
}

// A Holder is a person or entity on the list.
type Holder struct {
	Ref, Name string
	Main      bool      // Name is a main one; see Call
	ListedAt  time.Time // zero: the list does not say
}

// A Wallet is an address of a holder.
type Wallet struct {
	Holder      int             // in List.Holders, or its length: the holder that is added next
	Asset, Text string          // the ticker that labels the address, or "", and the address; as printed, joined if a line break cuts it
	Address     address.Address // zero if Text is labeled as an address and is none
	ListedAt    time.Time       // of the address; zero: the list does not say
}

const maxWallets = 1 << 20

// Call names the holder. The first main name counts, or else the first name.
func (h *Holder) Call(name string, main bool) {
	if name != "" && (h.Name == "" || main && !h.Main) {
		h.Name, h.Main = name, main
	}
}

// Add adds a wallet. The number of wallets is limited.
func (l *List) Add(w Wallet) error {
	if len(l.Wallets) == maxWallets {
		return fmt.Errorf("more than %d wallets", maxWallets)
	}
	l.Wallets = append(l.Wallets, w)
	return nil
}

// AddNew adds a wallet, unless the list has the same text of the same holder under the same ticker or, if
// the wallet has no ticker, under any.
func (l *List) AddNew(w Wallet) error {
	key := Wallet{Holder: w.Holder, Asset: w.Asset, Text: w.Text}
	if l.named[key] {
		return nil
	}
	if err := l.Add(w); err != nil {
		return err
	}
	if l.named == nil {
		l.named = make(map[Wallet]bool)
	}
	l.named[key] = true
	key.Asset = ""
	l.named[key] = true
	return nil
}

// Find adds the new wallets that [FindIn] finds in texts about a holder.
func (l *List) Find(holder int, listedAt time.Time, texts ...string) error {
	for _, w := range FindIn(texts) {
		w.Holder, w.ListedAt = holder, listedAt
		if err := l.AddNew(w); err != nil {
			return err
		}
	}
	return nil
}

// shortest is the length of the shortest text in which a wallet may be.
const shortest = 25

// FindIn returns what [Find] finds in each of the texts, such as remarks and attributes.
func FindIn(texts []string) (all []Wallet) {
	for _, text := range texts {
		if len(text) >= shortest {
			all = append(all, Find(text)...)
		}
	}
	return all
}

// Stray returns an error if a text that is of no holder has an address.
func Stray(text string) error {
	if len(text) >= shortest && len(address.FindAll(text)) > 0 {
		return errors.New("an address in a part of the list that is not known: its form has changed")
	}
	return nil
}

// Check returns an error if a list that was read to its end has no records, date or wallet.
func (l *List) Check() error {
	switch {
	case l.Revision.Records == 0:
		return errors.New("no records")
	case l.Revision.Published.IsZero():
		return errors.New("no date of publication")
	case len(l.Wallets) == 0:
		return fmt.Errorf("no wallet in %d records", l.Revision.Records)
	}
	return nil
}

// Emit calls add for each wallet, as a sanctioned entry, and returns the revision. An error of
// add names the holder, which the list calls an "entity" or a "designation".
func (l *List) Emit(holder string, add func(sources.Entry) error) (sources.Revision, error) {
	for _, w := range l.Wallets {
		h := &l.Holders[w.Holder]
		err := add(sources.Entry{Address: w.Address, Listed: w.Text, Asset: w.Asset, Kind: score.Sanctioned, Ref: h.Ref, Name: h.Name,
			ListedAt: w.ListedAt, EntityListedAt: h.ListedAt})
		if err != nil {
			return sources.Revision{}, fmt.Errorf("%s %.64q: %w", holder, h.Ref, err)
		}
	}
	return l.Revision, nil
}

// Parse reads a list to its end with read, and emits it; see [List.Emit]. The digest of the revision
// covers all bytes of r.
func Parse(r io.Reader, holder string, add func(sources.Entry) error, read func(io.Reader) (*List, error)) (sources.Revision, error) {
	sum := sha256.New()
	l, err := read(io.TeeReader(r, sum))
	if err != nil {
		return sources.Revision{}, err
	}
	l.Revision.Digest = hex.EncodeToString(sum.Sum(nil))
	return l.Emit(holder, add)
}

// maxName bounds what Name returns.
const maxName = 512

// Name returns a name or comment in one line, without control characters, and cut to 512
// bytes.
func Name(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= maxName {
		return text
	}
	const more = "…"
	cut := maxName - len(more)
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + more
}

// Date returns the time that a text gives in the first layout that fits, in UTC and in the years 1 to 9999,
// or the zero time: one mistyped date must not refuse a whole list.
func Date(text string, layouts ...string) time.Time {
	text = sources.TrimListed(text)
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// First returns the earlier of two dates; a zero date does not count.
func First(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
