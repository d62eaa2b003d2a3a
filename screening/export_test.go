package screening

import "github.com/walletscreen/walletscreen/sources"

// Entries returns what the snapshot holds of source i, as it is read back out of
// what questions are answered from.
func (s *Screener) Entries(i int) ([]sources.Entry, error) {
	return s.snap.Load().lists[i].lean().all()
}
