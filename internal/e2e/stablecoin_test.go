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

// follow returns c with the events of like.
func follow(c *contract, like stablecoin.Contract) stablecoin.Contract {
	like.Address, like.FirstBlock = c.address.Hex(), c.block
	return like
}

// options returns options for the contracts of a chain.
func options(contracts ...stablecoin.Contract) *stablecoin.Options {
	return &stablecoin.Options{Contracts: contracts, ChainID: 1337, AllowHTTP: true}
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
	usdt, usdc := c.deploy("DataList"), c.deploy("IndexedList")
	opts := options(follow(usdt, stablecoin.Issuers()[0]), follow(usdc, stablecoin.Issuers()[1]))
	opts.StateFile = filepath.Join(t.TempDir(), "state")
	src := stablecoin.New(c.url, opts)

	// No account was ever frozen: an empty list counts as broken.
	c.finalize()
	if entries, _, err := load(src, sources.Revision{}); err == nil || entries != nil {
		t.Fatalf("no events: %q, %v, want an error", texts(entries), err)
	}

	usdt.do("add", person(1))
	freeze := usdt.do("add", person(2))
	usdc.do("add", person(3))
	c.mine(1)
	usdt.do("destroy", person(2))
	usdt.do("remove", person(1))
	c.mine(1)
	c.finalize()
	usdc.do("add", person(4))
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
	usdt.do("add", person(1))
	usdc.do("remove", person(3))
	c.finalize()
	c.queries.Store(0)
	for name, s := range map[string]sources.Source{"the same source": src, "another program": stablecoin.New(c.url, opts)} {
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
	opts.StateFile = ""
	fresh, _, err := load(stablecoin.New(c.url, opts), sources.Revision{})
	if err != nil || !slices.Equal(texts(fresh), want(2, 4, 1)) {
		t.Errorf("from the first block: %q, %v, want %q", texts(fresh), err, want(2, 4, 1))
	}
}

// TestOracle makes random changes and compares the list with what the contract
// reports for each account.
func TestOracle(t *testing.T) {
	const seed = 11
	rnd := rand.New(rand.NewPCG(seed, seed))
	c := newChain(t)
	oracle := c.deploy("ArrayList")
	src := stablecoin.NewOracle(c.url, options(follow(oracle, stablecoin.Oracle())))
	const people = 12
	oracle.do("add", []common.Address{person(0)})
	for round := range 5 {
		for range 20 {
			who := make([]common.Address, rnd.IntN(4))
			for i := range who {
				who[i] = person(rnd.IntN(people))
			}
			oracle.do([]string{"add", "remove"}[rnd.IntN(2)], who)
			oracle.do("ask", person(rnd.IntN(people)))
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
			if is := slices.Contains(got, text(person(i))); is != oracle.listed(person(i)) {
				t.Errorf("seed %d, round %d: %v is on the list: %v, and the contract says %v", seed, round, person(i), is, !is)
			}
		}
		slices.Sort(got)
		if len(slices.Compact(got)) != len(entries) {
			t.Errorf("an account stands on the list twice: %q", got)
		}
	}
}

// TestReorganisation replaces the block in which an account was frozen.
func TestReorganisation(t *testing.T) {
	c := newChain(t)
	usdt := c.deploy("DataList")
	opts := options(follow(usdt, stablecoin.Issuers()[0]))
	opts.Confirmations = 2
	src := stablecoin.New(c.url, opts)
	usdt.do("add", person(1))
	c.mine(1)
	parent := c.header("latest")
	usdt.do("add", person(2))
	c.mine(3)
	entries, _, err := load(src, sources.Revision{})
	if err != nil || !slices.Equal(texts(entries), want(1, 2)) {
		t.Fatalf("before: %q, %v, want %q", texts(entries), err, want(1, 2))
	}

	if err := c.backend.Fork(parent.Hash()); err != nil {
		t.Fatal(err)
	}
	c.replace(&usdt.address, usdt.call("add", person(3)))
	c.mine(8)
	entries, _, err = load(src, sources.Revision{})
	if err != nil || !slices.Equal(texts(entries), want(1, 3)) {
		t.Errorf("after: %q, %v, want %q", texts(entries), err, want(1, 3))
	}
}

func TestConforms(t *testing.T) {
	c := newChain(t)
	oracle := c.deploy("ArrayList")
	oracle.do("add", []common.Address{person(1), person(2), person(3), person(4)})
	oracle.do("remove", []common.Address{person(2)})
	c.finalize()
	sourcetest.Run(t, func(*testing.T) sources.Source {
		return stablecoin.NewOracle(c.url, options(follow(oracle, stablecoin.Oracle())))
	})
}

// TestWrongNode uses a node of another chain, and a chain without the contract.
func TestWrongNode(t *testing.T) {
	c := newChain(t)
	oracle := c.deploy("ArrayList")
	oracle.do("add", []common.Address{person(1)})
	c.finalize()
	right := follow(oracle, stablecoin.Oracle())
	for name, change := range map[string]func(o *stablecoin.Options){
		"another chain":      func(o *stablecoin.Options) { o.ChainID = 0 },
		"no contract":        func(o *stablecoin.Options) { o.Contracts[0].Address = person(1).Hex() },
		"mainnet's contract": func(o *stablecoin.Options) { o.Contracts = nil },
	} {
		opts := options(right)
		change(opts)
		if entries, _, err := load(stablecoin.NewOracle(c.url, opts), sources.Revision{}); err == nil || entries != nil {
			t.Errorf("%s: %q, %v, want an error", name, texts(entries), err)
		}
	}
}

// TestScreening screens an account before it is frozen, while it is frozen, and
// afterwards.
func TestScreening(t *testing.T) {
	c := newChain(t)
	usdc := c.deploy("IndexedList")
	usdc.do("add", person(1))
	c.finalize()
	s, err := screening.New([]sources.Source{stablecoin.New(c.url, options(follow(usdc, stablecoin.Issuers()[1])))}, nil)
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
	usdc.do("add", person(2))
	c.finalize()
	if got := level(); got != score.Medium {
		t.Errorf("frozen: %s, want %s", got, score.Medium)
	}
	usdc.do("remove", person(2))
	c.finalize()
	if got := level(); got != score.CleanNoMatch {
		t.Errorf("after: %s, want %s", got, score.CleanNoMatch)
	}
}
