package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// openOutput opens -out; empty and - mean stdout. It hashes the output if there are hashes.
func openOutput(name string, stdout io.Writer, hashes *tableHashes) (*output, error) {
	hashed := func(w io.Writer) io.Writer {
		if hashes == nil {
			return w
		}
		return io.MultiWriter(w, hashes.output)
	}
	if name == "" || name == "-" {
		return &output{w: hashed(stdout)}, nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("-out: %w", err)
	}
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(hashed(f))
		return &output{w: z, closers: []io.Closer{z, f}}, nil
	}
	return &output{w: hashed(f), closers: []io.Closer{f}}, nil
}

// A countingReader counts the bytes that were read.
type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// newInterruptible returns a reader of r that reads ahead in a goroutine, so that a Read ends
// with ctx even if one of r does not.
func newInterruptible(ctx context.Context, r io.ReadCloser) io.ReadCloser {
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.CopyBuffer(struct{ io.Writer }{in}, struct{ io.Reader }{r}, make([]byte, 128<<10))
		in.CloseWithError(err)
	}()
	return &interruptible{out, r, stop}
}

// An interruptible closes the pipe, and the reader behind it.
type interruptible struct {
	*io.PipeReader
	r    io.Closer
	stop func() bool
}

func (i *interruptible) Close() error {
	i.stop()
	return errors.Join(i.PipeReader.Close(), i.r.Close())
}

// isTerminal reports whether w is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A progress shows on a terminal how far a table is.
type progress struct {
	bar     *progressbar.ProgressBar // nil if there is no terminal
	read    *countingReader
	started time.Time
	shown   time.Time
}

// newProgress returns a progress of size bytes, -1 if that is not known.
func newProgress(w io.Writer, size int64, read *countingReader) *progress {
	p := &progress{read: read, started: time.Now()}
	if isTerminal(w) {
		p.bar = progressbar.NewOptions64(size,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(24),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSpinnerType(14),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// rows shows that n rows are done.
func (p *progress) rows(n int64) {
	if p.bar == nil {
		return
	}
	now := time.Now()
	if now.Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = now
	p.bar.Describe(fmt.Sprintf("%s rows  %s rows/s", grouped(n), grouped(int64(float64(n)/now.Sub(p.started).Seconds()))))
	p.bar.Set64(p.read.n.Load())
}

// finish removes the bar.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// downloads shows on a terminal how much of each list has come.
type downloads struct {
	w    io.Writer // nil if there is no terminal
	mu   sync.Mutex
	now  map[string]string
	last time.Time
	wide int
}

func newDownloads(w io.Writer) *downloads {
	d := &downloads{now: make(map[string]string)}
	if isTerminal(w) {
		d.w = w
	}
	return d
}

// bytes shows how many bytes of list id were read.
func (d *downloads) bytes(id string, read, total int64) {
	text := fmt.Sprintf("%s %.1f MB", id, float64(read)/1e6)
	if total > 0 {
		text += fmt.Sprintf(" of %.1f", float64(total)/1e6)
	}
	d.show(id, text)
}

// entries takes how many entries of a list have come.
func (d *downloads) entries(id string, n int) {
	if n > 0 {
		d.show(id, fmt.Sprintf("%s %s entries", id, grouped(int64(n))))
	}
}

func (d *downloads) show(id, text string) {
	if d.w == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now[id] = text
	if time.Since(d.last) < 100*time.Millisecond {
		return
	}
	d.last = time.Now()
	var all []string
	for _, id := range slices.Sorted(maps.Keys(d.now)) {
		all = append(all, d.now[id])
	}
	line := strings.Join(all, "   ")
	fmt.Fprintf(d.w, "\r%-*s", d.wide, line)
	d.wide = len(line)
}

// finish removes the line.
func (d *downloads) finish() {
	if d.w != nil && d.wide > 0 {
		fmt.Fprintf(d.w, "\r%*s\r", d.wide, "")
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
