// Package audit keeps a record of each screening that [httpapi] answers, in
// files, so that an auditor can be shown who was told what, when, and on the
// ground of which lists.
//
//	trail, err := audit.Open("/var/lib/walletscreen/audit", nil)
//	go trail.Run(ctx)
//	h := httpapi.NewHandler(s, keys, &httpapi.Options{Audit: trail.Record})
//
// # Lines
//
// A file is lines of JSON, each an object with a type:
//
//	{"type":"screening","time":"2026-11-21T09:30:00.123456Z","request_id":"…","key_id":"payments",
//	 "chain":"ethereum","address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96","score":100,"level":"CRITICAL",
//	 "labels":[{"label":"SANCTIONED","match":"exact","source":"OFAC_SDN","source_ref":"27307"}],
//	 "lists":"5f0c…","scoring_version":"v1.0"}
//	{"type":"lists","time":"…","lists":"5f0c…","sources":[{"id":"OFAC_SDN","digest":"9a31…","last_updated":"…","addresses":745}, …]}
//	{"type":"repair","time":"…","cut":"{\"type\":\"scree"}
//
// A screening names the lists by the digest of their snapshot. What that is made
// of stands before the first screening that names it, in each file: the digests are
// those by which package store keeps the revisions. With Options.HashKey there is
// address_hmac for address, see [Hash]; then no line has an address, but one in
// which a customer puts it into his request id. If an operator's exceptions take
// labels out of the score, these are in suppressed, with a reason and an author; the
// exceptions are part of the snapshot, which [screening.OpenDigest] opens again.
//
// # Files
//
// Their names begin with "audit-" and sort by time; the last is the one that is
// written. A new one begins with each day of UTC, and when the last has grown to
// Options.MaxBytes. Nothing is ever renamed, so a name that was seen keeps its
// meaning, and nothing is removed unless Options says so. Only the owner may read
// them.
//
// # Nothing is dropped silently
//
// A record waits in memory until the one writer, [Log.Run], has written it, which
// is in some milliseconds; it is flushed to the disk within a tenth of a second. A
// program that is killed loses what was not written, and a machine that loses power
// what was not flushed. Who may lose neither sets Options.Durable: then an answer
// waits for the disk, together with all others of that moment.
//
// If records come faster than they can be written, they wait; if a record has
// waited for Options.MaxWait, or the writer cannot write, Record returns an error,
// and the answer is 503. What the writer could not write it keeps, and tries again
// each second, in a new file; so a full disk loses nothing of what was answered,
// unless the program is stopped before there is room. [Log.State] tells.
//
// A line that a crash has torn is found by Open, which puts a line of type repair
// in its place. It was not flushed, so with Options.Durable it was not answered.
package audit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
)

// Options are what Open can be told. A nil *Options, and the zero value of each
// field, mean the defaults. A negative limit is an error of Open, and so is a HashKey
// that is too short.
type Options struct {
	// HashKey has addresses recorded as [Hash] returns them with this key, of at
	// least 32 bytes. Nil records them as they are.
	HashKey []byte

	// Durable has Record return only when the record was flushed to the disk.
	Durable bool

	// MaxBytes is the size at which a new file is begun; the last record may lie
	// across it. Zero means 100 MiB.
	MaxBytes int64

	// MaxFiles is how many files are kept, and MaxAge for how long after their last
	// record. What is beyond is removed when a file is begun, and by Open. Zero
	// keeps all.
	MaxFiles int
	MaxAge   time.Duration

	// MaxQueue is how many records may wait to be written. Zero means 8192.
	MaxQueue int

	// MaxWait is how long Record waits at most, be it for room in the queue or for
	// the disk. Zero means a second.
	MaxWait time.Duration

	// Logger is told of what fails, and is repaired or removed. It is never
	// given a record. Nil means no log.
	Logger *slog.Logger
}

