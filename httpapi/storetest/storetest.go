// Package storetest tests implementations of [httpapi.Store]. It is a package of
// its own so that no program links package testing.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) httpapi.Store {
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

	"github.com/walletscreen/walletscreen/httpapi"
)

// Run tests that the Stores which newStore returns keep the rules of
// [httpapi.Store], one rule in each subtest; what fails says which rule it is,
// and why there is one. Each call of newStore must return a Store that holds
// nothing, or holds nothing under the ids of another test; a subtest calls it
// once.
func Run(t *testing.T, newStore func(*testing.T) httpapi.Store) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if err := r.check(newStore(t)); err != nil {
				t.Errorf("%v\nThe rule: %s", err, r.explanation)
			}
		})
	}
}

// A rule is one thing that a Store must do. It has a name, the words that are
// printed when it is broken, and the test of it.
type rule struct {
	name        string
	explanation string
	check       func(httpapi.Store) error
}

var rules = []rule{
	{
		"nothing stored",
		"What is not stored is no key and nothing leased: Key wraps ErrNoKey, also for what can be no id; Keys is empty; Leased is 0; Return and Unclaim do nothing.",
		checkNothing,
	},
	{
		"key",
		"A key is returned as Key.Normal makes it, with Version 1, by Key and by Keys, whatever is in its fields.",
		checkKey,
	},
	{
		"times",
		"Times are kept to the microsecond, cut and not rounded, and returned in UTC; a zero time stays one.",
		checkTimes,
	},
	{
		"version",
		"PutKey stores a key only over the version that it was made from, and a new one only where none is; else two operators would undo each other's work, a revocation even. A refused one changes nothing.",
		checkVersion,
	},
	{
		"concurrent puts",
		"Of PutKeys from one version at once, one is stored, and the others are conflicts.",
		checkConcurrentPuts,
	},
	{
		"invalid",
		"What Key.Normal or CheckKeyID refuses, and negative amounts, are refused with an error that wraps ErrInvalid, and change nothing.",
		checkInvalid,
	},
	{
		"ids",
		"Ids are compared byte by byte, without folding of letters, and Keys is sorted by bytes: no locale of a database shows.",
		checkIDs,
	},
	{
		"used",
		"Used sets the times of last use, never back, of stored keys only, and leaves the rest of the key and its version as they are.",
		checkUsed,
	},
	{
		"used and put",
		"PutKey does not set the time of last use back: whoever changes a key has read it a while ago.",
		checkUsedAndPut,
	},
	{
		"lease",
		"Lease grants what is asked for as far as the limit leaves it, never less than nothing, and tells the total after it.",
		checkLease,
	},
	{
		"return",
		"What is returned can be leased again, and no total falls below 0.",
		checkReturn,
	},
	{
		"accounts apart",
		"Each month of each id is counted for itself.",
		checkApart,
	},
	{
		"concurrent leases",
		"Leases at once never exceed the limit together, and use it up to the last one; totals are exact.",
		checkConcurrentLeases,
	},
	{
		"claim",
		"Claim stores a claim where none is held, and else returns the one that is held. Each token of each key is for itself.",
		checkClaim,
	},
	{
		"claim expires",
		"A claim that has expired is not held: another one takes its place, and one that has expired before it is made only looks.",
		checkClaimExpires,
	},
	{
		"unclaim",
		"Unclaim deletes the claim that it is given, and none that only resembles it: it may come late, when another holds its place.",
		checkUnclaim,
	},
	{
		"concurrent claims",
		"Of Claims of one token at once, one is fresh, and all others are told of that one.",
		checkConcurrentClaims,
	},
	{
		"cancelled",
		"If ctx has ended before the call, every method returns an error that wraps ctx.Err(), and does nothing.",
		checkCancelled,
	},
}

var (
	ctx   = context.Background()
	month = httpapi.MonthOf(time.Now())
)

// newKey returns a key as a Store keeps it, with something in every field.
func newKey(id string) httpapi.Key {
	return httpapi.Key{
		ID: id, Name: "Zahlungen, 'bank' \"x\" \\ %_ ☂ 𝄞",
		Secret: [32]byte{0: 1, 31: 0xff}, Previous: [32]byte{1: 0x80, 30: 2}, PreviousEnds: date(2027, 1),
		Scopes: httpapi.ScopeScreen | httpapi.ScopeUsage, Quota: 10_000, Rate: 0.1, Burst: 20,
		Created: date(2026, 1), Expires: date(2028, 2), Revoked: date(2027, 6), LastUsed: date(2026, 11),
	}
}

