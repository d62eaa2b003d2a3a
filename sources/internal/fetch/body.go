package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

// A body reads the body of an answer: uncompressed, up to a limit.
type body struct {
	r   io.Reader
	err error // of the last read
}

// newBody returns the body of resp, whose bytes sent reads. limit bounds the
// uncompressed length. An encoding other than gzip is an error.
func newBody(resp *http.Response, sent *stream, limit int64) (*body, error) {
	r := io.Reader(sent)
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if resp.ContentLength > limit {
			return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLarge, resp.ContentLength, limit)
		}
	case "gzip", "x-gzip":
		r = unpack.Gunzip(sent, true)
	default:
		return nil, fmt.Errorf("content encoding %.32q, want gzip or none", encoding)
	}
	return &body{r: unpack.Limit(r, limit)}, nil
}

func (b *body) Read(p []byte) (n int, err error) {
	n, b.err = b.r.Read(p)
	return n, b.err
}

// A stream reads a body from the network. No read may take longer than timeout. It
// remembers the error that broke it off.
type stream struct {
	r       io.Reader
	ctx     context.Context // of this attempt; the stall timer ends it, too
	stall   *time.Timer
	timeout time.Duration
	n       int64 // bytes read
	err     error // never io.EOF

	total    int64 // bytes announced, or -1
	progress func(read, total int64)
}

// report calls progress.
func (s *stream) report() { s.progress(s.n, s.total) }

func (s *stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	s.stall.Reset(s.timeout) // the caller's time between two reads does not count
	n, err := s.r.Read(p)
	s.stall.Stop()
	if s.n += int64(n); n > 0 {
		s.report()
	}
	if err != nil && err != io.EOF {
		s.err = fmt.Errorf("body broke off after %d bytes: %w", s.n, cause(s.ctx, err))
		err = s.err
	}
	return n, err
}
