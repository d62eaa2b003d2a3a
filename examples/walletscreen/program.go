package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/sources/store"
)

// The exit codes.
const (
	exitClean     = 0 // everything is clean, or valid, or done
	exitMatch     = 1 // something is listed
	exitUndecided = 2 // something could not be decided, or the call was wrong
)

// A program is one call of walletscreen.
type program struct {
	env            []string // in the form of os.Environ
	stdin          io.Reader
	stdout, stderr io.Writer
	unwritten      error // the first error of stdout
	code           int   // the exit code of a command that succeeded
	json           bool  // -json
	lists          listOptions

	ending atomic.Int64 // how long a server that answers has to end, in nanoseconds

	store      store.Store // the lists, once a command has opened them
	closeStore func()
	warn       func(text string)
}

// Write writes to the standard output. It remembers the first error, which run returns.
func (p *program) Write(text []byte) (int, error) {
	n, err := p.stdout.Write(text)
	p.unwritten = cmp.Or(p.unwritten, err)
	return n, err
}

// printJSON prints v as one line.
func (p *program) printJSON(v any) { p.unwritten = cmp.Or(p.unwritten, writeJSON(p, v)) }

// item prints v as one line with -json, and else adds cells to a table.
func (p *program) item(v any, t *layout, cells ...string) {
	if p.json {
		p.printJSON(v)
	} else {
		t.add(cells...)
	}
}

// errSilent is an error that the command has explained already.
var errSilent = errors.New("explained already")

// command returns a command. Each line of the synopsis is another way to call it; if the first one
// ends with the flags, it takes no arguments. Its errors begin with its name.
func (p *program) command(name, synopsis, usage, description string, flags []cli.Flag, do func(context.Context, []string) error) *cli.Command {
	text := "walletscreen " + name + " "
	first, _, _ := strings.Cut(synopsis, "\n")
	return &cli.Command{
		Name: name[strings.LastIndexByte(name, ' ')+1:], Usage: usage, Description: description, Flags: flags,
		UsageText: text + strings.ReplaceAll(synopsis, "\n", "\n"+text),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := p.setFlags(name, flags); err != nil {
				return err
			}
			var err error
			if args := c.Args(); args.Present() && strings.HasSuffix(first, "[flags]") {
				err = unexpected(args.First())
			} else {
				err = do(ctx, args.Slice())
			}
			if err != nil && !errors.Is(err, errSilent) {
				return fmt.Errorf("%s: %w", name, err)
			}
			return err
		},
	}
}

// setFlags sets the flags of a command to what is given or, if nothing is, to their environment variables.
func (p *program) setFlags(command string, flags []cli.Flag) error {
	for _, f := range flags {
		name := f.Names()[0]
		v, texts, where := f.(*cli.GenericFlag).Value.(*flagValue), []string(nil), command+": -"+name
		if texts = v.texts; texts == nil {
			text, err := p.fromEnvironment(name)
			if err != nil {
				return err
			}
			if text != "" {
				texts, where = []string{text}, variableName(name)
			}
		}
		for _, text := range texts {
			if err := v.set(text); err != nil { // one of package cli would quote the text, which may be a secret
				return fmt.Errorf("%s: %w", where, err)
			}
		}
	}
	return nil
}

// lookup returns the value of an environment variable. An empty one counts as unset.
func (p *program) lookup(name string) string {
	for _, pair := range p.env {
		if value, ok := strings.CutPrefix(pair, name+"="); ok && value != "" {
			return value
		}
	}
	return ""
}

// secretFlags are the flags whose values may have a password or a token in them. Each has a second
// variable that ends with _FILE, for secrets that Docker and Kubernetes mount as files.
var secretFlags = []string{"db", "api-key", "rpc", "mirror", "webhook"}

// maxSecret bounds the length of such a file.
const maxSecret = 64 << 10

// fromEnvironment returns what the environment gives a flag, or "".
func (p *program) fromEnvironment(flag string) (string, error) {
	name := variableName(flag)
	text, file := p.lookup(name), p.lookup(name+"_FILE")
	if file == "" || !slices.Contains(secretFlags, flag) {
		return text, nil
	}
	if text != "" {
		return "", fmt.Errorf("%s and %[1]s_FILE are both set: unset one", name)
	}
	secret, err := readSecret(file, maxSecret)
	if err == nil {
		if text = strings.TrimSpace(string(secret)); text == "" {
			err = fmt.Errorf("%s is empty", file)
		}
	}
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", name, err)
	}
	return text, nil
}
