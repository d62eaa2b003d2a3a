package walletscreen_test

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxNamed is the maximum number of its own symbols that a package comment may name: those to use first.
const maxNamed = 8

// TestExamples checks that a package comment names few symbols, and that each of them has
// an example: a function named after it, or an example of the package that uses it.
func TestExamples(t *testing.T) {
	found := 0
	for _, p := range packages(t) {
		pkg := readPackage(t, p.dir)
		if pkg == nil {
			continue
		}
		found++
		named := namedIn(pkg)
		if len(named) > maxNamed {
			t.Errorf("the comment of package %s links %d of its symbols, want at most %d: %v", pkg.Name, len(named), maxNamed, named)
		}
		shown := shownIn(pkg)
		for _, symbol := range named {
			if !slices.Contains(shown, symbol) {
				t.Errorf("the comment of package %s names %s, which has no example", pkg.Name, symbol)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d packages found, want at least 20", found)
	}
}

// readPackage returns the documentation of the package in dir with its examples, or nil
// if programs of others cannot import it, or it has no code.
func readPackage(t *testing.T, dir string) *doc.Package {
	t.Helper()
	here, err := filepath.Abs(".") // which may be below a folder of such a name
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(strings.Split(filepath.ToSlash(strings.TrimPrefix(dir, here)), "/"), func(s string) bool { return s == "internal" || s == "examples" }) {
		return nil
	}
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, module+filepath.Base(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(pkg.Funcs)+len(pkg.Types)+len(pkg.Vars) == 0 {
		return nil
	}
	return pkg
}

// namedIn returns the symbols of pkg that its comment links: Name, or Type.Method.
func namedIn(pkg *doc.Package) (names []string) {
	visit := func(texts []comment.Text) {
		for _, text := range texts {
			if link, ok := text.(*comment.DocLink); ok && link.ImportPath == "" {
				names = append(names, strings.TrimPrefix(link.Recv+"."+link.Name, "."))
			}
		}
	}
	for _, block := range pkg.Parser().Parse(pkg.Doc).Content {
		switch block := block.(type) {
		case *comment.Paragraph:
			visit(block.Text)
		case *comment.List:
			for _, item := range block.Items {
				for _, b := range item.Content {
					visit(b.(*comment.Paragraph).Text)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// shownIn returns the symbols of pkg that have an example. An example of the package
// shows each symbol that it uses; an example of a method or constructor shows the type.
func shownIn(pkg *doc.Package) (names []string) {
	for _, e := range pkg.Examples {
		ast.Inspect(e.Code, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				names = append(names, sel.Sel.Name)
			}
			return true
		})
	}
	for _, f := range pkg.Funcs {
		if len(f.Examples) > 0 {
			names = append(names, f.Name)
		}
	}
	for _, typ := range pkg.Types {
		shown := len(typ.Examples) > 0
		for _, f := range typ.Funcs {
			if len(f.Examples) > 0 {
				names = append(names, f.Name)
				shown = true
			}
		}
		for _, m := range typ.Methods {
			if len(m.Examples) > 0 || slices.Contains(names, m.Name) {
				names = append(names, typ.Name+"."+m.Name)
				shown = true
			}
		}
		if shown {
			names = append(names, typ.Name)
		}
	}
	return names
}

// TestExampleList checks that examples/README.md has every example, that each has a test,
// and that the server is short.
func TestExampleList(t *testing.T) {
	readme, err := os.ReadFile("examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("examples")
	if err != nil || len(folders) < 12 {
		t.Fatalf("%d examples, %v", len(folders), err)
	}
	for _, folder := range folders {
		name := folder.Name()
		if !folder.IsDir() {
			continue
		}
		if !strings.Contains(string(readme), "\n| [`"+name+"`]("+name) {
			t.Errorf("examples/README.md lacks %s", name)
		}
		if tests, err := filepath.Glob(filepath.Join("examples", name, "*_test.go")); err != nil || len(tests) == 0 {
			t.Errorf("examples/%s has no test, %v", name, err)
		}
	}
	server, err := os.ReadFile("examples/server/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(server), "\n"); n >= 100 {
		t.Errorf("examples/server/main.go has %d lines, want less than 100", n)
	}
}
