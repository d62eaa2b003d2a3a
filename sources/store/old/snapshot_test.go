package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	store "github.com/walletscreen/walletscreen/sources/store/old"
)

// TestSnapshotDamage changes every byte of a snapshot, and cuts it everywhere: it
// is refused, and named again.
func TestSnapshotDamage(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	since := time.Date(2026, 11, 21, 4, 57, 29, 0, time.UTC)
	snap := &sources.Snapshot{
		Digest: fmt.Sprintf("%064x", 1), Since: since,
		Lists:      map[string]sources.Stored{"TEST": {Digest: fmt.Sprintf("%064x", 2), Accepted: since}},
		Exceptions: "some",
	}
	if err := d.SaveSnapshot(ctx, snap); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, files(t, dir)[0])
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			all, err := d.Snapshots(ctx)
			if err != nil || len(all) != 1 {
				t.Fatalf("%s: snapshots %+v, %v, want it named", what, all, err)
			}
			if got, err := d.LoadSnapshot(ctx, all[0]); !errors.Is(err, sources.ErrDamaged) || !strings.Contains(err.Error(), name) {
				t.Fatalf("%s: LoadSnapshot = %+v, %v, want ErrDamaged with the name", what, got, err)
			}
		}
	}
	for i := range good {
		refused(fmt.Sprintf("cut at %d", i), good[:i])
		bad := slices.Clone(good)
		bad[i] ^= 1
		refused(fmt.Sprintf("changed at %d", i), bad)
	}
	refused("longer", append(slices.Clone(good), '\n'))
	other := filepath.Join(dir, strings.Replace(filepath.Base(name), "29.0", "29.1", 1)) // another's name
	if err := os.WriteFile(other, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := d.LoadSnapshot(ctx, sources.Stored{Digest: snap.Digest, Accepted: since.Add(100 * time.Millisecond)}); !errors.Is(err, sources.ErrDamaged) {
		t.Errorf("under another name: %+v, %v", got, err)
	}
}

// TestSnapshotsDropped keeps two revisions, one an hour, and finds which snapshots
// are kept: those that held when the first of the lists was accepted, or later.
func TestSnapshotsDropped(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, &store.Options{Keep: 2})
	start := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for i := range 5 {
		l := list(i+1, start.Add(time.Duration(i)*time.Hour))
		later := l.Revision
		later.Checked = later.Checked.Add(time.Minute)
		s := &sources.Snapshot{Digest: l.Revision.Digest, Since: l.Accepted.Add(time.Second)}
		if err := errors.Join(d.Save(ctx, l), d.Confirm(ctx, "TEST", later), d.SaveSnapshot(ctx, s)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := d.Snapshots(ctx)
	if err != nil || len(all) != 3 || all[2].Accepted != start.Add(2*time.Hour+time.Second) {
		t.Errorf("snapshots %+v, %v, want three", all, err)
	}
	checks, err := filepath.Glob(filepath.Join(dir, "*.checks"))
	if err != nil || len(checks) != 2 {
		t.Errorf("checks %q, %v, want those of two revisions", checks, err)
	}
}

// TestChecksDamage cuts a line of the checks short, as a loss of power may: the
// others are read.
func TestChecksDamage(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir, nil)
	l := list(1, time.Date(2026, 11, 21, 4, 57, 29, 0, time.UTC))
	if err := d.Save(ctx, l); err != nil {
		t.Fatal(err)
	}
	at := func(n int) time.Time { return l.Accepted.Add(time.Duration(n) * time.Hour) }
	confirm := func(n int) {
		t.Helper()
		rev := l.Revision
		rev.Checked = at(n)
		if err := d.Confirm(ctx, "TEST", rev); err != nil {
			t.Fatal(err)
		}
	}
	confirm(1)
	confirm(2)
	names, err := filepath.Glob(filepath.Join(dir, "*.checks"))
	if err != nil || len(names) != 1 {
		t.Fatalf("checks %q, %v", names, err)
	}
	info, err := os.Stat(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(names[0], info.Size()-1); err != nil {
		t.Fatal(err)
	}
	confirm(3)
	confirm(4)
	got, err := d.Load(ctx, "TEST", sources.Stored{Digest: l.Revision.Digest, Accepted: l.Accepted})
	if want := []time.Time{at(0), at(1), at(3), at(4)}; err != nil || !slices.Equal(got.Checks, want) {
		t.Errorf("checks %v, %v, want %v", got.Checks, err, want)
	}
}
