// Package unpack bounds and unpacks the bytes of lists.
package unpack

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// ErrTooLarge is the error of a reader made by Limit.
var ErrTooLarge = errors.New("too large")

// Limit returns a reader of the n bytes of r, which fails if there are more.
func Limit(r io.Reader, n int64) io.Reader { return &limited{r, n, n} }

type limited struct {
	r    io.Reader
	max  int64
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left >= 0 {
		n, err := l.r.Read(p[:min(int64(len(p)), l.left+1)])
		if l.left -= int64(n); l.left >= 0 {
			return n, err
		}
	}
	return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, l.max)
}

// Gunzip returns a reader of what r holds in gzip or, unless must is set, of r itself if it is no
// gzip file. Limit its length.
func Gunzip(r io.Reader, must bool) io.Reader { return &gunzip{in: bufio.NewReader(r), is: must} }

type gunzip struct {
	in *bufio.Reader
	is bool      // r is a gzip.Reader
	r  io.Reader // nil before the first Read
}

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.r == nil {
		magic, err := g.in.Peek(2)
		if err != nil && err != io.EOF {
			return 0, err // Peek returns it once
		}
		if g.r, g.is = g.in, g.is || string(magic) == "\x1f\x8b"; g.is {
			z, err := gzip.NewReader(g.in)
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			if g.r = z; err != nil {
				g.r = nil
				return 0, fmt.Errorf("gzip: %w", err)
			}
		}
	}
	if n, err = g.r.Read(p); g.is && err != nil && err != io.EOF {
		err = fmt.Errorf("gzip: %w", err)
	}
	return n, err
}
