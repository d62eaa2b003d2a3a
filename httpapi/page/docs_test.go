package docs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/docs"
)

func get(path string, encoding string) *httptest.ResponseRecorder {
	r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	r.Header.Set("Accept-Encoding", encoding)
	docs.New().ServeHTTP(w, r)
	return w
}

// TestFiles loads the page and its files below two mount points, and nothing else.
func TestFiles(t *testing.T) {
	page := get("/x/docs", "").Body.String()
	files := regexp.MustCompile(`(?:href|src)="(docs/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(files) != 5 || strings.Contains(page, "<script>") || strings.Contains(page, "<style") || strings.Contains(page, "http") {
		t.Errorf("the page refers to %q", files)
	}
	sent := get("/docs", "gzip").Body.Len()
	for _, f := range files {
		for _, base := range []string{"/", "/a/b/"} {
			w := get(base+f[1], "gzip")
			if w.Code != 200 || w.Header().Get("Content-Encoding") != "gzip" ||
				!strings.Contains(w.Header().Get("Content-Security-Policy"), "require-trusted-types-for 'script'") {
				t.Errorf("%s: status %d, %v", f[1], w.Code, w.Header())
			}
			if base == "/" {
				sent += w.Body.Len()
			}
		}
	}
	t.Logf("%d bytes as sent", sent)
	if sent > 550_000 {
		t.Errorf("the page and its files are %d bytes as sent, want at most 550,000", sent)
	}
	for _, path := range []string{"/docs/", "/docs/docs.html", "/docs/swagger-ui/swagger-ui.css", "/docs.js", "/x/docs/docs.go", "/docs/.."} {
		if w := get(path, ""); w.Code != 404 {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

// TestViewer compares the files of Swagger UI with their digests in its README: they are as
// npm has them.
func TestViewer(t *testing.T) {
	readme, err := os.ReadFile("swagger-ui/README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([^`]+)` ([0-9a-f]{64})").FindAllStringSubmatch(string(readme), -1)
	entries, err := os.ReadDir("swagger-ui")
	if err != nil || len(named) != len(entries)-1 {
		t.Errorf("the README names %d files of %d: %v", len(named), len(entries), err)
	}
	for _, n := range named {
		data, err := os.ReadFile("swagger-ui/" + n[1])
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != n[2] {
			t.Errorf("%s has the digest %x: %v", n[1], sum, err)
		}
	}
}

func ExampleNew() {
	mux := http.NewServeMux()
	mux.Handle("/", httpapi.NewHandler(nil, nil, &httpapi.Options{Prefix: "/"})) // give it your Screener and Authorizer
	mux.Handle("/docs", docs.New())
	mux.Handle("/docs/", docs.New())
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/docs", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}
