// Package pgstore keeps lists in PostgreSQL, so that all replicas of a service answer
// from the same lists.
//
//	st, err := pgstore.Open(ctx, "postgres://user@host/database?sslmode=verify-full")
//	s, err := screening.New(srcs, &screening.Options{Store: st})
//
// [Open] opens a database, and [New] uses a pool that exists. Both return a [Store].
package pgstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/walletscreen/walletscreen/internal/pgdb"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A Store is a [store.Store] in PostgreSQL: in the tables walletscreen_event and walletscreen_stay, in
// the first schema of the search_path. Once they exist, the role needs the rights to select, insert
// and delete.
//
// Any number of replicas may use one database at the same time: Run and Follow of a
// Screener need nothing else. The replicas learn of changes at once, by [Store.Wait], and
// [Store.Lead] chooses the replica that loads a list from its publisher.
type Store struct {
	pool   *pgxpool.Pool
	own    bool // Close closes pool
	former bool // New found tables of the version before, for the first time

	mu     sync.Mutex
	leader *pgx.Conn       // has the locks of Lead; nil if this Store leads no source
	leads  map[string]bool // the sources that it leads
}

var _ store.Store = (*Store)(nil)

const (
	chunkBytes = 1 << 20 // of a file in one row
	maxBytes   = 4 << 30 // of a file
	pollEvery  = time.Second
	askTimeout = 10 * time.Second // of a statement that is quick unless the database hangs

	maxConns = 4
)

// The keys of advisory locks are these numbers, which mean nothing, and the schema.
const (
	lockSchema = "pg_catalog.hashtextextended(current_schema(), 4471985023116)"
	lockLead   = "pg_catalog.hashtextextended(current_schema() || $1, 4471985023118)"
	channel    = "walletscreen_journal"
)

const schema = `
create table walletscreen_event (
	number bigint primary key,
	line   bytea not null
);
create table walletscreen_stay (
	name text not null,
	n    integer not null,
	data bytea not null,
	primary key (name, n)
);
alter table walletscreen_stay alter column data set storage external;
comment on table walletscreen_event is '` + schemaVersion + `';`

// schemaVersion is the comment on the table walletscreen_event. It changes with the tables.
const schemaVersion = "walletscreen lists, version 2"

// markFormer keeps programs of the version before, which had other tables, from writing to these.
const markFormer = "comment on table walletscreen_journal is 'walletscreen lists, replaced by walletscreen_event'"

// ErrPooled is wrapped by the error about a database that is reached through a
// connection pool such as PgBouncer in transaction mode.
var ErrPooled = errors.New("connections do not keep their sessions, as with PgBouncer in transaction mode: want a direct connection, or pool_mode=session")

// ErrURL is the error about a URL that cannot be parsed. No error shows the URL, because
// it may hold a password.
var ErrURL = pgdb.ErrURL

// Open opens the database of a URL, or of a string of settings as for libpq; environment
// variables such as PGPASSWORD complete it. It creates the tables if they do not exist, and
// refuses tables of another version: [store.ErrVersion]. Replicas need a session for each
// connection: anything else is [ErrPooled].
func Open(ctx context.Context, dsn string) (*Store, error) {
	config, err := pgdb.Parse(dsn)
	if err != nil {
		return nil, fmt.Errorf("pgstore: %w", err)
	}
	config.MaxConns = max(config.MaxConns, maxConns)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("pgstore: %w", err)
	}
	s, err := New(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.own = true
	return s, nil
}

// New returns a Store in the database of pool, which the caller closes after the Store.
// It creates the tables if they do not exist, and refuses tables of another version. Wait
// has a connection of its own until it is done, and Lead for as long as the Store
// leads a source; these do not count in the pool.
func New(ctx context.Context, pool *pgxpool.Pool) (*Store, error) {
	s := &Store{pool: pool, leads: make(map[string]bool)}
	if err := checkSessions(ctx, pool); err != nil {
		return nil, fmt.Errorf("pgstore: %w", err)
	}
	err := s.write(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock("+lockSchema+")"); err != nil {
			return err
		}
		var exist, former bool
		var version string
		err := tx.QueryRow(ctx, "select to_regclass('walletscreen_event') is not null, to_regclass('walletscreen_journal') is not null, coalesce(obj_description(to_regclass('walletscreen_event'), 'pg_class'), '')").Scan(&exist, &former, &version)
		switch {
		case err != nil:
			return err
		case exist && version != schemaVersion:
			return fmt.Errorf("%w: the comment on walletscreen_event is %.60q, want %q; use that version, or another schema", store.ErrVersion, version, schemaVersion)
		case exist:
			return nil
		case former:
			if _, err := tx.Exec(ctx, markFormer); err != nil {
				return err
			}
			s.former = true
		}
		_, err = tx.Exec(ctx, schema)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("pgstore: %w", err)
	}
	return s, nil
}

