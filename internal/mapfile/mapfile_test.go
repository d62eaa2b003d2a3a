package mapfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/walletscreen/walletscreen/internal/mapfile"
)

func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, want := range []string{"", "content"} {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		data, release, err := mapfile.Open(name)
		if err != nil || string(data) != want {
			t.Errorf("Open = %q, %v, want %q", data, err, want)
		}
		if release != nil {
			if err := release(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, _, err := mapfile.Open(filepath.Dir(name)); !errors.Is(err, mapfile.ErrIrregular) {
		t.Errorf("a directory: %v", err)
	}
	if _, _, err := mapfile.Open(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
