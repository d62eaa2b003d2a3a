package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
)

// Limits of the tables that clients send.
const (
	maxTable      = 32 << 20
	tablePatience = time.Minute // for each of: its arrival, screening it, reading the answer
	maxTables     = 4           // that are held at once,
	maxTablesEach = 2           // and of one caller, whose second one leaves a place for others
)

// maxVerdicts bounds the answer in bytes: a short row may have a long verdict. It is a variable for tests.
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

// tablePlaces bound the tables that are held, from before they arrive until they were answered.
type tablePlaces struct {
	turn sync.Mutex // locked while a table is screened

	mu   sync.Mutex
	held []string // the IDs of the callers
}

// enter takes a place for a table of a caller, and reports whether there was one.
func (p *tablePlaces) enter(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := 0
	for _, other := range p.held {
		if other == id {
			own++
		}
	}
	if own == maxTablesEach || len(p.held)+min(own, 1) >= maxTables {
		return false
	}
	p.held = append(p.held, id)
	return true
}

func (p *tablePlaces) leave(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.held, id)
	p.held = slices.Delete(p.held, i, i+1)
}

// A tableCall is a table of a client. As screeningLists, it keeps what to charge and record in the end.
type tableCall struct {
	*screening.Screener
	server  *server
	request *http.Request
	id      string // of the request
	caller  httpapi.Caller
	record  receipt.Receipt
	start   time.Time
	rows    int                 // that count
	records []httpapi.Screening // of these rows, for the trail
}

// ScreenInput screens a row.
func (c *tableCall) ScreenInput(chain, text string) (screening.Result, address.Reading, error) {
	r, reading, err := c.Screener.ScreenInput(chain, text)
	if err != nil && len(r.Labels) == 0 {
		return r, reading, err
	}
	if c.server.trail != nil {
		c.records = append(c.records, httpapi.Screening{Time: c.record.Time, RequestID: c.id, Item: c.rows,
			CallerID: c.caller.ID, Chain: r.Address.Chain(), Address: cmp.Or(r.Address.Normalized(), sources.TrimListed(text)), Result: r})
	}
	c.rows++
	return r, reading, err
}

// A tableProblem is why a table is not answered.
type tableProblem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

var tableQuota = &tableProblem{http.StatusTooManyRequests, "quota_exceeded", "The table has more rows to count than this month's quota has left. Nothing was counted."}

// table answers a POST of a table with what screen -in -out -receipt writes. The query says how it
// is read, by the names of the flags.
func (s *server) table(w http.ResponseWriter, r *http.Request) {
	c := &tableCall{Screener: s.screener, server: s, request: r.Clone(r.Context()), start: time.Now()}
	c.request.Header.Del("Idempotency-Key") // each row counts
	c.id = w.Header().Get("X-Request-Id")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	c.caller, _ = httpapi.CallerOf(r.Context())
	p := &tableProblem{http.StatusServiceUnavailable, "overloaded", "Too many tables are being sent, screened or read. Send this one again in a few seconds."}
	if s.tables.enter(c.caller.ID) { // before a body is held in memory
		defer s.tables.leave(c.caller.ID)
		p = c.answer(w)
	}
	if p != nil {
		w.Header().Set("Content-Type", "application/problem+json")
		if p.Status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "5")
		} else if p == tableQuota {
			if _, _, end, err := s.keys.ring.Used(r.Context(), c.caller, false); err == nil {
				w.Header().Set("Retry-After", strconv.Itoa(int(time.Until(end).Seconds())+1))
			}
		}
		w.WriteHeader(p.Status)
		json.NewEncoder(w).Encode(struct {
			Type  string `json:"type"`
			Title string `json:"title"`
			*tableProblem
			Instance  string `json:"instance"`
			RequestID string `json:"request_id"`
		}{"about:blank", http.StatusText(p.Status), p, tableRoute, c.id})
	}
	c.observe(cmp.Or(p, &tableProblem{Status: http.StatusOK}))
}

// observe measures and logs an answer. Its rows, perhaps a million, are no screenings of package metrics.
func (c *tableCall) observe(p *tableProblem) {
	o := httpapi.Observation{Route: tableRoute, Method: http.MethodPost, Status: p.Status, Code: p.Code, CallerID: c.caller.ID, RequestID: c.id, Duration: time.Since(c.start)}
	screened := 0
	if p.Status == http.StatusOK {
		screened = c.rows
		c.server.metrics.addTable(c.record.Table)
		c.server.metrics.AddScreenings(c.caller.ID, c.rows)
	}
	c.server.metrics.Observe(c.request.Context(), o)
	logAccess(c.request.Context(), c.server.log, o, screened)
}

const tableRoute = "/api/v1/screen/table"

