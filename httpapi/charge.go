package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// charge charges the caller with up to n screenings, and sets charged to the number
// that is granted; or it returns the problem if none is. body is the body of the
// request.
func (e *exchange) charge(n int, body []byte) *problem {
	if e.Meter == nil || !e.counts {
		e.charged = n
		return nil
	}
	granted, refund, err := e.Meter.Charge(e.Request, e.caller, n, body)
	if err != nil {
		return e.uncharged(err)
	}
	e.charged, e.refund = granted, refund
	return nil
}

// refundAll refunds the charge for a response that is not a success.
func (e *exchange) refundAll() {
	if e.refund != nil {
		e.refund(e.charged)
	}
	e.charged, e.refund = 0, nil
}

// uncharged returns the problem for an error of the Meter.
func (e *exchange) uncharged(err error) *problem {
	switch {
	case errors.Is(err, ErrExhausted):
		until := "0"
		if _, _, end, err := e.Meter.Used(e.Context(), e.caller, false); err == nil {
			until = strconv.FormatInt(max(1, ceil(end.Sub(e.now).Seconds())), 10)
		}
		e.setRetryAfter(err, until)
		return &problem{Code: quotaExceeded, Detail: fmt.Sprintf("The quota of %d screenings in a calendar month (UTC) is used up. Nothing was screened.", e.caller.Quota)}
	case errors.Is(err, ErrIdempotencyKey):
		return &problem{Code: invalidIdempotencyKey, Reason: "malformed", Detail: `Send one Idempotency-Key: a string in double quotes, of 1 to 255 printable ASCII characters, such as "8e03978e-40d5-43dd-bc93-6894a57f9324".`}
	case errors.Is(err, ErrKeyReused):
		return &problem{Code: idempotencyKeyReused, Detail: "The Idempotency-Key was used before, for a request with another body. Use a new one for each request, and the same one to repeat a request."}
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.logError(quotaUnavailable, fmt.Errorf("quota: %w", err))
		e.setRetryAfter(err, retrySoon)
		return &problem{Code: quotaUnavailable, Detail: "The quotas cannot be read at the moment. Nothing was screened, and nothing was counted."}
	}
	return e.internal(fmt.Errorf("quota: %w", err))
}
