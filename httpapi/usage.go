package httpapi

import "time"

// A usage is the answer to GET /api/v1/usage.
type usage struct {
	KeyID     string      `json:"key_id"`
	Month     string      `json:"month"` // as in "2026-11", in UTC
	Limit     *int64      `json:"limit"` // null if there is none
	Used      int64       `json:"used"`
	Remaining *int64      `json:"remaining"` // null if there is no limit
	ResetsAt  string      `json:"resets_at"`
	Burst     *usageBurst `json:"burst"` // null if there is no limit
}

type usageBurst struct {
	Limit     int     `json:"limit"`
	Rate      float64 `json:"rate"` // per second
	Remaining int64   `json:"remaining"`
}

// usage answers a GET to /api/v1/usage.
func (e *exchange) usage() ([]byte, *problem) {
	if e.Meter == nil {
		return nil, &problem{Code: notFound, Detail: "This server does not count screenings."}
	}
	used, from, until, err := e.Meter.Used(e.Context(), e.caller, true)
	if err != nil {
		return nil, e.uncharged(err)
	}
	if p := e.enter(false); p != nil { // not while it waited for the store
		return nil, p
	}
	answer := usage{KeyID: e.caller.ID, Month: from.Format("2006-01"), Used: used, ResetsAt: until.Format(time.RFC3339)}
	if limit := e.caller.Quota; limit > 0 {
		remaining := max(0, limit-used)
		answer.Limit, answer.Remaining = &limit, &remaining
	}
	if b := e.caller.Burst; b != nil {
		answer.Burst = &usageBurst{b.Burst(), float64(b.Limit()), max(0, int64(b.TokensAt(e.now)))}
	}
	return marshal(&e.buf, answer), nil
}
