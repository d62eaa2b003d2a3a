package main

import (
	"bytes"
	"html"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
)

// served returns the file that httpapi serves at a path.
func served(path string) []byte {
	w := httptest.NewRecorder()
	httpapi.NewHandler(nil, nil, nil).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Body.Bytes()
}

// TestPage checks that the page is up to date with the document.
func TestPage(t *testing.T) {
	want, err := render(served("/openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(served("/docs"), want) {
		t.Error("httpapi/docs.html is not up to date: run go generate ./httpapi")
	}
}

// TestPageHasAll checks that every schema, member, header, status and code of
// the document is on the page, and that every link within the page has a
// target.
func TestPageHasAll(t *testing.T) {
	text := served("/openapi.yaml")
	doc, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := render(text)
	if err != nil {
		t.Fatal(err)
	}
	all := html.UnescapeString(string(out))
	var want []string
	for name, s := range doc.Get("components", "schemas").Members() {
		code := s.Get("properties", "code", "const")
		if !code.Exists() {
			want = append(want, `id="schema-`+name+`"`)
		} else {
			want = append(want, `id="`+code.Text()+`"`)
		}
		for property := range s.Get("properties").Members() {
			want = append(want, "<code>"+property+"</code>")
		}
		for _, one := range s.Get("oneOf").Items() {
			if c := one.Get("const"); c.Exists() {
				want = append(want, "<code>"+c.Text()+"</code>")
			}
		}
	}
	for id := range doc.Get("components", "headers").Members() {
		want = append(want, `id="header-`+id+`"`)
	}
	for path, item := range doc.Get("paths").Members() {
		want = append(want, "{base_url}</span>"+path)
		for _, op := range item.Members() {
			for status := range op.Get("responses").Members() {
				want = append(want, ">"+status+"</b>")
			}
		}
	}
	for _, chain := range doc.Get("components", "schemas", "ChainSlug", "x-extensible-enum").Items() {
		want = append(want, "<li><code>"+chain.Text()+"</code>")
	}
	if len(want) < 250 {
		t.Errorf("only %d things are looked for", len(want))
	}
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("%s is not on the page", w)
		}
	}
	for _, m := range regexp.MustCompile(`class="type">(Type: )?(,| or|<).*`).FindAllString(string(out), -1) {
		if !strings.Contains(m, "<a href") {
			t.Errorf("a type begins with nothing: %s", m)
		}
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(all, -1) {
		id, within := strings.CutPrefix(m[1], "#")
		switch {
		case within && strings.Count(all, `id="`+id+`"`) != 1:
			t.Errorf("%s leads to %d places", m[1], strings.Count(all, `id="`+id+`"`))
		case !within && m[1] != "openapi.yaml" && !strings.HasPrefix(m[1], "data:"):
			t.Errorf("the page refers to %s", m[1])
		}
	}
}
