package badlist

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/walletscreen/walletscreen/sources"
)

// json reads a JSON document as Parse describes it, one item after the other. encoding/json is
// exact about commas; json also refuses what the formats do not allow, such as a repeated
// member.
func (p *parser) json(in io.Reader, skipped int64) error {
	r := &bounded{r: in}
	r.d = json.NewDecoder(r)
	err := p.document(r.d)
	switch {
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	case err == nil:
		if _, err = r.d.Token(); err == io.EOF {
			return nil
		}
		err = fmt.Errorf("after the list: %w", cmp.Or(err, errors.New("more data")))
	}
	return &sources.RecordError{Byte: skipped + r.d.InputOffset(), Err: err}
}

// A bounded reader fails if maxItem bytes were read behind the last token: encoding/json holds
// an item in memory, and goes through blanks again whenever it reads more of them.
type bounded struct {
	r io.Reader
	n int64
	d *json.Decoder
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.n-b.d.InputOffset() > maxItem {
		return 0, fmt.Errorf("an item, or blanks, of more than %d bytes", maxItem)
	}
	n, err := b.r.Read(p)
	b.n += int64(n)
	return n, err
}

// document reads the outermost value.
func (p *parser) document(d *json.Decoder) error {
	t, err := d.Token()
	switch {
	case err != nil:
		return err
	case t == json.Delim('['):
		return p.array(d, "")
	case t != json.Delim('{'):
		return errors.New("want an object or an array")
	}
	for d.More() {
		if t, err = d.Token(); err != nil {
			return err
		}
		name := t.(string) // the decoder takes nothing else
		if _, isAddress := sources.Decode(p.Asset, name); isAddress {
			var value json.RawMessage
			if err = d.Decode(&value); err == nil {
				err = p.item(value, columnName, record{columnAddress: name})
			}
		} else if t, err = d.Token(); err == nil && t != json.Delim('[') {
			err = fmt.Errorf("member %.64q: want an array", name)
		} else if err == nil {
			err = p.array(d, name)
		}
		if err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// array reads the items of an array, behind its bracket: objects, or addresses, which belong to its
// name.
func (p *parser) array(d *json.Decoder, name string) error {
	first := ""
	for d.More() {
		var value json.RawMessage
		err := d.Decode(&value)
		if err == nil {
			is := describe(value)
			if first = cmp.Or(first, is); is != first {
				return fmt.Errorf("%s after %s, want items of one type", is, first)
			}
			err = p.item(value, columnAddress, record{columnName: name})
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// item reads an object, or the text of a column that completes r.
func (p *parser) item(value json.RawMessage, column int, r record) (err error) {
	switch is := describe(value); is {
	case "a string":
		err = json.Unmarshal(value, &r[column])
	case "{":
		name := r[columnAddress]
		r, err = object(value)
		r[columnRef] = cmp.Or(r[columnRef], p.itemRef)
		if other := r[columnAddress]; err == nil && name != "" && other != "" && other != name {
			err = p.emit(r) // both are listed
		}
		r[columnAddress] = cmp.Or(name, r[columnAddress])
	default:
		err = fmt.Errorf("%s, want an object or a text", is)
	}
	if err == nil {
		err = p.emit(r)
	}
	return err
}

// members are the members of an object that are read, and their columns. Of two for one column
// the first that is not empty counts.
var members = map[string]int{
	"address": columnAddress, "chain": columnChain, "network": columnChain, "blockchain": columnChain,
	"comment": columnName, "family": columnName, "date": columnDate, "createdAt": columnDate,
	"kind": columnKind, "ref": columnRef,
}

// object returns the members of an object that are columns. text is valid JSON, so reading it does not fail.
func object(text json.RawMessage) (r record, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.Token() // the brace
	for seen := make(map[json.Token]bool); d.More() && err == nil; {
		var value json.RawMessage
		name, _ := d.Token()
		d.Decode(&value)
		column, ok := members[name.(string)]
		if !ok {
			continue
		}
		var cell string
		switch is := describe(value); {
		case seen[name]:
			err = fmt.Errorf("member %q given twice", name)
		case is == "a string":
			err = json.Unmarshal(value, &cell)
		case is == "a number" && column != columnAddress:
			cell = string(value)
		case is != "null" || column == columnAddress:
			err = fmt.Errorf("member %q: %s, want a string", name, is)
		}
		seen[name] = true
		r[column] = cmp.Or(r[column], cell)
	}
	return r, err
}

// describe returns what kind of value it is.
func describe(value json.RawMessage) string {
	switch value[0] {
	case '[', '{':
		return string(value[:1])
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}
