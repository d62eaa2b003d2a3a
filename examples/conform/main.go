// Conform asks a system that screens crypto addresses questions whose answers are known,
// and says which it gets wrong. README.md explains how to connect a system, and how to
// propose a case.
//
//	go -C examples/conform run . -system ours
//
// It exits 1 if a sanctioned account came out clean, and 2 if nothing could be tried.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
)

//go:generate go run . -generate .

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "conform:", err)
	}
	os.Exit(code)
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) (int, error) {
	set := flag.NewFlagSet("conform", flag.ContinueOnError)
	set.SetOutput(stderr)
	kind := set.String("system", "ours", "what to ask: ours, http or command")
	config := set.String("config", "", "the file of the template, or the name of one in templates")
	theme := set.String("theme", "", "ask only the cases of this theme")
	jsonFile := set.String("json", "", "write the answers to this file, as JSON")
	pageFile := set.String("html", "", "write the failures to this file, as a page")
	resume := set.String("resume", "", "take the answers that were tried from this file of -json")
	dir := set.String("generate", "", "write the cases again into the folder of this example, and end")
	if err := set.Parse(args); err != nil {
		return 2, err
	}
	if *dir != "" {
		if err := generateInto(*dir); err != nil {
			return 2, err
		}
		return 0, nil
	}
	name, ask, err := connect(ctx, *kind, *config, getenv)
	if err != nil {
		return 2, err
	}
	folder, err := fs.Sub(files, "cases")
	if err != nil {
		return 2, err
	}
	cases, err := readCases(folder)
	if err != nil {
		return 2, err
	}
	if *theme != "" {
		if !slices.Contains(themes, *theme) {
			return 2, fmt.Errorf("-theme is %q, want one of %q", *theme, themes)
		}
		cases = slices.DeleteFunc(cases, func(c Case) bool { return c.Theme != *theme })
	}
	before, err := answersIn(*resume, name)
	if err != nil {
		return 2, err
	}
	results := askAll(ctx, ask, cases, before, stderr)
	writeTable(stdout, cases, results)
	write := func(name string, f func(w io.Writer) error) error {
		if name == "" {
			return nil
		}
		w, err := os.Create(name)
		if err != nil {
			return err
		}
		return errors.Join(f(w), w.Close())
	}
	err = errors.Join(
		write(*jsonFile, func(w io.Writer) error { return writeJSON(w, name, results) }),
		write(*pageFile, func(w io.Writer) error { return writePage(w, name, cases, results) }))
	if err != nil {
		return 2, err
	}
	return outcome(results)
}

// askAll puts the cases to a system that are not among the answers before.
func askAll(ctx context.Context, ask system, cases []Case, before map[string]Answer, progress io.Writer) []Result {
	results := make([]Result, len(cases))
	for i := range cases {
		a, ok := before[cases[i].ID]
		switch {
		case ok:
		case ctx.Err() != nil:
			a = Answer{isNotTried, "interrupted"}
		default:
			a = ask(ctx, &cases[i])
		}
		results[i] = judge(&cases[i], a)
		if (i+1)%100 == 0 {
			fmt.Fprintf(progress, "%d of %d cases\n", i+1, len(cases))
		}
	}
	return results
}

// outcome returns the exit code of a run.
func outcome(results []Result) (int, error) {
	tried, worst := 0, 0
	for _, r := range results {
		if r.Is != isNotTried {
			tried++
		}
		if r.Failure == sanctioned {
			worst++
		}
	}
	switch {
	case tried == 0:
		return 2, fmt.Errorf("no case could be tried: %s", results[0].Detail)
	case worst > 0:
		return 1, fmt.Errorf("%d sanctioned accounts came out clean", worst)
	}
	return 0, nil
}

// connect returns the system to ask, and its name.
func connect(ctx context.Context, kind, config string, getenv func(string) string) (string, system, error) {
	switch kind {
	case "ours":
		ask, err := ours(ctx)
		return "walletscreen, in-process", ask, err
	case "http", "command":
		if config == "" {
			return "", nil, fmt.Errorf("-system %s needs -config, the file of a template", kind)
		}
		t, err := readTemplate(config)
		if err != nil {
			return "", nil, err
		}
		if kind == "http" == (t.URL == "") {
			return "", nil, fmt.Errorf("%s is not a template of the kind %s", config, kind)
		}
		ask, err := t.ask(getenv)
		return t.Name, ask, err
	}
	return "", nil, fmt.Errorf("-system is %q, want ours, http or command", kind)
}

// answersIn returns the answers that a file of -json has and that were tried.
func answersIn(name, system string) (map[string]Answer, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.System != system {
		return nil, fmt.Errorf("%s has the answers of %s, not of %s", name, r.System, system)
	}
	answers := make(map[string]Answer)
	for _, one := range r.Results {
		if one.Is != isNotTried {
			answers[one.ID] = one.Answer
		}
	}
	return answers, nil
}
