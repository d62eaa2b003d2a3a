package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

// Limits of a table that a client sends.
const (
	maxTable      = 32 << 20
	tablePatience = time.Minute
)

// maxVerdicts bounds the table that is answered, in bytes: a short row, or a compressed one, may have a
// long verdict.
var maxVerdicts = 64 << 20

var errVerdicts = errors.New("the table with verdicts is too large")

// An answeredTable is a table with verdicts, of a bounded length.
type answeredTable []byte

func (v *answeredTable) Write(p []byte) (int, error) {
	if len(*v)+len(p) > maxVerdicts {
		return 0, errVerdicts
	}
	*v = append(*v, p...)
	return len(p), nil
}

// A tableCall is a table that a client sends. As screeningLists, it charges and records each row.
type tableCall struct {
	*screening.Screener
	server  *server
	request *http.Request
	caller  httpapi.Caller
	record  receipt.Receipt
	refunds []func(int) // of the rows that were charged, each for its month
	failed  error       // of a charge or a record
}

// ScreenInput screens a row.
func (c *tableCall) ScreenInput(chain, text string) (screening.Result, address.Reading, error) {
	r, reading, err := c.Screener.ScreenInput(chain, text)
	if c.failed != nil || err != nil && len(r.Labels) == 0 {
		return r, reading, err
	}
	_, refund, failed := c.server.keys.ring.Charge(c.request, c.caller, 1, nil)
	if c.failed = failed; failed != nil {
		return r, reading, err
	}
	c.refunds = append(c.refunds, refund)
	if c.server.trail != nil {
		shown := strings.TrimSpace(text)
		if r.Address.IsValid() {
			shown = r.Address.Normalized()
		}
		c.failed = c.server.trail.Record(c.request.Context(), httpapi.Screening{Time: c.record.Time, RequestID: c.record.RequestID, Item: len(c.refunds) - 1,
			CallerID: c.caller.ID, Chain: r.Address.Chain(), Address: shown, Result: r})
	}
	return r, reading, err
}

// table answers a POST of a table with what screen -in -out -receipt writes. The query says how it
// is read, by the names of the flags.
func (s *server) table(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code, detail string) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]any{"status": status, "code": code, "detail": detail})
	}
	c := &tableCall{Screener: s.screener, server: s, request: r.Clone(r.Context())}
	c.request.Header.Del("Idempotency-Key") // each row counts
	c.caller, _ = httpapi.CallerOf(r.Context())
	if owns := len(s.lists.own) > 0 || s.decisions != nil; owns && c.caller.Scopes != "" && !strings.Contains(" "+c.caller.Scopes+" ", " own ") {
		refuse(http.StatusForbidden, "insufficient_scope", "The caller is known, but lacks the scope own, without which the receipt of a table cannot be written.")
		return
	}
	if !s.tables.TryLock() { // before a body is held in memory
		w.Header().Set("Retry-After", "5")
		refuse(http.StatusServiceUnavailable, "overloaded", "Another table is being screened. Send this one again in a few seconds.")
		return
	}
	defer s.tables.Unlock()
	rc, until := http.NewResponseController(w), time.Now().Add(tablePatience)
	rc.SetReadDeadline(until)
	rc.SetWriteDeadline(until)
	ctx, cancel := context.WithDeadline(r.Context(), until.Add(-time.Second))
	defer cancel()
	in, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTable))
	if err != nil {
		refuse(http.StatusRequestEntityTooLarge, "body_too_large", "A table may have at most 32 MiB.")
		return
	}
	first, err := s.screener.Screen(anyAddress)
	if err != nil {
		refuse(http.StatusServiceUnavailable, "sources_unavailable", err.Error())
		return
	}
	c.record = *receipt.From(first, time.Now())
	c.record.RequestID, c.record.CallerID = w.Header().Get("X-Request-Id"), c.caller.ID

	q, hashes := r.URL.Query(), newTableHashes()
	var out answeredTable
	j := newJudge(c, q.Get("chain"))
	j.each = func(_ *rows.Row, v *verdict) { v.hash(hashes.verdicts) }
	job := &tableJob{program: &program{stdin: bytes.NewReader(in), stdout: &out, stderr: io.Discard}, add: verdictColumns, cells: j.cells, hashes: hashes,
		options: tableOptions{in: "-", out: "-", chain: q.Get("chain"), addressColumn: q.Get("address-column"), chainColumn: q.Get("chain-column")}}
	var text []byte
	if err = job.run(ctx); err == nil {
		text, err = job.receipt(&c.record, j, s.signers)
	}
	switch err = errors.Join(c.failed, err); {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(struct {
			Output  []byte `json:"output"` // in base64: its bytes are those that the receipt names
			Receipt string `json:"receipt"`
		}{out, string(text)})
		return
	case errors.Is(err, httpapi.ErrExhausted):
		refuse(http.StatusTooManyRequests, "quota_exceeded", "The quota ended after "+strconv.Itoa(len(c.refunds))+" rows. The table was not screened, and nothing was counted.")
	case c.failed != nil:
		s.log.Error("a table cannot be answered", "error", c.failed)
		refuse(http.StatusServiceUnavailable, "audit_unavailable", "The rows cannot be counted or recorded at the moment.")
	case errors.Is(err, errVerdicts):
		refuse(http.StatusRequestEntityTooLarge, "body_too_large", "The table with verdicts would have more than 64 MiB. Send the table in parts. Nothing was counted.")
	case ctx.Err() != nil:
		refuse(http.StatusServiceUnavailable, "overloaded", "The table takes longer than a minute. Send it in parts. Nothing was counted.")
	default:
		refuse(http.StatusBadRequest, "invalid_table", err.Error())
	}
	c.undo()
}

// undo refunds the rows that were charged.
func (c *tableCall) undo() {
	for _, refund := range c.refunds {
		refund(1)
	}
}
