package httpapi

import "unicode/utf8"

// A screenRequest is the body of POST /api/v1/screen.
type screenRequest struct {
	Address string `json:"address"`
	Chain   string `json:"chain"`
	receipt bool
}

// readScreenRequest reads the body of a screen request, or returns its problem.
func readScreenRequest(body []byte) (screenRequest, *problem) {
	address, chain, receipt := field{name: "address"}, field{name: "chain"}, field{name: "receipt"}
	if p := readObject(body, &address, &chain, &receipt); p != nil {
		return screenRequest{}, p
	}
	if p := wantStrings(&address, &chain); p != nil {
		return screenRequest{}, p
	}
	switch receipt.kind {
	case 0, 't', 'f':
		return screenRequest{address.text, chain.text, receipt.kind == 't'}, nil
	}
	return screenRequest{}, &problem{Code: invalidType, Field: receipt.name, Reason: jsonType(receipt.kind),
		Detail: "The field receipt is not a boolean, but " + article(jsonType(receipt.kind)) + "."}
}

// readObject reads a body that is one JSON object with the wanted fields, or returns
// its problem.
//
// It is stricter than encoding/json, which would accept bodies that a proxy or a log
// may read otherwise: field names are case-sensitive, none occurs twice in an object,
// the text is valid UTF-8, escapes are valid UTF-16, and nothing follows. Other
// fields are ignored.
func readObject(body []byte, wanted ...*field) *problem {
	return new(jsonReader).read(body, wanted...)
}

// read is readObject for fields with elements, which r reads.
func (r *jsonReader) read(body []byte, wanted ...*field) *problem {
	r.data = string(body)
	if len(body) == 0 {
		return &problem{Code: invalidJSON, Reason: "empty", Detail: "There is no body."}
	}
	if !utf8.Valid(body) {
		return &problem{Code: invalidJSON, Reason: "invalid_unicode", Detail: "The body is not valid UTF-8."}
	}
	r.blanks()
	kind := r.peek()
	if kind == '{' {
		r.object(0, wanted...)
	} else {
		r.value(0)
	}
	r.blanks()
	if r.bad == nil && r.at < len(r.data) {
		r.fail("trailing_data", "something follows the JSON value")
	}
	if r.bad == nil && kind != '{' {
		r.bad = &problem{Code: invalidType, Reason: jsonType(kind), Detail: "The body is not a JSON object, but " + article(jsonType(kind)) + "."}
	}
	return r.bad
}

// wantStrings returns the problem of fields that are absent or not strings.
func wantStrings(fields ...*field) *problem {
	for _, f := range fields {
		if f.kind == 0 {
			return &problem{Code: missingField, Field: f.name, Reason: "absent", Detail: "The field " + f.name + " is required."}
		}
	}
	for _, f := range fields {
		if f.kind != '"' {
			return &problem{Code: invalidType, Field: f.name, Reason: jsonType(f.kind), Detail: "The field " + f.name + " is not a string, but " + article(jsonType(f.kind)) + "."}
		}
	}
	return nil
}

// jsonType returns the name of the JSON type whose values begin with c.
func jsonType(c byte) string {
	switch c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
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
