package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// Claim implements [access.Store]. It deletes some of the expired claims.
func (s *Store) Claim(ctx context.Context, c access.Claim) (held access.Claim, err error) {
	c.Expires, c.Repeats = time.UnixMicro(c.Expires.UnixMicro()).UTC(), 0
	held = c
	err = s.call(ctx, "claim of", c.KeyID, func(ctx context.Context) error {
		now := time.Now()
		statement, args := `
update walletscreen_claim set repeats = repeats + 1 where key_id = $1 and token = $2 and expires > $3`, []any{c.KeyID, formatHash(c.Token), now.UnixMicro()}
		if c.Expires.After(now) {
			statement, args = `
insert into walletscreen_claim as c (key_id, token, print, granted, expires) values ($1, $2, $4, $5, $6)
on conflict (key_id, token) do update set
	print = case when c.expires > $3 then c.print else excluded.print end,
	granted = case when c.expires > $3 then c.granted else excluded.granted end,
	expires = case when c.expires > $3 then c.expires else excluded.expires end,
	repeats = case when c.expires > $3 then c.repeats + 1 else 0 end`, append(args, formatHash(c.Print), c.Granted, c.Expires.UnixMicro())
		}
		var print string
		var expires int64
		found, err := s.queryRow(ctx, statement+` returning print, granted, expires, repeats`, args, &print, &held.Granted, &expires, &held.Repeats)
		if err != nil || !found {
			return err
		}
		held.Expires = time.UnixMicro(expires).UTC()
		if held.Print, err = parseHash(print); err != nil || held.Granted < 0 {
			return fmt.Errorf("%w: a claim has values that were never stored", ErrDamaged)
		}
		if held.Repeats == 0 {
			s.tidy(ctx, c.KeyID, now)
		}
		return nil
	})
	if err != nil {
		return access.Claim{}, err
	}
	return held, nil
}

// Unclaim implements [access.Store].
func (s *Store) Unclaim(ctx context.Context, c access.Claim) error {
	return s.call(ctx, "claim of", c.KeyID, func(ctx context.Context) error {
		const equals = ` from walletscreen_claim where key_id = $1 and token = $2 and print = $3 and expires = $4 and granted = $5 and repeats `
		args := []any{c.KeyID, formatHash(c.Token), formatHash(c.Print), c.Expires.UnixMicro(), c.Granted}
		if n, err := s.exec(ctx, `delete`+equals+`= 0`, args...); n > 0 || err != nil {
			return err
		}
		repeated, err := s.queryRow(ctx, `select repeats`+equals+`> 0`, args, new(int64))
		if repeated && err == nil {
			err = access.ErrConflict
		}
		return err
	})
}

// The first fresh claim in tidyEach deletes up to tidyAtOnce expired ones.
const (
	tidyEach   = 1024
	tidyAtOnce = 2 * tidyEach
)

// tidy deletes expired claims, and the oldest ones of a key that has too many. What it fails to
// delete is left to a later call.
func (s *Store) tidy(ctx context.Context, id string, now time.Time) {
	if (s.claims.Add(1)-1)%s.tidyEach != 0 {
		return
	}
	s.exec(ctx, `
delete from walletscreen_claim where (key_id, token) in
	(select key_id, token from walletscreen_claim where expires <= $1 order by expires limit $2)`, now.UnixMicro(), tidyAtOnce)
	s.exec(ctx, `
delete from walletscreen_claim where key_id = $1 and expires <=
	(select expires from walletscreen_claim where key_id = $1 order by expires desc limit 1 offset $2)`, id, s.keepClaims)
}
