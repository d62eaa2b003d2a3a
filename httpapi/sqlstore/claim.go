package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
)

// Claim implements [httpapi.Store]. It deletes some of what has expired.
func (s *Store) Claim(ctx context.Context, c httpapi.Claim) (held httpapi.Claim, fresh bool, err error) {
	err = s.call(ctx, "claim of key", c.KeyID, func(ctx context.Context) error {
		if err := httpapi.CheckKeyID(c.KeyID); err != nil {
			return err
		}
		c.Expires = time.UnixMicro(c.Expires.UnixMicro()).UTC()
		for {
			now := time.Now()
			if c.Expires.After(now) {
				fresh, err = s.queryRow(ctx, `
insert into walletscreen_claim as c (key_id, token, print, expires) values ($1, $2, $3, $4)
on conflict (key_id, token) do update set print = excluded.print, expires = excluded.expires
where c.expires <= $5
returning key_id`, []any{c.KeyID, formatHash(c.Token), formatHash(c.Print), c.Expires.UnixMicro(), now.UnixMicro()}, new(string))
				if err != nil {
					return err
				}
				if fresh {
					held = c
					s.forgetClaims(ctx, now)
					return nil
				}
			}
			var print string
			var expires int64
			found, err := s.queryRow(ctx, `select print, expires from walletscreen_claim where key_id = $1 and token = $2 and expires > $3`,
				[]any{c.KeyID, formatHash(c.Token), now.UnixMicro()}, &print, &expires)
			if err != nil {
				return err
			}
			if found {
				held = httpapi.Claim{KeyID: c.KeyID, Token: c.Token, Expires: time.UnixMicro(expires).UTC()}
				if held.Print, err = parseHash(print); err != nil {
					return fmt.Errorf("%w: a claim is none that was stored", ErrDamaged)
				}
				return nil
			}
			if !c.Expires.After(now) {
				held, fresh = c, true
				return nil
			}
			// It was deleted just now.
		}
	})
	if err != nil {
		return httpapi.Claim{}, false, err
	}
	return held, fresh, nil
}

// Unclaim implements [httpapi.Store].
func (s *Store) Unclaim(ctx context.Context, c httpapi.Claim) error {
	return s.call(ctx, "claim of key", c.KeyID, func(ctx context.Context) error {
		if err := httpapi.CheckKeyID(c.KeyID); err != nil {
			return err
		}
		_, err := s.exec(ctx, `delete from walletscreen_claim where key_id = $1 and token = $2 and print = $3 and expires = $4`,
			c.KeyID, formatHash(c.Token), formatHash(c.Print), c.Expires.UnixMicro())
		return err
	})
}

// Of what has expired, a fresh claim deletes up to forgetAtOnce, and the first one
// in forgetEvery looks whether there is any.
const (
	forgetAtOnce = 100
	forgetEvery  = time.Minute
)

// forgetClaims deletes claims that have expired. What it fails to delete is left to
// the next.
func (s *Store) forgetClaims(ctx context.Context, now time.Time) {
	if now.UnixMicro() < s.prune.Load() || !s.pruning.TryLock() {
		return
	}
	defer s.pruning.Unlock()
	n, err := s.exec(ctx, `
delete from walletscreen_claim where (key_id, token) in
	(select key_id, token from walletscreen_claim where expires <= $1 order by expires limit $2)`, now.UnixMicro(), forgetAtOnce)
	if err != nil || n < forgetAtOnce {
		s.prune.Store(now.Add(forgetEvery).UnixMicro())
	}
}
