// Package download loads lists that are published as one file: what is the same
// for all of them, between the request and the parser.
package download

import (
	"context"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/internal/fetch"
	"github.com/walletscreen/walletscreen/sources"
)

// List is the Load of a source whose list is the file that req asks for, and
// that parse reads. It makes the request conditional if prev came with
// validators. It calls add only after the file was fetched and parsed to its
// end, so that a download which breaks off, and is repeated, adds nothing twice.
//
// It returns [sources.ErrUnchanged], with the validators as they are now, if the
// server says that the file is the one of prev, or if parse finds the digest of
// prev. The Published of prev stays then: it may be more than parse knows.
func List(ctx context.Context, req *fetch.Request, prev sources.Revision, add func(sources.Entry) error,
	parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)) (sources.Revision, error) {
	if prev.Digest != "" {
		req.ETag, req.LastModified = prev.ETag, prev.LastModified
	}
	var entries []sources.Entry
	var rev sources.Revision
	result, err := fetch.Get(ctx, req, func(body io.Reader) (err error) {
		entries = nil // those of a download that broke off
		rev, err = parse(body, func(e sources.Entry) error {
			entries = append(entries, e)
			return ctx.Err()
		})
		return err
	})
	if err != nil {
		return sources.Revision{}, err
	}
	if result.NotModified || rev.Digest == prev.Digest {
		rev = prev
		rev.Checked = time.Time{} // that is, now
		rev.ETag, rev.LastModified = result.ETag, result.LastModified
		return rev, sources.ErrUnchanged
	}
	rev.ETag, rev.LastModified = result.ETag, result.LastModified
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return sources.Revision{}, err
		}
		if err := add(e); err != nil {
			return sources.Revision{}, err
		}
	}
	return rev, nil
}
