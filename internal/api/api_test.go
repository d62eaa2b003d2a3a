package api

import (
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write api.txt")

const module = "github.com/walletscreen/walletscreen"

// TestAPI checks that a change of the public API is meant.
func TestAPI(t *testing.T) {
	// The go command reads the files, so it does not see that this test depends on them.
	// Each folder opened here is one more reason to run the test again.
	if err := filepath.WalkDir("../..", func(string, fs.DirEntry, error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	got, err := features(module)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("api.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the public API has changed (-api.txt +now). If that is meant, run go generate ./internal/api, "+
			"and say in CHANGELOG.md what changed and why:\n%s", diff)
	}
}

// features returns the sorted features of each package of a module that programs
// outside the module can import. It reads what the compiler exports.
func features(module string) (string, error) {
	all, err := goList("-f", "{{.ImportPath}} {{.Name}}", module+"/...")
	if err != nil {
		return "", err
	}
	var public []string
	for line := range strings.Lines(all) {
		pkg, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		path := strings.Split(strings.TrimPrefix(pkg, module), "/")
		if name != "main" && !slices.Contains(path, "internal") && !slices.Contains(path, "examples") {
			public = append(public, pkg)
		}
	}
	all, err = goList(append([]string{"-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, public...)...)
	if err != nil {
		return "", err
	}
	exports := map[string]string{} // the file of export data by import path
	for line := range strings.Lines(all) {
		pkg, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[pkg] = file
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	var lines []string
	for _, path := range public {
		pkg, err := imports.Import(path)
		if err != nil {
			return "", fmt.Errorf("package %s: %w", path, err)
		}
		p := &printer{pkg: pkg, prefix: "pkg " + strings.TrimPrefix(path, module+"/") + ", "}
		for _, name := range pkg.Scope().Names() {
			p.object(pkg.Scope().Lookup(name))
		}
		lines = append(lines, p.lines...)
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), ""), nil // several packages may name one internal type
}

func goList(args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	return string(out), nil
}

// A printer collects the features of one package.
type printer struct {
	pkg    *types.Package
	prefix string
	lines  []string
}

func (p *printer) add(format string, args ...any) {
	p.lines = append(p.lines, p.prefix+fmt.Sprintf(format, args...)+"\n")
}

// name writes the packages of names other than p's.
func (p *printer) name(other *types.Package) string {
	if other == p.pkg {
		return ""
	}
	return other.Name()
}

func (p *printer) object(o types.Object) {
	if !o.Exported() {
		return
	}
	typ := types.TypeString(o.Type(), p.name)
	switch o := o.(type) {
	case *types.Const:
		p.add("%s = %s", types.ObjectString(o, p.name), o.Val().ExactString())
	default:
		p.add("%s", types.ObjectString(o, p.name))
	case *types.TypeName:
		if o.IsAlias() {
			p.add("type %s = %s", o.Name(), types.TypeString(types.Unalias(o.Type()), p.name))
			if named, ok := types.Unalias(o.Type()).(*types.Named); ok && strings.Contains(named.Obj().Pkg().Path(), "/internal/") {
				of := printer{pkg: named.Obj().Pkg(), prefix: "pkg " + strings.TrimPrefix(named.Obj().Pkg().Path(), module+"/") + ", "}
				of.object(named.Obj())
				p.lines = append(p.lines, of.lines...)
			}
			return
		}
		p.typ(o, typ)
	}
}

// typ adds a type, which is written as name, with its exported fields and methods.
func (p *printer) typ(o *types.TypeName, name string) {
	switch u := o.Type().Underlying().(type) {
	case *types.Struct:
		p.add("type %s struct", name)
		for f := range u.Fields() {
			if !f.Exported() {
				continue
			}
			field := types.TypeString(f.Type(), p.name)
			if f.Embedded() {
				field = "embedded " + field
			} else {
				field = f.Name() + " " + field
			}
			p.add("type %s struct, %s", name, field)
		}
	case *types.Interface:
		p.add("type %s %s", name, types.TypeString(u, p.name))
		return // the methods are in the line
	default:
		p.add("type %s %s", name, types.TypeString(u, p.name))
	}
	values := types.NewMethodSet(o.Type())
	for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
		if !m.Obj().Exported() {
			continue
		}
		receiver := name
		if values.Lookup(p.pkg, m.Obj().Name()) == nil {
			receiver = "*" + name
		}
		p.add("method (%s) %s%s", receiver, m.Obj().Name(), strings.TrimPrefix(types.TypeString(m.Obj().Type(), p.name), "func"))
	}
}
