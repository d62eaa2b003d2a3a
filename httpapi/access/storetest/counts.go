package storetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// account returns an error if the counts of a caller are not as expected.
func account(s access.Store, id string, m int, leased, answered int64) error {
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
		return fmt.Errorf("method Answered of %s with %d returns %d, %v; want %d", replica, n, got[id], err, others)
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
		answered(s, "r1", "a", t, 3, 13), // it starts again
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
