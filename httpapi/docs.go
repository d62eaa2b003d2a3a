package httpapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
	"sync"
)

// The description of the interface, which is written by hand, and the page that is
// generated from it.
//
//go:generate go -C ../internal/contract/mkdocs run .
var (
	//go:embed openapi.yaml
	openAPIText []byte
	//go:embed docs.html
	docsText []byte
)

// A document is a text that is equal for all clients.
type document struct {
	text   []byte
	media  string // the type
	policy string // the Content-Security-Policy
	tag    string // the entity-tag
}

const noContent = "default-src 'none'; frame-ancestors 'none'"

var openAPIDocument = sync.OnceValue(func() *document {
	return &document{text: openAPIText, media: "application/yaml", policy: noContent, tag: etag(openAPIText)}
})

var docsDocument = sync.OnceValue(func() *document {
	return &document{
		text: docsText, media: "text/html; charset=utf-8", tag: etag(docsText),
		policy: noContent + "; base-uri 'none'; form-action 'none'; img-src data:; connect-src 'self'; style-src '" + hashSource(docsText, "style") + "'; script-src '" + hashSource(docsText, "script") + "'",
	}
})

// hashSource returns the source expression of a Content-Security-Policy that allows
// the content of the only element of that name in page, by its hash.
func hashSource(page []byte, element string) string {
	_, content, _ := strings.Cut(string(page), "<"+element+">")
	content, _, _ = strings.Cut(content, "</"+element+">")
	hash := sha256.Sum256([]byte(content))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// openAPI answers a GET to /openapi.yaml.
func (e *exchange) openAPI() ([]byte, *problem) { return e.document(openAPIDocument()) }

// docs answers a GET to /docs.
func (e *exchange) docs() ([]byte, *problem) { return e.document(docsDocument()) }

// document returns the text of d, or nil if the client has it already, or the problem
// of a client that wants another version.
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
