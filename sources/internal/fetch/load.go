package fetch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

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
// confirms the file of prev or Parse returns the digest of prev. It then keeps the
// Published of prev, which may come from elsewhere than Parse.
func (s *Source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (rev sources.Revision, err error) {
	req := s.Request
	defer func() {
		if err != nil && err != sources.ErrUnchanged {
			rev, err = sources.Revision{}, fmt.Errorf("%s: %w", req.Name, err)
		}
	}()
	if s.Prepare != nil {
		if err := s.Prepare(ctx, &req, &prev); err != nil {
			return rev, err
		}
	}
	etag, as, _ := strings.Cut(prev.ETag, asMark)
	if as != req.As {
		prev = sources.Revision{}
	}
	if prev.Digest != "" {
		req.ETag, req.LastModified = etag, prev.LastModified
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
	switch {
	case result.NotModified || rev.Digest == prev.Digest:
		rev, err = prev, sources.ErrUnchanged
		rev.Checked = time.Time{} // that is, now
	case s.Long:
		_, err = s.Parse(&file, addNow)
	default:
		for i := 0; i < len(entries) && err == nil; i++ {
			err = addNow(entries[i])
		}
	}
	if rev.ETag, rev.LastModified = result.ETag, result.LastModified; req.As != "" {
		rev.ETag += asMark + req.As
	}
	return rev, err
}

// asMark stands before Request.As behind an ETag, which has no blanks.
const asMark = " as "
