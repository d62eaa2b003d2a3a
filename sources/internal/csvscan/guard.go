package csvscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/walletscreen/walletscreen/sources"
)

// A guard passes CSV on, and ends it with an error where it breaks a rule of Scanner.
// It follows the quotes: in CSV that encoding/csv accepts, a byte is within quotes if
// an odd number of quotes stands before it.
type guard struct {
	r          io.Reader
	openEnd    bool // the last record may lack its line end
	emptyLines bool // lines may be empty

	begun  bool  // the first bytes were read
	quoted bool  // the next byte is within quotes
	cr     bool  // the last byte was a CR, not within quotes
	line   int64 // the line of the next byte
	start  int64 // the line on which the record begins
	size   int   // bytes of the record so far
	mark   bool  // the file ended with Ctrl-Z
	err    error // returned after the bytes before it
}

func (g *guard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.read(p)
	if n, g.err = g.check(p[:n]); g.err == nil && err != nil {
		g.err = err
		if err == io.EOF {
			g.err = g.end()
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, g.err
}

// read reads from the source, without a byte order mark.
func (g *guard) read(p []byte) (int, error) {
	if g.begun {
		return g.r.Read(p)
	}
	g.begun = true
	n, err := io.ReadFull(g.r, p[:3])
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if string(p[:n]) == "\ufeff" {
		n = 0
	}
	return n, err
}

// check follows the bytes of b and returns how many of them may be passed on, and the
// error that follows them.
func (g *guard) check(b []byte) (int, error) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
		n, err := g.check(b)
		if err == nil {
			err = g.fail(errors.New("NUL: not text"))
		}
		return n, err
	}
	for done := 0; done < len(b); {
		if g.mark {
			return done, g.fail(errors.New("Ctrl-Z before the end"))
		}
		if b[done] == 0x1a && g.size == 0 {
			g.mark = true
			if done+1 == len(b) {
				return done, nil
			}
			continue
		}
		rest, ended := b[done:], false
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			rest, ended = rest[:i+1], true
		}
		if err := g.follow(rest, ended); err != nil {
			return done, err
		}
		done += len(rest)
	}
	return len(b), nil
}

// follow follows a line or a part of one. ended means that it has its line end.
func (g *guard) follow(part []byte, ended bool) error {
	first := g.size == 0
	if g.size += len(part); g.size > MaxRecord {
		return g.fail(fmt.Errorf("record of more than %d bytes", MaxRecord))
	}
	if g.cr && part[0] != '\n' {
		return g.fail(errors.New("CR without LF"))
	}
	if ended && first && !g.emptyLines && (len(part) == 1 || string(part) == "\r\n") || ended && g.cr && g.size == 2 && !g.emptyLines {
		return g.fail(errors.New("empty line"))
	}
	g.cr = false
	for {
		i := bytes.IndexByte(part, '\r')
		if i < 0 {
			break
		}
		g.quoted = g.quoted != (bytes.Count(part[:i], quote)%2 == 1)
		part = part[i+1:]
		switch {
		case g.quoted:
		case len(part) == 0:
			g.cr = true
		case part[0] != '\n':
			return g.fail(errors.New("CR without LF"))
		}
	}
	g.quoted = g.quoted != (bytes.Count(part, quote)%2 == 1)
	if ended {
		g.line++
		if !g.quoted {
			g.start, g.size = g.line, 0
		}
	}
	return nil
}

var quote = []byte{'"'}

// end returns the error that follows the last byte.
func (g *guard) end() error {
	if g.size == 0 || g.openEnd && !g.quoted && !g.cr {
		return io.EOF
	}
	return g.fail(io.ErrUnexpectedEOF)
}

func (g *guard) fail(err error) error {
	return &sources.RecordError{Line: g.start, Byte: -1, Err: err}
}
