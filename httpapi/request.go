package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"
)

// readBody returns the body of e if it is declared as plain JSON, has at most max bytes and
// arrives in time. It is valid until the buffer of e is used again.
//
// Parameters of the type other than charset have no meaning (RFC 8259) and are ignored.
// Types that end in +json promise a meaning that is not ours.
func (e *exchange) readBody(max int64) ([]byte, *problem) {
	if types := e.Header["Content-Type"]; len(types) != 1 || types[0] != "application/json" && !isJSON(types[0]) {
		return nil, &problem{Code: unsupportedMediaType, Detail: "Send the body as Content-Type: application/json, in UTF-8."}
	}
	for _, codings := range e.Header["Content-Encoding"] {
		for coding := range strings.SplitSeq(codings, ",") { // empty ones mean nothing (RFC 9110, section 5.6.1)
			if coding = strings.Trim(coding, " \t"); coding != "" && !strings.EqualFold(coding, "identity") {
				e.setHeader("Accept-Encoding", "identity")
				return nil, &problem{Code: unsupportedMediaType, Detail: "Send the body without a Content-Encoding."}
			}
		}
	}
	if e.ContentLength > max {
		return nil, tooLarge(max)
	}
	if e.Body == nil { // in a request that no server made
		return nil, nil
	}
	e.buf.Reset()
	if _, err := e.buf.ReadFrom(http.MaxBytesReader(e.w, e.Body, max)); err != nil {
		return nil, e.unread(err, max)
	}
	e.Body.Close() // else net/http looks for its rest once more
	return e.buf.Bytes(), nil
}

func tooLarge(max int64) *problem {
	return &problem{Code: bodyTooLarge, Detail: fmt.Sprintf("The body may have at most %d bytes.", max)}
}

// unread returns the problem for a body that could not be read.
func (e *exchange) unread(err error, max int64) *problem {
	if tooMany := (*http.MaxBytesError)(nil); errors.As(err, &tooMany) {
		return tooLarge(max)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if e.ProtoMajor < 2 { // in HTTP/2 only the stream ends
			e.setHeader("Connection", "close")
		}
		return &problem{Code: requestTimeout, Detail: "The body did not arrive in time."}
	}
	return &problem{Code: invalidJSON, Reason: "truncated", Detail: "The body could not be read to its end."}
}

// isJSON reports whether a Content-Type names JSON in UTF-8.
func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(emptyParameters.ReplaceAllString(contentType, ";"))
	charset, ok := params["charset"]
	return err == nil && media == "application/json" && (!ok || strings.EqualFold(charset, "utf-8"))
}

// emptyParameters are between two parameters of a Content-Type: RFC 9110, section 5.6.6, allows them, and package
// mime does not. They may be a part of a quoted value, which has no meaning here.
var emptyParameters = regexp.MustCompile(`;[ \t;]*`)

// An object is a JSON object. Its values are of type string, [json.Number], bool,
// []any or object, or nil.
type object map[string]any

// fieldTypes have a value of the type of each field of all requests.
var fieldTypes = object{
	"address": "", "after": json.Number(""), "at": "", "chain": "", "id": "",
	"items": []any{}, "receipt": false, "search": "", "source": "",
}

// want returns the problem of the first required field that is absent, or else of the first
// field that is not of its type.
func (o object) want(required, optional []string) *problem {
	for _, name := range required {
		if _, ok := o[name]; !ok {
			return &problem{Code: missingField, Field: name, Reason: "absent", Detail: "The field " + name + " is required."}
		}
	}
	for _, names := range [...][]string{required, optional} {
		for _, name := range names {
			if value, ok := o[name]; ok && reflect.TypeOf(value) != reflect.TypeOf(fieldTypes[name]) {
				return wrongType(name, value)
			}
		}
	}
	return nil
}

func wrongType(name string, value any) *problem {
	want := article(jsonType(fieldTypes[name]))
	if name == "after" {
		want = "a whole number of 0 or more"
	}
	return &problem{Code: invalidType, Field: name, Reason: jsonType(value),
		Detail: "The field " + name + " is not " + want + ", but " + article(jsonType(value)) + "."}
}

// maxDepth is the greatest number of levels to which values may be nested.
const maxDepth = 32

// A jsonReader walks over one JSON value (RFC 8259), which encoding/json has accepted.
type jsonReader struct {
	body, rest string
	outer      object // receives the fields of the object that is not inside another value
}

// at returns the offset of a rest.
func (r *jsonReader) at(rest string) int { return len(r.body) - len(rest) }

// between are the characters between values. encoding/json has checked where they are.
const between = ",: \t\r\n"

