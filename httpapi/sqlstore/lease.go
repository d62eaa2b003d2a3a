package sqlstore

import (
	"context"
	"fmt"

	"github.com/walletscreen/walletscreen/httpapi"
)

// keptMonths is for how many months before the current one the totals are kept.
const keptMonths = 12

// Lease implements [httpapi.Store]. The totals of months that are more than a year
// before m are deleted.
func (s *Store) Lease(ctx context.Context, id string, m httpapi.Month, n, limit int64) (granted, leased int64, err error) {
	err = s.call(ctx, "lease of key", id, func(ctx context.Context) error {
		if err := checkAmounts(id, n, limit); err != nil {
			return err
		}
		for {
			// One statement, so that nobody comes between. As a row shows only what it is
			// after the change, it keeps what was granted by it.
			if n > 0 && limit > 0 {
				found, err := s.queryRow(ctx, `
insert into walletscreen_lease as l (key_id, month, leased, granted) values ($1, $2, $3, $3)
on conflict (key_id, month) do update set
	leased = case when $4 - l.leased < $5 then $4 else l.leased + $5 end,
	granted = case when $4 - l.leased < $5 then $4 - l.leased else $5 end
where l.leased < $4
returning granted, leased`, []any{id, int64(m), min(n, limit), limit, n}, &granted, &leased)
				if err != nil {
					return err
				}
				if found {
					s.forgetMonths(ctx, m)
					return nil
				}
			}
			granted = 0
			if leased, err = s.leased(ctx, id, m); err != nil {
				return err
			}
			if n == 0 || leased >= limit {
				return nil // else some was returned just now
			}
		}
	})
	if err != nil {
		return 0, 0, err
	}
	return granted, leased, nil
}

// checkAmounts returns the error of an id or of amounts that are invalid.
func checkAmounts(id string, amounts ...int64) error {
	for _, n := range amounts {
		if n < 0 {
			return fmt.Errorf("%w: the amount %d", httpapi.ErrInvalid, n)
		}
	}
	return httpapi.CheckKeyID(id)
}

// Return implements [httpapi.Store].
func (s *Store) Return(ctx context.Context, id string, m httpapi.Month, n int64) error {
	return s.call(ctx, "lease of key", id, func(ctx context.Context) error {
		if err := checkAmounts(id, n); err != nil {
			return err
		}
		_, err := s.exec(ctx, `
update walletscreen_lease set leased = case when leased > $3 then leased - $3 else 0 end
where key_id = $1 and month = $2`, id, int64(m), n)
		return err
	})
}

// Leased implements [httpapi.Store].
func (s *Store) Leased(ctx context.Context, id string, m httpapi.Month) (leased int64, err error) {
	err = s.call(ctx, "lease of key", id, func(ctx context.Context) (err error) {
		if err := httpapi.CheckKeyID(id); err != nil {
			return err
		}
		leased, err = s.leased(ctx, id, m)
		return err
	})
	return leased, err
}

func (s *Store) leased(ctx context.Context, id string, m httpapi.Month) (leased int64, err error) {
	_, err = s.queryRow(ctx, `select leased from walletscreen_lease where key_id = $1 and month = $2`, []any{id, int64(m)}, &leased)
	return leased, err
}

// forgetMonths deletes old totals, once in a month. What it fails to delete is
// deleted in the next.
func (s *Store) forgetMonths(ctx context.Context, m httpapi.Month) {
	if last := s.pruned.Load(); int32(m) <= last || !s.pruned.CompareAndSwap(last, int32(m)) {
		return
	}
	s.exec(ctx, `delete from walletscreen_lease where month < $1`, int64(m)-keptMonths)
}
