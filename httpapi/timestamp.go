package httpapi

import "time"

// A timestamp is a time in RFC 3339, UTC, in whole seconds; null if zero.
type timestamp struct{ time.Time }

// MarshalJSON implements [json.Marshaler].
func (t timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().AppendFormat(nil, `"2006-01-02T15:04:05Z"`), nil
}
