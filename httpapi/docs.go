package httpapi

import (
	_ "embed"
	"net/http"
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

// docsRoute is the route of /docs and the paths below it, if Options.Docs is set.
var docsRoute = route{path: "/docs", method: http.MethodGet, answer: (*exchange).docs}

// docs lets Options.Docs answer.
func (e *exchange) docs() ([]byte, *problem) {
	e.page = e.Docs
	return nil, nil
}

// servePage lets a handler of a page answer, and returns the status and the code of a problem.
func (e *exchange) servePage() (int, code) {
	w := &statusWriter{ResponseWriter: e.w, status: http.StatusOK}
	e.page.ServeHTTP(w, e.Request)
	if !w.isProblem() {
		return w.status, ""
	}
	e.page = nil
	for _, name := range [...]string{"Cache-Control", "Content-Encoding", "Content-Type", "Etag", "Vary"} { // of the file
		e.w.Header().Del(name)
	}
	if w.status == http.StatusNotFound {
		return e.write(e.nothing())
	}
	return e.write(nil, changedTag())
}

// A statusWriter records the status of a response, and leaves it to the API to write a 404 or a
// 412.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) isProblem() bool {
	return w.status == http.StatusNotFound || w.status == http.StatusPreconditionFailed
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status = status; !w.isProblem() {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.isProblem() {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}
