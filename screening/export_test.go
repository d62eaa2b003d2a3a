package screening

import (
	"time"
	"weak"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

// EntriesOf returns the entries of source i as read back from its index.
func (s *Screener) EntriesOf(i int) (all []sources.Entry, err error) {
	for e, err := range s.Entries(s.snap.Load().infos[i].ID) {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Index returns a weak pointer to the current index of source i.
func (s *Screener) Index(i int) weak.Pointer[index.Table] {
	return weak.Make(s.snap.Load().held[i].list.Index())
}

// Unsaved returns how many entries of source i match that could not be saved.
func (s *Screener) Unsaved(i int) int { return s.snap.Load().held[i].unsaved.list.Entries }

// SetClock makes s read the time from now.
func (s *Screener) SetClock(now func() time.Time) {
	set := *s.settings
	set.now = now
	s.settings = &set
	snap := s.snap.Load()
	s.snap.Store(newSnapshot(s.settings, snap.held, snap.exceptions, nil, nil))
}

// ScreenReading answers about a text that is read as rd says.
func (s *Screener) ScreenReading(text string, rd address.Reading) (r Result, err error) {
	err = s.snap.Load().screenReading(&r, text, rd)
	return r, err
}

// Errors that are not exported.
var (
	ErrLoadOnly    = errLoadOnly
	ErrStuck       = errStuck
	ErrZeroAddress = errZeroAddress
)
