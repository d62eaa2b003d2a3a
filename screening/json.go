package screening

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/score"
)

// The types below are the JSON of results and labels, with the members that package
// httpapi writes.

type jsonResult struct {
	Address        string           `json:"address"`
	Chain          address.Chain    `json:"chain"`
	Score          int              `json:"score"`
	Level          score.Level      `json:"level"`
	Labels         []jsonLabel      `json:"labels"`
	Suppressed     []jsonSuppressed `json:"suppressed,omitempty"`
	Doubts         []address.Doubt  `json:"doubts"`
	Caveats        []Caveat         `json:"caveats"`
	AllClear       bool             `json:"all_clear"`
	Formerly       []Former         `json:"formerly,omitempty"`
	ScoringVersion string           `json:"scoring_version"`
	Snapshot       string           `json:"snapshot"`
}

type jsonLabel struct {
	Kind    score.Kind  `json:"label"`
	Source  string      `json:"source"`
	Ref     string      `json:"source_ref"`
	AddedAt *string     `json:"added_at"`
	Name    string      `json:"name,omitempty"`
	Match   score.Match `json:"match"`
	Listed  string      `json:"listed_address"`
	URL     string      `json:"url,omitempty"`

	NotListedOn    *string `json:"not_listed_on,omitempty"`
	EntityListedAt *string `json:"entity_listed_at,omitempty"`
}

type jsonSuppressed struct {
	jsonLabel
	Reason  string  `json:"reason"`
	Author  string  `json:"author"`
	Expires *string `json:"expires_at"`
}

// MarshalJSON returns the members of an HTTP answer that r determines: receipt,
// data_freshness, screened_at and _disclaimer are not among them. The caveats and all_clear
// depend on the time of the call; the other members are always the same. The chain is its
// slug; address and chain are "" without an Address.
func (r Result) MarshalJSON() ([]byte, error) {
	a := r.Address
	j := jsonResult{
		Address: a.Normalized(), Chain: a.Chain(), Score: r.Score, Level: r.Level,
		Labels: []jsonLabel{}, Doubts: append([]address.Doubt{}, r.Doubts...), Caveats: append([]Caveat{}, r.Caveats()...),
		AllClear: r.AllClear(), Formerly: r.Formerly, ScoringVersion: r.ScoringVersion, Snapshot: r.Digest(),
	}
	urls := map[string]func(ref string) string{}
	for _, s := range r.Sources() {
		if s.Info.RefURL != "" {
			urls[s.Info.ID] = s.Info.URL
		}
	}
	label := func(l *Label) jsonLabel {
		j := l.json()
		if url := urls[l.Source]; url != nil {
			j.URL = url(l.Ref)
		}
		return j
	}
	for i := range r.Labels {
		j.Labels = append(j.Labels, label(&r.Labels[i]))
	}
	for i := range r.Suppressed {
		s := &r.Suppressed[i]
		j.Suppressed = append(j.Suppressed, jsonSuppressed{label(&s.Label), s.Reason, s.Author, jsonTime(s.Expires)})
	}
	return marshalJSON(j)
}

// MarshalJSON returns l as in the JSON of a [Result], without the URL of the record.
func (l Label) MarshalJSON() ([]byte, error) { return marshalJSON(l.json()) }

// UnmarshalJSON is the inverse of MarshalJSON, which leaves out the Points.
func (l *Label) UnmarshalJSON(text []byte) error {
	var j jsonLabel
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	added, err := parseJSONTime(j.AddedAt)
	not, err2 := parseJSONTime(j.NotListedOn)
	entity, err3 := parseJSONTime(j.EntityListedAt)
	err = errors.Join(err, err2, err3)
	*l = Label{Kind: j.Kind, Match: j.Match, Source: j.Source, Ref: j.Ref, Name: j.Name, Listed: j.Listed, AddedAt: added, NotListedOn: not, EntityListedAt: entity}
	return err
}

// MarshalJSON returns s as in the JSON of a [Result], without the URL of the record.
func (s Suppressed) MarshalJSON() ([]byte, error) {
	return marshalJSON(jsonSuppressed{s.Label.json(), s.Reason, s.Author, jsonTime(s.Expires)})
}

// UnmarshalJSON sets s to what MarshalJSON has written, which is all but the Points.
func (s *Suppressed) UnmarshalJSON(text []byte) error {
	var j jsonSuppressed
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	expires, err := parseJSONTime(j.Expires)
	*s = Suppressed{Reason: j.Reason, Author: j.Author, Expires: expires}
	return errors.Join(err, s.Label.UnmarshalJSON(text))
}

// A jsonFormer is a Former in JSON.
type jsonFormer struct {
	Source string  `json:"source"`
	Ref    string  `json:"source_ref"`
	Name   string  `json:"name,omitempty"`
	Listed string  `json:"listed_address"`
	Since  *string `json:"since"`
	Until  *string `json:"until"`
}

// MarshalJSON returns f as in the JSON of a [Result].
func (f Former) MarshalJSON() ([]byte, error) {
	return marshalJSON(jsonFormer{f.Source, f.Ref, f.Name, f.Listed, jsonTime(f.Since), jsonTime(f.Until)})
}

// UnmarshalJSON sets f to what MarshalJSON has written.
func (f *Former) UnmarshalJSON(text []byte) error {
	var j jsonFormer
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	since, err := parseJSONTime(j.Since)
	until, err2 := parseJSONTime(j.Until)
	*f = Former{j.Source, j.Ref, j.Name, j.Listed, since, until}
	return errors.Join(err, err2)
}

// marshalJSON leaves it to the caller's encoder to escape HTML, and escapes characters that
// nobody sees.
func marshalJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return visible.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

func (l *Label) json() jsonLabel {
	return jsonLabel{Kind: l.Kind, Source: l.Source, Ref: l.Ref, AddedAt: jsonTime(l.AddedAt), Name: l.Name, Match: l.Match, Listed: l.Listed,
		NotListedOn: jsonTime(l.NotListedOn), EntityListedAt: jsonTime(l.EntityListedAt)}
}

// jsonTime returns t in RFC 3339, in UTC and whole seconds, or nil if it is zero.
func jsonTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339)
	return &text
}

// parseJSONTime reverses jsonTime.
func parseJSONTime(text *string) (time.Time, error) {
	if text == nil {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, *text)
	return t.UTC(), err
}
