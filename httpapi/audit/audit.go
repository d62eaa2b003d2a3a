// Package audit records each screening that package [httpapi] answers in files, so
// that an auditor can see who was told what, when, and from which lists.
//
//	trail, err := audit.Open("/var/lib/walletscreen/audit", nil)
//	go trail.Run(ctx)
//	h := httpapi.NewHandler(s, keys, &httpapi.Options{Audit: trail.Record})
//
// Start with [Open] and [Hash]. The program of examples/walletscreen searches and verifies a trail, with its
// commands audit search and audit verify.
//
// # Lines
//
// A file has one JSON object in each line, a Receipt of package receipt or a repair:
//
//	{"format":"walletscreen evidence 1","type":"screening","screened_at":"2026-11-21T09:30:00.123456Z","request_id":"…",
//	 "key_id":"payments","chain":"ethereum","address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96","score":100,"level":"CRITICAL",
//	 "labels":[{"label":"SANCTIONED","source":"OFAC_SDN","source_ref":"27307", …}],"doubts":[],"caveats":[],"all_clear":false,
//	 "scoring_version":"v1.2","snapshot":"5f0c…","module_version":"v1.0.0","lists":[{"source":"OFAC_SDN","digest":"9a31…", …}, …],
//	 "n":1,"prev":"","sum":"77ab…"}
//	{"format":"walletscreen evidence 1","type":"repair","time":"…","cut":"{\"format\":\"wal","n":2,"prev":"77ab…","sum":"d4e0…"}
//
// In each file, the first line with a snapshot has its lists. Package store keeps them under the same
// digests, and [screening.OpenDigest] opens the snapshot again. The second and later addresses of a batch
// have their index in item. With Options.HashKey, "hmac:" and a hash replaces each address, and each
// reference, name or reason with an address in it; see [Hash].
//
// n is the number of the line in the trail, prev is the sum of the line before, and sum is the SHA-256 or,
// with Options.HashKey, the HMAC-SHA-256 of this line up to its member sum. The file audit.head has n and
// sum of the last line that was flushed, and of the last one that was removed because of its age, with a
// sum of its own. So audit verify finds each line that was changed, moved, removed or added; if lines are
// missing when a trail is opened, their numbers stay missing, and a line of type repair says so.
//
// # Files
//
// File names begin with "audit-" and sort by time; lines are added to the last file. A new one
// begins with each day of UTC, and when the last has reached 100 MiB. Files are never renamed, and
// removed only if Options says so. Only the owner can read them.
//
// # Nothing is lost silently
//
// A record waits in memory until [Log.Run] has flushed it to the disk, a tenth of a second later at most
// on a disk that keeps up: until then a killed program, or a machine without power, loses
// it, unless Options.Durable makes the answer wait for the disk. Open replaces a line that a crash has cut
// short by a line of type repair.
//
// If there is no room for the records of an answer within a second, or the writer cannot write, Record returns
// an error and the response is 503. The writer tries again each second, in a new file, and keeps the records of
// answers that were sent, so a full disk loses nothing unless the program is stopped before there is
// room. The records of other answers are not written, but a line of type repair with their number,
// unless a disk that hangs for a second writes them after all. [Log.Err] reports the failure.
package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/screening"
)

// Options configure [Open]. A nil *Options and the zero value of each field mean the
// defaults. A negative MaxAge or a HashKey that is too short is an error of Open.
type Options struct {
	// HashKey is a key of at least 32 bytes with which addresses are recorded as
	// [Hash] returns them, and lines chained. Nil records them in clear text. All lines of a
	// trail need the same key: with another one, or none, Open returns an error. Begin another
	// directory with it.
	HashKey []byte

	// Witness is a file, outside of the directory, to which the number and the sum of the last
	// line are appended at each start, stop and new file. It shows that an earlier copy of the
	// directory was put back. Empty means none.
	Witness string

	// Durable makes Record wait until the record is flushed to the disk.
	Durable bool

	// MaxAge is the time for which files are kept after their last record. Others are
	// removed when a file is begun, and by Open. Zero keeps all.
	MaxAge time.Duration

	// Logger receives failures, repairs and removals, but never a record. Nil means
	// no log.
	Logger *slog.Logger
}

