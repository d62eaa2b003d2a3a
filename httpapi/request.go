package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/pace"
)

// A screenRequest is the body of POST /api/v1/screen.
type screenRequest struct {
	Address string
	Chain   string
	receipt bool
	at      *string // nil for now
}

// readScreenRequest reads the body of a screen request, or returns its problem.
func readScreenRequest(body []byte) (screenRequest, *problem) {
	fields, p := readObject(body)
	if p == nil {
		p = fields.wantTexts("address", "chain")
	}
	if p != nil {
		return screenRequest{}, p
	}
	receipt, ok := fields["receipt"].(bool)
	if value, is := fields["receipt"]; is && !ok {
		return screenRequest{}, wrongType("receipt", "a boolean", value)
	}
	at, p := fields.optionalText("at")
	return screenRequest{fields.text("address"), fields.text("chain"), receipt, at}, p
}

// An object is a JSON object. Its values are of type string, [json.Number], bool,
// []any or object, or nil.
type object map[string]any

// fieldNames are the fields of all requests.
var fieldNames = []string{"address", "after", "at", "chain", "id", "items", "receipt", "search", "source"}

// text returns the string in a field, or "".
func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

// wantTexts returns the problem of fields that are absent or not strings.
func (o object) wantTexts(names ...string) *problem {
	for _, name := range names {
		if _, ok := o[name]; !ok {
			return absent(name)
		}
	}
	for _, name := range names {
		if _, ok := o[name].(string); !ok {
			return wrongType(name, "a string", o[name])
		}
	}
	return nil
}

// optionalText returns the string in a field, or nil if it is absent.
func (o object) optionalText(name string) (*string, *problem) {
	if _, ok := o[name]; !ok {
		return nil, nil
	}
	text := o.text(name)
	return &text, o.wantTexts(name)
}

func absent(name string) *problem {
	return &problem{Code: missingField, Field: name, Reason: "absent", Detail: "The field " + name + " is required."}
}

func wrongType(name, want string, value any) *problem {
	return &problem{Code: invalidType, Field: name, Reason: jsonType(value),
		Detail: "The field " + name + " is not " + want + ", but " + article(jsonType(value)) + "."}
}

// maxDepth is the greatest number of levels to which values may be nested.
const maxDepth = 32

// A jsonReader walks over one JSON value (RFC 8259), which encoding/json has accepted.
type jsonReader struct {
	body []byte
	at   int
}

// readObject returns the body if it is one JSON object, or its problem.
//
// It is stricter than [json.Unmarshal], which would accept bodies that a proxy or a log
// may read otherwise: field names are case-sensitive, none occurs twice in an object,
// the text is valid UTF-8, escapes are valid UTF-16, and nothing follows. Fields that
// nobody asks for are ignored.
func readObject(body []byte) (object, *problem) {
	switch {
	case len(body) == 0:
		return nil, &problem{Code: invalidJSON, Reason: "empty", Detail: "There is no body."}
	case !utf8.Valid(body):
		return nil, &problem{Code: invalidJSON, Reason: "invalid_unicode", Detail: "The body is not valid UTF-8."}
	case !json.Valid(body):
		return nil, syntaxProblem(body)
	}
	r := jsonReader{body: body}
	value, p := r.value(0)
	if p != nil {
		return nil, p
	}
	fields, ok := value.(object)
	if !ok {
		return nil, &problem{Code: invalidType, Reason: jsonType(value), Detail: "The body is not a JSON object, but " + article(jsonType(value)) + "."}
	}
	return fields, nil
}

// syntaxProblem returns the problem of a body that is not JSON: the first fault in it.
func syntaxProblem(body []byte) *problem {
	tokens := json.NewDecoder(bytes.NewReader(body))
	for depth := 0; ; {
		token, err := tokens.Token()
		at := int(tokens.InputOffset())
		var where *json.SyntaxError // the tokens do not say where a value goes wrong
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return refuseJSON("syntax", len(body), "unexpected end")
		case err != nil && errors.As(json.Unmarshal(body, new(json.RawMessage)), &where):
			return refuseJSON("syntax", int(where.Offset)-1, "unexpected character")
		case err != nil:
			return refuseJSON("syntax", at, "unexpected character")
		case token == json.Delim('{') || token == json.Delim('['):
			if depth++; depth > maxDepth {
				return refuseJSON("too_deep", at-1, "nested too deep")
			}
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
		if depth == 0 {
			rest := bytes.TrimLeft(body[at:], " \t\r\n")
			return refuseJSON("trailing_data", len(body)-len(rest), "something follows the JSON value")
		}
	}
}

