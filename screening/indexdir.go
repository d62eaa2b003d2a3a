package screening

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

const (
	// orphaned is the age at which a file that no manifest names is nobody's: a young
	// one may be in the making.
	orphaned = 10 * time.Minute
	// maxManifest bounds a manifest that is read, and maxRepeated the file of the
	// repeated entries.
	maxManifest = 16 << 20
	maxRepeated = 4 << 30
)

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
	if err == nil && l.segment.index.Len() <= maxShared && (l.removed == nil || l.removed.index.Len() <= maxShared) {
		*l, err = d.verify(*l) // it takes a few milliseconds
	}
	return l, err
}

func (d *indexDir) openSegment(source string, k *keptSegment) (*segment, error) {
	start := time.Now()
	name := d.file(source, k.Index, indexSuffix)
	ix, err := d.openIndex(name, k.Index)
	if err != nil {
		return nil, err
	}
	if err := ix.VerifyDigest(); err != nil { // or a listed address might be clean
		err = fmt.Errorf("%s: %w", name, err)
		return nil, err
	}
	built := time.Now()
	return &segment{index: ix, facts: k.facts, accountsOnly: d.accountsOnly, built: built, took: built.Sub(start)}, nil
}

// openIndex opens an index that has the given digest.
func (d *indexDir) openIndex(name, digest string) (*index.Index, error) {
	ix, err := index.Open(name)
	if err != nil {
		return nil, err
	}
	if has := ix.Digest(); hex.EncodeToString(has[:]) != digest {
		return nil, fmt.Errorf("%s: %w: it is another one", name, index.ErrDamaged)
	}
	return ix, nil
}

// verify checks all of l, a list that was opened, and returns it with the entries that
// are repeated.
func (d *indexDir) verify(l list) (list, error) {
	m := l.unverified
	if m == nil {
		return l, nil
	}
	err := l.segment.index.Verify()
	if err == nil && l.removed != nil {
		err = l.removed.index.Verify()
	}
	if err == nil && m.Repeated != "" {
		l.repeated, err = d.readRepeated(m.Source, m.Repeated)
	}
	l.unverified = nil
	return l, err
}

// The names of the files end so.
const (
	manifestSuffix = ".json"
	accountsSuffix = ".accounts.json" // of a manifest with Options.NoKeyMatch
	indexSuffix    = ".index"
	repeatedSuffix = ".repeated"
	tempPrefix     = ".new-"
)

func (d *indexDir) manifestName(source string) string {
	suffix := manifestSuffix
	if d.accountsOnly {
		suffix = accountsSuffix
	}
	return filepath.Join(d.path, source+suffix)
}

// file returns the name of a file that has the given digest.
func (d *indexDir) file(source, digest, suffix string) string {
	return filepath.Join(d.path, filepath.Base(source+"-"+digest+suffix))
}

// read returns the bytes of a file.
func read(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would be to wait for it
		return nil, fmt.Errorf("%s: %w: no file", name, index.ErrDamaged)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: %w: more than %d bytes", name, index.ErrDamaged, most)
	}
	return data, err
}

func (d *indexDir) readRepeated(source, digest string) ([]sources.Entry, error) {
	name := d.file(source, digest, repeatedSuffix)
	data, err := read(name, maxRepeated)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	var kept []keptEntry
	if hex.EncodeToString(sum[:]) != digest || json.Unmarshal(data, &kept) != nil {
		return nil, fmt.Errorf("%s: %w", name, index.ErrDamaged)
	}
	entries := make([]sources.Entry, len(kept))
	for i, k := range kept {
		entries[i] = k.entry()
	}
	return entries, nil
}

// keep writes l, a list of the given source that the Store has, and returns it with
// the indexes in the files. What the directory has already is not written again.
func (d *indexDir) keep(source string, l list) (list, error) {
	err := os.MkdirAll(d.path, 0o700)
	var segment, removed *segment
	var repeated string
	if err == nil {
		segment, err = d.keepSegment(source, l.segment, !l.indexed.IsZero())
	}
	if err == nil && l.removed != nil {
		removed, err = d.keepSegment(source, l.removed, !l.indexed.IsZero())
	}
	if err == nil && len(l.repeated) > 0 {
		repeated, err = d.keepRepeated(source, l.repeated, !l.indexed.IsZero())
	}
	if err == nil {
		err = d.writeManifest(d.manifestOf(source, &l, repeated))
	}
	if err != nil {
		return l, err
	}
	l.segment, l.removed, l.indexed = segment, removed, l.confirmed
	d.sweep(source)
	return l, nil
}

// keepSegment returns seg with an index that was read from its file, of which all was
// checked. It may be there already, and mapped says that seg has been read from it.
func (d *indexDir) keepSegment(source string, seg *segment, mapped bool) (*segment, error) {
	sum := seg.index.Digest()
	digest := hex.EncodeToString(sum[:])
	name := d.file(source, digest, indexSuffix)
	now := time.Now()
	there := os.Chtimes(name, now, now) == nil // lest it be swept
	if there && mapped {
		return seg, nil
	}
	verified := func() (*segment, error) {
		ix, err := d.openIndex(name, digest)
		if err == nil {
			err = ix.Verify()
		}
		return &segment{index: ix, facts: seg.facts, accountsOnly: seg.accountsOnly, built: seg.built, took: seg.took}, err
	}
	if there {
		if seg, err := verified(); err == nil {
			return seg, nil
		}
	}
	if err := d.write(name, seg.index); err != nil {
		return nil, err
	}
	return verified()
}

