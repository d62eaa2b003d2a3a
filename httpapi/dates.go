package httpapi

import (
	"net/http"
	"sync/atomic"
	"time"
)

// dates renders the field Date (RFC 9110, section 6.6.1) once a second. net/http
// looks at the clock and renders it for each answer that has none, which is 3 % of
// what it does for one. The zero value is ready for use, by several goroutines.
type dates struct{ last atomic.Pointer[date] }

// A date is the value of the field in one second of Unix time.
type date struct {
	second int64
	values []string // which headers share
}

// at returns the value of the field at now.
func (d *dates) at(now time.Time) []string {
	second := now.Unix()
	if last := d.last.Load(); last != nil && last.second == second {
		return last.values
	}
	made := &date{second, []string{now.UTC().Format(http.TimeFormat)}}
	d.last.Store(made)
	return made.values
}
