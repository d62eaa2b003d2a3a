package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"
)

// command runs the command in args.
func (p *program) command(ctx context.Context, args []string) error {
	var err error
	if p.env, err = withSecretFiles(p.env); err != nil {
		return err
	}
	root := p.root()
	if err := checkEnvironment(root, p.env); err != nil {
		return err
	}
	args, err = commandLine(root, args)
	if err != nil {
		return err
	}
	err = root.Run(ctx, append([]string{root.Name}, args...))
	if err != nil {
		text := strings.TrimSuffix(err.Error(), "parse error")
		if text != err.Error() { // of a boolean flag
			text += "want true or false"
		}
		if m := ofFlag.FindStringSubmatch(text); m != nil {
			return fmt.Errorf("%s-%s: %s", m[1], m[2], m[3]) // without the value, which may be a secret
		}
		if m := ofVariable.FindStringSubmatch(text); m != nil {
			return fmt.Errorf("%s: %s", m[1], m[2])
		}
	}
	return err
}

// ofFlag and ofVariable match the library's errors about a value.
var (
	ofFlag     = regexp.MustCompile(`(?s)^([a-z ]+: )?invalid value ".*" for flag -([a-z-]+): (.*)$`)
	ofVariable = regexp.MustCompile(`(?s)^could not parse ".*" as .* value from (WALLETSCREEN_[A-Z_]+) for flag [a-z-]+: (.*)$`)
)

// root returns the tree of commands.
func (p *program) root() *cli.Command {
	root := &cli.Command{
		Name:  "walletscreen",
		Usage: "screens wallet addresses against sanctions and risk lists",
		Description: "Exit codes: 0 if everything is clean, 1 if something is listed, 2 if something could not\n" +
			"be decided or the call was wrong. Each flag has an environment variable, WALLETSCREEN_IN for\n" +
			"-in and so on; the flag wins. Verdicts have colors on a terminal, unless NO_COLOR is set.",
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
			finish(c)
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
	finish(root)
	return root
}

// setHelpPrinter sets the variable of package cli once, for commands that run at the same time.
var setHelpPrinter = sync.OnceFunc(func() { cli.HelpPrinter = printHelp })

// subcommand returns a command below another one. It takes arguments unless its synopsis ends with
// the flags, and its errors begin with its name.
func subcommand(parent, name, synopsis, usage, description string, flags []cli.Flag, do func(context.Context, []string) error) *cli.Command {
	name = parent + " " + name
	return &cli.Command{
		Name: name[len(parent)+1:], Usage: usage, UsageText: "walletscreen " + name + " " + synopsis, Description: description, Flags: flags,
		Action: func(ctx context.Context, c *cli.Command) error {
			var err error
			if args := c.Args(); args.Present() && strings.HasSuffix(synopsis, "[flags]") {
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

// finish sets what all commands below and including c have alike.
func finish(c *cli.Command) {
	c.HideHelpCommand = true
	c.DisableSliceFlagSeparator = true
	c.OnUsageError = usageError
	for _, sub := range c.Commands {
		finish(sub)
	}
}

// commandLine returns args as the library wants them: the command first, or an error
// that names the command that was meant.
func commandLine(root *cli.Command, args []string) ([]string, error) {
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "-help")
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") && !isHelp(args[0]) && args[0] != "-version" && args[0] != "--version" {
		return append([]string{"serve"}, args...), nil
	}
	if isHelp(args[0]) || args[0] == "completion" {
		return args, nil
	}
	if args[0] == "-version" || args[0] == "--version" {
		return append([]string{"version"}, args[1:]...), nil
	}
	return withCommand(root, args)
}

// withCommand checks that args begin with a command and those below it, down to one that does
// something.
func withCommand(root *cli.Command, args []string) ([]string, error) {
	for c, i := root, 0; len(c.Commands) > 0; i++ {
		path := strings.TrimPrefix(strings.TrimPrefix(c.FullName(), root.Name), " ")
		if i >= len(args) {
			return nil, fmt.Errorf("%s: which command? Want %s", path, orList(commandNames(c)))
		}
		if strings.HasPrefix(args[i], "-") {
			if isHelp(args[i]) {
				return args, nil
			}
			return nil, fmt.Errorf("%s: a command comes before %s: %s", strings.TrimSpace(root.Name+" "+path), args[i], orList(commandNames(c)))
		}
		next := c.Command(args[i])
		if next == nil {
			if plausible(args[i]) || len(args[i]) > maxShown {
				return nil, fmt.Errorf("unknown command of %d characters; to screen an address: walletscreen screen ADDRESS", len(args[i]))
			}
			return nil, fmt.Errorf("unknown command %q%s", strings.TrimSpace(path+" "+args[i]), didYouMean(args[i], commandNames(c), ""))
		}
		c = next
		if n := slices.IndexFunc(args, isHelp); n > i && len(c.Commands) == 0 && !slices.Contains(args[:n], "--") {
			args = append(slices.Clone(args[:i+1]), "-help") // help for the command, whatever else is there
		}
	}
	return args, nil
}

func isHelp(arg string) bool { return slices.Contains([]string{"-h", "-help", "--help"}, arg) }

// commandNames returns the names of the commands below c.
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
func usageError(_ context.Context, c *cli.Command, err error, _ bool) error {
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

// withFlag returns the first command at or below c that has a flag, or "".
func withFlag(c *cli.Command, name string) string {
	if slices.Contains(flagNames(c), name) && c != c.Root() {
		return c.FullName()
	}
	for _, sub := range c.Commands {
		if found := withFlag(sub, name); found != "" {
			return found
		}
	}
	return ""
}

func flagNames(c *cli.Command) []string {
	var names []string
	for _, f := range c.Flags {
		names = append(names, f.Names()[0])
	}
	return names
}

// A variable is the environment variable of a flag. An empty one counts as unset.
type variable struct {
	name string
	env  []string
}

func variableName(flag string) string {
	return "WALLETSCREEN_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Lookup returns the value of the variable, as [cli.ValueSource] says.
func (v variable) Lookup() (string, bool) {
	for _, pair := range v.env {
		if value, ok := strings.CutPrefix(pair, v.name+"="); ok && value != "" {
			return value, true
		}
	}
	return "", false
}

func (v variable) String() string   { return v.name }
func (v variable) GoString() string { return v.name }
func (v variable) IsFromEnv() bool  { return true }
func (v variable) Key() string      { return v.name }
func (p *program) source(f string) cli.ValueSourceChain {
	return cli.NewValueSourceChain(variable{variableName(f), p.env})
}

// The flags, by the type of their values. The usage names the value in backquotes.

func (p *program) text(name, value, usage string, to *string) cli.Flag {
	return &cli.StringFlag{Name: name, Value: value, Usage: usage, Destination: to, Sources: p.source(name)}
}

func (p *program) flag(name, usage string, to *bool) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: usage, Destination: to, Sources: p.source(name)}
}

func (p *program) duration(name, usage string, to *time.Duration) cli.Flag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: &durationValue{to}, Sources: p.source(name)}
}

func (p *program) texts(name, usage string, to *[]string) cli.Flag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: &textsValue{to}, Sources: p.source(name)}
}

