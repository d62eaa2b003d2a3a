package sqlstore

import (
	"context"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access/internal/rule"
)

// keptMonths is the number of months before the current one whose totals are kept.
const keptMonths = 12

// Lease implements [access.Store]. It deletes totals that are older than a year.
func (s *Store) Lease(ctx context.Context, id string, m int, n, limit int64) (granted, leased int64, err error) {
	err = s.call(ctx, "lease of", id, func(ctx context.Context) error {
		if err := rule.Check(id, n, limit); err != nil {
			return err
		}
		for {
			// One statement, so that no other change comes between. A row shows only its
			// new values, so it holds what the change has granted.
			if n > 0 && limit > 0 {
				found, err := s.queryRow(ctx, `
insert into walletscreen_lease as l (key_id, month, leased, granted, changed) values ($1, $2, $3, $3, $6)
on conflict (key_id, month) do update set
	leased = case when $4 - l.leased < $5 then $4 else l.leased + $5 end,
	granted = case when $4 - l.leased < $5 then $4 - l.leased else $5 end,
	changed = $6
where l.leased < $4
returning granted, leased`, []any{id, int64(m), min(n, limit), limit, n, time.Now().UnixMicro()}, &granted, &leased)
				if err != nil {
					return err
				}
				if found {
					s.forgetMonths(ctx, m)
					return nil
				}
			}
			granted, leased = 0, 0
			if _, err = s.queryRow(ctx, `select leased from walletscreen_lease where key_id = $1 and month = $2`, []any{id, int64(m)}, &leased); err != nil {
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

// Return implements [access.Store].
func (s *Store) Return(ctx context.Context, id string, m int, n int64) error {
	return s.call(ctx, "lease of", id, func(ctx context.Context) error {
		if err := rule.Check(id, n); err != nil {
			return err
		}
		_, err := s.exec(ctx, `
update walletscreen_lease set leased = case when leased > $3 then leased - $3 else 0 end, changed = $4
where key_id = $1 and month = $2`, id, int64(m), n, time.Now().UnixMicro())
		return err
	})
}

// Account implements [access.Store].
func (s *Store) Account(ctx context.Context, id string, m int) (leased int64, changed time.Time, err error) {
	err = s.call(ctx, "account of", id, func(ctx context.Context) error {
		if err := rule.CheckID(id); err != nil {
			return err
		}
		var micros int64
		found, err := s.queryRow(ctx, `select leased, changed from walletscreen_lease where key_id = $1 and month = $2`, []any{id, int64(m)}, &leased, &micros)
		if found {
			changed = time.UnixMicro(micros).UTC()
		}
		return err
	})
	return leased, changed, err
}

// forgetMonths deletes old totals, once a month. What it fails to delete is deleted a
// month later.
func (s *Store) forgetMonths(ctx context.Context, m int) {
	if last := s.pruned.Load(); int32(m) <= last || !s.pruned.CompareAndSwap(last, int32(m)) {
		return
	}
	s.exec(ctx, `delete from walletscreen_lease where month < $1`, int64(m)-keptMonths)
}
