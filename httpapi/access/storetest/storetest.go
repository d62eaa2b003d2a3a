// Package storetest tests implementations of [access.Store]. It is a separate package
// so that no program links package testing.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) access.Store {
//			return open(t, t.TempDir())
//		})
//	}
package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// Run tests that the Stores that newStore returns follow the rules of [access.Store],
// one rule in each subtest. A failure names the rule and its reason. Each call of
// newStore must return an empty Store; a subtest calls it once.
func Run(t *testing.T, newStore func(*testing.T) access.Store) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if err := r.check(newStore(t)); err != nil {
				t.Errorf("%v\nThe rule: %s", err, r.explanation)
			}
		})
	}
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
		"An empty Store has no keys and no counts: Key returns ErrNoKey, also for an invalid id; Keys is empty; Account is zero; Return, Fold and Unclaim do nothing.",
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
		"PutKey replaces only the version that the key was made from, and a new key only none; otherwise two operators could undo each other's changes, even a revocation. A refused key changes nothing.",
		checkVersion,
	},
	{
		"concurrent puts",
		"Of concurrent PutKeys from one version, one succeeds, and the others are conflicts.",
		checkConcurrentPuts,
	},
	{
		"invalid",
		"Anything that Key.Normal or CheckKeyID refuses, and negative amounts, are refused with ErrInvalid and change nothing.",
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
		"answered",
		"Answered stores the newest count of a replica, so a call may be repeated and may be late, and returns the counts of the other replicas. Account returns the sum.",
		checkAnswered,
	},
	{
		"fold",
		"Fold merges the counts of replicas that have ended; nothing is lost or counted twice, even if it is repeated.",
		checkFold,
	},
	{
		"concurrent counts",
		"Concurrent calls of Answered and Fold lose nothing.",
		checkConcurrentCounts,
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
		"Unclaim deletes only the claim that equals its argument: it may come late, when another one is held.",
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

var (
	ctx   = context.Background()
	month = access.MonthOf(time.Now())
)

// newKey returns a key as a Store keeps it, with something in every field.
func newKey(id string) access.Key {
	return access.Key{
		ID: id, Name: "Zahlungen, 'bank' \"x\" \\ %_ ☂ 𝄞",
		Secret: [32]byte{0: 1, 31: 0xff}, Previous: [32]byte{1: 0x80, 30: 2}, PreviousEnds: date(2027, 1),
		Scopes: "screen usage", Quota: 10_000, Rate: 0.1, Burst: 20,
		Created: date(2026, 1), Expires: date(2028, 2), Revoked: date(2027, 6), LastUsed: date(2026, 11),
	}
}

func date(y int, m time.Month) time.Time {
	return time.Date(y, m, 17, 23, 59, 59, 999_999_000, time.UTC)
}

// want returns an error if the error of a call does not wrap sentinel, or is not nil
// if sentinel is nil.
func want(call string, err, sentinel error) error {
	if !errors.Is(err, sentinel) {
		return fmt.Errorf("%s: the error is %v, want %v", call, err, sentinel)
	}
	return nil
}

// stored returns an error if s does not hold k, with a version.
func stored(s access.Store, k access.Key, version int64) error {
	k.Version = version
	got, err := s.Key(ctx, k.ID)
	if err != nil {
		return fmt.Errorf("in Key: %w", err)
	}
	if got != k {
		return fmt.Errorf("the answer of Key is\n%+v, want\n%+v", got, k)
	}
	return nil
}

// put stores keys in s.
func put(s access.Store, keys ...access.Key) error {
	for _, k := range keys {
		if err := s.PutKey(ctx, k); err != nil {
			return fmt.Errorf("in PutKey: %w", err)
		}
	}
	return nil
}

// leased returns an error if the total is not n.
func leased(s access.Store, id string, m access.Month, n int64) error {
	got, _, changed, err := s.Account(ctx, id, m)
	if err == nil && (changed.After(time.Now()) || got > 0 && changed.IsZero()) {
		err = fmt.Errorf("changed at %v", changed)
	}
	if err != nil || got != n {
		return fmt.Errorf("the total of %s in %v is %d, %v; want %d", id, m, got, err, n)
	}
	return nil
}

// lease returns an error if Lease grants another number, or returns another total.
func lease(s access.Store, id string, m access.Month, n, limit, granted, total int64) error {
	gotGranted, gotTotal, err := s.Lease(ctx, id, m, n, limit)
	if err != nil || gotGranted != granted || gotTotal != total {
		return fmt.Errorf("the Lease of %d with the limit %d is %d of %d, %v; want %d of %d", n, limit, gotGranted, gotTotal, err, granted, total)
	}
	return leased(s, id, m, total)
}

func checkNothing(s access.Store) error {
	for _, id := range append([]string{"none"}, badIDs...) {
		k, err := s.Key(ctx, id)
		if err := want(fmt.Sprintf("Key of %q", id), err, access.ErrNoKey); err != nil {
			return err
		}
		if k != (access.Key{}) {
			return fmt.Errorf("the Key of %q is an error and a key", id)
		}
	}
	if all, err := s.Keys(ctx); err != nil || len(all) > 0 {
		return fmt.Errorf("the answer of Keys is %d keys, %v; want none", len(all), err)
	}
	return errors.Join(
		want("Return", s.Return(ctx, "none", month, 5), nil),
		want("Fold", s.Fold(ctx, "r", "none"), nil),
		account(s, "none", month, 0, 0),
		leased(s, "none", month, 0),
		want("Unclaim", s.Unclaim(ctx, newClaim("none", 1)), nil),
		want("Touch", s.Touch(ctx, nil), nil),
		want("Touch", s.Touch(ctx, map[string]time.Time{"none": date(2026, 1)}), nil),
		want("Key after Touch", second(s.Key(ctx, "none")), access.ErrNoKey),
	)
}

func second(_ access.Key, err error) error { return err }

func checkKey(s access.Store) error {
	full, least, most := newKey("full"), access.Key{ID: "least", Secret: [32]byte{1}}, newKey(strings.Repeat("m", 196)+"@é\x41")
	most.Name, most.Quota, most.Rate, most.Burst, most.Scopes = strings.Repeat("é", 100), math.MaxInt64, 1e6, 1e9, access.AllScopes()
	most.Rate = math.Nextafter(most.Rate, 0)
	if err := put(s, most, full, least); err != nil {
		return err
	}
	all, err := s.Keys(ctx)
	if err != nil || len(all) != 3 {
		return fmt.Errorf("the answer of Keys is %d keys, %v; want 3", len(all), err)
	}
	for i, k := range []access.Key{full, least, most} {
		if err := stored(s, k, 1); err != nil {
			return err
		}
		if k.Version = 1; all[i] != k {
			return fmt.Errorf("key %d of Keys is\n%+v, want\n%+v", i, all[i], k)
		}
	}
	return nil
}

func checkTimes(s access.Store) error {
	k := newKey("times")
	k.Created = time.Date(1970, 1, 1, 1, 0, 0, 1999, time.FixedZone("", 3600))
	k.Expires = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	k.Revoked = time.Time{}
	k.LastUsed = time.Now()
	if err := put(s, k); err != nil {
		return err
	}
	normal, err := k.Normal()
	if err != nil {
		return err
	}
	if err := stored(s, normal, 1); err != nil {
		return err
	}
	c := newClaim("times", 1)
	c.Expires = time.Now().Add(time.Hour).Truncate(time.Microsecond).Add(999).In(time.FixedZone("", -3600))
	cut := c
	cut.Expires = c.Expires.UTC().Truncate(time.Microsecond)
	for range 2 {
		if got, _, err := s.Claim(ctx, c); err != nil || got != cut {
			return fmt.Errorf("the answer of Claim is\n%+v, %v; want\n%+v", got, err, cut)
		}
	}
	at := time.Now().Add(time.Hour).In(time.FixedZone("", 3600))
	if err := s.Touch(ctx, map[string]time.Time{"times": at}); err != nil {
		return err
	}
	normal.LastUsed = at.UTC().Truncate(time.Microsecond)
	return stored(s, normal, 1)
}

func checkVersion(s access.Store) error {
	k := newKey("version")
	if err := put(s, k); err != nil {
		return err
	}
	changed := k
	changed.Name, changed.Quota = "changed", 1
	for _, version := range []int64{0, 2, 3} {
		changed.Version = version
		if err := want(fmt.Sprintf("PutKey of version %d over version 1", version), s.PutKey(ctx, changed), access.ErrConflict); err != nil {
			return err
		}
		if err := stored(s, k, 1); err != nil {
			return err
		}
	}
	changed.Version = 1
	changed.PreviousEnds, changed.Previous, changed.Revoked = time.Time{}, [32]byte{}, time.Time{}
	if err := put(s, changed); err != nil {
		return err
	}
	if err := stored(s, changed, 2); err != nil {
		return err
	}
	if err := want("PutKey of version 1 over version 2", s.PutKey(ctx, changed), access.ErrConflict); err != nil {
		return err
	}
	absent := newKey("absent")
	absent.Version = 1
	return errors.Join(
		stored(s, changed, 2),
		want("PutKey of version 1 over none", s.PutKey(ctx, absent), access.ErrConflict),
		want("Key after it", second(s.Key(ctx, "absent")), access.ErrNoKey),
	)
}

func checkConcurrentPuts(s access.Store) error {
	k := newKey("race")
	for version := range int64(3) {
		const n = 8
		errs := make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				mine := k
				mine.Version, mine.Quota = version, int64(100+i)
				errs[i] = s.PutKey(ctx, mine)
			})
		}
		wg.Wait()
		won := -1
		for i, err := range errs {
			if err == nil && won >= 0 {
				return fmt.Errorf("two PutKeys of version %d were stored", version)
			}
			if err == nil {
				won = i
			} else if err := want("PutKey beside others", err, access.ErrConflict); err != nil {
				return err
			}
		}
		if won < 0 {
			return fmt.Errorf("none of %d PutKeys of version %d was stored", n, version)
		}
		k.Quota = int64(100 + won)
		if err := stored(s, k, version+1); err != nil {
			return err
		}
	}
	return nil
}