// answer answers the table, or returns the problem.
func (c *tableCall) answer(w http.ResponseWriter) *tableProblem {
	s := c.server
	if owns := len(s.lists.own) > 0 || s.decisions != nil; owns && c.caller.Scopes != "" && !strings.Contains(" "+c.caller.Scopes+" ", " own ") {
		return &tableProblem{http.StatusForbidden, "insufficient_scope", "The caller is known, but lacks the scope own, without which the receipt of a table cannot be written."}
	}
	o := tableOptions{in: "-", out: "-"}
	err := o.setQuery(c.request.URL.RawQuery)
	if strings.HasPrefix(c.request.Header.Get("Content-Type"), "multipart/") { // the lines around the table would be rows
		err = errors.New("the body is a form: send the table alone, as curl --data-binary @FILE does")
	}
	if err != nil {
		return &tableProblem{http.StatusBadRequest, "invalid_table", err.Error()}
	}
	if used, _, _, err := s.keys.ring.Used(c.request.Context(), c.caller, false); err == nil && c.caller.Quota > 0 && used >= c.caller.Quota {
		return tableQuota
	}
	rc := http.NewResponseController(w)
	rc.SetReadDeadline(time.Now().Add(tablePatience))
	rc.SetWriteDeadline(time.Now().Add(3 * tablePatience))
	in, err := io.ReadAll(http.MaxBytesReader(w, c.request.Body, maxTable))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return &tableProblem{http.StatusRequestEntityTooLarge, "body_too_large", "A table may have at most 32 MiB."}
	case err != nil:
		return &tableProblem{http.StatusRequestTimeout, "request_timeout", "The table did not arrive within a minute, or not to its end."}
	}
	out, text, p := c.screen(in, o)
	if p != nil {
		return p
	}
	rc.SetWriteDeadline(time.Now().Add(tablePatience))
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"output":"`) // in base64: its bytes are those that the receipt names
	encoder := base64.NewEncoder(base64.StdEncoding, w)
	encoder.Write(out)
	encoder.Close()
	end, _ := json.Marshal(string(text))
	fmt.Fprintf(w, `","receipt":%s}`+"\n", end) // an error means that the client has gone
	return nil
}

// screen screens a table in its turn, then charges and records its rows, and returns the table with verdicts and
// its receipt. A table that is not answered leaves nothing behind.
func (c *tableCall) screen(in []byte, o tableOptions) (out answeredTable, text []byte, p *tableProblem) {
	s := c.server
	ctx, cancel := context.WithTimeout(c.request.Context(), tablePatience)
	defer cancel()
	s.tables.turn.Lock()
	defer s.tables.turn.Unlock()
	first, err := s.screener.Screen(anyAddress)
	if err != nil {
		return nil, nil, &tableProblem{http.StatusServiceUnavailable, "sources_unavailable", err.Error()}
	}
	c.record = *receipt.From(first, time.Now())
	c.record.RequestID, c.record.CallerID = c.id, c.caller.ID
	j := &judge{screener: c, chain: o.chain}
	job := newTableJob(&program{stdin: bytes.NewReader(in), stdout: &out, stderr: io.Discard}, o, j, true)
	if err = job.run(ctx); err == nil {
		text, err = job.receipt(&c.record, j, s.signers)
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, &tableProblem{http.StatusServiceUnavailable, "overloaded", "The table takes longer than a minute. Send it in parts. Nothing was counted."}
	case err == errListsChanged:
		return nil, nil, &tableProblem{http.StatusServiceUnavailable, "overloaded", "The lists have changed meanwhile. Send the table again. Nothing was counted."}
	case errors.Is(err, errVerdicts):
		return nil, nil, &tableProblem{http.StatusRequestEntityTooLarge, "body_too_large", "The table with verdicts would have more than 64 MiB. Send the table in parts. Nothing was counted."}
	case err != nil:
		err = cmp.Or(errors.Unwrap(err), err) // without the name of the input
		return nil, nil, &tableProblem{http.StatusBadRequest, "invalid_table", err.Error()}
	}
	return out, text, c.count()
}

// count charges and records the rows.
func (c *tableCall) count() *tableProblem {
	if c.rows == 0 {
		return nil
	}
	granted, refund, err := c.server.keys.ring.Charge(c.request, c.caller, c.rows, nil)
	if err == nil && granted < c.rows {
		refund(granted)
		err = httpapi.ErrExhausted
	}
	switch {
	case errors.Is(err, httpapi.ErrExhausted):
		return tableQuota
	case err != nil:
		c.server.log.Error("the rows of a table cannot be counted", "error", err)
		return &tableProblem{http.StatusServiceUnavailable, "quota_unavailable", "The rows cannot be counted at the moment."}
	}
	defer func() { c.records = nil }() // before the answer is read, perhaps slowly
	for some := range slices.Chunk(c.records, 1000) {
		if err := c.server.trail.Record(context.WithoutCancel(c.request.Context()), some...); err != nil {
			refund(granted)
			c.server.log.Error("the rows of a table cannot be recorded", "error", err)
			return &tableProblem{http.StatusServiceUnavailable, "audit_unavailable", "The rows cannot be recorded at the moment. Nothing was counted."}
		}
	}
	return nil
}

// setQuery sets how a table is read from the query of its request.
func (o *tableOptions) setQuery(raw string) error {
	query, err := url.ParseQuery(raw)
	for name, values := range query {
		to := map[string]*string{"chain": &o.chain, "address-column": &o.addressColumn, "chain-column": &o.chainColumn}[name]
		if to == nil || len(values) > 1 {
			err = errors.New("not known")
			break
		}
		*to = values[0]
	}
	if err != nil {
		return errors.New("the query may have chain, address-column and chain-column, each once, escaped as in URLs, and nothing else")
	}
	return checkChain(o.chain)
}
