package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/internal/line"
	"github.com/walletscreen/walletscreen/internal/stays"
)

// A dir is a Store in a directory; see Open.
type dir struct{ name string }

const (
	journalName = "journal"
	lockName    = "lock"

	tailBytes = 64 << 10 // of the journal are read first, to find a line at its end
	maxLine   = 64 << 20 // bytes
	maxFile   = 4 << 30  // bytes of a file
)

// Open returns a [Store] in the directory called name, and creates it if it does not exist.
// It removes incomplete files of programs that were killed. Several programs may use one
// directory at the same time, on one machine. The -data directory of the program walletscreen has its store
// in the directory "store" within it: that one must be opened.
//
// A file is written to another one, flushed, and renamed, and then the directory is flushed: a program
// that is killed, or a machine that loses its power, leaves the file whole or absent. The file
// "journal" has a line for each event; it is written under a lock of the file "lock".
//
// Checksums find damage, not forgery: a user who can write to the directory can change the
// lists. Only the owner can read and write the directory. What root writes belongs to the owner of the directory,
// so a command of root locks out no server that runs as another user.
func Open(name string) (Store, error) {
	_, missing := os.Stat(name)
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	if missing != nil {
		atomicfile.Own(name)
	}
	if _, err := os.ReadDir(name); err != nil {
		return nil, err
	}
	has := func(file string) bool { _, err := os.Stat(filepath.Join(name, file)); return err == nil }
	if has("store/"+journalName) && !has(journalName) {
		return nil, fmt.Errorf("%s has a store in %s, as -data of walletscreen: open that", name, filepath.Join(name, "store"))
	}
	atomicfile.Sweep(name) // a leftover does no harm, and the directory may be read-only
	return &dir{name: name}, nil
}

// file returns the path of a file, or an error if name is not the name of one.
func (d *dir) file(ctx context.Context, name string) (string, error) {
	if _, ok := stays.ParseName(name); !ok {
		return "", fmt.Errorf("%.200q is not the name of a file of a list: %w", name, ErrNotFound)
	}
	return filepath.Join(d.name, name), ctx.Err()
}

// missing returns err, as ErrNotFound if it says that a file in the directory does not
// exist.
func (d *dir) missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if _, derr := os.Stat(d.name); derr != nil {
			return derr // the directory is not there
		}
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}

// Put implements [Store].
func (d *dir) Put(ctx context.Context, name string, data []byte) error {
	path, err := d.file(ctx, name)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, 0o600, func(f *os.File) error {
		if _, err := f.Write(data); err != nil {
			return err
		}
		return ctx.Err()
	})
}

// Open implements [Store].
func (d *dir) Open(ctx context.Context, name string) ([]byte, error) {
	path, err := d.file(ctx, name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, d.missing(err)
	case !info.Mode().IsRegular(): // opening a pipe could wait forever
		return nil, fmt.Errorf("%s: want a regular file, found %v", path, info.Mode())
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s: %w: it has more than %d bytes", path, ErrDamaged, int64(maxFile))
	}
	data, err := os.ReadFile(path)
	return data, d.missing(err)
}

// Names implements [Store]. Only files of lists are named.
func (d *dir) Names(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(d.name)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if _, ok := stays.ParseName(f.Name()); ok {
			names = append(names, f.Name())
		}
	}
	return names, nil
}

// Delete implements [Store].
func (d *dir) Delete(ctx context.Context, name string) error {
	path, err := d.file(ctx, name)
	if err != nil {
		return err
	}
	return d.missing(os.Remove(path))
}

// open opens the journal. It is nil if it does not exist and is not to be created.
func (d *dir) open(flag int) (f *os.File, size int64, err error) {
	path := filepath.Join(d.name, journalName)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s: want a regular file, found %v", path, info.Mode())
	case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE == 0:
		_, err := os.Stat(d.name)
		return nil, 0, err
	}
	if f, err = os.OpenFile(path, flag, 0o600); err != nil {
		return nil, 0, err
	}
	if info == nil {
		atomicfile.Own(path)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, end, nil
}

