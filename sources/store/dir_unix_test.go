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
)

// TestPipe replaces each file by a pipe without a writer, and checks that this is an
// error and that nothing waits for it.
func TestPipe(t *testing.T) {
	for _, pipe := range []string{name("TEST", 1), "journal"} {
		dir := t.TempDir()
		d := open(t, dir)
		fill(t, d, 1)
		if err := errors.Join(os.Remove(filepath.Join(dir, pipe)), syscall.Mkfifo(filepath.Join(dir, pipe), 0o600)); err != nil {
			t.Fatal(err)
		}
		wrong := func(what string, err error, in string) {
			t.Helper()
			if (err != nil) != (in == pipe) || err != nil && !strings.Contains(err.Error(), "want a regular file") {
				t.Errorf("%s is a pipe: %s: %v", pipe, what, err)
			}
		}
		_, err := d.Open(ctx, name("TEST", 1))
		wrong("Open", err, name("TEST", 1))
		wrong("Read", d.Read(ctx, 0, func([]byte) error { return nil }), "journal")
		wrong("Append", d.Append(ctx, 2, lineOf(2)), "journal")
	}
}

// TestReadOnly uses a read-only directory: its files can be read, and writing returns a
// named error.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	fill(t, open(t, dir), 1)
	for path, mode := range map[string]fs.FileMode{dir: 0o500, filepath.Join(dir, "journal"): 0o400} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o700) })
	}
	if os.Getuid() == 0 && !unprivileged(t, dir) {
		t.Skip("root may write to any directory")
	}
	d := open(t, dir)
	if _, err := d.Open(ctx, name("TEST", 1)); err != nil || len(numbersOf(t, d, 0)) != 1 {
		t.Errorf("Open: %v", err)
	}
	for what, err := range map[string]error{"Put": d.Put(ctx, name("TEST", 2), nil), "Append": d.Append(ctx, 2, lineOf(2))} {
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want an error that names the directory", what, err)
		}
	}
}
