package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/internal/wire"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

// A writer writes the files. Only one goroutine uses it.
//
// After any failure the writer truncates the file to what was flushed, abandons it, and goes on in
// a new one: after a failed flush the state of the disk is unknown, and another flush
// might report success wrongly.
type writer struct {
	Options
	dir      string
	lock     *os.File
	maxBytes int64 // the size at which a new file is begun; the last record may exceed it

	// Methods of *os.File; tests make them fail.
	writeAt func(*os.File, []byte, int64) (int, error)
	sync    func(*os.File) error

	file    *os.File // nil before the first one and after a failure
	name    string   // of the last file
	size    int64    // of file, which is flushed
	text    []byte   // a buffer for one write
	repairs []record // lines of type repair to be written before others

	chain    evidence.Chain
	head     evidence.Head
	headFile *os.File // nil before the first flush

	// The snapshot and the first source of the last line with lists in file.
	lists   string
	sources *screening.SourceStatus
}

// atOnce is about the number of bytes after which a write is flushed.
const atOnce = 4 << 20

// write writes the first batches to one file, at least one, and flushes it. It returns their number.
func (w *writer) write(queue []*batch) (n int, err error) {
	defer func() {
		if err != nil {
			w.fail()
		}
	}()
	now := time.Now().UTC()
	begun, _ := evidence.FileTime(w.name)
	dayOver := now.Truncate(24 * time.Hour).After(begun) // not if the clock was set back
	if w.file == nil || dayOver || w.size > 0 && w.size+queue[0].size() > w.maxBytes {
		if err := w.next(now); err != nil {
			return 0, err
		}
	}
	n, last, err := w.render(queue, now)
	if err != nil {
		return 0, err
	}
	if _, err := w.writeAt(w.file, w.text, w.size); err != nil {
		return 0, err
	}
	if err := w.sync(w.file); err != nil {
		return 0, err
	}
	before := w.head.Last
	w.head.Last = last
	if err := w.writeHead(); err != nil {
		w.head.Last = before
		return 0, err
	}
	w.size += int64(len(w.text))
	return n, nil
}

// fail abandons the file.
func (w *writer) fail() {
	if w.file == nil {
		return
	}
	err := errors.Join(w.file.Truncate(w.size), w.file.Close())
	if w.size == 0 {
		err = os.Remove(filepath.Join(w.dir, w.name))
	}
	if err != nil {
		w.Logger.Warn("what was not flushed of an audit file cannot be cut off: its last line may be half a line, and lines come again in the next", "file", w.name, "error", err)
	}
	w.file = nil
}

// size returns the length of the lines of b.
func (b *batch) size() (n int64) {
	for i := range b.records {
		n += int64(len(b.records[i].line))
	}
	return n
}

// render renders the first batches into text, as many as fit into the file, about atOnce bytes at most. It returns
// their number, at least one, and the link of the last line.
func (w *writer) render(queue []*batch, now time.Time) (n int, last evidence.Link, err error) {
	w.text, last = w.text[:0], w.head.Last
	for _, b := range queue {
		if n > 0 && (w.size+int64(len(w.text))+b.size() > w.maxBytes || len(w.text) > atOnce) {
			break
		}
		for _, r := range b.records {
			if all := r.result.Sources(); len(all) > 0 && (r.result.Digest() != w.lists || &all[0] != w.sources) {
				lists, err := wire.JSON(receipt.From(r.result, now).Lists)
				if err != nil {
					return 0, last, err
				}
				r.line = slices.Concat(r.line[:len(r.line)-1], []byte(`,"lists":`), lists, []byte("}"))
				w.lists, w.sources = r.result.Digest(), &all[0]
			}
			w.text, last = w.chain.Seal(w.text, r.line, last)
		}
		n++
	}
	return n, last, nil
}

// next begins a new file.
func (w *writer) next(now time.Time) error {
	if w.file != nil {
		err := w.file.Close()
		if w.file = nil; err != nil {
			return err
		}
	}
	for {
		if last, ok := evidence.FileTime(w.name); ok && !now.After(last) {
			now = last.Add(1) // the clock was set back, or is coarse; names must sort
		}
		name := now.Format(evidence.FileLayout)
		file, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if w.name = name; err == nil {
			w.file, w.size, w.lists, w.sources = file, 0, "", nil
			break
		}
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

// close closes the files, and unlocks the directory.
func (w *writer) close() error {
	err := w.testify("stop")
	for _, f := range []*os.File{w.file, w.headFile} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return errors.Join(err, w.lock.Close())
}
