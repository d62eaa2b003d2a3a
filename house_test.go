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
const maxLines = 500

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

// translated matches phrases that the Go standard library does not use.
var translated = regexp.MustCompile(`(?i)\b(of which|whoever|be it|lest|who has|is none of|is told|but for|held to|of then|anew|for ever|(?:it|that|text|which|string|cell) (?:is|are) no (?:address|addresses|error|list|string|text)|normalis\w*|behaviour|(?-i:licence[sd]?)|optimi(?:se|sed|ses|sing|sation)|recognis\w*)\b`)

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
		line := quoted.ReplaceAllString(sc.Text(), "")
		for _, phrase := range translated.FindAllString(line, -1) {
			t.Errorf("%s: %q in %.120q", path, phrase, sc.Text())
		}
	}
	if err := sc.Err(); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}
