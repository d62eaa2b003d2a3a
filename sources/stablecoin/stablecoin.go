// Package stablecoin lists the accounts that contracts list: those frozen by the issuers
// of USDT and USDC, and those in the sanctions oracle of Chainalysis. Begin with [Frozen],
// which reads the freezes of a token from nodes of the caller's choice, or [NewOracle]. [New]
// reads the events of other contracts on an EVM chain, and [NewTron] USDT on Tron alone.
//
// A freeze is a fact that anyone can look up by the Ref of the entry, but it gives no
// reason: the request of an authority, a theft, a mistake. So its kind is
// [score.CommunityReport]. The oracle copies OFAC's list late and without references; use
// package ofac for OFAC's list.
//
// The list is as good as the node. Load reads final blocks only, and checks the chain id,
// that each contract exists and has had events, and the form of each answer. A log that the
// node omits is missing: use a node with the whole history that you trust. The revisions are
// open-ended, so a Screener suspects a list whose last freezes alone are gone.
package stablecoin

import (
	"cmp"
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

// A Contract lists accounts in its events.
type Contract struct {
	// Address is the address of the contract: 0x and 40 hex digits.
	Address string
	// FirstBlock is the block that created the contract, or an earlier one. Accounts
	// listed in earlier blocks are missing.
	FirstBlock uint64
	// Added and Removed are the events that list and unlist accounts: a name and the
	// types of the arguments, which are (address) or (address[]), such as
	// "Blacklisted(address)".
	Added, Removed string
	// Asset is the Asset of the entries, such as "USDT", or "".
	Asset string
	// Name is the Name of the entries: what a listing means.
	Name string
}

// Issuers returns the contracts whose freezes [New] reads: USDT and USDC on Ethereum.
// The caller owns the slice.
func Issuers() []Contract {
	var all []Contract
	for _, t := range tokens {
		if t.chain == "ethereum" {
			all = append(all, t.Contract)
		}
	}
	return all
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

// Options configure [New], [NewOracle] and [NewTron]. The zero Options are the defaults.
type Options struct {
	// Contracts are the contracts to follow; nil means the contracts of the function. The slice
	// is copied.
	Contracts []Contract
	// Chain is the chain of the contracts and their accounts; "" means ethereum.
	Chain address.Chain
	// ChainID is the EIP-155 chain id that the node must have. Zero means the chain id of Chain.
	ChainID uint64
	// Info describes the list; the zero Info means the Info of the function. Two lists in
	// one Screener need different ids.
	Info sources.Info

	// StateFile is the name of a file for the state, so that the program continues
	// there after a restart. Each list needs its own file. A damaged file, or one of
	// other contracts, is replaced; one that cannot be read or written is an error. With
	// "" each start reads the list from the first block, which takes minutes.
	StateFile string
	// Confirmations is the number of later blocks that make a block final, for chains
	// whose nodes do not know which block is final. Zero means to ask the node.
	Confirmations uint64
	// MaxRange limits the blocks of one request; zero means 50000. If the node refuses,
	// the source asks for fewer.
	MaxRange uint64
	// Pause is the wait between two requests of NewTron. Zero means a second: TronGrid
	// refuses more to clients without a key.
	Pause time.Duration
	// Client makes the requests; nil means http.DefaultClient. Redirects are not followed.
	// An answer may take at most two minutes.
	Client *http.Client
	// AllowHTTP allows an endpoint that is not https, such as the endpoint of a local node.
	AllowHTTP bool
	// Progress, if not nil, is called when Load of New or NewOracle has read the blocks up to block, of those
	// up to last.
	Progress func(block, last uint64)
}

// New returns the accounts that the issuers of stablecoins have frozen, by default in the
// contracts of [Issuers], with the id STABLECOIN_FREEZES. endpoint is the address of a node's
// JSON-RPC interface; no error contains it, for most have a key in it. opts may be nil; an
// error in it, or in endpoint, is an error of Load.
//
// Load reads the events since the last block read by an earlier Load or, with
// Options.StateFile, by an earlier program, and returns the whole list as of the last final
// block. The time of that block is when the list was last known to be current. A Load that
// fails adds nothing, and the next one continues where it broke off. A list without new
// events is [sources.ErrUnchanged]. If blocks that were read are no longer part of the
// chain, Load reads everything again. Load repeats calls that fail in a way that may pass.
// Concurrent Loads wait for each other.
//
// The Ref of an entry is the transaction that listed the account, a colon, and the index of
// the log in its block. An account that is no longer frozen has an entry with Until, the time
// of the block that says so.
func New(endpoint string, opts *Options) sources.Source {
	return newSource(endpoint, opts, Issuers(), sources.Info{
		ID:           "STABLECOIN_FREEZES",
		Name:         "Accounts frozen by the issuers of USDT and USDC",
		Jurisdiction: sources.Community,
		Licence:      "facts of a public blockchain",
	})
}

// NewOracle returns the accounts in the sanctions oracle of Chainalysis, with the id
// SANCTIONS_ORACLE. Everything else is as with [New].
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
	o.Info = cmp.Or(o.Info, info)
	o.Chain = cmp.Or(o.Chain, "ethereum")
	o.MaxRange = min(cmp.Or(o.MaxRange, 50_000), maxBlock)
	o.Contracts = slices.Clone(o.Contracts)
	s := &source{
		opts:    o,
		node:    node{url: endpoint, allowHTTP: o.AllowHTTP, client: o.Client},
		loading: make(chan struct{}, 1),
		size:    o.MaxRange,
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
	bad      error // the fault in the options

	// loading holds one element while a Load uses the fields below.
	loading chan struct{}
	node    node
	size    uint64 // the number of blocks to ask about next
	state   *state // nil until the first Load
}

func (s *source) Info() sources.Info { return s.opts.Info }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return loadList(ctx, s.load, prev, add)
}

// loadList is the Load of either source; load returns its list.
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
	case s.loading <- struct{}{}:
		defer func() { <-s.loading }()
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
	s.node.bytes = 0
	if err := s.update(ctx); err != nil {
		return nil, sources.Revision{}, err
	}
	return s.list()
}

// list returns the list of the state, which must be complete.
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
		if l.Ended != 0 {
			entries[i].Until = time.Unix(l.Ended, 0).UTC()
			fmt.Fprintln(h, "until", l.Ended)
		}
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
		OpenEnded: true,
	}, nil
}
