package sqlstore

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// idsAtOnce is the number of ids in one statement, so that others are not delayed.
const idsAtOnce = 200

// Answered implements [access.Store].
func (s *Store) Answered(ctx context.Context, replica string, m int, at time.Time, counts map[string]int64) (map[string]int64, error) {
	others := make(map[string]int64, len(counts))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for id, n := range counts {
		if err := checkAmounts(id, n); err != nil {
			return nil, err
		}
	}
	// Replicas that lock rows in the same order do not deadlock.
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(counts)), idsAtOnce) {
		err := s.call(ctx, "counts from", ids[0], func(ctx context.Context) error {
			if err := s.putCounts(ctx, replica, m, at, ids, counts); err != nil {
				return err
			}
			return s.readCounts(ctx, replica, m, ids, others)
		})
		if err != nil {
			return nil, err
		}
	}
	return others, nil
}

// putCounts writes counts. A zero is written only over another count.
func (s *Store) putCounts(ctx context.Context, replica string, m int, at time.Time, ids []string, counts map[string]int64) error {
	var rows []string
	args := []any{int64(m), replica, at.UnixMicro()}
	for _, id := range ids {
		n := len(args)
		rows = append(rows, "(cast($"+strconv.Itoa(n+1)+" as text), cast($1 as integer), cast($2 as text), cast($"+strconv.Itoa(n+2)+" as bigint), cast($3 as bigint))")
		args = append(args, id, counts[id])
	}
	_, err := s.exec(ctx, `
insert into walletscreen_answered as a (key_id, month, replica, answered, changed)
select column1, column2, column3, column4, column5 from (values `+strings.Join(rows, ", ")+`) as v
where column4 > 0 or exists (select 1 from walletscreen_answered where key_id = column1 and month = column2 and replica = column3)
on conflict (key_id, month, replica) do update set answered = excluded.answered, changed = excluded.changed
where a.changed < excluded.changed`, args...)
	return err
}

// readCounts adds the counts of the other replicas to others.
func (s *Store) readCounts(ctx context.Context, replica string, m int, ids []string, others map[string]int64) error {
	var marks []string
	args := []any{int64(m), replica}
	for _, id := range ids {
		args = append(args, id)
		marks = append(marks, "$"+strconv.Itoa(len(args)))
	}
	rows, err := s.db.QueryContext(ctx, `
select key_id, cast(sum(answered) as bigint) from walletscreen_answered
where month = $1 and replica <> $2 and key_id in (`+strings.Join(marks, ", ")+`) group by key_id`, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var n int64
		if err := rows.Scan(&id, &n); err != nil {
			return err
		}
		others[id] = n
	}
	return rows.Err()
}

// Fold implements [access.Store]. The counts of replicas that have ended are in rows
// with an empty replica.
func (s *Store) Fold(ctx context.Context, replica, id string) error {
	return s.call(ctx, "counts of", id, func(ctx context.Context) error {
		if replica == "" || access.CheckKeyID(id) != nil {
			return nil
		}
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		// Moving the row first locks it, so that a concurrent Fold finds none.
		rows, err := tx.QueryContext(ctx, `
delete from walletscreen_answered where key_id = $1 and replica = $2 returning month, answered, changed`, id, replica)
		if err != nil {
			return err
		}
		type row struct{ month, answered, changed int64 }
		var moved []row
		for rows.Next() {
			var r row
			if err := rows.Scan(&r.month, &r.answered, &r.changed); err != nil {
				rows.Close()
				return err
			}
			moved = append(moved, r)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		for _, r := range moved {
			if _, err := tx.ExecContext(ctx, `
insert into walletscreen_answered as a (key_id, month, replica, answered, changed) values ($1, $2, '', $3, $4)
on conflict (key_id, month, replica) do update set answered = a.answered + excluded.answered,
	changed = case when a.changed < excluded.changed then excluded.changed else a.changed end`,
				id, r.month, r.answered, r.changed); err != nil {
				return err
			}
		}
		return tx.Commit()
	})
}
