//go:build unix

package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/walletscreen/walletscreen/internal/journal"
)

// TestPipe replaces each file by a pipe without a writer, and checks that this is an
// error and that nothing waits for it.
func TestPipe(t *testing.T) {
	for _, suffix := range []string{".rev", "journal"} {
		dir := t.TempDir()
		d := open(t, dir)
		a := journal.New(d)
		name := accept(t, a, "TEST", 1, start)
		pipe := name
		if suffix == "journal" {
			pipe = suffix
		}
		if err := os.Remove(filepath.Join(dir, pipe)); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, pipe), 0o600); err != nil {
			t.Fatal(err)
		}
		wrong := func(what string, err error, in string) {
			t.Helper()
			if (err != nil) != (in == suffix) || err != nil && !strings.Contains(err.Error(), "want a regular file") {
				t.Errorf("%s is a pipe: %s: %v", pipe, what, err)
			}
		}
		_, err := a.Open(ctx, name)
		wrong("Open", err, ".rev")
		_, _, err = d.Read(ctx, 0)
		wrong("Read", err, "journal")
		wrong("Append", d.Append(ctx, []byte("line\n")), "journal")
	}
}

// TestReadOnly uses a read-only directory: its files can be read, and writing returns a
// named error.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	name := accept(t, journal.New(open(t, dir)), "TEST", 1, start)
	for path, mode := range map[string]fs.FileMode{dir: 0o500, filepath.Join(dir, "journal"): 0o400} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o700) })
	}
	if os.Getuid() == 0 && !unprivileged(t, dir) {
		t.Skip("root may write to any directory")
	}
	a := journal.New(open(t, dir))
	if _, err := a.Open(ctx, name); err != nil {
		t.Errorf("Open: %v", err)
	}
	_, saved := save(a, "TEST", 2, start)
	for what, err := range map[string]error{"Save": saved, "Append": a.Append(ctx, answering(start, "", name))} {
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want an error that names the directory", what, err)
		}
	}
}
