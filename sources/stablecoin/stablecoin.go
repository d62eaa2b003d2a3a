// Package stablecoin lists the accounts that a contract lists: those that the
// issuers of USDT and USDC have frozen, and those in the sanctions oracle of
// Chainalysis. On Ethereum and its kin it reads the events of the contracts from
// a node of the caller's choice; on Tron, from TronGrid.
//
//	freezes := stablecoin.New("https://node.example/key", &stablecoin.Options{StateFile: "freezes.state"})
//	oracle := stablecoin.NewOracle("https://node.example/key", nil)
//	onTron := stablecoin.NewTron(nil)
//
// A freeze is a fact, which anybody can look up by the reference of the entry,
// but it does not say why: on request of an authority, after a theft, by
// mistake. So it is a [score.CommunityReport]. The oracle copies what OFAC
// lists, late and without its reference; who wants to know what OFAC says loads
// package ofac, and the oracle is a second opinion of the same kind.
//
// What counts is what the node answers. It is asked for blocks that are final
// only, its chain id must be the right one, and each contract must be there and
// have had events. Its answers must have the form that was asked for. But a log
// that it leaves out is missing here as well, so it should be a node that has
// the whole history, run by the caller or by someone whom the caller trusts.
//
// The package needs nothing beyond the standard library to speak to a node.
package stablecoin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Contract is a contract that lists accounts, and tells of it by events.
type Contract struct {
	// Address is the address of the contract: 0x and 40 hex digits.
	Address string
	// FirstBlock is the block in which the contract was made, or an earlier one.
	// With a later one, accounts that were listed before are missing.
	FirstBlock uint64
	// Added and Removed are the events by which accounts are put on the list and
	// taken from it: a name and the types of the arguments, which are (address)
	// or (address[]), such as "Blacklisted(address)".
	Added, Removed string
	// Asset is the Asset of the entries, such as "USDT", or "".
	Asset string
	// Name is the Name of the entries: what it means to be listed there.
	Name string
}

// Issuers returns the contracts of which [New] reads the freezes: USDT and USDC
// on Ethereum. That funds of a frozen account of USDT were destroyed
// (DestroyedBlackFunds) does not unfreeze it. The slice is the caller's own.
func Issuers() []Contract {
	return []Contract{
		{
			Address:    "0xdAC17F958D2ee523a2206206994597C13D831ec7",
			FirstBlock: 4634748,
			Added:      "AddedBlackList(address)",
			Removed:    "RemovedBlackList(address)",
			Asset:      "USDT",
			Name:       "Frozen by Tether",
		},
		{
			Address:    "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
			FirstBlock: 6082465,
			Added:      "Blacklisted(address)",
			Removed:    "UnBlacklisted(address)",
			Asset:      "USDC",
			Name:       "Frozen by Circle",
		},
	}
}

// Oracle returns the contract that [NewOracle] reads: the sanctions oracle of
// Chainalysis on Ethereum.
func Oracle() Contract {
	return Contract{
		Address:    "0x40C57923924B5c5c5455c48D93317139ADDaC8fb",
		FirstBlock: 14356508,
		Added:      "SanctionedAddressesAdded(address[])",
		Removed:    "SanctionedAddressesRemoved(address[])",
		Name:       "Chainalysis sanctions oracle",
	}
}

// Options are what [New] and [NewOracle] can be told. The zero Options are the
// defaults.
type Options struct {
	// Contracts are the contracts to follow; nil means those of the function. No
	// change to the slice is seen later.
	Contracts []Contract
	// Chain is the chain of the contracts and of the accounts that they list; ""
	// means ethereum.
	Chain address.Chain
	// ChainID is the id of the chain that the node must name, by EIP-155. Zero
	// means that of Chain.
	ChainID uint64
	// Info describes the list; the zero Info means that of the function. Two
	// lists in one Screener need two ids.
	Info sources.Info

	// StateFile is the name of a file in which to keep what was read, so that a
	// program that starts anew goes on where it was. Each list needs one of its
	// own. A file that is damaged, or of other contracts, is not used, and
	// replaced; one that cannot be read or written at all is an error. With ""
	// the list is read from the first block at each start, which takes minutes.
	StateFile string
	// Confirmations is for a chain whose nodes do not know which block is final.
	// Blocks count as final when so many others stand above them. Zero means to
	// ask the node.
	Confirmations uint64
	// MaxRange is the largest number of blocks to ask about at once; zero means
	// 50000. When the node refuses, the source asks for less.
	MaxRange uint64
	// Client makes the requests; nil means http.DefaultClient. It must not follow
	// redirects, and is told so. No answer may take longer than two minutes.
	Client *http.Client
	// AllowHTTP allows an endpoint that is not https: for a node in a network of
	// one's own.
	AllowHTTP bool
	// Progress, if not nil, is called by Load when it has read the blocks up to
	// and including block, out of those up to last.
	Progress func(block, last uint64)
}

// New returns the accounts that the issuers of stablecoins have frozen, by
// default those of [Issuers], under the id STABLECOIN_FREEZES. endpoint is the
// address of the JSON-RPC interface of a node; no error names it, for most have
// a key in it. opts may be nil; what is wrong in it, or in endpoint, is the error of
// Load.
//
// Load reads the events since the last block that was read before, by an
// earlier Load or, with Options.StateFile, an earlier program, and gives the
// whole list as it is at the last final block. The time of that block is when
// the list was last known to be current. A Load that fails gives nothing, but
// the next one goes on where it broke off. If the list has no new events it is
// [sources.ErrUnchanged]. If it turns out that blocks were read that are no
// longer part of the chain, all is read again. Calls are repeated a few times
// if they fail in a way that may pass. Loads wait for each other.
//
// The Ref of an entry is the transaction by which the account was listed, a
// colon, and the index of the log in its block.
func New(endpoint string, opts *Options) sources.Source {
	return newSource(endpoint, opts, Issuers(), sources.Info{
		ID:           "STABLECOIN_FREEZES",
		Name:         "Accounts frozen by the issuers of USDT and USDC",
		Jurisdiction: sources.Community,
		Licence:      "facts of a public blockchain",
	})
}

