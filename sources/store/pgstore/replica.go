package pgstore

import (
	"context"
	"time"
)

// Wait returns nil once the journal may have grown beyond the position from. It returns
// at once when another replica appends, by LISTEN and NOTIFY; where that does not work,
// as through some connection pools, it asks every second. It returns an error if the
// database fails, or when ctx has ended.
func (s *Store) Wait(ctx context.Context, from int64) error {
	pooled, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := pooled.Hijack() // the pool may be small
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		conn.Close(end)
	}()
	ask, cancel := context.WithTimeout(ctx, askTimeout)
	_, err = conn.Exec(ask, "listen "+channel)
	cancel()
	if err != nil {
		return err
	}
	for {
		ask, cancel := context.WithTimeout(ctx, askTimeout)
		var last int64
		err := conn.QueryRow(ask, "select coalesce(max(position), 0) from walletscreen_journal").Scan(&last)
		cancel()
		if err != nil || last != from {
			return err
		}
		wait, cancel := context.WithTimeout(ctx, pollEvery)
		_, err = conn.WaitForNotification(wait)
		ended := wait.Err()
		cancel()
		if err != nil && ended == nil { // neither a notification nor the time
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// Lead reports whether this Store leads: of the Stores in one database that call Lead,
// one leads at a time, the first that asks. It leads until it is closed, its process
// ends, or its connection breaks. So call Lead before each load of a list: for a moment
// after a connection broke, two replicas may load, which costs nothing but the load.
func (s *Store) Lead(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if s.leader != nil {
		if err := s.leader.Ping(ctx); err == nil {
			return true, nil
		}
		s.resign()
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	var leads bool
	err = conn.QueryRow(ctx, "select pg_try_advisory_lock("+lockLead+")").Scan(&leads)
	if err != nil || !leads {
		conn.Release()
		return false, err
	}
	s.leader = conn.Hijack() // the pool must not close it
	// If the machine of this process vanishes, the lock is free after some seconds.
	_, err = s.leader.Exec(ctx, "set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3")
	return true, err
}

// resign gives up the lead.
func (s *Store) resign() {
	if s.leader == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s.leader.Close(ctx) // which frees the lock
	s.leader = nil
}
