package httpapi

import (
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// screen answers a POST to /api/v1/screen.
func (e *exchange) screen() ([]byte, *problem) {
	body, p := e.readBody(e.MaxBody)
	if p != nil {
		return nil, p
	}
	fields, p := readObject(body, e.route)
	if p != nil {
		return nil, p
	}
	text, name := fields["address"].(string), fields["chain"].(string)
	at, past := fields["at"].(string)
	wantsReceipt := fields["receipt"] == true
	if wantsReceipt && past {
		return nil, &problem{Code: receiptUnavailable, Field: "receipt", Reason: "past", Detail: "A receipt is of the lists of now: leave out the field at, or the field receipt."}
	}
	if wantsReceipt && e.Receipt == nil {
		return nil, &problem{Code: receiptUnavailable, Field: "receipt", Reason: "unsupported", Detail: "This server writes no receipts."}
	}
	e.hide(text)
	var then time.Time
	if past {
		if then, p = e.readAt(at); p != nil {
			return nil, p
		}
	}
	chain, err := address.ParseChain(name)
	if err != nil {
		return nil, e.failed(name, err)
	}
	found, err := e.screener.ScreenText(chain, text)
	if isUnlisted(found, err, wantsReceipt) { // before lists of the past are opened
		return nil, e.failed(name, err)
	}
	e.now = time.Now()
	if p := e.charge(1); p != nil { // before errors that are not the client's
		return nil, p
	}
	if !then.IsZero() {
		lists, p := e.openPast(then)
		if p != nil {
			return nil, p
		}
		if found, err = lists.ScreenText(chain, text); isUnlisted(found, err, wantsReceipt) {
			return nil, e.failed(name, err)
		}
	}
	if p := e.enter(false); p != nil { // not while it waited for the Meter
		return nil, p
	}
	if err != nil && !isInput(err) {
		return nil, e.failed(name, err)
	}
	shown := e.shown(found)
	if c := found.Address.Chain(); c != "" && c != chain { // it is listed there
		chain, name = c, string(c)
	}
	answer := newResult(text, name, shown)
	if wantsReceipt {
		receipt, err := e.Receipt(chain, text, shown, e.now)
		if err != nil {
			return nil, e.internal(err)
		}
		answer.Receipt = string(receipt)
	}
	e.hide(answer.Address)
	if e.Audit != nil {
		if p := e.unrecorded(e.record(0, chain, answer.Address, found)); p != nil {
			return nil, p
		}
	}
	e.screened = 1
	if e.Observe != nil {
		e.result = found
	}
	return e.withSnapshot(marshal(answer), found.Sources(), found.Digest(), found.ScoringVersion), nil
}

// isUnlisted reports whether err says that a text is not an address, and nothing in it is listed.
// A receipt is about an address, so what is listed does not count for it.
func isUnlisted(found screening.Result, err error, wantsReceipt bool) bool {
	return err != nil && isInput(err) && (len(found.Labels) == 0 || wantsReceipt)
}

// shown returns what the caller may see of a result.
func (e *exchange) shown(r screening.Result) screening.Result {
	if len(r.Labels)+len(r.Suppressed)+len(r.Formerly) == 0 || e.caller.has(scopeOwn) {
		return r
	}
	return r.WithoutOwn()
}

// record gives one answer to Options.Audit.
func (e *exchange) record(item int, chain address.Chain, address string, r screening.Result) error {
	return e.Audit(e.Context(), Screening{Time: e.now, RequestID: e.id, Item: item, CallerID: e.caller.ID, Chain: chain, Address: address, Result: r})
}

// unrecorded returns the problem for an error of Options.Audit, or nil for none.
func (e *exchange) unrecorded(err error) *problem {
	if err == nil {
		return nil
	}
	e.logError(auditUnavailable, fmt.Errorf("audit: %w", err))
	return &problem{Code: auditUnavailable, Detail: "The screening could not be recorded, so it is not answered."}
}
