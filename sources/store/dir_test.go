package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/line"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/sources/store"
)

func TestConforms(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() (store.Store, error) {
		dir := filepath.Join(t.TempDir(), "new")
		return func() (store.Store, error) { return store.Open(dir) }
	})
}

var ctx = context.Background()

func open(t testing.TB, dir string) store.Store {
	t.Helper()
	d, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestReadTail appends lines, and reads only the last ones, as a program does that follows the journal: the
// lines before must not be read again.
func TestReadTail(t *testing.T) {
	d := open(t, t.TempDir())
	for n := uint64(1); n <= 50; n++ {
		l, _ := line.Format(n, []byte("{}"))
		if err := d.Append(ctx, n, l); err != nil {
			t.Fatal(err)
		}
		for _, from := range []uint64{n, n + 1} {
			var got []uint64
			err := d.Read(ctx, from, func(b []byte) error {
				l, _ := line.Parse(b)
				got = append(got, l.Seq)
				return nil
			})
			if err != nil || len(got) != 1 || got[0] != n {
				t.Errorf("read from line %d of %d: lines %v, %v, want the last one alone", from, n, got, err)
			}
		}
	}
}

// files returns the names in a directory.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		names = append(names, f.Name())
	}
	return names
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, data []byte, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// name returns the name of the n-th file of a source.
func name(source string, n int) string {
	return stays.Name{Source: source, First: 1, Last: uint32(n), Sum: fmt.Sprintf("%032x", n)}.String()
}

// lineOf returns the line with a number.
func lineOf(n uint64) []byte {
	l, _ := line.Format(n, fmt.Appendf(nil, `{"line":%d}`, n))
	return l
}

// fill puts a file and appends a line.
func fill(t testing.TB, st store.Store, n int) {
	t.Helper()
	if err := errors.Join(st.Put(ctx, name("TEST", n), fmt.Append(nil, n)), st.Append(ctx, uint64(n), lineOf(uint64(n)))); err != nil {
		t.Fatal(err)
	}
}

// numbersOf returns the numbers of the lines of a store, 0 for one that is damaged.
func numbersOf(t testing.TB, st store.Store, from uint64) (all []uint64) {
	t.Helper()
	err := st.Read(ctx, from, func(b []byte) error {
		l, _ := line.Parse(b)
		all = append(all, l.Seq)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFiles checks the names and the modes of the files.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	fill(t, open(t, dir), 1)
	if got := files(t, dir); !slices.Equal(got, []string{name("TEST", 1), "journal", "lock"}) {
		t.Errorf("files %q", got)
	}
	for _, f := range files(t, dir) {
		info, err := os.Stat(filepath.Join(dir, f))
		if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s is %v, %v", f, info, err)
		}
	}
}

// TestNames checks that only names of files of lists can name a file.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	d := open(t, filepath.Join(dir, "store"))
	good := name("A_1", 1)
	write(t, nil, filepath.Join(dir, "outside"))
	for _, name := range []string{"", ".", "..", "journal", "lock", "../outside", "x/" + good, "../" + good, strings.ToLower(good), good + "\x00", " " + good} {
		_, opened := d.Open(ctx, name)
		for what, err := range map[string]error{"Open": opened, "Put": d.Put(ctx, name, nil), "Delete": d.Delete(ctx, name)} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s of %q: %v, want ErrNotFound", what, name, err)
			}
		}
	}
	if got := files(t, filepath.Join(dir, "store")); len(got) > 0 {
		t.Errorf("files %q, want none", got)
	}
}

// TestDamagedLines cuts and changes the end of the journal: the next line is appended after the last one that is
// not damaged, and spoils nothing.
func TestDamagedLines(t *testing.T) {
	for what, tt := range map[string]struct {
		damage func([]byte) []byte
		want   []uint64
	}{
		"cut":               {func(b []byte) []byte { return b[:len(b)-5] }, []uint64{1, 2, 0, 3, 4}},
		"without line feed": {func(b []byte) []byte { return b[:len(b)-1] }, []uint64{1, 2, 3, 4}},
		"changed":           {func(b []byte) []byte { b[len(b)-5] ^= 1; return b }, []uint64{1, 2, 0, 3, 4}},
		"zeros":             {func(b []byte) []byte { return append(b, make([]byte, 10_000)...) }, []uint64{1, 2, 3, 0, 4}},
		"garbage":           {func(b []byte) []byte { return append(b, bytes.Repeat([]byte("garbage\n"), 20_000)...) }, nil},
		"gone":              {func([]byte) []byte { return nil }, []uint64{1}},
	} {
		dir := t.TempDir()
		d := open(t, dir)
		for n := range 3 {
			fill(t, d, n+1)
		}
		numbersOf(t, d, 0) // it remembers where a line begins
		write(t, tt.damage(read(t, dir, "journal")), dir, "journal")
		for n := uint64(1); n <= 4; n++ {
			if err := d.Append(ctx, n, lineOf(n)); err != nil && !errors.Is(err, store.ErrMoved) {
				t.Errorf("%s: %v", what, err)
			} else if err == nil && tt.want != nil && len(tt.want) == 1 {
				break
			}
		}
		got := numbersOf(t, d, 0)
		if tt.want != nil && !slices.Equal(got, tt.want) || got[len(got)-1] == 0 {
			t.Errorf("%s: the lines are %v, want %v", what, got, tt.want)
		}
		if all := numbersOf(t, open(t, dir), 0); !slices.Equal(all, got) {
			t.Errorf("%s: opened again: %v, want %v", what, all, got)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	open(t, dir)
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the directory is %v, %v, want it for the owner alone", info, err)
	}
	write(t, nil, dir, ".walletscreen-new-1")
	write(t, nil, dir, "notes.txt")
	hour := time.Now().Add(-time.Hour)
	for _, name := range files(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, name), hour, hour); err != nil {
			t.Fatal(err)
		}
	}
	d := open(t, dir)
	if got := files(t, dir); !slices.Equal(got, []string{"notes.txt"}) {
		t.Errorf("after Open there is %q, want the incomplete file removed, and nothing else", got)
	}
	if names, err := d.Names(ctx); len(names) > 0 || err != nil {
		t.Errorf("Names = %q, %v, want none", names, err)
	}
	if _, err := store.Open(filepath.Join(dir, "notes.txt")); err == nil {
		t.Error("a file was opened as a directory")
	}
	// The directory of the program walletscreen has its store one level below.
	if err := os.MkdirAll(filepath.Join(dir, "store"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, nil, dir, "store/journal")
	if _, err := store.Open(dir); err == nil || !strings.HasSuffix(err.Error(), "open that") {
		t.Errorf("opened the directory around a store: %v", err)
	}
	open(t, filepath.Join(dir, "store"))
}

