package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/walletscreen/walletscreen/screening"
)

// openDecisions sets the operator's exceptions: the file of -exceptions, and what own lists allow. It
// returns nil if no file can have any.
func openDecisions(ctx context.Context, c *serveOptions, s *screening.Screener, log *slog.Logger) (*followed, error) {
	if c.exceptions == "" && len(c.lists.own) == 0 {
		return nil, nil
	}
	f := &followed{log: log, failure: "the new exceptions cannot be used, keeping the old ones"}
	f.read = func() (files [][]byte, err error) {
		read := func(flag, name string) {
			text, failure := readAtMost(name, maxOwn)
			if failure != nil && err == nil {
				err = fmt.Errorf("%s: %w", flag, failure)
			}
			files = append(files, text)
		}
		lists, err := c.lists.ownLists(nil)
		if c.exceptions != "" {
			read("-exceptions", c.exceptions)
		}
		for _, l := range lists {
			if l.isTable() { // else it allows nothing
				read("-list "+l.id, l.from)
			}
		}
		return files, err
	}
	f.use = func(files [][]byte) (err error) {
		var exceptions []screening.Exception
		if c.exceptions != "" {
			if exceptions, err = screening.ReadExceptions(bytes.NewReader(files[0])); err != nil {
				return fmt.Errorf("-exceptions: %s: %w", c.exceptions, err)
			}
		}
		if err = s.SetExceptions(context.WithoutCancel(ctx), exceptions); errors.Is(err, screening.ErrDuplicateException) {
			err = fmt.Errorf("-exceptions: %w", err)
		}
		return err
	}
	return f, f.load()
}

// readAtMost returns the content of a file, or an error if it is longer than limit bytes.
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

// readSecret is [readAtMost] of a file with a secret, which not all users may read.
func readSecret(name string, limit int64) ([]byte, error) {
	if err := checkSecret(name); err != nil {
		return nil, err
	}
	return readAtMost(name, limit)
}

// checkSecret returns an error if all users may read a file.
func checkSecret(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return nil // to open it says why
	}
	if mode := info.Mode().Perm(); mode&0o004 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s can be read by all users of the machine (its mode is %04o): chmod 600 it", name, mode)
	}
	return nil
}

// absolute returns the absolute path of a file or, if it is not known, its name.
func absolute(name string) string {
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}
