package screening

import (
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/wire"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// An Answer is what a [Result] says at a time, in the form in which it leaves the program: each
// member of its JSON is a member of an HTTP answer, a line of the audit trail, a receipt and
// the output of the programs. Nil slices without omitempty are written as [].
type Answer struct {
	Score      int             `json:"score"`
	Level      score.Level     `json:"level"`
	Labels     []Label         `json:"labels"`
	Suppressed []Suppressed    `json:"suppressed,omitempty"`
	Formerly   []Former        `json:"formerly,omitempty"`
	Doubts     []address.Doubt `json:"doubts"`
	Caveats    []Caveat        `json:"caveats"`
	AllClear   bool            `json:"all_clear"`
}

// Answer returns what r says now, without the URLs of the records. Only the caveats and AllClear
// depend on the time. The slices are the caller's own. Suppressed and Formerly can be nil.
func (r Result) Answer() Answer {
	a := Answer{
		Score: r.Score, Level: r.Level, Labels: append([]Label{}, r.Labels...), Suppressed: slices.Clone(r.Suppressed), Formerly: slices.Clone(r.Formerly),
		Doubts: append([]address.Doubt{}, r.Doubts...), Caveats: r.Caveats(),
	}
	a.AllClear = r.basis != nil && a.Score == 0 && len(a.Labels)+len(a.Doubts)+len(a.Caveats) == 0
	if a.Caveats == nil {
		a.Caveats = []Caveat{}
	}
	return a
}

// WithURLs sets the URLs of the records in the labels of a, and returns a. They are for readers,
// and no evidence. status is the Sources of the result.
func (a Answer) WithURLs(status []SourceStatus) Answer {
	for i := range status {
		info := &status[i].Info
		if info.RefURL == "" || len(a.Labels)+len(a.Suppressed) == 0 {
			continue
		}
		for i := range a.Labels {
			a.Labels[i].setURL(info)
		}
		for i := range a.Suppressed {
			a.Suppressed[i].setURL(info)
		}
	}
	return a
}

func (l *Label) setURL(info *sources.Info) {
	if l.Source == info.ID {
		l.URL = info.URL(l.Ref)
	}
}

// Decided reports whether a is about the account that the text means: a doubt leaves it open,
// unless something was found.
func (a *Answer) Decided() bool { return len(a.Doubts) == 0 || len(a.Labels) > 0 }

// MarshalJSON returns the address, its chain by its slug, the members of r.Answer with URLs, the
// scoring_version and the snapshot. Address and chain are "" without an Address.
func (r Result) MarshalJSON() ([]byte, error) {
	return wire.JSON(struct {
		Address string        `json:"address"`
		Chain   address.Chain `json:"chain"`
		Answer
		ScoringVersion string `json:"scoring_version"`
		Snapshot       string `json:"snapshot"`
	}{r.Address.Normalized(), r.Address.Chain(), r.Answer().WithURLs(r.Sources()), r.ScoringVersion, r.Digest()})
}

// MarshalJSON returns l without its Points.
func (l Label) MarshalJSON() ([]byte, error) { return marshalMembers(l) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (l *Label) UnmarshalJSON(text []byte) error { return unmarshalMembers(text, l) }

// MarshalJSON returns s without its Points.
func (s Suppressed) MarshalJSON() ([]byte, error) { return marshalMembers(s) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (s *Suppressed) UnmarshalJSON(text []byte) error { return unmarshalMembers(text, s) }

// MarshalJSON returns f with its times as in a [Label].
func (f Former) MarshalJSON() ([]byte, error) { return marshalMembers(f) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (f *Former) UnmarshalJSON(text []byte) error { return unmarshalMembers(text, f) }

// A wireForm is the struct with the JSON of another struct: its times are of type jsonTime, and embedded
// structs are replaced by their fields.
type wireForm struct {
	wire   reflect.Type
	fields [][]int // of the other struct
}

var wireForms sync.Map // by reflect.Type

func wireFormOf(t reflect.Type) *wireForm {
	if form, ok := wireForms.Load(t); ok {
		return form.(*wireForm)
	}
	form := &wireForm{}
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if tag := f.Tag.Get("json"); tag == "" || tag == "-" {
			continue
		}
		kind := f.Type
		if kind == reflect.TypeFor[time.Time]() {
			kind = reflect.TypeFor[jsonTime]()
		}
		fields = append(fields, reflect.StructField{Name: f.Name, Type: kind, Tag: f.Tag})
		form.fields = append(form.fields, f.Index)
	}
	form.wire = reflect.StructOf(fields)
	wireForms.Store(t, form)
	return form
}

// marshalMembers returns the JSON of a struct.
func marshalMembers(v any) ([]byte, error) {
	from := reflect.ValueOf(v)
	form := wireFormOf(from.Type())
	to := reflect.New(form.wire).Elem()
	for i, index := range form.fields {
		to.Field(i).Set(from.FieldByIndex(index).Convert(to.Field(i).Type()))
	}
	return wire.JSON(to.Interface())
}

// unmarshalMembers sets the struct at which v points to the members that marshalMembers has written.
func unmarshalMembers(text []byte, v any) error {
	to := reflect.ValueOf(v).Elem()
	form := wireFormOf(to.Type())
	from := reflect.New(form.wire)
	if err := json.Unmarshal(text, from.Interface()); err != nil {
		return err
	}
	to.SetZero()
	for i, index := range form.fields {
		field := to.FieldByIndex(index)
		field.Set(from.Elem().Field(i).Convert(field.Type()))
	}
	return nil
}

// A jsonTime is in whole seconds of UTC, and null if it is zero.
type jsonTime time.Time

// IsZero reports whether a member with omitzero is left out.
func (t jsonTime) IsZero() bool { return time.Time(t).IsZero() }

func (t jsonTime) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return time.Time(t).UTC().AppendFormat(nil, `"`+time.RFC3339+`"`), nil
}

func (t *jsonTime) UnmarshalJSON(text []byte) error {
	err := (*time.Time)(t).UnmarshalJSON(text)
	*t = jsonTime(time.Time(*t).UTC())
	return err
}