func date(y int, m time.Month) time.Time {
	return time.Date(y, m, 17, 23, 59, 59, 999_999_000, time.UTC)
}

// want returns an error if the error of a call does not wrap sentinel, which is
// nil for none.
func want(call string, err, sentinel error) error {
	if !errors.Is(err, sentinel) {
		return fmt.Errorf("%s: the error is %v, want %v", call, err, sentinel)
	}
	return nil
}

// stored returns an error if s does not hold k, with a version.
func stored(s httpapi.Store, k httpapi.Key, version int64) error {
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
func put(s httpapi.Store, keys ...httpapi.Key) error {
	for _, k := range keys {
		if err := s.PutKey(ctx, k); err != nil {
			return fmt.Errorf("in PutKey: %w", err)
		}
	}
	return nil
}

// leased returns an error if the total is not n.
func leased(s httpapi.Store, id string, m httpapi.Month, n int64) error {
	got, err := s.Leased(ctx, id, m)
	if err != nil || got != n {
		return fmt.Errorf("the total of %s in %v is %d, %v; want %d", id, m, got, err, n)
	}
	return nil
}

// lease returns an error if Lease does not grant what is expected, or tells
// another total.
func lease(s httpapi.Store, id string, m httpapi.Month, n, limit, granted, total int64) error {
	gotGranted, gotTotal, err := s.Lease(ctx, id, m, n, limit)
	if err != nil || gotGranted != granted || gotTotal != total {
		return fmt.Errorf("the Lease of %d with the limit %d is %d of %d, %v; want %d of %d", n, limit, gotGranted, gotTotal, err, granted, total)
	}
	return leased(s, id, m, total)
}

func checkNothing(s httpapi.Store) error {
	for _, id := range append([]string{"none"}, badIDs...) {
		k, err := s.Key(ctx, id)
		if err := want(fmt.Sprintf("Key of %q", id), err, httpapi.ErrNoKey); err != nil {
			return err
		}
		if k != (httpapi.Key{}) {
			return fmt.Errorf("the Key of %q is an error and a key", id)
		}
	}
	if all, err := s.Keys(ctx); err != nil || len(all) > 0 {
		return fmt.Errorf("the answer of Keys is %d keys, %v; want none", len(all), err)
	}
	return errors.Join(
		want("Return", s.Return(ctx, "none", month, 5), nil),
		leased(s, "none", month, 0),
		want("Unclaim", s.Unclaim(ctx, newClaim("none", 1)), nil),
		want("Used", s.Used(ctx, nil), nil),
		want("Used", s.Used(ctx, map[string]time.Time{"none": date(2026, 1)}), nil),
		want("Key after Used", second(s.Key(ctx, "none")), httpapi.ErrNoKey),
	)
}

func second(_ httpapi.Key, err error) error { return err }

func checkKey(s httpapi.Store) error {
	full, least, most := newKey("full"), httpapi.Key{ID: "least", Secret: [32]byte{1}}, newKey(strings.Repeat("m", 64))
	most.Name, most.Quota, most.Rate, most.Burst, most.Scopes = strings.Repeat("é", 100), math.MaxInt64, 1e6, 1e9, httpapi.AllScopes
	most.Rate = math.Nextafter(most.Rate, 0)
	if err := put(s, most, full, least); err != nil {
		return err
	}
	all, err := s.Keys(ctx)
	if err != nil || len(all) != 3 {
		return fmt.Errorf("the answer of Keys is %d keys, %v; want 3", len(all), err)
	}
	for i, k := range []httpapi.Key{full, least, most} {
		if err := stored(s, k, 1); err != nil {
			return err
		}
		if k.Version = 1; all[i] != k {
			return fmt.Errorf("key %d of Keys is\n%+v, want\n%+v", i, all[i], k)
		}
	}
	return nil
}

func checkTimes(s httpapi.Store) error {
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
	if err := s.Used(ctx, map[string]time.Time{"times": at}); err != nil {
		return err
	}
	normal.LastUsed = at.UTC().Truncate(time.Microsecond)
	return stored(s, normal, 1)
}

func checkVersion(s httpapi.Store) error {
	k := newKey("version")
	if err := put(s, k); err != nil {
		return err
	}
	changed := k
	changed.Name, changed.Quota = "changed", 1
	for _, version := range []int64{0, 2, 3} {
		changed.Version = version
		if err := want(fmt.Sprintf("PutKey of version %d over version 1", version), s.PutKey(ctx, changed), httpapi.ErrConflict); err != nil {
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
	if err := want("PutKey of version 1 over version 2", s.PutKey(ctx, changed), httpapi.ErrConflict); err != nil {
		return err
	}
	absent := newKey("absent")
	absent.Version = 1
	return errors.Join(
		stored(s, changed, 2),
		want("PutKey of version 1 over none", s.PutKey(ctx, absent), httpapi.ErrConflict),
		want("Key after it", second(s.Key(ctx, "absent")), httpapi.ErrNoKey),
	)
}

func checkConcurrentPuts(s httpapi.Store) error {
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
			} else if err := want("PutKey beside others", err, httpapi.ErrConflict); err != nil {
				return err
			}
		}
		if won < 0 {
			return fmt.Errorf("of %d PutKeys of version %d none was stored", n, version)
		}
		k.Quota = int64(100 + won)
		if err := stored(s, k, version+1); err != nil {
			return err
		}
	}
	return nil
}

