package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"

	"github.com/walletscreen/walletscreen/screening"
)

// decisions are the operator's: the exceptions of -exceptions and what own lists allow.
// When a file has changed, its content holds from then on; a file that cannot be used
// changes nothing, and is logged once.
type decisions struct {
	file     string // of -exceptions, or ""
	lists    *listOptions
	screener *screening.Screener
	log      *slog.Logger
	last     [][sha256.Size]byte // of the files as they were last read
	said     string              // the error that was last logged
}

// openDecisions sets the exceptions, and returns nil if no file can have any.
func openDecisions(ctx context.Context, c *serveOptions, s *screening.Screener, log *slog.Logger) (*decisions, error) {
	if c.exceptions == "" && len(c.lists.own) == 0 {
		return nil, nil
	}
	d := &decisions{file: c.exceptions, lists: &c.lists, screener: s, log: log}
	if err := d.load(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// load sets the exceptions of the files, if one has changed.
func (d *decisions) load(ctx context.Context) error {
	var first []byte // of -exceptions
	var digests [][sha256.Size]byte
	read := func(flag, name string) ([]byte, error) {
		text, err := readAtMost(name, maxOwn)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		digests = append(digests, sha256.Sum256(text))
		return text, nil
	}
	lists, err := d.lists.ownLists(nil)
	if err == nil && d.file != "" {
		first, err = read("-exceptions", d.file)
	}
	if err != nil {
		return err
	}
	for _, l := range lists {
		if !l.isTable() {
			continue // it allows nothing
		}
		if _, err := read("-list "+l.id, l.from); err != nil {
			return err
		}
	}
	if slices.Equal(digests, d.last) {
		return nil
	}
	var exceptions []screening.Exception
	if d.file != "" {
		if exceptions, err = screening.ReadExceptions(bytes.NewReader(first)); err != nil {
			return fmt.Errorf("-exceptions: %s: %w", d.file, err)
		}
	}
	if err := setExceptions(ctx, d.screener, exceptions); err != nil {
		return err
	}
	d.last = digests
	return nil
}

// follow loads the files again. It logs an error once.
func (d *decisions) follow(ctx context.Context) {
	said := ""
	if err := d.load(ctx); err != nil {
		if said = err.Error(); said != d.said {
			d.log.Error("the new exceptions cannot be used, keeping the old ones", "error", err)
		}
	}
	d.said = said
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