var badIDs = []string{
	"", " ", " a", "a ", "a\n", "a\x00", "a\xff", "a\u200b", "a\u00a0b", "a\u202eb", "a\u2028b",
	strings.Repeat("a", 201),
}

func checkInvalid(s access.Store) error {
	invalid := func(call string, err error) error { return want(call, err, access.ErrInvalid) }
	for _, id := range badIDs {
		k, c := newKey(id), newClaim(id, 1)
		_, _, leaseErr := s.Lease(ctx, id, month, 1, 10)
		_, _, _, accountErr := s.Account(ctx, id, month)
		_, answeredErr := s.Answered(ctx, "r", month, time.Now(), map[string]int64{id: 1})
		_, _, claimErr := s.Claim(ctx, c)
		if err := errors.Join(
			invalid("PutKey", s.PutKey(ctx, k)),
			invalid("Lease", leaseErr),
			invalid("Account", accountErr),
			invalid("Answered", answeredErr),
			invalid("Return", s.Return(ctx, id, month, 1)),
			invalid("Claim", claimErr),
			invalid("Unclaim", s.Unclaim(ctx, c)),
			want("Touch", s.Touch(ctx, map[string]time.Time{id: date(2026, 1)}), nil),
		); err != nil {
			return fmt.Errorf("id %q: %w", id, err)
		}
	}
	for what, change := range map[string]func(*access.Key){
		"a long name":         func(k *access.Key) { k.Name = strings.Repeat("a", 201) },
		"a NUL in the name":   func(k *access.Key) { k.Name = "a\x00b" },
		"a name not in UTF-8": func(k *access.Key) { k.Name = "a\xff" },
		"no secret":           func(k *access.Key) { k.Secret = [32]byte{} },
		"an end of nothing":   func(k *access.Key) { k.Previous = [32]byte{} },
		"no end":              func(k *access.Key) { k.PreviousEnds = time.Time{} },
		"unknown scopes":      func(k *access.Key) { k.Scopes = "screen other" },
		"a negative quota":    func(k *access.Key) { k.Quota = -1 },
		"a rate of NaN":       func(k *access.Key) { k.Rate = math.NaN() },
		"an infinite rate":    func(k *access.Key) { k.Rate = math.Inf(1) },
		"a negative rate":     func(k *access.Key) { k.Rate = -1 },
		"no burst":            func(k *access.Key) { k.Burst = 0 },
		"no rate":             func(k *access.Key) { k.Rate = 0 },
		"a negative burst":    func(k *access.Key) { k.Burst = -1 },
		"the year 10000":      func(k *access.Key) { k.Expires = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"the year 1969":       func(k *access.Key) { k.Created = time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC) },
		"a negative version":  func(k *access.Key) { k.Version = -1 },
	} {
		k := newKey("invalid")
		change(&k)
		if err := invalid("PutKey with "+what, s.PutKey(ctx, k)); err != nil {
			return err
		}
	}
	if all, err := s.Keys(ctx); err != nil || len(all) > 0 {
		return fmt.Errorf("the answer of Keys is %d keys, %v; want none", len(all), err)
	}
	if err := lease(s, "amounts", month, 3, 10, 3, 3); err != nil {
		return err
	}
	_, _, errN := s.Lease(ctx, "amounts", month, -1, 10)
	_, _, errLimit := s.Lease(ctx, "amounts", month, 1, -1)
	return errors.Join(
		invalid("Lease of -1", errN),
		invalid("Lease with the limit -1", errLimit),
		invalid("Return of -1", s.Return(ctx, "amounts", month, -1)),
		leased(s, "amounts", month, 3),
	)
}