// next skips blanks and returns the next character.
func (r *jsonReader) next() byte {
	for r.body[r.at] == ' ' || r.body[r.at] == '\t' || r.body[r.at] == '\r' || r.body[r.at] == '\n' {
		r.at++
	}
	return r.body[r.at]
}

// value reads a value inside depth others.
func (r *jsonReader) value(depth int) (any, *problem) {
	switch c := r.next(); {
	case c == '"':
		return r.text()
	case (c == '{' || c == '[') && depth == maxDepth:
		return nil, refuseJSON("too_deep", r.at, "nested too deep")
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	}
	rest := r.body[r.at:]
	if end := bytes.IndexAny(rest, ",]} \t\r\n"); end >= 0 {
		rest = rest[:end]
	}
	r.at += len(rest)
	switch string(rest) {
	case "true", "false":
		return len(rest) == len("true"), nil
	case "null":
		return nil, nil
	}
	return json.Number(rest), nil
}

// object reads an object inside depth others.
func (r *jsonReader) object(depth int) (object, *problem) {
	fields := make(object)
	for r.at++; r.next() != '}'; {
		if r.body[r.at] == ',' {
			r.at++
			r.next()
		}
		start := r.at
		name, p := r.text()
		if p != nil {
			return nil, p
		}
		if _, ok := fields[name]; ok {
			return nil, duplicate(name, start)
		}
		r.next() // a colon
		r.at++
		if fields[name], p = r.value(depth + 1); p != nil {
			return nil, p
		}
	}
	r.at++
	return fields, nil
}

// array reads an array inside depth others.
func (r *jsonReader) array(depth int) ([]any, *problem) {
	list := []any{}
	for r.at++; r.next() != ']'; {
		if r.body[r.at] == ',' {
			r.at++
		}
		value, p := r.value(depth + 1)
		if p != nil {
			return nil, p
		}
		list = append(list, value)
		pace.Step(len(list))
	}
	r.at++
	return list, nil
}

// text reads a string. It refuses half of a surrogate pair, which encoding/json replaces.
func (r *jsonReader) text() (string, *problem) {
	start := r.at
	escaped := false
	for r.at++; r.body[r.at] != '"'; r.at++ {
		if r.body[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	raw := r.body[start:r.at]
	if !escaped {
		return string(raw[1 : len(raw)-1]), nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", refuseJSON("syntax", start, "unexpected character")
	}
	written := strings.ToLower(string(raw))
	if strings.Count(text, "\ufffd") > strings.Count(written, "\ufffd")+strings.Count(written, `\ufffd`) {
		return "", refuseJSON("invalid_unicode", start, "half a surrogate pair")
	}
	return text, nil
}

// refuseJSON returns the problem of a body. The detail never quotes the input.
func refuseJSON(reason string, at int, what string) *problem {
	return &problem{Code: invalidJSON, Reason: reason, Detail: fmt.Sprintf("The JSON is refused at byte %d: %s.", at, what)}
}

// duplicate returns the problem of a second field of a name.
func duplicate(name string, at int) *problem {
	if !slices.Contains(fieldNames, name) {
		return refuseJSON("duplicate_key", at, "a field a second time")
	}
	p := refuseJSON("duplicate_key", at, "the field "+name+" a second time")
	p.Field = name
	return p
}

// jsonType returns the name of the JSON type of a value.
func jsonType(value any) string {
	switch value.(type) {
	case object:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	}
	return "number"
}

func article(noun string) string {
	switch noun {
	case "null":
		return noun
	case "array", "object":
		return "an " + noun
	}
	return "a " + noun
}
