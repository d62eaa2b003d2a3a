package sources

import "context"

// Seeded returns live, but for its first Load: a caller that holds no revision
// yet gets the entries of seed, which is at hand at once, as bundled data are,
// and those of live from then on. Info is that of live. A seed may be a part of
// the list; see [Revision]. Then live is asked for the whole, whatever is held. Open,
// Refresh and Run of package screening know seeds: Run loads the seed and then live.
func Seeded(live, seed Source) Source { return seeded{live, seed} }

type seeded struct {
	Source
	seed Source
}

func (s seeded) Load(ctx context.Context, prev Revision, add func(Entry) error) (Revision, error) {
	if prev.IsZero() {
		return s.seed.Load(ctx, prev, add)
	}
	if prev.Completeness != Whole {
		prev = Revision{} // live has nothing to compare its list with
	}
	return s.Source.Load(ctx, prev, add)
}

// Seed returns the seed of a Source that Seeded has returned, and false for any
// other.
func Seed(src Source) (Source, bool) {
	s, ok := src.(seeded)
	return s.seed, ok
}
