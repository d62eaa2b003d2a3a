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
	// One statement, so that no other change comes between. A row shows only its
	// new values, so it holds what the change has granted.
	statement, args := `select 0, leased, changed from walletscreen_lease where key_id = $1 and month = $2`, []any{id, int64(m)}
	switch now := time.Now().UnixMicro(); {
	case n > 0 && limit > 0:
		statement, args = `
insert into walletscreen_lease as l (key_id, month, leased, granted, changed) values ($1, $2, $3, $3, $6)
on conflict (key_id, month) do update set
	leased = case when l.leased >= $4 then l.leased when $4 - l.leased < $5 then $4 else l.leased + $5 end,
	granted = case when l.leased >= $4 then 0 when $4 - l.leased < $5 then $4 - l.leased else $5 end,
	changed = case when l.leased >= $4 then l.changed else $6 end
returning granted, leased, changed`, append(args, min(n, limit), limit, n, now)
	case n < 0:
		statement, args = `
update walletscreen_lease set
	leased = case when leased > $3 then leased - $3 else 0 end,
	changed = case when leased > 0 then $4 else changed end
where key_id = $1 and month = $2
returning 0, leased, changed`, append(args, -max(n, -math.MaxInt64), now)
	}
	var micros int64
	err = s.call(ctx, "lease of", id, func(ctx context.Context) error {
		_, err := s.queryRow(ctx, statement, args, &granted, &leased, &micros)
		if err == nil && granted > 0 {
			s.forgetMonths(ctx, m)
		}
		return err
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
