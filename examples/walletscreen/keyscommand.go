package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
)

// A keysCall is a call of a command below keys.
type keysCall struct {
	*program
	db, data string
	where    string // the database is, without a password

	id       string
	token    string              // if it is new
	settings []func(*access.Key) // of create and set
	force    bool
	overlap  time.Duration
}

func (p *program) keysCommand() *cli.Command {
	k := &keysCall{program: p, overlap: 24 * time.Hour}
	where := []cli.Flag{
		textFlag("data", "", "`directory` of the server's data", &k.data),
		textFlag("db", "", "`database`: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME (default: "+dbFile+" in -data)", &k.db),
	}
	// setting is a flag with a setting of a key. set changes it, and reports whether text is as wanted.
	setting := func(name, usage, want string, set func(key *access.Key, text string) bool) cli.Flag {
		return newFlag(name, usage, "", func(text string) error {
			switch {
			case strings.Trim(text, " ,") == "":
				return errEmpty
			case !set(new(access.Key), text):
				return errors.New("want " + want)
			}
			k.settings = append(k.settings, func(key *access.Key) { set(key, text) })
			return nil
		})
	}
	settings := []cli.Flag{
		setting("name", "`name` of the key's owner", "a name", func(key *access.Key, text string) bool {
			key.Name = text
			return true
		}),
		setting("quota", "screenings per calendar month in UTC, a `number` or none (default: none)", "a number from 1, or none", func(key *access.Key, text string) (ok bool) {
			key.Quota, ok = numberOrNone(text)
			return ok
		}),
		setting("rate", "requests per second to each replica, a `number` or none; needs -burst (default: none)", "a number above 0, or none", func(key *access.Key, text string) bool {
			rate, err := strconv.ParseFloat(text, 64)
			key.Rate = rate
			return err == nil && rate > 0 && rate <= 1e6 || text == "none"
		}),
		setting("burst", "`number` of requests at once; needs -rate", "a number from 1, or none", func(key *access.Key, text string) bool {
			n, ok := numberOrNone(text)
			key.Burst = int(n)
			return ok
		}),
		setting("scopes", "`endpoints` that the key may use, some of "+access.AllScopes()+", or all (default: all but own and past)", "scopes", func(key *access.Key, text string) bool {
			if key.Scopes = strings.ReplaceAll(text, ",", " "); text == "all" {
				key.Scopes = access.AllScopes()
			}
			return true
		}),
		setting("expires", "`time` when the key expires, such as 2027-12-31 or 2027-12-31T18:00:00Z, or never (default: never)",
			"a day such as 2027-12-31, a time such as 2027-12-31T18:00:00Z, or never", func(key *access.Key, text string) (ok bool) {
				key.Expires, _, ok = dayOrTime(text)
				return ok && key.Expires.Year() >= 1970 || text == "never" // the zero time means never
			}),
		boolFlag("force", "accept a time of -expires that is in the past", &k.force),
	}
	keys := func(name, synopsis, usage string, flags []cli.Flag, do func(context.Context, access.Store) error) *cli.Command {
		return p.command("keys "+name, synopsis, usage, "", slices.Concat(flags, where), func(ctx context.Context, args []string) error {
			if synopsis != "[flags]" {
				switch {
				case len(args) == 0:
					return errors.New("want the ID of a key; walletscreen keys list shows them")
				case len(args) > 1:
					return fmt.Errorf("%w; one ID at a time", unexpected(args[1]))
				}
				k.id = args[0]
			}
			return k.run(ctx, do)
		})
	}
	// changes is a command that changes a key, and says what it has done.
	changes := func(name, usage, said string, flags []cli.Flag, change func(*access.Key) error) *cli.Command {
		return keys(name, "[flags] ID", usage, flags, func(ctx context.Context, s access.Store) error {
			if err := k.change(ctx, s, change); err != nil {
				return err
			}
			return k.say(said)
		})
	}
	return &cli.Command{
		Name:  "keys",
		Usage: "creates, lists, changes and revokes API keys",
		Description: "A change takes effect on all replicas within five seconds. A token is shown once, when it is\n" +
			"created; only its hash is stored. Use the same -data or -db as for serve.",
		Commands: []*cli.Command{
			keys("create", "[flags]", "creates a key and prints its token",
				append([]cli.Flag{textFlag("id", "", "public `id` of the key: up to 200 bytes (default: random)", &k.id)}, settings...), k.create),
			keys("list", "[flags]", "lists all keys and their usage of this month", []cli.Flag{boolFlag("json", "print one JSON object a line", &k.json)}, k.list),
			changes("set", "changes settings of a key", "was changed", settings, k.set),
			changes("rotate", "replaces the secret of a key and prints its token", "has a new secret",
				[]cli.Flag{durationFlag("overlap", "`time` for which the old secret remains valid", &k.overlap)}, k.rotate),
			changes("revoke", "revokes a key", "is revoked", nil, k.revoke),
		},
	}
}

