package audit

import (
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/internal/version"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

// newLine returns the line of a screening, without its lists and links.
func (l *Log) newLine(s *httpapi.Screening) ([]byte, error) {
	r, answer := &s.Result, s.Result.Answer()
	line := &receipt.Receipt{
		Time: s.Time.UTC().Truncate(time.Microsecond), RequestID: s.RequestID, Item: s.Item, CallerID: s.CallerID,
		Chain: s.Chain, Address: s.Address, Answer: &answer, ScoringVersion: r.ScoringVersion, Snapshot: r.Digest(), ModuleVersion: version.Module(),
	}
	if l.opts.HashKey != nil {
		line.Address = l.hash(s.Address)
		for i := range line.Labels {
			l.hideLabel(&line.Labels[i], s)
		}
		for i := range line.Suppressed {
			x := &line.Suppressed[i]
			l.hideLabel(&x.Label, s)
			x.Reason, x.Author = l.hide(x.Reason, s), l.hide(x.Author, s)
		}
		for i := range line.Formerly {
			f := &line.Formerly[i]
			f.Ref, f.Name, f.Listed = l.hide(f.Ref, s), l.hide(f.Name, s), l.hash(f.Listed)
		}
	}
	text, err := evidence.Marshal(evidence.Screening, line)
	if err == nil && len(text) > maxLine {
		err = errLong // else no trail with it could be read
	}
	return text, err
}

// maxLine leaves room for the lists and the links.
const maxLine = evidence.MaxTrailLine - 1<<20

func (l *Log) hash(text string) string { return "hmac:" + Hash(l.opts.HashKey, text) }

// hideLabel hides the addresses in a label.
func (l *Log) hideLabel(x *screening.Label, s *httpapi.Screening) {
	x.Ref, x.Name, x.Listed = l.hide(x.Ref, s), l.hide(x.Name, s), l.hash(x.Listed)
}

// hide returns text, or its hash if text has an address in it: some lists use an address as the
// reference of an entry.
func (l *Log) hide(text string, s *httpapi.Screening) string {
	if text == "" {
		return text
	}
	folded := strings.ToLower(text)
	if !strings.Contains(folded, strings.ToLower(s.Address)) && !l.hasListed(folded, s) && len(address.FindAll(text)) == 0 {
		return text
	}
	return l.hash(text)
}

// hasListed reports whether a folded text has a listed address of the result in it.
func (l *Log) hasListed(folded string, s *httpapi.Screening) bool {
	has := func(listed string) bool { return listed != "" && strings.Contains(folded, strings.ToLower(listed)) }
	return slices.ContainsFunc(s.Result.Labels, func(l screening.Label) bool { return has(l.Listed) }) ||
		slices.ContainsFunc(s.Result.Suppressed, func(x screening.Suppressed) bool { return has(x.Listed) }) ||
		slices.ContainsFunc(s.Result.Formerly, func(f screening.Former) bool { return has(f.Listed) })
}
