package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Wait returns the number of the last line of the journal once it is not the given one. It returns at
// once when another replica appends, by LISTEN and NOTIFY; where that does not work, as
// through some connection pools, it asks every second. It returns an error if the
// database fails, or when ctx has ended.
func (s *Store) Wait(ctx context.Context, last uint64) (next uint64, err error) {
	conn, hangUp, err := s.separate(ctx)
	if err != nil {
		return last, err
	}
	defer hangUp()
	ask, cancel := context.WithTimeout(ctx, askTimeout)
	_, err = conn.Exec(ask, "listen "+channel)
	cancel()
	if err != nil {
		return last, err
	}
	for {
		ask, cancel := context.WithTimeout(ctx, askTimeout)
		err := conn.QueryRow(ask, "select coalesce(max(number), 0) from walletscreen_event").Scan(&next)
		cancel()
		if err != nil || next != last {
			return next, err
		}
		wait, cancel := context.WithTimeout(ctx, pollEvery)
		_, err = conn.WaitForNotification(wait)
		ended := wait.Err()
		cancel()
		if err != nil && ended == nil { // neither a notification nor the time
			return last, err
		}
		if err := ctx.Err(); err != nil {
			return last, err
		}
	}
}

// separate returns a connection that does not count in the pool, which may be small, and
// a function that closes it.
func (s *Store) separate(ctx context.Context) (conn *pgx.Conn, hangUp func(), err error) {
	pooled, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	conn = pooled.Hijack()
	// If this machine vanishes, the server frees its locks after some seconds.
	ask, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, err = conn.Exec(ask, "set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3")
	hangUp = func() {
		end, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn.Close(end)
	}
	if err != nil {
		hangUp()
		return nil, nil, err
	}
	return conn, hangUp, nil
}

// checkSessions returns an error if a connection does not have a session of its own: the
// locks of Lead, and LISTEN, belong to a session, and through a pool that hands
// out another one for each transaction, they fail without an error.
func checkSessions(ctx context.Context, pool *pgxpool.Pool) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var conns [2]*pgx.Conn
	for i := range conns {
		pooled, err := pool.Acquire(ctx)
		if err != nil {
			return err
		}
		conns[i] = pooled.Hijack() // the pool may have one connection only
		defer conns[i].Close(ctx)
	}
	var pids [3]int
	for i, conn := range []*pgx.Conn{conns[0], conns[1], conns[0]} {
		if i == 1 { // while a transaction has the session, the first connection would get another one
			if _, err := conn.Exec(ctx, "begin"); err != nil {
				return err
			}
		}
		if err := conn.QueryRow(ctx, "select pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pids[i]); err != nil {
			return err
		}
	}
	if pids[0] == pids[1] || pids[0] != pids[2] {
		return ErrPooled
	}
	return nil
}

// Lead reports whether this Store leads a source: of the Stores in one database that call
// Lead, one leads at a time, the first that asks. It leads until it resigns or is closed,
// its process ends, or its connection breaks. So call Lead before each load of a list: for
// a moment after a connection broke, two replicas may load, which costs nothing but the
// load.
func (s *Store) Lead(ctx context.Context, source string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if s.leader != nil {
		if err := s.leader.Ping(ctx); err != nil {
			s.hangUp()
		}
	}
	if s.leads[source] {
		return true, nil
	}
	if s.leader == nil {
		// Ask on a connection of the pool first: usually another one leads.
		var free bool
		err := s.pool.QueryRow(ctx, "select pg_try_advisory_xact_lock("+lockLead+")", source).Scan(&free)
		if err != nil || !free {
			return false, err
		}
		if s.leader, _, err = s.separate(ctx); err != nil {
			return false, err
		}
	}
	var leads bool
	err := s.leader.QueryRow(ctx, "select pg_try_advisory_lock("+lockLead+")", source).Scan(&leads)
	if err == nil && leads {
		s.leads[source] = true
		return true, nil
	}
	if len(s.leads) == 0 {
		s.hangUp()
	}
	return false, err
}

// Resign gives up the lead of a source, if this Store has it.
func (s *Store) Resign(ctx context.Context, source string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.leads[source] {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	delete(s.leads, source)
	_, err := s.leader.Exec(ctx, "select pg_advisory_unlock("+lockLead+")", source)
	if err != nil || len(s.leads) == 0 {
		s.hangUp() // which frees the lock, too
	}
	return nil
}

// hangUp closes the connection of Lead, which frees its locks.
func (s *Store) hangUp() {
	if s.leader == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s.leader.Close(ctx)
	s.leader = nil
	clear(s.leads)
}
