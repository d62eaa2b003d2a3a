package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
)

// person returns the address of the i-th test account.
func person(i int) common.Address {
	return common.HexToAddress(fmt.Sprintf("0xabc0000000000000000000000000000000000%03x", i))
}

// usdc returns the freezes of the contract as if it was USDC on Arbitrum.
func usdc(c *contract) sources.Source {
	c.shown.Store(&shown{"arbitrum", 42161, "0xaf88d065e77c8cc2239327c5edb3a432268e5831", 0, c})
	return frozen(c, "USDC", "")
}

// usdt returns the freezes of the contract as if it was USDT on Ethereum.
func usdt(c *contract, stateFile string) sources.Source {
	c.shown.Store(&shown{"ethereum", 1, "0xdac17f958d2ee523a2206206994597c13d831ec7", 4634748, c})
	return frozen(c, "USDT", stateFile)
}

func frozen(c *contract, token, stateFile string) sources.Source {
	endpoints := map[address.Chain]string{c.shown.Load().chain: c.url}
	return stablecoin.Frozen(token, endpoints, &stablecoin.Options{StateFile: stateFile, AllowHTTP: true})
}

// load returns the entries of one Load that have not ended.
func load(src sources.Source, prev sources.Revision) ([]sources.Entry, sources.Revision, error) {
	var entries []sources.Entry
	rev, err := src.Load(context.Background(), prev, func(e sources.Entry) error {
		if e.Until.IsZero() {
			entries = append(entries, e)
		}
		return nil
	})
	return entries, rev, err
}

// texts returns the addresses that entries list.
func texts(entries []sources.Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Text()
	}
	return all
}

func want(people ...int) []string {
	all := make([]string, len(people))
	for i, n := range people {
		all[i] = text(person(n))
	}
	return all
}

func TestFreezes(t *testing.T) {
	c := newChain(t)
	list := c.deploy("DataList")
	file := filepath.Join(t.TempDir(), "state")
	src := usdt(list, file)

	// No account was ever frozen: an empty list counts as broken.
	c.finalize()
	if entries, _, err := load(src, sources.Revision{}); err == nil || entries != nil {
		t.Fatalf("no events: %q, %v, want an error", texts(entries), err)
	}

	list.do("add", person(1))
	freeze := list.do("add", person(2))
	list.do("add", person(3))
	c.mine(1)
	list.do("destroy", person(2))
	list.do("remove", person(1))
	c.mine(1)
	c.finalize()
	list.do("add", person(4))
	c.mine(1) // not final yet
	entries, rev, err := load(src, sources.Revision{})
	if err != nil || !slices.Equal(texts(entries), want(2, 3)) {
		t.Fatalf("Load gave %q, %v, want %q", texts(entries), err, want(2, 3))
	}
	receipt := c.receipt(freeze)
	block, err := c.backend.Client().HeaderByHash(t.Context(), receipt.BlockHash)
	if err != nil {
		t.Fatal(err)
	}
	ref := fmt.Sprintf("%s:%d", freeze.Hex(), receipt.Logs[0].Index)
	e := entries[0]
	if e.Ref != ref || !e.ListedAt.Equal(time.Unix(int64(block.Time), 0)) || e.Asset != "USDT" || e.Kind != score.CommunityReport {
		t.Errorf("the first entry is %+v, want %s of block %v at %v", e, ref, block.Number, time.Unix(int64(block.Time), 0))
	}
	if rev.Records != 4 {
		t.Errorf("%d records, want 4", rev.Records)
	}

	// First no new block, then new blocks whose only event changes nothing.
	if entries, _, err := load(src, rev); !errors.Is(err, sources.ErrUnchanged) || entries != nil {
		t.Errorf("no new block: %q, %v, want ErrUnchanged", texts(entries), err)
	}

	// More events, for this source and for another program that uses the same
	// file.
	list.do("add", person(1))
	list.do("remove", person(3))
	c.finalize()
	c.queries.Store(0)
	for name, s := range map[string]sources.Source{"the same source": src, "another program": usdt(list, file)} {
		entries, _, err := load(s, rev)
		if err != nil || !slices.Equal(texts(entries), want(2, 4, 1)) {
			t.Errorf("%s: Load gave %q, %v, want %q", name, texts(entries), err, want(2, 4, 1))
		}
	}
	if n := c.queries.Load(); n < 1 || n > 2 {
		t.Errorf("%d queries, want one for each Load at most", n)
	}

	// From the first block, with a node that refuses long ranges.
	c.maxRange.Store(7)
	fresh, _, err := load(usdt(list, ""), sources.Revision{})
	if err != nil || !slices.Equal(texts(fresh), want(2, 4, 1)) {
		t.Errorf("from the first block: %q, %v, want %q", texts(fresh), err, want(2, 4, 1))
	}
}