func (p *program) pairs(name, usage string, to *[]string) cli.Flag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: &pairsValue{textsValue{to}}, Sources: p.source(name)}
}

func (p *program) limits(name, usage string, to *map[string]time.Duration) cli.Flag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: &limitsValue{to}, Sources: p.source(name)}
}

// A limitsValue is a time for each of some lists, as ID=TIME.
type limitsValue struct{ to *map[string]time.Duration }

func (v *limitsValue) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		id, text, ok := strings.Cut(strings.TrimSpace(part), "=")
		var limit time.Duration
		if err := (&durationValue{&limit}).Set(text); !ok || err != nil || limit == 0 {
			return errors.New("want ID=TIME, such as OFAC_SDN=45d")
		}
		if *v.to == nil {
			*v.to = make(map[string]time.Duration)
		}
		(*v.to)[id] = limit
	}
	return nil
}

func (v *limitsValue) Get() any       { return *v.to }
func (v *limitsValue) String() string { return "" }

// A pairsValue is a list of ID=VALUE, from a flag that is given several times or a
// variable with commas between them.
type pairsValue struct{ textsValue }

func (v *pairsValue) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		id, _, ok := strings.Cut(part, "=")
		switch {
		case ok && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ") == "":
			*v.to = append(*v.to, strings.TrimSpace(part))
		case len(*v.to) == 0:
			return errors.New("want ID=VALUE, with an ID of capital letters, digits and underscores")
		default: // a comma within a value
			(*v.to)[len(*v.to)-1] += "," + part
		}
	}
	return nil
}

// A durationValue is a [time.Duration] that also takes days and years, as 2d and 10y.
type durationValue struct{ to *time.Duration }

const (
	oneDay = 24 * time.Hour
	year   = 8766 * time.Hour // 365 days and a quarter
)

func (v *durationValue) Set(s string) error {
	unit := time.Duration(1)
	for suffix, of := range map[string]time.Duration{"d": oneDay, "y": year} {
		if n, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = n+"h", of/time.Hour
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > math.MaxInt64/unit {
		return errors.New("want a time, such as 30m, 48h, 7d or 10y")
	}
	*v.to = d * unit
	return nil
}

func (v *durationValue) Get() any { return *v.to }

func (v *durationValue) String() string {
	if v.to == nil || *v.to == 0 {
		return ""
	}
	if *v.to%year == 0 {
		return strconv.Itoa(int(*v.to/year)) + "y"
	}
	return v.to.String()
}

// A textsValue is a list of strings, from a flag that is given several times or a
// variable with blanks or commas between them.
type textsValue struct{ to *[]string }

func (v *textsValue) Set(s string) error {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
	if len(words) == 0 {
		return errors.New("the value is empty")
	}
	*v.to = append(*v.to, words...)
	return nil
}

func (v *textsValue) Get() any { return *v.to }

func (v *textsValue) String() string {
	if v.to == nil {
		return ""
	}
	return strings.Join(*v.to, ",")
}
