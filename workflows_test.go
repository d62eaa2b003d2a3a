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
	".ci/run":                                   "it is the test",
	"exit 1":                                    "",
	"go generate ./sources/bundle":              "needs the publishers: sources/bundle/internal/rebuild has servers of its own",
	"go -C examples/conform generate .":         "TestGenerate of examples/conform",
	"git add --all && git diff ":                "",
	`test ! -s "$RUNNER_TEMP/`:                  "",
	`.ci/release "$VERSION" dist`:               ".ci/trial",
	".ci/propose":                               ".ci/trial",
	"for arch in amd64 arm64; do docker build ": ".ci/trial runs the build line of the Dockerfile",
	"docker save ":                              "needs an engine",
	"docker load ":                              "needs an engine",
	`for arch in amd64 arm64; do docker push `:  "needs the registry",
	`docker manifest create "$IMAGE:$VERSION" `: "needs the registry",
	`cp "$BUNDLE" `:                             "",
	`gh release create "$VERSION" `:             "needs the repository; .ci/trial makes the files",
	"go run golang.org/x/vuln/":                 "needs the database of vulnerabilities",
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

// TestWorkflowsArePinned checks that workflows and the image use nothing by a name that can
// change: actions are commits, and the base of the image is a digest.
func TestWorkflowsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for name, jobs := range workflows(t) {
		uses := regexp.MustCompile(`uses: (.*)`).FindAllStringSubmatch(strings.Join(jobs, "\n"), -1)
		if len(uses) == 0 {
			t.Errorf("%s uses no action", name)
		}
		for _, m := range uses {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s uses %s, want a commit and its version", name, m[1])
			}
		}
	}
	text, err := os.ReadFile("examples/walletscreen/deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^FROM --platform=\$BUILDPLATFORM golang:1\.2[67]\S*@sha256:[0-9a-f]{64} AS build$`).Match(text) {
		t.Error("the image is not built on a supported Go by digest")
	}
}

// TestWorkflowsWriteNothing checks that no job that runs code of the repository, or what it
// fetches, has a token that can write: only jobs that put together what others made do.
func TestWorkflowsWriteNothing(t *testing.T) {
	runs := regexp.MustCompile(`run: .*(\bgo |\.ci/run|\.ci/release|docker build|npm )`)
	for name, jobs := range workflows(t) {
		if !regexp.MustCompile(`(?m)^permissions:( \{\}|\n  contents: read)\n\w`).MatchString(jobs[0]) {
			t.Errorf("%s gives its jobs more than contents: read", name)
		}
		for _, job := range jobs[1:] {
			title, _, _ := strings.Cut(job, ":")
			if !runs.MatchString(job) {
				continue
			}
			if strings.Contains(job, ": write") {
				t.Errorf("%s: the job %s runs code and can write", name, title)
			}
			if strings.Count(job, "actions/checkout@") != strings.Count(job, "persist-credentials: false") {
				t.Errorf("%s: the job %s runs code beside a token", name, title)
			}
		}
	}
}

// workflows returns the workflows by their files: what precedes the jobs, and each job.
func workflows(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatalf("workflows %q, %v", files, err)
	}
	all := map[string][]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, ok := strings.Cut(string(text), "\njobs:\n")
		if !ok {
			t.Fatalf("%s has no jobs", name)
		}
		jobs := regexp.MustCompile(`(?m)^  ([\w-]+:\n)`).ReplaceAllString(rest, "\x00$1")
		all[name] = append([]string{head + "\njobs"}, strings.Split(jobs, "\x00")[1:]...)
	}
	return all
}
