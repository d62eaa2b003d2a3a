// Package store keeps the lists that were accepted in a directory, so that a
// program that starts again can answer before it has reached a network, and
// knows when it saw each entry for the first time.
//
//	dir, err := store.Open("/var/lib/walletscreen/lists", nil)
//	s, err := screening.New(srcs, &screening.Options{Store: dir})
//	_, err = s.Open(ctx) // answers from now on
//
// Each revision of a list is one file, which begins with lines for people, and
// ends with a checksum over all of it; what a file holds is written in package
// listfile of this module. Its name is the id of the source, the time at which
// the list was accepted, and the digest of the list:
//
//	OFAC_SDN-20261121T045729.123456789Z-36c517bd….list
//	OFAC_SDN-20261121T045729.123456789Z-36c517bd….checks
//	OFAC_SDN.checked
//	snapshot-20261121T045731.500000000Z-9a02….json
//
// The others are small. The second says in each line when the revision was seen to
// be the publisher's still, and the third when that was last, of the newest
// revision. The fourth says from which revisions questions were answered since that
// time; it has the digest of the results in its name.
//
// All but the second, to which lines are appended, are written aside, flushed to the
// disk, and renamed, and then the directory is flushed: a program that is killed at
// whatever instant, or a machine that loses its power, leaves the old state or the new
// one. What is not as it was written is renamed to end with ".damaged", and never read
// again; it is there for people to look at, and to delete. But a snapshot stays where
// it is, for its time must not pass for that of another.
//
// A checksum tells what is damaged, not what is forged: whoever can write into
// the directory can change what is on a list. It is made readable and writable by
// its owner alone.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/listfile"
	"github.com/walletscreen/walletscreen/sources"
)

// Options are what [Open] can be told. The zero Options are the defaults.
type Options struct {
	// Keep is how many revisions of a source are kept at least, the newest
	// included. Zero means 30; a negative number means all.
	Keep int
	// KeepFor keeps, besides, each revision that was held within that time. Zero
	// means that no revision is kept for its age.
	KeepFor time.Duration
}

// A Dir is a [sources.Store] in a directory. Several programs may use one
// directory at the same time.
type Dir struct {
	path    string
	keep    int
	keepFor time.Duration
}

var _ sources.Store = (*Dir)(nil)

const (
	listSuffix    = ".list"
	checksSuffix  = ".checks"
	checkedSuffix = ".checked"
	damagedSuffix = ".damaged"
	tempPrefix    = ".new-"

	// stamp is the form of a time in a name: names sort by it.
	stamp = "20060102T150405.000000000Z"

	// orphaned is the age at which a file that was not finished is nobody's.
	orphaned = time.Minute

	// maxSize bounds a file that is read.
	maxSize = 64 << 30
)

// Open opens the directory of that name, and makes it if it is not there. opts may
// be nil. It removes what an earlier program has left unfinished when it was
// killed.
func Open(name string, opts *Options) (*Dir, error) {
	if opts == nil {
		opts = &Options{}
	}
	d := &Dir{path: name, keep: opts.Keep, keepFor: opts.KeepFor}
	if d.keep == 0 {
		d.keep = 30
	}
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), tempPrefix) {
			continue
		}
		// A young one may be in the making, by another program.
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > orphaned {
			os.Remove(d.file(f.Name()))
		}
	}
	return d, nil
}

// file returns the path of the file of that name.
func (d *Dir) file(name string) string { return filepath.Join(d.path, name) }

// Path returns the name of the directory.
func (d *Dir) Path() string { return d.path }

