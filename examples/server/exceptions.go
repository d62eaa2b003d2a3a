package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

// maxExceptionsFile bounds the file of exceptions, in bytes.
const maxExceptionsFile = 64 << 20

// An exceptionsFile has what the operator takes out of the score, as
// screening.ReadExceptions reads it. When what is in it has changed, that holds
// from then on; what cannot be used changes nothing, and is logged once.
type exceptionsFile struct {
	name     string
	screener *screening.Screener
	log      *slog.Logger
	last     []byte // as it was last read
	said     string // the error that was last logged
}

// openExceptions sets the exceptions of the file that c names, and returns nil if it
// names none.
func openExceptions(ctx context.Context, c config, s *screening.Screener, log *slog.Logger) (*exceptionsFile, error) {
	if c.exceptions == "" {
		return nil, nil
	}
	f := &exceptionsFile{name: c.exceptions, screener: s, log: log}
	return f, f.load(ctx)
}

// load sets the exceptions of the file, if it is not as it was.
func (f *exceptionsFile) load(ctx context.Context) error {
	text, err := readAtMost(f.name, maxExceptionsFile)
	if err != nil || f.last != nil && bytes.Equal(text, f.last) {
		return err
	}
	exceptions, err := screening.ReadExceptions(bytes.NewReader(text))
	if err == nil {
		err = f.screener.SetExceptions(ctx, exceptions)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	f.last = text
	return nil
}

// follow loads the file until ctx ends, every so often.
func (f *exceptionsFile) follow(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		said := ""
		if err := f.load(ctx); err != nil {
			if said = err.Error(); said != f.said {
				f.log.Error("the new exceptions cannot be used, keeping the old ones", "error", err)
			}
		}
		f.said = said
	}
}

// readAtMost returns what is in a file, unless that is more than limit bytes.
func readAtMost(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s: larger than %d bytes", name, limit)
	}
	return text, err
}
