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

	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/internal/wire"
)

// open creates the directory, locks it, repairs its files and opens the last one.
func (w *writer) open() (err error) {
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	}
	// The file stays: removing it could remove the lock of another program.
	if w.lock, err = os.OpenFile(filepath.Join(w.dir, "audit.lock"), os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.lock.Close()
		}
	}()
	if ok, err := atomicfile.TryLock(w.lock); err != nil || !ok {
		return cmp.Or(err, fmt.Errorf("%s: another program writes here", w.lock.Name()))
	}
	names, err := evidence.Files(w.dir)
	if err != nil {
		return err
	}
	end, err := w.openHead(names)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		err = w.openLast(names[len(names)-1], end)
	} else if w.head.Last.N == 0 {
		err = errors.Join(w.writeHead(), w.headFile.Sync()) // from now on, a trail without a head was tampered with
	}
	if err != nil {
		return err
	}
	if err := w.testify("start"); err != nil {
		return err
	}
	w.remove(time.Now())
	return nil
}

// A repairLine replaces a line that a crash has cut short, or says that the trail was not whole when it was opened, or
// that lines could not be written.
type repairLine struct {
	Time    time.Time `json:"time"`
	Cut     string    `json:"cut,omitempty"`     // the beginning of that line
	Missing string    `json:"missing,omitempty"` // what was not as it was written
	Refused int       `json:"refused,omitempty"` // how many answers were not sent, because they could not be written
}

func (l repairLine) marshal() ([]byte, error) {
	l.Time = time.Now().UTC().Truncate(time.Microsecond)
	return evidence.Marshal(evidence.Repair, l)
}

// maxCut is the length of the part of a half line that is kept.
const maxCut = 64 << 10

// openLast opens the last file, which ends as end says. It
// replaces half a line by a longer line of type repair, so a crash during that leaves half a
// line again.
func (w *writer) openLast(name string, end fileEnd) (err error) {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if n := len(end.half); n > 0 {
		line, err := repairLine{Cut: string(end.half[:min(n, maxCut)])}.marshal()
		if err != nil {
			return err
		}
		line, w.head.Last = w.chain.Seal(nil, line, w.head.Last)
		if _, err := f.WriteAt(line, end.size); err != nil {
			return err
		}
		end.size += int64(len(line))
		if err := errors.Join(f.Truncate(end.size), w.sync(f)); err != nil {
			return err
		}
		w.Logger.Warn("an audit file ended in half a line; a line of type repair is in its place", "file", name, "bytes", n)
	}
	w.file, w.name, w.size = f, name, end.size
	return nil
}

// openHead sets the head, which does not have the last line after a crash, and begins a line of type repair if the
// trail is not whole. It returns the end of the last file.
func (w *writer) openHead(names []string) (end fileEnd, err error) {
	h, headErr := evidence.ReadHead(w.chain, w.dir)
	seen, bad, err := evidence.ReadWitness(w.chain, w.Witness)
	if err != nil {
		return end, err
	}
	end, last, holds, err := w.lastLine(names, headErr == nil)
	switch {
	case err != nil:
		return end, err
	case headErr == nil:
		w.head = h
	case last.N > 0 && !holds, last.N == 0 && h.Sum != "" && h.Keyed != (w.HashKey != nil):
		return end, errKey
	case last.N > 0 || !errors.Is(headErr, fs.ErrNotExist):
		w.head.Last = last
		return end, w.repair(evidence.HeadName + " was missing or changed: lines that were cut off before cannot be found")
	}
	missing := ""
	switch {
	case bad > 0 && len(seen) == 0: // it has seen another trail, and this one would never be whole
		return end, fmt.Errorf("the witness %s: %w: name another one for a new trail", w.Witness, evidence.ErrHead)
	case bad > 0:
		missing = fmt.Sprintf("line %d of the witness was changed", bad)
	}
	by := evidence.HeadName
	for n, sum := range seen {
		if n > w.head.Last.N {
			w.head.Last, by = evidence.Link{N: n, Sum: sum}, "the witness"
		}
	}
	if last.N >= w.head.Last.N {
		w.head.Last = last
	} else { // go on behind the lines that are missing, so that they stay missing
		missing = evidence.Numbers(last.N+1, w.head.Last.N) + " missing, which " + by + " has seen"
	}
	if missing != "" {
		err = w.repair(missing)
	}
	return end, err
}

