package stablecoin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// tron reads the freezes of a contract on tron from a server like TronGrid.
type tron struct {
	Contract
	url  string
	opts *Options
}

// A tronEvent is an event as TronGrid returns it, without the fields that are not read.
type tronEvent struct {
	Block    uint64 `json:"block_number"`
	Time     int64  `json:"block_timestamp"` // in milliseconds
	Contract string `json:"contract_address"`
	Name     string `json:"event_name"`
	Tx       string `json:"transaction_id"`
	Result   struct {
		User string `json:"_user"` // 0x and the 20 bytes without Tron's 41 before them
	} `json:"result"`
}

const (
	tronLimit = 200     // events of a page; TronGrid's largest
	tronPages = 50_000  // of one kind of event
	tronPage  = 4 << 20 // bytes of a page
)

// load reads all events and returns the freezes.
func (s *tron) load(ctx context.Context) (freezes, error) {
	// Removals come first: an account that is frozen meanwhile is listed, and one that
	// is unfrozen meanwhile is removed by the next Load.
	var bytes int64
	removed, err := s.events(ctx, s.Removed, &bytes)
	if err != nil {
		return freezes{}, err
	}
	if err := s.pause(ctx); err != nil {
		return freezes{}, err
	}
	added, err := s.events(ctx, s.Added, &bytes)
	if err != nil {
		return freezes{}, err
	}
	if len(added) == 0 {
		return freezes{}, errors.New("no account was ever frozen: the server does not have the history of the contract")
	}
	// The order of the chain; within a block it is unknown, so any fixed order will do.
	for _, events := range [][]tronEvent{added, removed} {
		slices.SortFunc(events, func(a, b tronEvent) int {
			return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Tx, b.Tx), cmp.Compare(a.Result.User, b.Result.User))
		})
	}
	removals := make(map[string][]tronEvent)
	for _, e := range removed {
		removals[e.Result.User] = append(removals[e.Result.User], e)
	}
	all := freezes{events: len(added) + len(removed)}
	places := make(map[string]int) // in all.entries
	for _, e := range added {
		user := e.Result.User
		since := time.UnixMilli(e.Time).UTC()
		if at, ok := places[user]; ok && (all.entries[at].Until.IsZero() || all.entries[at].Until.After(since)) {
			continue // it is frozen already
		}
		a, err := address.Normalize("tron", "41"+user[2:])
		if err != nil {
			return freezes{}, err
		}
		entry := sources.Entry{Address: a, Ref: e.Tx, Name: "Frozen by " + s.Issuer, ListedAt: since}
		if i := slices.IndexFunc(removals[user], func(r tronEvent) bool { return r.Block > e.Block }); i >= 0 {
			entry.Until = time.UnixMilli(removals[user][i].Time).UTC()
		}
		places[user] = len(all.entries)
		all.entries = append(all.entries, entry)
	}
	return all, nil
}

// events returns all events of a signature, page by page. bytes counts the bytes of the pages.
func (s *tron) events(ctx context.Context, signature string, bytes *int64) ([]tronEvent, error) {
	name, _, _ := strings.Cut(signature, "(")
	var all []tronEvent
	fingerprints := make(map[string]bool)
	query := url.Values{
		"event_name": {name}, "only_confirmed": {"true"}, "order_by": {"block_timestamp,asc"}, "limit": {strconv.Itoa(tronLimit)},
	}
	for range tronPages {
		req := &fetch.Request{
			URL:       s.url + "/v1/contracts/" + s.Address + "/events?" + query.Encode(),
			Client:    s.opts.Client,
			MaxBytes:  tronPage,
			AllowHTTP: s.opts.AllowHTTP,
		}
		earlier, progress := *bytes, sources.Progress(ctx)
		req.Progress = func(read, _ int64) {
			*bytes = earlier + read
			progress(*bytes, -1)
		}
		var events []tronEvent
		var fingerprint string
		_, err := fetch.Get(sources.WithProgress(ctx, nil), req, func(body io.Reader) (err error) {
			events, fingerprint, err = s.page(body, name)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
		if fingerprint == "" {
			return all, nil
		}
		if fingerprints[fingerprint] {
			return nil, fmt.Errorf("%s: the server repeats pages", name)
		}
		fingerprints[fingerprint] = true
		query.Set("fingerprint", fingerprint)
		if err := s.pause(ctx); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: more than %d pages", name, tronPages)
}

// page reads one page of events. The fingerprint of the last one is "".
func (s *tron) page(r io.Reader, name string) (events []tronEvent, fingerprint string, err error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, "", err
	}
	var page struct {
		Data    []tronEvent `json:"data"`
		Success bool        `json:"success"`
		Meta    struct {
			Fingerprint string `json:"fingerprint"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if !page.Success || page.Data == nil {
		return nil, "", fmt.Errorf("%s: the answer has no success and no data, as those of TronGrid have", name)
	}
	for i := range page.Data {
		e := &page.Data[i]
		e.Result.User = strings.ToLower(e.Result.User)
		var user account
		var tx hash
		switch err := user.UnmarshalText([]byte(e.Result.User)); {
		case err != nil:
			return nil, "", fmt.Errorf("%s: event %d: user %w", name, i, err)
		case e.Name != name || e.Contract != s.Address:
			return nil, "", fmt.Errorf("%s: event %d is %.80q of %.80q, which was not asked for", name, i, e.Name, e.Contract)
		case e.Block == 0 || e.Time <= 0 || e.Time/1000 > maxTime || tx.UnmarshalText([]byte("0x"+e.Tx)) != nil:
			return nil, "", fmt.Errorf("%s: event %d has no place in the chain", name, i)
		}
	}
	return page.Data, page.Meta.Fingerprint, nil
}

// pause waits between two requests.
func (s *tron) pause(ctx context.Context) error {
	timer := time.NewTimer(cmp.Or(s.opts.Pause, time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
