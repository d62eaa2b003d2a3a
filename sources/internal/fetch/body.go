package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Body reads the body of an answer: uncompressed, up to a limit, and checked against
// the digests that the header announces.
type Body struct {
	raw  io.Reader // as sent
	n    int64     // bytes read from raw
	r    io.Reader // uncompressed
	left int64     // of the limit
	err  error     // the first error of raw, except io.EOF

	want    [][]byte  // the digests announced
	sentSum hash.Hash // of raw; nil if no digest is announced
	sum     hash.Hash // of r; nil if no digest is announced
}

// errCut: the compressed body ends too early, as if the connection had broken off.
var errCut = errors.New("body broke off")

// NewBody returns the Body of resp, whose bytes raw reads. limit bounds the
// uncompressed length. An encoding other than gzip is an error.
func NewBody(resp *http.Response, raw io.Reader, limit int64) (*Body, error) {
	b := &Body{raw: raw, left: limit, want: announced(resp.Header)}
	if b.want != nil {
		b.sentSum, b.sum = sha256.New(), sha256.New()
	}
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
	if b.sum != nil {
		b.sum.Write(p[:n])
	}
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.tooLarge()
	}
	return n, err
}

func (b *Body) tooLarge() error { return fmt.Errorf("%w: more bytes than the limit", ErrTooLarge) }

// Finish reads the rest of the body and returns an error if the body breaks off or does
// not have an announced digest.
func (b *Body) Finish() error {
	if _, err := io.Copy(io.Discard, b); err != nil {
		return err
	}
	if b.want != nil && !slices.ContainsFunc(b.want, func(w []byte) bool {
		return bytes.Equal(w, b.sentSum.Sum(nil)) || bytes.Equal(w, b.sum.Sum(nil))
	}) {
		return ErrDigest
	}
	return nil
}

// announced returns the SHA-256 sums that a header announces for a body. It ignores
// other digests, and those in another form than Base64 or hex.
func announced(h http.Header) (sums [][]byte) {
	for _, name := range []string{"Digest", "Repr-Digest", "Content-Digest"} {
		for _, field := range h.Values(name) {
			for item := range strings.SplitSeq(field, ",") {
				algorithm, text, _ := strings.Cut(strings.TrimSpace(item), "=")
				if !strings.EqualFold(algorithm, "sha-256") {
					continue
				}
				text = strings.Trim(text, ":") // RFC 9530
				sum, err := hex.DecodeString(text)
				if err != nil {
					sum, err = base64.StdEncoding.DecodeString(text)
				}
				if err == nil && len(sum) == sha256.Size {
					sums = append(sums, sum)
				}
			}
		}
	}
	return sums
}

// sent is a Body that reads the bytes as they are sent.
type sent Body

func (s *sent) Read(p []byte) (int, error) {
	n, err := s.raw.Read(p)
	s.n += int64(n)
	if s.sentSum != nil {
		s.sentSum.Write(p[:n])
	}
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
