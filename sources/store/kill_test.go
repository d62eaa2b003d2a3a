package store_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/sources/store"
)

const variable = "WALLETSCREEN_TEST_SAVE_IN"

func TestMain(m *testing.M) {
	if words := strings.SplitN(os.Getenv(variable), " ", 2); len(words) == 2 {
		saveForever(words[1], words[0])
	}
	os.Exit(m.Run())
}

// saveForever puts files of a source and appends lines until it is killed, and prints the number of each line.
func saveForever(dir, source string) {
	err := func() error {
		d, err := store.Open(dir)
		if err != nil {
			return err
		}
		for n := uint64(1); ; n++ {
			if err := d.Put(ctx, name(source, int(n%7)+1), bytes.Repeat([]byte{byte(n % 7)}, 10_000)); err != nil {
				return err
			}
			switch err := d.Append(ctx, n, lineOf(n)); {
			case err == nil:
				fmt.Println(n)
			case !errors.Is(err, store.ErrMoved):
				return err
			}
		}
	}()
	fmt.Println(err)
	os.Exit(1)
}

// TestKill kills two programs that write to one directory, at many moments: each file is whole, each line that was
// reported is there once, in order, and there are only files of a store.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	reported := make(map[uint64]int)
	rounds := longtest.N(4, 60)
	for range rounds {
		out, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var children []*exec.Cmd
		for _, source := range []string{"TEST", "TEST_2"} {
			child := exec.Command(self)
			child.Env = append(os.Environ(), variable+"="+source+" "+dir)
			child.Stdout = w
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			children = append(children, child)
		}
		w.Close()
		var lines []string
		output := bufio.NewScanner(out)
		if output.Scan() { // one of them has written a line
			lines = append(lines, output.Text())
		}
		time.Sleep(rand.N(50 * time.Millisecond))
		for _, child := range children {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		for output.Scan() {
			lines = append(lines, output.Text())
		}
		for _, child := range children {
			child.Wait()
		}
		out.Close()
		for _, text := range lines {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatal(text)
			}
			reported[n]++
		}
		d := open(t, dir)
		names, err := d.Names(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := d.Open(ctx, name)
			if err != nil || len(data) != 10_000 || bytes.Count(data, data[:1]) != len(data) {
				t.Fatalf("%s has %d bytes, %v", name, len(data), err)
			}
		}
		for _, name := range files(t, dir) {
			if _, ok := stays.ParseName(name); !ok && name != "journal" && name != "lock" && !strings.HasPrefix(name, ".walletscreen-new-") {
				t.Fatalf("killed, and there is %s", name)
			}
		}
	}
	next := uint64(1)
	for _, n := range numbersOf(t, open(t, dir), 0) {
		if n == 0 { // cut short
			continue
		}
		if n != next || reported[n] > 1 {
			t.Fatalf("line %d follows line %d, and was reported %d times", n, next-1, reported[n])
		}
		next++
	}
	for n := range reported {
		if n >= next {
			t.Errorf("line %d was reported, and is not there", n)
		}
	}
	if len(reported) < rounds {
		t.Errorf("%d lines were appended", len(reported))
	}
}
