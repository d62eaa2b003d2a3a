package stablecoin_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
)

// nodes serves a node of Ethereum below /eth, one of Arbitrum below /arb, and TronGrid.
func nodes(t *testing.T) *httptest.Server {
	t.Helper()
	eth, arb := newChain(5_000_000), newChain(1000)
	eth.emit(4_700_000, usdt, true, person(1))
	eth.emit(4_700_001, usdt, true, person(2))
	eth.emit(4_900_000, usdt, false, person(2))
	arb.id = 42161
	l := arb.emit(300, usdc, true, person(3))
	l["address"] = strings.ToLower("0xaf88d065e77c8cC2239327C5EDb3A432268e5831")
	mux := http.NewServeMux()
	mux.Handle("/eth/", eth)
	mux.Handle("/arb/", arb)
	mux.Handle("/", eventfulGrid())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestFrozen(t *testing.T) {
	server := nodes(t)
	opts := &stablecoin.Options{AllowHTTP: true}
	opts.SetPause(time.Nanosecond)
	both := map[address.Chain]string{"ethereum": server.URL + "/eth/", "tron": server.URL}
	src := stablecoin.Frozen("USDT", both, opts)
	if i := src.Info(); i.ID != "USDT_FROZEN" || i.Name != "Accounts frozen by Tether on ethereum, tron" {
		t.Errorf("%+v", i)
	}
	entries, rev, err := load(src, sources.Revision{})
	if err != nil || len(entries) != 7 || rev.Checked.IsZero() || rev.Published.IsZero() || !rev.OpenEnded {
		t.Fatalf("%d entries, %+v, %v, want two of Ethereum and five of Tron, three of which have ended", len(entries), rev, err)
	}
	if got := listed(entries[:2]); !slices.Equal(got, []string{"USDT 1"}) {
		t.Errorf("on Ethereum %q", got)
	}
	if got := tronPeople(t, entries[2:]); !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("on Tron %v", got)
	}
	if _, again, err := load(src, rev); err != sources.ErrUnchanged || again.Digest != rev.Digest {
		t.Errorf("again: %v, %v", again, err)
	}

	src = stablecoin.Frozen("USDC", map[address.Chain]string{"arbitrum": server.URL + "/arb/"}, opts)
	entries, _, err = load(src, sources.Revision{})
	if err != nil || len(entries) != 1 || entries[0].Address.Chain() != "arbitrum" || entries[0].Name != "Frozen by Circle" {
		t.Errorf("USDC on Arbitrum: %+v, %v", entries, err)
	}

	opts.StateFile = filepath.Join(t.TempDir(), "usdt")
	sourcetest.Run(t, func(*testing.T) sources.Source { return stablecoin.Frozen("USDT", both, opts) })
	if got, _ := filepath.Glob(opts.StateFile + "*"); !slices.Equal(got, []string{opts.StateFile}) {
		t.Errorf("state files %q", got)
	}
}

func TestFrozenFails(t *testing.T) {
	server := nodes(t)
	opts := &stablecoin.Options{AllowHTTP: true}
	opts.SetPause(time.Nanosecond)
	for want, src := range map[string]sources.Source{
		"want the endpoint":                           stablecoin.Frozen("USDT", nil, nil),
		`no contract of "USDT" is known on "bsc"`:     stablecoin.Frozen("USDT", map[address.Chain]string{"bsc": server.URL}, opts),
		`no contract of "DAI" is known on "ethereum"`: stablecoin.Frozen("DAI", map[address.Chain]string{"ethereum": server.URL}, opts),
		"one of eip155:1, want eip155:42161":          stablecoin.Frozen("USDC", map[address.Chain]string{"arbitrum": server.URL + "/eth/"}, opts),
		"want https":                                  stablecoin.Frozen("USDT", map[address.Chain]string{"ethereum": server.URL + "/eth/", "tron": server.URL}, nil),
	} {
		entries, rev, err := load(src, sources.Revision{})
		if err == nil || !strings.Contains(err.Error(), want) || entries != nil || !rev.IsZero() {
			t.Errorf("%d entries, %+v, %v, want an error with %q", len(entries), rev, err, want)
		}
	}
}

// TestChains checks the contracts of the table: each is an address with correct capitals.
func TestChains(t *testing.T) {
	want := map[string][]address.Chain{"USDT": {"ethereum", "tron"}, "USDC": {"ethereum", "arbitrum", "avalanche", "base", "optimism", "polygon"}, "DAI": nil}
	for token, want := range want {
		if got := stablecoin.Chains(token); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", token, got, want)
		}
	}
	for token := range want {
		for _, c := range stablecoin.Known(token) {
			if _, err := address.Parse(c.Chain, c.Address); err != nil {
				t.Error(err)
			}
		}
	}
}
