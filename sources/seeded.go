package sources

import "context"

// Seeded returns a list that is answered from seed, such as bundled data, until live has
// been loaded. The first Load of a caller that holds no revision returns the entries of
// seed; later ones return the entries of live. Info returns the Info of live. If the held
// revision is not whole, live is loaded without conditions. Package screening supports seeds:
// Open loads them, and Refresh and Run ask live.
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
		prev = Revision{} // not the publisher's document, so live cannot compare with it
	}
	prev.Provenance = "" // the publisher confirms the list or sends another
	return s.Source.Load(ctx, prev, add)
}

// Seed returns what src is answered from until it has been loaded: the seed of a Source that
// Seeded returned, or the result of the method
//
//	Seed() Source
//
// of a Source that has one. A bundled list is its own seed. For any other Source it returns
// false.
func Seed(src Source) (Source, bool) {
	if s, ok := src.(interface{ Seed() Source }); ok {
		return s.Seed(), true
	}
	return nil, false
}

func (s seeded) Seed() Source { return s.seed }

// History returns what src, or its seed (see [Seeded]), knows of the past of its list; nil
// if that is nothing. It calls the method
//
//	History() ([]Entry, error)
//
// of a Source that has one, as the bundled SDN List has.
//
// Each entry is a stay of an address on the list: FirstSeen is the date of the first copy of
// the list that is known to have it, NotListedOn the date of the last copy before that is
// known not to have it, and Until the date of the first later copy that is known not to have
// it, or zero if it was not delisted. The caller owns the slice.
func History(src Source) ([]Entry, error) {
	if seed, ok := Seed(src); ok {
		src = seed
	}
	if s, ok := src.(interface{ History() ([]Entry, error) }); ok {
		return s.History()
	}
	return nil, nil
}
