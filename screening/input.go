package screening

import (
	"github.com/walletscreen/walletscreen/address"
)

// screenInput is [Screener.ScreenInput].
func (snap *snapshot) screenInput(chain, text string) (Result, address.Reading, error) {
	rd := address.Interpret(chain, text)
	var best Result
	agree := true
	for i, a := range rd.Addresses {
		var r Result
		if err := snap.screen(&r, a); err != nil {
			return Result{}, rd, err
		}
		agree = agree && (i == 0 || r.Level == best.Level)
		if i == 0 || r.Score > best.Score {
			best = r
		}
	}
	err := rd.Err
	switch {
	case err != nil && len(best.Labels)+len(best.Suppressed) == 0:
		var r Result
		if e := snap.screenLiteral(&r, text, err); e != nil {
			return Result{}, rd, e
		}
		best = r
		err = nil
	case rd.Several && len(best.Labels) == 0:
		return Result{}, rd, address.ErrSeveral
	case !rd.Several && !agree:
		best.Doubts = append(best.Doubts, address.DoubtAmbiguous)
	}
	best.Doubts = append(best.Doubts, rd.Doubts...)
	return best, rd, err
}
