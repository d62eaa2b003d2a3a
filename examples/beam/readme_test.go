package main

import (
	"compress/gzip"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestReadme runs the command lines of the program in README.md and scale.md on this
// machine's runner. Of those for a cluster, it checks the flags.
func TestReadme(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"README.md", "../walletscreen/docs/scale.md"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	dir, _ := lists(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	table := "chain,address\nethereum," + evmText(1) + "\nethereum," + evmText(1<<32) + "\nethereum,nonsense\n"
	for _, name := range []string{"rows.csv", "customers-1.csv"} {
		if err := os.WriteFile(name, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create("customers.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	z.Write([]byte("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2\n"))
	z.Close()
	f.Close()
	runs, clusters := 0, 0
	for _, m := range regexp.MustCompile("(?m)(?:^    |`)((?:time )?(?:\\./)?(?:beam|go build) [^`\n]*)").FindAllStringSubmatch(text.String(), -1) {
		line := strings.TrimPrefix(m[1], "time ")
		if line == "go build ." {
			if longtest.Enabled() { // it links for some seconds
				cmd := exec.Command("go", "build", "-o", filepath.Join(t.TempDir(), "beam"), ".")
				cmd.Dir = here
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
			}
			continue
		}
		args := strings.Fields(strings.NewReplacer("'", "", " DIR ", " "+dir+" ").Replace(line))[1:]
		if args[0] == "…" {
			clusters++
			for i := 1; i < len(args); i += 2 {
				name := strings.TrimPrefix(args[i], "-")
				if flag.Lookup(name) == nil {
					t.Errorf("%s: Beam has no flag -%s", line, name)
				}
				if name == "runner" && !slices.Contains([]string{"flink", "spark", "dataflow"}, args[i+1]) {
					t.Errorf("%s: no such runner", line)
				}
			}
			continue
		}
		runs++
		var j job
		flags := flag.NewFlagSet("beam", flag.ContinueOnError)
		j.flags(flags)
		if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
			t.Errorf("%s: %v, arguments %q", line, err, flags.Args())
			continue
		}
		want := counts{rows: 3, hits: 1, invalid: 1}
		if j.rows.Format == "text" {
			want = counts{rows: 1}
		}
		if j.lists == "" { // the bundled lists
			want.hits = 0
		}
		if got, err := j.run(t.Context()); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", line, got, err, want)
		}
	}
	if runs != 5 || clusters != 3 {
		t.Errorf("%d command lines were run, and %d are for clusters; want 5 and 3", runs, clusters)
	}
}
