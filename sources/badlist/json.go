package badlist

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// darklistRef is the Ref of all entries of a darklist: its items have no names,
// so the list stands for them.
const darklistRef = "addresses-darklist"

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
		return p.members()
	}
	return p.array()
}

// member reads an object that has the list as one of its members.
func (p *jsonParser) member() error {
	var seen bool
	for p.d.More() {
		name, err := token(p.d)
		if err != nil {
			return err
		}
		if name != p.List {
			if err := skipValue(p.d); err != nil {
				return err
			}
			continue
		}
		if seen {
			return fmt.Errorf("member %q given twice", name)
		}
		seen = true
		t, err := token(p.d)
		if err != nil {
			return err
		}
		if t != json.Delim('[') {
			return fmt.Errorf("member %q: %s, want an array", name, describe(t))
		}
		if err := p.array(); err != nil {
			return err
		}
	}
	if _, err := token(p.d); err != nil { // '}'
		return err
	}
	if !seen {
		return fmt.Errorf("no member %q", p.List)
	}
	return nil
}

// array reads an array behind its bracket, of addresses or of objects.
func (p *jsonParser) array() error {
	var first json.Token
	for p.d.More() {
		t, err := token(p.d)
		if err != nil {
			return err
		}
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
			if !p.named && p.Ref == "" {
				r[columnRef] = darklistRef
			}
		default:
			return fmt.Errorf("%s, want an address or an object", describe(t))
		}
		if err := p.emit(r); err != nil {
			return err
		}
	}
	_, err := token(p.d) // ']'
	return err
}

// members reads an object behind its brace whose members are named by addresses
// or are arrays of addresses.
func (p *jsonParser) members() error {
	var byAddress bool // what its first name tells
	for n := 0; p.d.More(); n++ {
		t, err := token(p.d)
		if err != nil {
			return err
		}
		name := t.(string) // the decoder takes nothing else as a name
		_, _, isAddress := decode(p.Asset, name)
		if n == 0 {
			byAddress = isAddress
		}
		switch {
		case byAddress:
			err = p.said(name)
		case isAddress:
			return fmt.Errorf("member %.64q is an address, and those before are not", name)
		default:
			err = p.addresses(name)
		}
		if err != nil {
			return err
		}
	}
	_, err := token(p.d) // '}'
	return err
}

// said reads the value of a member that is named by an address.
func (p *jsonParser) said(listed string) error {
	t, err := token(p.d)
	if err != nil {
		return err
	}
	var r record
	switch t {
	case nil, true:
	case json.Delim('{'):
		if r, err = p.item(); err != nil {
			return err
		}
	case json.Delim('['):
		err := p.strings(func(comment string) error {
			if r[columnName] != "" {
				comment = r[columnName] + ", " + comment
			}
			r[columnName] = comment
			if len(comment) > maxCell {
				return fmt.Errorf("comments of %d bytes", len(comment))
			}
			return nil
		})
		if err != nil {
			return err
		}
	default:
		comment, ok := t.(string)
		if !ok {
			return fmt.Errorf("member %.64q: %s says nothing of an address", listed, describe(t))
		}
		r[columnName] = comment
	}
	r[columnAddress] = listed
	return p.emit(r)
}

// addresses reads an array of addresses that belong to name.
func (p *jsonParser) addresses(name string) error {
	t, err := token(p.d)
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return fmt.Errorf("member %.64q: %s, want an array of addresses", name, describe(t))
	}
	return p.strings(func(listed string) error {
		return p.emit(record{columnAddress: listed, columnName: name})
	})
}

// strings reads an array of strings behind its bracket, and calls each for them.
func (p *jsonParser) strings(each func(string) error) error {
	for p.d.More() {
		t, err := token(p.d)
		if err != nil {
			return err
		}
		s, ok := t.(string)
		if !ok {
			return fmt.Errorf("%s in an array, want a string", describe(t))
		}
		if err := each(s); err != nil {
			return err
		}
	}
	_, err := token(p.d) // ']'
	return err
}

// item reads an object behind its brace, and returns the members that are
// columns.
func (p *jsonParser) item() (record, error) {
	var r record
	var seen [columnCount]bool
	for p.d.More() {
		t, err := token(p.d)
		if err != nil {
			return r, err
		}
		name := t.(string) // the decoder takes nothing else as a name
		if name == "" || !slices.Contains(p.names[:], name) {
			if err := skipValue(p.d); err != nil {
				return r, err
			}
			continue
		}
		if t, err = token(p.d); err != nil {
			return r, err
		}
		for i := range p.names {
			if p.names[i] != name {
				continue
			}
			if seen[i] {
				return r, fmt.Errorf("member %q given twice", name)
			}
			seen[i] = true
			switch v := t.(type) {
			case string:
				r[i] = v
				continue
			case nil:
				if i != columnAddress {
					continue
				}
			case json.Number:
				if i != columnAddress {
					r[i] = v.String()
					continue
				}
			}
			return r, fmt.Errorf("member %q: %s, want a string", name, describe(t))
		}
	}
	_, err := token(p.d) // '}'
	return r, err
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

// parseDate returns the time that s gives, in UTC, or the zero time.
func parseDate(s string) time.Time {
	s = sources.TrimListed(s)
	for _, layout := range []string{time.DateOnly, "1/2/06", time.RFC3339, time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
