package screening

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

// Reconstruct answers for a time before the first event of any Store, from what the sources
// know about the past of their lists: see [sources.AsOf]. A list whose past is not known is not
// loaded, so that a clean address is [ErrNotLoaded] if the list is required, with the known part. Each list that
// is loaded has [CaveatReconstructed]. Of the options, which may be nil, Optional and Table
// are used.
func Reconstruct(ctx context.Context, at time.Time, srcs []sources.Source, opts *Options) (*Past, error) {
	if opts == nil {
		opts = &Options{}
	}
	past := make([]sources.Source, len(srcs))
	for i, src := range srcs {
		past[i] = sources.AsOf(src, at)
	}
	s, err := New(past, &Options{Optional: opts.Optional, Table: opts.Table})
	if err != nil {
		return nil, err
	}
	s.Open(ctx) // the lists without a past have errors
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	held := s.snap.Load().held
	snap := newSnapshot(s.settings, held, nil, nil, nil)
	snap.answerAs(at.UTC())
	p := &Past{snap: snap}
	if snap.notLoaded != nil {
		p.unknown = unknown(s.Sources())
	}
	snap.notLoaded = nil // a label decides whatever is missing
	return p, nil
}

// unknown returns the error of an address without a label: it tells the known past of each
// list that is required.
func unknown(lists []SourceStatus) error {
	var why []string
	for _, l := range lists {
		switch {
		case !l.Required || l.Loaded():
		case l.Err != nil:
			why = append(why, strings.TrimPrefix(l.Err.Error(), "source "))
		default: // it is known since a later day
			why = append(why, l.Info.ID+": "+l.Provenance)
		}
	}
	return fmt.Errorf("%w: %s", ErrNotLoaded, strings.Join(why, "; "))
}
