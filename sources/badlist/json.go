package badlist

import (
	"bytes"
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
	j := jsonParser{parser: p, in: &bounded{r: in}}
	j.d = json.NewDecoder(j.in)
	err := j.document()
	if err == nil {
		switch _, err = j.d.Token(); err {
		case io.EOF:
			return nil
		case nil:
			err = errors.New("more data after the list")
		default:
			err = fmt.Errorf("after the list: %w", err)
		}
	}
	return &sources.RecordError{Byte: skipped + j.d.InputOffset(), Err: err}
}

// A bounded reader fails if maxCell bytes were read since n was set to 0: encoding/json holds
// an item in memory, and goes through blanks again whenever it reads more of them.
type bounded struct {
	r io.Reader
	n int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.n > maxCell {
		return 0, fmt.Errorf("an item, or blanks, of more than %d bytes", maxCell)
	}
	n, err := b.r.Read(p)
	b.n += n
	return n, err
}

type jsonParser struct {
	*parser
	in *bounded
	d  *json.Decoder
}

// document reads the outermost value.
func (p *jsonParser) document() error {
	t, err := p.token()
	switch {
	case err != nil:
		return err
	case t == json.Delim('[') && p.List == "":
		return p.array(p.item())
	case t != json.Delim('{'):
		return errors.New("want an object or an array; of a list in a member, want an object")
	}
	seen := false
	for p.d.More() {
		t, err := p.token()
		if err != nil {
			return err
		}
		name, _ := t.(string) // the decoder takes nothing else as a name
		switch {
		case p.List == "":
			err = p.named(name)
		case name != p.List:
			_, err = p.value()
		case seen:
			err = fmt.Errorf("member %q given twice", name)
		default:
			seen = true
			if err = p.openArray(name); err == nil {
				err = p.array(p.item())
			}
		}
		if err != nil {
			return err
		}
	}
	if _, err = p.token(); err == nil && p.List != "" && !seen {
		err = fmt.Errorf("no member %q", p.List)
	}
	return err
}

// named reads a member that has an array of addresses, which belong to its name.
func (p *jsonParser) named(name string) error {
	if _, isAddress := sources.Decode(p.Asset, name); isAddress {
		return fmt.Errorf("member %.64q is an address, want the name of an array of addresses", name)
	}
	if err := p.openArray(name); err != nil {
		return err
	}
	return p.array(func(value json.RawMessage) error {
		var listed string
		if json.Unmarshal(value, &listed) != nil || value[0] != '"' {
			return fmt.Errorf("%s in an array, want a string", describe(value))
		}
		return p.emit(record{columnAddress: listed, columnName: name})
	})
}

// item returns a function that reads the items of an array: addresses, or objects.
func (p *jsonParser) item() func(json.RawMessage) error {
	var first string
	return func(value json.RawMessage) (err error) {
		is := describe(value)
		if first == "" {
			first = is
		}
		var r record
		switch {
		case is != first:
			return fmt.Errorf("%s after %s, want items of one type", is, first)
		case value[0] == '"':
			err = json.Unmarshal(value, &r[columnAddress])
		case value[0] == '{':
			r, err = p.object(value)
			r[columnRef] = p.itemRef
		default:
			return fmt.Errorf("%s, want an address or an object", is)
		}
		if err != nil {
			return err
		}
		return p.emit(r)
	}
}

// object returns the members of an object that are columns.
func (p *jsonParser) object(text json.RawMessage) (r record, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.Token() // the brace
	var seen [columnCount]bool
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return r, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return r, err
		}
		for i := range p.names {
			if p.names[i] == "" || p.names[i] != name {
				continue
			}
			is := describe(value)
			switch {
			case seen[i]:
				return r, fmt.Errorf("member %q given twice", name)
			case is == "a string":
				err = json.Unmarshal(value, &r[i])
			case is == "a number" && i != columnAddress:
				r[i] = string(value)
			case is != "null" || i == columnAddress:
				err = fmt.Errorf("member %q: %s, want a string", name, is)
			}
			if seen[i] = true; err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// array calls read for each item of an array, behind its bracket.
func (p *jsonParser) array(read func(json.RawMessage) error) error {
	for p.d.More() {
		value, err := p.value()
		if err == nil {
			err = read(value)
		}
		if err != nil {
			return err
		}
	}
	_, err := p.token()
	return err
}

// openArray reads the bracket that begins a member.
func (p *jsonParser) openArray(name string) error {
	t, err := p.token()
	if err == nil && t != json.Delim('[') {
		err = fmt.Errorf("member %.64q: want an array", name)
	}
	return err
}

// value returns the next value.
func (p *jsonParser) value() (value json.RawMessage, err error) {
	p.in.n = 0
	err = ended(p.d.Decode(&value))
	return value, err
}

// token returns the next token.
func (p *jsonParser) token() (json.Token, error) {
	p.in.n = 0
	t, err := p.d.Token()
	return t, ended(err)
}

// ended returns the error of a list that was cut for the end of the file.
func ended(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
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
