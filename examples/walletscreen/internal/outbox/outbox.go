// Package outbox keeps messages in a database until a webhook has accepted them.
//
// [Box.Add] stores the messages about a change together with the state that they lead
// to, in one transaction: a process that ends at any moment neither loses a message nor
// makes it twice. [Box.Deliver] posts the messages that are due: the messages of one
// customer one after the other, many customers at once. It retries for three days.
// [Box.Lead] decides which of several processes does so.
package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/pgdb"
	"github.com/walletscreen/walletscreen/internal/sqlitedb"
	"github.com/walletscreen/walletscreen/internal/wire"
)

// Keep is the time for which delivery of a message is tried, and a message is kept after
// that.
const Keep = 3 * 24 * time.Hour

// An Event is what [Box.Add] makes a message of. Equal IDs mean the same message.
type Event struct {
	ID       string
	Customer string // the messages of one customer are delivered in order
	Type     string
	Data     any // in JSON
}

// A Message is one to be delivered.
type Message struct {
	ID       string
	Body     []byte // JSON
	Customer string
	Created  time.Time
	Attempts int // that have failed

	failure error // why the last attempt was not accepted, or nil
}

// A Box is an outbox in a database. Its methods may be called concurrently, except for
// Deliver.
type Box struct {
	db    *sql.DB
	now   func() time.Time
	pause time.Time     // until when the receiver wants no message
	wait  time.Duration // for a statement that is quick unless the database hangs
}

// Open opens the outbox in a database, which is sqlite:FILE or a URL of PostgreSQL, and
// makes its tables if they are missing.
func Open(ctx context.Context, database string) (*Box, error) {
	open, lock := pgdb.Open, `select pg_advisory_xact_lock(6385424072104219472)` // an arbitrary number
	file, isFile := strings.CutPrefix(database, "sqlite:")
	if isFile {
		open, lock = sqlitedb.Open, `select 1` // transactions run one after another
	}
	db, err := open(file)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	b := &Box{db: db, now: time.Now, wait: 10 * time.Second}
	if _, err = b.State(ctx); err != nil { // once there are tables, the role needs no right to make them
		err = b.create(ctx, lock)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("outbox: %w", err), db.Close())
	}
	return b, nil
}

// create makes the tables, one process after the other. Times are in milliseconds since 1970.
func (b *Box) create(ctx context.Context, lock string) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, statement := range []string{
		lock,
		`create table if not exists walletscreen_outbox (
			id text primary key,
			body text not null,
			created bigint not null,
			due bigint not null,
			attempts bigint not null,
			ended bigint not null,
			failure text not null,
			customer text not null,
			sequence bigint not null
		)`,
		`create table if not exists walletscreen_outbox_state (
			name text primary key,
			digest text not null,
			holder text not null,
			until bigint not null,
			sequence bigint not null
		)`,
		`insert into walletscreen_outbox_state (name, digest, holder, until, sequence) values ('book', '', '', 0, 0) on conflict do nothing`,
		`create index if not exists walletscreen_outbox_next on walletscreen_outbox (ended, due, sequence)`,
		`create index if not exists walletscreen_outbox_order on walletscreen_outbox (ended, customer, sequence)`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Close closes the database.
func (b *Box) Close() error { return b.db.Close() }

// Lead makes holder the leader for a time, and reports whether it is: if nobody else is.
func (b *Box) Lead(ctx context.Context, holder string, term time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	now := b.now()
	r, err := b.db.ExecContext(ctx, `update walletscreen_outbox_state set holder = $1, until = $2
		where name = 'book' and (holder = $3 or until < $4)`, holder, now.Add(term).UnixMilli(), holder, now.UnixMilli())
	if err != nil {
		return false, fmt.Errorf("outbox: %w", err)
	}
	n, err := r.RowsAffected()
	return n == 1, err
}

// Resign lets another process lead at once.
func (b *Box) Resign(ctx context.Context, holder string) error {
	_, err := b.db.ExecContext(ctx, `update walletscreen_outbox_state set holder = '', until = 0 where name = 'book' and holder = $1`, holder)
	return err
}

// State returns the state that Add has stored last, and "" if it never has.
func (b *Box) State(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	var state string
	err := b.db.QueryRowContext(ctx, `select digest from walletscreen_outbox_state where name = 'book'`).Scan(&state)
	if err != nil {
		return "", fmt.Errorf("outbox: %w", err)
	}
	return state, nil
}

// Add stores a message for each event, and that the state is now to. It stores nothing if
// the state is not from. An event whose ID is known is
// not stored again. The sequence numbers of messages grow with each one, with gaps.
func (b *Box) Add(ctx context.Context, from, to string, events []Event) (added int, err error) {
	defer func() {
		if err != nil {
			added, err = 0, fmt.Errorf("outbox: %w", err)
		}
	}()
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	// The update comes first, so that one of two processes waits for the other.
	var sequence int64
	err = tx.QueryRowContext(ctx, `update walletscreen_outbox_state set digest = $1 where name = 'book' and digest = $2 returning sequence`, to, from).Scan(&sequence)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, errors.New("the state was advanced by another process")
	}
	if err != nil {
		return 0, err
	}
	insert, err := tx.PrepareContext(ctx, `insert into walletscreen_outbox (id, body, created, due, attempts, ended, failure, customer, sequence)
		values ($1, $2, $3, $4, 0, 0, '', $5, $6) on conflict do nothing`)
	if err != nil {
		return 0, err
	}
	defer insert.Close()
	now := b.now()
	for _, e := range events {
		sequence++
		body, err := wire.JSON(struct {
			Type      string `json:"type"`
			Timestamp string `json:"timestamp"`
			Sequence  int64  `json:"sequence"`
			Data      any    `json:"data"`
		}{e.Type, now.UTC().Format(time.RFC3339), sequence, e.Data})
		if err != nil {
			return 0, err
		}
		r, err := insert.ExecContext(ctx, e.ID, string(body), now.UnixMilli(), now.UnixMilli(), e.Customer, sequence)
		if err != nil {
			return 0, err
		}
		if n, err := r.RowsAffected(); err == nil {
			added += int(n)
		}
	}
	if _, err := tx.ExecContext(ctx, `update walletscreen_outbox_state set sequence = $1 where name = 'book'`, sequence); err != nil {
		return 0, err
	}
	return added, tx.Commit()
}

