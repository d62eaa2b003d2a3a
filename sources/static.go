package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Static returns a Source of the given entries, for tests and for a caller's own list. It
// copies the slice. The digest of its revision covers the entries without FirstSeen, so
// equal lists have equal revisions. A Static without entries is an empty list, which a
// Screener refuses unless its Jurisdiction is Operator.
func Static(info Info, entries ...Entry) Source {
	h := sha256.New()
	for _, e := range entries {
		fmt.Fprintf(h, "%s\t%q\t%q\t%q\t%q\t%q\t%d\n", e.Address, e.Listed, e.Asset, e.Kind, e.Ref, e.Name, e.ListedAt.UnixNano())
		if !e.EntityListedAt.IsZero() {
			fmt.Fprintf(h, "%d\n", e.EntityListedAt.Unix())
		}
		if !e.Until.IsZero() {
			fmt.Fprintf(h, "until %d\n", e.Until.Unix())
		}
	}
	return &static{
		info:     info,
		entries:  slices.Clone(entries),
		revision: Revision{Digest: hex.EncodeToString(h.Sum(nil)), Records: len(entries)},
	}
}

type static struct {
	info     Info
	entries  []Entry
	revision Revision
}

func (s *static) Info() Info { return s.info }

func (s *static) Load(ctx context.Context, prev Revision, add func(Entry) error) (Revision, error) {
	if prev.Digest == s.revision.Digest {
		return s.revision, ErrUnchanged
	}
	for _, e := range s.entries {
		if err := ctx.Err(); err != nil {
			return Revision{}, err
		}
		if err := add(e); err != nil {
			return Revision{}, err
		}
	}
	return s.revision, nil
}