func checkIDs(s access.Store) error {
	ids := []string{"'; --", "-", ".", "10", "9", "A", "B-a", "Ba", "_", "a", "a b", "a%", "a-", "a.b", "aB", "a_b", "ab", "b", "user@corp.example", "é", "аbc"} // sorted by bytes; the last one begins with a Cyrillic letter
	for i := range ids {
		id := ids[i*8%len(ids)]
		k := newKey(id)
		k.Name = "named " + id
		if err := put(s, k); err != nil {
			return err
		}
		if err := lease(s, id, month, int64(len(id)), 100, int64(len(id)), int64(len(id))); err != nil {
			return err
		}
	}
	all, err := s.Keys(ctx)
	if err != nil {
		return fmt.Errorf("in Keys: %w", err)
	}
	var got []string
	for _, k := range all {
		got = append(got, k.ID)
		if k.Name != "named "+k.ID {
			return fmt.Errorf("key %s is named %q", k.ID, k.Name)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(ids) {
		return fmt.Errorf("the ids of Keys are %q, want %q", got, ids)
	}
	return nil
}

func checkTouch(s access.Store) error {
	a, b := newKey("a"), newKey("b")
	b.LastUsed = time.Time{}
	if err := put(s, a, b); err != nil {
		return err
	}
	for _, step := range []struct {
		used map[string]time.Time
		a, b time.Time
	}{
		{map[string]time.Time{"a": date(2026, 12), "c": date(2026, 12)}, date(2026, 12), time.Time{}},
		{map[string]time.Time{"a": date(2026, 12).Add(-time.Microsecond), "b": date(2026, 1)}, date(2026, 12), date(2026, 1)},
		{map[string]time.Time{"a": date(2026, 12).Add(time.Microsecond), "b": date(2025, 1)}, date(2026, 12).Add(time.Microsecond), date(2026, 1)},
		{nil, date(2026, 12).Add(time.Microsecond), date(2026, 1)},
		{map[string]time.Time{"a": {}, "b": {}}, date(2026, 12).Add(time.Microsecond), date(2026, 1)},
	} {
		if err := s.Touch(ctx, step.used); err != nil {
			return fmt.Errorf("in Touch: %w", err)
		}
		a.LastUsed, b.LastUsed = step.a, step.b
		if err := errors.Join(stored(s, a, 1), stored(s, b, 1)); err != nil {
			return fmt.Errorf("after Touch with %v: %w", step.used, err)
		}
	}
	return want("Key of what is not stored", second(s.Key(ctx, "c")), access.ErrNoKey)
}

func checkTouchAndPut(s access.Store) error {
	k := newKey("a")
	k.LastUsed = time.Time{}
	if err := put(s, k); err != nil {
		return err
	}
	if err := s.Touch(ctx, map[string]time.Time{"a": date(2026, 5)}); err != nil {
		return fmt.Errorf("in Touch: %w", err)
	}
	for i, step := range []struct{ put, want time.Time }{
		{time.Time{}, date(2026, 5)},
		{date(2026, 4), date(2026, 5)},
		{date(2026, 6), date(2026, 6)},
	} {
		k.LastUsed, k.Version = step.put, int64(1+i)
		if err := put(s, k); err != nil {
			return err
		}
		if k.LastUsed = step.want; true {
			if err := stored(s, k, int64(2+i)); err != nil {
				return fmt.Errorf("after PutKey with LastUsed %v: %w", step.put, err)
			}
		}
	}
	return nil
}

func checkLease(s access.Store) error {
	for _, step := range []struct{ n, limit, granted, total int64 }{
		{0, 10, 0, 0},
		{4, 10, 4, 4},
		{4, 10, 4, 8},
		{4, 10, 2, 10},
		{4, 10, 0, 10},
		{0, 10, 0, 10},
		{4, 9, 0, 10}, // the limit was lowered
		{4, 0, 0, 10},
		{4, 11, 1, 11}, // and raised
		{4, math.MaxInt64, 4, 15},
		{math.MaxInt64, 20, 5, 20},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64 - 20, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, 0, math.MaxInt64},
		{1, 20, 0, math.MaxInt64},
	} {
		if err := lease(s, "a", month, step.n, step.limit, step.granted, step.total); err != nil {
			return err
		}
	}
	return nil
}

func checkReturn(s access.Store) error {
	if err := lease(s, "a", month, 10, 10, 10, 10); err != nil {
		return err
	}
	for _, step := range []struct{ n, total int64 }{{0, 10}, {1, 9}, {3, 6}} {
		if err := errors.Join(want("Return", s.Return(ctx, "a", month, step.n), nil), leased(s, "a", month, step.total)); err != nil {
			return err
		}
	}
	if err := lease(s, "a", month, 10, 10, 4, 10); err != nil {
		return err
	}
	for _, n := range []int64{11, 1, math.MaxInt64} {
		if err := errors.Join(want("Return of more than is leased", s.Return(ctx, "a", month, n), nil), leased(s, "a", month, 0)); err != nil {
			return err
		}
	}
	return lease(s, "a", month, 10, 10, 10, 10)
}

func checkApart(s access.Store) error {
	for i, a := range []struct {
		id    string
		month access.Month
	}{
		{"a", month}, {"A", month}, {"ab", month}, {"a", month + 1}, {"b", month}, {"A", month + 1},
	} {
		n := int64(i + 1)
		if err := lease(s, a.id, a.month, n, 10, n, n); err != nil {
			return err
		}
	}
	return errors.Join(
		want("Return", s.Return(ctx, "a", month+1, 3), nil),
		leased(s, "a", month, 1), leased(s, "A", month, 2), leased(s, "ab", month, 3),
		leased(s, "a", month+1, 1), leased(s, "b", month, 5), leased(s, "A", month+1, 6),
	)
}

func checkConcurrentLeases(s access.Store) error {
	if err := leaseAtOnce(s, "returned", 500, true); err != nil {
		return err
	}
	for i := range 10 {
		if err := leaseAtOnce(s, fmt.Sprint("kept", i), int64(1+i*i), false); err != nil {
			return err
		}
	}
	return nil
}

// leaseAtOnce leases the whole limit in many parts at once, and returns some.
func leaseAtOnce(s access.Store, id string, limit int64, returns bool) error {
	type answer struct{ granted, total int64 }
	var mu sync.Mutex
	var sum int64
	var bad error
	var answers []answer // those that granted something
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := int64(1 + i); ; n = n%13 + 1 {
				granted, total, err := s.Lease(ctx, id, month, n, limit)
				if err == nil && (granted < 0 || granted > n || total > limit || granted < n && total < limit) {
					err = fmt.Errorf("%d of %d granted, with %d of %d leased after it", granted, n, total, limit)
				}
				back := int64(0)
				if err == nil && returns && granted > 3 {
					back = 1
					err = s.Return(ctx, id, month, back)
				}
				mu.Lock()
				sum += granted - back
				if granted > 0 {
					answers = append(answers, answer{granted, total})
				}
				if err != nil {
					bad = err
				}
				mu.Unlock()
				if err != nil || granted == 0 {
					return
				}
			}
		})
	}
	wg.Wait()
	if bad != nil {
		return fmt.Errorf("a Lease or Return beside others: %w", bad)
	}
	if !returns { // then each begins where another has ended
		slices.SortFunc(answers, func(a, b answer) int { return cmp.Compare(a.total, b.total) })
		total := int64(0)
		for _, a := range answers {
			if total += a.granted; a.total != total {
				return fmt.Errorf("the Lease beside others: %d granted, with %d leased after it, where %d were: %v", a.granted, a.total, total-a.granted, answers)
			}
		}
	}
	if err := leased(s, id, month, sum); err != nil {
		return err
	}
	if err := lease(s, id, month, limit, limit, limit-sum, limit); err != nil {
		return fmt.Errorf("what is left after %d: %w", sum, err)
	}
	return nil
}

