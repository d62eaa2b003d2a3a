package screening

import "github.com/walletscreen/walletscreen/sources"

// Entries returns what the snapshot holds of source i, as it is read back out of
// what questions are answered from.
func (s *Screener) Entries(i int) ([]sources.Entry, error) {
	return s.snap.Load().lists[i].lean().all()
}

// Bytes returns how much memory the segments take.
func (s *Screener) Bytes() int {
	n := 0
	for _, seg := range s.snap.Load().segments {
		n += seg.Size()
	}
	return n
}