var (
	// ErrFull: records come faster than they can be written, or, with Options.Durable,
	// flushed: one has waited for Options.MaxWait.
	ErrFull = errors.New("audit: too many records wait to be written")
	// ErrBroken: records cannot be written at the moment. An error that wraps it
	// says why.
	ErrBroken = errors.New("audit: records cannot be written")
	// ErrClosed: Run has ended.
	ErrClosed = errors.New("audit: closed")
)

// A Log writes records into the files of a directory. Its methods may be called
// concurrently.
type Log struct {
	opts   Options
	log    *slog.Logger
	wake   chan struct{} // has one if something is queued
	writer writer

	mu      sync.Mutex // guards what follows
	queue   []record
	room    chan struct{} // closed when the queue has room, or the state has changed
	begun   bool          // Run was called
	closed  bool
	pending int // how many the writer has that were not flushed
	state   State
}

// A record is a screening on its way into a file.
type record struct {
	line    []byte
	digest  string                   // of the snapshot
	sources []screening.SourceStatus // of the snapshot, which shares it
	written chan error               // told when it is on the disk, or was not written; nil if nobody asks
}

// A State is what a Log is worth knowing of.
type State struct {
	// Queued is the number of records that wait to be written, or flushed.
	Queued int
	// Written is the number of records that were written and flushed, and Refused
	// the number of those that Record has returned an error for.
	Written, Refused uint64
	// Err is why records cannot be written at the moment, an ErrBroken, or nil.
	Err error
}

// Open opens the trail in the directory dir, makes it if it is not there, and
// repairs what a crash has left. Only one Log can have a directory at a time, on
// systems that have flock: there another Open, of any process, is an error.
//
// Records wait until Run is called. The directory is given free when it ends.
func Open(dir string, opts *Options) (*Log, error) {
	if opts == nil {
		opts = &Options{}
	}
	l := &Log{opts: *opts, log: opts.Logger, wake: make(chan struct{}, 1), room: make(chan struct{})}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if l.opts.MaxBytes == 0 {
		l.opts.MaxBytes = 100 << 20
	}
	if l.opts.MaxQueue == 0 {
		l.opts.MaxQueue = 8192
	}
	if l.opts.MaxWait == 0 {
		l.opts.MaxWait = time.Second
	}
	if l.opts.MaxBytes < 0 || l.opts.MaxFiles < 0 || l.opts.MaxAge < 0 || l.opts.MaxQueue < 0 || l.opts.MaxWait < 0 {
		return nil, errors.New("audit: a negative limit")
	}
	if l.opts.HashKey != nil && len(l.opts.HashKey) < sha256.Size {
		return nil, fmt.Errorf("audit: a HashKey of %d bytes, want at least %d", len(l.opts.HashKey), sha256.Size)
	}
	l.writer = writer{dir: dir, maxBytes: l.opts.MaxBytes, maxFiles: l.opts.MaxFiles, maxAge: l.opts.MaxAge, durable: l.opts.Durable,
		log: l.log, write: (*os.File).WriteAt, sync: (*os.File).Sync}
	if err := l.writer.open(); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return l, nil
}

// Hash returns what stands for an address in the lines if Options.HashKey is key:
// the HMAC-SHA-256 of the address as the API answers it, in hex. To find the
// records of an address, a program calls it, or a shell:
//
//	printf %s "$ADDRESS" | openssl dgst -sha256 -mac HMAC -macopt hexkey:"$KEY"
//
// The key must be kept as long as the records, and from who may see them: there
// are few enough addresses to try them all.
func Hash(key []byte, address string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(address))
	return hex.EncodeToString(mac.Sum(nil))
}

// Record takes the record of a screening; it is made for Options.Audit of
// [httpapi.NewHandler]. It returns nil as soon as the record is queued or, with
// Options.Durable, flushed. The errors are [ErrFull], [ErrBroken] and
// [ErrClosed], wrapped or not, and that of ctx. With an error the record may have
// been written nevertheless, if it was queued before.
func (l *Log) Record(ctx context.Context, s httpapi.Screening) error {
	text, err := l.appendLine(make([]byte, 0, 512), &s)
	if err == nil {
		err = l.put(ctx, record{line: text, digest: s.Result.Digest(), sources: s.Result.Sources()})
	}
	if err != nil {
		l.mu.Lock()
		l.state.Refused++
		l.mu.Unlock()
	}
	return err
}

