package httpapi

import "time"

// A timestamp is a time in RFC 3339, UTC, in whole seconds; null if zero.
type timestamp struct{ time.Time }

// MarshalJSON implements [json.Marshaler].
func (t timestamp) MarshalJSON() ([]byte, error) { return t.appendJSON(nil), nil }

// appendJSON appends t digit by digit, in half the time of time.Time.AppendFormat.
func (t timestamp) appendJSON(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	u := t.UTC()
	year, month, day := u.Date()
	hour, minute, second := u.Clock()
	if year < 0 || year > 9999 { // RFC 3339 has no such year
		return append(u.AppendFormat(append(b, '"'), time.RFC3339), '"')
	}
	b = appendTwo(append(b, '"'), year/100)
	b = appendTwo(b, year%100)
	b = appendTwo(append(b, '-'), int(month))
	b = appendTwo(append(b, '-'), day)
	b = appendTwo(append(b, 'T'), hour)
	b = appendTwo(append(b, ':'), minute)
	b = appendTwo(append(b, ':'), second)
	return append(b, 'Z', '"')
}

// appendTwo appends the two digits of n, from 0 to 99.
func appendTwo(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }
