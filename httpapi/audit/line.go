package audit

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/score"
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

// appendLine appends the line of a screening. A line without labels, the usual case,
// takes a fraction of the time of encoding/json.
func (l *Log) appendLine(b []byte, s *httpapi.Screening) ([]byte, error) {
	b = append(b, `{"type":"screening","time":"`...)
	b = s.Time.UTC().Truncate(time.Microsecond).AppendFormat(b, time.RFC3339Nano)
	b = appendString(append(b, `","request_id":`...), s.RequestID)
	if s.Item > 0 {
		b = strconv.AppendInt(append(b, `,"item":`...), int64(s.Item), 10)
	}
	b = appendString(append(b, `,"key_id":`...), s.CallerID)
	b = appendString(append(b, `,"chain":`...), string(s.Chain))
	if l.opts.HashKey == nil {
		b = appendString(append(b, `,"address":`...), s.Address)
	} else {
		b = appendString(append(b, `,"address_hmac":`...), Hash(l.opts.HashKey, s.Address))
	}
	b = strconv.AppendInt(append(b, `,"score":`...), int64(s.Result.Score), 10)
	b = appendString(append(b, `,"level":`...), string(s.Result.Level))
	b = append(b, `,"labels":`...)
	labels := make([]label, len(s.Result.Labels))
	for i, r := range s.Result.Labels {
		labels[i] = label{r.Kind, r.Match.String(), r.Source, l.hide(r.Ref, s)}
	}
	b, err := appendList(b, labels)
	if err != nil {
		return nil, err
	}
	if len(s.Result.Suppressed) > 0 {
		excepted := make([]suppressed, len(s.Result.Suppressed))
		for i, x := range s.Result.Suppressed {
			excepted[i] = suppressed{label{x.Kind, x.Match.String(), x.Source, l.hide(x.Ref, s)}, l.hide(x.Reason, s), l.hide(x.Author, s)}
		}
		if b, err = appendList(append(b, `,"suppressed":`...), excepted); err != nil {
			return nil, err
		}
	}
	b = appendString(append(b, `,"lists":`...), s.Result.Digest())
	b = appendString(append(b, `,"scoring_version":`...), s.Result.ScoringVersion)
	return append(b, "}\n"...), nil
}

// appendList appends a list in JSON.
func appendList[T any](b []byte, list []T) ([]byte, error) {
	if len(list) == 0 {
		return append(b, "[]"...), nil
	}
	text, err := json.Marshal(list)
	return append(b, visible.JSON(text)...), err
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
	for i := range s.Result.Labels {
		if listed := s.Result.Labels[i].Listed; listed != "" && strings.Contains(folded, strings.ToLower(listed)) {
			return true
		}
	}
	for i := range s.Result.Suppressed {
		if listed := s.Result.Suppressed[i].Listed; listed != "" && strings.Contains(folded, strings.ToLower(listed)) {
			return true
		}
	}
	return false
}

// appendString appends s as encoding/json does.
func appendString(b []byte, s string) []byte {
	escaped := func(c byte) bool {
		return c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&'
	}
	if slices.ContainsFunc([]byte(s), escaped) {
		text, _ := json.Marshal(s) // no string is an error
		return append(b, visible.JSON(text)...)
	}
	return append(append(append(b, '"'), s...), '"')
}