// run opens the database and does what a command does.
func (k *keysCall) run(ctx context.Context, do func(context.Context, access.Store) error) error {
	if k.db == "" && k.data == "" {
		return errors.New("want -data or -db, the same as for serve")
	}
	file, isFile := strings.CutPrefix(cmp.Or(k.db, "sqlite:"+filepath.Join(k.data, dbFile)), "sqlite:")
	if _, err := os.Stat(file); isFile && errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no database %s; serve makes it when it first starts", file)
	}
	opening, cancel := context.WithTimeout(ctx, 10*time.Second) // for a database that does not answer
	defer cancel()
	s, where, err := openKeyStore(opening, k.db, k.data)
	if err != nil {
		return err
	}
	k.where = where
	return errors.Join(do(ctx, s), s.Close())
}

// numberOrNone returns the number from 1 that is written in text, or 0 for none.
func numberOrNone(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 1 || text == "none"
}

// apply sets in a key what the flags say.
func (k *keysCall) apply(key *access.Key) error {
	had := *key
	for _, set := range k.settings {
		set(key)
	}
	switch { // none removes both
	case had.Rate > 0 && key.Rate == 0 && key.Burst == had.Burst:
		key.Burst = 0
	case had.Burst > 0 && key.Burst == 0 && key.Rate == had.Rate:
		key.Rate = 0
	}
	switch {
	case !key.Expires.Equal(had.Expires) && state(*key, time.Now()) == "expired" && !k.force:
		return fmt.Errorf("-expires %s is in the past, so the key would admit nobody; to set it all the same, add -force", day(key.Expires))
	case key.Burst == 0 && key.Rate > 0:
		return errors.New("-rate needs -burst")
	case key.Burst > 0 && key.Rate == 0:
		return errors.New("-burst needs -rate")
	}
	return nil
}

// say prints a new token alone on the standard output, and on the standard error what was done to the key, and where.
func (k *keysCall) say(what string) error {
	if k.token != "" {
		fmt.Fprintln(k, k.token)
	}
	_, err := fmt.Fprintf(k.stderr, "key %s %s in %s\n", k.id, what, k.where)
	return err
}

func (k *keysCall) create(ctx context.Context, s access.Store) error {
	key := access.Key{ID: k.id}
	if err := k.apply(&key); err != nil {
		return err
	}
	token, key, err := access.NewKey(key)
	if err == nil {
		err = s.PutKey(ctx, key)
	}
	if errors.Is(err, access.ErrConflict) {
		return fmt.Errorf("there is a key %s already; walletscreen keys rotate gives it a new secret", key.ID)
	}
	if err != nil {
		return err
	}
	k.id, k.token = key.ID, token
	return k.say("with the scopes " + key.Scopes + " was created")
}

// change changes a key. It tries again if somebody else changes it at the same time.
func (k *keysCall) change(ctx context.Context, s access.Store, change func(*access.Key) error) error {
	for {
		key, err := s.Key(ctx, k.id)
		if err != nil {
			return k.unknown(ctx, s, err)
		}
		if err := change(&key); err != nil {
			return err
		}
		if err = s.PutKey(ctx, key); !errors.Is(err, access.ErrConflict) {
			return err
		}
	}
}

