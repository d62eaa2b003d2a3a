package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// TestRules checks that each Store follows the rules of [access.Store], one rule in each
// subtest. A failure names the rule and its reason.
func TestRules(t *testing.T) {
	follow := func(t *testing.T, newStore func(*testing.T) access.Store) {
		for _, r := range rules {
			t.Run(r.name, func(t *testing.T) {
				if err := r.check(newStore(t)); err != nil {
					t.Errorf("%v\nThe rule: %s", err, r.explanation)
				}
			})
		}
	}
	t.Run("memory", func(t *testing.T) {
		follow(t, func(*testing.T) access.Store { return access.NewMemory() })
	})
	onEach(t, func(t *testing.T, d database) {
		follow(t, func(t *testing.T) access.Store { return d.must(t, d.new(t)) })
	})
}

// A rule is one thing that a Store must do: its name, the explanation that is printed
// when it is broken, and its test.
type rule struct {
	name        string
	explanation string
	check       func(access.Store) error
}

var rules = []rule{
	{
		"nothing stored",
		"An empty Store has no keys and no counts: Key returns ErrNoKey; Keys is empty; the total is zero; a return and Unclaim do nothing.",
		checkNothing,
	},
	{
		"key",
		"Key and Keys return a key as Key.Normal makes it, with Version 1, for any values of its fields.",
		checkKey,
	},
	{
		"times",
		"Times are kept to the microsecond, cut and not rounded, and returned in UTC; a zero time stays one.",
		checkTimes,
	},
	{
		"version",
		"PutKey replaces only the version that the key was made from, and a new key only none; otherwise two operators could undo each other's changes, " +
			"even a revocation. A refused key changes nothing.",
		checkVersion,
	},
	{
		"concurrent puts",
		"Of concurrent PutKeys from one version, one succeeds, and the others are conflicts.",
		checkConcurrentPuts,
	},
	{
		"invalid",
		"Anything that Key.Normal refuses is refused with ErrInvalid and changes nothing.",
		checkInvalid,
	},
	{
		"ids",
		"Ids are compared byte by byte, with letter case, and Keys is sorted by bytes, whatever the locale of a database is.",
		checkIDs,
	},
	{
		"touch",
		"Touch sets the times of last use of stored keys, never back, and changes neither the rest of the key nor its version.",
		checkTouch,
	},
	{
		"touch and put",
		"PutKey does not set the time of last use back: a key was read some time before it is changed.",
		checkTouchAndPut,
	},
	{
		"lease",
		"Lease grants as much as the limit leaves, at least 0, and returns the total after it.",
		checkLease,
	},
	{
		"return",
		"Returned screenings can be leased again, and no total falls below 0.",
		checkReturn,
	},
	{
		"accounts apart",
		"Each month of each id is counted separately.",
		checkApart,
	},
	{
		"concurrent leases",
		"Concurrent leases never exceed the limit together, and use it up exactly; totals are exact.",
		checkConcurrentLeases,
	},
	{
		"claim",
		"Claim stores a claim if none is held, else it returns the held one. Each token of each key is separate.",
		checkClaim,
	},
	{
		"claim expires",
		"An expired claim is not held: another one replaces it. A claim that has expired before the call only looks.",
		checkClaimExpires,
	},
	{
		"unclaim",
		"Unclaim deletes only the claim that equals its argument, because it may come late, when another one is held, and no claim that was returned.",
		checkUnclaim,
	},
	{
		"concurrent claims",
		"Of concurrent Claims of one token, one is fresh, and all others return that one.",
		checkConcurrentClaims,
	},
	{
		"cancelled",
		"If ctx has ended before the call, every method returns an error that wraps ctx.Err() and has no effect.",
		checkCancelled,
	},
}

var ctx = context.Background()

// want returns an error if the error of a call does not wrap sentinel, or is not nil
// if sentinel is nil.
func want(call string, err, sentinel error) error {
	if !errors.Is(err, sentinel) {
		return fmt.Errorf("%s: the error is %v, want %v", call, err, sentinel)
	}
	return nil
}

func checkNothing(s access.Store) error {
	if k, err := s.Key(ctx, "none"); !errors.Is(err, access.ErrNoKey) || k != (access.Key{}) {
		return fmt.Errorf("the Key of nothing is %+v, %v", k, err)
	}
	if all, err := s.Keys(ctx); err != nil || len(all) > 0 {
		return fmt.Errorf("the answer of Keys is %d keys, %v; want none", len(all), err)
	}
	return errors.Join(
		want("a return", giveBack(ctx, s, "none", month, 5), nil),
		leased(s, "none", month, 0),
		want("Unclaim", s.Unclaim(ctx, newClaim("none", 1)), nil),
		want("Touch", s.Touch(ctx, nil), nil),
		want("Touch", s.Touch(ctx, map[string]time.Time{"none": date(2026, 1)}), nil),
		want("Key after Touch", second(s.Key(ctx, "none")), access.ErrNoKey),
	)
}

func checkCancelled(s access.Store) error {
	k, c := newKey("a"), newClaim("a", 1)
	if err := errors.Join(put(s, k), lease(s, "a", month, 5, 10, 5, 5), claim(s, c, c, true)); err != nil {
		return err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	changed := k
	changed.Version, changed.Name = 1, "changed"
	_, keyErr := s.Key(ended, "a")
	_, keysErr := s.Keys(ended)
	_, _, _, leaseErr := s.Lease(ended, "a", month, 5, 10)
	_, _, _, readErr := s.Lease(ended, "a", month, 0, 0)
	_, claimErr := s.Claim(ended, newClaim("a", 2))
	for call, err := range map[string]error{
		"Key": keyErr, "Keys": keysErr, "Lease": leaseErr, "a reading": readErr, "Claim": claimErr,
		"PutKey":   s.PutKey(ended, changed),
		"Touch":    s.Touch(ended, map[string]time.Time{"a": date(2030, 1)}),
		"a return": giveBack(ended, s, "a", month, 5),
		"Unclaim":  s.Unclaim(ended, c),
	} {
		if err := want(call, err, context.Canceled); err != nil {
			return err
		}
	}
	other := newClaim("a", 2)
	return errors.Join(stored(s, k, 1), leased(s, "a", month, 5), claim(s, c, c, false), claim(s, other, other, true))
}
