package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

	wrongFlag  string // the last flag that was set
	wrongValue error  // why its value is wrong, or nil

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

// item prints v as one line or, for people, adds cells to a table.
func (p *program) item(asJSON bool, v any, t *layout, cells ...string) {
	if asJSON {
		p.printJSON(v)
	} else {
		t.add(cells...)
	}
}

// errSilent is an error that the command has explained already.
var errSilent = errors.New("explained already")

// command returns a command. Each line of the synopsis is another way to call it; if the first one
// ends with the flags, it takes no arguments. Its errors begin with its name.
func command(name, synopsis, usage, description string, flags []cli.Flag, do func(context.Context, []string) error) *cli.Command {
	text := "walletscreen " + name + " "
	first, _, _ := strings.Cut(synopsis, "\n")
	return &cli.Command{
		Name: name[strings.LastIndexByte(name, ' ')+1:], Usage: usage, Description: description, Flags: flags,
		UsageText: text + strings.ReplaceAll(synopsis, "\n", "\n"+text),
		Action: func(ctx context.Context, c *cli.Command) error {
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
