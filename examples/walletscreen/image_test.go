package main

import (
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// root is the root of the module, which is the context of the image.
const root = "../.."

// deployFile returns the lines of a file of deploy without comments and blank lines, with
// continued lines joined.
func deployFile(t *testing.T, name string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestImage checks what the Dockerfile puts into the image: a program that needs no other
// file, the license, and nothing that runs as root.
func TestImage(t *testing.T) {
	longtest.WithoutRace(t)
	lines := deployFile(t, "Dockerfile")
	last := lines[slices.Index(lines, "FROM scratch")+1:]
	for _, want := range []string{
		"COPY --from=build /src/LICENSE /src/NOTICE /out/LICENSES.txt /", "USER 65532:65532", "ARG VERSION=unreleased",
		"COPY --from=build --chown=65532:65532 /out/data /data", `ENTRYPOINT ["/walletscreen"]`,
	} {
		if !slices.Contains(last, want) {
			t.Errorf("the image lacks %q", want)
		}
	}
	if !strings.Contains(strings.Join(last, "\n"), `org.opencontainers.image.version="${VERSION}"`) {
		t.Error("the image has no label with its version")
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}

	// The licenses and notices of all that is linked.
	if !slices.Contains(lines, `RUN .ci/licenses "linux/$(go env GOARCH)" >/out/LICENSES.txt`) {
		t.Error("the image has no licenses of modules")
	}
	modules := filepath.Join(t.TempDir(), "modules")
	licenses := exec.Command(".ci/licenses", "linux/amd64", modules)
	licenses.Dir = root
	text, err := licenses.Output()
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(modules)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		module, _, _ := strings.Cut(line, " ")
		if !strings.Contains(string(text), "\n----\n"+module+" ") {
			t.Errorf("the licenses lack %s", module)
		}
	}
	if n := strings.Count(string(list), "\n"); n < 20 || !strings.Contains(string(text), "NOTICE:\n\nPrometheus instrumentation library") {
		t.Errorf("%d modules; the notice of Prometheus is among them: want at least 20", n)
	}

	// What the context leaves out is not needed to build.
	ignored := deployFile(t, "Dockerfile.dockerignore")
	out, err := exec.Command("go", "list", "-deps", "-f",
		"{{if and .Module .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}\n{{end}}{{end}}", ".").
		Output()
	if err != nil {
		t.Fatal(err)
	}
	base, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(out))
	if len(files) < 200 {
		t.Errorf("%d files are built", len(files))
	}
	for _, file := range files {
		name, err := filepath.Rel(base, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range ignored {
			if strings.HasPrefix(name, pattern+"/") || strings.HasPrefix(pattern, "**/*") && strings.HasSuffix(name, pattern[len("**/*"):]) {
				t.Errorf("%s is left out of the context by %s", name, pattern)
			}
		}
	}

	// The command that builds the program, as it stands there.
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "RUN CGO_ENABLED=0 go build ") })
	if i < 0 {
		t.Fatal("the Dockerfile builds no program")
	}
	if !longtest.Enabled() || runtime.GOOS != "linux" {
		return // it links for some seconds
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", strings.ReplaceAll(strings.TrimPrefix(lines[i], "RUN "), "/out", dir))
	cmd.Dir, cmd.Env = root, append(os.Environ(), "VERSION=v1.2.3")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	binary := filepath.Join(dir, "walletscreen")
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 ||
		slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("the program is not static: it needs %q, %v", libraries, err)
	}
	cmd = exec.Command(binary, "version", "-json")
	cmd.Env = []string{}
	text, err = cmd.Output()
	var v buildVersion
	if err := json.Unmarshal(text, &v); err != nil || v.Module != "github.com/walletscreen/walletscreen" || len(v.Bundled) < 5 || v.Version != "v1.2.3" {
		t.Errorf("%s, %v", text, err)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestCompose checks the compose file: two replicas with directories of their own, one
// database, and variables that the program knows.
func TestCompose(t *testing.T) {
	text := strings.Join(deployFile(t, "compose.yml"), "\n")
	var env []string
	for _, m := range regexp.MustCompile(`(?m)^    (WALLETSCREEN_\w+): (.*)$`).FindAllStringSubmatch(text, -1) {
		env = append(env, m[1]+"="+m[2])
	}
	o := options(t, env)
	want := &serveOptions{
		addr:      o.addr,
		logFormat: o.logFormat,
		logLevel:  o.logLevel,
		lists:     listOptions{db: "postgres://walletscreen:${POSTGRES_PASSWORD:?set it in .env}@db/walletscreen"},
	}
	if !reflect.DeepEqual(o, want) { // the image has the others
		t.Errorf("%+v, want %+v", o, want)
	}
	for _, want := range []string{
		"\n  a:\n    <<: *replica\n", "\n  b:\n    <<: *replica\n", `volumes: ["a:/data"]`, `volumes: ["b:/data"]`, "\n  db:\n    image: postgres:17\n",
		"read_only: true", "cap_drop: [ALL]", "db: {condition: service_healthy}", "POSTGRES_USER: walletscreen", "POSTGRES_DB: walletscreen",
		"POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?set it in .env}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	build := regexp.MustCompile(`context: (\S+)\n\s*dockerfile: (\S+)`).FindStringSubmatch(text)
	if build == nil {
		t.Fatal("nothing is built")
	}
	if _, err := os.Stat(filepath.Join("deploy", build[1], build[2])); err != nil {
		t.Error(err)
	}
	ports := regexp.MustCompile(`"127\.0\.0\.1:(\d+):\d+"`).FindAllStringSubmatch(text, -1)
	seen := map[string]bool{}
	for _, p := range ports {
		seen[p[1]] = true
	}
	if len(ports) != 4 || len(seen) != 4 {
		t.Errorf("ports %v: want four on this machine only", ports)
	}
}

// TestUnit lets systemd verify the unit, with this program in place of the installed
// program.
func TestUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("deploy", "walletscreen.service"))
	if err != nil {
		t.Fatal(err)
	}
	verify := func(unit string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "walletscreen.service")
		if err := os.WriteFile(name, []byte(unit), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", name)
		cmd.WaitDelay = 10 * time.Second
		out, err := cmd.CombinedOutput()
		if err != nil {
			return string(out) + err.Error()
		}
		return string(out)
	}
	unit := strings.ReplaceAll(string(text), "/usr/local/bin/walletscreen", os.Args[0])
	if said := verify(unit); said != "" {
		t.Errorf("systemd-analyze verify: %s", said)
	}
	if said := verify(strings.Replace(unit, "ProtectHome=", "ProtectHouse=", 1)); !strings.Contains(said, "ProtectHouse") {
		t.Errorf("systemd-analyze verify accepts anything: %s", said)
	}
}
