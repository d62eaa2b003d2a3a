package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access/sqlstore/sqlite"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestReadme checks the command lines of README.md. It runs a command line of the program
// until the program serves. In a command line of a client it checks what the client is to
// start or to send.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(data, "keys.db"))
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	// begins runs the program until it serves, or waits for its client.
	begins := func(line string, args []string, getenv func(string) string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		var log buffer
		done := make(chan error, 1)
		go func() { done <- run(ctx, args, getenv, &log); cancel() }()
		for ctx.Err() == nil && !strings.Contains(log.String(), "serving MCP") {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) || !strings.Contains(log.String(), "/mcp") {
			t.Errorf("%s: %v\n%s", line, err, log.String())
		}
	}
	starts := func(line, command string, args []string) {
		t.Helper()
		if filepath.Base(command) != "mcp" {
			t.Errorf("%s: want a command mcp", line)
		}
		if _, err := parse(args, io.Discard); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	sends := func(line, url, header string) {
		t.Helper()
		if !strings.HasSuffix(url, "/mcp") || !strings.HasPrefix(header, "Authorization: Bearer wsk_") && !strings.HasPrefix(header, "Bearer wsk_") {
			t.Errorf("%s: want a URL that ends in /mcp, and a key", line)
		}
	}
	lines := 0
	for _, m := range regexp.MustCompile(`(?m)^    ((?:mcp|claude|go) .*)$`).FindAllStringSubmatch(string(text), -1) {
		lines++
		line := m[1]
		words := strings.Fields(line)
		switch {
		case words[0] == "mcp":
			line := strings.NewReplacer("127.0.0.1:8090", "127.0.0.1:0", "/var/lib/walletscreen", data).Replace(line)
			begins(line, append(strings.Fields(line)[1:], "-offline"), os.Getenv)
		case strings.HasPrefix(line, "claude mcp add walletscreen -- "):
			starts(line, words[5], words[6:])
		case strings.HasPrefix(line, "claude mcp add --transport http walletscreen "):
			if words[7] != "--header" {
				t.Errorf("%s: want --header after the URL", line)
			}
			sends(line, words[6], strings.Trim(strings.Join(words[8:], " "), `"`))
		case line == "go -C examples/mcp install .":
			if !longtest.Enabled() {
				continue // it links for some seconds
			}
			cmd := exec.Command("sh", "-ec", line)
			bin := t.TempDir()
			cmd.Dir, cmd.Env = "../..", append(os.Environ(), "GOBIN="+bin)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
			if _, err := os.Stat(filepath.Join(bin, "mcp")); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%s: nothing runs it", line)
		}
	}
	settings := 0
	for _, block := range regexp.MustCompile(`(?m)^    \{(?:.*\n)(?:    .*\n)*`).FindAllString(string(text), -1) {
		type server struct {
			Type, Command, URL string
			Args               []string
			Headers            struct{ Authorization string }
		}
		var file struct{ Servers, MCPServers map[string]server }
		if err := json.Unmarshal([]byte(block), &file); err != nil || len(file.Servers)+len(file.MCPServers) != 1 {
			t.Errorf("%s: %v", block, err)
		}
		for _, all := range []map[string]server{file.Servers, file.MCPServers} {
			for _, s := range all {
				settings++
				if s.Type == "http" {
					sends(block, s.URL, s.Headers.Authorization)
				} else {
					starts(block, s.Command, s.Args)
				}
			}
		}
	}
	if lines != 4 || settings != 4 {
		t.Errorf("%d command lines and %d files of settings, want 4 and 4", lines, settings)
	}
}
