// Package document makes a source of a published document that is part of the program:
// an announcement, a complaint, a study. Such a document is final. No request is made.
package document

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Source is the list in a CSV file with the columns listed_on, asset, address, kind, ref
// and name. Ref is the address of the document, or its number. An empty cell repeats the cell
// above it.
type Source struct {
	Of         sources.Info
	File       []byte // CSV, or CSV in gzip
	Provenance string
}

func (s *Source) Info() sources.Info { return s.Of }

// Seed returns s, which needs no network; see [sources.Seed].
func (s *Source) Seed() sources.Source { return s }

// Load adds a row of the file after the other. The list is published, and was checked, on
// the day of its newest row.
func (s *Source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := s.load(ctx, prev, add)
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("bundled %s: %w", s.Of.ID, err)
	}
	return rev, err
}

func (s *Source) load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (rev sources.Revision, err error) {
	sum := sha256.Sum256(s.File)
	rev = sources.Revision{Digest: hex.EncodeToString(sum[:]), Provenance: s.Provenance}
	if prev.Digest == rev.Digest {
		rev.Published, rev.Checked, rev.Records = prev.Published, prev.Published, prev.Records
		return rev, cmp.Or(ctx.Err(), sources.ErrUnchanged)
	}
	var file io.Reader = bytes.NewReader(s.File)
	if bytes.HasPrefix(s.File, []byte{0x1f, 0x8b}) {
		if file, err = gzip.NewReader(file); err != nil {
			return rev, err
		}
	}
	r := csv.NewReader(file)
	r.FieldsPerRecord, r.ReuseRecord = 6, true
	if _, err := r.Read(); err != nil {
		return rev, err
	}
	var e sources.Entry
	for {
		row, err := r.Read()
		if err == io.EOF {
			rev.Checked = rev.Published
			return rev, ctx.Err()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && row[0] != "" {
			e.ListedAt, err = time.Parse(time.DateOnly, row[0])
		}
		if err != nil {
			return rev, err
		}
		e.Asset, e.Listed, e.Kind = cmp.Or(row[1], e.Asset), row[2], cmp.Or(score.Kind(row[3]), e.Kind)
		e.Ref, e.Name = cmp.Or(row[4], e.Ref), cmp.Or(row[5], e.Name)
		e.Address, _ = sources.Decode(e.Asset, e.Listed)
		if rev.Records++; e.ListedAt.After(rev.Published) {
			rev.Published = e.ListedAt
		}
		if err := add(e); err != nil {
			return rev, err
		}
	}
}
