package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
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

// A flagValue is the value of a flag, as package cli wants it.
type flagValue struct {
	set    func(text string) error
	shown  string // the default
	isBool bool
}

func (v *flagValue) Set(text string) error { return v.set(text) }
func (v *flagValue) Get() any              { return v.shown }
func (v *flagValue) String() string        { return v.shown }
func (v *flagValue) IsBoolFlag() bool      { return v.isBool }

// value is a flag whose texts set reads. shown is its default. The usage names the value in backquotes.
func (p *program) value(name, usage, shown string, set func(text string) error) *cli.GenericFlag {
	v := &flagValue{shown: shown, set: func(text string) error {
		p.wrongFlag, p.wrongValue = name, set(text)
		return p.wrongValue
	}}
	return &cli.GenericFlag{Name: name, Usage: usage, Value: v, Sources: cli.NewValueSourceChain(variable{variableName(name), p.env})}
}

// The flags, by the type of their values.

func (p *program) text(name, value, usage string, to *string) cli.Flag {
	*to = value
	isGiven := false
	return p.value(name, usage, value, func(text string) error {
		switch {
		case text == "" && name != "chain": // a variable of a script that was never set must not mean the default; but a chain may be unknown
			return errEmpty
		case isGiven && name == "in": // of others the last value counts, but no table must be left out in silence
			return errors.New("it is given twice")
		}
		*to, isGiven = text, true
		return nil
	})
}

func (p *program) flag(name, usage string, to *bool) cli.Flag {
	f := p.value(name, usage, "", func(text string) (err error) {
		if *to, err = strconv.ParseBool(text); err != nil {
			err = errors.New("want true or false")
		}
		return err
	})
	f.Value.(*flagValue).isBool = true
	return f
}

// duration is a flag of a time, whose default is in to.
func (p *program) duration(name, usage string, to *time.Duration) cli.Flag {
	shown := ""
	if *to > 0 {
		shown = to.String()
	}
	return p.value(name, usage, shown, func(text string) (err error) {
		*to, err = parseDuration(text)
		return err
	})
}

// limit is a flag of a time that bounds something. Zero must not mean that there is no bound, as leaving it out does.
func (p *program) limit(name, usage string, to *time.Duration) cli.Flag {
	return p.value(name, usage, "", func(text string) (err error) {
		if *to, err = parseDuration(text); err == nil && *to == 0 {
			err = errors.New("want a time above zero")
		}
		return err
	})
}

var errEmpty = errors.New("the value is empty")

// texts is a flag of some words, which is given several times, or has blanks or commas between them.
func (p *program) texts(name, usage string, to *[]string) cli.Flag {
	return p.value(name, usage, "", func(text string) error {
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
		if len(words) == 0 {
			return errEmpty
		}
		*to = append(*to, words...)
		return nil
	})
}

// pairs is a flag of ID=VALUE, which is given several times, or has commas between them.
func (p *program) pairs(name, usage string, to *[]string) cli.Flag {
	return p.value(name, usage, "", func(text string) error {
		for part := range strings.SplitSeq(text, ",") {
			id, _, ok := strings.Cut(part, "=")
			switch {
			case ok && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ") == "":
				*to = append(*to, strings.TrimSpace(part))
			case len(*to) == 0:
				return errors.New("want ID=VALUE, with an ID of capital letters, digits and underscores")
			default: // a comma within a value
				(*to)[len(*to)-1] += "," + part
			}
		}
		return nil
	})
}

// limits is a flag of ID=TIME, a time for each of some lists.
func (p *program) limits(name, usage string, to *map[string]time.Duration) cli.Flag {
	return p.value(name, usage, "", func(text string) error {
		for part := range strings.SplitSeq(text, ",") {
			id, text, ok := strings.Cut(strings.TrimSpace(part), "=")
			limit, err := parseDuration(text)
			if !ok || err != nil || limit == 0 {
				return errors.New("want ID=TIME, such as OFAC_SDN=45d")
			}
			if *to == nil {
				*to = make(map[string]time.Duration)
			}
			(*to)[id] = limit
		}
		return nil
	})
}

const (
	oneDay = 24 * time.Hour
	year   = 8766 * time.Hour // 365 days and a quarter
)

// parseDuration is [time.ParseDuration], and takes days and years, as 2d and 10y.
func parseDuration(text string) (time.Duration, error) {
	unit := time.Duration(1)
	for suffix, of := range map[string]time.Duration{"d": oneDay, "y": year} {
		if n, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = n+"h", of/time.Hour
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > math.MaxInt64/unit {
		return 0, errors.New("want a time, such as 30m, 48h, 7d or 10y")
	}
	return d * unit, nil
}

// dayOrTime returns the time that is written in RFC 3339, or the beginning of a day.
func dayOrTime(text string) (t time.Time, isDay, ok bool) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, false, true
	}
	t, err := time.Parse(time.DateOnly, text)
	return t, err == nil, err == nil
}

// parsePast returns an instant of the past, at the latest now. A day means its end.
func parsePast(text string, now time.Time) (time.Time, error) {
	at, isDay, ok := dayOrTime(text)
	if isDay {
		at = at.Add(oneDay - 1)
	}
	switch {
	case !ok:
		return at, fmt.Errorf("%.40q: want a day (2026-03-01), which means its end, or a time (2026-03-01T09:30:00Z)", text)
	case at.After(now.Add(oneDay)):
		return at, fmt.Errorf("%s is yet to come", text)
	case at.After(now):
		return now, nil
	}
	return at, nil
}

// checkEnvironment returns an error for a variable with our prefix that belongs to no flag.
func checkEnvironment(root *cli.Command, env []string) error {
	var known []string
	root.Walk(func(c *cli.Command) error {
		for _, name := range flagNames(c) {
			known = append(known, variableName(name))
		}
		return nil
	})
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "WALLETSCREEN_") || slices.Contains(known, name) || ofOrchestrator(name) {
			continue
		}
		return fmt.Errorf("unknown environment variable %s%s", name, didYouMean(name, known, ""))
	}
	return nil
}

// ofOrchestrator reports whether Kubernetes or Docker sets a variable for a service called walletscreen.
func ofOrchestrator(name string) bool {
	name = strings.TrimPrefix(name, "WALLETSCREEN_")
	return name == "SERVICE_HOST" || strings.HasPrefix(name, "SERVICE_PORT") || name == "PORT" || strings.HasPrefix(name, "PORT_") ||
		name == "NAME" || strings.HasPrefix(name, "ENV_")
}
