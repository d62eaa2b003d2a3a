package walletscreen_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxLines is the maximum length of a Go file, tests apart. A longer file has more than one
// subject.
const maxLines = 480

// walkFiles calls f with the path of each file of the module with one of the given
// extensions, and with its text. It skips fixtures and installed packages.
func walkFiles(t *testing.T, extensions string, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && name != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext == "" || !strings.Contains(extensions, ext) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f(path, string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFileLength checks that no Go file outgrows its subject.
func TestFileLength(t *testing.T) {
	files := 0
	walkFiles(t, ".go", func(path, text string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		files++
		if n := strings.Count(text, "\n"); n > maxLines {
			t.Errorf("%s has %d lines, want at most %d", path, n, maxLines)
		}
	})
	if files < 100 {
		t.Errorf("%d files found, want at least 100", files)
	}
}

// translated matches phrases that the Go standard library does not use, each behind a text
// in lower case that all its matches contain. To search for that first saves most of the time.
var translated = map[string]*regexp.Regexp{
	"of which":   phrase(`of which`),
	"whoever":    phrase(`whoever`),
	"be it":      phrase(`be it`),
	"lest":       phrase(`lest`),
	"who has":    phrase(`who has`),
	"is none of": phrase(`is none of`),
	"is told":    phrase(`is told`),
	"but for":    phrase(`but for`),
	"held to":    phrase(`held to`),
	"of then":    phrase(`of then`),
	"anew":       phrase(`anew`),
	"for ever":   phrase(`for ever`),
	" no ":       phrase(`(?:it|that|text|which|string|cell) (?:is|are) no (?:address|addresses|error|list|string|text)`),
	"normalis":   phrase(`normalis\w*`),
	"behaviour":  phrase(`behaviour`),
	"licence":    phrase(`(?-i:licence[sd]?)`),
	"optimi":     phrase(`optimi(?:se|sed|ses|sing|sation)`),
	"recognis":   phrase(`recognis\w*`),
}

func phrase(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b` + pattern + `\b`)
}

// quoted matches text in quotation marks or backquotes: wire members and identifiers
// keep their spelling.
var quoted = regexp.MustCompile("\"[^\"]*\"|`[^`]*`")

// TestPlainEnglish checks the comments of all Go files, and the papers, for phrases
// that read as translated and for British spelling.
func TestPlainEnglish(t *testing.T) {
	comments := 0
	walkFiles(t, ".go", func(path, text string) {
		if path == "house_test.go" {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		comments += len(file.Comments)
		for _, group := range file.Comments {
			checkEnglish(t, path, textOf(group))
		}
	})
	if comments < 1000 {
		t.Errorf("%d comments found, want at least 1000", comments)
	}
	walkFiles(t, ".md", func(path, text string) { checkEnglish(t, path, text) })
}

// textOf returns the text of a comment group on one line.
func textOf(group *ast.CommentGroup) string {
	return strings.ReplaceAll(group.Text(), "\n", " ")
}

// checkEnglish reports the phrases in text that translated matches.
func checkEnglish(t *testing.T, path, text string) {
	t.Helper()
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		lower := strings.ToLower(sc.Text())
		for text, re := range translated {
			if !strings.Contains(lower, text) {
				continue
			}
			for _, found := range re.FindAllString(quoted.ReplaceAllString(sc.Text(), ""), -1) {
				t.Errorf("%s: %q in %.120q", path, found, sc.Text())
			}
		}
	}
	if err := sc.Err(); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}
