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
	"io"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/walletscreen/walletscreen/sources/store"
)

// A Store is a [store.Store] in PostgreSQL: in three tables whose names begin with
// walletscreen_, in the first schema of the search_path. Once they exist, the role needs
// the rights to select, insert, update and delete, and to use their sequences.
//
// Any number of replicas may use one database at the same time: Run and Follow of a
// Screener need nothing else. The replicas learn of changes at once, by [Store.Wait], and
// [Store.Lead] chooses the replica that loads a list from its publisher.
type Store struct {
	pool *pgxpool.Pool
	own  bool // Close closes pool

	mu     sync.Mutex
	leader *pgx.Conn       // has the locks of Lead; nil if this Store leads no source
	leads  map[string]bool // the sources that it leads
}

var _ store.Store = (*Store)(nil)

const (
	chunkBytes = 1 << 20 // of a file in one row
	readBytes  = 4 << 20 // of the journal at once
	maxBytes   = 4 << 30 // of a file
	pollEvery  = time.Second
	askTimeout = 10 * time.Second // of a statement that is quick unless the database hangs

	connectTime = 5 * time.Second
	maxConns    = 4

	diskFull = "53100" // an SQLSTATE
)

// The keys of advisory locks are these numbers, which mean nothing, and the schema.
const (
	lockSchema = "pg_catalog.hashtextextended(current_schema(), 4471985023116)"
	lockAppend = "pg_catalog.hashtextextended(current_schema(), 4471985023117)"
	lockLead   = "pg_catalog.hashtextextended(current_schema() || $1, 4471985023118)"
	lockSource = "pg_catalog.hashtextextended(current_schema() || $1, 4471985023120)"
	channel    = "walletscreen_journal"
)

const schema = `
create table walletscreen_files (
	id    bigint generated always as identity primary key,
	name  text not null,
	bytes bigint not null,
	aside boolean not null default false
);
create unique index walletscreen_files_name on walletscreen_files (name) where not aside;
create table walletscreen_chunks (
	file bigint not null references walletscreen_files on delete cascade,
	n    integer not null,
	data bytea not null,
	primary key (file, n)
);
alter table walletscreen_chunks alter column data set storage external;
create table walletscreen_journal (
	position bigint generated always as identity primary key,
	lines    bytea not null
);`

// schemaVersion is the comment on the table walletscreen_journal. It changes with the tables.
const schemaVersion = "walletscreen lists, version 1"

var (
	// ErrVersion is wrapped by the error about tables that an older or a newer version of
	// this module has created.
	ErrVersion = errors.New("tables of another version")
	// ErrPooled is wrapped by the error about a database that is reached through a
	// connection pool such as PgBouncer in transaction mode.
	ErrPooled = errors.New("connections do not keep their sessions, as with PgBouncer in transaction mode: want a direct connection, or pool_mode=session")
)

// ErrURL is the error about a URL that cannot be parsed. No error shows the URL, because
// it may hold a password.
var ErrURL = errors.New("want a URL such as postgres://user:password@host/database?sslmode=verify-full, with %40 for @ in a password")

// Open opens the database of a URL, or of a string of settings as for libpq; environment
// variables such as PGPASSWORD complete it. It creates the tables if they do not exist, and
// refuses tables of another version: [ErrVersion]. Replicas need a session for each
// connection: anything else is [ErrPooled].
func Open(ctx context.Context, dsn string) (*Store, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("pgstore: %w", ErrURL)
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTime
	}
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
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
// It creates the tables if they do not exist, and refuses tables of another version. Wait and
// Lock have a connection of their own until they are done, and Lead for as long as the Store
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
		var exist bool
		var version string
		err := tx.QueryRow(ctx, "select to_regclass('walletscreen_journal') is not null, coalesce(obj_description(to_regclass('walletscreen_journal'), 'pg_class'), '')").Scan(&exist, &version)
		switch {
		case err != nil:
			return err
		case !exist:
			_, err := tx.Exec(ctx, schema+"\ncomment on table walletscreen_journal is '"+schemaVersion+"'")
			return err
		case version != schemaVersion:
			return fmt.Errorf("%w: the comment on walletscreen_journal is %.60q, want %q; use that version, or another schema", ErrVersion, version, schemaVersion)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("pgstore: %w", err)
	}
	return s, nil
}

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
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// Without it, a crash could lose committed events.
		_, err := tx.Exec(ctx, "select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'")
		if err != nil {
			return err
		}
		return f(tx)
	})
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == diskFull {
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		// Not listed before the end: other replicas see nothing of this transaction.
		w := &chunkWriter{ctx: ctx, tx: tx}
		err := tx.QueryRow(ctx, "insert into walletscreen_files (name, bytes, aside) values ($1, 0, true) returning id", name).Scan(&w.file)
		if err != nil {
			return err
		}
		if err := write(w); err != nil {
			return err
		}
		if err := w.flush(); err != nil {
			return err
		}
		// Two replicas may put the same file.
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock(pg_catalog.hashtextextended(current_schema() || $1, 4471985023119))", name); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "delete from walletscreen_files where name = $1 and not aside", name); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "update walletscreen_files set bytes = $2, aside = false where id = $1", w.file, w.bytes)
		return err
	})
}

