package badlist

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
)

// json reads a JSON document as Parse describes it. encoding/json reads the tokens and is
// exact about commas; json also refuses what the formats do not allow, such as a repeated
// member.
func (p *parser) json(in io.Reader, skipped int64) error {
	d := json.NewDecoder(&tokenLimit{r: in})
	d.UseNumber() // numbers are ignored, so none is too large
	j := jsonParser{parser: p, d: d}
	err := j.document()
	if err == nil {
		switch _, err = d.Token(); err {
		case io.EOF:
			return nil
		case nil:
			err = errors.New("more data after the list")
		default:
			err = fmt.Errorf("after the list: %w", err)
		}
	}
	return &sources.RecordError{Byte: skipped + d.InputOffset(), Err: err}
}

// A tokenLimit reads JSON from r, and returns an error if a string in it, or what stands
// between two strings or delimiters, is longer than maxCell: encoding/json holds each in
// memory, and goes through blanks again whenever it reads more of them.
type tokenLimit struct {
	r       io.Reader
	n       int // bytes of the string, or since the last delimiter
	quoted  bool
	escaped bool
}

func (l *tokenLimit) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case l.escaped:
			l.escaped = false
		case l.quoted && c == '\\':
			l.escaped = true
		case c == '"':
			l.quoted = !l.quoted
			l.n = 0
		case !l.quoted && strings.IndexByte(",:[]{}", c) >= 0:
			l.n = -1
		}
		if l.n++; l.n > maxCell {
			return i, fmt.Errorf("a string, a number or blanks of more than %d bytes", maxCell)
		}
	}
	return n, err
}

type jsonParser struct {
	*parser
	d *json.Decoder
}

// document reads the outermost value.
func (p *jsonParser) document() error {
	t, err := token(p.d)
	switch {
	case err != nil:
		return err
	case p.List != "" && t != json.Delim('{'):
		return fmt.Errorf("%s, want an object with the member %q", describe(t), p.List)
	case p.List != "":
		return p.member()
	case t == json.Delim('{'):
		return p.object(p.addresses)
	}
	return p.array()
}

// member reads an object that has the list as one of its members.
func (p *jsonParser) member() error {
	seen := false
	err := p.object(func(name string) error {
		if name != p.List {
			return skipValue(p.d)
		}
		if seen {
			return fmt.Errorf("member %q given twice", name)
		}
		seen = true
		if err := p.openArray(fmt.Sprintf("member %q", name)); err != nil {
			return err
		}
		return p.array()
	})
	if err == nil && !seen {
		err = fmt.Errorf("no member %q", p.List)
	}
	return err
}

// array reads an array behind its bracket, of addresses or of objects.
func (p *jsonParser) array() error {
	var first json.Token
	return p.items(func(t json.Token) (err error) {
		if first == nil {
			first = t
		}
		var r record
		switch s, isString := t.(string); {
		case describe(t) != describe(first):
			return fmt.Errorf("%s after %s, want items of one type", describe(t), describe(first))
		case isString:
			r[columnAddress] = s
		case t == json.Delim('{'):
			if r, err = p.item(); err != nil {
				return err
			}
			r[columnRef] = p.itemRef
		default:
			return fmt.Errorf("%s, want an address or an object", describe(t))
		}
		return p.emit(r)
	})
}

// addresses reads a member that has an array of addresses, which belong to its name.
func (p *jsonParser) addresses(name string) error {
	if _, isAddress := sources.Decode(p.Asset, name); isAddress {
		return fmt.Errorf("member %.64q is an address, want the name of an array of addresses", name)
	}
	if err := p.openArray(fmt.Sprintf("member %.64q", name)); err != nil {
		return err
	}
	return p.items(func(t json.Token) error {
		listed, ok := t.(string)
		if !ok {
			return fmt.Errorf("%s in an array, want a string", describe(t))
		}
		return p.emit(record{columnAddress: listed, columnName: name})
	})
}

// item reads an object behind its brace, and returns the members that are
// columns.
func (p *jsonParser) item() (record, error) {
	var r record
	seen := make(map[string]bool)
	err := p.object(func(name string) error {
		if name == "" || !slices.Contains(p.names[:], name) {
			return skipValue(p.d)
		}
		if seen[name] {
			return fmt.Errorf("member %q given twice", name)
		}
		seen[name] = true
		t, err := token(p.d)
		if err != nil {
			return err
		}
		for i := range p.names {
			if p.names[i] != name {
				continue
			}
			v, isString := t.(string)
			number, isNumber := t.(json.Number)
			switch {
			case isString:
				r[i] = v
			case isNumber && i != columnAddress:
				r[i] = number.String()
			case t != nil || i == columnAddress:
				return fmt.Errorf("member %q: %s, want a string", name, describe(t))
			}
		}
		return nil
	})
	return r, err
}

// object reads an object behind its brace. read reads the value of a member.
func (p *jsonParser) object(read func(name string) error) error {
	return p.items(func(t json.Token) error {
		return read(t.(string)) // the decoder takes nothing else as a name
	})
}

// items reads the rest of an array or an object. read is called with the first token of each
// item or with the name of each member.
func (p *jsonParser) items(read func(json.Token) error) error {
	for p.d.More() {
		t, err := token(p.d)
		if err == nil {
			err = read(t)
		}
		if err != nil {
			return err
		}
	}
	_, err := token(p.d) // the bracket or brace
	return err
}

// openArray reads the bracket that begins the value called what.
func (p *jsonParser) openArray(what string) error {
	t, err := token(p.d)
	if err == nil && t != json.Delim('[') {
		err = fmt.Errorf("%s: %s, want an array", what, describe(t))
	}
	return err
}

// skipValue reads a value of any kind.
func skipValue(d *json.Decoder) error {
	for depth := 0; ; {
		t, err := token(d)
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('['), json.Delim('{'):
			if depth++; depth > maxNesting {
				return fmt.Errorf("values nested more than %d deep", maxNesting)
			}
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// token returns the next token; within a list its end is never in order.
func token(d *json.Decoder) (json.Token, error) {
	t, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return t, err
}

// describe returns a description of an unexpected token.
func describe(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case json.Delim:
		return t.String()
	case string:
		return "a string"
	case json.Number:
		return "a number"
	}
	return "a boolean"
}
