// Package stablecoin lists the accounts that the issuers of USDT and USDC have frozen. Begin
// with [Frozen], which reads the freezes of a token from nodes of the caller's choice.
//
// A freeze is a fact that anyone can look up by the Ref of the entry, but it gives no
// reason: the request of an authority, a theft, a mistake. So its kind is
// [score.CommunityReport].
//
// The list is as good as the nodes. Load reads final blocks only, and checks the chain id,
// that each contract exists and has had events, and the form of each answer. A log that the
// node omits is missing: use a node with the whole history that you trust. The revisions are
// open-ended, so a Screener suspects a list whose last freezes alone are gone.
package stablecoin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A Contract is a token on a chain, whose issuer freezes accounts.
type Contract struct {
	// Chain is tron, or a chain of the EVM family.
	Chain address.Chain
	// Address is the address of the contract.
	Address string
	// FirstBlock is the block that created the contract, or an earlier one. Accounts
	// frozen in earlier blocks are missing. On tron it is not used.
	FirstBlock uint64
	// Added and Removed are the events that freeze and unfreeze an account, such as
	// "Blacklisted(address)".
	Added, Removed string
	// Issuer is who freezes accounts, for the Name of the entries.
	Issuer string
}

// tokens are the contracts that Frozen knows.
var tokens = map[string][]Contract{
	"USDT": {
		usdt("ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec7", 4634748),
		usdt("tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", 0),
	},
	"USDC": {
		usdc("ethereum", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 6082465),
		usdc("arbitrum", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", 0),
		usdc("avalanche", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", 0),
		usdc("base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 0),
		usdc("optimism", "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", 0),
		usdc("polygon", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 0),
	},
}

// usdt returns a contract of USDT. DestroyedBlackFunds, which destroys the funds of a frozen
// account, does not unfreeze it.
func usdt(chain address.Chain, address string, first uint64) Contract {
	return Contract{chain, address, first, "AddedBlackList(address)", "RemovedBlackList(address)", "Tether"}
}

func usdc(chain address.Chain, address string, first uint64) Contract {
	return Contract{chain, address, first, "Blacklisted(address)", "UnBlacklisted(address)", "Circle"}
}

// Chains returns the chains on which Frozen knows the contract of a token, USDT or USDC.
func Chains(token string) []address.Chain {
	var chains []address.Chain
	for _, c := range tokens[token] {
		chains = append(chains, c.Chain)
	}
	return chains
}

// Options configure [Frozen]. The zero Options are the defaults.
type Options struct {
	// Contracts are the contracts of the token, at most one for each chain; nil means the
	// contracts that Frozen knows.
	Contracts []Contract
	// StateFile is the name of files for the state, so that the program continues there
	// after a restart. A dot and the chain are appended. A damaged file, or one of another
	// contract, is replaced; one that cannot be read or written is an error. With "" each
	// start reads the chains from the first block, which takes minutes.
	StateFile string
	// Client makes the requests; nil means http.DefaultClient. Redirects of a node are not
	// followed. A key for TronGrid is a header field, TRON-PRO-API-KEY, which its Transport
	// may set.
	Client *http.Client
	// AllowHTTP allows an endpoint that is not https, such as the endpoint of a local node.
	AllowHTTP bool

	// Tests set these. maxRange limits the blocks of one request; if the node refuses, the
	// source asks for fewer. pause is the wait between two requests on tron: TronGrid refuses
	// more than one a second to clients without a key.
	maxRange uint64
	pause    time.Duration
}

// Frozen returns the accounts that the issuer of a token, USDT or USDC, has frozen, with an
// id such as USDT_FROZEN. endpoints has an address for each chain to follow: of the JSON-RPC
// interface of a node, or on tron of a server with the interface of TronGrid, such as
// https://api.trongrid.io. No error shows the path, the query or the user of an endpoint's
// address, for most have a key there. The list has the freezes on these chains only, and its
// name says so. opts may be nil; an error in the arguments, such as a chain on which the token
// is not known, is an error of Load.
//
// Load reads the events since the last block read by an earlier Load or, with
// Options.StateFile, by an earlier program, and returns the whole list as of the last final
// block. The time of this block, on the chain that is most behind, is when the list was last
// known to be current. On tron it reads all events in confirmed blocks each time. A Load
// that fails adds nothing, and the next one continues where it broke off; a chain that cannot
// be read is an error. A list without new events is [sources.ErrUnchanged]. If blocks that
// were read are no longer part of the chain, Load reads everything again. Load repeats calls
// that fail in a way that may pass. Concurrent Loads wait for each other.
//
// The Ref of an entry is the transaction that froze the account and, but on tron, a colon and
// the index of the log in its block. An account that is no longer frozen has an entry with
// Until, the time of the block that says so. The order of two events in one block of tron is
// unknown: an account that was frozen and unfrozen there counts as frozen.
func Frozen(token string, endpoints map[address.Chain]string, opts *Options) sources.Source {
	s := &frozen{token: token, name: "Accounts frozen by the issuer of " + token, busy: make(chan struct{}, 1)}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Contracts == nil {
		s.opts.Contracts = tokens[token]
	}
	known := make(map[address.Chain]bool)
	var names []string
	for _, c := range s.opts.Contracts {
		if known[c.Chain] {
			s.bad = fmt.Errorf("two contracts on %.40q, want one", c.Chain)
		}
		known[c.Chain] = true
		s.name = "Accounts frozen by " + c.Issuer
		endpoint, ok := endpoints[c.Chain]
		if !ok {
			continue
		}
		names = append(names, string(c.Chain))
		s.add(c, endpoint)
	}
	if names != nil {
		s.name += " on " + strings.Join(names, ", ")
	}
	for chain := range endpoints {
		if !known[chain] {
			s.bad = fmt.Errorf("no contract of %.20q is known on %.40q", token, chain)
		}
	}
	if s.chains == nil && s.bad == nil {
		s.bad = errors.New("no node: want the endpoint of one for each chain to follow")
	}
	return s
}

// frozen is the freezes on several chains as one list.
type frozen struct {
	token, name string
	opts        Options
	bad         error         // the fault in the arguments
	busy        chan struct{} // holds one element while a Load reads the chains
	chains      []chain
}

// A chain reads the events of a contract.
type chain struct {
	issuer, endpoint string
	load             func(context.Context) (events []event, asOf time.Time, err error) // zero asOf: now
}

// add adds the chain of a contract.
func (s *frozen) add(c Contract, url string) {
	source := endpoint{url: url, opts: &s.opts}
	if c.Chain == "tron" {
		source.url = strings.TrimSuffix(url, "/")
		s.chains = append(s.chains, chain{c.Issuer, url, (&tron{c, source}).load})
		return
	}
	r, err := newReader(c, source)
	if err != nil {
		s.bad = fmt.Errorf("%.40q: %w", c.Chain, err)
	}
	s.chains = append(s.chains, chain{c.Issuer, url, r.load})
}

func (s *frozen) Info() sources.Info {
	return sources.Info{ID: s.token + "_FROZEN", Name: s.name, Jurisdiction: sources.Community, Licence: "facts of a public blockchain"}
}

func (s *frozen) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	all, rev, err := s.load(ctx)
	if err == nil {
		var list sources.Revision
		list, err = sources.Static(s.Info(), all...).Load(ctx, prev, add)
		rev.Digest = list.Digest
	}
	switch {
	case err == sources.ErrUnchanged:
		return rev, err
	case err != nil:
		return sources.Revision{}, fmt.Errorf("stablecoin: %w", err)
	}
	return rev, nil
}

// load reads all chains. The revision has no digest.
func (s *frozen) load(ctx context.Context) (all []sources.Entry, rev sources.Revision, err error) {
	if s.bad != nil {
		return nil, rev, s.bad
	}
	if err := ctx.Err(); err != nil {
		return nil, rev, err
	}
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return nil, rev, ctx.Err()
	}
	rev.OpenEnded = true
	now := time.Now().UTC()
	for _, c := range s.chains {
		events, asOf, err := c.load(ctx)
		if ctx.Err() != nil {
			return nil, rev, ctx.Err()
		}
		if err != nil {
			return nil, rev, hide(err, c.endpoint)
		}
		for _, e := range entries(events, "Frozen by "+c.issuer) {
			e.Asset, e.Kind = s.token, score.CommunityReport
			all = append(all, e)
		}
		rev.Records += len(events)
		if !asOf.IsZero() && (rev.Checked.IsZero() || asOf.Before(rev.Checked)) {
			rev.Checked = asOf
		}
	}
	if rev.Checked.After(now) {
		rev.Checked = now // clocks differ
	}
	rev.Published = rev.Checked
	return all, rev, nil
}
