package stablecoin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// TronUSDT is the contract of USDT on Tron.
const TronUSDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

// NewTron returns the accounts on Tron that Tether has frozen, with the id
// STABLECOIN_FREEZES_TRON. endpoint is the address of a server with the interface of
// TronGrid; "" means https://api.trongrid.io. Of opts, which may be nil, it uses Info,
// Pause, Client and AllowHTTP. A key for TronGrid is a header field, TRON-PRO-API-KEY,
// which the Transport of the Client may set.
//
// Each Load reads all events in confirmed blocks, 200 at a time. The order of two events in
// one block is unknown: an account that was frozen and unfrozen in one block counts as
// frozen. The Ref of an entry is the transaction that froze the account. An account that is no
// longer frozen has an entry with Until.
func NewTron(endpoint string, opts *Options) sources.Source {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	o.Info = cmp.Or(o.Info, sources.Info{
		ID:           "STABLECOIN_FREEZES_TRON",
		Name:         "Accounts on Tron frozen by the issuer of USDT",
		Jurisdiction: sources.Community,
		Licence:      "facts of a public blockchain",
	})
	o.Pause = cmp.Or(o.Pause, time.Second)
	return &tron{cmp.Or(strings.TrimSuffix(endpoint, "/"), "https://api.trongrid.io"), o}
}

type tron struct {
	url  string
	opts Options
}

func (s *tron) Info() sources.Info { return s.opts.Info }

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

func (s *tron) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return loadList(ctx, s.load, prev, add)
}

// load reads all events and returns the list.
func (s *tron) load(ctx context.Context) ([]sources.Entry, sources.Revision, error) {
	// Removals come first: an account that is frozen meanwhile is listed, and one that
	// is unfrozen meanwhile is removed by the next Load.
	var bytes int64
	removed, err := s.events(ctx, "RemovedBlackList", &bytes)
	if err != nil {
		return nil, sources.Revision{}, err
	}
	if err := s.pause(ctx); err != nil {
		return nil, sources.Revision{}, err
	}
	added, err := s.events(ctx, "AddedBlackList", &bytes)
	if err != nil {
		return nil, sources.Revision{}, err
	}
	if len(added) == 0 {
		return nil, sources.Revision{}, errors.New("no account was ever frozen: the server does not have the history of the contract")
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
	h := sha256.New()
	fmt.Fprintln(h, TronUSDT)
	places := make(map[string]int) // in entries
	var entries []sources.Entry
	for _, e := range added {
		user := e.Result.User
		since := time.UnixMilli(e.Time).UTC()
		if at, ok := places[user]; ok && (entries[at].Until.IsZero() || entries[at].Until.After(since)) {
			continue // it is frozen already
		}
		a, err := address.Normalize("tron", "41"+user[2:])
		if err != nil {
			return nil, sources.Revision{}, err
		}
		entry := sources.Entry{
			Address:  a,
			Asset:    "USDT",
			Kind:     score.CommunityReport,
			Ref:      e.Tx,
			Name:     "Frozen by Tether",
			ListedAt: since,
		}
		if i := slices.IndexFunc(removals[user], func(r tronEvent) bool { return r.Block > e.Block }); i >= 0 {
			entry.Until = time.UnixMilli(removals[user][i].Time).UTC()
			fmt.Fprintln(h, "until", removals[user][i].Time)
		}
		places[user] = len(entries)
		entries = append(entries, entry)
		fmt.Fprintln(h, user, e.Block, e.Tx, e.Time)
	}
	return entries, sources.Revision{Digest: hex.EncodeToString(h.Sum(nil)), Records: len(added) + len(removed), OpenEnded: true}, nil
}

// events returns all events of a name, page by page. bytes counts the bytes of the pages.
func (s *tron) events(ctx context.Context, name string, bytes *int64) ([]tronEvent, error) {
	var all []tronEvent
	fingerprints := make(map[string]bool)
	query := url.Values{
		"event_name": {name}, "only_confirmed": {"true"}, "order_by": {"block_timestamp,asc"}, "limit": {strconv.Itoa(tronLimit)},
	}
	for range tronPages {
		req := &fetch.Request{
			URL:       s.url + "/v1/contracts/" + TronUSDT + "/events?" + query.Encode(),
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
		case e.Name != name || e.Contract != TronUSDT:
			return nil, "", fmt.Errorf("%s: event %d is %.80q of %.80q, which was not asked for", name, i, e.Name, e.Contract)
		case e.Block == 0 || e.Time <= 0 || e.Time/1000 > maxTime || tx.UnmarshalText([]byte("0x"+e.Tx)) != nil:
			return nil, "", fmt.Errorf("%s: event %d has no place in the chain", name, i)
		}
	}
	return page.Data, page.Meta.Fingerprint, nil
}

// pause waits between two requests.
func (s *tron) pause(ctx context.Context) error {
	timer := time.NewTimer(s.opts.Pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
