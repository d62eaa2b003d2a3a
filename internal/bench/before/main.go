// Command before compares the speed of this tree with a commit before it. It builds the
// benchmarks of both, runs them in turn, and prints the lowest time of each benchmark that both
// have, and the ratio:
//
//	go run ./before [-commit b6856ed] [-rounds 8] [-bench REGEXP]
//
// It runs in the folder of its module, needs git with the history of the commit, and should have
// the machine to itself.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// packages have the benchmarks.
var packages = []string{"address", "screening"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("before: ")
	commit := flag.String("commit", "b6856ed", "the commit to compare with")
	rounds := flag.Int("rounds", 8, "how often each benchmark runs on each side")
	bench := flag.String("bench", "^BenchmarkScreen$/^n=1000$|^BenchmarkParseEVM$|^BenchmarkFindAll$", "which benchmarks, as for go test")
	flag.Parse()
	if err := compare(*commit, *rounds, *bench); err != nil {
		log.Fatal(err)
	}
}

// compare prints the comparison.
func compare(commit string, rounds int, bench string) error {
	dir, err := os.MkdirTemp("", "before")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	now, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	before := filepath.Join(dir, "tree")
	if err := extract(now, commit, before); err != nil {
		return err
	}
	lowest := [2]map[string]float64{{}, {}}
	var names []string
	for range rounds {
		for side, tree := range []string{before, now} {
			for _, pkg := range packages {
				results, err := run(filepath.Join(tree, pkg), filepath.Join(dir, fmt.Sprint(pkg, side)), bench)
				if err != nil {
					return err
				}
				for name, ns := range results {
					if had, ok := lowest[side][name]; !ok || ns < had {
						lowest[side][name] = ns
					}
					if !slices.Contains(names, name) {
						names = append(names, name)
					}
				}
			}
		}
	}
	slices.Sort(names)
	fmt.Printf("%-48s %12s %12s %8s\n", "", commit+", ns", "now, ns", "now/then")
	for _, name := range names {
		a, ok := lowest[0][name]
		if b, both := lowest[1][name]; ok && both {
			fmt.Printf("%-48s %12.1f %12.1f %8.2f\n", name, a, b, b/a)
		}
	}
	return nil
}

// extract writes the files of a commit to a new folder.
func extract(repository, commit, folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	archive := exec.Command("git", "-C", repository, "archive", commit)
	unpack := exec.Command("tar", "-x", "-C", folder)
	var err error
	if unpack.Stdin, err = archive.StdoutPipe(); err != nil {
		return err
	}
	archive.Stderr, unpack.Stderr = os.Stderr, os.Stderr
	if err := archive.Start(); err != nil {
		return err
	}
	return errors.Join(unpack.Run(), archive.Wait())
}

// run runs the benchmarks of the package in a folder, whose test program it builds if it is not
// there, and returns the time of each operation in ns.
func run(folder, program, bench string) (map[string]float64, error) {
	if _, err := os.Stat(program); err != nil {
		build := exec.Command("go", "test", "-c", "-o", program, ".")
		build.Dir, build.Stderr = folder, os.Stderr
		if err := build.Run(); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(program, "-test.run", "^$", "-test.bench", bench, "-test.benchtime", "50ms")
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", folder, err, out)
	}
	results := make(map[string]float64)
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		// BenchmarkScreen/n=1000/miss/ours-2   	 1000000	        40.1 ns/op ...
		if f := strings.Fields(lines.Text()); len(f) >= 4 && f[3] == "ns/op" {
			ns, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				return nil, err
			}
			results[filepath.Base(folder)+" "+strings.TrimPrefix(f[0], "Benchmark")] = ns
		}
	}
	return results, nil
}
