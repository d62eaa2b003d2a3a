package walletscreen_test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A tested names what runs or checks command lines that begin like this: a test function,
// or a line of a script of .ci.
type tested struct{ line, file, by string }

// commandLines are all kinds of command lines in the papers. A longer beginning comes before
// a shorter one.
var commandLines = []tested{
	{"walletscreen ", "examples/walletscreen/papers_test.go", "TestPapers"},
	{"go run ./examples/walletscreen", "examples/walletscreen/papers_test.go", "TestGreeting"},
	{"go -C examples/conform run .", "examples/conform/conform_test.go", "TestReadme"},
	{"go -C examples/conform/watchman run .", "examples/conform/watchman/main_test.go", "TestReadme"},
	{"go get github.com/walletscreen/walletscreen", "readme_test.go", "TestInstallable"},
	{"go install github.com/walletscreen/walletscreen/examples/walletscreen@latest", "readme_test.go", "TestInstallable"},
	{"go test ./...", ".ci/run", `sed -n '/^go test /p' README.md`},
	{"WALLETSCREEN_LONG=1 go test ./...", ".ci/run", "WALLETSCREEN_LONG=1 go -C examples/beam test"},
	{"WALLETSCREEN_LONG=1 go test -v -run ", "papers_test.go", "TestCommandLines"}, // see chosen
	{"go test -run '^$' -bench ", "papers_test.go", "TestCommandLines"},
	{"go -C internal/bench test -bench ", ".ci/run", "go vet ./..."},
	{"go run github.com/oapi-codegen/oapi-codegen/", "internal/browser/clients_test.go", "TestClients"},
	{"go mod tidy", "internal/browser/clients_test.go", "TestClients"},
	{"npx openapi-typescript@", "internal/browser/clients_test.go", "TestClients"},
	{"npx quicktype@", "internal/browser/clients_test.go", "TestClients"},
	{"go build .", "examples/beam/readme_test.go", "TestReadme"},
	{"go -C examples/mcp install .", "examples/mcp/readme_test.go", "TestReadme"},
	{"CGO_ENABLED=0 go build ", "examples/walletscreen/deploy_lines_test.go", "TestDeployLines"},
	{"go generate ./address", "address/chain_test.go", "TestPapers"},
	{"go generate ./internal/api", "internal/api/api_test.go", "TestAPI"},
	{"go generate ./sources/bundle", "sources/bundle/internal/rebuild/main_test.go", "TestDocument"},
	{"go -C examples/conform generate .", "examples/conform/cases_test.go", "TestGenerate"},
	{"go list -m all", "papers_test.go", "TestCommandLines"}, // of the go command alone
	{"go env GOPATH", "papers_test.go", "TestCommandLines"},
	{"cp internal/api/api.txt internal/api/released.txt", ".ci/trial", "cp internal/api/api.txt internal/api/released.txt"},
	{".ci/release v0.1.0 dist", ".ci/trial", `.ci/release "$version" "$work/dist"`},
	{"systemctl ", "examples/walletscreen/backup_test.go", "TestBackup"},
	{"cp -p", "examples/walletscreen/backup_test.go", "TestBackup"},
	{"curl -s -H ", "readme_test.go", "TestReadmeAnswer"},
	{"curl -s … 'http", "examples/walletscreen/receipt_test.go", "TestTableReceiptLines"},
	{"jq -r .output ", "examples/walletscreen/receipt_test.go", "TestTableReceiptLines"},
	{"curl -s … ", "examples/walletscreen/receipt_test.go", "TestReceiptLine"},
	{"beam ", "examples/beam/readme_test.go", "TestReadme"},
	{"mcp ", "examples/mcp/readme_test.go", "TestReadme"},
	{"claude mcp add ", "examples/mcp/readme_test.go", "TestReadme"},
	{"docker ", "examples/walletscreen/deploy_lines_test.go", "TestDeployLines"},
	{`echo "POSTGRES_PASSWORD=`, "examples/walletscreen/deploy_lines_test.go", "TestDeployLines"},
}

// shell matches a command line: a line of a code block or of a comment, or text in
// backquotes, that begins with the name of a program.
var shell = regexp.MustCompile(
	"(?m)(?:^(?:#|    )? *|`)((?:time )?(?:[A-Z_]+=\\S+ " +
		")*(?:\\./)?(?:\\.ci/[a-z]+|beam|claude|cp|curl|docker|echo|git|go|jq|kubectl|mcp|npm|npx|openssl|psql|sudo|systemctl|systemd-analyze|walletscreen)(" +
		"?:[ ][^`\n]*|(?:`|$)))",
)

// linesOf returns the command lines of a paper.
func linesOf(text string) (lines []string) {
	for _, m := range shell.FindAllStringSubmatch(text, -1) {
		line := strings.TrimPrefix(strings.TrimPrefix(strings.TrimRight(m[1], "`"), "time "), "./")
		if strings.Contains(line, " ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// chosen reports whether the test or benchmark that a command line chooses by -run or
// -bench exists in its package.
func chosen(t *testing.T, line string) bool {
	t.Helper()
	m := regexp.MustCompile(`-(run|bench) '?([\w|]+)'?.* \./(\S+)$`).FindStringSubmatch(line)
	if m == nil {
		return false
	}
	files, err := filepath.Glob(m[3] + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	kind := map[string]string{"run": "Test", "bench": "Benchmark"}[m[1]]
	for name := range strings.SplitSeq(m[2], "|") {
		if !regexp.MustCompile(`(?m)^func ` + kind + `\w*` + name).MatchString(code.String()) {
			return false
		}
	}
	return true
}

// TestCommandLines checks that each command line in the papers is run or checked by a test
// that exists.
func TestCommandLines(t *testing.T) {
	used := make(map[string]bool)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata") {
			return cmp.Or(err, fs.SkipDir)
		}
		deploys := filepath.ToSlash(filepath.Dir(name)) == "examples/walletscreen/deploy" && filepath.Ext(name) != ".json"
		if d.IsDir() || name == "CHANGELOG.md" || filepath.Ext(name) != ".md" && !deploys {
			return nil
		}
		text, err := os.ReadFile(name)
		for _, line := range linesOf(string(text)) {
			i := slices.IndexFunc(commandLines, func(c tested) bool { return strings.HasPrefix(line+" ", c.line) })
			switch {
			case i < 0:
				t.Errorf("%s has the command line %q: add a test that runs it, and name it in commandLines", name, line)
				continue
			case commandLines[i].by == "TestCommandLines" && strings.HasPrefix(line, "go test ") || strings.Contains(line, " go test -v"):
				if !chosen(t, line) {
					t.Errorf("%s has the command line %q, which chooses a test that does not exist", name, line)
				}
			}
			used[commandLines[i].line] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commandLines {
		text, err := os.ReadFile(filepath.FromSlash(c.file))
		if err != nil {
			t.Error(err)
		}
		by := c.by
		if strings.HasSuffix(c.file, "_test.go") {
			by = "\nfunc " + by + "(t *testing.T) {"
		}
		if !strings.Contains(string(text), by) {
			t.Errorf("%s has no %s, which must run the command lines %q", c.file, c.by, c.line)
		}
		if !used[c.line] {
			t.Errorf("no paper has a command line %q", c.line)
		}
	}
}
