package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestColors screens on a terminal, and into a pipe. NO_COLOR and a terminal without colors are
// respected.
func TestColors(t *testing.T) {
	longtest.WithoutRace(t)
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
		run := inPipe
		if tt.terminal {
			run = onTerminal
		}
		if got := run(t, tt.args, append(tt.env, onlyOFAC...)...); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s, terminal %v, %q: %.200q, want %q", tt.args, tt.terminal, tt.env, got, tt.want)
		}
	}
}

// onTerminal returns what the program prints on a terminal. It skips the test where script,
// which makes one, is missing.
func onTerminal(t *testing.T, args string, env ...string) string {
	t.Helper()
	needPrograms(t, "script")
	return printed(exec.Command("script", "-qec", self(t)+args, os.DevNull), env)
}

// inPipe returns what the program prints into a pipe.
func inPipe(t *testing.T, args string, env ...string) string {
	t.Helper()
	return printed(exec.Command("sh", "-c", self(t)+args), env)
}

// self returns the beginning of a command of the shell that runs the program.
func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "'" + name + "' "
}

// printed returns what a command that runs the program prints.
func printed(cmd *exec.Cmd, env []string) string {
	cmd.Env = append(append(processEnv("1s"), "TERM=xterm", "SHELL=/bin/sh"), env...)
	out, _ := cmd.CombinedOutput() // the exit code follows the verdict
	return string(bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n")))
}
