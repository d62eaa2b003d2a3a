package store_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/sources/store"
)

const variable = "WALLETSCREEN_TEST_SAVE_IN"

func TestMain(m *testing.M) {
	if words := strings.SplitN(os.Getenv(variable), " ", 2); len(words) == 2 {
		saveForever(words[1], words[0])
	}
	os.Exit(m.Run())
}

// saveForever saves lists of a source until it is killed, and prints the name of each
// one after it is saved.
func saveForever(dir, source string) {
	err := func() error {
		d, err := store.Open(dir)
		if err != nil {
			return err
		}
		a := journal.New(store.Retain(d, 150*time.Minute)) // an event an hour later follows each
		for n := 1; ; n++ {
			name, err := save(a, source, 100+n%7, time.Now().UTC())
			if err != nil {
				return err
			}
			rev := accepted(name).List
			rev.Checked = rev.Checked.Add(time.Hour)
			err = a.Append(ctx, accepted(name), answering(time.Now(), fmt.Sprint(n%3), name),
				journal.Event{Type: journal.Confirmed, Source: source, Revision: name, List: rev})
			if err != nil {
				return err
			}
			fmt.Println(name)
		}
	}()
	fmt.Println(err)
	os.Exit(1)
}

// TestKill kills two programs that save into one directory, at many moments, and checks
// the directory: each file is whole, the newest revision is the last accepted one or a
// later one, every appended line can be read, and there are only files of a store. The
// system may cut short the line that is being written, where a page of the file ends: it
// is skipped, and reported as damage.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	names := []string{"TEST", "TEST_2"}
	written := make(map[string]int) // Accepted events that were reported
	kills := 0
	for range longtest.N(4, 60) {
		children := make([]*exec.Cmd, len(names))
		saved := make([]string, len(names))
		outputs := make([]*bufio.Scanner, len(names))
		for i, source := range names {
			child := exec.Command(self)
			child.Env = append(os.Environ(), variable+"="+source+" "+dir)
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			children[i], outputs[i] = child, bufio.NewScanner(out)
		}
		note := func(i int) bool {
			if !outputs[i].Scan() {
				return false
			}
			name := outputs[i].Text()
			if _, _, _, ok := revision.ParseName(name); ok { // the last line may be cut
				saved[i] = name
				written[name]++
			}
			return true
		}
		for i := range names {
			if !note(i) || saved[i] == "" {
				t.Fatalf("the program that saves does not: %q", outputs[i].Text())
			}
		}
		time.Sleep(rand.N(20 * time.Millisecond))
		for i, child := range children {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			kills++
			for note(i) {
			}
			child.Wait()
		}
		left(t, dir, names, saved)
	}
	read := make(map[string]int)
	events := 0
	_, err = journal.New(open(t, dir)).Read(ctx, 0, func(e journal.Event) {
		events++
		if e.Type == journal.Accepted {
			read[e.Revision]++
		}
	})
	journal, _ := os.ReadFile(filepath.Join(dir, "journal"))
	lines := len(bytes.FieldsFunc(journal, func(r rune) bool { return r == '\n' }))
	if cut := lines - events; cut < 0 || cut > kills || (err != nil) != (cut > 0) || err != nil && !errors.Is(err, store.ErrDamaged) {
		t.Errorf("the journal: %d events in %d lines after %d kills, %v", events, lines, kills, err)
	}
	for name, n := range written {
		if read[name] != n {
			t.Errorf("%s was accepted %d times, and the journal says %d", name, n, read[name])
		}
	}
}

// left checks the directory of two programs after they were killed.
func left(t *testing.T, dir string, sources, saved []string) {
	t.Helper()
	a := journal.New(open(t, dir))
	for i, source := range sources {
		all, err := a.Revisions(ctx, source)
		if err != nil || !slices.Contains(all, saved[i]) || slices.Index(all, saved[i]) > 1 {
			t.Fatalf("revisions %q, %v, want %s, or one that was accepted after it", all, err, saved[i])
		}
		for _, name := range all {
			f, err := a.Open(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range f.Entries() {
				if n++; err != nil {
					t.Fatal(err)
				}
			}
			if n != f.Revision.Records-1 {
				t.Fatalf("%s has %d entries, want %d", name, n, f.Revision.Records-1)
			}
		}
		got, err := a.Answering(ctx, time.Now().Add(time.Hour), func(e journal.Event) bool { return e.Lists[source] != "" })
		if err == nil && got.Lists[source] < saved[i] {
			t.Fatalf("answered from %s, want %s or later", got.Lists[source], saved[i])
		}
	}
	for _, name := range files(t, dir) {
		if _, _, _, ok := revision.ParseName(name); !ok && name != "journal" && !strings.HasPrefix(name, ".walletscreen-new-") {
			t.Fatalf("killed, and there is %s", name)
		}
	}
}
