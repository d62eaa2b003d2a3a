package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// A config is what the flags and the environment say.
type config struct {
	addr    string
	data    string
	keys    []string
	offline bool
}

// parseFlags reads the flags in args, and the environment for those that are not
// there.
func parseFlags(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`address` to listen on")
	flags.StringVar(&c.data, "data", "", "`directory` for what must outlast a restart: the lists, and the hash of the API key (default: kept in memory)")
	flags.Func("api-key", "an API `key` to let in, for trying out; may be given several times (default: one is made)", func(s string) error {
		if s == "" {
			return errors.New("the key is empty")
		}
		c.keys = append(c.keys, s)
		return nil
	})
	flags.BoolVar(&c.offline, "offline", false, "never fetch a list; answer from the bundled ones")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var err error
	flags.VisitAll(func(f *flag.Flag) {
		name := "WALLETSCREEN_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value := getenv(name)
		if value == "" || given[f.Name] || err != nil {
			return
		}
		values := []string{value}
		if f.Name == "api-key" {
			values = strings.Fields(strings.ReplaceAll(value, ",", " "))
		}
		for _, v := range values {
			if flags.Set(f.Name, v) != nil {
				err = fmt.Errorf("%s: the value cannot be used; see -help for -%s", name, f.Name)
			}
		}
	})
	return c, err
}
