package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// nameLayout is the layout of file names: the time at which the file was begun, in UTC.
const nameLayout = "audit-20060102T150405.000000000Z.jsonl"

// nameTime returns the time in the name of a file, and whether it is an audit file.
func nameTime(name string) (time.Time, bool) {
	t, err := time.Parse(nameLayout, name)
	return t, err == nil && t.Format(nameLayout) == name
}

// dayOver reports whether the day on which the file was begun is over. If the clock was
// set back, it is not.
func dayOver(name string, now time.Time) bool {
	begun, _ := nameTime(name)
	return now.Truncate(24 * time.Hour).After(begun)
}

// files returns the names of the audit files, sorted.
func (w *writer) files() ([]string, error) {
	all, err := os.ReadDir(w.dir) // sorted
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range all {
		if _, ours := nameTime(f.Name()); ours && f.Type().IsRegular() {
			names = append(names, f.Name())
		}
	}
	return names, nil
}

// open creates the directory, locks it, repairs its files and opens the last one.
func (w *writer) open() (err error) {
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	}
	if w.lock, err = lock(filepath.Join(w.dir, "audit.lock")); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.lock.Close()
		}
	}()
	names, err := w.files()
	if err != nil {
		return err
	}
	if err := w.openHead(names); err != nil {
		return err
	}
	for i, name := range names {
		if err := w.repair(name, i == len(names)-1); err != nil {
			return err
		}
	}
	w.head.Last = w.last
	w.remove(time.Now())
	if len(names) == 0 {
		return nil
	}
	w.name = names[len(names)-1]
	w.file, err = os.OpenFile(filepath.Join(w.dir, w.name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	info, err := w.file.Stat()
	if err != nil {
		w.file.Close()
		return err
	}
	w.size, w.flushed = info.Size(), info.Size()
	return nil
}

// A repairLine replaces a torn line.
type repairLine struct {
	Type string    `json:"type"`
	Time time.Time `json:"time"`
	Cut  string    `json:"cut"` // the beginning of the torn line
}

// maxTorn is the length of the part of a torn line that is kept.
const maxTorn = 64 << 10

// repair replaces a torn last line by a line of type repair. It overwrites it with a
// longer line, so a crash during it leaves a torn last line again. The line is in the chain if the
// file is the last one.
func (w *writer) repair(name string, last bool) error {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	start, torn, err := tornLine(f, info.Size())
	if err != nil || len(torn) == 0 {
		return err
	}
	line, err := json.Marshal(repairLine{"repair", time.Now().UTC().Truncate(time.Microsecond), string(torn)})
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if last {
		line, w.last = w.sealer.seal(nil, w.last, line)
	}
	if _, err := f.WriteAt(line, start); err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(start+int64(len(line))), w.sync(f)); err != nil {
		return err
	}
	w.Logger.Warn("an audit file ended in a torn line; a line of type repair is in its place", "file", name, "bytes", info.Size()-start)
	return nil
}

// tornLine returns the position of the last line of f if it is torn, and its first
// maxTorn bytes.
func tornLine(f *os.File, size int64) (start int64, torn []byte, err error) {
	var block [4096]byte
	for start = size; start > 0; {
		b := block[:min(start, int64(len(block)))]
		if _, err := f.ReadAt(b, start-int64(len(b))); err != nil {
			return 0, nil, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			start -= int64(len(b) - i - 1)
			break
		}
		start -= int64(len(b))
	}
	torn = make([]byte, min(size-start, maxTorn))
	if len(torn) == 0 {
		return start, nil, nil
	}
	_, err = f.ReadAt(torn, start)
	return start, torn, err
}

// openHead finds the last line of the trail, which the head does not have after a crash.
func (w *writer) openHead(names []string) error {
	h, err := readHead(w.dir)
	if err == nil {
		w.head = h
	} else if len(names) > 0 || !errors.Is(err, fs.ErrNotExist) {
		w.Logger.Warn("the head of the audit trail is missing or damaged: lines that were cut off before now are not found", "error", err)
	}
	for _, name := range slices.Backward(names) {
		if last, err := w.lastLink(name); err != nil || last.N > 0 {
			w.last = last
			return err
		}
	}
	w.last = w.head.Last // of a trail whose files were moved away
	return nil
}

// lastLink returns the link of the last whole line of a file that has one.
func (w *writer) lastLink(name string) (last link, err error) {
	readFile(w.dir, name, func(l Line, e error) bool {
		if err = e; e != nil {
			return false
		}
		if at, _, ok := linkOf(l.Text); ok {
			last = at
		}
		return true
	})
	return last, err
}

// remove removes the files beyond the limits, but never the last one.
func (w *writer) remove(now time.Time) {
	names, err := w.files()
	if err != nil {
		w.Logger.Warn("old audit files cannot be removed", "error", err)
		return
	}
	for i := 0; i < len(names)-1; i++ {
		next, _ := nameTime(names[i+1]) // all records of this file are older
		tooMany := w.MaxFiles > 0 && len(names)-i > w.MaxFiles
		tooOld := w.MaxAge > 0 && now.Sub(next) > w.MaxAge
		if !tooMany && !tooOld {
			return
		}
		if err := w.forget(names[i]); err != nil {
			w.Logger.Warn("old audit file cannot be removed", "file", names[i], "error", err)
			return
		}
		w.Logger.Info("old audit file removed", "file", names[i])
	}
}

// forget removes a file, and says so in the head before.
func (w *writer) forget(name string) error {
	last, err := w.lastLink(name)
	if err != nil {
		return err
	}
	if last.N > 0 {
		w.head.Removed = last
		if err := w.writeHead(); err != nil {
			return err
		}
		if err := w.headFile.Sync(); err != nil {
			return err
		}
	}
	return os.Remove(filepath.Join(w.dir, name))
}
