package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/walletscreen/walletscreen/sources"
)

// Stream is [Load] for lists of millions of entries: it holds none of them. It parses
// the file twice: during the download, to see that it is whole, and then from a
// temporary file, to add its entries. A file of up to 8 MiB stays in memory.
func Stream(ctx context.Context, req *Request, prev sources.Revision, add func(sources.Entry) error,
	parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)) (_ sources.Revision, err error) {
	var copied spool
	defer func() {
		if cerr := copied.Close(); cerr != nil {
			err = errors.Join(err, cerr)
		}
	}()
	return loadWith(ctx, req, prev, func(body io.Reader) (sources.Revision, error) {
		if err := copied.Reset(); err != nil {
			return sources.Revision{}, err
		}
		return parse(io.TeeReader(body, &copied), func(sources.Entry) error { return ctx.Err() })
	}, func(first sources.Revision) error {
		again, err := copied.Reader()
		if err != nil {
			return err
		}
		second, err := parse(again, until(ctx, add))
		if err == nil && second.Digest != first.Digest {
			err = errors.New("the temporary file of the download has changed")
		}
		return err
	})
}

// maxHeld is the size up to which a spool holds its bytes in memory.
const maxHeld = 8 << 20

// A spool keeps the bytes written to it, in memory or in a temporary file.
type spool struct {
	held bytes.Buffer
	file *os.File // nil as long as held has all
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file != nil {
		return s.file.Write(p)
	}
	if s.held.Len()+len(p) <= maxHeld {
		return s.held.Write(p)
	}
	f, err := os.CreateTemp("", "walletscreen-")
	if err != nil {
		return 0, err
	}
	s.file = f
	os.Remove(f.Name()) // on Unix, the file is gone with the program, however that ends
	if _, err := f.Write(s.held.Bytes()); err != nil {
		return 0, err
	}
	s.held = bytes.Buffer{}
	return f.Write(p)
}

// Reset forgets all bytes.
func (s *spool) Reset() error {
	err := s.Close()
	s.held.Reset()
	return err
}

// Reader returns a reader of all bytes.
func (s *spool) Reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.held.Bytes()), nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, err
}

// Close removes the temporary file.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	err := f.Close()
	if rerr := os.Remove(f.Name()); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}
