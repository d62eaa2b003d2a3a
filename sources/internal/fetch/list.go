package fetch

import (
	"context"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// List is the Load of a source whose list is the file that req names and parse reads.
// The request is conditional if prev has validators. List calls add only after it has
// fetched and parsed the whole file, so a repeated download adds nothing twice.
//
// List returns [sources.ErrUnchanged], with the current validators, if the server
// confirms the file of prev or parse returns the digest of prev. It then keeps the
// Published of prev, which may come from elsewhere than parse.
func List(ctx context.Context, req *Request, prev sources.Revision, add func(sources.Entry) error,
	parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)) (sources.Revision, error) {
	if prev.Digest != "" {
		req.ETag, req.LastModified = prev.ETag, prev.LastModified
	}
	var entries []sources.Entry
	var rev sources.Revision
	result, err := Get(ctx, req, func(body io.Reader) (err error) {
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