// Save implements [sources.Store]. A list that cannot be read back, because its
// digest is not a SHA-256 in hex for example, is an error.
func (d *Dir) Save(ctx context.Context, l *sources.List) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := l.Info.Validate(); err != nil {
		return err
	}
	if l.Accepted.IsZero() {
		return fmt.Errorf("list of %s: no time at which it was accepted", l.Info.ID)
	}
	s := sources.Stored{Digest: l.Revision.Digest, Accepted: l.Accepted.UTC()}
	h := listfile.Header{ID: l.Info.ID, Name: l.Info.Name, Revision: l.Revision, Accepted: s.Accepted}
	err := d.write(nameOf(l.Info.ID, s, listSuffix), func(w io.Writer) error {
		return listfile.Write(w, h, l.Entries, l.Removed...)
	})
	if err != nil {
		return err
	}
	if _, ok := d.checked(l.Info.ID, s); ok { // saved again, for it was lost
		os.Remove(d.file(l.Info.ID + checkedSuffix))
	}
	d.drop(l.Info.ID)
	return nil
}

// drop removes the revisions of the source that need not be kept. What cannot be
// removed stays.
func (d *Dir) drop(source string) {
	all, err := d.list(source, listSuffix)
	if err != nil || d.keep < 0 {
		return
	}
	dropped := false
	for i := d.keep; i < len(all); i++ {
		// It was held until the next was accepted.
		if d.keepFor > 0 && time.Since(all[i-1].Accepted) <= d.keepFor {
			continue
		}
		os.Remove(d.file(nameOf(source, all[i], listSuffix)))
		os.Remove(d.file(nameOf(source, all[i], checksSuffix)))
		dropped = true
	}
	if dropped {
		d.dropSnapshots()
	}
}

// Confirm implements [sources.Store].
func (d *Dir) Confirm(ctx context.Context, source string, rev sources.Revision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	all, err := d.list(source, listSuffix)
	if err != nil {
		return err
	}
	if len(all) == 0 || all[0].Digest != rev.Digest {
		return fmt.Errorf("confirm %s %.80q: %w", source, rev.Digest, sources.ErrNotStored)
	}
	h := listfile.Header{ID: source, Revision: rev, Accepted: all[0].Accepted}
	if err := d.write(source+checkedSuffix, func(w io.Writer) error { return listfile.Write(w, h, nil) }); err != nil {
		return err
	}
	return d.addCheck(nameOf(source, all[0], checksSuffix), rev.Checked)
}

// Revisions implements [sources.Store]. It reads the directory, and no file.
func (d *Dir) Revisions(ctx context.Context, source string) ([]sources.Stored, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.list(source, listSuffix)
}

// list returns what the names of files say that begin and end so, the newest
// first.
func (d *Dir) list(prefix, suffix string) ([]sources.Stored, error) {
	files, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	var all []sources.Stored
	for _, f := range files {
		if s, ok := parseName(f.Name(), prefix, suffix); ok {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b sources.Stored) int {
		if c := b.Accepted.Compare(a.Accepted); c != 0 {
			return c
		}
		return strings.Compare(a.Digest, b.Digest)
	})
	return all, nil
}

// Load implements [sources.Store]. An error that wraps [sources.ErrDamaged] names
// the file that was set aside.
func (d *Dir) Load(ctx context.Context, source string, s sources.Stored) (*sources.List, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := nameOf(source, s, listSuffix)
	if _, ok := parseName(name, source, listSuffix); !ok {
		return nil, fmt.Errorf("%s of %v: %w", source, s.Accepted, sources.ErrNotStored)
	}
	data, err := d.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s of %v: %w", source, s.Accepted, sources.ErrNotStored)
	}
	if err != nil {
		return nil, err
	}
	l := &sources.List{}
	h, err := listfile.ReadAll(data, func(e sources.Entry) error {
		l.Entries = append(l.Entries, e)
		return ctx.Err()
	}, func(r sources.Removal) error {
		l.Removed = append(l.Removed, r)
		return ctx.Err()
	})
	if err == nil && (h.ID != source || h.Revision.Digest != s.Digest || !h.Accepted.Equal(s.Accepted)) {
		err = fmt.Errorf("%w: it is of %s, accepted at %v", listfile.ErrDamaged, h.ID, h.Accepted)
	}
	if err != nil {
		return nil, d.refuse(name, data, err)
	}
	l.Info = sources.Info{ID: h.ID, Name: h.Name}
	l.Revision, l.Accepted = h.Revision, h.Accepted
	l.Checks = append(d.checks(nameOf(source, s, checksSuffix)), l.Revision.Checked)
	if rev, ok := d.checked(source, s); ok {
		l.Revision = rev
		l.Checks = append(l.Checks, rev.Checked)
	}
	slices.SortFunc(l.Checks, time.Time.Compare)
	l.Checks = slices.Compact(slices.DeleteFunc(l.Checks, time.Time.IsZero))
	return l, nil
}

