// Package page serves one web page for people who screen wallet addresses: they
// paste an address or many, or drop a CSV file, and read the verdict, its evidence
// and the age of every list. [New] returns the handler.
package page

import (
	"bytes"
	"embed"
	"html"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi/internal/static"
)

//go:embed page.html page
var files embed.FS

// policy is the Content-Security-Policy of the page. Scripts, styles and images are
// files of the handler, requests go to the server of the page, and no string can
// become markup or code.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// New returns a handler for the page and its files. It knows a file by the end of
// the path, so it can be mounted under any prefix, with or without
// [http.StripPrefix]. It answers ".../" with the page, ".../page/" and a name with a
// file, and everything else with 404.
//
// The page calls the API of package httpapi at api/v1/ relative to its own URL, so
// mount both under one prefix:
//
//	mux.Handle("/", httpapi.NewHandler(screener, authorizer, &httpapi.Options{Prefix: "/"}))
//	mux.Handle("/{$}", page.New())
//	mux.Handle("/page/", page.New())
//
// Its link to the documentation leads to docs beside it, which package docs serves.
//
// The page needs no API key of its own. If the API asks for one, a person types it
// or opens the page with #key=KEY at the end of the URL. The page removes the key
// from the address bar and keeps it in memory only, or for the tab if the person asks.
func New() http.Handler {
	all := assets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "" && addSlash(w, r) {
			return
		}
		all.Serve(w, r, fileName(r.URL.Path), policy)
	})
}

// assets returns the page and its files by the end of their paths.
var assets = sync.OnceValue(func() static.Files {
	all := make(static.Files)
	text, _ := files.ReadFile("page.html") // embedded: reading cannot fail
	all[""] = static.NewFile("page.html", bytes.Replace(text, []byte("<!--chains-->"), chains(), 1))
	entries, _ := files.ReadDir("page")
	for _, e := range entries {
		text, _ := files.ReadFile("page/" + e.Name())
		all["page/"+e.Name()] = static.NewFile(e.Name(), text)
	}
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
	w.Header().Set("Location", "./"+url.PathEscape(path.Base(at))+"/")
	w.WriteHeader(http.StatusMovedPermanently)
	return true
}

// fileName returns the key of the asset that a path asks for: "" for a directory,
// and the path from the last "page/" on for a file of the page.
func fileName(p string) string {
	if p == "" || strings.HasSuffix(p, "/") && !strings.HasSuffix(p, "/page/") {
		return ""
	}
	dir, file := path.Split(p)
	if strings.HasSuffix(dir, "/page/") || dir == "page/" {
		return "page/" + file
	}
	return p
}