// put queues r, and waits for what is to be waited for.
func (l *Log) put(ctx context.Context, r record) error {
	var late <-chan time.Time
	wait := func() {
		if late == nil {
			late = time.After(l.opts.MaxWait)
		}
	}
	for {
		l.mu.Lock()
		if l.closed || l.state.Err != nil {
			defer l.mu.Unlock()
			if l.closed {
				return ErrClosed
			}
			return l.state.Err
		}
		if len(l.queue) < l.opts.MaxQueue {
			break
		}
		room := l.room
		l.mu.Unlock()
		wait()
		select {
		case <-room:
		case <-late:
			return ErrFull
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if l.opts.Durable {
		r.written = make(chan error, 1)
	}
	l.queue = append(l.queue, r)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	if r.written == nil {
		return nil
	}
	wait()
	select {
	case err := <-r.written:
		return err
	case <-late:
		return ErrFull
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// take appends what is queued to pending, and makes room.
func (l *Log) take(pending []record) []record {
	l.mu.Lock()
	defer l.mu.Unlock()
	pending = append(pending, l.queue...)
	if len(l.queue) >= l.opts.MaxQueue {
		l.changed()
	}
	clear(l.queue)
	l.queue = l.queue[:0]
	l.pending = len(pending)
	return pending
}

// changed wakes who waits for room. The caller holds the lock.
func (l *Log) changed() {
	close(l.room)
	l.room = make(chan struct{})
}

const (
	// retryEvery is how often the writer tries again to write what it could not.
	retryEvery = time.Second
	// gather is how long the writer rests after a write that it has not flushed, so
	// that a busy server has many records in one.
	gather = 2 * time.Millisecond
)

// Run writes the records until ctx ends; then it writes what is queued, and
// closes the Log. It is to be called once: the caller writes "go" if it wants to,
// and no goroutine is left when it returns. When handlers are to be stopped, they
// are stopped first.
//
// It returns nil if every record was written that was taken, else an error that
// says how many were not.
func (l *Log) Run(ctx context.Context) error {
	l.mu.Lock()
	begun := l.begun
	l.begun = true
	l.mu.Unlock()
	if begun {
		return errors.New("audit: Run was called before")
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-l.wake:
			if l.State().Err != nil {
				continue // when it is time to try again
			}
		case <-timer.C:
		case <-ctx.Done():
			return l.close()
		}
		again := l.advance(false)
		if again == 0 {
			timer.Stop()
			continue
		}
		timer.Reset(again)
		select { // nobody waits for what comes now
		case <-time.After(gather):
		case <-ctx.Done():
		}
	}
}

// advance writes what is queued and what was left, and returns after what time it
// is to be called again, or 0 if not before something is queued.
func (l *Log) advance(last bool) (again time.Duration) {
	w := &l.writer
	w.pending = l.take(w.pending)
	// After a failure, all is well again when something was flushed, not before.
	again, err := w.advance(last || l.State().Err != nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Written = w.total
	l.pending = len(w.pending)
	switch {
	case err != nil:
		if l.state.Err == nil {
			l.log.Error("audit records cannot be written; screening is refused until they can", "error", err)
		}
		l.state.Err = fmt.Errorf("%w: %w", ErrBroken, err)
		l.changed()
		return retryEvery
	case l.state.Err != nil:
		l.log.Info("audit records can be written again")
		l.state.Err = nil
	}
	return again
}

// close writes what is left, and gives the directory free.
func (l *Log) close() error {
	l.mu.Lock()
	l.closed = true
	l.changed()
	l.mu.Unlock()
	l.advance(true)
	w := &l.writer
	err := w.close()
	if n := len(w.pending); n > 0 {
		return fmt.Errorf("audit: %d records were not written: %w", n, l.State().Err)
	}
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// State returns the state of the Log.
func (l *Log) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state
	s.Queued = len(l.queue) + l.pending
	return s
}