func newClaim(id string, token byte) access.Claim {
	return access.Claim{
		KeyID: id, Token: [32]byte{0: token, 31: 0xff}, Print: [32]byte{1: token, 2: 0xfe}, Granted: int64(token),
		Expires: time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond),
	}
}

// claim returns an error if a Claim of c is not answered with held.
func claim(s access.Store, c, held access.Claim, fresh bool) error {
	got, gotFresh, err := s.Claim(ctx, c)
	if err != nil || gotFresh != fresh || got != held {
		return fmt.Errorf("the Claim of\n%+v is\n%+v, fresh %v, %v; want\n%+v, fresh %v", c, got, gotFresh, err, held, fresh)
	}
	return nil
}

func checkClaim(s access.Store) error {
	first := newClaim("a", 1)
	for _, c := range []access.Claim{first, newClaim("a", 2), newClaim("b", 1), newClaim("A", 1), {KeyID: "zero", Expires: first.Expires}} {
		if err := claim(s, c, c, true); err != nil {
			return err
		}
	}
	again := first
	again.Print, again.Expires = [32]byte{9}, first.Expires.Add(time.Hour)
	return errors.Join(claim(s, again, first, false), claim(s, first, first, false))
}

func checkClaimExpires(s access.Store) error {
	past, c := newClaim("a", 1), newClaim("a", 1)
	past.Expires = past.Expires.Add(-2 * time.Hour)
	look := past
	look.Expires = time.Time{}
	if err := errors.Join(
		claim(s, past, past, true),
		claim(s, look, look, true),
		claim(s, past, past, true),
		claim(s, c, c, true),
		claim(s, past, c, false),
		claim(s, look, c, false),
	); err != nil {
		return err
	}
	// A claim that expires during the test.
	brief, next := newClaim("a", 2), newClaim("a", 2)
	brief.Expires = time.Now().Add(50 * time.Millisecond).UTC().Truncate(time.Microsecond)
	next.Print = [32]byte{7}
	if _, fresh, err := s.Claim(ctx, brief); err != nil || !fresh {
		return fmt.Errorf("the answer of Claim: fresh %v, %v", fresh, err)
	}
	time.Sleep(time.Until(brief.Expires) + time.Millisecond)
	return errors.Join(claim(s, next, next, true), claim(s, brief, next, false))
}

