package httpapi

import (
	"fmt"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// screen answers a POST to /api/v1/screen.
func (e *exchange) screen() ([]byte, *problem) {
	if p := e.checkContent(); p != nil {
		return nil, p
	}
	body, p := e.readBody(e.MaxBody)
	if p != nil {
		return nil, p
	}
	req, p := readScreenRequest(body)
	if p != nil {
		return nil, p
	}
	if req.receipt && req.at != nil {
		return nil, &problem{Code: receiptUnavailable, Field: "receipt", Reason: "past", Detail: "A receipt is of the lists of now: leave out the field at, or the field receipt."}
	}
	if req.receipt && e.Receipt == nil {
		return nil, &problem{Code: receiptUnavailable, Field: "receipt", Reason: "unsupported", Detail: "This server writes no receipts."}
	}
	e.hide(req.Address)
	lists := lists(e.screener)
	if req.at != nil {
		if lists, p = e.listsAt(*req.at); p != nil {
			return nil, p
		}
	}
	chain, err := address.ParseChain(req.Chain)
	if err != nil {
		return nil, e.failed(req.Chain, err)
	}
	result, err := lists.ScreenText(chain, req.Address)
	if err != nil && isInput(err) {
		return nil, e.failed(req.Chain, err)
	}
	e.now = time.Now()
	if p := e.charge(1, body); p != nil { // before errors that are not the client's
		return nil, p
	}
	if p := e.enter(false); p != nil { // not while it waited for the Meter
		return nil, p
	}
	if err != nil {
		return nil, e.failed(req.Chain, err)
	}
	var receipt []byte
	if req.receipt {
		if receipt, err = e.Receipt(chain, req.Address, result, e.now); err != nil {
			return nil, e.internal(err)
		}
	}
	answer := newResult(req, &result)
	answer.Receipt = string(receipt)
	e.hide(answer.Address)
	if e.Audit != nil {
		if p := e.unrecorded(e.Audit(e.Context(), e.recordOf(0, chain, req, result))); p != nil {
			return nil, p
		}
	}
	e.screened = 1
	if e.Observe != nil {
		e.result = result
	}
	return e.withSnapshot(marshal(answer), result.Sources(), result.Digest(), result.ScoringVersion, e.now, e.asOf), nil
}

// recordOf returns the record of one answer.
func (e *exchange) recordOf(item int, chain address.Chain, req screenRequest, r screening.Result) Screening {
	return Screening{Time: e.now, RequestID: e.id, Item: item, CallerID: e.caller.ID, Chain: chain, Address: screened(req, &r), Result: r}
}

// unrecorded returns the problem for an error of Options.Audit, or nil for none.
func (e *exchange) unrecorded(err error) *problem {
	if err == nil {
		return nil
	}
	e.logError(auditUnavailable, fmt.Errorf("audit: %w", err))
	return &problem{Code: auditUnavailable, Detail: "The screening could not be recorded, so it is not answered."}
}
