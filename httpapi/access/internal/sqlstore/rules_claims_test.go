package sqlstore_test

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
)

func newClaim(id string, token byte) access.Claim {
	return access.Claim{
		KeyID: id, Token: [32]byte{0: token, 31: 0xff}, Print: [32]byte{1: token, 2: 0xfe}, Granted: int64(token),
		Expires: time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond),
	}
}

// claim returns an error if a Claim of c is not answered with held.
func claim(s access.Store, c, held access.Claim, fresh bool) error {
	got, err := s.Claim(ctx, c)
	gotFresh := got.Repeats == 0
	got.Repeats = held.Repeats
	if err != nil || gotFresh != fresh || got != held {
		return fmt.Errorf("the Claim of\n%+v is\n%+v, fresh %v, %v; want\n%+v, fresh %v", c, got, gotFresh, err, held, fresh)
	}
	return nil
}

func checkClaim(s access.Store) error {
	first := newClaim("a", 1)
	for _, c := range []access.Claim{first, newClaim("a", 2), newClaim("b", 1), newClaim("A", 1), {KeyID: "zero", Expires: first.Expires}} {
		if err := claim(s, c, c, true); err != nil {
			return err
		}
	}
	again := first
	again.Print, again.Expires = [32]byte{9}, first.Expires.Add(time.Hour)
	if err := errors.Join(claim(s, again, first, false), claim(s, first, first, false)); err != nil {
		return err
	}
	if got, err := s.Claim(ctx, again); err != nil || got.Repeats != 3 {
		return fmt.Errorf("the third repeat is number %d, %v", got.Repeats, err)
	}
	return nil
}

func checkClaimExpires(s access.Store) error {
	past, c := newClaim("a", 1), newClaim("a", 1)
	past.Expires = past.Expires.Add(-2 * time.Hour)
	look := past
	look.Expires = time.Time{}
	if err := errors.Join(
		claim(s, past, past, true),
		claim(s, look, look, true),
		claim(s, past, past, true),
		claim(s, c, c, true),
		claim(s, past, c, false),
		claim(s, look, c, false),
	); err != nil {
		return err
	}
	// A claim that expires during the test.
	brief, next := newClaim("a", 2), newClaim("a", 2)
	brief.Expires = time.Now().Add(50 * time.Millisecond).UTC().Truncate(time.Microsecond)
	next.Print = [32]byte{7}
	if got, err := s.Claim(ctx, brief); err != nil || got.Repeats > 0 {
		return fmt.Errorf("the answer of Claim: %d repeats, %v", got.Repeats, err)
	}
	time.Sleep(time.Until(brief.Expires) + time.Millisecond)
	return errors.Join(claim(s, next, next, true), claim(s, brief, next, false))
}

func checkUnclaim(s access.Store) error {
	c := newClaim("a", 1)
	if err := claim(s, c, c, true); err != nil {
		return err
	}
	for what, change := range map[string]func(*access.Claim){
		"another key":   func(c *access.Claim) { c.KeyID = "b" },
		"another token": func(c *access.Claim) { c.Token[5]++ },
		"another print": func(c *access.Claim) { c.Print[5]++ },
		"another end":   func(c *access.Claim) { c.Expires = c.Expires.Add(time.Microsecond) },
		"another count": func(c *access.Claim) { c.Granted++ },
	} {
		other := c
		change(&other)
		if err := s.Unclaim(ctx, other); err != nil {
			return fmt.Errorf("the Unclaim of %s: %w", what, err)
		}
		if err := claim(s, c, c, false); err != nil {
			return fmt.Errorf("after Unclaim of %s: %w", what, err)
		}
	}
	if err := s.Unclaim(ctx, c); !errors.Is(err, access.ErrConflict) {
		return fmt.Errorf("the Unclaim of a claim that was returned: %w, want ErrConflict", err)
	}
	d := newClaim("a", 3)
	return errors.Join(claim(s, c, c, false), claim(s, d, d, true), want("Unclaim", s.Unclaim(ctx, d), nil), want("Unclaim again", s.Unclaim(ctx, d), nil),
		claim(s, d, d, true), claim(s, d, d, false))
}

func checkConcurrentClaims(s access.Store) error {
	for round := range byte(5) {
		const n = 8
		base := newClaim("a", round)
		held, fresh, errs := make([]access.Claim, n), make([]bool, n), make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				c := base
				c.Print[0] = byte(i + 1)
				held[i], errs[i] = s.Claim(ctx, c)
				fresh[i] = held[i].Repeats == 0
			})
		}
		wg.Wait()
		won := -1
		for i := range n {
			if errs[i] != nil {
				return fmt.Errorf("the Claim beside others: %w", errs[i])
			}
			if fresh[i] && won >= 0 {
				return errors.New("two Claims of one token were fresh")
			}
			if fresh[i] {
				won = i
			}
		}
		if won < 0 {
			return errors.New("no Claim of the token was fresh")
		}
		base.Print[0] = byte(won + 1)
		for i := range n {
			held[i].Repeats = 0
			if held[i] != base {
				return fmt.Errorf("the Claim beside others is\n%+v, want the one that is held,\n%+v", held[i], base)
			}
		}
	}
	return nil
}
