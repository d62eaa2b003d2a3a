package httpapi

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"net/http"
	"strings"
	"sync"
)

// openAPIText is the description of the interface, which is written by hand.
//
//go:embed openapi.yaml
var openAPIText []byte

var openAPITag = sync.OnceValue(func() string { return etag(openAPIText) })

// openAPIPacked returns openAPIText with gzip, a sixth of its size.
var openAPIPacked = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed) // a bytes.Buffer takes every write
	z.Write(openAPIText)
	z.Close()
	return packed.Bytes()
})

// openAPI answers a GET to /openapi.yaml.
func (e *exchange) openAPI() ([]byte, *problem) {
	text, tag := openAPIText, openAPITag()
	accepted := e.Header.Get("Accept-Encoding")
	packed := strings.Contains(accepted, "gzip") && !strings.Contains(accepted, "gzip;q=0")
	if packed {
		text, tag = openAPIPacked(), strings.TrimSuffix(tag, `"`)+`-gzip"`
	}
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
	if packed {
		e.setHeader("Content-Encoding", "gzip")
	}
	e.media = "application/yaml"
	return text, nil
}

// docsRoute is the route of /docs and the paths below it, if Options.Docs is set.
var docsRoute = route{path: "/docs", method: http.MethodGet, answer: (*exchange).docs}

// docs lets Options.Docs answer.
func (e *exchange) docs() ([]byte, *problem) {
	e.page = e.Docs
	return nil, nil
}

// servePage lets a handler of a page answer, and returns the status.
func (e *exchange) servePage() int {
	w := &statusWriter{ResponseWriter: e.w, status: http.StatusOK}
	e.page.ServeHTTP(w, e.Request)
	return w.status
}

// A statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