// readObject reads the body of e, which must be one JSON object with the fields of its route, into
// e.fields, or returns its problem.
//
// It is stricter than [json.Unmarshal], which would accept bodies that a proxy or a log
// may read otherwise: field names are case-sensitive, none occurs twice in an object,
// the text is valid UTF-8, escapes are valid UTF-16, and nothing follows. Fields that
// nobody asks for are ignored.
func (e *exchange) readObject(body []byte) *problem {
	switch {
	case len(body) == 0:
		return &problem{Code: invalidJSON, Reason: "empty", Detail: "There is no body."}
	case !utf8.Valid(body):
		return &problem{Code: invalidJSON, Reason: "invalid_unicode", Detail: "The body is not valid UTF-8."}
	case !json.Valid(body):
		return syntaxProblem(body)
	}
	if e.fields == nil {
		e.fields = make(object)
	}
	text := string(body)
	r := jsonReader{text, text, e.fields}
	value, p := r.value(0)
	if p != nil {
		return p
	}
	if _, ok := value.(object); !ok {
		return &problem{Code: invalidType, Reason: jsonType(value), Detail: "The body is not a JSON object, but " + article(jsonType(value)) + "."}
	}
	return e.fields.want(e.route.required, e.route.optional)
}

// syntaxProblem returns the problem of a body that is not JSON: the first fault in it.
func syntaxProblem(body []byte) *problem {
	d, where := json.NewDecoder(bytes.NewReader(body)), (*json.SyntaxError)(nil)
	switch err := d.Decode(new(json.RawMessage)); {
	case err == nil:
		rest := bytes.TrimLeft(body[d.InputOffset():], " \t\r\n")
		return refuseJSON("trailing_data", len(body)-len(rest), "something follows the JSON value")
	case errors.As(err, &where):
		return refuseJSON("syntax", int(where.Offset)-1, "unexpected character")
	}
	return refuseJSON("syntax", len(body), "unexpected end")
}

// value reads a value inside depth others.
func (r *jsonReader) value(depth int) (any, *problem) {
	r.rest = strings.TrimLeft(r.rest, between)
	switch c := r.rest[0]; {
	case c == '"':
		return r.text()
	case (c == '{' || c == '[') && depth == maxDepth:
		return nil, refuseJSON("too_deep", r.at(r.rest), "nested too deep")
	case c == '{':
		fields := r.outer
		if depth > 0 {
			fields = make(object)
		}
		for r.rest = strings.TrimLeft(r.rest[1:], between); r.rest[0] != '}'; r.rest = strings.TrimLeft(r.rest, between) {
			start := r.rest
			name, p := r.text()
			if p != nil {
				return nil, p
			}
			if _, ok := fields[name]; ok {
				return nil, duplicate(name, r.at(start))
			}
			if fields[name], p = r.value(depth + 1); p != nil {
				return nil, p
			}
		}
		r.rest = r.rest[1:]
		return fields, nil
	case c == '[':
		list := []any{}
		for r.rest = strings.TrimLeft(r.rest[1:], between); r.rest[0] != ']'; r.rest = strings.TrimLeft(r.rest, between) {
			value, p := r.value(depth + 1)
			if p != nil {
				return nil, p
			}
			if len(list) <= maxBatch { // no more are asked for
				list = append(list, value)
			}
		}
		r.rest = r.rest[1:]
		return list, nil
	}
	word := r.rest
	if end := strings.IndexAny(word, ",]} \t\r\n"); end >= 0 {
		word = word[:end]
	}
	r.rest = r.rest[len(word):]
	switch word {
	case "true", "false":
		return len(word) == len("true"), nil
	case "null":
		return nil, nil
	}
	return json.Number(word), nil
}

// text reads a string. It refuses half of a surrogate pair, which encoding/json replaces.
func (r *jsonReader) text() (string, *problem) {
	end := 1
	for ; r.rest[end] != '"'; end++ {
		if r.rest[end] == '\\' {
			end++
		}
	}
	start, raw := r.rest, r.rest[:end+1]
	r.rest = r.rest[end+1:]
	if !strings.Contains(raw, `\`) {
		return raw[1:end], nil
	}
	var text string
	if err := json.Unmarshal([]byte(raw), &text); err != nil {
		return "", refuseJSON("syntax", r.at(start), "unexpected character")
	}
	written := strings.ToLower(strings.ReplaceAll(raw, `\\`, "")) // an escaped backslash before ufffd makes no escape
	if strings.Count(text, "\ufffd") > strings.Count(written, "\ufffd")+strings.Count(written, `\ufffd`) {
		return "", refuseJSON("invalid_unicode", r.at(start), "half a surrogate pair")
	}
	return text, nil
}

// refuseJSON returns the problem of a body. The detail never quotes the input.
func refuseJSON(reason string, at int, what string) *problem {
	return &problem{Code: invalidJSON, Reason: reason, Detail: fmt.Sprintf("The JSON is refused at byte %d: %s.", at, what)}
}

// duplicate returns the problem of a second field of a name.
func duplicate(name string, at int) *problem {
	if fieldTypes[name] == nil {
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
