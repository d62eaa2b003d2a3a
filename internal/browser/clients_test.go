package browser_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestClients runs the commands and the programs of httpapi/clients.md against a real server.
func TestClients(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../httpapi/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^## (\\w+)$.*?^```sh\n(.*?)^```$.*?^```\\w+\n(.*?)^```$").FindAllSubmatch(text, -1) {
		blocks[string(m[1])+" command"], blocks[string(m[1])] = string(m[2]), string(m[3])
	}
	const sanctioned, clean = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0x00000000219ab540356cBB839Cbe05303d7705Fa"
	for _, wallet := range []string{sanctioned, clean} {
		if !strings.Contains(string(text), "`"+wallet+"`") {
			t.Errorf("clients.md does not have the test address %s", wallet)
		}
	}
	server := newScreeningServer(t, sanctioned)
	for language, run := range map[string][]string{
		"Go":         {"main.go", "go mod init client && go get github.com/oapi-codegen/runtime@v1.9.0 && go mod tidy && go build -o client .", "./client"},
		"TypeScript": {"main.ts", "node_modules/.bin/tsc --strict --skipLibCheck --target es2022 --module nodenext --types node main.ts", "node main.js"},
		"Python":     {"main.py", "true", "python3 main.py"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{run[0]: blocks[language], "package.json": `{"type": "module"}`} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for link, to := range map[string]string{"openapi.yaml": "../../httpapi/openapi.yaml", "node_modules": "node_modules"} {
				to, err := filepath.Abs(to)
				if err == nil {
					err = os.Symlink(to, filepath.Join(dir, link))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			sh := func(line string) (string, error) {
				cmd := exec.CommandContext(t.Context(), "bash", "-euc", line)
				cmd.Dir = dir
				// Without the other clock of .ci/run, for which all would be built once more.
				cmd.Env = append(os.Environ(), "SCREEN_URL="+server, "SCREEN_KEY="+goodKey, "GOFLAGS=-buildvcs=false -trimpath")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if out, err := sh(installed(t, blocks[language+" command"]) + "\n" + run[1]); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if out, err := sh(run[2] + " " + sanctioned + " " + clean); err != nil || out != "CRITICAL false 1\nCLEAN_NO_MATCH true 0\n" {
				t.Errorf("%v: %s", err, out)
			}
			if out, err := sh(run[2] + " " + clean[:41]); err == nil || !strings.Contains(out, "is not screened") || !strings.Contains(out, "invalid_address") {
				t.Errorf("an invalid address: %v: %s", err, out)
			}
		})
	}
}

// installed returns the command line with each npx NAME@VERSION replaced by what package.json
// installs, which must be of that version.
func installed(t *testing.T, line string) string {
	t.Helper()
	text, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var has struct {
		DevDependencies map[string]string
	}
	if err := json.Unmarshal(text, &has); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`npx ([\w-]+)@(\S+)`).ReplaceAllStringFunc(line, func(npx string) string {
		name, version, _ := strings.Cut(strings.TrimPrefix(npx, "npx "), "@")
		if has.DevDependencies[name] != version {
			t.Errorf("clients.md has %s %s, and package.json has %q", name, version, has.DevDependencies[name])
		}
		return "node_modules/.bin/" + name
	})
}

// newScreeningServer returns the URL of a server with a list that has one address.
func newScreeningServer(t *testing.T, sanctioned string) string {
	t.Helper()
	lazarus := sources.Entry{Address: address.MustParse("ethereum", sanctioned), Kind: score.Sanctioned}
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC", Jurisdiction: sources.US}, lazarus)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys, err := access.Fixed(map[string]string{"client": goodKey})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(httpapi.NewHandler(s, keys, nil))
	t.Cleanup(server.Close)
	return server.URL
}
