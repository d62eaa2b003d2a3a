package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
	size, torn, err := w.openHead(names)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		if err := w.openLast(names[len(names)-1], size, torn); err != nil {
			return err
		}
	}
	w.head.Last = w.last
	if len(names) == 0 && w.headFile == nil && w.last.N == 0 {
		if err := errors.Join(w.writeHead(), w.headFile.Sync()); err != nil { // from now on, a trail without a head was tampered with
			return err
		}
	}
	if err := w.testify("start"); err != nil {
		return err
	}
	w.remove(time.Now())
	return nil
}

// A repairLine replaces a torn line, or says that the trail was not whole when it was opened.
type repairLine struct {
	Type    string    `json:"type"`
	Time    time.Time `json:"time"`
	Cut     string    `json:"cut,omitempty"`     // the beginning of the torn line
	Missing string    `json:"missing,omitempty"` // what was not as it was written
}

// maxTorn is the length of the part of a torn line that is kept.
const maxTorn = 64 << 10

// openLast opens the last file, which has whole lines of a size and then a torn one, if any. It
// replaces a torn line by a longer line of type repair, so a crash during that leaves a torn
// last line again.
func (w *writer) openLast(name string, size int64, torn []byte) (err error) {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if len(torn) > 0 {
		line, err := json.Marshal(repairLine{"repair", time.Now().UTC().Truncate(time.Microsecond), string(torn[:min(len(torn), maxTorn)]), ""})
		if err != nil {
			return err
		}
		line, w.last = w.sealer.seal(nil, w.last, append(line, '\n'))
		if _, err := f.WriteAt(line, size); err != nil {
			return err
		}
		size += int64(len(line))
		if err := errors.Join(f.Truncate(size), w.sync(f)); err != nil {
			return err
		}
		w.Logger.Warn("an audit file ended in a torn line; a line of type repair is in its place", "file", name, "bytes", len(torn))
	}
	w.file, w.name, w.size, w.flushed = f, name, size, size
	return nil
}

// openHead finds the last line of the trail, which the head does not have after a crash. It
// returns the size of the whole lines of the last file, and the torn line that follows them.
//
// If lines are missing at the end that the head or the witness has, the trail goes on behind
// them, so that they stay missing.
func (w *writer) openHead(names []string) (size int64, torn []byte, err error) {
	h, headErr := w.sealer.readHead(w.dir)
	seen, bad, err := w.sealer.readWitness(w.Witness)
	if err != nil {
		return 0, nil, err
	}
	for i, name := range slices.Backward(names) {
		last, whole, rest, err := w.lastLine(name)
		if i == len(names)-1 {
			size, torn = whole, rest
		}
		if err != nil {
			return 0, nil, err
		}
		if last.N > 0 {
			w.last = last
			break
		}
	}
	if headErr != nil && (w.last.N > 0 || !errors.Is(headErr, fs.ErrNotExist)) {
		if fits, err := w.keyFits(names); err != nil || !fits {
			return 0, nil, cmp.Or(err, ErrKey)
		}
		return size, torn, w.repair(fmt.Sprintf("%s was missing or changed: lines that were cut off before cannot be found", headName))
	}
	if headErr == nil {
		w.head = h
	}
	end, by := w.head.Last, headName
	for n, sum := range seen {
		if n > end.N {
			end, by = link{n, sum}, "the witness"
		}
	}
	switch {
	case w.last.N < end.N:
		missing := numbers(w.last.N+1, end.N) + " missing, which " + by + " has seen"
		w.last = end
		err = w.repair(missing)
	case bad > 0:
		err = w.repair(fmt.Sprintf("line %d of the witness was changed", bad))
	}
	return size, torn, err
}

// repair writes a line of type repair before the next record.
func (w *writer) repair(missing string) error {
	w.Logger.Error("the audit trail is not whole; a line of type repair says so", "missing", missing)
	line, err := json.Marshal(repairLine{Type: "repair", Time: time.Now().UTC().Truncate(time.Microsecond), Missing: missing})
	w.pending = append(w.pending, record{line: append(line, '\n')})
	return err
}

// keyFits reports whether a line of the trail was written with the key of w, or there is none.
func (w *writer) keyFits(names []string) (fits bool, err error) {
	lines := 0
	for _, name := range slices.Backward(names) {
		before := link{}
		readFile(w.dir, name, func(l Line, e error) bool {
			if err = e; e != nil {
				return false
			}
			at, sealed, ok := linkOf(l.Text)
			if !ok {
				return true
			}
			lines++
			fits = (before.N > 0 || at.N == 1) && at.Sum == w.sealer.sum(before.Sum, sealed)
			before = at
			return !fits
		})
		if fits || err != nil {
			return fits, err
		}
	}
	return lines == 0, nil
}

// lastLine returns the link of the last whole line of a file that has one, the size of all
// whole lines, and the torn line that follows them.
func (w *writer) lastLine(name string) (last link, size int64, torn []byte, err error) {
	readFile(w.dir, name, func(l Line, e error) bool {
		if err = e; e != nil {
			return false
		}
		if at, _, ok := linkOf(l.Text); ok {
			last = at
		}
		if bytes.HasSuffix(l.Text, []byte("\n")) {
			size += int64(len(l.Text))
		} else {
			torn = bytes.Clone(l.Text)
		}
		return true
	})
	return last, size, torn, err
}

// remove removes the files that are too old, but never the last one.
func (w *writer) remove(now time.Time) {
	names, err := w.files()
	if err != nil {
		w.Logger.Warn("old audit files cannot be removed", "error", err)
		return
	}
	for i := 0; i < len(names)-1; i++ {
		next, _ := nameTime(names[i+1]) // all records of this file are older
		if w.MaxAge == 0 || now.Sub(next) <= w.MaxAge {
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
	last, _, _, err := w.lastLine(name)
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
