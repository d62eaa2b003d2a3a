package audit

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/screening"
)

// A screeningLine is a line of type screening.
type screeningLine struct {
	Type        string        `json:"type"`
	Time        time.Time     `json:"time"`
	RequestID   string        `json:"request_id"`
	Item        int           `json:"item,omitempty"`
	CallerID    string        `json:"key_id"`
	Chain       address.Chain `json:"chain"`
	Address     string        `json:"address,omitempty"`
	AddressHMAC string        `json:"address_hmac,omitempty"`
	screening.Answer

	Lists          string `json:"lists"`
	ScoringVersion string `json:"scoring_version"`
}

// newLine returns the line of a screening.
func (l *Log) newLine(s *httpapi.Screening) ([]byte, error) {
	r := &s.Result
	line := screeningLine{
		Type: "screening", Time: s.Time.UTC().Truncate(time.Microsecond), RequestID: s.RequestID, Item: s.Item, CallerID: s.CallerID,
		Chain: s.Chain, Address: s.Address, Answer: r.Answer(), Lists: r.Digest(), ScoringVersion: r.ScoringVersion,
	}
	if l.opts.HashKey != nil {
		line.Address, line.AddressHMAC = "", Hash(l.opts.HashKey, s.Address)
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
			f.Ref, f.Name, f.Listed = l.hide(f.Ref, s), l.hide(f.Name, s), "hmac:"+Hash(l.opts.HashKey, f.Listed)
		}
	}
	text, err := json.Marshal(line)
	return append(visible.JSON(text), '\n'), err
}

// hideLabel hides the addresses in a label.
func (l *Log) hideLabel(x *screening.Label, s *httpapi.Screening) {
	x.Ref, x.Name, x.Listed = l.hide(x.Ref, s), l.hide(x.Name, s), "hmac:"+Hash(l.opts.HashKey, x.Listed)
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
	return "hmac:" + Hash(l.opts.HashKey, text)
}

// hasListed reports whether a folded text has a listed address of the result in it.
func (l *Log) hasListed(folded string, s *httpapi.Screening) bool {
	has := func(listed string) bool { return listed != "" && strings.Contains(folded, strings.ToLower(listed)) }
	return slices.ContainsFunc(s.Result.Labels, func(l screening.Label) bool { return has(l.Listed) }) ||
		slices.ContainsFunc(s.Result.Suppressed, func(x screening.Suppressed) bool { return has(x.Listed) }) ||
		slices.ContainsFunc(s.Result.Formerly, func(f screening.Former) bool { return has(f.Listed) })
}
