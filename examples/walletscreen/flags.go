package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

// A flagValue is the value of a flag, as package cli wants it. It keeps the texts that are given, which [program.setFlags] reads.
type flagValue struct {
	set    func(text string) error
	shown  string // the default
	isBool bool
	texts  []string
}

func (v *flagValue) Set(text string) error { v.texts = append(v.texts, text); return nil }
func (v *flagValue) Get() any              { return v.shown }
func (v *flagValue) String() string        { return v.shown }
func (v *flagValue) IsBoolFlag() bool      { return v.isBool }

// newFlag is a flag whose texts set reads. shown is its default. The usage names the value in backquotes.
func newFlag(name, usage, shown string, set func(text string) error) *cli.GenericFlag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: &flagValue{set: set, shown: shown}}
}

// The flags, by the type of their values.

func textFlag(name, value, usage string, to *string) cli.Flag {
	*to = value
	isGiven := false
	return newFlag(name, usage, value, func(text string) error {
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

func boolFlag(name, usage string, to *bool) cli.Flag {
	f := newFlag(name, usage, "", func(text string) (err error) {
		if *to, err = strconv.ParseBool(text); err != nil {
			err = errors.New("want true or false")
		}
		return err
	})
	f.Value.(*flagValue).isBool = true
	return f
}

// durationFlag is a flag of a time, whose default is in to.
func durationFlag(name, usage string, to *time.Duration) cli.Flag {
	shown := ""
	if *to > 0 {
		shown = to.String()
	}
	return newFlag(name, usage, shown, func(text string) (err error) {
		*to, err = parseDuration(text)
		return err
	})
}

// limitFlag is a flag of a time that bounds something. Zero must not mean that there is no bound, as leaving it out does.
func limitFlag(name, usage string, to *time.Duration) cli.Flag {
	return newFlag(name, usage, "", func(text string) (err error) {
		if *to, err = parseDuration(text); err == nil && *to == 0 {
			err = errors.New("want a time above zero")
		}
		return err
	})
}

var errEmpty = errors.New("the value is empty")

// textsFlag is a flag of some words, which is given several times, or has blanks or commas between them.
func textsFlag(name, usage string, to *[]string) cli.Flag {
	return newFlag(name, usage, "", func(text string) error {
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
		if len(words) == 0 {
			return errEmpty
		}
		*to = append(*to, words...)
		return nil
	})
}

// pairsFlag is a flag of ID=VALUE, which is given several times, or has commas between them.
func pairsFlag(name, usage string, to *[]string) cli.Flag {
	return newFlag(name, usage, "", func(text string) error {
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

// limitsFlag is a flag of ID=TIME, a time for each of some lists.
func limitsFlag(name, usage string, to *map[string]time.Duration) cli.Flag {
	return newFlag(name, usage, "", func(text string) error {
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

// variableName returns the name of the environment variable of a flag.
func variableName(flag string) string {
	return "WALLETSCREEN_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