// lastLine finds the last line of the trail. It returns the end of the last file, that line, and whether a line of
// its file was written with the key of the writer; unless it is known that the trail was, lastLine looks for such a
// line in earlier files.
func (w *writer) lastLine(names []string, known bool) (end fileEnd, last evidence.Link, holds bool, err error) {
	for i, name := range slices.Backward(names) {
		e, err := w.endOf(name)
		if err != nil {
			return end, last, false, err
		}
		if i == len(names)-1 {
			end = e
		}
		if last.N == 0 {
			last = e.last
		}
		if holds = e.holds; last.N > 0 && (holds || known) {
			break
		}
	}
	return end, last, holds, nil
}

// repair begins a line of type repair, which is written before the next record.
func (w *writer) repair(missing string) error {
	w.Logger.Error("the audit trail is not whole; a line of type repair says so", "missing", missing)
	line, err := repairLine{Missing: missing}.marshal()
	w.repairs = append(w.repairs, record{line: line})
	return err
}

// A fileEnd is what the end of a file says.
type fileEnd struct {
	last  evidence.Link // of the last whole line that has one
	time  time.Time     // of that line, if the writer has written it as it stands
	size  int64         // of all whole lines
	half  []byte        // the half line that follows them
	holds bool          // whether a line was written with the key of the writer
}

// endOf reads a file to its end.
func (w *writer) endOf(name string) (end fileEnd, err error) {
	var text []byte // of the last line, if it holds
	for l, err := range evidence.ReadFile(w.dir, name) {
		if err != nil {
			return end, err
		}
		if !bytes.HasSuffix(l.Text, []byte("\n")) {
			end.half = bytes.Clone(l.Text)
			break
		}
		end.size += int64(len(l.Text))
		at, err := w.chain.Open(l.Text)
		if errors.Is(err, evidence.ErrForm) {
			return end, fmt.Errorf("%s: %w, and begin a new trail in another directory", name, err)
		}
		text = text[:0]
		if err == nil {
			end.last = at.Link
			if at.Sum == at.Computed {
				end.holds, text = true, append(text, at.Text...)
			}
		}
	}
	var line struct {
		Screened time.Time `json:"screened_at"`
		Time     time.Time // of a repair
	}
	json.Unmarshal(text, &line)
	if end.time = line.Screened; end.time.IsZero() {
		end.time = line.Time
	}
	return end, nil
}

// remove removes the files that are too old, but never the last one.
func (w *writer) remove(now time.Time) {
	names, err := evidence.Files(w.dir)
	for i := 0; err == nil && i < len(names)-1; i++ {
		next, _ := evidence.FileTime(names[i+1]) // all records of this file are older
		if w.MaxAge == 0 || now.Sub(next) <= w.MaxAge {
			return
		}
		if err = w.forget(names[i], now); err == nil {
			w.Logger.Info("old audit file removed", "file", names[i])
		}
	}
	if err != nil {
		w.Logger.Warn("old audit files cannot be removed", "error", err)
	}
}

// forget removes a file whose last line is too old, and says so in the head before. Its name is not
// trusted: with another one, a file that must be kept would be removed, and the head would say that
// nothing is missing.
func (w *writer) forget(name string, now time.Time) error {
	end, err := w.endOf(name)
	switch {
	case err != nil:
		return err
	case end.size+int64(len(end.half)) == 0: // a crash has left it
		return os.Remove(filepath.Join(w.dir, name))
	case end.time.IsZero() || now.Sub(end.time) <= w.MaxAge:
		return fmt.Errorf("%s: its last line was changed, or is not as old as the name of the next file", name)
	}
	w.head.Removed = end.last
	if err := errors.Join(w.writeHead(), w.headFile.Sync()); err != nil {
		return err
	}
	return os.Remove(filepath.Join(w.dir, name))
}

// testify appends a line to the file of Options.Witness.
func (w *writer) testify(event string) error {
	if w.Witness == "" {
		return nil
	}
	l := evidence.Witness{Time: time.Now().UTC().Truncate(time.Microsecond), Event: event, Link: w.head.Last}
	text, err := wire.JSON(l.Seal(w.chain))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(w.Witness, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// writeHead writes the head. It follows a flush of the lines, so it never says too much.
func (w *writer) writeHead() error {
	w.head.Keyed = w.HashKey != nil
	w.head = w.head.Seal(w.chain)
	text, err := json.Marshal(w.head)
	if err != nil {
		return err
	}
	if w.headFile == nil {
		if w.headFile, err = os.OpenFile(filepath.Join(w.dir, evidence.HeadName), os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
			return err
		}
	}
	text = append(text, bytes.Repeat([]byte(" "), max(evidence.HeadSize-1-len(text), 0))...)
	_, err = w.writeAt(w.headFile, append(text, '\n'), 0)
	return err
}
