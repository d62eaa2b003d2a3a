package stablecoin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
)

const tronUSDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

// onTron returns the freezes of USDT on Tron.
func onTron(endpoint string, opts *stablecoin.Options) sources.Source {
	return stablecoin.Frozen("USDT", map[address.Chain]string{"tron": endpoint}, opts)
}

// A grid imitates TronGrid, with a few events per page.
type grid struct {
	events map[string][]map[string]any // by name
	limit  int
	spoil  func(page map[string]any)
}

func (g *grid) emit(name string, block int, person int) {
	if g.events == nil {
		g.events = map[string][]map[string]any{}
	}
	user := fmt.Sprintf("0x%040x", 0xabc000+person)
	g.events[name] = append(g.events[name], map[string]any{
		"block_number": block, "block_timestamp": 1_600_000_000_000 + 3000*int64(block), "contract_address": tronUSDT,
		"event_name": name, "event_index": 0, "transaction_id": fmt.Sprintf("%064x", block<<16+person),
		"result": map[string]any{"0": user, "_user": user},
	})
}

const (
	freeze   = "AddedBlackList"
	unfreeze = "RemovedBlackList"
)

func (g *grid) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if r.URL.Path != "/v1/contracts/"+tronUSDT+"/events" || q.Get("only_confirmed") != "true" || q.Get("order_by") != "block_timestamp,asc" {
		http.NotFound(w, r)
		return
	}
	all := g.events[q.Get("event_name")]
	from, _ := strconv.Atoi(q.Get("fingerprint"))
	to := min(from+g.limit, len(all))
	meta := map[string]any{"page_size": to - from}
	if to < len(all) {
		meta["fingerprint"] = strconv.Itoa(to)
	}
	page := map[string]any{"data": append([]map[string]any{}, all[from:to]...), "success": true, "meta": meta}
	if g.spoil != nil {
		g.spoil(page)
	}
	json.NewEncoder(w).Encode(page)
}

// tronOptions returns options for the server h.
func tronOptions(h http.Handler) *stablecoin.Options {
	opts := &stablecoin.Options{Client: &http.Client{Transport: transport{h}}}
	opts.SetPause(time.Nanosecond)
	return opts
}

// tronPeople returns the test accounts that entries list.
func tronPeople(t *testing.T, entries []sources.Entry) []int {
	t.Helper()
	var all []int
	for _, e := range entries {
		if !e.Until.IsZero() {
			continue
		}
		all = append(all, -1)
		for i := range 100 {
			if a, err := address.Normalize("tron", fmt.Sprintf("41%040x", 0xabc000+i)); err == nil && a == e.Address {
				all[len(all)-1] = i
			}
		}
	}
	return all
}

func eventfulGrid() *grid {
	g := &grid{limit: 2}
	g.emit(freeze, 10, 1)
	g.emit(freeze, 10, 2)
	g.emit(freeze, 11, 3)
	g.emit(unfreeze, 12, 1)
	g.emit(unfreeze, 12, 3)
	g.emit(freeze, 13, 3)
	g.emit(freeze, 14, 4)
	g.emit(unfreeze, 14, 4) // before or after, who knows
	g.emit(freeze, 15, 2)   // is frozen already
	g.emit(unfreeze, 16, 9) // never was
	return g
}

func TestTronConforms(t *testing.T) {
	server := httptest.NewTLSServer(eventfulGrid())
	defer server.Close()
	sourcetest.Run(t, func(*testing.T) sources.Source {
		opts := tronOptions(nil)
		opts.Client = server.Client()
		return onTron(server.URL+"/", opts)
	})
}

func TestTron(t *testing.T) {
	src := onTron("https://api.trongrid.io", tronOptions(eventfulGrid()))
	entries, rev, err := load(src, sources.Revision{})
	if want := []int{2, 3, 4}; err != nil || !slices.Equal(tronPeople(t, entries), want) || rev.Records != 10 {
		t.Fatalf("Load gave %v, %+v, %v, want %v of 10 records", tronPeople(t, entries), rev, err, want)
	}
	at := func(block int) time.Time { return time.UnixMilli(1_600_000_000_000 + 3000*int64(block)).UTC() }
	var spans []string
	for _, e := range entries {
		spans = append(spans, fmt.Sprint(e.ListedAt.Sub(at(10)), " ", !e.Until.IsZero() && e.Until == at(12)))
	}
	slices.Sort(spans)
	if want := []string{"0s false", "0s true", "12s false", "3s true", "9s false"}; !slices.Equal(spans, want) {
		t.Errorf("frozen since, and until block 12: %q, want %q", spans, want)
	}
	if entries, again, err := load(src, rev); !errors.Is(err, sources.ErrUnchanged) || entries != nil || again != rev {
		t.Errorf("the same again: %v, %+v, %v, want ErrUnchanged", entries, again, err)
	}
	if err := src.Info().Validate(); err != nil || src.Info().Jurisdiction != sources.Community {
		t.Errorf("Info = %+v, %v, want a community list", src.Info(), err)
	}
}

