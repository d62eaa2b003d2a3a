// Mkdocs generates httpapi/docs.html, the page at /docs, from httpapi/openapi.yaml:
//
//	go generate ./httpapi
//
// The page contains the whole document. It loads nothing else: its style and the
// script of its forms are inline. Without the script it lacks only the forms.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"

	"github.com/walletscreen/walletscreen/address"
)

// The two files, relative to the directory of this program.
const (
	openAPI = "../../../httpapi/openapi.yaml"
	page    = "../../../httpapi/docs.html"
)

var (
	//go:embed page.tmpl
	pageTemplate string
	//go:embed style.css
	style string
	//go:embed try.js
	script string
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mkdocs: ")
	text, err := os.ReadFile(openAPI)
	if err != nil {
		log.Fatal(err)
	}
	out, err := render(text)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(page, out, 0o666); err != nil {
		log.Fatal(err)
	}
}

// render returns the page for a document.
func render(text []byte) ([]byte, error) {
	doc, err := parse(text)
	if err != nil {
		return nil, err
	}
	d := &description{Doc: doc, anchors: map[string]string{}, shown: map[string]bool{}}
	for name := range doc.Get("components", "schemas").Members() {
		d.anchors[name] = "schema-" + name
	}
	for _, p := range d.Problems() {
		d.anchors[p.Code] = p.Code
	}
	for _, h := range d.Headers() {
		d.anchors[h.Name] = "header-" + h.ID
	}
	t, err := template.New("page").Funcs(template.FuncMap{"md": d.markdown, "line": d.line}).Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, d); err != nil {
		return nil, err
	}
	return blankLines.ReplaceAll(bytes.TrimLeft(b.Bytes(), "\n"), []byte("\n")), nil
}

// blankLines matches the blank lines that template actions leave behind. No example
// contains one.
var blankLines = regexp.MustCompile(`\n\s*\n`)

// A description is the data of the template.
type description struct {
	Doc     node
	anchors map[string]string // the ids of what can be linked to, by their names
	shown   map[string]bool   // the schemas that were shown
}

// Script returns the script of the page.
func (d *description) Script() template.JS { return template.JS("\n" + script) }

// Style returns the style of the page.
func (d *description) Style() template.CSS { return template.CSS("\n" + style) }

// inlineCode is a code span in HTML.
var inlineCode = regexp.MustCompile(`<code>([^<>]+)</code>`)

// markdown converts text to HTML. The names of schemas, problems and headers become
// links.
func (d *description) markdown(text string) (template.HTML, error) {
	var b bytes.Buffer
	if err := goldmark.Convert([]byte(text), &b); err != nil {
		return "", err
	}
	linked := inlineCode.ReplaceAllStringFunc(b.String(), func(code string) string {
		if id := d.anchors[inlineCode.FindStringSubmatch(code)[1]]; id != "" {
			return `<a href="#` + id + `">` + code + `</a>`
		}
		return code
	})
	return template.HTML(linked), nil
}

// line converts one paragraph to HTML, without the enclosing element.
func (d *description) line(text string) (template.HTML, error) {
	html, err := d.markdown(text)
	html = template.HTML(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(html)), "<p>"), "</p>"))
	if err == nil && strings.Contains(string(html), "<p>") {
		err = fmt.Errorf("more than one paragraph: %s", text)
	}
	return html, err
}

// An operation is one method of one path.
type operation struct {
	node
	Method, Path string
}

// Operations returns the operations that callers use, without HEAD and OPTIONS.
func (d *description) Operations() (all []operation) {
	for path, item := range d.Doc.Get("paths").Members() {
		for method, op := range item.Members() {
			if method == "get" || method == "post" {
				all = append(all, operation{op, strings.ToUpper(method), path})
			}
		}
	}
	return all
}

// Others returns the other operations of the path.
func (o operation) Others() (all []operation) {
	for method, op := range o.at("paths", o.Path).Members() {
		if op.Get("operationId").Exists() && strings.ToUpper(method) != o.Method {
			all = append(all, operation{op, strings.ToUpper(method), o.Path})
		}
	}
	return all
}

// First returns the first item of an array, which may be a reference.
func (n node) First() node { return n.member("0") }

// at returns the value at a path from the root of the document.
func (n node) at(path ...string) node { return node{n.root, n.root}.Get(path...) }

// Free reports whether the operation needs no key.
func (o operation) Free() bool { s := o.Get("security"); return s.Exists() && len(s.Items()) == 0 }

// Parameters returns the parameters of the operation.
func (o operation) Parameters() (all []node) {
	for _, p := range o.Get("parameters").Items() {
		all = append(all, p.target())
	}
	return all
}