func checkUnclaim(s access.Store) error {
	c := newClaim("a", 1)
	if err := claim(s, c, c, true); err != nil {
		return err
	}
	for what, change := range map[string]func(*access.Claim){
		"another key":   func(c *access.Claim) { c.KeyID = "b" },
		"another token": func(c *access.Claim) { c.Token[5]++ },
		"another print": func(c *access.Claim) { c.Print[5]++ },
		"another end":   func(c *access.Claim) { c.Expires = c.Expires.Add(time.Microsecond) },
		"another count": func(c *access.Claim) { c.Granted++ },
	} {
		other := c
		change(&other)
		if err := s.Unclaim(ctx, other); err != nil {
			return fmt.Errorf("the Unclaim of %s: %w", what, err)
		}
		if err := claim(s, c, c, false); err != nil {
			return fmt.Errorf("after Unclaim of %s: %w", what, err)
		}
	}
	if err := s.Unclaim(ctx, c); err != nil {
		return fmt.Errorf("in Unclaim: %w", err)
	}
	return errors.Join(claim(s, c, c, true), claim(s, c, c, false), want("Unclaim", s.Unclaim(ctx, c), nil), want("Unclaim again", s.Unclaim(ctx, c), nil))
}

func checkConcurrentClaims(s access.Store) error {
	for round := range byte(5) {
		const n = 8
		base := newClaim("a", round)
		held, fresh, errs := make([]access.Claim, n), make([]bool, n), make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				c := base
				c.Print[0] = byte(i + 1)
				held[i], fresh[i], errs[i] = s.Claim(ctx, c)
			})
		}
		wg.Wait()
		won := -1
		for i := range n {
			if errs[i] != nil {
				return fmt.Errorf("the Claim beside others: %w", errs[i])
			}
			if fresh[i] && won >= 0 {
				return errors.New("two Claims of one token were fresh")
			}
			if fresh[i] {
				won = i
			}
		}
		if won < 0 {
			return errors.New("no Claim of the token was fresh")
		}
		base.Print[0] = byte(won + 1)
		for i := range n {
			if held[i] != base {
				return fmt.Errorf("the Claim beside others is\n%+v, want the one that is held,\n%+v", held[i], base)
			}
		}
	}
	return nil
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
	_, _, leaseErr := s.Lease(ended, "a", month, 5, 10)
	_, _, _, accountErr := s.Account(ended, "a", month)
	_, answeredErr := s.Answered(ended, "r", month, time.Now(), map[string]int64{"a": 5})
	_, _, claimErr := s.Claim(ended, newClaim("a", 2))
	for call, err := range map[string]error{
		"Key": keyErr, "Keys": keysErr, "Lease": leaseErr, "Account": accountErr, "Answered": answeredErr, "Claim": claimErr,
		"PutKey":  s.PutKey(ended, changed),
		"Touch":   s.Touch(ended, map[string]time.Time{"a": date(2030, 1)}),
		"Return":  s.Return(ended, "a", month, 5),
		"Unclaim": s.Unclaim(ended, c),
		"Fold":    s.Fold(ended, "r", "a"),
	} {
		if err := want(call, err, context.Canceled); err != nil {
			return err
		}
	}
	other := newClaim("a", 2)
	return errors.Join(stored(s, k, 1), leased(s, "a", month, 5), claim(s, c, c, false), claim(s, other, other, true))
}

