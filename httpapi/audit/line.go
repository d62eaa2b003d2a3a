package audit

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
)

// A label is one of those in a line of type screening.
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

// appendLine appends the line of a screening. A line without labels, as most are,
// costs a fraction of what encoding/json would take for it.
func (l *Log) appendLine(b []byte, s *httpapi.Screening) ([]byte, error) {
	b = append(b, `{"type":"screening","time":"`...)
	b = s.Time.UTC().Truncate(time.Microsecond).AppendFormat(b, time.RFC3339Nano)
	b = appendString(append(b, `","request_id":`...), s.RequestID)
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
		labels[i] = label{r.Kind, r.Match.String(), r.Source, r.Ref}
	}
	b, err := appendList(b, labels)
	if err != nil {
		return nil, err
	}
	if len(s.Result.Suppressed) > 0 {
		excepted := make([]suppressed, len(s.Result.Suppressed))
		for i, x := range s.Result.Suppressed {
			excepted[i] = suppressed{label{x.Kind, x.Match.String(), x.Source, x.Ref}, x.Reason, x.Author}
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
	return append(b, text...), err
}

// appendString appends s as encoding/json does.
func appendString(b []byte, s string) []byte {
	escaped := func(c byte) bool {
		return c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&'
	}
	if slices.ContainsFunc([]byte(s), escaped) {
		text, _ := json.Marshal(s) // no string is an error
		return append(b, text...)
	}
	return append(append(append(b, '"'), s...), '"')
}
