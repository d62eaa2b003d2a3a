package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestBackup runs the commands of the page on backups, in their order, and screens with the
// restored data and with the copy.
func TestBackup(t *testing.T) {
	needPrograms(t, "sh", "tar", "sqlite3")
	page, err := os.ReadFile("docs/backup.md")
	if err != nil {
		t.Fatal(err)
	}
	data, dir := t.TempDir(), t.TempDir()
	s := start(t, append([]string{"-data", data, "-audit", filepath.Join(data, "audit")}, shortest...)...)
	s.screen(t, listed, "ethereum")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"webhook-secret", "usdt_frozen"} { // as -webhook and -rpc keep them
		if err := os.WriteFile(filepath.Join(data, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := ""
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if strings.HasSuffix(block[1], " -C /var/lib/walletscreen\n") { // the restore, after everything was lost
			script += "rm -r /var/lib/walletscreen\nmkdir /var/lib/walletscreen\n"
		}
		script += block[1]
	}
	script = strings.NewReplacer("/var/lib/walletscreen", data, "2026-03-01", time.Now().UTC().Format(time.DateOnly)).Replace(script)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script = "systemctl() { :; }\nwalletscreen() { '" + self + "' \"$@\"; }\n" + script
	cmd := exec.Command("sh", "-exc", script)
	cmd.Dir, cmd.Env = dir, append(processEnv("1s"), "WALLETSCREEN_LISTS=FBI_IC3", "WALLETSCREEN_REQUIRE=FBI_IC3")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "1 line, 1 to 1: as they were written") {
		t.Fatalf("%v: %s", err, out)
	}
	for _, where := range []string{data, filepath.Join(dir, "restored"), filepath.Join(dir, "copy")} {
		name := filepath.Base(where)
		for _, file := range []string{"webhook-secret", "usdt_frozen"} {
			if text, err := os.ReadFile(filepath.Join(where, file)); string(text) != file {
				t.Errorf("%s: %s: %q, %v", name, file, text, err)
			}
		}
		if code, _, stderr := call(t, "", "audit", "verify", "-audit", filepath.Join(where, "audit")); code != 0 {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
		code, _, stderr := call(t, "", append([]string{"screen", "-data", where, "-at", time.Now().UTC().Format(time.DateOnly), unlisted}, shortest...)...)
		if code != 0 {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
		if code, stdout, _ := call(t, "", "keys", "list", "-data", where); code != 0 || !strings.Contains(stdout, "first") {
			t.Errorf("%s: exit code %d: %s", name, code, stdout)
		}
		// A file that is not there is an error, also of a list that has not changed since.
		diff := []string{"lists", "diff", "-data", where, time.Now().UTC().Format(time.DateOnly)}
		if code, _, stderr := call(t, "", diff...); code != 0 {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
		files, err := filepath.Glob(filepath.Join(where, "store", "*.stays"))
		if err != nil || len(files) != 1 || os.Remove(files[0]) != nil {
			t.Fatalf("%s: %q, %v", name, files, err)
		}
		if code, _, stderr := call(t, "", diff...); code != exitUndecided || !strings.Contains(stderr, "not in the store") {
			t.Errorf("%s, without a file: exit code %d: %s", name, code, stderr)
		}
	}
}
