package httpapi

import (
	_ "embed"
	"sync"

	"github.com/walletscreen/walletscreen/httpapi/internal/static"
)

// openAPIText is the description of the interface, which is written by hand.
//
//go:embed openapi.yaml
var openAPIText []byte

var openAPIFile = sync.OnceValue(func() *static.File { return static.NewFile("openapi.yaml", openAPIText) })

// openAPI answers a GET to /openapi.yaml.
func (e *exchange) openAPI() ([]byte, *problem) {
	text, tag, coding := openAPIFile().Coded(e.Header)
	if p := e.compareTag(tag); p != nil {
		return nil, p
	}
	e.w.Header().Add("Vary", "Accept-Encoding")
	e.setHeader("Cache-Control", "public, max-age=300")
	e.setHeader("Cross-Origin-Opener-Policy", "same-origin")
	e.setHeader("Etag", tag)
	e.setHeader("Referrer-Policy", "no-referrer")
	if e.unchanged {
		return nil, nil
	}
	if coding != "" {
		e.setHeader("Content-Encoding", coding)
	}
	e.media = "application/yaml"
	return text, nil
}