// account returns an error if the counts of a caller are not as expected.
func account(s access.Store, id string, m access.Month, leased, answered int64) error {
	l, n, _, err := s.Account(ctx, id, m)
	if err != nil || l != leased || n != answered {
		return fmt.Errorf("the Account of %s in %v is %d leased, %d answered, %v; want %d, %d", id, m, l, n, err, leased, answered)
	}
	return nil
}

// answered returns an error if Answered does not return others.
func answered(s access.Store, replica, id string, at time.Time, n, others int64) error {
	got, err := s.Answered(ctx, replica, month, at, map[string]int64{id: n})
	if err != nil || got[id] != others {
		return fmt.Errorf("Answered of %s with %d returns %d, %v; want %d", replica, n, got[id], err, others)
	}
	return nil
}

func checkAnswered(s access.Store) error {
	t := time.Now().Add(-time.Minute).UTC().Truncate(time.Microsecond)
	if err := errors.Join(
		answered(s, "r1", "a", t, 0, 0),
		account(s, "a", month, 0, 0),
		answered(s, "r1", "a", t.Add(1*time.Second), 5, 0),
		answered(s, "r2", "a", t.Add(2*time.Second), 7, 5),
		answered(s, "r1", "a", t.Add(1*time.Second), 6, 7), // repeated
		account(s, "a", month, 0, 12),
		answered(s, "r1", "a", t.Add(3*time.Second), 9, 7),
		answered(s, "r1", "a", t.Add(2*time.Second), 6, 7), // late
		account(s, "a", month, 0, 16),
		answered(s, "r1", "a", t.Add(4*time.Second), 4, 7), // refunded
		account(s, "a", month, 0, 11),
		answered(s, "r2", "a", t.Add(5*time.Second), 0, 4),
		answered(s, "r3", "a", t.Add(6*time.Second), 0, 4),
		account(s, "a", month, 0, 4),
		account(s, "a", month+1, 0, 0),
		account(s, "A", month, 0, 0),
	); err != nil {
		return err
	}
	if _, _, changed, err := s.Account(ctx, "a", month); err != nil || !changed.Equal(t.Add(5*time.Second)) {
		return fmt.Errorf("the Account changed at %v, %v; want %v", changed, err, t.Add(5*time.Second))
	}
	counts := make(map[string]int64)
	for i := range 500 {
		counts[fmt.Sprint("many", i)] = int64(i)
	}
	for _, replica := range []string{"r1", "r2"} {
		others, err := s.Answered(ctx, replica, month, t, counts)
		if err != nil {
			return err
		}
		for i := range 500 {
			if n := others[fmt.Sprint("many", i)]; n != map[string]int64{"r1": 0, "r2": int64(i)}[replica] {
				return fmt.Errorf("of 500 counts, number %d is %d for %s", i, n, replica)
			}
		}
	}
	_, err := s.Answered(ctx, "r1", month, t, map[string]int64{"a": -1})
	return errors.Join(want("Answered with -1", err, access.ErrInvalid), account(s, "a", month, 0, 4))
}

