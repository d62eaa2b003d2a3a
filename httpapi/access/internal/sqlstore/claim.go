package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

// Claim implements [access.Store]. It deletes some of the expired claims.
func (s *Store) Claim(ctx context.Context, c access.Claim) (held access.Claim, err error) {
	err = s.call(ctx, "claim of", c.KeyID, func(ctx context.Context) error {
		c.Expires, c.Repeats = time.UnixMicro(c.Expires.UnixMicro()).UTC(), 0
		for {
			now := time.Now()
			if c.Expires.After(now) {
				fresh, err := s.queryRow(ctx, `
insert into walletscreen_claim as c (key_id, token, print, granted, expires) values ($1, $2, $3, $6, $4)
on conflict (key_id, token) do update set print = excluded.print, granted = excluded.granted, expires = excluded.expires, repeats = 0
where c.expires <= $5
returning key_id`, []any{c.KeyID, formatHash(c.Token), formatHash(c.Print), c.Expires.UnixMicro(), now.UnixMicro(), c.Granted}, new(string))
				if err != nil {
					return err
				}
				if fresh {
					held = c
					s.tidy(ctx, c.KeyID, now)
					return nil
				}
			}
			var found bool
			if held, found, err = s.heldClaim(ctx, c, now); err != nil || found {
				return err
			}
			if !c.Expires.After(now) {
				held = c
				return nil
			}
			// It was deleted just now.
		}
	})
	if err != nil {
		return access.Claim{}, err
	}
	return held, nil
}

// heldClaim returns the claim that is held under the key id and token of c, and counts
// that it does.
func (s *Store) heldClaim(ctx context.Context, c access.Claim, now time.Time) (held access.Claim, found bool, err error) {
	var print string
	var granted, expires, repeats int64
	found, err = s.queryRow(ctx, `
update walletscreen_claim set repeats = repeats + 1 where key_id = $1 and token = $2 and expires > $3
returning print, granted, expires, repeats`,
		[]any{c.KeyID, formatHash(c.Token), now.UnixMicro()}, &print, &granted, &expires, &repeats)
	if err != nil || !found {
		return held, false, err
	}
	held = access.Claim{KeyID: c.KeyID, Token: c.Token, Granted: granted, Expires: time.UnixMicro(expires).UTC(), Repeats: repeats}
	if held.Print, err = parseHash(print); err != nil || granted < 0 {
		return held, false, fmt.Errorf("%w: a claim has values that were never stored", ErrDamaged)
	}
	return held, true, nil
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