// Errors of Record.
var (
	errFull   = errors.New("audit: too many records wait to be written")
	errBroken = errors.New("audit: records cannot be written")
	errLong   = errors.New("audit: the record is too long: the address has too many labels") // nothing could read its line
	errClosed = errors.New("audit: closed")
)

// errKey reports that a trail was written with another key, or with one and now without.
var errKey = errors.New("audit: the trail was written with another key, or without one: give its key, or begin a new trail in another directory")

// A Log writes records to the files of a directory. Its methods may be called
// concurrently.
type Log struct {
	opts     Options
	maxQueue int
	maxWait  time.Duration // the longest wait of Record for room in the queue, and for the disk
	writer   writer
	begun    atomic.Bool   // Run was called
	wake     chan struct{} // receives when there is something to write,
	full     chan struct{} // and when the queue is half full, so that it does not wait for more

	mu      sync.Mutex    // guards what follows
	queue   []*batch      // not on the disk yet
	queued  int           // records in the queue
	room    chan struct{} // closed when there may be room in the queue
	closed  bool
	written uint64
	refused uint64
	err     error // why records cannot be written at the moment, or nil
}

// A batch is the records of one call of Record, which are written together.
type batch struct {
	records []record
	written chan error // receives the outcome; nil if no caller waits
}

// A record is the line of a screening, and its result, whose lists may go with it.
type record struct {
	line   []byte
	result screening.Result
}

