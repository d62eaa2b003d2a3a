package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// claimHolds is how long a call may be repeated without being counted again.
	claimHolds = 24 * time.Hour

	// maxIdempotencyKey bounds the length of what a caller names a call.
	maxIdempotencyKey = 255
)

// idempotencyKey returns what the caller has named the call by, "" if by nothing,
// or the problem of what is no Idempotency-Key. That is a String of RFC 8941, as
// draft-ietf-httpapi-idempotency-key-header has it; what would be a Token there,
// or a UUID, is taken without the quotes, too, as many send it.
func idempotencyKey(e *exchange) (string, *problem) {
	values := e.Header["Idempotency-Key"]
	if len(values) == 0 {
		return "", nil
	}
	p := &problem{Code: invalidIdempotencyKey, Reason: "malformed", Detail: fmt.Sprintf(
		`Send one Idempotency-Key: a string in double quotes, of 1 to %d printable ASCII characters, such as "8e03978e-40d5-43dd-bc93-6894a57f9324".`, maxIdempotencyKey)}
	if len(values) > 1 {
		return "", p
	}
	text := strings.Trim(values[0], " \t")
	quoted := strings.HasPrefix(text, `"`)
	if quoted {
		if len(text) < 2 || !strings.HasSuffix(text, `"`) {
			return "", p
		}
		text = text[1 : len(text)-1]
	}
	key := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			c = text[i]
		case quoted && (c == '"' || c == '\\' || c < ' ' || c > '~'):
			return "", p
		case !quoted && !isAlphanumeric(c) && strings.IndexByte("!#$%&'*+-.^_`|~:/=", c) < 0:
			return "", p
		}
		key = append(key, c)
	}
	if len(key) == 0 || len(key) > maxIdempotencyKey {
		return "", p
	}
	return string(key), nil
}

// newClaim returns the claim of a call that e has named key, with a body. Both
// hashes are made with what only the caller knows, so that nobody else can tell
// from them what was asked by trying.
func newClaim(e *exchange, key string, body []byte) Claim {
	print := hmac.New(sha256.New, []byte(key))
	print.Write(body)
	c := Claim{KeyID: e.grant.KeyID, Token: sha256.Sum256([]byte(key)), Expires: instant(e.now.Add(claimHolds))}
	print.Sum(c.Print[:0])
	return c
}

// A charge is a screening that was counted, until it is answered. The zero charge
// is none.
type charge struct {
	ledger *ledger
	claim  *Claim // of a call that has a name, or nil
}

// charge counts the screening that e asks for and has named key, unless it was
// counted before; or it returns the problem of one that is not granted. It is to
// be undone if e is not answered with 200 after all.
func (h *handler) charge(e *exchange, key string, body []byte) *problem {
	ledger, err := h.quota.reserve(e.Context(), &e.grant, e.now)
	if key == "" {
		if err != nil {
			return h.quotaProblem(e, err)
		}
		e.charge.ledger = ledger
		return nil
	}
	if err != nil && !errors.Is(err, errExhausted) {
		return h.quotaProblem(e, err)
	}
	claim := newClaim(e, key, body)
	if err != nil { // but a repeated call is answered still
		look := claim
		look.Expires = time.Time{}
		if held, fresh, lookErr := h.quota.claim(e.Context(), look); lookErr == nil && !fresh {
			return repeated(held, claim)
		}
		return h.quotaProblem(e, err)
	}
	e.charge = charge{ledger, &claim}
	held, fresh, err := h.quota.claim(e.Context(), claim)
	switch {
	case err != nil: // and yet it may be held: whoever undoes the charge sees to that
		return h.quotaProblem(e, err)
	case fresh:
		return nil
	}
	e.charge = charge{}
	ledger.release()
	return repeated(held, claim)
}

// repeated returns the problem of a call that has the name of another one, nil if
// it is the same.
func repeated(held, claim Claim) *problem {
	if held.Print == claim.Print {
		return nil
	}
	return &problem{Code: idempotencyKeyReused, Detail: "The Idempotency-Key was used before, for a request with another body. Use a new one for each request, and the same one to repeat a request."}
}

// undo undoes the charge of e, which was not answered with 200. If its claim
// cannot be taken back the charge stays, for the call will not be counted when it
// is repeated.
func (h *handler) undo(e *exchange) {
	c := e.charge
	e.charge = charge{}
	if c.claim != nil && h.quota.unclaim(e.Context(), *c.claim) != nil {
		return
	}
	c.ledger.release()
}

// quotaProblem returns the problem of a screening that is not granted.
func (h *handler) quotaProblem(e *exchange, err error) *problem {
	switch {
	case errors.Is(err, errExhausted):
		e.w.Header().Set("Retry-After", strconv.FormatInt(until(e.now, (MonthOf(e.now)+1).Start()), 10))
		return &problem{Code: quotaExceeded, Detail: fmt.Sprintf("The quota of %d screenings in a calendar month (UTC) is used up. Nothing was screened.", e.grant.Quota)}
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.w.Header().Set("Retry-After", retrySoon)
		return &problem{Code: quotaUnavailable, Detail: "Where the quotas are counted is out of reach for now. Nothing was screened, and nothing counted."}
	}
	return h.internal(e, fmt.Errorf("quota: %w", err))
}

// claim is Claim of the store, within its time.
func (q *Quota) claim(ctx context.Context, c Claim) (held Claim, fresh bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	held, fresh, err = q.store.Claim(ctx, c)
	if err != nil && !errors.Is(err, ErrInvalid) {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		q.report(err)
	}
	return held, fresh, err
}

// unclaim is Unclaim of the store, within its time.
func (q *Quota) unclaim(ctx context.Context, c Claim) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
	defer cancel()
	err := q.store.Unclaim(ctx, c)
	if err != nil && !errors.Is(err, ErrInvalid) {
		q.report(err)
	}
	return err
}
