package fetch

import (
	"context"
	"fmt"
	"io"
	"time"
)

// A body is what the caller's function reads, and remembers the error of the last read.
type body struct {
	r   io.Reader
	err error
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
