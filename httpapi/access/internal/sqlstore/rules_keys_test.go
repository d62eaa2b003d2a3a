package sqlstore_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// newKey returns a normalized key with every field set.
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
	for repeats := range int64(2) {
		cut.Repeats = repeats
		if got, err := s.Claim(ctx, c); err != nil || got != cut {
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
		if err := invalid("PutKey", s.PutKey(ctx, newKey(id))); err != nil {
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
	return nil
}

func checkIDs(s access.Store) error {
	ids := []string{
		"'; --",
		"-",
		".",
		"10",
		"9",
		"A",
		"B-a",
		"Ba",
		"_",
		"a",
		"a b",
		"a%",
		"a-",
		"a.b",
		"aB",
		"a_b",
		"ab",
		"b",
		"user@corp.example",
		"é",
		"аbc",
	} // sorted by bytes; the last one begins with a Cyrillic letter
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
