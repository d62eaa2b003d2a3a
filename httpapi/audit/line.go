package audit

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// A label is an item of labels in a line of type screening.
type label struct {
	Label  score.Kind `json:"label"`
	Match  string     `json:"match"`
	Source string     `json:"source"`
	Ref    string     `json:"source_ref"`
}

// A suppressed is a label that an operator's exception takes out of the score.
type suppressed struct {
	label
	Reason string `json:"reason"`
	Author string `json:"author"`
}

// A screeningLine is a line of type screening.
type screeningLine struct {
	Type           string        `json:"type"`
	Time           time.Time     `json:"time"`
	RequestID      string        `json:"request_id"`
	Item           int           `json:"item,omitempty"`
	CallerID       string        `json:"key_id"`
	Chain          address.Chain `json:"chain"`
	Address        string        `json:"address,omitempty"`
	AddressHMAC    string        `json:"address_hmac,omitempty"`
	Score          int           `json:"score"`
	Level          score.Level   `json:"level"`
	Labels         []label       `json:"labels"`
	Suppressed     []suppressed  `json:"suppressed,omitempty"`
	Lists          string        `json:"lists"`
	ScoringVersion string        `json:"scoring_version"`
}

// newLine returns the line of a screening.
func (l *Log) newLine(s *httpapi.Screening) ([]byte, error) {
	line := screeningLine{
		Type: "screening", Time: s.Time.UTC().Truncate(time.Microsecond), RequestID: s.RequestID, Item: s.Item, CallerID: s.CallerID,
		Chain: s.Chain, Address: s.Address, Score: s.Result.Score, Level: s.Result.Level, Labels: make([]label, len(s.Result.Labels)),
		Lists: s.Result.Digest(), ScoringVersion: s.Result.ScoringVersion,
	}
	if l.opts.HashKey != nil {
		line.Address, line.AddressHMAC = "", Hash(l.opts.HashKey, s.Address)
	}
	for i, r := range s.Result.Labels {
		line.Labels[i] = label{r.Kind, r.Match.String(), r.Source, l.hide(r.Ref, s)}
	}
	for _, x := range s.Result.Suppressed {
		line.Suppressed = append(line.Suppressed, suppressed{label{x.Kind, x.Match.String(), x.Source, l.hide(x.Ref, s)}, l.hide(x.Reason, s), l.hide(x.Author, s)})
	}
	text, err := json.Marshal(line)
	return append(visible.JSON(text), '\n'), err
}

// hide returns text, or its hash if addresses are hashed and text has one in it: some
// lists use an address as the reference of an entry.
func (l *Log) hide(text string, s *httpapi.Screening) string {
	if l.opts.HashKey == nil || text == "" {
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
		slices.ContainsFunc(s.Result.Suppressed, func(x screening.Suppressed) bool { return has(x.Listed) })
}
