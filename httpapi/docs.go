package httpapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
	"sync"
)

// The description of the interface, by hand, and the page that is made of it.
//
//go:generate go -C ../internal/contract/mkdocs run .
var (
	//go:embed openapi.yaml
	openAPI []byte
	//go:embed docs.html
	docs []byte
)

// A document is a text that is the same for everybody.
type document struct {
	text   []byte
	media  string // the type
	policy string // the Content-Security-Policy
	tag    string // the entity-tag
}

// documents returns the documents by their routes.
var documents = sync.OnceValue(func() map[route]*document {
	const nothing = "default-src 'none'; frame-ancestors 'none'"
	all := map[route]*document{
		openAPIPath: {text: openAPI, media: "application/yaml", policy: nothing},
		docsPath: {text: docs, media: "text/html; charset=utf-8",
			policy: nothing + "; base-uri 'none'; form-action 'none'; img-src data:; style-src '" + hashSource(docs, "style") + "'"},
	}
	for _, d := range all {
		d.tag = etag(d.text)
	}
	return all
})

// hashSource returns what allows the content of the one element of page by its
// hash, and nothing else, in a Content-Security-Policy.
func hashSource(page []byte, element string) string {
	_, content, _ := strings.Cut(string(page), "<"+element+">")
	content, _, _ = strings.Cut(content, "</"+element+">")
	hash := sha256.Sum256([]byte(content))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// document returns the text of d, or nil if the caller has it already, or the
// problem of one who wants another.
func (e *exchange) document(d *document) ([]byte, *problem) {
	if p := e.compareTag(d.tag); p != nil {
		return nil, p
	}
	e.setHeader("Cache-Control", "public, max-age=300")
	e.setHeader("Content-Security-Policy", d.policy)
	e.setHeader("Cross-Origin-Opener-Policy", "same-origin")
	e.setHeader("Etag", d.tag)
	e.setHeader("Referrer-Policy", "no-referrer")
	if e.unchanged {
		return nil, nil
	}
	e.media = d.media
	return d.text, nil
}
