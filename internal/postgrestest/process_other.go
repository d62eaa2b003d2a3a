//go:build !unix

package postgrestest

import "os/exec"

// runAs is not called: there is no root.
func runAs(*exec.Cmd, int, int) {}
