package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// keysUsage is the help of the command keys.
const keysUsage = `server keys manages the API keys in the database of a server, also while it
runs: what is changed is in force on all replicas within five seconds.

  server keys create [flags]      make a key, and write its token to standard output
  server keys list                list all keys, with what they have used this month
  server keys rotate [flags] ID   give a key a new secret, and write its token
  server keys revoke ID           let a key in no more

A token is shown once, when it is made; what is kept is a hash. With -db or -data,
tell the database as you tell the server.

Flags:
`

// A keysCommand is a call of the command keys.
type keysCommand struct {
	db, data string
	key      access.Key    // of create
	overlap  time.Duration // of rotate
	id       string        // of rotate and revoke
}

// runKeys runs the command keys: what is asked for goes to stdout, the rest to
// stderr.
func runKeys(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	var c keysCommand
	flags := flag.NewFlagSet("server keys", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, keysUsage)
		flags.PrintDefaults()
	}
	flags.StringVar(&c.db, "db", "", dbUsage+")")
	flags.StringVar(&c.data, "data", "", "`directory` of the server's data")
	var do func(context.Context, *keyStore, io.Writer) error
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	switch verb {
	case "create":
		do = c.create
		flags.StringVar(&c.key.ID, "id", "", "public `id` of the key: up to 200 bytes (default: made up)")
		flags.StringVar(&c.key.Name, "name", "", "`name` of who has the key")
		flags.Int64Var(&c.key.Quota, "quota", 0, "screenings per calendar month, in UTC (default: no limit)")
		flags.Float64Var(&c.key.Rate, "rate", 0, "requests per second, of each replica, with -burst (default: no limit)")
		flags.IntVar(&c.key.Burst, "burst", 0, "requests at once, with -rate")
		flags.Func("scopes", "`endpoints` that it is good for: of screen, sources, usage, validate, with blanks between them (default: all)", func(s string) (err error) {
			if c.key.Scopes, err = access.NormalScopes(s); err == nil && c.key.Scopes == "" {
				err = errors.New("no scope")
			}
			return err
		})
		flags.Func("expires", "`time` from which on it is not good, as 2027-12-31 or 2027-12-31T18:00:00Z (default: never)", func(s string) (err error) {
			if c.key.Expires, err = time.Parse(time.RFC3339, s); err != nil {
				if c.key.Expires, err = time.Parse(time.DateOnly, s); err != nil {
					err = errors.New("want a day, as 2027-12-31, or a time, as 2027-12-31T18:00:00Z")
				}
			}
			return err
		})
	case "list":
		do = c.list
	case "rotate":
		do = c.rotate
		flags.DurationVar(&c.overlap, "overlap", 24*time.Hour, "`time` for which the old secret is good beside the new one")
	case "revoke":
		do = c.revoke
	case "", "-h", "-help", "--help", "help":
		flags.Usage()
		return flag.ErrHelp
	default:
		return fmt.Errorf("keys: want create, list, rotate or revoke, not %q", verb)
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	rest := flags.Args()
	if verb == "rotate" || verb == "revoke" {
		if len(rest) == 0 {
			return fmt.Errorf("keys %s: which? Its id is missing", verb)
		}
		c.id = rest[0]
		if err := flags.Parse(rest[1:]); err != nil { // flags may stand behind it
			return err
		}
		rest = flags.Args()
	}
	if len(rest) > 0 {
		return fmt.Errorf("keys %s: unexpected argument %q", verb, rest[0])
	}
	if err := fromEnvironment(flags, getenv); err != nil {
		return err
	}
	if c.db == "" && c.data == "" {
		return errors.New("keys: where? Tell it by -db or -data, as you tell the server")
	}
	store, err := openStore(ctx, c.db, c.data)
	if err != nil {
		return err
	}
	if err = do(ctx, store, stdout); err == nil && verb != "list" {
		fmt.Fprintln(stderr, "the keys are in "+store.where) // lest it be another place than the server's
	}
	return errors.Join(err, store.close())
}

func (c *keysCommand) create(ctx context.Context, s *keyStore, stdout io.Writer) error {
	token, k, err := access.NewKey(c.key)
	if err == nil {
		err = s.PutKey(ctx, k)
	}
	if errors.Is(err, access.ErrConflict) {
		return fmt.Errorf("keys create: there is a key %s already", k.ID)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, token)
	return err
}

func (c *keysCommand) rotate(ctx context.Context, s *keyStore, stdout io.Writer) error {
	if c.overlap < 0 {
		return errors.New("keys rotate: a negative overlap")
	}
	k, err := s.Key(ctx, c.id)
	if err != nil {
		return err
	}
	if now := time.Now(); state(k, now) != "good" {
		return fmt.Errorf("keys rotate: key %s is %s; a new secret would not change that", k.ID, state(k, now))
	}
	token, k := k.Rotate(c.overlap)
	if err := s.PutKey(ctx, k); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, token)
	return err
}

func (c *keysCommand) revoke(ctx context.Context, s *keyStore, stdout io.Writer) error {
	for {
		k, err := s.Key(ctx, c.id)
		if err != nil || !k.Revoked.IsZero() {
			return err // it stays revoked from when it was
		}
		k.Revoked = time.Now()
		if err = s.PutKey(ctx, k); !errors.Is(err, access.ErrConflict) { // else once more
			return err
		}
	}
}

func (c *keysCommand) list(ctx context.Context, s *keyStore, stdout io.Writer) error {
	kept, err := s.Keys(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSTATE\tSCOPES\tQUOTA\tUSED\tRATE\tCREATED\tEXPIRES\tLAST USED")
	for _, k := range kept {
		_, used, _, err := s.Account(ctx, k.ID, access.MonthOf(now))
		if err != nil {
			return err
		}
		quota, rate := "-", "-"
		if k.Quota > 0 {
			quota = strconv.FormatInt(k.Quota, 10)
		}
		if k.Rate > 0 {
			rate = fmt.Sprintf("%g/s, %d at once", k.Rate, k.Burst)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n",
			k.ID, k.Name, state(k, now), k.Scopes, quota, used, rate, day(k.Created), day(k.Expires), minute(k.LastUsed))
	}
	return w.Flush()
}

// state says what a key is good for at a time.
func state(k access.Key, now time.Time) string {
	switch {
	case !k.Revoked.IsZero() && !now.Before(k.Revoked):
		return "revoked"
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return "expired"
	}
	return "good"
}

// day returns the day of t, or a dash for none.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.DateOnly)
}

// minute returns t to the minute, or a dash for none.
func minute(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format("2006-01-02T15:04Z")
}
