package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// An imported list is in a file that the operator has downloaded.
type imported struct {
	sources.Source
	downloaded time.Time // zero: not known
	comments   []byte    // the SHA-256 of sdn_comments.csv; nil if the file is not sdn.csv
	digest     string    // of the list
}

// newImported returns the list in a file. comments names the second file of OFAC's sdn.csv;
// if it is "", that is sdn_comments.csv in the same directory, if it exists.
func newImported(info sources.Info, file, comments string, parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error), downloaded time.Time) *imported {
	s := &imported{downloaded: downloaded}
	s.Source = sources.File(info, file, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		in := bufio.NewReader(r)
		start, _ := in.Peek(1)
		if isCSV := bytes.ContainsAny(start, "0123456789\""); info.ID != "OFAC_SDN" || !isCSV { // but XML or a ZIP archive
			if comments != "" {
				return sources.Revision{}, errors.New("-comments: want it with OFAC_SDN=sdn.csv only")
			}
			return parse(in, add)
		}
		return s.parseCSV(in, file, comments, add)
	})
	return s
}

// parseCSV reads the two files of OFAC's CSV.
func (s *imported) parseCSV(in io.Reader, file, comments string, add func(sources.Entry) error) (rev sources.Revision, err error) {
	var more io.Reader
	sum := sha256.New()
	r, err := os.Open(cmp.Or(comments, filepath.Join(filepath.Dir(file), "sdn_comments.csv")))
	if err == nil {
		defer r.Close()
		more = io.TeeReader(r, sum)
	} else if comments != "" || !errors.Is(err, fs.ErrNotExist) {
		return rev, fmt.Errorf("-comments: %w", err)
	}
	rev, err = ofac.ParseCSV(in, more, add)
	if err != nil && more == nil {
		return rev, fmt.Errorf("%w; remarks continue in sdn_comments.csv: put it beside sdn.csv, or name it with -comments", err)
	}
	s.comments = sum.Sum(nil)
	return rev, err
}

var errUndated = errors.New("the file does not say when it was published: want -downloaded with the day on which you downloaded it")

// Load reads the list. Its entries are seen first on the day of the list.
func (s *imported) Load(ctx context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	var entries []sources.Entry
	// The file is always read: its digest says nothing about the comments.
	rev, err := s.Source.Load(ctx, sources.Revision{}, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return rev, err
	}
	if s.comments != nil {
		sum := sha256.Sum256(append([]byte(rev.Digest), s.comments...))
		rev.Digest, rev.ETag = hex.EncodeToString(sum[:]), ""
	}
	s.digest = rev.Digest
	now := time.Now()
	switch {
	case s.downloaded.IsZero() && rev.Published.IsZero() && s.Info().Jurisdiction != sources.Community:
		return rev, errUndated
	case s.downloaded.IsZero() && rev.Checked.After(now): // its publication, or the time of the file
		return rev, fmt.Errorf("the file is of %s, a time to come: want -downloaded with the day on which you downloaded it", minute(rev.Checked))
	case s.downloaded.IsZero():
	case s.downloaded.Add(oneDay).Before(rev.Published) && !rev.Published.After(now): // the day may begin later where it is published
		return rev, fmt.Errorf("-downloaded %s: the list was published later, on %s", day(s.downloaded), day(rev.Published))
	default:
		rev.Checked = s.downloaded
	}
	seen := cmp.Or(rev.Published, rev.Checked)
	for _, e := range entries {
		if seen.Before(e.FirstSeen) {
			e.FirstSeen = seen
		}
		if err := add(e); err != nil {
			return rev, err
		}
	}
	return rev, nil
}
