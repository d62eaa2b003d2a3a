package sources_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

// lines reads one address of ethereum per line.
func lines(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	var rev sources.Revision
	for in := bufio.NewScanner(r); in.Scan(); rev.Records++ {
		if in.Text() == "end" {
			break
		}
		a, err := address.Parse("ethereum", in.Text())
		if err != nil {
			return rev, fmt.Errorf("line %d: %w", rev.Records+1, err)
		}
		if err := add(sources.Entry{Address: a, Kind: score.Sanctioned}); err != nil {
			return rev, err
		}
	}
	return rev, nil
}

const (
	line1 = "0x098b716b8aaf21512996dc57eb0615e2383e2f96\n"
	line2 = "0xd882cfc20f52f2599d84b8e8d58c7fb62cfe344b\n"
	line3 = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf\n"
)

// writeFile writes a file and sets its modification time.
func writeFile(t *testing.T, name, text string, age time.Duration) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestFileConforms(t *testing.T) {
	for _, age := range []time.Duration{0, time.Hour} {
		name := filepath.Join(t.TempDir(), "list")
		writeFile(t, name, line1+line2+line3, age)
		sourcetest.Run(t, func(*testing.T) sources.Source { return sources.File(info, name, lines) })
	}
}

func TestFileIsWatched(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	parsed := 0
	src := sources.File(info, name, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		parsed++
		return lines(r, add)
	})
	if _, _, err := load(src, sources.Revision{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	var rev sources.Revision
	step := func(what string, entries, parses int, tag bool) {
		t.Helper()
		got, next, err := load(src, rev)
		if entries < 0 {
			if !errors.Is(err, sources.ErrUnchanged) || len(got) > 0 || next.Digest != rev.Digest {
				t.Errorf("%s: %d entries, %+v, %v, want ErrUnchanged", what, len(got), next, err)
			}
		} else if err != nil || len(got) != entries || next.Records != entries {
			t.Errorf("%s: %d entries, %+v, %v, want %d", what, len(got), next, err, entries)
		}
		if parsed != parses || (next.ETag != "") != tag {
			t.Errorf("%s: parsed %d times, tag %q, want %d", what, parsed, next.ETag, parses)
		}
		rev = next
	}
	const unchanged = -1
	const now = -time.Hour // however long the test takes
	writeFile(t, name, line1+line2, now)
	step("a file that was just written", 2, 1, false)
	step("the same", 2, 2, false)
	writeFile(t, name, line1+line3, now)
	digest := rev.Digest
	step("other bytes of the same length, at once", 2, 3, false)
	if rev.Digest == digest {
		t.Error("other bytes have the same digest")
	}
	writeFile(t, name, line1+line3, time.Hour)
	step("it has settled", 2, 4, true)
	step("the same", unchanged, 4, true)
	digest = rev.Digest
	writeFile(t, name, line1+line3, 2*time.Hour)
	step("touched", 2, 5, true)
	if rev.Digest != digest {
		t.Error("the same bytes have another digest")
	}
	writeFile(t, name, line1+line2, time.Minute)
	step("other bytes of the same length", 2, 6, true)
	writeFile(t, name, line1+line2+"end\nand more", time.Minute)
	step("what the parser does not read", 2, 7, true)
	digest = rev.Digest
	writeFile(t, name, line1+line2+"end\nand less", 2*time.Minute)
	step("and that changes", 2, 8, true)
	if rev.Digest == digest {
		t.Error("the digest does not cover what the parser does not read")
	}
}

// TestFileProgress checks that a file reports its bytes while it is parsed.
func TestFileProgress(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	writeFile(t, name, strings.Repeat(line1, 1000), time.Hour)
	size := int64(1000 * len(line1))
	var last int64
	calls := 0
	ctx := sources.WithProgress(t.Context(), func(read, total int64) {
		if calls++; read <= last || total != size {
			t.Errorf("%d of %d bytes after %d, want ever more of %d", read, total, last, size)
		}
		last = read
	})
	src := sources.File(sources.Info{ID: "LIST", Name: "list", Jurisdiction: sources.US}, name, lines)
	if _, err := src.Load(ctx, sources.Revision{}, func(sources.Entry) error { return nil }); err != nil || last != size || calls < 2 {
		t.Errorf("%d calls up to %d bytes, %v", calls, last, err)
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "list")
	writeFile(t, name, line1+line2+line3, time.Hour)
	if _, _, err := load(sources.File(info, dir, lines), sources.Revision{}); err == nil {
		t.Error("a directory is a list")
	}
	grows := sources.File(info, name, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.WriteString("end\n")
		return lines(r, add)
	})
	if _, _, err := load(grows, sources.Revision{}); err == nil || !strings.Contains(err.Error(), "changed while") {
		t.Errorf("a file that grows while it is read: %v", err)
	}
	// A parser that ignores the error of add does not turn a part into the whole
	// list.
	refused := errors.New("refused")
	careless := sources.File(info, name, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		return lines(r, func(e sources.Entry) error { add(e); return nil })
	})
	calls := 0
	_, err := careless.Load(context.Background(), sources.Revision{}, func(sources.Entry) error { calls++; return refused })
	if !errors.Is(err, refused) || calls != 1 {
		t.Errorf("a parser that loses errors: %v after %d calls, want %v after 1", err, calls, refused)
	}
	writeFile(t, name, line1+"no address\n", time.Hour)
	if _, _, err := load(sources.File(info, name, lines), sources.Revision{}); !errors.Is(err, address.ErrSyntax) && !errors.Is(err, address.ErrLength) ||
		!strings.Contains(err.Error(), name) {
		t.Errorf("a broken line: %v", err)
	}
}

// TestFileOfAnotherProgram checks that a program reads the file although the one before it has read a file of
// the same size and time, as in two container images.
func TestFileOfAnotherProgram(t *testing.T) {
	const variable = "WALLETSCREEN_TEST_FILE"
	if name := os.Getenv(variable); name != "" {
		_, rev, err := load(sources.File(info, name, lines), sources.Revision{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s %s;", rev.Digest, rev.ETag)
		return
	}
	name := filepath.Join(t.TempDir(), "list")
	at := time.Unix(1, 0)
	write := func(text string) {
		writeFile(t, name, text, time.Hour)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write(line1)
	before := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	before.Env = append(os.Environ(), variable+"="+name)
	out, err := before.Output()
	said, _, ok := strings.Cut(string(out), ";")
	digest, tag, _ := strings.Cut(said, " ")
	if err != nil || !ok || tag == "" {
		t.Fatalf("the program before: %q, %v", out, err)
	}
	write(line2)
	entries, rev, err := load(sources.File(info, name, lines), sources.Revision{Digest: digest, ETag: tag})
	if err != nil || len(entries) != 1 || rev.Digest == digest {
		t.Errorf("%d entries, %+v, %v, want the new file", len(entries), rev, err)
	}
}
