package stablecoin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// A tronPage is a page of events as TronGrid returns it, without the fields that are not read.
type tronPage struct {
	Data []struct {
		Block    uint64 `json:"block_number"`
		Time     int64  `json:"block_timestamp"` // in milliseconds
		Contract string `json:"contract_address"`
		Name     string `json:"event_name"`
		Tx       string `json:"transaction_id"`
		Result   struct {
			User string `json:"_user"` // 0x and the 20 bytes without Tron's 41 before them
		} `json:"result"`
	} `json:"data"`
	Success bool `json:"success"`
	Meta    struct {
		Fingerprint string `json:"fingerprint"` // of the next page; "" on the last
	} `json:"meta"`
}

// tronPages limits the pages of one kind of event. A page has 200 events, TronGrid's largest.
const tronPages = 50_000

// loadTron reads all events in confirmed blocks from a server like TronGrid. It does not say up
// to which time.
func (r *reader) loadTron(ctx context.Context) error {
	// Removals come first: an account that is frozen meanwhile is listed, and one that
	// is unfrozen meanwhile is removed by the next Load.
	removed, err := r.tronEvents(ctx, r.removed, false)
	if err != nil {
		return err
	}
	added, err := r.tronEvents(ctx, r.added, true)
	if err == nil && len(added) == 0 {
		err = errors.New("no account was ever frozen: the server does not have the history of the contract")
	}
	if err != nil {
		return err
	}
	// The order of the chain. Within a block it is unknown: removals come first, and any
	// fixed order will do for the rest.
	r.Events = append(removed, added...)
	slices.SortFunc(r.Events, event.compare)
	return nil
}

// tronEvents returns all events of a signature, page by page.
func (r *reader) tronEvents(ctx context.Context, signature string, added bool) (all []event, err error) {
	name, _, _ := strings.Cut(signature, "(")
	seen := make(map[string]bool) // fingerprints
	query := url.Values{
		"event_name": {name}, "only_confirmed": {"true"}, "order_by": {"block_timestamp,asc"}, "limit": {"200"},
	}
	for range tronPages {
		var page tronPage
		req := fetch.Request{Options: fetch.Options{URL: strings.TrimSuffix(r.url, "/") + "/v1/contracts/" + r.address + "/events?" + query.Encode()}}
		time.Sleep(cmp.Or(r.opts.pause, time.Second))
		err := r.get(ctx, req, func(text []byte) error { return json.Unmarshal(text, &page) })
		if err == nil {
			all, err = r.addPage(all, &page, name, added)
		}
		next := page.Meta.Fingerprint
		if err == nil && seen[next] {
			err = errors.New("the server repeats pages")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if next == "" {
			return all, nil
		}
		seen[next] = true
		query.Set("fingerprint", next)
	}
	return nil, fmt.Errorf("%s: more than %d pages", name, tronPages)
}

// addPage adds the events of a page.
func (r *reader) addPage(all []event, page *tronPage, name string, added bool) ([]event, error) {
	if !page.Success || page.Data == nil {
		return nil, errors.New("the answer has no success and no data, as those of TronGrid have")
	}
	for i, e := range page.Data {
		user, ok := strings.CutPrefix(e.Result.User, "0x")
		if !ok || !isBytes(user, 20) || !isBytes(e.Tx, 32) || e.Name != name || e.Contract != r.address || e.Block == 0 || e.Time < 1000 || e.Time/1000 > maxTime {
			return nil, fmt.Errorf("event %d is %.300q, want a %s of %s, with a user and a place in the chain", i, fmt.Sprint(e), name, r.address)
		}
		a, err := address.Normalize("tron", "41"+user)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		found := event{Address: a, Added: added, Block: e.Block, Ref: e.Tx, Time: e.Time / 1000}
		if added {
			found.Index = 1 // behind the removals of its block
		}
		all = append(all, found)
	}
	return all, nil
}
