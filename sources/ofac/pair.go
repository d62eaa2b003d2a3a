package ofac

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// loadCSV loads a list of two files. The validators of the revision are those of both,
// joined by a line feed, which no HTTP field contains.
func (s *source) loadCSV(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	var held validators
	if prev.Digest != "" {
		held = validatorsOf(prev)
	}
	l, now, err := s.getCSV(ctx, held)
	if errors.Is(err, errApart) { // OFAC has just published, or is publishing now
		l, now, err = s.getCSV(ctx, validators{})
	}
	if err != nil {
		return sources.Revision{}, err
	}
	rev := prev
	if l != nil && l.Revision.Digest != prev.Digest {
		rev = l.Revision
	}
	rev.Checked = time.Time{} // that is, now
	rev.ETag, rev.LastModified = join(now.main.ETag, now.rest.ETag), join(now.main.LastModified, now.rest.LastModified)
	if rev.Digest == prev.Digest {
		return rev, sources.ErrUnchanged
	}
	if _, err := l.Emit("entity", fetch.Until(ctx, add)); err != nil {
		return sources.Revision{}, err
	}
	return rev, nil
}

// validators holds those of the two files.
type validators struct{ main, rest fetch.Result }

func validatorsOf(r sources.Revision) (v validators) {
	v.main.ETag, v.rest.ETag, _ = strings.Cut(r.ETag, "\n")
	v.main.LastModified, v.rest.LastModified, _ = strings.Cut(r.LastModified, "\n")
	if v.rest == (fetch.Result{}) { // validators of another format
		v.main = fetch.Result{}
	}
	return v
}

func join(main, rest string) string {
	if main == "" && rest == "" {
		return ""
	}
	return main + "\n" + rest
}

// getCSV fetches both files. The list is nil if the server confirms both. The error is
// errApart if the files do not belong together, or if only one of them is confirmed.
func (s *source) getCSV(ctx context.Context, held validators) (*freetext.List, validators, error) {
	var now validators
	var rest *commentsFile
	var l *freetext.List
	var err error
	now.rest, err = s.get(ctx, s.CommentsURL, maxComments, held.rest, func(body io.Reader) (err error) {
		rest, err = s.kind.readComments(body)
		return err
	})
	if err != nil {
		return nil, validators{}, err
	}
	now.main, err = s.get(ctx, s.URL, maxCSV, held.main, func(body io.Reader) (err error) {
		if rest == nil {
			return errApart
		}
		l, err = s.kind.readCSV(body, rest, s.NoEndMark || s.kind == consolidated)
		return err
	})
	switch {
	case err != nil:
		return nil, validators{}, err
	case now.main.NotModified && now.rest.NotModified:
		return nil, now, nil
	case now.main.NotModified:
		return nil, validators{}, errApart
	}
	// Nothing in the files says that they belong together. But if the file fetched first
	// is still the same after the second was fetched, both are of the same time.
	after, err := s.get(ctx, s.CommentsURL, maxComments, now.rest, func(body io.Reader) error {
		again, err := s.kind.readComments(body)
		if err == nil && string(again.hash.Sum(nil)) != string(rest.hash.Sum(nil)) {
			err = errApart
		}
		return err
	})
	if err != nil {
		return nil, validators{}, err
	}
	now.rest.ETag, now.rest.LastModified = after.ETag, after.LastModified
	return l, now, nil
}

// get fetches one of the two files, unless the server confirms the held one.
func (s *source) get(ctx context.Context, url string, limit int64, held fetch.Result, read func(io.Reader) error) (fetch.Result, error) {
	req := s.request(url, limit)
	req.ETag, req.LastModified = held.ETag, held.LastModified
	return fetch.Get(ctx, req, read)
}