// NewOracle returns the accounts that the sanctions oracle of Chainalysis lists,
// under the id SANCTIONS_ORACLE. Everything else is as in [New].
func NewOracle(endpoint string, opts *Options) sources.Source {
	return newSource(endpoint, opts, []Contract{Oracle()}, sources.Info{
		ID:           "SANCTIONS_ORACLE",
		Name:         "Chainalysis sanctions oracle",
		Jurisdiction: sources.Community,
		Licence:      "facts of a public blockchain",
	})
}

func newSource(endpoint string, opts *Options, contracts []Contract, info sources.Info) sources.Source {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Contracts == nil {
		o.Contracts = contracts
	}
	if o.Info == (sources.Info{}) {
		o.Info = info
	}
	if o.Chain == "" {
		o.Chain = "ethereum"
	}
	if o.MaxRange == 0 {
		o.MaxRange = 50_000
	}
	o.MaxRange = min(o.MaxRange, maxBlock)
	o.Contracts = slices.Clone(o.Contracts)
	s := &source{
		opts: o,
		node: node{url: endpoint, allowHTTP: o.AllowHTTP, client: o.Client},
		turn: make(chan struct{}, 1),
		size: o.MaxRange,
	}
	s.follower, s.bad = newFollower(o.Contracts)
	if s.bad == nil && o.ChainID == 0 {
		id, ok := strings.CutPrefix(o.Chain.CAIP2(), "eip155:")
		s.opts.ChainID, s.bad = strconv.ParseUint(id, 10, 64)
		if !ok || s.bad != nil {
			s.bad = fmt.Errorf("chain %.80q has no id by EIP-155", o.Chain)
		}
	}
	return s
}

type source struct {
	opts     Options
	follower *follower
	bad      error // what is wrong with the options

	turn  chan struct{} // has one element while a Load has its turn with what follows
	node  node
	size  uint64 // the number of blocks to ask about next
	state *state // nil until the first Load
}

func (s *source) Info() sources.Info { return s.opts.Info }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return loadList(ctx, s.load, prev, add)
}

// loadList is the Load of either source, whose list load returns.
func loadList(ctx context.Context, load func(context.Context) ([]sources.Entry, sources.Revision, error), prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	entries, rev, err := load(ctx)
	if err != nil {
		return sources.Revision{}, fmt.Errorf("stablecoin: %w", err)
	}
	if rev.Digest == prev.Digest {
		return rev, sources.ErrUnchanged
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return sources.Revision{}, fmt.Errorf("stablecoin: %w", err)
		}
		if err := add(e); err != nil {
			return sources.Revision{}, fmt.Errorf("stablecoin: %w", err)
		}
	}
	return rev, nil
}

// load brings the state up to date and returns the list.
func (s *source) load(ctx context.Context) ([]sources.Entry, sources.Revision, error) {
	if s.bad != nil {
		return nil, sources.Revision{}, s.bad
	}
	if err := ctx.Err(); err != nil {
		return nil, sources.Revision{}, err
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, sources.Revision{}, ctx.Err()
	}
	if s.state == nil {
		st, err := s.restore()
		if err != nil {
			return nil, sources.Revision{}, err
		}
		s.state = st
	}
	if err := s.update(ctx); err != nil {
		return nil, sources.Revision{}, err
	}
	return s.list()
}

// list returns the list as of the state, which is complete.
func (s *source) list() ([]sources.Entry, sources.Revision, error) {
	st := s.state
	records := 0
	for i, n := range st.Events {
		if n == 0 {
			return nil, sources.Revision{}, fmt.Errorf("contract %s had no events: the node does not have its history, or FirstBlock is wrong", s.opts.Contracts[i].Address)
		}
		records += n
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", s.opts.Chain, st.Of)
	for _, c := range s.opts.Contracts {
		fmt.Fprintf(h, "%q %q\n", c.Asset, c.Name)
	}
	listings := st.sorted()
	entries := make([]sources.Entry, len(listings))
	for i, l := range listings {
		a, err := address.Normalize(s.opts.Chain, l.Account.String())
		if err != nil {
			return nil, sources.Revision{}, err
		}
		entries[i] = sources.Entry{
			Address:  a,
			Asset:    s.opts.Contracts[l.Contract].Asset,
			Kind:     score.CommunityReport,
			Ref:      l.Tx.String() + ":" + strconv.FormatUint(l.Index, 10),
			Name:     s.opts.Contracts[l.Contract].Name,
			ListedAt: time.Unix(l.Time, 0).UTC(),
		}
		fmt.Fprintln(h, l.Contract, l.Account, l.Block, l.Index, l.Tx, l.Time)
	}
	asOf := time.Unix(st.Head.Time, 0).UTC()
	if now := time.Now().UTC(); asOf.After(now) {
		asOf = now // clocks differ
	}
	return entries, sources.Revision{
		Digest:    hex.EncodeToString(h.Sum(nil)),
		Published: asOf,
		Checked:   asOf,
		Records:   records,
	}, nil
}
