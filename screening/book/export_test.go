package book

import (
	"bytes"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/screening/internal/list"
)

// SpellingOf returns the text of the spelling of a, or "", and the text that it
// reconstructs from the key of a.
func SpellingOf(a address.Address) (text, written string) {
	keys := list.AppendProbes(nil, a)
	payload := keys[0].AppendBytes(nil)
	s, ok := spellingOf(a, payload)
	_, tag := a.Identity()
	if len(keys) > 1 && identity.Key(tag) == 0 || !ok {
		return "", ""
	}
	if s, ok = parseSpelling(s.text); !ok {
		return s.text, ""
	}
	return s.text, s.write(payload)
}

// Spell returns the text that the spelling with this text makes from a payload, if it
// is a spelling.
func Spell(text string, payload []byte) (string, bool) {
	s, ok := parseSpelling(text)
	if !ok {
		return "", false
	}
	return s.write(payload), true
}

// Load is like Open, for the bytes of a file.
func Load(data []byte) (*Book, error) {
	ix, err := index.Load(data)
	if err != nil {
		return nil, bookError(err)
	}
	b := &Book{ix}
	return b, b.check()
}

// Bytes returns the bytes of the file of b.
func (b *Book) Bytes() []byte {
	var data bytes.Buffer
	b.index.WriteTo(&data) // a Buffer never fails
	return data.Bytes()
}
