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
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	p := &program{env: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	code := p.runUntil(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// endsWithin is how long a command has to end when a signal has come.
const endsWithin = 2 * time.Second

// runUntil is run, but returns soon after ctx has ended, even if a command hangs in opening a pipe.
func (p *program) runUntil(ctx context.Context, args []string) int {
	ended := make(chan int, 1)
	go func() { ended <- p.run(ctx, args) }()
	var late <-chan time.Time
	for stop := ctx.Done(); ; {
		select {
		case code := <-ended:
			return code
		case <-stop:
			stop, late = nil, time.After(cmp.Or(time.Duration(p.ending.Load()), endsWithin))
		case <-late:
			fmt.Fprintln(p.stderr, "walletscreen: stopped by a signal while it waited for a file or for the network")
			return exitUndecided
		}
	}
}

// run runs the command in args and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	err := p.dispatch(ctx, args)
	err = cmp.Or(err, p.unwritten)
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

func (p *program) dispatch(ctx context.Context, args []string) error {
	root := p.root()
	if err := p.checkEnvironment(root); err != nil {
		return err
	}
	args, err := commandLine(root, args)
	if err != nil {
		return err
	}
	return root.Run(ctx, append([]string{root.Name}, args...))
}

func (p *program) root() *cli.Command {
	root := &cli.Command{
		Name:  "walletscreen",
		Usage: "screens wallet addresses against sanctions and risk lists",
		Description: "Exit codes: 0 if everything is clean, 1 if something is listed, 2 if something could not\n" +
			"be decided or the call was wrong. Each flag has an environment variable, WALLETSCREEN_IN for\n" +
			"-in and so on; the flag wins. Verdicts have colors on a terminal, unless NO_COLOR is set.\n\n" +
			"The guides, such as docs/screen.md, are in examples/walletscreen of\n" +
			"https://github.com/walletscreen/walletscreen",
		Commands: []*cli.Command{
			p.serveCommand(&serveOptions{}),
			p.screenCommand(),
			p.validateCommand(),
			p.extractCommand(),
			p.historyCommand(),
			p.listsCommand(),
			p.keysCommand(),
			p.receiptCommand(),
			p.auditCommand(),
			p.healthCommand(),
			p.versionCommand(),
		},
		Reader: p.stdin, Writer: p.stdout, ErrWriter: p.stderr,
		HideVersion:           true,
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(c *cli.Command) {
			p.finish(c)
			c.Hidden = false
			c.Usage = "prints a script that completes commands and flags in bash, zsh, fish or pwsh"
			c.UsageText = "walletscreen completion bash\nwalletscreen completion zsh\nwalletscreen completion fish\nwalletscreen completion pwsh"
			c.Description = "To have it in each new shell, paste what is for yours:\n\n" +
				"  echo 'source <(walletscreen completion bash)' >> ~/.bashrc\n" +
				"  echo 'source <(walletscreen completion zsh)' >> ~/.zshrc\n" +
				"  mkdir -p ~/.config/fish/completions\n" +
				"  walletscreen completion fish > ~/.config/fish/completions/walletscreen.fish\n" +
				"  walletscreen completion pwsh > $HOME/walletscreen.ps1\n" +
				"  Add-Content $PROFILE '. $HOME/walletscreen.ps1'"
		},
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // run says the error
	}
	setHelpPrinter()
	p.finish(root)
	return root
}

// setHelpPrinter sets the variable of package cli once, for commands that run at the same time.
var setHelpPrinter = sync.OnceFunc(func() { cli.HelpPrinter = printHelp })

// finish sets what all commands below and including c have alike.
func (p *program) finish(c *cli.Command) {
	c.Walk(func(c *cli.Command) error {
		c.HideHelpCommand, c.OnUsageError = true, p.usageError
		return nil
	})
}

// commandLine returns args as the library wants them: the command first, and of a call for help nothing
// but the command. It returns an error that names the command that was meant.
func commandLine(root *cli.Command, args []string) ([]string, error) {
	switch {
	case len(args) > 0 && args[0] == "help":
		args = append(slices.Clone(args[1:]), "-help")
	case len(args) > 0 && (args[0] == "-version" || args[0] == "--version"):
		args = append([]string{"version"}, args[1:]...)
	case len(args) == 0 || strings.HasPrefix(args[0], "-") && !isHelp(args[0]):
		args = append([]string{"serve"}, args...)
	}
	c := root
	for i, arg := range args {
		next := c.Command(arg)
		switch {
		case isHelp(arg), i == 0 && arg == "completion":
			return args, nil
		case next == nil && strings.HasPrefix(arg, "-"):
			return nil, fmt.Errorf("%s: which command? Want %s, and flags behind it", strings.Join(args[:i], " "), orList(commandNames(c)))
		case next == nil && !isShown(arg):
			return nil, fmt.Errorf("unknown command of %d characters; to screen an address: walletscreen screen ADDRESS", len(arg))
		case next == nil:
			return nil, fmt.Errorf("unknown command %q%s", strings.Join(args[:i+1], " "), didYouMean(arg, commandNames(c), ""))
		case len(next.Commands) == 0:
			if n := slices.IndexFunc(args, isHelp); n > i && !slices.Contains(args[:n], "--") {
				args = append(slices.Clone(args[:i+1]), "-help")
			}
			return args, nil
		}
		c = next
	}
	return nil, fmt.Errorf("%s: which command? Want %s", strings.Join(args, " "), orList(commandNames(c)))
}

func isHelp(arg string) bool { return slices.Contains([]string{"-h", "-help", "--help"}, arg) }

func commandNames(c *cli.Command) []string {
	var names []string
	for _, sub := range c.Commands {
		if sub.Name != "completion" {
			names = append(names, sub.Name)
		}
	}
	return names
}

// usageError explains an error in the flags of a command.
func (p *program) usageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	text := err.Error()
	command := strings.TrimPrefix(c.FullName(), c.Root().Name+" ")
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		hint := didYouMean(name, flagNames(c), "-")
		if other := withFlag(c.Root(), name); !strings.Contains(hint, "did you mean") && other != "" {
			hint = "; did you mean " + other + " -" + name + "?"
		}
		return fmt.Errorf("%s: unknown flag -%s%s", command, name, hint)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return fmt.Errorf("%s: -%s needs a value", command, strings.TrimLeft(name, "-"))
	}
	return fmt.Errorf("%s: %w", command, err)
}