// TestModel makes random changes and compares the list with what the contract
// reports for each account.
func TestModel(t *testing.T) {
	const seed = 11
	rnd := rand.New(rand.NewPCG(seed, seed))
	c := newChain(t)
	list := c.deploy("IndexedList")
	src := usdc(list)
	const people = 12
	list.do("add", person(0))
	for round := range 5 {
		for range 40 {
			list.do([]string{"add", "remove"}[rnd.IntN(2)], person(rnd.IntN(people)))
			if rnd.IntN(3) == 0 {
				c.mine(1)
			}
		}
		if round == 0 || rnd.IntN(2) == 0 {
			c.finalize()
		}
		entries, _, err := load(src, sources.Revision{})
		if err != nil {
			t.Fatal(err)
		}
		got := texts(entries)
		for i := range people {
			if is := slices.Contains(got, text(person(i))); is != list.listed(person(i)) {
				t.Errorf("seed %d, round %d: %v is on the list: %v, and the contract says %v", seed, round, person(i), is, !is)
			}
		}
		slices.Sort(got)
		if len(slices.Compact(got)) != len(entries) {
			t.Errorf("an account stands on the list twice: %q", got)
		}
	}
}

func TestConforms(t *testing.T) {
	c := newChain(t)
	list := c.deploy("IndexedList")
	for i := range 4 {
		list.do("add", person(i+1))
	}
	list.do("remove", person(2))
	c.finalize()
	sourcetest.Run(t, func(*testing.T) sources.Source { return usdc(list) })
}

// TestWrongNode uses a node of another chain, and a chain without the contract.
func TestWrongNode(t *testing.T) {
	c := newChain(t)
	list := c.deploy("IndexedList")
	list.do("add", person(1))
	c.finalize()
	for name, change := range map[string]func(s *shown){
		"another chain": func(s *shown) { s.id = 1 },
		"no contract":   func(s *shown) { s.address = text(person(1)) },
	} {
		src := usdc(list)
		if _, _, err := load(src, sources.Revision{}); err != nil {
			t.Error(err)
		}
		src = usdc(list)
		change(c.shown.Load())
		if entries, _, err := load(src, sources.Revision{}); err == nil || entries != nil {
			t.Errorf("%s: %q, %v, want an error", name, texts(entries), err)
		}
	}
}

// earlier is a Source whose listings end an hour earlier: each block of the simulated chain is a second later than
// the one before, so many blocks are of a time to come, and a listing lasts until its end.
type earlier struct{ sources.Source }

func (e earlier) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return e.Source.Load(ctx, prev, func(entry sources.Entry) error {
		if !entry.Until.IsZero() {
			entry.Until = entry.Until.Add(-time.Hour)
		}
		return add(entry)
	})
}

// TestScreening screens an account before it is frozen, while it is frozen, and
// afterwards.
func TestScreening(t *testing.T) {
	c := newChain(t)
	list := c.deploy("IndexedList")
	list.do("add", person(1))
	c.finalize()
	s, err := screening.New([]sources.Source{earlier{usdc(list)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	level := func() score.Level {
		t.Helper()
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := s.ScreenText("polygon", person(2).Hex())
		if err != nil {
			t.Fatal(err)
		}
		return r.Level
	}
	if got := level(); got != score.CleanNoMatch {
		t.Errorf("before: %s, want %s", got, score.CleanNoMatch)
	}
	list.do("add", person(2))
	c.finalize()
	if got := level(); got != score.Medium {
		t.Errorf("frozen: %s, want %s", got, score.Medium)
	}
	list.do("remove", person(2))
	c.finalize()
	if got := level(); got != score.CleanNoMatch {
		t.Errorf("after: %s, want %s", got, score.CleanNoMatch)
	}
}
