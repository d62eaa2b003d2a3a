package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

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
