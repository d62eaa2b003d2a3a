package screening

import (
	"cmp"
	"errors"
	"slices"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
)

// screenInput is [Screener.ScreenInput].
func (snap *snapshot) screenInput(chain, text string) (r Result, rd address.Reading, err error) {
	if snap.screenEVM(&r, address.Chain(chain), text) {
		return r, address.Reading{Addresses: []address.Address{r.Address}, Chain: r.Address.Chain()}, nil
	}
	rd = address.Interpret(chain, text)
	err = snap.screenReading(&r, text, rd)
	return r, rd, err
}

// readOn reads a text on chain c, where [address.Parse] returns err. If c is not a slug,
// Err says so, and the reading is on all chains.
func readOn(c address.Chain, text string, err error) address.Reading {
	if !errors.Is(err, address.ErrChain) {
		return address.Interpret(string(c), text)
	}
	rd := address.Interpret("", text)
	rd.Err = err
	return rd
}

// screenReading sets r, which is zero, to the answer about a text that is read as rd
// says: the highest score among the accounts that it can mean. A listed string that is
// not an address has the labels of that listing, too.
func (snap *snapshot) screenReading(r *Result, text string, rd address.Reading) error {
	if err := snap.ready(); err != nil {
		return cmp.Or(rd.Err, err)
	}
	if a := rd.Addresses; rd.Err == nil && len(a) == 1 && rd.Doubts == nil && a[0].Normalized() == text {
		return snap.screenSure(r, a[0]) // which finds a listing of the very text, too: it is found under all that Detect reads in it
	}
	literal := snap.literal(text)
	best, agree, err := snap.screenBest(rd, &literal)
	if err != nil {
		return err
	}
	if len(rd.Addresses) == 0 && !literal.isEmpty() {
		best = literal
		snap.finish(&best)
	}
	if rd.Err != nil && literal.Labels != nil && !errors.Is(rd.Err, address.ErrChain) {
		rd.Err, best.Address = nil, address.Address{} // it is listed as it stands
	}
	if rd.Several && rd.Err == nil && len(best.Labels) == 0 {
		rd.Err = &address.ParseError{Chain: rd.Chain, Offset: -1, Err: address.ErrSeveral}
	}
	if rd.Err != nil && len(best.Labels)+len(best.Suppressed) == 0 {
		if len(best.Formerly) > 0 { // shown, without a level
			*r = best
			r.Level = ""
		}
		return rd.Err
	}
	best.Doubts = doubts(rd)
	if !agree && !rd.Several {
		best.Doubts = append(best.Doubts, address.DoubtAmbiguous)
	}
	slices.Sort(best.Doubts)
	best.Doubts = slices.Compact(best.Doubts)
	*r = best
	return rd.Err
}

// doubts returns the doubts of a reading, with the doubt that its error means.
func doubts(rd address.Reading) []address.Doubt {
	all := slices.Clone(rd.Doubts)
	switch {
	case rd.Err == nil || errors.Is(rd.Err, address.ErrSeveral):
	case errors.Is(rd.Err, address.ErrChain) || errors.Is(rd.Err, address.ErrOtherChain):
		all = append(all, address.DoubtWrongChain)
	default:
		all = append(all, address.DoubtMalformed)
	}
	return all
}

// screenBest returns the answer with the highest score among the accounts that rd can mean, and
// reports whether all are listed or none is. literal is what the lists say of the text itself.
func (snap *snapshot) screenBest(rd address.Reading, literal *Result) (best Result, agree bool, err error) {
	var allowed []Suppressed // on the most likely chain
	agree = true
	for i, a := range rd.Addresses {
		var one Result
		if err := snap.screenSpelled(&one, a, literal); err != nil {
			return best, agree, err
		}
		if i == 0 && !rd.Several {
			allowed = one.Suppressed
		}
		snap.suppressAs(&one, allowed)
		agree = agree && (i == 0 || len(one.Labels) > 0 == (len(best.Labels) > 0))
		if i == 0 || one.outranks(&best) {
			best = one
		}
	}
	return best, agree, nil
}

// screenSpelled is screenSure for an address of whose spelling the lists say literal.
func (snap *snapshot) screenSpelled(r *Result, a address.Address, literal *Result) error {
	if literal.isEmpty() || snap.ready() != nil {
		return snap.screenSure(r, a)
	}
	*r = snap.clean
	r.Address = a
	snap.findAll(r)
	r.Labels, r.Formerly = append(r.Labels, literal.Labels...), append(r.Formerly, literal.Formerly...)
	snap.finish(r)
	return nil
}

// suppressAs suppresses the labels of r by the exceptions for another account that the
// same text can mean, if they are about the same entries. An entry of the very account of r is another one.
func (snap *snapshot) suppressAs(r *Result, allowed []Suppressed) {
	if len(allowed) == 0 || len(r.Labels) == 0 {
		return
	}
	labels := r.Labels
	r.Labels, r.Score, r.Level = nil, 0, snap.clean.Level
	for _, l := range labels {
		i := slices.IndexFunc(allowed, func(s Suppressed) bool { return s.Source == l.Source && s.Kind == l.Kind && s.Ref == l.Ref })
		if i < 0 || l.Match == score.Exact || l.Match == score.Family {
			r.Labels = append(r.Labels, l)
			continue
		}
		s := allowed[i]
		s.Label = l
		r.Suppressed = append(r.Suppressed, s)
	}
	if len(r.Labels) > 0 {
		r.Score = r.Labels[0].Points
		r.Level = snap.opts.Table.Level(r.Score)
	}
}

// outranks reports whether r says more than best about the same text.
func (r *Result) outranks(best *Result) bool {
	return cmp.Or(cmp.Compare(r.Score, best.Score), len(r.Labels)-len(best.Labels), len(r.Suppressed)-len(best.Suppressed),
		len(r.Formerly)-len(best.Formerly)) > 0
}