// TestOwner checks that what root writes belongs to the owner of the directory, as root imports lists beside a server.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this needs root")
	}
	const nobody = 65534
	data := t.TempDir()
	if err := os.Chown(data, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	d := open(t, filepath.Join(data, "store"))
	if err := errors.Join(d.Put(ctx, name("TEST", 1), []byte("x")), d.Append(ctx, 1, lineOf(1))); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := filepath.WalkDir(data, func(path string, _ fs.DirEntry, _ error) error {
		info, err := os.Stat(path)
		if n++; err == nil && !strings.Contains(fmt.Sprintf("%+v", info.Sys()), "Uid:65534 ") {
			t.Errorf("%s belongs to another user: %+v", path, info.Sys())
		}
		return err
	})
	if err != nil || n != 5 {
		t.Errorf("%d files, %v", n, err)
	}

	// A server may be another user than the owner of the directory.
	lock := filepath.Join(data, "store", "lock")
	if err := errors.Join(os.Chown(lock, nobody-1, nobody-1), d.Append(ctx, 2, lineOf(2))); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(lock); err != nil || !strings.Contains(fmt.Sprintf("%+v", info.Sys()), "Uid:65533 ") {
		t.Errorf("the lock was taken from its user: %+v, %v", info.Sys(), err)
	}
}

// TestVanished removes the directory and checks that the error names it: the store must
// not look empty.
func TestVanished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	d := open(t, dir)
	fill(t, d, 1)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, opened := d.Open(ctx, name("TEST", 1))
	_, listed := d.Names(ctx)
	for what, err := range map[string]error{
		"Open": opened, "Names": listed, "Read": d.Read(ctx, 0, func([]byte) error { return nil }), "Put": d.Put(ctx, name("TEST", 2), nil),
		"Delete": d.Delete(ctx, name("TEST", 1)), "Append": d.Append(ctx, 2, lineOf(2)),
	} {
		if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want an error that names the directory", what, err)
		}
	}
}

// TestLongLine appends the longest line that Read does not take for a damaged one, and refuses a longer one.
func TestLongLine(t *testing.T) {
	d := open(t, t.TempDir())
	for _, n := range []int{64<<20 + 1, 64 << 20} {
		l, _ := line.Format(1, bytes.Repeat([]byte("x"), n-len("1 0123456789abcdef ")))
		err := d.Append(ctx, 1, l)
		if len(l) != n || (err == nil) != (n == 64<<20) {
			t.Errorf("a line of %d bytes: %v", len(l), err)
		}
	}
	if got := numbersOf(t, d, 0); !slices.Equal(got, []uint64{1}) {
		t.Errorf("the lines are %v, want 1", got)
	}
}

// TestGluedLine loses the line feed before a line that is as long as what is read first to find the last line: Read takes
// both for one damaged line, and Append must not take the second one for the last.
func TestGluedLine(t *testing.T) {
	dir := t.TempDir()
	second, _ := line.Format(2, bytes.Repeat([]byte("x"), 64<<10-len("2 0123456789abcdef \n")))
	write(t, slices.Concat(lineOf(1), []byte("\ndamaged"), second, []byte("\n")), dir, "journal")
	d := open(t, dir)
	fill(t, d, 2)
	if got, want := numbersOf(t, d, 0), []uint64{1, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("the lines are %v, want %v", got, want)
	}
}

// TestEndlessLine ends the journal with half a gigabyte without a line feed, as a crash or a full disk may leave it. The line
// before is found, and another one appended, without all that in memory.
func TestEndlessLine(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	fill(t, d, 1)
	fill(t, d, 2)
	const size = 512 << 20
	if err := os.Truncate(filepath.Join(dir, "journal"), size); err != nil {
		t.Fatal(err)
	}
	for what, use := range map[string]func(){
		"Append":    func() { fill(t, d, 3) },
		"Read":      func() { numbersOf(t, d, 0) },
		"Read from": func() { numbersOf(t, d, 3) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		use()
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 2*size { // which is 2 to 3 GB if the line is read whole
			t.Errorf("%s allocates %d bytes", what, after.TotalAlloc-before.TotalAlloc)
		}
	}
	if got, want := numbersOf(t, d, 0), []uint64{1, 2, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("the lines are %v, want %v", got, want)
	}
}
