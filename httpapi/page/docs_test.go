package page_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi/page"
)

// TestDocs loads the documentation and its files below two mount points, and nothing else.
func TestDocs(t *testing.T) {
	text := get(page.New(), "GET", "/x/docs", "Accept-Encoding", "").Body.String()
	files := regexp.MustCompile(`(?:href|src)="(docs/[^"]+)"`).FindAllStringSubmatch(text, -1)
	if len(files) != 5 || strings.Contains(text, "<script>") || strings.Contains(text, "<style") || strings.Contains(text, "http") {
		t.Errorf("the page refers to %q", files)
	}
	sent := get(page.New(), "GET", "/docs", "Accept-Encoding", "gzip").Body.Len()
	for _, f := range files {
		for _, base := range []string{"/", "/a/b/"} {
			w := get(page.New(), "GET", base+f[1], "Accept-Encoding", "gzip")
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
		if w := get(page.New(), "GET", path, "Accept-Encoding", ""); w.Code != 404 {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

// TestViewer compares the files of Swagger UI with their digests in its README: they are as
// npm has them.
func TestViewer(t *testing.T) {
	readme, err := os.ReadFile("docs/swagger-ui/README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([^`]+)` ([0-9a-f]{64})").FindAllStringSubmatch(string(readme), -1)
	entries, err := os.ReadDir("docs/swagger-ui")
	if err != nil || len(named) != len(entries)-1 {
		t.Errorf("the README names %d files of %d: %v", len(named), len(entries), err)
	}
	for _, n := range named {
		data, err := os.ReadFile("docs/swagger-ui/" + n[1])
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != n[2] {
			t.Errorf("%s has the digest %x: %v", n[1], sum, err)
		}
	}
}
