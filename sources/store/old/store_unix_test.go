//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// TestNoFile has a pipe, to which nobody writes, in the place of each file: there is an
// error where its content is needed, and nothing is waited for.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	l := list(1, time.Date(2026, 11, 21, 4, 57, 29, 0, time.UTC))
	snap := &sources.Snapshot{Digest: l.Revision.Digest, Since: l.Accepted}
	if err := d.Save(ctx, l); err != nil {
		t.Fatal(err)
	}
	if err := d.Confirm(ctx, "TEST", l.Revision); err != nil {
		t.Fatal(err)
	}
	if err := d.SaveSnapshot(ctx, snap); err != nil {
		t.Fatal(err)
	}
	all := files(t, dir)
	for _, name := range all {
		dir := t.TempDir()
		for _, other := range all {
			data, err := os.ReadFile(filepath.Join(d.Path(), other))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, other), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		d := open(t, dir, nil)
		wrong := func(what string, err error, suffix string) {
			t.Helper()
			if (err != nil) != strings.HasSuffix(name, suffix) || err != nil && !strings.Contains(err.Error(), "not a file") {
				t.Errorf("%s is a pipe: %s: %v", name, what, err)
			}
		}
		_, err := d.Load(ctx, "TEST", sources.Stored{Digest: l.Revision.Digest, Accepted: l.Accepted})
		wrong("Load", err, ".list")
		_, err = d.LoadSnapshot(ctx, sources.Stored{Digest: snap.Digest, Accepted: snap.Since})
		wrong("LoadSnapshot", err, ".json")
		wrong("Confirm", d.Confirm(ctx, "TEST", l.Revision), ".checks")
	}
	if len(all) != 4 {
		t.Errorf("files %q, want a list, its checks, when it was checked, and a snapshot", all)
	}
}
