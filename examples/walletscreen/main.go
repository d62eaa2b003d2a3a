// Walletscreen screens wallet addresses against sanctions and risk lists.
//
//	go run ./examples/walletscreen
//	go run ./examples/walletscreen screen -in customers.csv -out verdicts.csv
//
// The first is walletscreen serve: it answers over HTTP at once, from the lists that the
// program brings along, refreshes them in the background, and prints how old they are, an
// API key and a curl line to try. The other commands are screen, validate, extract, history,
// lists, keys, receipt, audit, health and version; each explains itself with -help. None needs a configuration, a network
// or a database.
//
// A flag is written -in or --in. Each has an environment variable, WALLETSCREEN_IN for
// -in and so on; the flag wins. The folder deploy has what goes around serve.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/walletscreen/walletscreen/sources/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	p := &program{env: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	code := p.runUntil(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

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
	code           int // the exit code of a command that succeeded

	ending atomic.Int64 // how long a server that answers has to end, in nanoseconds

	store      store.Store // the lists, once a command other than serve has opened them
	closeStore func()
}

// When a signal has come, a command has endsWithin to end, and a server that answers has
// servesWithin beside -drain-delay, which is more than it takes to answer what has begun.
const (
	endsWithin   = 2 * time.Second
	servesWithin = 30 * time.Second
)

// runUntil is run, but returns some time after ctx has ended, even if the command hangs: it
// may be opening a pipe that nobody writes to, which no context interrupts.
func (p *program) runUntil(ctx context.Context, args []string) int {
	ended := make(chan int, 1)
	go func() { ended <- p.run(ctx, args) }()
	select {
	case code := <-ended:
		return code
	case <-ctx.Done():
	}
	patience := endsWithin
	if serves := p.ending.Load(); serves > 0 {
		patience = time.Duration(serves)
	}
	select {
	case code := <-ended:
		return code
	case <-time.After(patience):
		fmt.Fprintln(p.stderr, "walletscreen: stopped by a signal while it waited for a file or for the network")
		return exitUndecided
	}
}

// run runs the command in args and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	err := p.command(ctx, args)
	if p.closeStore != nil {
		p.closeStore()
	}
	if err == nil {
		return p.code
	}
	if !errors.Is(err, errSilent) {
		fmt.Fprintln(p.stderr, "walletscreen:", err)
	}
	return exitUndecided
}

// errSilent is an error that the command has explained already.
var errSilent = errors.New("explained already")
