package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/evidence"
)

// dayOver reports whether the day on which the file was begun is over. If the clock was
// set back, it is not.
func dayOver(name string, now time.Time) bool {
	begun, _ := evidence.FileTime(name)
	return now.Truncate(24 * time.Hour).After(begun)
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
	names, err := evidence.Files(w.dir)
	if err != nil {
		return err
	}
	size, half, err := w.openHead(names)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		if err := w.openLast(names[len(names)-1], size, half); err != nil {
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

// openLast opens the last file, which has whole lines of a size and then half a line, if any. It
// replaces half a line by a longer line of type repair, so a crash during that leaves half a
// line again.
func (w *writer) openLast(name string, size int64, half []byte) (err error) {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if len(half) > 0 {
		line, err := repairLine{Cut: string(half[:min(len(half), maxCut)])}.marshal()
		if err != nil {
			return err
		}
		line, w.last = w.chain.Seal(nil, line, w.last)
		if _, err := f.WriteAt(line, size); err != nil {
			return err
		}
		size += int64(len(line))
		if err := errors.Join(f.Truncate(size), w.sync(f)); err != nil {
			return err
		}
		w.Logger.Warn("an audit file ended in half a line; a line of type repair is in its place", "file", name, "bytes", len(half))
	}
	w.file, w.name, w.size, w.flushed = f, name, size, size
	return nil
}

// openHead finds the last line of the trail, which the head does not have after a crash. It
// returns the size of the whole lines of the last file, and the half line that follows them.
func (w *writer) openHead(names []string) (size int64, half []byte, err error) {
	h, headErr := evidence.ReadHead(w.chain, w.dir)
	seen, bad, err := evidence.ReadWitness(w.chain, w.Witness)
	if err != nil {
		return 0, nil, err
	}
	fits := false
	for i, name := range slices.Backward(names) {
		end, err := w.endOf(name)
		if err != nil {
			return 0, nil, err
		}
		if i == len(names)-1 {
			size, half = end.size, end.half
		}
		if w.last.N == 0 {
			w.last = end.last
		}
		if fits = end.holds; w.last.N > 0 && (fits || headErr == nil) {
			break
		}
	}
	if headErr != nil && (w.last.N > 0 || !errors.Is(headErr, fs.ErrNotExist)) {
		if w.last.N > 0 && !fits || w.last.N == 0 && h.Sum != "" && h.Keyed != (w.HashKey != nil) {
			return 0, nil, errKey
		}
		return size, half, w.repair(fmt.Sprintf("%s was missing or changed: lines that were cut off before cannot be found", evidence.HeadName))
	}
	if bad > 0 && len(seen) == 0 { // it has seen another trail, and this one would never be whole
		return 0, nil, fmt.Errorf("the witness %s: %w: name another one for a new trail", w.Witness, evidence.ErrHead)
	}
	if headErr == nil {
		w.head = h
	}
	return size, half, w.repairEnd(seen, bad)
}

// repairEnd goes on behind lines that are missing at the end and that the head or the witness has, so that they stay
// missing. seen and bad are what [evidence.ReadWitness] returns.
func (w *writer) repairEnd(seen map[int64]string, bad int) error {
	end, by := w.head.Last, evidence.HeadName
	for n, sum := range seen {
		if n > end.N {
			end, by = evidence.Link{N: n, Sum: sum}, "the witness"
		}
	}
	switch {
	case w.last.N < end.N:
		missing := evidence.Numbers(w.last.N+1, end.N) + " missing, which " + by + " has seen"
		w.last = end
		return w.repair(missing)
	case bad > 0:
		return w.repair(fmt.Sprintf("line %d of the witness was changed", bad))
	}
	return nil
}

// repair writes a line of type repair before the next record.
func (w *writer) repair(missing string) error {
	w.Logger.Error("the audit trail is not whole; a line of type repair says so", "missing", missing)
	line, err := repairLine{Missing: missing}.marshal()
	w.pending = append(w.pending, &record{line: line})
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
	evidence.ReadFile(w.dir, name, func(l evidence.TrailLine, e error) bool {
		if err = e; e != nil {
			return false
		}
		if !bytes.HasSuffix(l.Text, []byte("\n")) {
			end.half = bytes.Clone(l.Text)
			return true
		}
		end.size += int64(len(l.Text))
		at, e := w.chain.Open(l.Text)
		if errors.Is(e, evidence.ErrForm) {
			err = fmt.Errorf("%s: %w, and begin a new trail in another directory", name, e)
			return false
		}
		text = text[:0]
		if e == nil {
			end.last = at.Link
			if at.Sum == at.Computed {
				end.holds, text = true, append(text, at.Text...)
			}
		}
		return true
	})
	var line struct {
		Screened time.Time `json:"screened_at"`
		Time     time.Time // of a repair
	}
	json.Unmarshal(text, &line)
	if end.time = line.Screened; end.time.IsZero() {
		end.time = line.Time
	}
	return end, err
}

// remove removes the files that are too old, but never the last one.
func (w *writer) remove(now time.Time) {
	names, err := evidence.Files(w.dir)
	if err != nil {
		w.Logger.Warn("old audit files cannot be removed", "error", err)
		return
	}
	for i := 0; i < len(names)-1; i++ {
		next, _ := evidence.FileTime(names[i+1]) // all records of this file are older
		if w.MaxAge == 0 || now.Sub(next) <= w.MaxAge {
			return
		}
		if err := w.forget(names[i], now); err != nil {
			w.Logger.Warn("old audit file cannot be removed", "file", names[i], "error", err)
			return
		}
		w.Logger.Info("old audit file removed", "file", names[i])
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
		return errors.New("its last line was changed, or is not as old as the name of the next file")
	}
	w.head.Removed = end.last
	if err := w.writeHead(); err != nil {
		return err
	}
	if err := w.headFile.Sync(); err != nil {
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
	text, err := evidence.JSON(l.Seal(w.chain))
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
	_, err = w.headFile.WriteAt(append(text, '\n'), 0)
	return err
}
