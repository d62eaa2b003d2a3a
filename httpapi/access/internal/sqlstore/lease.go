package sqlstore

import (
	"context"
	"math"
	"time"
)

// keptMonths is the number of months before the current one whose totals are kept.
const keptMonths = 12

// Lease implements [access.Store]. It deletes totals that are older than a year.
func (s *Store) Lease(ctx context.Context, id string, m int, n, limit int64) (granted, leased int64, changed time.Time, err error) {
	var micros int64
	err = s.call(ctx, "lease of", id, func(ctx context.Context) error {
		for {
			now, found, err := time.Now().UnixMicro(), false, error(nil)
			switch {
			case n > 0 && limit > 0:
				// One statement, so that no other change comes between. A row shows only its
				// new values, so it holds what the change has granted.
				found, err = s.queryRow(ctx, `
insert into walletscreen_lease as l (key_id, month, leased, granted, changed) values ($1, $2, $3, $3, $6)
on conflict (key_id, month) do update set
	leased = case when $4 - l.leased < $5 then $4 else l.leased + $5 end,
	granted = case when $4 - l.leased < $5 then $4 - l.leased else $5 end,
	changed = $6
where l.leased < $4
returning granted, leased, changed`, []any{id, int64(m), min(n, limit), limit, n, now}, &granted, &leased, &micros)
				if found {
					s.forgetMonths(ctx, m)
				}
			case n < 0:
				found, err = s.queryRow(ctx, `
update walletscreen_lease set leased = case when leased > $3 then leased - $3 else 0 end, changed = $4
where key_id = $1 and month = $2 and leased > 0
returning leased, changed`, []any{id, int64(m), -max(n, -math.MaxInt64), now}, &leased, &micros)
			}
			if found || err != nil {
				return err
			}
			granted, leased, micros = 0, 0, 0
			if _, err = s.queryRow(ctx, `select leased, changed from walletscreen_lease where key_id = $1 and month = $2`, []any{id, int64(m)}, &leased, &micros); err != nil {
				return err
			}
			if n <= 0 || leased >= limit {
				return nil // else some was returned just now
			}
		}
	})
	if err != nil {
		return 0, 0, time.Time{}, err
	}
	if micros > 0 {
		changed = time.UnixMicro(micros).UTC()
	}
	return granted, leased, changed, nil
}

// forgetMonths deletes old totals, once a month. What it fails to delete is deleted a
// month later.
func (s *Store) forgetMonths(ctx context.Context, m int) {
	if last := s.pruned.Load(); int32(m) <= last || !s.pruned.CompareAndSwap(last, int32(m)) {
		return
	}
	s.exec(ctx, `delete from walletscreen_lease where month < $1`, int64(m)-keptMonths)
}
