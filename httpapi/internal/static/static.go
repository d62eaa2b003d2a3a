// Package static serves the files of a page, embedded and compressed once, with a
// Content-Security-Policy.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Files are the files of a page by their names, as Serve is given them.
type Files map[string]*File

// A File is a file as it is sent.
type File struct {
	data, packed []byte // packed: with gzip
	media        string // the Content-Type
	tag          string // the ETag, without its quotes
}

// media has the Content-Type of each kind of file, because the table that package
// mime reads differs between systems.
var media = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// NewFile returns a file. The extension of its name gives the Content-Type.
func NewFile(name string, data []byte) *File {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a bytes.Buffer takes every write
	z.Write(data)
	z.Close()
	sum := sha256.Sum256(data)
	return &File{data, packed.Bytes(), media[path.Ext(name)], hex.EncodeToString(sum[:16])}
}

// Coded returns the file in the Content-Encoding that suits a request, with its ETag.
func (f *File) Coded(request http.Header) (data []byte, tag, coding string) {
	if acceptsGzip(request["Accept-Encoding"]) {
		return f.packed, `"` + f.tag + `-gzip"`, "gzip"
	}
	return f.data, `"` + f.tag + `"`, ""
}

// acceptsGzip reports whether the lines of an Accept-Encoding give gzip, or else *, a weight above
// zero (RFC 9110, section 12.5.3).
func acceptsGzip(lines []string) bool {
	accepts := false
	for part := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		coding, params, _ := strings.Cut(part, ";")
		coding = strings.ToLower(strings.TrimSpace(coding))
		weight := 1.0
		if name, value, ok := strings.Cut(params, "="); ok && strings.EqualFold(strings.TrimSpace(name), "q") {
			weight, _ = strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
		switch coding {
		case "gzip", "x-gzip":
			return weight > 0
		case "*":
			accepts = weight > 0
		}
	}
	return accepts
}

// Serve answers a request with the named file, or with 404 if there is none.
func (f Files) Serve(w http.ResponseWriter, r *http.Request, name, policy string) {
	runtime.Gosched() // a connection with many requests in its buffer must not delay others
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	a, ok := f[name]
	switch {
	case !ok:
		http.Error(w, "not found", http.StatusNotFound)
		return
	case r.Method == http.MethodOptions:
		header.Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		header.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "method not allowed: use GET", http.StatusMethodNotAllowed)
		return
	}
	header.Set("Cache-Control", "no-cache") // always one version of page, styles and scripts
	header.Set("Content-Type", a.media)
	header.Set("Vary", "Accept-Encoding")
	data, tag, coding := a.Coded(r.Header)
	if coding != "" {
		header.Set("Content-Encoding", coding)
	}
	header.Set("Etag", tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
