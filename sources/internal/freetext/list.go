package freetext

import (
	"cmp"
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
	Holders  []*Holder // those with wallets, in the order of the list
	wallets  int
}

// A Holder is a person or entity on the list.
type Holder struct {
	Ref, Name string
	Main      bool      // Name is a main one; see Call
	ListedAt  time.Time // zero: the list does not say
	// Wallets are entries in the order of the list, without what Emit adds.
	Wallets []sources.Entry
	named   map[[2]string]bool
}

// maxWallets bounds the wallets that a List holds in memory: a small archive may have very many.
const maxWallets = 1 << 20

// Call names the holder. The first main name counts, or else the first name.
func (h *Holder) Call(name string, main bool) {
	if name != "" && (h.Name == "" || main && !h.Main) {
		h.Name, h.Main = name, main
	}
}

// Add adds a holder that was read, if it has wallets. The number of wallets is limited.
func (l *List) Add(h *Holder) error {
	if len(h.Wallets) > 0 {
		l.Holders = append(l.Holders, h)
	}
	if l.wallets += len(h.Wallets); l.wallets > maxWallets {
		return fmt.Errorf("more than %d wallets", maxWallets)
	}
	return nil
}

// Add adds a wallet.
func (h *Holder) Add(w sources.Entry) {
	if h.named == nil {
		h.named = make(map[[2]string]bool)
	}
	h.named[[2]string{w.Asset, w.Listed}], h.named[[2]string{"", w.Listed}] = true, true
	h.Wallets = append(h.Wallets, w)
}

// AddNew adds a wallet, unless h has the same text under the same ticker or, if the wallet has no ticker, under
// any.
func (h *Holder) AddNew(w sources.Entry) {
	if !h.named[[2]string{w.Asset, w.Listed}] {
		h.Add(w)
	}
}

// Find adds the new wallets that [Find] finds in each of the texts, such as remarks and attributes.
func (h *Holder) Find(listedAt time.Time, texts ...string) {
	for _, text := range texts {
		if len(text) < shortest {
			continue
		}
		for _, w := range Find(text) {
			w.ListedAt = listedAt
			h.AddNew(w)
		}
	}
}

// shortest is the length of the shortest text in which a wallet may be.
const shortest = 25

// Stray returns an error if a text that is of no holder has an address.
func Stray(text string) error {
	if len(text) >= shortest && len(address.FindAll(text)) > 0 {
		return errors.New("an address in a part of the list that is not known: its form has changed")
	}
	return nil
}

// Check returns an error if a list that was read to its end has no records, date or, unless it may have none, wallet.
func (l *List) Check(mayBeEmpty bool) error {
	switch {
	case l.Revision.Records == 0:
		return errors.New("no records")
	case l.Revision.Published.IsZero():
		return errors.New("no date of publication")
	case len(l.Holders) == 0 && !mayBeEmpty: // it may be another list, or its form has changed
		return fmt.Errorf("no wallet in %d records", l.Revision.Records)
	}
	return nil
}

// Emit calls add for each wallet, as an entry of its holder that is sanctioned unless it has another kind, and
// returns the revision. An error of add names the holder, which the list calls an "entity" or a "designation".
func (l *List) Emit(holder string, add func(sources.Entry) error) (sources.Revision, error) {
	for _, h := range l.Holders {
		for _, w := range h.Wallets {
			w.Kind, w.Ref, w.Name, w.EntityListedAt = cmp.Or(w.Kind, score.Sanctioned), h.Ref, h.Name, h.ListedAt
			if err := add(w); err != nil {
				return sources.Revision{}, fmt.Errorf("%s %.64q: %w", holder, h.Ref, err)
			}
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
	cut := maxName - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
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
