package stablecoin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// tron reads the freezes of a contract on tron from a server like TronGrid.
type tron struct {
	Contract
	endpoint
}

// A tronEvent is an event as TronGrid returns it, without the fields that are not read.
type tronEvent struct {
	Block    uint64 `json:"block_number"`
	Time     int64  `json:"block_timestamp"` // in milliseconds
	Contract string `json:"contract_address"`
	Name     string `json:"event_name"`
	Tx       string `json:"transaction_id"`
	Result   struct {
		User data `json:"_user"` // 0x and the 20 bytes without Tron's 41 before them
	} `json:"result"`
}

const (
	tronLimit = 200     // events of a page; TronGrid's largest
	tronPages = 50_000  // of one kind of event
	tronPage  = 4 << 20 // bytes of a page
)

// load reads all events in confirmed blocks. The server does not say up to which time.
func (s *tron) load(ctx context.Context) ([]event, time.Time, error) {
	s.bytes = 0
	// Removals come first: an account that is frozen meanwhile is listed, and one that
	// is unfrozen meanwhile is removed by the next Load.
	all, err := s.events(ctx, s.Removed, false)
	if err == nil {
		err = s.pause(ctx)
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	added, err := s.events(ctx, s.Added, true)
	if err == nil && len(added) == 0 {
		err = errors.New("no account was ever frozen: the server does not have the history of the contract")
	}
	all = append(all, added...)
	// The order of the chain. Within a block it is unknown: removals come first, and any
	// fixed order will do for the rest.
	slices.SortFunc(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Index, b.Index), cmp.Compare(a.Ref, b.Ref), a.Address.Compare(b.Address))
	})
	return all, time.Time{}, err
}

// events returns all events of a signature, page by page.
func (s *tron) events(ctx context.Context, signature string, added bool) ([]event, error) {
	name, _, _ := strings.Cut(signature, "(")
	var all []event
	seen := make(map[string]bool) // fingerprints
	query := url.Values{
		"event_name": {name}, "only_confirmed": {"true"}, "order_by": {"block_timestamp,asc"}, "limit": {strconv.Itoa(tronLimit)},
	}
	for range tronPages {
		var page struct {
			Data    []tronEvent `json:"data"`
			Success bool        `json:"success"`
			Meta    struct {
				Fingerprint string `json:"fingerprint"` // of the next page; "" on the last
			} `json:"meta"`
		}
		req := fetch.Request{Options: fetch.Options{URL: s.url + "/v1/contracts/" + s.Address + "/events?" + query.Encode()}, MaxBytes: tronPage}
		err := s.get(ctx, req, func(text []byte) error { return unmarshal(text, &page) })
		if err == nil && (!page.Success || page.Data == nil) {
			err = errors.New("the answer has no success and no data, as those of TronGrid have")
		}
		for i := 0; i < len(page.Data) && err == nil; i++ {
			var e event
			if e, err = s.event(&page.Data[i], name, added); err != nil {
				err = fmt.Errorf("event %d: %w", i, err)
			}
			all = append(all, e)
		}
		next := page.Meta.Fingerprint
		if err == nil && next == "" {
			return all, nil
		}
		if err == nil && seen[next] {
			err = errors.New("the server repeats pages")
		}
		if err == nil {
			err = s.pause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		seen[next] = true
		query.Set("fingerprint", next)
	}
	return nil, fmt.Errorf("%s: more than %d pages", name, tronPages)
}

// event reads one event.
func (s *tron) event(e *tronEvent, name string, added bool) (event, error) {
	var tx data
	switch {
	case e.Name != name || e.Contract != s.Address:
		return event{}, fmt.Errorf("%.80q of %.80q, which was not asked for", e.Name, e.Contract)
	case len(e.Result.User) != accountLen:
		return event{}, fmt.Errorf("user %.80q: want 0x and 40 hex digits", e.Result.User)
	case e.Block == 0 || e.Time <= 0 || e.Time/1000 > maxTime || tx.UnmarshalText([]byte("0x"+e.Tx)) != nil || len(tx) != wordLen:
		return event{}, errors.New("it has no place in the chain")
	}
	a, err := address.Normalize("tron", "41"+string(e.Result.User[2:]))
	found := event{Address: a, Added: added, Block: e.Block, Ref: e.Tx, Time: e.Time}
	if added {
		found.Index = 1
	}
	return found, err
}

// pause waits between two requests.
func (s *tron) pause(ctx context.Context) error {
	select {
	case <-time.After(cmp.Or(s.opts.pause, time.Second)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
