package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

// A writer has the files. It is used by one goroutine.
//
// What is pending was not flushed, be it written or not. After any failure the
// file is cut back to where it was last flushed, and left; what is pending goes
// into a new one. For after a flush that has failed nobody knows what is on the
// disk, and flushing once more might say that all is well.
type writer struct {
	dir      string
	maxBytes int64
	maxFiles int
	maxAge   time.Duration
	durable  bool
	log      *slog.Logger
	lock     io.Closer

	// Of *os.File; tests let them fail.
	write func(*os.File, []byte, int64) (int, error)
	sync  func(*os.File) error

	file    *os.File  // nil before the first, and after a failure
	name    string    // of the last file
	size    int64     // of file
	flushed int64     // the size of file up to which it was flushed
	since   time.Time // when that which was not flushed was written, or some of it before

	pending []record
	written int    // how many of pending are in file
	total   uint64 // how many records were flushed so far
	text    []byte // of the last write, to be used again

	// What the last line of type lists in file has shown: the digest, and the first
	// of the sources.
	lists   string
	sources *screening.SourceStatus
}

const (
	// syncEvery and syncBytes are when what was written is flushed at the latest.
	syncEvery = 100 * time.Millisecond
	syncBytes = 1 << 20
)

// advance writes what is pending and flushes it, if it is told to or it is time
// to. It returns after what time it must be called again, or 0.
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
	if wait := syncEvery - now.Sub(w.since); !w.durable && !flush && wait > 0 && w.size-w.flushed < syncBytes {
		return wait, nil
	}
	return 0, w.flush()
}

// flush flushes the file. What is in it is pending no more.
func (w *writer) flush() error {
	if w.flushed < w.size {
		if err := w.sync(w.file); err != nil {
			return err
		}
		w.flushed = w.size
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

// fail leaves the file, and tells who waits for what is pending that it is not
// written. It will be: who was told otherwise has a record too many.
func (w *writer) fail(err error) {
	for i, r := range w.pending {
		if r.written != nil {
			r.written <- fmt.Errorf("%w: %w", ErrBroken, err)
			w.pending[i].written = nil
		}
	}
	w.written = 0
	if w.file == nil {
		return
	}
	err = errors.Join(w.file.Truncate(w.flushed), w.file.Close())
	if w.flushed == 0 {
		err = os.Remove(filepath.Join(w.dir, w.name))
	}
	if err != nil {
		w.log.Warn("what was not flushed of an audit file cannot be cut off: its last lines may be torn, and come again in the next", "file", w.name, "error", err)
	}
	w.file = nil
}

// render makes text of what is pending and fits into the file, but of not much
// more than syncBytes. It returns the number of records, at least one.
func (w *writer) render(now time.Time) (n int, err error) {
	w.text = w.text[:0]
	for _, r := range w.pending[w.written:] {
		if n > 0 && (w.size+int64(len(w.text)+len(r.line)) > w.maxBytes || len(w.text) > syncBytes) {
			break
		}
		if len(r.sources) > 0 && (r.digest != w.lists || &r.sources[0] != w.sources) {
			if w.text, err = appendLists(w.text, now, r); err != nil {
				return 0, err
			}
			w.lists, w.sources = r.digest, &r.sources[0]
		}
		w.text = append(w.text, r.line...)
		n++
	}
	return n, nil
}

// A listsLine is a line of type lists.
type listsLine struct {
	Type    string       `json:"type"`
	Time    time.Time    `json:"time"`
	Lists   string       `json:"lists"`
	Sources []sourceLine `json:"sources"`
}

type sourceLine struct {
	ID          string     `json:"id"`
	Digest      string     `json:"digest"`
	LastUpdated *time.Time `json:"last_updated"` // null: never loaded
	Addresses   int        `json:"addresses"`
}

// appendLists appends the line about the lists that r was made with.
func appendLists(text []byte, now time.Time, r record) ([]byte, error) {
	l := listsLine{Type: "lists", Time: now.Truncate(time.Microsecond), Lists: r.digest, Sources: make([]sourceLine, len(r.sources))}
	for i, s := range r.sources {
		l.Sources[i] = sourceLine{ID: s.Info.ID, Digest: s.Digest, Addresses: s.Addresses}
		if !s.LastUpdated.IsZero() {
			t := s.LastUpdated.UTC().Truncate(time.Microsecond)
			l.Sources[i].LastUpdated = &t
		}
	}
	line, err := json.Marshal(l)
	return append(append(text, line...), '\n'), err
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
		if last, ok := nameTime(w.name); ok && !now.After(last) {
			now = last.Add(1) // the clock was put back, or is coarse: the names sort nevertheless
		}
		name := now.Format(nameLayout)
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
	if err := syncDir(w.dir); err != nil {
		return err
	}
	w.log.Debug("audit file begun", "file", w.name)
	w.remove(now)
	return nil
}

// close flushes and closes the file, and gives the directory free.
func (w *writer) close() error {
	var err error
	if w.file != nil {
		err = errors.Join(w.flush(), w.file.Close())
	}
	return errors.Join(err, w.lock.Close())
}
