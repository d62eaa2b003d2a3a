package book

import (
	"bytes"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/screening/internal/list"
)

// ValueOf returns the value of a without its text, or "", and the address that a Book reads from
// it, or from the text.
func ValueOf(a address.Address) (value string, read address.Address, err error) {
	value = valueOf(a)
	text := value
	if text == "" {
		text = a.String()
	}
	read, err = readOwn(text, list.AppendProbes(nil, a)[0])
	return value, read, err
}

// Load is like Open, for the bytes of a file.
func Load(data []byte) (*Book, error) {
	ix, err := index.Load(data, nil)
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
