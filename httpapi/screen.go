package httpapi

import (
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

// A question is the body of a POST to /api/v1/screen.
type question struct {
	text    string
	name    string // of the chain, as in the body
	chain   address.Chain
	at      time.Time // of the lists; zero means now
	receipt bool
}

// screen answers a POST to /api/v1/screen. Checks that are cheap, or find a fault of the client, come before
// the charge, and lists of the past are opened after it.
func (e *exchange) screen() ([]byte, *problem) {
	q, p := e.readQuestion()
	if p != nil {
		return nil, p
	}
	found, err := e.screener.ScreenText(q.chain, q.text)
	if err != nil && q.isUnlisted(found, err) && (q.at.IsZero() || len(found.Formerly) == 0) { // it may have been listed then
		return nil, e.failed(err)
	}
	e.now = time.Now()
	if p := e.charge(1); p != nil { // before errors that are not the client's
		return nil, p
	}
	if !q.at.IsZero() {
		lists, p := e.openPast(q.at)
		if p != nil {
			return nil, p
		}
		if found, err = lists.ScreenText(q.chain, q.text); err != nil && q.isUnlisted(found, err) {
			return nil, e.failed(err)
		}
	}
	if p := e.enter(false); p != nil { // not while it waited for the Meter
		return nil, p
	}
	if err != nil && !isInput(err) {
		return nil, e.failed(err)
	}
	return e.answerQuestion(q, found)
}

// readQuestion returns the question of a request to screen.
func (e *exchange) readQuestion() (q question, p *problem) {
	q.text, q.name = e.fields["address"].(string), e.fields["chain"].(string)
	q.receipt = e.fields["receipt"] == true
	at, past := e.fields["at"].(string)
	switch {
	case q.receipt && past:
		return q, &problem{Code: receiptUnavailable, Field: "receipt", Reason: "past", Detail: "A receipt is of the lists of now: leave out the field at, or the field receipt."}
	case q.receipt && e.Receipt == nil:
		return q, &problem{Code: receiptUnavailable, Field: "receipt", Reason: "unsupported", Detail: "This server writes no receipts."}
	}
	if past {
		if q.at, p = e.readAt(at); p != nil {
			return q, p
		}
	}
	var err error
	if q.chain, err = address.ParseChain(q.name); err != nil {
		return q, e.failed(err)
	}
	return q, nil
}

// answerQuestion returns the answer, with its receipt.
func (e *exchange) answerQuestion(q question, found screening.Result) (body []byte, p *problem) {
	asked := q.chain
	if len(found.Labels) > 0 && found.Address.IsValid() && found.Address.Chain() != q.chain { // it is listed there
		q.chain = found.Address.Chain()
		q.name = string(q.chain)
	}
	var shown screening.Result
	e.answer, shown = e.newResult(q.text, q.name, found)
	if q.receipt {
		receipt, err := e.Receipt(e.record(0, asked, e.answer.Address, shown), q.text)
		if err != nil {
			return nil, e.internal("receipt", err)
		}
		e.answer.Receipt = string(receipt)
	}
	if e.Audit != nil || e.Observe != nil {
		e.screened = append(e.one[:0], e.record(0, q.chain, e.answer.Address, found))
	}
	return e.bodyOf(&e.answer, found), nil
}

// isUnlisted reports whether err says that a text is not an address, and nothing in it is listed.
// A receipt is about an address, so listed texts do not count for it.
func (q *question) isUnlisted(found screening.Result, err error) bool {
	return isInput(err) && (len(found.Labels) == 0 || q.receipt)
}

// record returns the record of one answer.
func (e *exchange) record(item int, chain address.Chain, address string, r screening.Result) Screening {
	return Screening{Time: e.now, RequestID: e.id, Item: item, CallerID: e.caller.ID, Chain: chain, Address: address, Result: r, AsOf: e.asOf}
}

// audit records what was screened, if anything was.
func (e *exchange) audit() *problem {
	if len(e.screened) == 0 {
		return nil
	}
	err := e.Audit(e.Context(), e.screened...)
	if err == nil {
		return nil
	}
	e.logError(auditUnavailable, "audit", err)
	return &problem{Code: auditUnavailable, Detail: "The screening could not be recorded, so it is not answered."}
}
