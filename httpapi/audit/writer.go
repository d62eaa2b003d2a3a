package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

// A writer writes the files. Only one goroutine uses it.
//
// Pending records are not flushed yet, whether they are written or not. After any
// failure the writer truncates the file to its last flush, abandons it, and writes the
// pending records to a new one: after a failed flush the state of the disk is unknown,
// and another flush might report success wrongly.
type writer struct {
	Options
	dir      string
	lock     io.Closer
	maxBytes int64 // the size at which a new file is begun; the last record may exceed it

	// Methods of *os.File; tests make them fail.
	write func(*os.File, []byte, int64) (int, error)
	sync  func(*os.File) error

	file    *os.File  // nil before the first one and after a failure
	name    string    // of the last file
	size    int64     // of file
	flushed int64     // the flushed part of size
	since   time.Time // when the oldest unflushed record was written

	pending []*record
	written int    // the number of pending records in file
	total   uint64 // the number of flushed records
	text    []byte // a buffer for one write

	chain    evidence.Chain
	last     evidence.Link // of the last line of file
	head     evidence.Head
	headFile *os.File // nil before the first flush

	// The snapshot and the first source of the last line with lists in file.
	lists   string
	sources *screening.SourceStatus
}

const (
	// Records are flushed at the latest after syncEvery or syncBytes.
	syncEvery = 100 * time.Millisecond
	syncBytes = 1 << 20
)

// advance writes the pending records, and flushes them if it is time or if flush is
// true. It returns the time after which it must be called again, or 0.
func (w *writer) advance(flush bool) (again time.Duration, err error) {
	if len(w.pending) == 0 {
		return 0, nil
	}
	defer func() {
		if err != nil {
			w.fail(err)
		}
	}()
	now := time.Now().UTC()
	for w.written < len(w.pending) {
		if w.file == nil || dayOver(w.name, now) || w.size > 0 && w.size+int64(len(w.pending[w.written].line)) > w.maxBytes {
			if err := w.next(now); err != nil {
				return 0, err
			}
		}
		n, err := w.render(now)
		if err != nil {
			return 0, err
		}
		if w.size == w.flushed {
			w.since = now
		}
		if _, err := w.write(w.file, w.text, w.size); err != nil {
			return 0, err
		}
		w.size += int64(len(w.text))
		w.written += n
	}
	if wait := syncEvery - now.Sub(w.since); !w.Durable && !flush && wait > 0 && w.size-w.flushed < syncBytes {
		return wait, nil
	}
	return 0, w.flush()
}

// flush flushes the file. Its records are no longer pending.
func (w *writer) flush() error {
	if w.flushed < w.size {
		if err := w.sync(w.file); err != nil {
			return err
		}
		w.flushed = w.size
		w.head.Last = w.last
		if err := w.writeHead(); err != nil {
			return err
		}
	}
	for _, r := range w.pending[:w.written] {
		if r.written != nil {
			r.written <- nil
		}
	}
	w.total += uint64(w.written)
	n := copy(w.pending, w.pending[w.written:])
	clear(w.pending[n:])
	w.pending, w.written = w.pending[:n], 0
	return nil
}

// refuse reports a failure to the callers that wait for records, which are then not answered, and
// returns the other records.
func refuse(all []*record, err error) []*record {
	return slices.DeleteFunc(all, func(r *record) bool {
		if r.written != nil {
			r.written <- err
		}
		return r.written != nil
	})
}

// fail abandons the file, and the pending records for which callers wait.
func (w *writer) fail(err error) {
	n := len(w.pending)
	w.pending = refuse(w.pending, fmt.Errorf("%w: %w", errBroken, err))
	if n -= len(w.pending); n > 0 {
		line, _ := repairLine{Refused: n}.marshal()
		w.pending = append(w.pending, &record{line: line})
	}
	w.written, w.last = 0, w.head.Last
	if w.file == nil {
		return
	}
	err = errors.Join(w.file.Truncate(w.flushed), w.file.Close())
	if w.flushed == 0 {
		err = os.Remove(filepath.Join(w.dir, w.name))
	}
	if err != nil {
		w.Logger.Warn("what was not flushed of an audit file cannot be cut off: its last line may be half a line, and lines come again in the next", "file", w.name, "error", err)
	}
	w.file = nil
}

// render renders the pending records that fit into the file, about syncBytes at most.
// It returns their number, at least one.
func (w *writer) render(now time.Time) (n int, err error) {
	w.text = w.text[:0]
	for _, r := range w.pending[w.written:] {
		if n > 0 && (w.size+int64(len(w.text)+len(r.line)) > w.maxBytes || len(w.text) > syncBytes) {
			break
		}
		line := r.line
		if all := r.result.Sources(); len(all) > 0 && (r.result.Digest() != w.lists || &all[0] != w.sources) {
			lists, err := evidence.JSON(receipt.From(r.result, now).Lists)
			if err != nil {
				return 0, err
			}
			line = slices.Concat(line[:len(line)-1], []byte(`,"lists":`), lists, []byte("}"))
			w.lists, w.sources = r.result.Digest(), &all[0]
		}
		w.text, w.last = w.chain.Seal(w.text, line, w.last)
		n++
	}
	return n, nil
}

// next begins a new file.
func (w *writer) next(now time.Time) error {
	if w.file != nil {
		if err := w.flush(); err != nil {
			return err
		}
		if err := w.file.Close(); err != nil {
			return err
		}
		w.file = nil
	}
	for {
		if last, ok := evidence.FileTime(w.name); ok && !now.After(last) {
			now = last.Add(1) // the clock was set back, or is coarse; names must sort
		}
		name := now.Format(evidence.FileLayout)
		file, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			w.name = name
			continue
		}
		if err != nil {
			return err
		}
		w.file, w.name, w.size, w.flushed, w.lists, w.sources = file, name, 0, 0, "", nil
		break
	}
	if err := atomicfile.SyncDir(w.dir); err != nil {
		return err
	}
	w.Logger.Debug("audit file begun", "file", w.name)
	if err := w.testify("day"); err != nil {
		w.Logger.Warn("the witness of the audit trail cannot be written", "error", err)
	}
	w.remove(now)
	return nil
}

// close flushes and closes the file, and unlocks the directory.
func (w *writer) close() error {
	var err error
	if w.file != nil {
		err = errors.Join(w.flush(), w.file.Close())
	}
	err = errors.Join(err, w.testify("stop"))
	if w.headFile != nil {
		err = errors.Join(err, w.headFile.Close())
	}
	return errors.Join(err, w.lock.Close())
}