// Open opens the trail in a directory, which it creates if it does not exist, and
// repairs what a crash has left. Only one Log can use a
// directory at a time, on systems that lock files: another Open, by any process, is an error.
//
// Records wait until Run is called. The directory is unlocked when Run returns.
func Open(dir string, opts *Options) (*Log, error) {
	if opts == nil {
		opts = &Options{}
	}
	l := &Log{opts: *opts, maxQueue: 8192, maxWait: time.Second, wake: make(chan struct{}, 1), full: make(chan struct{}, 1), room: make(chan struct{})}
	if l.opts.Logger == nil {
		l.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if l.opts.MaxAge < 0 {
		return nil, errors.New("audit: a negative MaxAge")
	}
	if l.opts.HashKey != nil && len(l.opts.HashKey) < sha256.Size {
		return nil, fmt.Errorf("audit: a HashKey of %d bytes, want at least %d", len(l.opts.HashKey), sha256.Size)
	}
	l.writer = writer{Options: l.opts, dir: dir, maxBytes: 100 << 20, chain: evidence.New(l.opts.HashKey), writeAt: (*os.File).WriteAt, sync: (*os.File).Sync}
	if err := l.writer.open(); errors.Is(err, errKey) {
		return nil, fmt.Errorf("%w: %s", errKey, dir)
	} else if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if len(l.writer.repairs) > 0 {
		l.enqueue(&batch{records: l.writer.repairs})
	}
	return l, nil
}

// Hash returns what follows "hmac:" for an address if Options.HashKey is key: the
// HMAC-SHA-256 of the address in its normal form, in hex. To find the records of an
// address, call it, or in a shell:
//
//	printf %s "$ADDRESS" | openssl dgst -sha256 -mac HMAC -macopt hexkey:"$KEY"
//
// Keep the key as long as the records, and away from their readers: there are few
// enough addresses to try them all.
func Hash(key []byte, address string) string { return evidence.New(key).Sum([]byte(address)) }

// Record records screenings. It is for Options.Audit of [httpapi.NewHandler]. It
// returns nil as soon as the records are queued, all or none, or, with Options.Durable, flushed. The
// error says that too many records wait, that they cannot be written, or that l is closed; or it comes from ctx.
func (l *Log) Record(ctx context.Context, all ...httpapi.Screening) (err error) {
	b := &batch{records: make([]record, len(all))}
	for i := range all {
		b.records[i].result = all[i].Result
		if b.records[i].line, err = l.newLine(&all[i]); err != nil {
			break
		}
	}
	if err == nil {
		err = l.put(ctx, b)
	}
	if err != nil {
		l.mu.Lock()
		l.refused += uint64(len(all))
		l.mu.Unlock()
	}
	return err
}

// put queues a batch, and waits for room and, if the Log is durable, for the disk.
func (l *Log) put(ctx context.Context, b *batch) error {
	if l.opts.Durable {
		b.written = make(chan error, 1)
	}
	room, err := l.enqueue(b)
	if err != nil || room == nil && b.written == nil { // as a rule
		return err
	}
	late := time.NewTimer(l.maxWait)
	defer late.Stop()
	for err == nil && (room != nil || b.written != nil) {
		select {
		case <-room:
			room, err = l.enqueue(b)
		case err = <-b.written:
			return err
		case <-late.C:
			err = errFull
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	return err
}

// enqueue queues a batch, or returns a channel that is closed when there may be room for it.
func (l *Log) enqueue(b *batch) (room <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(b.records)
	switch {
	case l.closed:
		return nil, errClosed
	case l.err != nil:
		return nil, l.err
	case l.queued > 0 && l.queued+n > l.maxQueue:
		signal(l.full)
		return l.room, nil
	}
	l.queue, l.queued = append(l.queue, b), l.queued+n
	signal(l.wake)
	if l.queued > l.maxQueue/2 {
		signal(l.full)
	}
	return nil, nil
}

// signal wakes Run.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

const (
	// retryEvery is the time between attempts to write after a failure.
	retryEvery = time.Second
	// gather is the pause after a write for which no caller waits, unless the queue fills up, so that a busy
	// server flushes many records at once.
	gather = 100 * time.Millisecond
)

// Run writes records until ctx ends, then writes the queued records and closes the Log.
// Call it once, and stop the handlers before ctx ends. It leaves no goroutine.
//
// It returns nil if all accepted records were written, else an error with the number
// of those that were not.
func (l *Log) Run(ctx context.Context) error {
	if l.begun.Swap(true) {
		return errors.New("audit: Run was called before")
	}
	for {
		select {
		case <-l.wake:
		case <-ctx.Done():
			return l.close()
		}
		pause, full := l.write(), l.full
		if pause == retryEvery {
			full = nil // the disk fails
		}
		select {
		case <-time.After(pause):
		case <-full:
		case <-ctx.Done():
		}
	}
}

// write writes the queue as it is now, and returns how long to wait before it is called again.
func (l *Log) write() (pause time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for left := len(l.queue); left > 0; {
		queue := l.queue
		l.mu.Unlock()
		n, err := l.writer.write(queue)
		l.mu.Lock()
		close(l.room)
		l.room = make(chan struct{})
		if err != nil {
			l.fail(err)
			signal(l.wake)
			return retryEvery
		}
		for i, b := range queue[:n] {
			if b.written != nil {
				b.written <- nil
			}
			l.queued -= len(b.records)
			l.written += uint64(len(b.records))
			queue[i] = nil
		}
		l.queue, left = l.queue[n:], left-n
		if l.err != nil {
			l.opts.Logger.Info("audit records can be written again")
			l.err = nil
		}
		if !l.opts.Durable {
			pause = gather
		}
	}
	return pause
}

// fail reports a failure to the callers that wait. Their answers are not sent, so a line with
// the number of their records takes the place of them. The caller holds mu.
func (l *Log) fail(err error) {
	if l.err == nil {
		l.opts.Logger.Error("audit records cannot be written; screening is refused until they can", "error", err)
	}
	l.err = fmt.Errorf("%w: %w", errBroken, err)
	refused := 0
	l.queue = slices.DeleteFunc(l.queue, func(b *batch) bool {
		if b.written != nil {
			b.written <- l.err
			refused += len(b.records)
		}
		return b.written != nil
	})
	if refused > 0 {
		line, _ := repairLine{Refused: refused}.marshal()
		l.queue = append(l.queue, &batch{records: []record{{line: line}}})
		l.queued += 1 - refused
	}
}

// close writes the remaining records, and unlocks the directory.
func (l *Log) close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.write()
	err := l.writer.close()
	if queued, _, _ := l.Stats(); queued > 0 {
		return fmt.Errorf("audit: %d records were not written: %w", queued, l.Err())
	}
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Err returns why records cannot be written at the moment, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Stats returns the number of records that wait to be written, of those that are on the disk, and of
// those for which Record returned an error.
func (l *Log) Stats() (queued int, written, refused uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queued, l.written, l.refused
}
