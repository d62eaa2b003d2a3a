package fetch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// A Source is a list that is the file that Request names and Parse reads.
type Source struct {
	Of      sources.Info
	Request Request // without validators
	Parse   func(io.Reader, func(sources.Entry) error) (sources.Revision, error)
	Long    bool // the list may have millions of entries: see Stream

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

// Load calls the function [Load], or [Stream].
func (s *Source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	req := s.Request
	if s.Prepare != nil {
		if err := s.Prepare(ctx, &req, &prev); err != nil {
			return sources.Revision{}, fmt.Errorf("%s: %w", req.Name, err)
		}
	}
	if s.Long {
		return Stream(ctx, &req, prev, add, s.Parse)
	}
	return Load(ctx, &req, prev, add, s.Parse)
}

// Load is the Load of a source whose list is the file that req names and parse reads.
// The request is conditional if prev has validators. Load calls add only after it has
// fetched and parsed the whole file, so a repeated download adds nothing twice.
//
// Load returns [sources.ErrUnchanged], with the current validators, if the server
// confirms the file of prev or parse returns the digest of prev. It then keeps the
// Published of prev, which may come from elsewhere than parse.
func Load(ctx context.Context, req *Request, prev sources.Revision, add func(sources.Entry) error,
	parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)) (sources.Revision, error) {
	var entries []sources.Entry
	return loadWith(ctx, req, prev, func(body io.Reader) (sources.Revision, error) {
		entries = nil // drop the entries of a download that broke off
		return parse(body, func(e sources.Entry) error {
			entries = append(entries, e)
			return ctx.Err()
		})
	}, func() error {
		add := until(ctx, add)
		for _, e := range entries {
			if err := add(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Stream is [Load] for lists of millions of entries: it holds the file, and none of its entries.
// It parses the file twice: during the download, to see that it is whole, and then to add its
// entries.
func Stream(ctx context.Context, req *Request, prev sources.Revision, add func(sources.Entry) error,
	parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)) (sources.Revision, error) {
	var file bytes.Buffer
	return loadWith(ctx, req, prev, func(body io.Reader) (sources.Revision, error) {
		file.Reset()
		return parse(io.TeeReader(body, &file), func(sources.Entry) error { return ctx.Err() })
	}, func() error {
		_, err := parse(&file, until(ctx, add))
		return err
	})
}

// loadWith fetches the file that req names with read, and adds its entries with emit unless
// they are the entries of prev.
func loadWith(ctx context.Context, req *Request, prev sources.Revision, read func(io.Reader) (sources.Revision, error), emit func() error) (rev sources.Revision, err error) {
	defer func() {
		if err != nil && err != sources.ErrUnchanged && req.Name != "" {
			err = fmt.Errorf("%s: %w", req.Name, err)
		}
	}()
	if prev.Digest != "" {
		req.ETag, req.LastModified = prev.ETag, prev.LastModified
	}
	result, err := Get(ctx, req, func(body io.Reader) (err error) {
		rev, err = read(body)
		return err
	})
	if err != nil {
		return sources.Revision{}, err
	}
	if result.NotModified || rev.Digest == prev.Digest {
		rev, err = prev, sources.ErrUnchanged
		rev.Checked = time.Time{} // that is, now
	} else if err := emit(); err != nil {
		return sources.Revision{}, err
	}
	rev.ETag, rev.LastModified = result.ETag, result.LastModified
	return rev, err
}

// until returns add, which fails once ctx has ended.
func until(ctx context.Context, add func(sources.Entry) error) func(sources.Entry) error {
	return func(e sources.Entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return add(e)
	}
}