// Former reports whether New has found the tables of an earlier version of this module, and created
// new ones beside them. They stay as they are: answers of that time need that version.
func (s *Store) Former() bool { return s.former }

// Close closes the connections of s, and gives up the lead. It must not be called while
// another method of s runs.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hangUp()
	if s.own {
		s.pool.Close()
	}
}

// write calls f in a transaction, whose commit waits until it is on the disk.
func (s *Store) write(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// Without it, a crash could lose committed events.
		_, err := tx.Exec(ctx, "select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'")
		if err != nil {
			return err
		}
		return f(tx)
	})
}

// isTaken reports whether err says that another row has the key.
func isTaken(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == "23505"
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	if int64(len(data)) > maxBytes {
		return fmt.Errorf("%s: more than %d bytes", name, int64(maxBytes))
	}
	err := s.write(ctx, func(tx pgx.Tx) error {
		for n := 0; n == 0 || n*chunkBytes < len(data); n++ {
			chunk := data[n*chunkBytes : min(len(data), (n+1)*chunkBytes)]
			if _, err := tx.Exec(ctx, "insert into walletscreen_stay (name, n, data) values ($1, $2, $3)", name, n, chunk); err != nil {
				return err
			}
		}
		return nil
	})
	if isTaken(err) {
		return nil // the same bytes have the same name
	}
	return err
}

// Open implements [store.Store].
func (s *Store) Open(ctx context.Context, name string) (data []byte, err error) {
	rows, _ := s.pool.Query(ctx, "select data from walletscreen_stay where name = $1 order by n", name) // rows have the error
	var chunk []byte
	read, err := pgx.ForEachRow(rows, []any{&chunk}, func() error {
		if int64(len(data)+len(chunk)) > maxBytes {
			return fmt.Errorf("%s: %w: more than %d bytes", name, store.ErrDamaged, int64(maxBytes))
		}
		data = append(data, chunk...)
		return nil
	})
	if err == nil && read.RowsAffected() == 0 {
		err = notFound(name)
	}
	return data, err // a file without all its rows does not have the right checksum
}

func notFound(name string) error { return fmt.Errorf("%s: %w", name, store.ErrNotFound) }

// Names implements [store.Store].
func (s *Store) Names(ctx context.Context) (names []string, err error) {
	rows, _ := s.pool.Query(ctx, "select name from walletscreen_stay where n = 0")
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "delete from walletscreen_stay where name = $1", name)
		if err == nil && tag.RowsAffected() == 0 {
			err = notFound(name)
		}
		return err
	})
}

// Append implements [store.Store]. The primary key sees to it that no two replicas append a line of one
// number.
func (s *Store) Append(ctx context.Context, number uint64, line []byte) error {
	moved := fmt.Errorf("line %d of the journal: %w", number, store.ErrMoved)
	err := s.write(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into walletscreen_event (number, line)
			select $1, $2 where $1 = (select coalesce(max(number), 0) + 1 from walletscreen_event)`, int64(number), line)
		if err == nil && tag.RowsAffected() == 0 {
			return moved
		}
		if err == nil {
			_, err = tx.Exec(ctx, "select pg_notify($1, current_schema())", channel)
		}
		return err
	})
	if isTaken(err) {
		return moved
	}
	return err
}

// Read implements [store.Store].
func (s *Store) Read(ctx context.Context, from uint64, each func(line []byte) error) error {
	rows, _ := s.pool.Query(ctx, "select line from walletscreen_event where number >= $1 order by number", int64(from))
	var line []byte
	_, err := pgx.ForEachRow(rows, []any{&line}, func() error { return each(line) })
	return err
}
