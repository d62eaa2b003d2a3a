package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/internal/version"
	"github.com/walletscreen/walletscreen/sources"
)

// A Source is a list that is the file that Request names and Parse reads.
type Source struct {
	Of      sources.Info
	Request Request // without validators
	Parse   func(io.Reader, func(sources.Entry) error) (sources.Revision, error)
	Long    bool // the list may have millions of entries

	// Prepare, unless it is nil, completes the request of a Load, or removes validators from prev.
	Prepare func(ctx context.Context, req *Request, prev *sources.Revision) error
}

// New returns the list of that is the file at opts.URL, or at url if that is "". Its errors begin
// with name.
func New(name string, of sources.Info, opts *Options, url string, maxBytes int64, parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)) *Source {
	o := *cmp.Or(opts, &Options{})
	o.URL = cmp.Or(o.URL, url)
	return &Source{Of: of, Parse: parse, Request: Request{Options: o, Name: name, MaxBytes: maxBytes}}
}

// Info returns s.Of.
func (s *Source) Info() sources.Info { return s.Of }

// Load fetches and parses the file. The request is conditional if prev has validators. Load calls
// add only after it has parsed the whole file, so a repeated download adds nothing twice. Of a
// Long list it holds the file, and parses it again to add the entries; of others, the entries.
//
// Load returns [sources.ErrUnchanged], with the current validators, if the server
// confirms the file of prev or Parse returns the digest of prev, and that file had the address of this
// one and was read in the same way. If the digests are equal, the Published of prev stays, which may come
// from elsewhere than Parse.
func (s *Source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (rev sources.Revision, err error) {
	req := s.Request
	defer func() {
		if err != nil && err != sources.ErrUnchanged {
			rev, err = sources.Revision{}, fmt.Errorf("%s: %w", req.Name, err)
		}
	}()
	_, mark, _ := strings.Cut(prev.ETag, markSign)
	if s.Prepare != nil {
		if err := s.Prepare(ctx, &req, &prev); err != nil {
			return rev, err
		}
	}
	isAlike := prev.Digest != "" && mark == req.mark()
	if isAlike {
		req.ETag, _, _ = strings.Cut(prev.ETag, markSign)
		req.LastModified = prev.LastModified
	}
	var entries []sources.Entry
	var file bytes.Buffer
	result, err := Get(ctx, &req, func(body io.Reader) (err error) {
		entries = nil // drop the entries of a download that broke off
		if file.Reset(); s.Long {
			body = io.TeeReader(body, &file)
		}
		rev, err = s.Parse(body, func(e sources.Entry) error {
			if !s.Long {
				entries = append(entries, e)
			}
			return ctx.Err()
		})
		return err
	})
	if err != nil {
		return rev, err
	}
	addNow := func(e sources.Entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return add(e)
	}
	if rev.Digest == prev.Digest {
		rev.Published = prev.Published
	}
	switch {
	case result.NotModified, isAlike && rev.Digest == prev.Digest:
		rev, err = prev, sources.ErrUnchanged
		rev.Checked = time.Time{} // that is, now
	case s.Long:
		_, err = s.Parse(&file, addNow)
	default:
		for i := 0; i < len(entries) && err == nil; i++ {
			err = addNow(entries[i])
		}
	}
	rev.ETag, rev.LastModified = result.ETag+markSign+req.mark(), result.LastModified
	return rev, err
}

// IsHeld reports whether prev is the list of s as s reads it.
func (s *Source) IsHeld(prev sources.Revision) bool {
	_, mark, _ := strings.Cut(prev.ETag, markSign)
	return prev.Digest != "" && mark == s.Request.mark()
}

// markSign stands before the mark of a request, behind an ETag.
const markSign = " of "

// mark stands for what r asks for, and how it is read: a file elsewhere may have the validators of the list
// that is held, and another version of the module may find more in a list that has not changed.
func (r *Request) mark() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.URL, r.As, version.Module()}, "\n")))
	return hex.EncodeToString(sum[:8])
}
