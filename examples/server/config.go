package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// A config is what the flags and the environment say.
type config struct {
	addr    string
	opsAddr string
	data    string
	db      string
	keys    []string
	offline bool

	exceptions string

	tlsCert, tlsKey string

	audit        string
	auditKey     string
	auditDurable bool
	auditKeep    time.Duration
}

// usage is what stands before the flags in the help.
const usage = `server screens crypto wallet addresses over HTTP.

  server [flags]       run until SIGINT or SIGTERM
  server keys [flags]  make, list, rotate and revoke API keys: see server keys -help

Each flag has an environment variable, WALLETSCREEN_ADDR for -addr and so on; the
flag wins.

Flags:
`

// parseFlags reads the flags in args, and the environment for those that are not
// there.
func parseFlags(args []string, getenv func(string) string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`address` to listen on")
	flags.StringVar(&c.data, "data", "", "`directory` for what must outlast a restart: the lists, in lists, and, without -db, the API keys and quotas (default: kept in memory)")
	flags.StringVar(&c.db, "db", "", dbUsage+", or in memory)")
	flags.Func("api-key", "an API `key` to let in, for trying out, beside those that are kept; may be given several times (default: one is made if none is kept)", func(s string) error {
		if s == "" {
			return errors.New("the key is empty")
		}
		c.keys = append(c.keys, s)
		return nil
	})
	flags.BoolVar(&c.offline, "offline", false, "never fetch a list; answer from the bundled ones and those in -data, whichever are newer")
	flags.StringVar(&c.exceptions, "exceptions", "", "`file` of accounts that are not to count, each a line of JSON: {\"chain\": \"…\", \"address\": \"…\", \"reason\": \"…\", \"author\": \"…\"}, and if wanted source, ref, created_at and expires_at; it may be replaced while the server runs, which looks each minute (default: none)")
	flags.StringVar(&c.opsAddr, "ops-addr", "", "`address` of a second listener, for operators only: /livez, /readyz, /metrics (default: none; 127.0.0.1:9090 is usual)")
	flags.StringVar(&c.tlsCert, "tls-cert", "", "PEM `file` of the certificate and its chain; it may be replaced while the server runs, which looks each minute and at SIGHUP (default: no TLS)")
	flags.StringVar(&c.tlsKey, "tls-key", "", "PEM `file` of the certificate's key")
	flags.StringVar(&c.audit, "audit", "", "`directory` for a record of each screening; what cannot be recorded is not answered (default: none)")
	flags.StringVar(&c.auditKey, "audit-key", "", "with -audit, a `file` with a key in hex, of at least 32 bytes: record the HMAC-SHA-256 of an address instead of it")
	flags.BoolVar(&c.auditDurable, "audit-durable", false, "with -audit, answer when the record is on the disk, not before")
	flags.DurationVar(&c.auditKeep, "audit-keep", 0, "with -audit, remove files this `time` after their last record, as in 8760h (default: never)")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	return c, fromEnvironment(flags, getenv)
}

// fromEnvironment sets the flags that were not given from the environment, as far
// as it has them.
func fromEnvironment(flags *flag.FlagSet, getenv func(string) string) error {
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
	return err
}
