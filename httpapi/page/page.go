// Package page serves two web pages: one for people who screen wallet addresses, who
// paste an address or many, or drop a CSV file, and read the verdict, its evidence
// and the age of every list; and the documentation of the API of package httpapi, with
// search and a form to try each call, in Swagger UI. [New] returns the handler.
package page

import (
	"bytes"
	"embed"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi/internal/static"
)

//go:embed page.html page docs
var files embed.FS

// The Content-Security-Policy of the page and of the documentation. Scripts, styles and images are files
// of the handler, and requests go to its server. No string of the page can become markup or code; of the
// documentation, Swagger UI makes markup of the descriptions in two steps: dompurify cleans it, and default,
// in docs.js, lets only some elements pass.
const (
	policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
	pagePolicy = policy + "img-src 'self'; trusted-types 'none'"
	docsPolicy = policy + "img-src 'self' data:; trusted-types default dompurify"
)

// New returns a handler for the pages and their files. It knows a file by the end of
// the path, so it can be mounted under any prefix, with or without
// [http.StripPrefix]. It answers ".../" with the page, ".../docs" with the documentation, ".../page/" or
// ".../docs/" and a name with a file, and everything else with 404.
//
// The page calls the API of package httpapi at api/v1/ relative to its own URL, and the documentation shows
// the document at openapi.yaml beside it, so mount all under one prefix:
//
//	mux.Handle("/", httpapi.NewHandler(screener, authorizer, &httpapi.Options{Prefix: "/"}))
//	pages := page.New()
//	for _, path := range []string{"/{$}", "/page/", "/docs", "/docs/"} {
//		mux.Handle(path, pages)
//	}
//
// The pages need no API key of their own. If the API asks for one, a person types it
// or opens the page with #key=KEY at the end of the URL. The page removes the key
// from the address bar and keeps it in memory only, or for the tab if the person asks; the documentation
// keeps it in memory only.
func New() http.Handler {
	all := assets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "" && addSlash(w, r) {
			return
		}
		name, its := fileName(r.URL.Path), pagePolicy
		if strings.HasPrefix(name, "docs") {
			its = docsPolicy
		}
		all.Serve(w, r, name, its)
	})
}

// assets returns the pages and their files by the end of their paths.
var assets = sync.OnceValue(func() static.Files {
	all := make(static.Files)
	fs.WalkDir(files, ".", func(name string, f fs.DirEntry, _ error) error { // embedded: reading cannot fail
		if text, err := files.ReadFile(name); err == nil { // not a directory
			key := strings.Replace(name, "/swagger-ui/", "/", 1)
			switch name {
			case "page.html":
				key, text = "", bytes.Replace(text, []byte("<!--chains-->"), chains(), 1)
			case "docs/docs.html":
				key = "docs"
			}
			all[key] = static.NewFile(name, text)
		}
		return nil
	})
	return all
})

// chains returns an option element for each supported chain.
func chains() []byte {
	var b bytes.Buffer
	for _, c := range address.Chains() {
		b.WriteString(`<option value="` + html.EscapeString(string(c)) + `">` + html.EscapeString(c.Name()) + "</option>")
	}
	return b.Bytes()
}

// addSlash redirects a request for the mount point without its slash, behind
// [http.StripPrefix], and reports whether it did. Relative URLs of the page need the
// slash. The target is relative, so that no request can choose another host.
func addSlash(w http.ResponseWriter, r *http.Request) bool {
	at, _, _ := strings.Cut(r.RequestURI, "?")
	if at == "" || strings.HasSuffix(at, "/") {
		return false
	}
	w.Header().Set("Location", "./"+path.Base(at)+"/")
	w.WriteHeader(http.StatusMovedPermanently)
	return true
}

// fileName returns the key of the asset that a path asks for: "" for a directory, "docs" for the
// documentation, and the path from the last "page/" or "docs/" on for a file of theirs.
func fileName(p string) string {
	dir, file := path.Split(p)
	base := path.Base(dir)
	switch {
	case base == "page", base == "docs":
		return base + "/" + file
	case file == "", file == "docs":
		return file
	}
	return p
}
