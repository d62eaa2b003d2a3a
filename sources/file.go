package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"
)

// File returns the list in the file called name, as parse reads it: a Parse function of
// the packages below this one, or one of the caller's. For a published list, info is the
// Info of the package's source:
//
//	src := sources.File(ofac.New(nil).Info(), "sdn_advanced.xml", ofac.Parse)
//
// A file does not say that the publisher still lists the same. So the Checked of a published
// list is its Published, or the file's modification time if the list has no date; and its
// entries are seen first at that modification time. A list of the operator's own, of
// jurisdiction Operator, is confirmed by each Load.
//
// With a short Schedule.Every in the options of package screening, the file is watched. A
// Load does not read a file whose size and time are as when this program read it,
// unless it was written within the last three seconds.
//
// parse must read its argument to the end of the list, and return an error if that is not
// the whole list. File replaces the Digest of its Revision by the digest of the file, and
// the ETag by a tag of the file's size and time.
//
// To change the list, write a new file beside it and rename it. A file that changes while
// it is read is an error, and the next Load reads it again. A file that is half written is
// detected only if its format has an end mark; see Revision.OpenEnded.
func File(info Info, name string, parse func(r io.Reader, add func(Entry) error) (Revision, error)) Source {
	return &file{info, name, parse}
}

type file struct {
	info  Info
	name  string
	parse func(io.Reader, func(Entry) error) (Revision, error)
}

// settled is the age from which a file's size and time stand for its bytes. A younger file
// may be written again within the same tick of the file system's clock, which on some
// systems is two seconds.
const settled = 3 * time.Second

func (f *file) Info() Info { return f.info }

func (f *file) Load(ctx context.Context, prev Revision, add func(Entry) error) (Revision, error) {
	if err := ctx.Err(); err != nil {
		return Revision{}, err
	}
	// Stat comes first: opening a pipe may block forever.
	before, err := regular(os.Stat(f.name))
	if err != nil {
		return Revision{}, err
	}
	if tag := tagOf(before); tag != "" && tag == prev.ETag && prev.Digest != "" {
		prev.Checked = f.checked(prev, before)
		return prev, ErrUnchanged
	}
	r, err := os.Open(f.name)
	if err != nil {
		return Revision{}, err
	}
	defer r.Close()
	if before, err = regular(r.Stat()); err != nil {
		return Revision{}, err
	}
	in := &hashed{ctx: ctx, r: r, sum: sha256.New(), progress: Progress(ctx), size: before.Size()}
	var refused error
	rev, err := f.parse(in, func(e Entry) error {
		if refused == nil {
			refused = ctx.Err()
		}
		if e.FirstSeen.IsZero() && f.info.Jurisdiction != Operator {
			e.FirstSeen = before.ModTime().UTC()
		}
		if refused == nil {
			refused = add(e)
		}
		return refused
	})
	if refused != nil && !errors.Is(err, refused) {
		err = errors.Join(refused, err)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in) // a parser may stop early
	}
	if err != nil {
		return Revision{}, fmt.Errorf("%s: %w", f.name, err)
	}
	if now, err := r.Stat(); err != nil || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
		return Revision{}, fmt.Errorf("%s: changed while it was read", f.name)
	}
	rev.Digest, rev.ETag, rev.LastModified = hex.EncodeToString(in.sum.Sum(nil)), tagOf(before), ""
	rev.Checked = f.checked(rev, before)
	return rev, nil
}

// checked returns when the publisher confirmed the list, zero for now.
func (f *file) checked(rev Revision, info os.FileInfo) time.Time {
	switch {
	case f.info.Jurisdiction == Operator:
		return time.Time{}
	case !rev.Published.IsZero():
		return rev.Published
	}
	return info.ModTime().UTC()
}

// regular returns an error if info does not describe a regular file.
func regular(info os.FileInfo, err error) (os.FileInfo, error) {
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", info.Name())
	}
	return info, err
}

// tagOf returns a tag that stands for the bytes of a file, or "" if the file is too young.
func tagOf(info os.FileInfo) string {
	if age := time.Since(info.ModTime()); age < settled {
		return ""
	}
	return fmt.Sprintf("%d %d %d", info.Size(), info.ModTime().UnixNano(), started)
}

// started is in tags because they hold for one program only: the files in container images often have
// one time, so the file of the next image may have the size and time of this one.
var started = time.Now().UnixNano()

// hashed reads from r until ctx ends, and hashes the bytes.
type hashed struct {
	ctx context.Context
	r   io.Reader
	sum hash.Hash

	progress   func(read, total int64)
	read, size int64
}

func (h *hashed) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := h.r.Read(p)
	h.sum.Write(p[:n])
	if h.read += int64(n); n > 0 {
		h.progress(h.read, h.size)
	}
	return n, err
}