// checked returns the revision that was confirmed, if that is s.
func (d *Dir) checked(source string, s sources.Stored) (sources.Revision, bool) {
	name := source + checkedSuffix
	data, err := d.read(name)
	if err != nil {
		return sources.Revision{}, false
	}
	h, err := listfile.ReadHeader(data)
	if err == nil && h.ID != source {
		err = fmt.Errorf("%w: it is of %s", listfile.ErrDamaged, h.ID)
	}
	if err != nil {
		// It only says that the list is fresher than it says itself.
		d.refuse(name, data, err)
		return sources.Revision{}, false
	}
	return h.Revision, h.Revision.Digest == s.Digest && h.Accepted.Equal(s.Accepted)
}

// refuse sets the file of that name aside if err, of reading data, says that it is
// damaged, and returns the error to report.
func (d *Dir) refuse(name string, data string, err error) error {
	// The files of versions to come are none of ours, but good.
	unknown := errors.Is(err, listfile.ErrFormat) && strings.HasPrefix(data, listfile.Magic)
	if unknown || !errors.Is(err, listfile.ErrDamaged) && !errors.Is(err, listfile.ErrFormat) {
		return fmt.Errorf("%s: %w", d.file(name), err)
	}
	aside := d.file(name) + damagedSuffix
	if rerr := os.Rename(d.file(name), aside); rerr != nil {
		return fmt.Errorf("%s: %w: %w; it could not be set aside: %w", d.file(name), sources.ErrDamaged, err, rerr)
	}
	return fmt.Errorf("%s: %w: %w; set aside as %s", d.file(name), sources.ErrDamaged, err, filepath.Base(aside))
}

// read returns the bytes of a file.
func (d *Dir) read(name string) (string, error) {
	info, err := os.Stat(d.file(name))
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize { // to open a pipe would be to wait for it
		return "", fmt.Errorf("%s: not a file, or one of more than %d bytes", d.file(name), int64(maxSize))
	}
	f, err := os.Open(d.file(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	b.Grow(int(info.Size()))
	if _, err := io.Copy(&b, io.LimitReader(f, maxSize)); err != nil {
		return "", err
	}
	return b.String(), nil
}

// write makes the file of that name of what fill writes, or leaves it as it is.
func (d *Dir) write(name string, fill func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(d.path, tempPrefix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), d.file(name)); err != nil {
		return err
	}
	return syncDir(d.path)
}

// nameOf returns the name of the file of a revision, or of what belongs to it.
func nameOf(prefix string, s sources.Stored, suffix string) string {
	return prefix + "-" + s.Accepted.UTC().Format(stamp) + "-" + s.Digest + suffix
}

// parseName reads what nameOf returns for the same prefix and suffix, and refuses
// all else.
func parseName(name, prefix, suffix string) (sources.Stored, bool) {
	rest, ok := strings.CutPrefix(name, prefix+"-")
	if !ok || len(rest) != len(stamp)+1+64+len(suffix) {
		return sources.Stored{}, false
	}
	accepted, err := time.Parse(stamp, rest[:len(stamp)])
	s := sources.Stored{Digest: rest[len(stamp)+1 : len(stamp)+1+64], Accepted: accepted}
	if err != nil || strings.Trim(s.Digest, "0123456789abcdef") != "" || nameOf(prefix, s, suffix) != name {
		return sources.Stored{}, false
	}
	return s, true
}
