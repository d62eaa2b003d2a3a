package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// openOutput opens -out; empty and - mean stdout. The bytes of the output are also written to sum.
func openOutput(name string, stdout, sum io.Writer) (*output, error) {
	if name == "" || name == "-" {
		return &output{w: io.MultiWriter(stdout, sum)}, nil
	}
	if strings.HasSuffix(strings.ToLower(name), ".xlsx") {
		return nil, fmt.Errorf("-out is written as CSV: give it another name than %s", name)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("-out: %w", err)
	}
	file := io.MultiWriter(f, sum)
	if strings.HasSuffix(strings.ToLower(name), ".gz") {
		z := gzip.NewWriter(file)
		return &output{w: z, closers: []io.Closer{z, f}}, nil
	}
	return &output{w: file, closers: []io.Closer{f}}, nil
}

// newInterruptible returns a reader that reads ahead of r, so that a Read ends with ctx even if one of r does not.
func newInterruptible(ctx context.Context, r io.ReadCloser) *interruptible {
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.CopyBuffer(struct{ io.Writer }{in}, struct{ io.Reader }{r}, make([]byte, 128<<10))
		in.CloseWithError(err)
	}()
	return &interruptible{PipeReader: out, r: r, stop: stop}
}

// An interruptible closes the pipe, and the reader behind it. It counts the bytes that were read.
type interruptible struct {
	*io.PipeReader
	r    io.Closer
	stop func() bool
	n    int64
}

func (i *interruptible) Read(p []byte) (int, error) {
	n, err := i.PipeReader.Read(p)
	i.n += int64(n)
	return n, err
}

func (i *interruptible) Close() error {
	i.stop()
	return errors.Join(i.PipeReader.Close(), i.r.Close())
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A statusLine is a line on a terminal that says how far a list or a table is.
type statusLine struct {
	w    io.Writer // nil if there is no terminal
	mu   sync.Mutex
	last time.Time
	wide int
}

func newStatusLine(w io.Writer) *statusLine {
	s := &statusLine{}
	if isTerminal(w) {
		s.w = w
	}
	return s
}

// bytes shows how many bytes of list id were read.
func (s *statusLine) bytes(id string, read, total int64) {
	text := fmt.Sprintf("%s %.1f MB", id, float64(read)/1e6)
	if total > 0 {
		text += fmt.Sprintf(" of %.1f", float64(total)/1e6)
	}
	s.show(text)
}

// table shows how many rows were done since a time, and how many bytes of all, -1 if that is not known, were read.
func (s *statusLine) table(rows int64, began time.Time, read, all int64) {
	took := time.Since(began)
	text := fmt.Sprintf("%s  %s rows/s", counted(rows, "row"), grouped(int64(float64(rows)/took.Seconds())))
	if read > 0 && all > 0 {
		text += fmt.Sprintf("  %d %%, %v left", 100*read/all, time.Duration(float64(took)*float64(all-read)/float64(read)).Round(time.Second))
	}
	s.show(text)
}

// show shows a text, but not more than ten times a second.
func (s *statusLine) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w == nil || time.Since(s.last) < 100*time.Millisecond {
		return
	}
	s.last = time.Now()
	fmt.Fprintf(s.w, "\r%-*s", s.wide, text)
	s.wide = len(text)
}

// finish removes the line.
func (s *statusLine) finish() {
	if s.wide > 0 {
		fmt.Fprintf(s.w, "\r%*s\r", s.wide, "")
	}
}

// An output is where a table is written to.
type output struct {
	w       io.Writer
	closers []io.Closer
	lost    bool // a compressed file that is not whole: which rows it has is not known
}

func (o *output) write(b []byte) error {
	_, err := o.w.Write(b)
	o.lost = o.lost || err != nil && len(o.closers) > 1
	return err
}

func (o *output) Close() error {
	var errs []error
	for _, c := range o.closers {
		errs = append(errs, c.Close())
	}
	err := errors.Join(errs...)
	o.lost = o.lost || err != nil && len(o.closers) > 1
	return err
}
