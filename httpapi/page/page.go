// Package page serves one web page for people who screen wallet addresses: they
// paste an address or many, or drop a CSV file, and read the verdict, its evidence
// and the age of every list. [New] returns the handler.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html"
	"net/http"
	"net/url"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/address"
)

//go:embed page.html page
var files embed.FS

// policy is the Content-Security-Policy of the page. Scripts, styles and images are
// files of the handler, requests go to the server of the page, and no string can
// become markup or code.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// An asset is a file as it is sent.
type asset struct {
	data, packed []byte // packed: with gzip
	media        string // the Content-Type
	tag          string // the ETag, without its quotes
}

// New returns a handler for the page and its files. It knows a file by the end of
// the path, so it can be mounted under any prefix, with or without
// [http.StripPrefix]. It answers ".../" with the page, ".../page/" and a name with a
// file, and everything else with 404.
//
// The page calls the API of package httpapi at api/v1/ relative to its own URL, so
// mount both under one prefix:
//
//	mux.Handle("/api/", httpapi.NewHandler(screener, authorizer, nil))
//	mux.Handle("/{$}", page.New())
//	mux.Handle("/page/", page.New())
//
// The page needs no API key of its own. If the API asks for one, a person types it
// or opens the page with #key=KEY at the end of the URL. The page removes the key
// from the address bar and keeps it in memory only.
func New() http.Handler {
	all := assets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, all) })
}

// assets returns the page and its files by the end of their paths. It compresses them once.
var assets = sync.OnceValue(func() map[string]asset {
	assets := make(map[string]asset)
	text, _ := files.ReadFile("page.html") // embedded: reading cannot fail
	assets[""] = newAsset("page.html", bytes.Replace(text, []byte("<!--chains-->"), chains(), 1))
	entries, _ := files.ReadDir("page")
	for _, e := range entries {
		text, _ := files.ReadFile("page/" + e.Name())
		assets["page/"+e.Name()] = newAsset(e.Name(), text)
	}
	return assets
})

// media has the Content-Type of each kind of file, because the table that package
// mime reads differs between systems.
var media = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

func newAsset(name string, data []byte) asset {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a bytes.Buffer takes every write
	z.Write(data)
	z.Close()
	sum := sha256.Sum256(data)
	return asset{data, packed.Bytes(), media[path.Ext(name)], hex.EncodeToString(sum[:16])}
}

// chains returns an option element for each supported chain.
func chains() []byte {
	var b bytes.Buffer
	for _, c := range address.Chains() {
		b.WriteString(`<option value="` + html.EscapeString(string(c)) + `">` + html.EscapeString(c.Name()) + "</option>")
	}
	return b.Bytes()
}

func serve(w http.ResponseWriter, r *http.Request, assets map[string]asset) {
	runtime.Gosched() // a connection with many requests in its buffer must not delay others
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	a, ok := assets[fileName(r.URL.Path)]
	switch {
	case !ok:
		http.Error(w, "not found", http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed: use GET", http.StatusMethodNotAllowed)
		return
	case r.URL.Path == "":
		// The mount point without its slash, behind http.StripPrefix. Relative URLs of
		// the page need the slash. The target is relative, so that no request can
		// choose another host.
		if at, _, _ := strings.Cut(r.RequestURI, "?"); at != "" && !strings.HasSuffix(at, "/") {
			header.Set("Location", "./"+url.PathEscape(path.Base(at))+"/")
			w.WriteHeader(http.StatusMovedPermanently)
			return
		}
	}
	header.Set("Cache-Control", "no-cache") // always one version of page, styles and scripts
	header.Set("Content-Type", a.media)
	header.Set("Vary", "Accept-Encoding")
	data, tag := a.data, a.tag
	if accepted := r.Header.Get("Accept-Encoding"); strings.Contains(accepted, "gzip") && !strings.Contains(accepted, "gzip;q=0") {
		header.Set("Content-Encoding", "gzip")
		data, tag = a.packed, tag+"-gzip"
	}
	header.Set("Etag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
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