// TestTronGrid reads recorded responses of TronGrid. The accounts in Base58 are
// those that block explorers show for the transactions.
func TestTronGrid(t *testing.T) {
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := os.ReadFile("testdata/events_" + r.URL.Query().Get("event_name") + "_2026-10-01.json")
		if err != nil {
			t.Error(err)
		}
		if r.URL.Host != "api.trongrid.io" {
			t.Errorf("asked %s, want api.trongrid.io", r.URL.Host)
		}
		if r.URL.Query().Has("fingerprint") { // the next page was not kept
			text = []byte(`{"data":[],"success":true,"meta":{"page_size":0}}`)
		}
		w.Write(text)
	})
	entries, rev, err := load(onTron("https://api.trongrid.io", tronOptions(files)), sources.Revision{})
	if err != nil || len(entries) != 3 || rev.Records != 5 {
		t.Fatalf("Load gave %+v, %+v, %v, want 3 entries of 5 records", entries, rev, err)
	}
	for i, want := range []struct{ address, tx string }{
		{"TBP7LPkptRCZkD1wZuEzpnhLVk8Pf74cea", "51aceca56ccc624fed3dcba575474631d4db653963d48ed3e0ea507e55fbef61"},
		{"TC7GpzTXKQfogKAguHeYWKJHu38BqPLqjj", "ac66da0dae2bf26e5558e14731b6d5b3d226b4e4b3798f3ab1f10c54df18f515"},
		{"TNHrhtVnRMRaTJFRsqLUqSytCKsavXJJaa", "d68e35100b12a4aaa7596505bba466247f958b01ae2b97c2263caa00267e1a55"},
	} {
		wantEntry := sources.Entry{
			Address: address.MustParse("tron", want.address), Asset: "USDT", Kind: score.CommunityReport,
			Ref: want.tx, Name: "Frozen by Tether", ListedAt: time.UnixMilli(1790815083000).UTC(),
		}
		if entries[i] != wantEntry {
			t.Errorf("entry %d is\n%+v, want\n%+v", i, entries[i], wantEntry)
		}
	}
}

// TestTronHostile uses responses that must not make a list.
func TestTronHostile(t *testing.T) {
	event := func(key string, value any) func(map[string]any) {
		return func(page map[string]any) {
			for _, e := range page["data"].([]map[string]any) {
				e[key] = value
			}
		}
	}
	set := func(key string, value any) func(map[string]any) {
		return func(page map[string]any) { page[key] = value }
	}
	for name, spoil := range map[string]func(map[string]any){
		"no success":       set("success", false),
		"no data":          set("data", nil),
		"data no array":    set("data", "none"),
		"never an event":   set("data", []any{}),
		"empty events":     set("data", []any{map[string]any{}}),
		"null events":      set("data", []any{nil}),
		"in a circle":      set("meta", map[string]any{"fingerprint": "1"}),
		"another contract": event("contract_address", "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"),
		"another event":    event("event_name", "Transfer"),
		"no user":          event("result", map[string]any{}),
		"short user":       event("result", map[string]any{"_user": person(1)[:41]}),
		"user with 41":     event("result", map[string]any{"_user": "0x41" + person(1)[2:]}),
		"user in Base58":   event("result", map[string]any{"_user": tronUSDT}),
		"no block":         event("block_number", 0),
		"negative block":   event("block_number", -1),
		"no time":          event("block_timestamp", 0),
		"time beyond time": event("block_timestamp", int64(1)<<62),
		"no transaction":   event("transaction_id", ""),
		"too large":        set("more", strings.Repeat(" ", 33<<20)),
	} {
		t.Run(name, func(t *testing.T) {
			g := eventfulGrid()
			g.spoil = spoil
			entries, rev, err := load(onTron("https://api.trongrid.io", tronOptions(g)), sources.Revision{})
			if err == nil || entries != nil || !rev.IsZero() {
				t.Errorf("Load gave %+v, %+v, %v, want an error", entries, rev, err)
			}
			if name == "in a circle" && !strings.Contains(err.Error(), "repeats pages") {
				t.Errorf("error %v, want that the server repeats pages, before all were requested", err)
			}
		})
	}
	t.Run("no JSON", func(t *testing.T) {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })
		if entries, _, err := load(onTron("https://api.trongrid.io", tronOptions(h)), sources.Revision{}); err == nil || entries != nil {
			t.Errorf("Load gave %+v, %v, want an error", entries, err)
		}
	})
}

// TestTronPause checks the pauses between requests to TronGrid.
func TestTronPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := tronOptions(eventfulGrid())
		opts.SetPause(0)
		start := time.Now()
		if _, _, err := load(onTron("https://api.trongrid.io", opts), sources.Revision{}); err != nil {
			t.Fatal(err)
		}
		if took, want := time.Since(start), 5*time.Second; took != want { // 2 and 3 pages
			t.Errorf("Load took %v, want %v", took, want)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		_, err := onTron("https://api.trongrid.io", opts).Load(ctx, sources.Revision{}, func(sources.Entry) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
		}
	})
}