// unknown returns err, and for a key that does not exist the id that was meant.
func (k *keysCall) unknown(ctx context.Context, s access.Store, err error) error {
	all, e := s.Keys(ctx)
	if e != nil || slices.ContainsFunc(all, func(key access.Key) bool { return key.ID == k.id }) {
		return err
	}
	var ids []string
	for _, key := range all {
		ids = append(ids, key.ID)
	}
	if rest, ok := strings.CutPrefix(k.id, "wsk_"); ok && len(rest) > maxShown {
		if i := strings.LastIndexByte(rest, '_'); i >= 0 {
			rest = rest[:i]
		}
		return fmt.Errorf("that is a token, which is secret; want the ID in it, %.80q", rest)
	}
	return fmt.Errorf("there is no key %.80q%s", k.id, didYouMean(k.id, ids, ""))
}

func (k *keysCall) set(key *access.Key) error {
	if len(k.settings) == 0 {
		return errors.New("want a setting to change: -name, -quota, -rate, -burst, -scopes or -expires")
	}
	return k.apply(key)
}

func (k *keysCall) rotate(key *access.Key) error {
	if is := state(*key, time.Now()); is != "valid" {
		return fmt.Errorf("key %s is %s; a new secret would not change that", key.ID, is)
	}
	k.token, *key = key.Rotate(k.overlap)
	return nil
}

func (k *keysCall) revoke(key *access.Key) error {
	if key.Revoked.IsZero() { // the time of the first revocation stays
		key.Revoked = time.Now()
	}
	return nil
}

// A jsonKey is a key for programs.
type jsonKey struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	State    string     `json:"state"`
	Scopes   string     `json:"scopes"`
	Quota    int64      `json:"quota"` // 0 for none
	Used     int64      `json:"used"`
	Rate     float64    `json:"rate"`
	Burst    int        `json:"burst"`
	Created  *time.Time `json:"created_at"`
	Expires  *time.Time `json:"expires_at"`
	LastUsed *time.Time `json:"last_used_at"`
}

// usedOf returns what each key has used this month. It may run ahead by the blocks that servers hold.
func usedOf(ctx context.Context, s access.Store, keys []access.Key) ([]int64, error) {
	ring := access.New(s, nil)
	counts := make([]int64, len(keys))
	var err error
	for i := 0; i < len(keys) && err == nil; i++ {
		counts[i], _, _, err = ring.Used(ctx, httpapi.Caller{ID: keys[i].ID}, true)
	}
	return counts, errors.Join(err, ring.Close(ctx))
}

func (k *keysCall) list(ctx context.Context, s access.Store) error {
	all, err := s.Keys(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	counts, err := usedOf(ctx, s, all)
	if err != nil {
		return err
	}
	t := layout{}
	t.add("ID", "NAME", "STATE", "SCOPES", ">QUOTA", ">USED", "RATE", "CREATED", "EXPIRES", "LAST USED")
	for i, key := range all {
		quota, rate := "-", "-"
		if key.Quota > 0 {
			quota = grouped(key.Quota)
		}
		if key.Rate > 0 {
			rate = fmt.Sprintf("%g/s, %d at once", key.Rate, key.Burst)
		}
		o := jsonKey{key.ID, key.Name, state(key, now), scopes(key), key.Quota, counts[i], key.Rate, key.Burst,
			orNull(key.Created), orNull(key.Expires), orNull(key.LastUsed)}
		k.item(o, &t, o.ID, o.Name, o.State, o.Scopes, quota, grouped(o.Used), rate, day(key.Created), day(key.Expires), minute(key.LastUsed))
	}
	if !k.json {
		t.print(k)
	}
	return nil
}

func scopes(key access.Key) string {
	switch key.Scopes {
	case "":
		return "none"
	case access.AllScopes():
		return "all"
	}
	return key.Scopes
}

// state says whether a key is valid at a time.
func state(key access.Key, now time.Time) string {
	switch {
	case !key.Revoked.IsZero() && !now.Before(key.Revoked):
		return "revoked"
	case !key.Expires.IsZero() && !now.Before(key.Expires):
		return "expired"
	}
	return "valid"
}