// keepRepeated writes entries, and returns the digest of their file. It may be there
// already, if read says that they have been read from it.
func (d *indexDir) keepRepeated(source string, entries []sources.Entry, read bool) (digest string, err error) {
	kept := make([]keptEntry, len(entries))
	for i, e := range entries {
		kept[i] = keepEntry(e)
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	digest = hex.EncodeToString(sum[:])
	name := d.file(source, digest, repeatedSuffix)
	now := time.Now()
	if read && os.Chtimes(name, now, now) == nil {
		return digest, nil
	}
	return digest, d.write(name, bytes.NewReader(data))
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
			for _, name := range m.files(d) {
				named[filepath.Base(name)] = true
			}
		}
	}
	files, err := os.ReadDir(d.path)
	if err != nil {
		return
	}
	for _, f := range files {
		name := f.Name()
		ours := strings.HasPrefix(name, source+"-") && (strings.HasSuffix(name, indexSuffix) || strings.HasSuffix(name, repeatedSuffix)) ||
			strings.HasPrefix(name, tempPrefix)
		if info, err := f.Info(); ours && !named[name] && err == nil && time.Since(info.ModTime()) > orphaned {
			os.Remove(filepath.Join(d.path, name))
		}
	}
}

// openIndex returns the list of source i out of Options.IndexDir, nil if there is none
// that is the newest in the store and may be held.
func (s *Screener) openIndex(ctx context.Context, i int) *list {
	if s.indexes == nil || s.distrusted[i] {
		return nil
	}
	id := s.infos[i].ID
	start := time.Now()
	names, err := s.store.Revisions(ctx, id)
	if err != nil || len(names) == 0 {
		return nil
	}
	l, err := s.indexes.open(id, names[0])
	if err == nil {
		for _, k := range l.segment.Kinds {
			err = cmp.Or(err, s.check(s.infos[i], sources.Entry{Listed: id, Kind: k}))
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errOutdated):
		s.log.InfoContext(ctx, "index not usable, the list is read from the store", "source", id, "error", err)
		return nil
	case err != nil:
		s.log.ErrorContext(ctx, "index not usable, the list is read from the store", "source", id, "error", err)
		return nil
	}
	l.isFrom(names[0].Accepted, l.indexed)
	s.log.InfoContext(ctx, "list opened from its index", "source", id, "entries", l.count,
		"last_updated", l.updated, "digest", l.revision.Digest, "took", time.Since(start))
	return l
}

// verify checks the whole of l, the list of source i, if it was opened out of
// Options.IndexDir and that was not done yet. If it is damaged, verify returns the list
// that the store has.
func (s *Screener) verify(ctx context.Context, i int, l list) list {
	if l.unverified == nil {
		return l
	}
	files := l.unverified.files(s.indexes)
	whole, err := s.indexes.verify(l)
	if err == nil {
		return whole
	}
	s.log.ErrorContext(ctx, "index is damaged, the list is read from the store", "source", s.infos[i].ID, "error", err)
	for _, name := range files {
		os.Remove(name)
	}
	s.distrusted[i], s.restored[i] = true, false
	return s.restoreStored(ctx, i, list{err: l.err})
}

// shared returns the list of source i that another program has accepted, saved and kept
// in Options.IndexDir meanwhile, if it is the same as next, which was loaded and accepted
// in the place of had, too: so the memory of next is given back, and the store has the list
// once. Otherwise it returns next.
func (s *Screener) shared(ctx context.Context, i int, had, next list) list {
	if s.indexes == nil || !s.restored[i] || had.segment != nil && !had.stored {
		return next
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	id := s.infos[i].ID
	names, err := s.store.Revisions(ctx, id)
	if err != nil || len(names) == 0 || names[0].Digest != next.revision.Digest || !names[0].Accepted.After(had.accepted) {
		return next
	}
	l, err := s.indexes.open(id, names[0])
	if err == nil && had.segment != nil && l.before != next.before {
		return next // it may know less of the past than had does
	}
	if err != nil || l.segment.Digest != next.segment.Digest || l.count != next.count || l.indexed.Partial != next.revision.Partial {
		return next
	}
	other, err := s.indexes.verify(*l)
	if err != nil {
		return next
	}
	other.isFrom(names[0].Accepted, other.indexed)
	other.revision, other.storeErr = next.revision, next.storeErr
	if next.updated.After(other.updated) {
		other.updated = next.updated
	}
	return other
}

// index keeps l, the list of source i, in Options.IndexDir if that does not have it as
// the store does, and returns it as it is to be held from now on.
func (s *Screener) index(ctx context.Context, i int, l list) list {
	if s.indexes == nil || !l.stored || l.unverified != nil || l.indexed == l.confirmed {
		return l
	}
	id := s.infos[i].ID
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	names, err := s.store.Revisions(ctx, id)
	if err == nil && (len(names) == 0 || names[0].Digest != l.revision.Digest || !names[0].Accepted.Equal(l.accepted)) {
		return l // another program has saved a newer one, and keeps that
	}
	wasKept := !l.indexed.IsZero()
	if err == nil {
		l, err = s.indexes.keep(id, l)
	}
	if err != nil {
		s.log.WarnContext(ctx, "index not kept, the next start will take longer", "source", id, "error", err)
	} else if !wasKept {
		s.log.InfoContext(ctx, "index kept", "source", id, "bytes", l.segment.index.Size(), "took", time.Since(start))
	}
	return l
}