// Body returns the schema of the request's body, as a reference.
func (o operation) Body() node {
	return o.Get("requestBody", "content", "application/json").member("schema")
}

// ID returns the id of the operation.
func (o operation) ID() string { return o.Get("operationId").Text() }

// TryBody returns the initial body in the form of the operation, or "".
func (o operation) TryBody() (string, error) {
	all := o.RequestExamples()
	if len(all) == 0 {
		return "", nil
	}
	return all[0].Value.compact()
}

// Curl returns a curl command that calls the operation with the first example.
func (o operation) Curl() (string, error) {
	const next = " \\\n  "
	b := `curl -sS "$BASE_URL` + o.Path + `"`
	if !o.Free() {
		b += next + `-H "Authorization: Bearer $API_KEY"`
	}
	if all := o.RequestExamples(); len(all) > 0 {
		body, err := all[0].Value.compact()
		if err != nil {
			return "", err
		}
		if strings.Contains(body, "'") {
			return "", fmt.Errorf("%s: the shell would not take the example", o.Path)
		}
		b += next + "-H 'Content-Type: application/json'" + next + "-d '" + body + "'"
	}
	return b, nil
}

// An example is the example of a body.
type example struct {
	Name, Summary string
	Value         node
}

func examples(content node) (all []example) {
	for name, x := range content.Get("examples").Members() {
		x = x.target()
		all = append(all, example{name, x.Get("summary").Text(), x.Get("value")})
	}
	return all
}

// RequestExamples returns the examples of the request's body.
func (o operation) RequestExamples() []example {
	return examples(o.Get("requestBody", "content", "application/json"))
}

// An answer is one possible response to an operation.
type answer struct {
	node
	Status int
}

// Text returns the status in words.
func (a answer) Text() string { return http.StatusText(a.Status) }

// Answers returns the possible responses to the operation.
func (o operation) Answers() (all []answer, err error) {
	for status, a := range o.Get("responses").Members() {
		n, err := strconv.Atoi(status)
		if err != nil {
			return nil, err
		}
		all = append(all, answer{a.target(), n})
	}
	return all, nil
}

// OK reports whether the response is a success with a body.
func (a answer) OK() bool { return a.Status == 200 }

// Schema returns the schema of a JSON response, as a reference.
func (a answer) Schema() node { return a.Get("content", "application/json").member("schema") }

// Type returns the media type of the response.
func (a answer) Type() string {
	for media := range a.Get("content").Members() {
		return media
	}
	return ""
}

// Examples returns the examples of a JSON response.
func (a answer) Examples() []example { return examples(a.Get("content", "application/json")) }

// Problems returns the codes of the problems that the response may contain.
func (a answer) Problems() (codes []string) {
	schema := a.Get("content", "application/problem+json").member("schema")
	for _, s := range append(schema.Get("oneOf").Items(), schema) {
		if code := s.target().Get("properties", "code", "const"); code.Exists() {
			codes = append(codes, code.Text())
		}
	}
	return codes
}

// A header is a header of a response.
type header struct {
	node
	Name, ID string
}

// HeadersOf returns the headers of a response.
func HeadersOf(a node) (all []header) {
	for name, h := range a.Get("headers").Members() {
		all = append(all, header{h.target(), name, h.Name()})
	}
	return all
}

// Headers returns the headers of the response.
func (a answer) Headers() []header { return HeadersOf(a.node) }

// Headers returns the headers of all responses, in the order of their components.
func (d *description) Headers() (all []header) {
	names := map[string]string{}
	note := func(a node) {
		for _, h := range HeadersOf(a) {
			names[h.ID] = h.Name
		}
	}
	for _, o := range d.Operations() {
		for _, a := range o.Get("responses").Members() {
			note(a.target())
		}
	}
	for id, h := range d.Doc.Get("components", "headers").Members() {
		if names[id] != "" {
			all = append(all, header{h, names[id], id})
		}
	}
	return all
}

// A problem is the schema of a problem.
type problem struct {
	node
	Code, Status string
	Examples     []example
}

// Problems returns the problems, in the order of their schemas.
func (d *description) Problems() (all []problem) {
	for _, s := range d.Doc.Get("components", "schemas").Members() {
		code := s.Get("properties", "code", "const")
		if !code.Exists() {
			continue
		}
		p := problem{node: s, Code: code.Text(), Status: s.Get("properties", "status", "const").Text()}
		for name, x := range d.Doc.Get("components", "examples").Members() {
			if x.Get("value", "code").Text() == p.Code {
				p.Examples = append(p.Examples, example{name, x.Get("summary").Text(), x.Get("value")})
			}
		}
		all = append(all, p)
	}
	return all
}

