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

// A Body reads the body of an answer: uncompressed, up to a limit.
type Body struct {
	raw  io.Reader // as sent
	n    int64     // bytes read from raw
	r    io.Reader // uncompressed
	left int64     // of the limit
	err  error     // the first error of raw, except io.EOF
}

// errCut: the compressed body ends too early, as if the connection had broken off.
var errCut = errors.New("body broke off")

// newBody returns the Body of resp, whose bytes raw reads. limit bounds the
// uncompressed length. An encoding other than gzip is an error.
func newBody(resp *http.Response, raw io.Reader, limit int64) (*Body, error) {
	b := &Body{raw: raw, left: limit}
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if resp.ContentLength > limit {
			return nil, fmt.Errorf("%w: %d bytes, want at most %d", ErrTooLarge, resp.ContentLength, limit)
		}
		b.r = (*sent)(b)
	case "gzip", "x-gzip":
		b.r = &gunzip{raw: b}
	default:
		return nil, fmt.Errorf("content encoding %.32q, want gzip or none", encoding)
	}
	return b, nil
}

// Read reads the uncompressed body.
func (b *Body) Read(p []byte) (int, error) {
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

func (b *Body) tooLarge() error { return fmt.Errorf("%w: more bytes than the limit", ErrTooLarge) }

// Finish reads the rest of the body and returns an error if the body breaks off.
func (b *Body) Finish() error {
	_, err := io.Copy(io.Discard, b)
	return err
}

// sent is a Body that reads the bytes as they are sent.
type sent Body

func (s *sent) Read(p []byte) (int, error) {
	n, err := s.raw.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// gunzip uncompresses a body. The lists compress to a thirtieth; a ratio beyond
// maxRatio is an attack.
type gunzip struct {
	raw *Body
	z   *gzip.Reader
	n   int64
}

const maxRatio = 250

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.z == nil {
		if g.z, err = gzip.NewReader((*sent)(g.raw)); err == io.EOF {
			err = io.ErrUnexpectedEOF // an empty body is not a gzip file
		}
		if err != nil {
			g.z = nil
			return 0, g.fail(err)
		}
	}
	n, err = g.z.Read(p)
	g.n += int64(n)
	if g.n > maxRatio*g.raw.n+1<<20 {
		return 0, fmt.Errorf("%w: %d bytes expand to %d", ErrTooLarge, g.raw.n, g.n)
	}
	if err != nil && err != io.EOF {
		err = g.fail(err)
	}
	return n, err
}

// fail wraps an error of the gzip file. A cut file counts as a body that broke off.
func (g *gunzip) fail(err error) error {
	if g.raw.err == nil && errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w after %d bytes: gzip: %w", errCut, g.raw.n, err)
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
