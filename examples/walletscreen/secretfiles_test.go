package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretFiles gives the database in a file, as a container does, and in files that are refused.
func TestSecretFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	db := write("db", "sqlite:"+filepath.Join(dir, "keys.db")+"\n", 0o600)
	code, _, stderr := callIn(t, []string{"WALLETSCREEN_DB_FILE=" + db}, "", "keys", "list")
	if code != exitUndecided || !strings.Contains(stderr, "there is no database "+filepath.Join(dir, "keys.db")+";") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for file, want := range map[string]string{
		write("open", "postgres://u:hunter2@h/n", 0o644):       "can be read by all users",
		write("blank", " \n", 0o600):                           "is empty",
		filepath.Join(dir, "none"):                             "no such file",
		write("long", strings.Repeat("x", maxSecret+1), 0o600): "larger than",
	} {
		code, _, stderr := callIn(t, []string{"WALLETSCREEN_DB_FILE=" + file}, "", "keys", "list")
		if code != exitUndecided || !strings.Contains(stderr, "WALLETSCREEN_DB_FILE: ") || !strings.Contains(stderr, want) || strings.Contains(stderr, "hunter2") {
			t.Errorf("%s: exit code %d, %s, want %q", filepath.Base(file), code, stderr, want)
		}
	}
	if code, _, stderr := callIn(t, []string{"WALLETSCREEN_DB_FILE=" + db, "WALLETSCREEN_DB=sqlite:x"}, "", "keys", "list"); code != exitUndecided || !strings.Contains(stderr, "both set") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for name, meant := range map[string]string{"WALLETSCREEN_ADDR_FILE": "WALLETSCREEN_ADDR", "WALLETSCREEN_AUDIT_KEY_FILE": "WALLETSCREEN_AUDIT_KEY"} {
		code, _, stderr := callIn(t, []string{name + "=" + db}, "", "version")
		if code != exitUndecided || !strings.Contains(stderr, "unknown environment variable "+name+"; did you mean "+meant+"?") {
			t.Errorf("a flag that is no secret: exit code %d, %s", code, stderr)
		}
	}
}
