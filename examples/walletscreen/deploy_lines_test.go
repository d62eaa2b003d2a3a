package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// deployLine matches a command line in a comment of a file in deploy, or in backquotes.
var deployLine = regexp.MustCompile("(?m)(?:^#   |`)((?:docker|echo|CGO_ENABLED=0 go) [^`\n]*)")

// flagsOf takes a command line apart: the values of its flags, in order, and the rest. Each
// flag in alone has no value.
func flagsOf(words []string, alone ...string) (flags map[string][]string, rest []string) {
	flags = make(map[string][]string)
	for i := 0; i < len(words); i++ {
		switch {
		case !strings.HasPrefix(words[i], "-"):
			rest = append(rest, words[i])
		case slices.Contains(alone, words[i]):
			flags[words[i]] = append(flags[words[i]], "")
		case i+1 < len(words):
			flags[words[i]] = append(flags[words[i]], words[i+1])
			i++
		}
	}
	return flags, rest
}

// TestDeployLines checks the command lines that need an engine for containers, or write to
// the system: what they name is in the Dockerfile, the compose file or the unit. .ci/trial
// runs the line of the Dockerfile that builds, TestPapers what runs in a container.
func TestDeployLines(t *testing.T) {
	docker := strings.Join(deployFile(t, "Dockerfile"), "\n") + "\n"
	compose := strings.Join(deployFile(t, "compose.yml"), "\n") + "\n"
	unit := strings.Join(deployFile(t, "walletscreen.service"), "\n") + "\n"
	var files []string
	for _, pattern := range []string{"deploy/*", "docs/*.md", "../*/README.md", "../../*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, names...)
	}
	image, seen := "", map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		has := func(line, where, want string) {
			t.Helper()
			if !strings.Contains(where, want) {
				t.Errorf("%s: %s: want %q there", name, line, want)
			}
		}
		exists := func(line, file string) {
			t.Helper()
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s: %s: %v", name, line, err)
			}
		}
		for _, m := range deployLine.FindAllStringSubmatch(string(text), -1) {
			line := regexp.MustCompile(`\$\([^)]*\)`).ReplaceAllString(m[1], "X")
			words := strings.Fields(line)
			kind := strings.Join(words[:min(2, len(words))], " ")
			seen[kind]++
			switch kind {
			case "docker build":
				flags, rest := flagsOf(words[2:])
				exists(line, flags["-f"][0])
				for _, arg := range flags["--build-arg"] {
					key, _, _ := strings.Cut(arg, "=")
					has(line, docker, "\nARG "+key)
				}
				if image = flags["-t"][0]; !slices.Equal(rest, []string{"."}) || len(flags) > 3 {
					t.Errorf("%s: %s: want the context ., and no flags but -f, -t and --build-arg", name, line)
				}
				has(line, compose, "image: "+image+"\n")
			case "docker run":
				flags, rest := flagsOf(words[2:], "--read-only")
				_, port, _ := strings.Cut(flags["-p"][0], ":")
				has(line, docker, "ENV WALLETSCREEN_ADDR=:"+port+"\n")
				has(line, docker, "EXPOSE "+port+" ")
				_, data, _ := strings.Cut(flags["-v"][0], ":")
				has(line, docker, "ENV WALLETSCREEN_DATA="+data+"\n")
				if !slices.Equal(rest, []string{image}) || len(flags) > 3 {
					t.Errorf("%s: %s: want the image %s, and no flags but --read-only, -p and -v", name, line, image)
				}
			case "docker compose":
				flags, rest := flagsOf(words[2:], "-d", "-name")
				exists(line, flags["-f"][0])
				switch rest[0] {
				case "up":
				case "exec":
					has(line, compose, "\n  "+rest[1]+":\n    <<: *replica\n")
					has(line, docker, `ENTRYPOINT ["`+rest[2]+`"]`)
				default:
					t.Errorf("%s: %s: unknown command", name, line)
				}
			case `echo "POSTGRES_PASSWORD=X"`:
				has(line, compose, "${POSTGRES_PASSWORD:?")
				if words[2] != ">.env" {
					t.Errorf("%s: %s: want >.env", name, line)
				}
			case "CGO_ENABLED=0 go":
				flags, rest := flagsOf(words[2:], "-trimpath")
				has(line, unit, "ExecStart="+flags["-o"][0]+" serve ")
				has(line, docker, "RUN CGO_ENABLED=0 go "+rest[0]+" -trimpath ")
				exists(line, rest[1])
			default:
				t.Errorf("%s: %s: nothing checks it", name, line)
			}
		}
	}
	if want := map[string]int{"docker build": 2, "docker run": 1, "docker compose": 2, `echo "POSTGRES_PASSWORD=X"`: 1, "CGO_ENABLED=0 go": 1}; !maps.Equal(
		seen,
		want,
	) {
		t.Errorf("%v command lines, want %v", seen, want)
	}
}
