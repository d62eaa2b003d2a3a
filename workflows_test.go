package walletscreen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// elsewhere are the commands of workflows that .ci/run does not run, and what tests them.
var elsewhere = map[string]string{
	".ci/run":                        "it is the test",
	"exit 1":                         "",
	"go generate ./sources/bundle":   "needs the publishers: sources/bundle/internal/rebuild has servers of its own",
	"go generate ./examples/conform": "TestGenerate of examples/conform",
	`.ci/release "$VERSION" dist`:    ".ci/trial",
	".ci/propose":                    ".ci/trial",
	"docker build ":                  ".ci/trial runs the build line of the Dockerfile",
	`docker push "$IMAGE"`:           "needs the registry",
	`gh release create "$VERSION" `:  "needs the repository; .ci/trial makes the files",
}

// TestWorkflows checks that .ci/run runs each command of the workflows, or that something
// else tests it.
func TestWorkflows(t *testing.T) {
	run, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md") // whose test command .ci/run runs
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatalf("workflows %q, %v", files, err)
	}
	used := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^ +(?:- )?run: (.*)$`).FindAllStringSubmatch(string(text), -1) {
			tested := strings.Contains(string(run), "\n"+m[1]+"\n") || strings.Contains(string(readme), "\n"+m[1]+"\n")
			for command := range elsewhere {
				if strings.HasPrefix(m[1], command) {
					tested, used[command] = true, true
				}
			}
			if !tested {
				t.Errorf("%s runs %q, which nothing tests", name, m[1])
			}
		}
	}
	for command := range elsewhere {
		if !used[command] {
			t.Errorf("no workflow runs %q", command)
		}
	}
	if !strings.Contains(string(run), "\n.ci/trial\n") {
		t.Error(".ci/run does not run .ci/trial")
	}
}
