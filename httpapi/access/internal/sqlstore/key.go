package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// Key implements [access.Store].
func (s *Store) Key(ctx context.Context, id string) (k access.Key, err error) {
	err = s.call(ctx, "key", "", func(ctx context.Context) error { // the id of a failed request may be any text
		found, err := s.keys(ctx, `where id = $1`, id)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%.80q: %w", id, access.ErrNoKey)
		}
		if err != nil {
			return err
		}
		k = found[0]
		return nil
	})
	return k, err
}

// Keys implements [access.Store].
func (s *Store) Keys(ctx context.Context) (all []access.Key, err error) {
	err = s.call(ctx, "keys", "", func(ctx context.Context) (err error) {
		all, err = s.keys(ctx, "")
		return err
	})
	// Databases differ in the order of texts.
	slices.SortFunc(all, func(a, b access.Key) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// keys returns the keys that satisfy a condition.
func (s *Store) keys(ctx context.Context, where string, args ...any) ([]access.Key, error) {
	rows, err := s.db.QueryContext(ctx, `
select id, name, secret, previous, previous_ends, scopes, quota, rate, burst, created, expires, revoked, last_used, version
from walletscreen_key `+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []access.Key
	for rows.Next() {
		k, err := scanKey(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, rows.Err()
}

// scanKey returns the key of a row. A key that PutKey cannot have stored is an error,
// so it admits no caller.
func scanKey(rows *sql.Rows) (k access.Key, err error) {
	var secret string
	var previous sql.NullString
	var previousEnds, created, expires, revoked, lastUsed sql.NullInt64
	err = rows.Scan(&k.ID, &k.Name, &secret, &previous, &previousEnds, &k.Scopes, &k.Quota, &k.Rate, &k.Burst,
		&created, &expires, &revoked, &lastUsed, &k.Version)
	if err != nil {
		return k, err
	}
	if k.Secret, err = parseHash(secret); err == nil && previous.Valid {
		k.Previous, err = parseHash(previous.String)
	}
	k.PreviousEnds, k.Created, k.Expires = asTime(previousEnds), asTime(created), asTime(expires)
	k.Revoked, k.LastUsed = asTime(revoked), asTime(lastUsed)
	if normal, invalid := k.Normal(); err != nil || invalid != nil || normal != k {
		return access.Key{}, fmt.Errorf("%w: key %.80q has values that were never stored", ErrDamaged, k.ID)
	}
	return k, nil
}

// PutKey implements [access.Store].
func (s *Store) PutKey(ctx context.Context, k access.Key) error {
	return s.call(ctx, "key", k.ID, func(ctx context.Context) error {
		k, err := k.Normal()
		if err != nil {
			return err
		}
		args := []any{k.ID, k.Name, formatHash(k.Secret), sql.NullString{String: formatHash(k.Previous), Valid: k.Previous != [sha256.Size]byte{}},
			fromTime(k.PreviousEnds), k.Scopes, k.Quota, k.Rate, int64(k.Burst),
			fromTime(k.Created), fromTime(k.Expires), fromTime(k.Revoked), fromTime(k.LastUsed), k.Version}
		statement := `
insert into walletscreen_key (id, name, secret, previous, previous_ends, scopes, quota, rate, burst, created, expires, revoked, last_used, version)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 + 1)
on conflict (id) do nothing`
		if k.Version > 0 {
			statement = `
update walletscreen_key set name = $2, secret = $3, previous = $4, previous_ends = $5, scopes = $6, quota = $7, rate = $8, burst = $9,
	created = $10, expires = $11, revoked = $12, last_used = case when last_used >= $13 or $13 is null then last_used else $13 end, version = $14 + 1
where id = $1 and version = $14`
		}
		n, err := s.exec(ctx, statement, args...)
		if err == nil && n == 0 {
			err = access.ErrConflict
		}
		return err
	})
}

// idsAtOnce is the number of ids in one statement, so that others are not delayed.
const idsAtOnce = 200

// Touch implements [access.Store].
func (s *Store) Touch(ctx context.Context, at map[string]time.Time) error {
	// Replicas that lock rows in the same order do not deadlock.
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(at)), idsAtOnce) {
		err := s.call(ctx, "last uses from", ids[0], func(ctx context.Context) error {
			var values []string
			var args []any
			for _, id := range ids {
				n := len(args)
				values = append(values, "(cast($"+strconv.Itoa(n+1)+" as text), cast($"+strconv.Itoa(n+2)+" as bigint))")
				args = append(args, id, at[id].UnixMicro())
			}
			// Both databases name the columns of values column1, column2 and so on.
			_, err := s.exec(ctx, `
update walletscreen_key set last_used = used.column2
from (values `+strings.Join(values, ", ")+`) as used
where id = used.column1 and (last_used is null or last_used < used.column2)`, args...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func formatHash(hash [sha256.Size]byte) string { return hex.EncodeToString(hash[:]) }

func parseHash(text string) (hash [sha256.Size]byte, err error) {
	if len(text) != hex.EncodedLen(len(hash)) {
		return hash, hex.ErrLength
	}
	_, err = hex.Decode(hash[:], []byte(text))
	return hash, err
}

// fromTime returns t in the form that is stored.
func fromTime(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

// asTime is the inverse of fromTime.
func asTime(t sql.NullInt64) time.Time {
	if !t.Valid {
		return time.Time{}
	}
	return time.UnixMicro(t.Int64).UTC()
}
