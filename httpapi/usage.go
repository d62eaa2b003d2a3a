package httpapi

import (
	"time"
)

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

// usage answers a GET to the usage path.
func (h *handler) usage(e *exchange) ([]byte, *problem) {
	u, err := h.quota.Usage(e.Context(), e.grant)
	if err != nil {
		return nil, h.quotaProblem(e, err)
	}
	answer := usage{KeyID: e.grant.KeyID, Month: u.Month.String(), Used: u.Used, ResetsAt: u.Resets.Format(time.RFC3339)}
	if u.Limit > 0 {
		answer.Limit, answer.Remaining = &u.Limit, &u.Remaining
	}
	if b := e.bucket; b != nil {
		answer.Burst = &usageBurst{b.burst, b.rate, b.tokens(e.now)}
	}
	return marshal(answer), nil
}