// Append implements [Store].
func (d *dir) Append(ctx context.Context, number uint64, text []byte) (err error) {
	if len(text) > maxLine {
		return fmt.Errorf("line %d of the journal has %d bytes: want at most %d", number, len(text), maxLine)
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	f, size, err := d.open(os.O_APPEND | os.O_CREATE | os.O_RDWR)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	last, _, ended, err := lastLine(f, size, math.MaxUint64)
	switch {
	case err != nil:
		return err
	case number != last+1:
		return fmt.Errorf("line %d of the journal: %w: its last line is %d", number, ErrMoved, last)
	}
	var b []byte
	if !ended { // a line was cut short by a kill or by a full disk
		b = append(b, '\n')
	}
	if _, err = f.Write(append(append(b, text...), '\n')); err == nil {
		err = f.Sync()
	}
	if err == nil && size == 0 {
		err = atomicfile.SyncDir(d.name)
	}
	return err
}

// lastLine returns the last line of a journal of a size that is not damaged and whose number is at most the given one: its number,
// and where it begins; 0 if there is none. It reports whether the journal ends with a line feed.
func lastLine(f *os.File, size int64, most uint64) (number uint64, offset int64, ended bool, err error) {
	ended = size == 0
	var buf []byte
	end, n := size, int64(tailBytes) // from end on there is no such line; n is how many bytes before are looked at
	for end > 0 {
		n = min(n, end)
		buf = slices.Grow(buf[:0], int(n))
		tail := buf[:n]
		if _, err := f.ReadAt(tail, end-n); err != nil && err != io.EOF {
			return 0, 0, false, err
		}
		if end == size {
			ended = tail[n-1] == '\n'
		}
		first := 0
		if n < end { // the first line may have begun before
			first = bytes.IndexByte(tail[:n-1], '\n') + 1
		}
		for len(tail) > first && (first > 0 || n == end) {
			at := bytes.LastIndexByte(tail[:len(tail)-1], '\n') + 1
			if l, ok := line.Parse(tail[at:]); ok && l.Seq <= most {
				return l.Seq, end - n + int64(at), ended, nil
			}
			tail = tail[:at]
		}
		switch {
		case first > 0:
			end, n = end-n+int64(first), tailBytes
		case n == end || n > maxLine+1: // no line is so long
			end, n = end-n, tailBytes
		default:
			n = min(4*n, maxLine+2)
		}
	}
	return 0, 0, ended, nil
}

// lock waits until no other program has the lock of the directory.
func (d *dir) lock(ctx context.Context) (unlock func(), err error) {
	path := filepath.Join(d.name, lockName)
	_, missing := os.Stat(path)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if missing != nil { // otherwise it belongs to a user already
		atomicfile.Own(path)
	}
	for {
		ok, err := atomicfile.TryLock(f)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && ok {
			return func() { f.Close() }, nil
		}
		if err == nil {
			select {
			case <-ctx.Done():
				err = fmt.Errorf("another program has the lock of %s: %w", d.name, ctx.Err())
			case <-time.After(2 * time.Millisecond):
				continue
			}
		}
		f.Close()
		return nil, err
	}
}

// Read implements [Store].
func (d *dir) Read(ctx context.Context, from uint64, each func(line []byte) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, size, err := d.open(os.O_RDONLY)
	if f == nil || err != nil {
		return err
	}
	defer f.Close()
	offset := int64(0)
	if from > 0 {
		if _, offset, _, err = lastLine(f, size, from); err != nil {
			return err
		}
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, offset, size-offset), tailBytes)
	for text := []byte(nil); ctx.Err() == nil; {
		part, err := r.ReadSlice('\n')
		if len(text) <= maxLine { // the rest of a damaged line does not matter
			text = append(text, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		if len(text) > 1 {
			if err := each(text); err != nil {
				return err
			}
		}
		if err == io.EOF {
			break
		}
		text = nil // each may keep it
	}
	return ctx.Err()
}