func checkFold(s access.Store) error {
	t := time.Now().Add(-time.Minute)
	return errors.Join(
		answered(s, "r1", "a", t, 5, 0), answered(s, "r2", "a", t, 7, 5), answered(s, "r1", "b", t, 1, 0),
		want("Fold", s.Fold(ctx, "r1", "a"), nil), want("Fold", s.Fold(ctx, "r1", "a"), nil),
		account(s, "a", month, 0, 12), account(s, "b", month, 0, 1),
		answered(s, "r2", "a", t.Add(time.Second), 8, 5),
		answered(s, "r1", "a", t, 3, 13), // it starts anew
		want("Fold", s.Fold(ctx, "r2", "a"), nil),
		answered(s, "r1", "a", t.Add(time.Second), 4, 13),
		want("Fold", s.Fold(ctx, "", "a"), nil),
		account(s, "a", month, 0, 17), account(s, "b", month, 0, 1),
	)
}

func checkConcurrentCounts(s access.Store) error {
	const replicas, rounds = 6, 10
	errs := make([]error, replicas)
	var wg sync.WaitGroup
	for i := range replicas {
		wg.Go(func() {
			name := fmt.Sprint("r", i)
			for n := range int64(rounds) {
				at := time.UnixMicro(1_700_000_000_000_000 + n)
				_, err := s.Answered(ctx, name, month, at, map[string]int64{"a": n + 1, "b": 2 * (n + 1)})
				errs[i] = errors.Join(errs[i], err)
			}
			errs[i] = errors.Join(errs[i], s.Fold(ctx, name, "a"))
		})
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), account(s, "a", month, 0, replicas*rounds), account(s, "b", month, 0, 2*replicas*rounds))
}