var badIDs = []string{
	"", " ", "a b", "a\n", "a\x00", "a/b", "a%", "a:b", "'", `"`, `a\`, "é", "a\xff", "a\u200b", "аbc", // the last one begins with a Cyrillic letter
	strings.Repeat("a", 65),
}

func checkInvalid(s httpapi.Store) error {
	invalid := func(call string, err error) error { return want(call, err, httpapi.ErrInvalid) }
	for _, id := range badIDs {
		k, c := newKey(id), newClaim(id, 1)
		_, _, leaseErr := s.Lease(ctx, id, month, 1, 10)
		_, leasedErr := s.Leased(ctx, id, month)
		_, _, claimErr := s.Claim(ctx, c)
		if err := errors.Join(
			invalid("PutKey", s.PutKey(ctx, k)),
			invalid("Lease", leaseErr),
			invalid("Leased", leasedErr),
			invalid("Return", s.Return(ctx, id, month, 1)),
			invalid("Claim", claimErr),
			invalid("Unclaim", s.Unclaim(ctx, c)),
			want("Used", s.Used(ctx, map[string]time.Time{id: date(2026, 1)}), nil),
		); err != nil {
			return fmt.Errorf("id %q: %w", id, err)
		}
	}
	for what, change := range map[string]func(*httpapi.Key){
		"a long name":         func(k *httpapi.Key) { k.Name = strings.Repeat("a", 201) },
		"a NUL in the name":   func(k *httpapi.Key) { k.Name = "a\x00b" },
		"a name not in UTF-8": func(k *httpapi.Key) { k.Name = "a\xff" },
		"no secret":           func(k *httpapi.Key) { k.Secret = [32]byte{} },
		"an end of nothing":   func(k *httpapi.Key) { k.Previous = [32]byte{} },
		"no end":              func(k *httpapi.Key) { k.PreviousEnds = time.Time{} },
		"unknown scopes":      func(k *httpapi.Key) { k.Scopes = httpapi.AllScopes + 1 },
		"a negative quota":    func(k *httpapi.Key) { k.Quota = -1 },
		"a rate of NaN":       func(k *httpapi.Key) { k.Rate = math.NaN() },
		"an infinite rate":    func(k *httpapi.Key) { k.Rate = math.Inf(1) },
		"a negative rate":     func(k *httpapi.Key) { k.Rate = -1 },
		"no burst":            func(k *httpapi.Key) { k.Burst = 0 },
		"no rate":             func(k *httpapi.Key) { k.Rate = 0 },
		"a negative burst":    func(k *httpapi.Key) { k.Burst = -1 },
		"the year 10000":      func(k *httpapi.Key) { k.Expires = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"the year 1969":       func(k *httpapi.Key) { k.Created = time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC) },
		"a negative version":  func(k *httpapi.Key) { k.Version = -1 },
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

func checkIDs(s httpapi.Store) error {
	ids := []string{"-", ".", "10", "9", "A", "B-a", "Ba", "_", "a", "a-", "a.b", "aB", "a_b", "ab", "b"} // sorted by bytes
	for i := range ids {
		id := ids[i*7%len(ids)]
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

func checkUsed(s httpapi.Store) error {
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
		if err := s.Used(ctx, step.used); err != nil {
			return fmt.Errorf("in Used: %w", err)
		}
		a.LastUsed, b.LastUsed = step.a, step.b
		if err := errors.Join(stored(s, a, 1), stored(s, b, 1)); err != nil {
			return fmt.Errorf("after Used with %v: %w", step.used, err)
		}
	}
	return want("Key of what is not stored", second(s.Key(ctx, "c")), httpapi.ErrNoKey)
}

func checkUsedAndPut(s httpapi.Store) error {
	k := newKey("a")
	k.LastUsed = time.Time{}
	if err := put(s, k); err != nil {
		return err
	}
	if err := s.Used(ctx, map[string]time.Time{"a": date(2026, 5)}); err != nil {
		return fmt.Errorf("in Used: %w", err)
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

func checkLease(s httpapi.Store) error {
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

func checkReturn(s httpapi.Store) error {
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

func checkApart(s httpapi.Store) error {
	for i, a := range []struct {
		id    string
		month httpapi.Month
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

func checkConcurrentLeases(s httpapi.Store) error {
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
func leaseAtOnce(s httpapi.Store, id string, limit int64, returns bool) error {
	type answer struct{ granted, total int64 }
	var mu sync.Mutex
	var sum int64
	var bad error
	var answers []answer // of which something was granted
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

func newClaim(id string, token byte) httpapi.Claim {
	return httpapi.Claim{
		KeyID: id, Token: [32]byte{0: token, 31: 0xff}, Print: [32]byte{1: token, 2: 0xfe},
		Expires: time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond),
	}
}

// claim returns an error if a Claim of c is not answered with held.
func claim(s httpapi.Store, c, held httpapi.Claim, fresh bool) error {
	got, gotFresh, err := s.Claim(ctx, c)
	if err != nil || gotFresh != fresh || got != held {
		return fmt.Errorf("the Claim of\n%+v is\n%+v, fresh %v, %v; want\n%+v, fresh %v", c, got, gotFresh, err, held, fresh)
	}
	return nil
}

func checkClaim(s httpapi.Store) error {
	first := newClaim("a", 1)
	for _, c := range []httpapi.Claim{first, newClaim("a", 2), newClaim("b", 1), newClaim("A", 1), {KeyID: "zero", Expires: first.Expires}} {
		if err := claim(s, c, c, true); err != nil {
			return err
		}
	}
	again := first
	again.Print, again.Expires = [32]byte{9}, first.Expires.Add(time.Hour)
	return errors.Join(claim(s, again, first, false), claim(s, first, first, false))
}

func checkClaimExpires(s httpapi.Store) error {
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
	// One that is held for a moment, and then not any more.
	brief, next := newClaim("a", 2), newClaim("a", 2)
	brief.Expires = time.Now().Add(50 * time.Millisecond).UTC().Truncate(time.Microsecond)
	next.Print = [32]byte{7}
	if _, fresh, err := s.Claim(ctx, brief); err != nil || !fresh {
		return fmt.Errorf("the answer of Claim: fresh %v, %v", fresh, err)
	}
	time.Sleep(time.Until(brief.Expires) + time.Millisecond)
	return errors.Join(claim(s, next, next, true), claim(s, brief, next, false))
}

func checkUnclaim(s httpapi.Store) error {
	c := newClaim("a", 1)
	if err := claim(s, c, c, true); err != nil {
		return err
	}
	for what, change := range map[string]func(*httpapi.Claim){
		"another key":   func(c *httpapi.Claim) { c.KeyID = "b" },
		"another token": func(c *httpapi.Claim) { c.Token[5]++ },
		"another print": func(c *httpapi.Claim) { c.Print[5]++ },
		"another end":   func(c *httpapi.Claim) { c.Expires = c.Expires.Add(time.Microsecond) },
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

func checkConcurrentClaims(s httpapi.Store) error {
	for round := range byte(5) {
		const n = 8
		base := newClaim("a", round)
		held, fresh, errs := make([]httpapi.Claim, n), make([]bool, n), make([]error, n)
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
			return errors.New("of Claims of one token none was fresh")
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

func checkCancelled(s httpapi.Store) error {
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
	_, leasedErr := s.Leased(ended, "a", month)
	_, _, claimErr := s.Claim(ended, newClaim("a", 2))
	for call, err := range map[string]error{
		"Key": keyErr, "Keys": keysErr, "Lease": leaseErr, "Leased": leasedErr, "Claim": claimErr,
		"PutKey":  s.PutKey(ended, changed),
		"Used":    s.Used(ended, map[string]time.Time{"a": date(2030, 1)}),
		"Return":  s.Return(ended, "a", month, 5),
		"Unclaim": s.Unclaim(ended, c),
	} {
		if err := want(call, err, context.Canceled); err != nil {
			return err
		}
	}
	other := newClaim("a", 2)
	return errors.Join(stored(s, k, 1), leased(s, "a", month, 5), claim(s, c, c, false), claim(s, other, other, true))
}
