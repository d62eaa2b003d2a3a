package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAPI checks that a change of the public API is meant.
func TestAPI(t *testing.T) {
	want, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	// The go command reads the files, so it does not see that this test depends on them.
	// Each folder opened here is one more reason to run the test again.
	if err := filepath.WalkDir("../..", func(string, fs.DirEntry, error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	got, err := features(module)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the public API has changed (-api.txt +now). If that is meant, run go generate ./internal/api, "+
			"and say in CHANGELOG.md what changed and why:\n%s", diff)
	}
}
