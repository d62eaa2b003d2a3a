package screening

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

// orphaned is the age at which a file that no manifest names is nobody's: a young one
// may be in the making.
const orphaned = 10 * time.Minute

// An indexDir keeps lists as they are answered from in a directory; see
// Options.IndexDir. The Store has them, too, so whatever is wrong with a file, it is
// as if it were not there.
//
// A file is named by its digest, and never changed. A manifest of a source is
// replaced, and names the files of the list that it is about.
type indexDir struct {
	path         string
	accountsOnly bool   // as in segment; manifests of both can be in one directory
	program      string // the version of this module, as far as it is known
}

func newIndexDir(path string, accountsOnly bool) *indexDir {
	return &indexDir{path, accountsOnly, moduleVersion()}
}

// The names of the files end so.
const (
	manifestSuffix = ".json"
	accountsSuffix = ".accounts.json" // of a manifest with Options.NoKeyMatch
	indexSuffix    = ".index"
	tempPrefix     = ".new-"
)

func (d *indexDir) manifestName(source string) string {
	suffix := manifestSuffix
	if d.accountsOnly {
		suffix = accountsSuffix
	}
	return filepath.Join(d.path, source+suffix)
}

// indexName returns the name of the file that k is about.
func (d *indexDir) indexName(source string, k *keptSegment) string {
	return filepath.Join(d.path, filepath.Base(source+"-"+k.Index+indexSuffix))
}

// open opens the list of a source that is wanted. The error wraps fs.ErrNotExist if
// it is not there, errOutdated if another version has written it, and
// index.ErrDamaged if it is damaged.
func (d *indexDir) open(source string, want sources.Stored) (*list, error) {
	m, err := readManifest(d.manifestName(source))
	if err == nil {
		err = d.check(m, source, want)
	}
	if err != nil {
		return nil, err
	}
	l := m.list()
	if l.segment, err = d.openSegment(source, &m.Segment); err == nil && m.Removed != nil {
		l.removed, err = d.openSegment(source, m.Removed)
	}
	return l, err
}

// openSegment opens the file of a segment, and reads all of it to see that it is what was
// built: a listed address might be clean otherwise.
func (d *indexDir) openSegment(source string, k *keptSegment) (*segment, error) {
	start := time.Now()
	name := d.indexName(source, k)
	ix, err := index.Open(name)
	if err != nil {
		return nil, err
	}
	if has := ix.Digest(); hex.EncodeToString(has[:]) != k.Index {
		return nil, fmt.Errorf("%s: %w: it is another one", name, index.ErrDamaged)
	}
	if err := ix.VerifyDigest(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	built := time.Now()
	return &segment{index: ix, facts: k.facts, accountsOnly: d.accountsOnly, mapped: true, built: built, took: built.Sub(start)}, nil
}

// keep writes l, a list of the given source that the Store has, and returns it with
// the indexes in the files. What the directory has already is not written again.
func (d *indexDir) keep(source string, l list) (list, error) {
	err := os.MkdirAll(d.path, 0o700)
	next := l
	if err == nil {
		next.segment, err = d.keepSegment(source, l.segment)
	}
	if err == nil && l.removed != nil {
		next.removed, err = d.keepSegment(source, l.removed)
	}
	if err == nil {
		err = d.writeManifest(d.manifestOf(source, &l))
	}
	if err != nil {
		return l, err
	}
	next.indexed = l.confirmed
	d.sweep(source)
	return next, nil
}

// keepSegment returns seg with an index that is mapped from its file, which may be
// there already.
func (d *indexDir) keepSegment(source string, seg *segment) (*segment, error) {
	k := kept(seg)
	name := d.indexName(source, k)
	if touch(name) && seg.mapped {
		return seg, nil
	}
	mapped, err := d.openSegment(source, k)
	if err != nil {
		if err = d.write(name, seg.index); err == nil {
			mapped, err = d.openSegment(source, k)
		}
	}
	if err != nil {
		return nil, err
	}
	mapped.built, mapped.took = seg.built, seg.took
	return mapped, nil
}

// touch reports whether there is a file of that name, which is not swept then.
func touch(name string) bool {
	now := time.Now()
	return os.Chtimes(name, now, now) == nil
}

// write makes the file of that name of what from writes, or leaves it as it is.
func (d *indexDir) write(name string, from io.WriterTo) error {
	f, err := os.CreateTemp(d.path, tempPrefix)
	if err != nil {
		return err
	}
	_, err = from.WriteTo(f)
	if err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name()) // the first error tells more
	}
	return err
}

