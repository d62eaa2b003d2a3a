package badlist

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// darklistRef is the Ref of all entries of a darklist: its items have no names,
// so the list stands for them.
const darklistRef = "addresses-darklist"

// darklist reads a darklist as it is described at Parse. encoding/json reads the
// tokens, and is exact about commas; what it would take and the format does not
// allow, such as a member given twice, is refused here.
func (p *parser) darklist(in io.Reader, skipped position) error {
	d := json.NewDecoder(in)
	d.UseNumber() // none matters, and no size of one is wrong
	at := func(err error) error {
		var place *sources.RecordError
		if errors.As(err, &place) {
			return err
		}
		return &sources.RecordError{Byte: skipped.bytes + d.InputOffset(), Err: err}
	}
	if _, err := token(d); err != nil { // '['
		return at(err)
	}
	for d.More() {
		start := skipped.bytes + d.InputOffset()
		item, err := darklistItem(d)
		if err != nil {
			return at(err)
		}
		if err := p.emit(item["address"], item["comment"], darklistRef, parseDate(item["date"])); err != nil {
			return &sources.RecordError{Byte: start, Err: err}
		}
	}
	if _, err := token(d); err != nil { // ']'
		return at(err)
	}
	switch _, err := d.Token(); err {
	case io.EOF:
		return nil
	case nil:
		return at(errors.New("more data after the list"))
	default:
		return at(fmt.Errorf("after the list: %w", err))
	}
}

// darklistItem reads one object, and returns the members of the format.
func darklistItem(d *json.Decoder) (map[string]string, error) {
	t, err := token(d)
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, fmt.Errorf("%s, want an object", describe(t))
	}
	item := make(map[string]string, 3)
	for d.More() {
		t, err := token(d)
		if err != nil {
			return nil, err
		}
		name := t.(string) // the decoder takes nothing else as a name
		switch name {
		case "address", "comment", "date":
		default:
			if err := skipValue(d); err != nil {
				return nil, err
			}
			continue
		}
		if _, ok := item[name]; ok {
			return nil, fmt.Errorf("member %q given twice", name)
		}
		if t, err = token(d); err != nil {
			return nil, err
		}
		value, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("member %q: %s, want a string", name, describe(t))
		}
		item[name] = value
	}
	if _, err := token(d); err != nil { // '}'
		return nil, err
	}
	if _, ok := item["address"]; !ok {
		return nil, errors.New(`no member "address"`)
	}
	return item, nil
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

// describe names a token that is not what it should be.
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

// parseDate returns the date that s gives, in UTC, or the zero time.
func parseDate(s string) time.Time {
	for _, layout := range []string{time.DateOnly, "1/2/06"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}
