package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A body reads the body of an answer: uncompressed, up to a limit.
type body struct {
	r    io.Reader // uncompressed
	left int64     // of the limit
}

// errCut: the compressed body ends too early, as if the connection had broken off.
var errCut = errors.New("body broke off")

// newBody returns the body of resp, whose bytes sent reads. limit bounds the
// uncompressed length. An encoding other than gzip is an error.
func newBody(resp *http.Response, sent *stream, limit int64) (*body, error) {
	b := &body{sent, limit}
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if resp.ContentLength > limit {
			return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLarge, resp.ContentLength, limit)
		}
	case "gzip", "x-gzip":
		b.r = &gunzip{sent: sent}
	default:
		return nil, fmt.Errorf("content encoding %.32q, want gzip or none", encoding)
	}
	return b, nil
}

func (b *body) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.tooLarge()
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.tooLarge()
	}
	return n, err
}

func (b *body) tooLarge() error { return fmt.Errorf("%w: more bytes than the limit", ErrTooLarge) }

// gunzip uncompresses a body. The lists compress to a thirtieth; a ratio beyond
// maxRatio is an attack.
type gunzip struct {
	sent *stream
	z    *gzip.Reader
	n    int64
}

const maxRatio = 250

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.z == nil {
		if g.z, err = gzip.NewReader(g.sent); err == io.EOF {
			err = io.ErrUnexpectedEOF // an empty body is not a gzip file
		}
		if err != nil {
			g.z = nil
			return 0, g.fail(err)
		}
	}
	n, err = g.z.Read(p)
	g.n += int64(n)
	if g.n > maxRatio*g.sent.n+1<<20 {
		return 0, fmt.Errorf("%w: %d bytes expand to %d", ErrTooLarge, g.sent.n, g.n)
	}
	if err != nil && err != io.EOF {
		err = g.fail(err)
	}
	return n, err
}

// fail wraps an error of the gzip file. A cut file counts as a body that broke off.
func (g *gunzip) fail(err error) error {
	if g.sent.err == nil && errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w after %d bytes: gzip: %w", errCut, g.sent.n, err)
	}
	return fmt.Errorf("gzip: %w", err)
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
