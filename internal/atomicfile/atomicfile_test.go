package atomicfile_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

const variable = "WALLETSCREEN_TEST_WRITE"

func TestMain(m *testing.M) {
	if name := os.Getenv(variable); name != "" {
		writeForever(name)
	}
	os.Exit(m.Run())
}

// content returns the n-th content: lines that repeat n.
func content(n int) string { return strings.Repeat(fmt.Sprintln(n), 1000+n%7) }

func writeForever(name string) {
	for n := 0; ; n++ {
		err := atomicfile.Write(name, 0o600, func(f *os.File) error {
			_, err := f.WriteString(content(n))
			return err
		})
		if err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for n, perm := range []os.FileMode{0o600, 0o644} {
		err := atomicfile.Write(name, perm, func(f *os.File) error {
			_, err := f.WriteString(content(n))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil || string(got) != content(n) {
			t.Fatalf("read %.20q, %v, want %.20q", got, err, content(n))
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode() != perm {
			t.Errorf("mode %v, want %v", info.Mode(), perm)
		}
	}
	refused := errors.New("refused")
	for what, write := range map[string]func(*os.File) error{
		"an error":      func(f *os.File) error { f.WriteString("x"); return refused },
		"a closed file": func(f *os.File) error { return f.Close() },
	} {
		err := atomicfile.Write(name, 0o600, write)
		if err == nil || what == "an error" && err != refused {
			t.Errorf("%s: error %v", what, err)
		}
		if got, _ := os.ReadFile(name); string(got) != content(1) {
			t.Errorf("after %s the file has changed: %.20q", what, got)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("files %q, want one", got)
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "file"), 0o600, func(*os.File) error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a directory that does not exist: %v", err)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	old, young, other := ".walletscreen-new-1", ".walletscreen-new-2", ".new-3"
	for _, name := range []string{old, young, other} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hour := time.Now().Add(-time.Hour)
	for _, name := range []string{old, other} {
		if err := os.Chtimes(filepath.Join(dir, name), hour, hour); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, dir), []string{other, young}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q: only old files of this package are removed", got, want)
	}
	if err := atomicfile.Sweep(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Sweep of no directory: %v", err)
	}
}

// TestKill kills a program that writes, at many moments: the file has one of its
// contents, whole, and at least the last one that the program reported.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for i := range longtest.N(8, 100) {
		child := exec.Command(self)
		child.Env = append(os.Environ(), variable+"="+name)
		var out strings.Builder
		child.Stdout = &out
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20*time.Millisecond + time.Duration(i%10)*time.Millisecond)
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		child.Wait()
		reported := -1
		for line := range strings.Lines(out.String()) {
			if strings.HasSuffix(line, "\n") {
				fmt.Sscan(line, &reported)
			}
		}
		got, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) && reported < 0 {
			continue
		}
		n := -1
		fmt.Sscan(string(got), &n)
		if err != nil || n < reported || string(got) != content(n) {
			t.Fatalf("killed after content %d was written, and read %.20q…, %d bytes, %v", reported, got, len(got), err)
		}
	}
}
