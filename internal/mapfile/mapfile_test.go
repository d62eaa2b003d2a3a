package mapfile_test

import (
	"errors"
	"fmt"
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
		m, err := mapfile.Open(name)
		if err != nil || string(m.Bytes) != want {
			t.Fatalf("Open = %v, %v, want %q", m, err, want)
		}
		if err := m.Free(); err != nil {
			t.Error(err)
		}
	}
	if _, err := mapfile.Open(filepath.Dir(name)); !errors.Is(err, mapfile.ErrIrregular) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := mapfile.Open(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestArray checks that elements stay as they were while an Array grows, also beyond its
// first piece.
func TestArray(t *testing.T) {
	const size, n = 12, 1<<19 + 1000
	var a mapfile.Array
	element := func(i int) string { return fmt.Sprintf("%012d", i) }
	for i := range n {
		b, err := a.Append(size)
		if err != nil {
			t.Fatal(err)
		}
		copy(b, element(i))
	}
	if a.Len() != n {
		t.Fatalf("%d elements, want %d", a.Len(), n)
	}
	i := 0
	for _, piece := range a.Pieces() {
		for ; len(piece) > 0; piece = piece[size:] {
			if got := string(piece[:size]); got != element(i) || string(a.At(i)) != got {
				t.Fatalf("element %d: %q, and At %q", i, got, a.At(i))
			}
			i++
		}
	}
	if i != n {
		t.Errorf("%d elements in pieces, want %d", i, n)
	}
	a.Free()
}
