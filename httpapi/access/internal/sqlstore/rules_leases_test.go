package sqlstore_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// leased returns an error if the total is not n.
func leased(s access.Store, id string, m int, n int64) error {
	_, got, changed, err := s.Lease(ctx, id, m, 0, 0)
	if err == nil && (changed.After(time.Now()) || got > 0 && changed.IsZero()) {
		err = fmt.Errorf("changed at %v", changed)
	}
	if err != nil || got != n {
		return fmt.Errorf("the total of %s in %v is %d, %v; want %d", id, m, got, err, n)
	}
	return nil
}

// giveBack returns leased screenings.
func giveBack(ctx context.Context, s access.Store, id string, m int, n int64) error {
	granted, _, _, err := s.Lease(ctx, id, m, -n, 0)
	if err == nil && granted != 0 {
		err = fmt.Errorf("a return grants %d", granted)
	}
	return err
}

// lease returns an error if Lease does not grant or return the expected numbers.
func lease(s access.Store, id string, m int, n, limit, granted, total int64) error {
	gotGranted, gotTotal, _, err := s.Lease(ctx, id, m, n, limit)
	if err != nil || gotGranted != granted || gotTotal != total {
		return fmt.Errorf("the Lease of %d with the limit %d is %d of %d, %v; want %d of %d", n, limit, gotGranted, gotTotal, err, granted, total)
	}
	return leased(s, id, m, total)
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
		if err := errors.Join(want("a return", giveBack(ctx, s, "a", month, step.n), nil), leased(s, "a", month, step.total)); err != nil {
			return err
		}
	}
	if err := lease(s, "a", month, 10, 10, 4, 10); err != nil {
		return err
	}
	for _, n := range []int64{11, 1, math.MaxInt64, math.MinInt64} {
		if err := errors.Join(want("a return of more than is leased", giveBack(ctx, s, "a", month, n), nil), leased(s, "a", month, 0)); err != nil {
			return err
		}
	}
	return lease(s, "a", month, 10, 10, 10, 10)
}

func checkApart(s access.Store) error {
	for i, a := range []struct {
		id    string
		month int
	}{
		{"a", month}, {"A", month}, {"ab", month}, {"a", month + 1}, {"b", month}, {"A", month + 1},
	} {
		n := int64(i + 1)
		if err := lease(s, a.id, a.month, n, 10, n, n); err != nil {
			return err
		}
	}
	return errors.Join(
		want("a return", giveBack(ctx, s, "a", month+1, 3), nil),
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
				granted, total, _, err := s.Lease(ctx, id, month, n, limit)
				if err == nil && (granted < 0 || granted > n || total > limit || granted < n && total < limit) {
					err = fmt.Errorf("%d of %d granted, with %d of %d leased after it", granted, n, total, limit)
				}
				back := int64(0)
				if err == nil && returns && granted > 3 {
					back = 1
					err = giveBack(ctx, s, id, month, back)
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
		return fmt.Errorf("a Lease beside others: %w", bad)
	}
	if !returns { // then each begins where another has ended
		slices.SortFunc(answers, func(a, b answer) int { return cmp.Compare(a.total, b.total) })
		total := int64(0)
		for _, a := range answers {
			if total += a.granted; a.total != total {
				return fmt.Errorf(
					"the Lease beside others: %d granted, with %d leased after it, where %d were: %v",
					a.granted,
					a.total,
					total-a.granted,
					answers,
				)
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