// Reasons returns the values of reason and their meanings.
func (p problem) Reasons() []node {
	reason := p.Get("properties", "reason")
	if reason.Get("const").Exists() {
		return []node{reason}
	}
	return reason.Get("oneOf").Items()
}

// Enum returns the values of an enumeration without meanings.
func (n node) Enum() (values []string) {
	for _, item := range n.Get("enum").Items() {
		values = append(values, item.Text())
	}
	return values
}

// A schema is a schema with its name.
type schema struct {
	node
	Name string
}

// ID returns the anchor of the schema.
func (s schema) ID() string { return "schema-" + s.Name }

// Choices returns the values of an enumeration with meanings.
func (s schema) Choices() []node {
	if s.Get("oneOf", "0", "const").Exists() {
		return s.Get("oneOf").Items()
	}
	return nil
}

// Schemas returns the schema that ref refers to and the schemas that it needs,
// except those already returned: the page shows each once, where it is first needed.
func (d *description) Schemas(ref node) (all []schema) {
	name := ref.Name()
	if name != "" && name != "ChainSlug" { // which has a section of its own
		if d.shown[name] {
			return nil
		}
		d.shown[name] = true
		all = append(all, schema{d.Doc.Get("components", "schemas", name), name})
		ref = all[0].node
	}
	for _, child := range []string{"items", "additionalProperties", "propertyNames"} {
		if c := ref.member(child); c.Exists() {
			all = append(all, d.Schemas(c)...)
		}
	}
	for _, property := range ref.Get("properties").Members() {
		all = append(all, d.Schemas(property)...)
	}
	for _, choice := range ref.Get("oneOf").Items() {
		if choice.Ref() != "" {
			all = append(all, d.Schemas(choice)...)
		}
	}
	return all
}

// A property is a member of an object.
type property struct {
	node
	Name     string
	Required bool
}

// Properties returns the members of the object.
func (s schema) Properties() (all []property) {
	for name, p := range s.Get("properties").Members() {
		all = append(all, property{p, name, s.Get("required").Has(name)})
	}
	return all
}

// Text returns the description of the property, or that of its type.
func (p property) Text() string {
	if text := p.Get("description").Text(); text != "" {
		return text
	}
	return p.target().Get("description").Text()
}

// Type returns the type of n and its bounds, in Markdown.
func (n node) Type() string {
	if name := n.Name(); name != "" {
		return "`" + name + "`"
	}
	var types []string
	for _, choice := range n.Get("oneOf").Items() {
		if choice.Ref() != "" || choice.Get("type").Exists() { // else it is one of the values, or of the cases, of a type
			types = append(types, choice.Type())
		}
	}
	for _, t := range append(n.Get("type").Items(), n.Get("type")) {
		if t.Text() != "" {
			types = append(types, t.Text())
		}
	}
	text := strings.Join(types, " or ")
	switch {
	case slices.Contains(types, "array"):
		text = "array of " + n.member("items").Type()
	case n.Get("additionalProperties").Exists():
		text = "object of " + n.member("additionalProperties").Type() + " by " + n.member("propertyNames").Type()
	}
	low, high := n.Get("minimum"), n.Get("maximum")
	switch {
	case low.Exists() && high.Exists():
		text += ", " + low.Text() + " to " + high.Text()
	case low.Exists():
		text += ", " + low.Text() + " or more"
	}
	if c := n.Get("const"); c.Exists() {
		text += ", `" + c.Text() + "`"
	}
	if f := n.Get("format"); f.Exists() {
		text += ", " + f.Text()
	} else if p := n.Get("pattern"); p.Exists() && len(p.Text()) < 40 { // a longer one tells people nothing
		text += " like `" + p.Text() + "`"
	}
	if n.Get("minLength").Exists() {
		text += ", not empty"
	}
	if values := n.Enum(); len(values) > 0 {
		text += ": `" + strings.Join(values, "`, `") + "`"
	}
	return text
}

// Values returns the examples of a schema.
func (n node) Values() (values []string) {
	for _, item := range n.Get("examples").Items() {
		values = append(values, item.Text())
	}
	return values
}

// Chains returns the chains of the document, with their names for people.
func (d *description) Chains() (all []address.Chain, err error) {
	for _, item := range d.Doc.Get("components", "schemas", "ChainSlug", "x-extensible-enum").Items() {
		c := address.Chain(item.Text())
		if c.Name() == "" {
			return nil, fmt.Errorf("there is no chain %s", item.Text())
		}
		all = append(all, c)
	}
	return all, nil
}