// sweep removes the old files of a source that no manifest names, and those that were
// never finished. What cannot be removed stays until the next time.
func (d *indexDir) sweep(source string) {
	named := make(map[string]bool)
	for _, suffix := range []string{manifestSuffix, accountsSuffix} {
		if m, err := readManifest(filepath.Join(d.path, source+suffix)); err == nil {
			for _, k := range m.segments() {
				named[filepath.Base(d.indexName(source, k))] = true
			}
		}
	}
	files, err := os.ReadDir(d.path)
	if err != nil {
		return
	}
	for _, f := range files {
		name := f.Name()
		ours := strings.HasPrefix(name, source+"-") && strings.HasSuffix(name, indexSuffix) || strings.HasPrefix(name, tempPrefix)
		if info, err := f.Info(); ours && !named[name] && err == nil && time.Since(info.ModTime()) > orphaned {
			os.Remove(filepath.Join(d.path, name))
		}
	}
}

// openIndex returns the list of source i out of Options.IndexDir, nil if the one that is
// wanted is not there or may not be held.
func (s *Screener) openIndex(ctx context.Context, i int, want sources.Stored) *list {
	if s.indexes == nil {
		return nil
	}
	id := s.infos[i].ID
	l, err := s.indexes.open(id, want)
	if err == nil {
		for _, k := range l.segment.Kinds {
			err = cmp.Or(err, s.check(s.infos[i], sources.Entry{Listed: id, Kind: k}))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		level := slog.LevelError
		if errors.Is(err, errOutdated) {
			level = slog.LevelInfo
		}
		s.log.Log(ctx, level, "index not usable, the list is read from the store", "source", id, "error", err)
		return nil
	}
	l.isFrom(want.Accepted, l.indexed)
	return l
}

// shared returns the list of source i that another program has accepted, saved and kept
// in Options.IndexDir meanwhile, if it is the same as next, which was loaded and accepted
// in the place of had, too: so the memory of next is given back, and the store has the list
// once. Otherwise it returns next.
func (s *Screener) shared(ctx context.Context, i int, had, next list) list {
	if s.indexes == nil || !s.restored[i] || had.segment != nil && !had.stored {
		return next
	}
	newest, err := s.newest(ctx, i)
	if err != nil || newest.Digest != next.revision.Digest || !newest.Accepted.After(had.accepted) {
		return next
	}
	other, err := s.indexes.open(s.infos[i].ID, newest)
	switch {
	case err != nil, other.segment.Digest != next.segment.Digest, other.count != next.count, other.indexed.Completeness != next.revision.Completeness:
		return next
	case had.segment != nil && other.before != next.before: // it may know less of the past than had does
		return next
	}
	other.isFrom(newest.Accepted, other.indexed)
	other.revision, other.storeErr = next.revision, next.storeErr
	if next.updated.After(other.updated) {
		other.updated = next.updated
	}
	return *other
}

// index keeps l, the list of source i, in Options.IndexDir if that does not have it as
// the store does, and returns it as it is to be held from now on.
func (s *Screener) index(ctx context.Context, i int, l list) list {
	if s.indexes == nil || !l.stored || l.indexed == l.confirmed {
		return l
	}
	id := s.infos[i].ID
	start := time.Now()
	newest, err := s.newest(context.WithoutCancel(ctx), i)
	if err == nil && (newest.Digest != l.revision.Digest || !newest.Accepted.Equal(l.accepted)) {
		return l // another program has saved a newer one, and keeps that
	}
	wasMapped := l.segment.mapped
	if err == nil {
		l, err = s.indexes.keep(id, l)
	}
	if err != nil {
		s.log.WarnContext(ctx, "index not kept, the next start will take longer", "source", id, "error", err)
	} else if !wasMapped {
		s.log.InfoContext(ctx, "index kept", "source", id, "bytes", l.segment.index.Size(), "took", time.Since(start))
	}
	return l
}

// newest returns the newest revision of source i in the store, zero if there is none.
func (s *Screener) newest(ctx context.Context, i int) (sources.Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	names, err := s.store.Revisions(ctx, s.infos[i].ID)
	if err != nil || len(names) == 0 {
		return sources.Stored{}, err
	}
	return names[0], nil
}