// A chunkWriter writes a file in chunks.
type chunkWriter struct {
	ctx   context.Context
	tx    pgx.Tx
	file  int64
	n     int
	bytes int64
	buf   []byte
}

func (w *chunkWriter) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	w.bytes += int64(len(p))
	if w.bytes > maxBytes {
		return 0, fmt.Errorf("more than %d bytes in a file", int64(maxBytes))
	}
	for len(w.buf) >= chunkBytes {
		if err := w.insert(w.buf[:chunkBytes]); err != nil {
			return 0, err
		}
		w.buf = w.buf[:copy(w.buf, w.buf[chunkBytes:])]
	}
	return len(p), nil
}

// flush writes the rest.
func (w *chunkWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	return w.insert(w.buf)
}

func (w *chunkWriter) insert(data []byte) error {
	_, err := w.tx.Exec(w.ctx, "insert into walletscreen_chunks (file, n, data) values ($1, $2, $3)", w.file, w.n, data)
	w.n++
	return err
}

// Open implements [store.Store].
func (s *Store) Open(ctx context.Context, name string) (data []byte, err error) {
	var size int64 = -1
	err = s.query(ctx, func(rows pgx.Rows) error {
		var chunk []byte
		if err := rows.Scan(&size, &chunk); err != nil {
			return err
		}
		if size < 0 || size > maxBytes || int64(len(data)+len(chunk)) > size {
			return fmt.Errorf("%s: %w: more than its %d bytes, or than %d", name, store.ErrDamaged, size, int64(maxBytes))
		}
		if data == nil {
			data = make([]byte, 0, size)
		}
		data = append(data, chunk...)
		return nil
	}, `select f.bytes, c.data from walletscreen_files f left join walletscreen_chunks c on c.file = f.id
		where f.name = $1 and not f.aside order by c.n`, name)
	switch {
	case err != nil:
		return nil, err
	case size < 0:
		return nil, notFound(name)
	}
	return data, nil // a file with too few bytes does not have the right checksum
}

// query calls row for each row of a query.
func (s *Store) query(ctx context.Context, row func(pgx.Rows) error, sql string, args ...any) error {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func notFound(name string) error { return fmt.Errorf("%s: %w", name, store.ErrNotFound) }

// Names implements [store.Store].
func (s *Store) Names(ctx context.Context) (names []string, err error) {
	return names, s.query(ctx, func(rows pgx.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, "select name from walletscreen_files where not aside")
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.change(ctx, name, "delete from walletscreen_files where name = $1 and not aside")
}

// SetAside implements [store.Store]. The row stays, with aside set.
func (s *Store) SetAside(ctx context.Context, name string) error {
	return s.change(ctx, name, "update walletscreen_files set aside = true where name = $1 and not aside")
}

// change executes a statement about the file called name.
func (s *Store) change(ctx context.Context, name, sql string) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, name)
		if err == nil && tag.RowsAffected() == 0 {
			err = notFound(name)
		}
		return err
	})
}

// Append implements [store.Store].
func (s *Store) Append(ctx context.Context, lines []byte) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		// One after the other: a reader that has passed a position must not find a line
		// before it later.
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock("+lockAppend+")"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "insert into walletscreen_journal (lines) values ($1)", lines); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "select pg_notify($1, current_schema())", channel)
		return err
	})
}

// Read implements [store.Store].
func (s *Store) Read(ctx context.Context, from int64) (lines []byte, next int64, err error) {
	for {
		next = from
		lines = nil
		err = s.query(ctx, func(rows pgx.Rows) error {
			var some []byte
			err := rows.Scan(&next, &some)
			lines = append(lines, some...)
			return err
			// The window function bounds the answer by its size.
		}, `select position, lines from (
				select position, lines, sum(length(lines)) over (order by position) - length(lines) as before
				from (select position, lines from walletscreen_journal where position > $1 order by position limit 10000) following
			) counted where before < $2 order by position`, max(from, 0), readBytes)
		if err != nil || next != from || from <= 0 {
			return lines, max(next, 0), err
		}
		var last int64
		if err := s.pool.QueryRow(ctx, "select coalesce(max(position), 0) from walletscreen_journal").Scan(&last); err != nil || last >= from {
			return nil, from, err
		}
		from = 0 // another journal
	}
}
