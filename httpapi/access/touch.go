package access

import (
	"context"
	"fmt"
	"time"
)

// unwritten returns when the key of s was last used, and marks it as written; zero if
// it was written already.
func (s *slot) unwritten() time.Time {
	t := s.touched.Load()
	if s.written.Swap(t) == t {
		return time.Time{}
	}
	return time.UnixMicro(t)
}

// writeTouched writes when keys were last used.
func (r *Keyring) writeTouched(ctx context.Context) error {
	c := &r.keys
	c.mu.Lock()
	at := c.lost
	c.lost = make(map[string]time.Time)
	for id, s := range c.known {
		if t := s.unwritten(); !t.IsZero() {
			at[id] = t
		}
	}
	c.mu.Unlock()
	if len(at) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	err := r.store.Touch(ctx, at)
	r.outage.report(err)
	if err != nil { // keep them for the next time
		c.mu.Lock()
		defer c.mu.Unlock()
		for id, t := range at {
			if len(c.lost) < maxKnown && c.lost[id].Before(t) {
				c.lost[id] = t
			}
		}
		return fmt.Errorf("writing when keys were last used: %w", err)
	}
	return nil
}