// withFlag returns the first command below root that has a flag, or "".
func withFlag(root *cli.Command, name string) (found string) {
	root.Walk(func(c *cli.Command) error {
		if found == "" && c != root && slices.Contains(flagNames(c), name) {
			found = c.FullName()
		}
		return nil
	})
	return found
}

func flagNames(c *cli.Command) []string {
	var names []string
	for _, f := range c.Flags {
		names = append(names, f.Names()[0])
	}
	return names
}

// checkEnvironment returns an error for a variable with our prefix that belongs to no flag.
func (p *program) checkEnvironment(root *cli.Command) error {
	var known, files []string
	for _, name := range secretFlags {
		files = append(files, variableName(name)+"_FILE")
	}
	root.Walk(func(c *cli.Command) error {
		for _, name := range flagNames(c) {
			known = append(known, variableName(name))
		}
		return nil
	})
	for _, pair := range p.env {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "WALLETSCREEN_") && !slices.Contains(known, name) && !slices.Contains(files, name) && !ofOrchestrator(name) {
			return fmt.Errorf("unknown environment variable %s%s", name, didYouMean(name, known, ""))
		}
	}
	return nil
}

// ofOrchestrator reports whether Kubernetes or Docker sets a variable for a service called walletscreen.
func ofOrchestrator(name string) bool {
	name = strings.TrimPrefix(name, "WALLETSCREEN_")
	return name == "SERVICE_HOST" || strings.HasPrefix(name, "SERVICE_PORT") || name == "PORT" || strings.HasPrefix(name, "PORT_") ||
		name == "NAME" || strings.HasPrefix(name, "ENV_")
}
