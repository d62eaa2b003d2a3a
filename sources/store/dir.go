package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/internal/revision"
)

// A dir is a Store in the directory of that name; see Open.
type dir string

const (
	journalName   = "journal"
	damagedSuffix = ".damaged"

	readBytes = 4 << 20  // of the journal at once
	maxLine   = 64 << 20 // a longer line is damaged
)

// Open returns a [Store] in the directory called name, and creates it if it does not exist.
// It removes incomplete files of programs that were killed. Several programs may use one
// directory at the same time.
//
// Each revision is a file, which begins with lines that people can read. It is written
// to another file, flushed, and renamed, and then the directory is flushed: a program
// that is killed, or a machine that loses its power, leaves the file whole or absent.
// A damaged file is renamed to end with ".damaged". The file "journal" has a line for
// each event. The file "journal.whole" exists unless events were lost.
//
// Checksums find damage, not forgery: a user who can write to the directory can change the
// lists. Only the owner can read and write the directory.
func Open(name string) (Store, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(name); err != nil {
		return nil, err
	}
	atomicfile.Sweep(name) // a leftover does no harm, and the directory may be read-only
	return dir(name), nil
}

// file returns the path of a file, or an error if name is not the name of a revision.
func (d dir) file(ctx context.Context, name string) (string, error) {
	if _, _, _, ok := revision.ParseName(name); !ok && name != revision.WholeName {
		return "", fmt.Errorf("%.200q is not the name of a revision: %w", name, ErrNotFound)
	}
	return filepath.Join(string(d), name), ctx.Err()
}

// missing returns err, as ErrNotFound if it says that a file in the directory does not
// exist.
func (d dir) missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if _, derr := os.Stat(string(d)); derr != nil {
			return derr // the directory is not there
		}
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return full(err)
}

// full returns err, as ErrFull if it says that the disk is full.
func full(err error) error {
	if isFull(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Put implements [Store]. The name must be one of revision.Name, or revision.WholeName.
func (d dir) Put(ctx context.Context, name string, write func(io.Writer) error) error {
	path, err := d.file(ctx, name)
	if err != nil {
		return err
	}
	return full(atomicfile.Write(path, 0o600, func(f *os.File) error {
		if err := write(f); err != nil {
			return err
		}
		return ctx.Err()
	}))
}

// maxBytes is the maximum size of a file.
const maxBytes = 4 << 30

// Open implements [Store].
func (d dir) Open(ctx context.Context, name string) ([]byte, error) {
	path, err := d.file(ctx, name)
	if err != nil {
		return nil, err
	}
	data, err := read(path)
	return data, d.missing(err)
}

// read returns the content of a regular file of at most maxBytes.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe could wait forever
		return nil, fmt.Errorf("%s: want a regular file, found %v", path, info.Mode())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()                       // read only
	if info, err = f.Stat(); err != nil { // it may be another file by now
		return nil, err
	}
	if info.Size() > min(maxBytes, math.MaxInt) {
		return nil, fmt.Errorf("%s: %w: %d bytes, want at most %d", path, ErrDamaged, info.Size(), int64(maxBytes))
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// Names implements [Store]. Files that are not revisions are left out.
func (d dir) Names(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if _, _, _, ok := revision.ParseName(f.Name()); ok {
			names = append(names, f.Name())
		}
	}
	return names, nil
}

// Delete implements [Store].
func (d dir) Delete(ctx context.Context, name string) error {
	path, err := d.file(ctx, name)
	if err != nil {
		return err
	}
	return d.missing(os.Remove(path))
}

// SetAside implements [Store]. The file is renamed to end with ".damaged".
func (d dir) SetAside(ctx context.Context, name string) error {
	path, err := d.file(ctx, name)
	if err != nil {
		return err
	}
	return d.missing(os.Rename(path, path+damagedSuffix))
}

// Append implements [Store].
func (d dir) Append(ctx context.Context, lines []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := filepath.Join(string(d), journalName)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe could wait forever
		return fmt.Errorf("%s: want a regular file, found %v", path, info.Mode())
	}
	created := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return full(err)
	}
	// The line feed comes first, so that a line that was cut short by a kill or by a
	// full disk does not spoil this one.
	_, err = f.Write(append([]byte{'\n'}, lines...))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && created {
		err = atomicfile.SyncDir(string(d))
	}
	return full(err)
}

// Read implements [Store].
func (d dir) Read(ctx context.Context, from int64) (lines []byte, next int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, from, err
	}
	path := filepath.Join(string(d), journalName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(string(d)); err != nil {
			return nil, from, err
		}
		return nil, 0, nil
	}
	if err != nil {
		return nil, from, err
	}
	if !info.Mode().IsRegular() {
		return nil, from, fmt.Errorf("%s: want a regular file, found %v", path, info.Mode())
	}
	if info.Size() == from {
		return nil, from, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, from, err
	}
	defer f.Close() // read only
	if from < 0 || from > info.Size() {
		from = 0 // another journal
	}
	for size := int64(readBytes); ; size *= 2 {
		lines = make([]byte, min(size, info.Size()-from))
		n, err := f.ReadAt(lines, from)
		if err != nil && err != io.EOF {
			return nil, from, err
		}
		lines = lines[:n]
		if end := bytes.LastIndexByte(lines, '\n') + 1; end > 0 {
			return lines[:end], from + int64(end), nil
		}
		switch {
		case n < int(size): // the last line is being written, or was cut short
			return nil, from, nil
		case size >= maxLine:
			return lines, from + int64(n), nil // another program wrote it; the reader skips it
		}
	}
}