// due returns messages that are due, the oldest first, at most n. Each is the first of
// its customer that waits.
func (b *Box) due(ctx context.Context, n int) ([]Message, error) {
	ctx, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	rows, err := b.db.QueryContext(ctx, `select id, body, customer, created, attempts from walletscreen_outbox m
		where ended = 0 and due <= $1 and not exists (
			select 1 from walletscreen_outbox earlier
			where earlier.ended = 0 and earlier.customer = m.customer and earlier.sequence < m.sequence)
		order by due, sequence limit $2`, b.now().UnixMilli(), n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Message
	for rows.Next() {
		var m Message
		var body string
		var created int64
		if err := rows.Scan(&m.ID, &body, &m.Customer, &created, &m.Attempts); err != nil {
			return nil, err
		}
		m.Body, m.Created = []byte(body), time.UnixMilli(created).UTC()
		all = append(all, m)
	}
	return all, rows.Err()
}

// A Delivery is what became of the messages that were due.
type Delivery struct {
	Accepted int
	Expired  int   // given up after three days
	Failure  error // why the last message that was not accepted was not, or nil
}

// posts is the number of messages that are posted at once, each to another customer.
const posts = 32

// turn is the time after which Deliver posts no further message.
const turn = 5 * time.Second

// Deliver posts the messages that are due, the oldest first, for some seconds at most. The
// messages of one customer are posted in their order: each after the previous one was
// accepted or given up. post may be called concurrently. A message that is not accepted is
// due again after five seconds, and then each time after twice as long, an hour at most. If the receiver
// has said when, as a [RetryError], Deliver posts no other message before that. Only errors of the database are returned.
func (b *Box) Deliver(ctx context.Context, post func(context.Context, Message) error) (d Delivery, err error) {
	inflight := make(map[string]bool) // customers
	outcomes := make(chan Message, posts)
	for end := time.Now().Add(turn); ; {
		if err == nil && ctx.Err() == nil && !b.now().Before(b.pause) && time.Now().Before(end) {
			var messages []Message
			messages, err = b.due(ctx, 2*posts) // some may be in flight
			for _, m := range messages {
				if len(inflight) < posts && !inflight[m.Customer] {
					inflight[m.Customer] = true
					go func() {
						m.failure = post(ctx, m)
						outcomes <- m
					}()
				}
			}
		}
		if len(inflight) == 0 {
			return d, errors.Join(err, ctx.Err())
		}
		done := []Message{<-outcomes}
		for len(outcomes) > 0 {
			done = append(done, <-outcomes)
		}
		if ctx.Err() == nil { // else the attempts may have been cut off by us
			err = errors.Join(err, b.record(ctx, &d, done))
		}
		for _, m := range done {
			delete(inflight, m.Customer)
		}
	}
}

// record stores what became of messages, and adds it to d.
func (b *Box) record(ctx context.Context, d *Delivery, done []Message) error {
	ctx, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, m := range done {
		now := b.now()
		due, ended, text := now.Add(min(5*time.Second<<min(m.Attempts, 20), time.Hour)), int64(0), ""
		if later, ok := errors.AsType[*RetryError](m.failure); ok {
			if pause := now.Add(min(later.After, time.Hour)); pause.After(b.pause) {
				b.pause = pause
			}
			if b.pause.After(due) {
				due = b.pause
			}
		}
		switch {
		case m.failure == nil:
			d.Accepted++
			ended = now.UnixMilli()
		case now.Sub(m.Created) >= Keep:
			d.Expired++
			ended = now.UnixMilli()
		}
		if m.failure != nil {
			d.Failure, text = m.failure, clip(m.failure.Error())
		}
		if _, err := tx.ExecContext(ctx, `update walletscreen_outbox set attempts = attempts + 1, due = $1, ended = $2, failure = $3 where id = $4`,
			due.UnixMilli(), ended, text, m.ID); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// clip bounds the length of what a stranger has sent.
func clip(s string) string { return strings.ToValidUTF8(s[:min(len(s), 500)], "?") }

// Waiting returns how many messages are not accepted yet, and when the oldest was made, the zero
// time if there is none.
func (b *Box) Waiting(ctx context.Context) (n int64, oldest time.Time, err error) {
	var created sql.NullInt64
	err = b.db.QueryRowContext(ctx, `select count(*), min(created) from walletscreen_outbox where ended = 0`).Scan(&n, &created)
	if created.Valid {
		oldest = time.UnixMilli(created.Int64).UTC()
	}
	return n, oldest, err
}

// Sweep deletes messages that ended longer than Keep ago.
func (b *Box) Sweep(ctx context.Context) error {
	_, err := b.db.ExecContext(ctx, `delete from walletscreen_outbox where ended > 0 and ended < $1`, b.now().Add(-Keep).UnixMilli())
	return err
}
