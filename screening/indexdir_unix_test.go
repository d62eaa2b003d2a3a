//go:build unix

package screening_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestIndexDirNoFile has something else in the place of each file: nothing is waited for,
// the list is read from the store, and what can be replaced is.
func TestIndexDirNoFile(t *testing.T) {
	for what, make := range map[string]func(name string) error{
		"a pipe":      func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"a directory": func(name string) error { return os.Mkdir(name, 0o700) },
		"itself":      func(name string) error { return os.Symlink(name, name) },
		"a device":    func(name string) error { return os.Symlink("/dev/zero", name) },
	} {
		t.Run(what, func(t *testing.T) {
			h, src := short(t)
			want := heldShort(t, h.opened(t, 4, src))
			for _, name := range append(h.names(t, ".json"), h.names(t, ".index")...) {
				h := h.copy(t)
				name := filepath.Join(h.indexes, filepath.Base(name))
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
				if err := make(name); err != nil {
					t.Fatal(err)
				}
				s, _ := h.start(t, src)
				if heldShort(t, s) != want {
					t.Errorf("%s is %s, and another list is held:\n%s", filepath.Base(name), what, &h.log)
				}
				again, loads := h.start(t, src)
				if heldShort(t, again) != want || loads > 0 && what != "a directory" {
					t.Errorf("%s was %s: %d lists are read from the store:\n%s", filepath.Base(name), what, loads, &h.log)
				}
			}
		})
	}
}

// TestIndexDirOfStore has the indexes and the lists in one directory: neither removes
// what is the other's.
func TestIndexDirOfStore(t *testing.T) {
	h := newHome(t)
	h.indexes = h.lists
	src := &flaky{info: ofac, load: numbered(1, 1)}
	s := h.loaded(t, src)
	theirs := filepath.Join(h.indexes, ofac.ID+"-notes.txt")
	if err := os.WriteFile(theirs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 3; n++ {
		files, err := filepath.Glob(filepath.Join(h.lists, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if err := os.Chtimes(name, day, day); err != nil {
				t.Fatal(err)
			}
		}
		src.load = numbered(n, 1, n)
		refresh(t, s)
		for _, name := range files {
			if _, err := os.Stat(name); err != nil && !strings.HasSuffix(name, ".index") {
				t.Error(err)
			}
		}
	}
	if lists := h.names(t, ".list"); len(lists) != 3 {
		t.Errorf("there are %q, want all three lists", lists)
	}
	if all := h.names(t, ".index"); len(all) != 2 { // TestIndexDirFiles has the others
		t.Errorf("there are %q", all)
	}
}

// TestIndexDirAside has somebody who reads the manifest while the next one is written:
// what was begun is read to its end, and there is nothing half made.
func TestIndexDirAside(t *testing.T) {
	h, src := newHome(t), &flaky{info: ofac, load: numbered(1, 1)}
	s := h.loaded(t, src)
	name := h.names(t, ".json")[0]
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	src.load = numbered(2, 1, 2)
	refresh(t, s)
	if read, err := io.ReadAll(reader); err != nil || !bytes.Equal(read, before) {
		t.Errorf("read\n%s\n%v, want\n%s", read, err, before)
	}
	if after, err := os.ReadFile(name); err != nil || bytes.Equal(after, before) {
		t.Errorf("the manifest is as it was, %v", err)
	}
}
