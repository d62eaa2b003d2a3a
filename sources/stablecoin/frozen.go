package stablecoin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// tokens are the contracts that Frozen follows, one for each token and chain. On Tron, it
// follows the contract of USDT.
var tokens = []struct {
	token string
	chain address.Chain
	Contract
}{
	{"USDT", "ethereum", usdt("0xdAC17F958D2ee523a2206206994597C13D831ec7", 4634748)},
	{"USDT", "tron", Contract{}},
	{"USDC", "ethereum", usdc("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 6082465)},
	{"USDC", "arbitrum", usdc("0xaf88d065e77c8cC2239327C5EDb3A432268e5831", 0)},
	{"USDC", "avalanche", usdc("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", 0)},
	{"USDC", "base", usdc("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 0)},
	{"USDC", "optimism", usdc("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", 0)},
	{"USDC", "polygon", usdc("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 0)},
}

// usdt returns a contract of USDT. DestroyedBlackFunds, which destroys the funds of a frozen
// account, does not unfreeze it.
func usdt(address string, first uint64) Contract {
	return Contract{address, first, "AddedBlackList(address)", "RemovedBlackList(address)", "USDT", "Frozen by Tether"}
}

func usdc(address string, first uint64) Contract {
	return Contract{address, first, "Blacklisted(address)", "UnBlacklisted(address)", "USDC", "Frozen by Circle"}
}

// Chains returns the chains on which Frozen can follow a token, USDT or USDC.
func Chains(token string) []address.Chain {
	var chains []address.Chain
	for _, t := range tokens {
		if t.token == token {
			chains = append(chains, t.chain)
		}
	}
	return chains
}

// Frozen returns the accounts that the issuer of a token, USDT or USDC, has frozen, with the
// id USDT_FROZEN or USDC_FROZEN. endpoints has the address of a node for each chain to
// follow: of its JSON-RPC interface as with [New], or of a server like TronGrid on tron, as
// with [NewTron]. The list has the freezes on these chains only, and its name says so.
//
// Of opts, which may be nil, Frozen uses Client, AllowHTTP, Pause and StateFile, to which it
// appends a dot and the chain. A chain that cannot be read is an error of Load, as is a chain
// without a contract of the token, or no chain.
func Frozen(token string, endpoints map[address.Chain]string, opts *Options) sources.Source {
	s := &frozen{id: token + "_FROZEN"}
	issuer := map[string]string{"USDT": "Tether", "USDC": "Circle"}[token]
	var names []string
	for _, t := range tokens {
		endpoint, ok := endpoints[t.chain]
		if !ok || t.token != token {
			continue
		}
		names = append(names, string(t.chain))
		o := Options{Contracts: []Contract{t.Contract}, Chain: t.chain}
		if opts != nil {
			o.Client, o.AllowHTTP, o.Pause, o.StateFile = opts.Client, opts.AllowHTTP, opts.Pause, opts.StateFile
		}
		if o.StateFile != "" {
			o.StateFile += "." + string(t.chain)
		}
		if t.chain == "tron" {
			s.chains = append(s.chains, NewTron(endpoint, &o).(*tron))
		} else {
			s.chains = append(s.chains, New(endpoint, &o).(*source))
		}
	}
	s.name = fmt.Sprintf("Accounts frozen by %s", cmp.Or(issuer, token))
	if names != nil {
		s.name += " on " + strings.Join(names, ", ")
	}
	for chain := range endpoints {
		if !slices.Contains(Chains(token), chain) {
			s.bad = fmt.Errorf("stablecoin: no contract of %.20q is known on %.40q", token, chain)
		}
	}
	if s.chains == nil && s.bad == nil {
		s.bad = errors.New("stablecoin: no node: want the endpoint of one for each chain to follow")
	}
	return s
}

// frozen is the lists of several chains as one.
type frozen struct {
	id, name string
	chains   []loader
	bad      error
}

// A loader reads the list of a chain.
type loader interface {
	load(context.Context) ([]sources.Entry, sources.Revision, error)
	Info() sources.Info
}

func (s *frozen) Info() sources.Info {
	return sources.Info{ID: s.id, Name: s.name, Jurisdiction: sources.Community, Licence: "facts of a public blockchain"}
}

func (s *frozen) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if s.bad != nil {
		return sources.Revision{}, s.bad
	}
	return loadList(ctx, s.load, prev, add)
}

// load reads all chains. The list is as old as the oldest of them.
func (s *frozen) load(ctx context.Context) ([]sources.Entry, sources.Revision, error) {
	var all []sources.Entry
	rev := sources.Revision{OpenEnded: true}
	sum := sha256.New()
	oldest := func(t *time.Time, of time.Time) {
		if !of.IsZero() && (t.IsZero() || of.Before(*t)) {
			*t = of
		}
	}
	for _, c := range s.chains {
		entries, r, err := c.load(ctx)
		if err != nil {
			return nil, sources.Revision{}, err
		}
		fmt.Fprintln(sum, r.Digest)
		all = append(all, entries...)
		rev.Records += r.Records
		oldest(&rev.Published, r.Published)
		oldest(&rev.Checked, r.Checked)
	}
	rev.Digest = hex.EncodeToString(sum.Sum(nil))
	return all, rev, nil
}
