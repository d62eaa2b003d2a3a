// Package docs serves the documentation of the API of package httpapi as a page, with
// search, copy buttons and a form to try each call. The page is Swagger UI, which this
// package contains. [New] returns its handler.
package docs

import (
	"embed"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/walletscreen/walletscreen/httpapi/internal/static"
)

//go:embed docs.html docs.css docs.js icon.svg swagger-ui
var files embed.FS

// policy is the Content-Security-Policy of the page. Scripts and styles are files of the
// handler, and requests go to the server of the page. Swagger UI makes markup of the
// descriptions in two steps: dompurify cleans it, and default, in docs.js, lets only some
// elements pass.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default dompurify"

// New returns a handler for the page and its files. It knows a file by the end of the
// path, so it can be mounted under any prefix: it answers ".../docs" with the page,
// ".../docs/" and a name with a file, and everything else with 404. The page shows the
// document at openapi.yaml beside it, which package httpapi serves, so mount both under one
// prefix:
//
//	mux.Handle("/", httpapi.NewHandler(screener, authorizer, &httpapi.Options{Prefix: "/"}))
//	mux.Handle("/docs", docs.New())
//	mux.Handle("/docs/", docs.New())
//
// The page
// keeps the API key that a person enters in memory only.
func New() http.Handler {
	all := assets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dir, name := path.Split(r.URL.Path)
		if name == "docs" {
			name = "docs.html"
		} else if !strings.HasSuffix(dir, "/docs/") || name == "docs.html" {
			name = ""
		}
		all.Serve(w, r, name, policy)
	})
}

// assets returns the page and its files by their names.
var assets = sync.OnceValue(func() static.Files {
	all := make(static.Files)
	for _, dir := range []string{".", "swagger-ui"} {
		entries, _ := files.ReadDir(dir) // embedded: reading cannot fail
		for _, e := range entries {
			if text, err := files.ReadFile(path.Join(dir, e.Name())); err == nil { // not a directory
				all[e.Name()] = static.NewFile(e.Name(), text)
			}
		}
	}
	return all
})
