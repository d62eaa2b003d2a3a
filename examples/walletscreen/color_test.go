package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestColors screens on a terminal, and into a pipe. NO_COLOR and a terminal without colors are
// respected.
func TestColors(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(terminal bool, args string, env ...string) string {
		cmd := exec.Command("sh", "-c", "'"+self+"' "+args)
		if terminal {
			cmd = exec.Command("script", "-qec", "'"+self+"' "+args, os.DevNull)
		}
		cmd.Env = append(append(processEnv("1s"), "TERM=xterm", "SHELL=/bin/sh"), env...)
		out, _ := cmd.CombinedOutput() // the exit code is that of the verdict
		return string(bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")))
	}
	const red, yellow, green, none = "\x1b[31mCRITICAL  100\x1b[0m  ", "\x1b[33mUNDECIDED\x1b[0m  ", "\x1b[32mCLEAN_NO_MATCH  0\x1b[0m  ", "CRITICAL  100  "
	for _, tt := range []struct {
		terminal   bool
		args, want string
		env        []string
	}{
		{true, "screen " + listed, red, nil},
		{true, "screen " + unlisted, green, nil},
		{true, "screen nothing", yellow, nil},
		{true, "screen " + listed, none, []string{"NO_COLOR=1"}},
		{true, "screen " + listed, none, []string{"TERM=dumb"}},
		{false, "screen " + listed, none, nil},
	} {
		if got := run(tt.terminal, tt.args, tt.env...); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s, terminal %v, %q: %.200q, want %q", tt.args, tt.terminal, tt.env, got, tt.want)
		}
	}
}
