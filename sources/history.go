package sources

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
