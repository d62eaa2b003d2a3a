// Package stablecoin lists the accounts that the issuers of USDT and USDC have frozen. Begin
// with [Frozen], which reads the freezes of a token from nodes of the caller's choice.
//
// A freeze is a fact that anyone can look up by the Ref of the entry, but it gives no
// reason: the request of an authority, a theft, a mistake. So its kind is
// [score.CommunityReport].
//
// The list is as good as the nodes. Load reads final blocks only, and checks the chain id,
// that each contract has had events, and the form of each answer. A log that the
// node omits is missing: use a node with the whole history that you trust. The revisions are
// open-ended, so a Screener suspects a list whose last freezes alone are gone.
package stablecoin

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/atomicfile"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A token is a stablecoin whose issuer freezes accounts.
type token struct {
	issuer         string
	added, removed string // the events that freeze and unfreeze an account
	contracts      []contract
}

// A contract is a token on a chain.
type contract struct {
	chain   address.Chain // tron, or a chain of the EVM family
	address string
	first   uint64 // the block that created it, or an earlier one; not used on tron
}

// tokens are the tokens that Frozen knows.
var tokens = map[string]token{
	// DestroyedBlackFunds, which destroys the funds of a frozen account, does not unfreeze it.
	"USDT": {"Tether", "AddedBlackList(address)", "RemovedBlackList(address)", []contract{
		{"ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec7", 4634748},
		{"tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", 0},
	}},
	"USDC": {"Circle", "Blacklisted(address)", "UnBlacklisted(address)", []contract{
		{"ethereum", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 6082465},
		{"arbitrum", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", 0},
		{"avalanche", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", 0},
		{"base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 0},
		{"optimism", "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", 0},
		{"polygon", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 0},
	}},
}

// Chains returns the chains on which Frozen knows the contract of a token, USDT or USDC.
func Chains(token string) (chains []address.Chain) {
	for _, c := range tokens[token].contracts {
		chains = append(chains, c.chain)
	}
	return chains
}

// Options configure [Frozen]. The zero Options are the defaults.
type Options struct {
	// StateFile is the name of a file for what was read, so that the program continues there
	// after a restart. A damaged file is replaced; one that cannot be read or written is an
	// error. With "" each start reads the chains from the first block, which takes minutes.
	StateFile string
	// Client makes the requests; nil means http.DefaultClient. Redirects of a node are not
	// followed. A key for TronGrid is a header field, TRON-PRO-API-KEY, which its Transport
	// may set.
	Client *http.Client
	// AllowHTTP allows an endpoint that is not https, such as the endpoint of a local node.
	AllowHTTP bool

	// Tests set these. token replaces the known one. maxRange limits the blocks of one
	// request; if the node refuses, the source asks for fewer. pause is the wait before each
	// request on tron: TronGrid refuses more than one a second to clients without a key.
	token    *token
	maxRange uint64
	pause    time.Duration
}

// Frozen returns the accounts that the issuer of a token, USDT or USDC, has frozen, with an
// id such as USDT_FROZEN. endpoints has an address for each chain to follow: of the JSON-RPC
// interface of a node, or on tron of a server with the interface of TronGrid, such as
// https://api.trongrid.io. No error shows the address of an endpoint, for most have a key in
// it. The list has the freezes on these chains only, and its name says so. opts may be nil; an
// error in the arguments, such as a chain on which the token is not known, is an error of Load.
//
// Load reads the events since the last block read by an earlier Load or, with
// Options.StateFile, by an earlier program, and returns the whole list as of the last final
// block. The time of this block, on the chain that is most behind, is when the list was last
// known to be current. On tron it reads all events in confirmed blocks each time. A Load
// that fails adds nothing, and the next one continues where it broke off; a chain that cannot
// be read is an error. A list without new events is [sources.ErrUnchanged]. Load repeats calls
// that fail in a way that may pass. Concurrent Loads wait for each other.
//
// The Ref of an entry is the transaction that froze the account and, but on tron, a colon and
// the index of the log in its block. An account that is no longer frozen has an entry with
// Until, the time of the block that says so. The order of two events in one block of tron is
// unknown: an account that was frozen and unfrozen there counts as frozen.
func Frozen(token string, endpoints map[address.Chain]string, opts *Options) sources.Source {
	s := &frozen{Options: *cmp.Or(opts, &Options{}), ticker: token, busy: make(chan struct{}, 1)}
	t := tokens[token]
	if s.token != nil {
		t = *s.token
	}
	s.name = "Accounts frozen by " + cmp.Or(t.issuer, "the issuer of "+token)
	between := " on "
	for _, c := range t.contracts {
		url, ok := endpoints[c.chain]
		if !ok {
			continue
		}
		s.name += between + string(c.chain)
		between = ", "
		s.readers = append(s.readers, &reader{contract: c, token: t, url: url, opts: &s.Options, state: state{Next: c.first}})
	}
	for chain := range endpoints {
		if !slices.ContainsFunc(t.contracts, func(c contract) bool { return c.chain == chain }) {
			s.bad = fmt.Errorf("no contract of %.20q is known on %.40q", token, chain)
		}
	}
	if s.readers == nil && s.bad == nil {
		s.bad = errors.New("no node: want the endpoint of one for each chain to follow")
	}
	return s
}

// frozen is the freezes on several chains as one list.
type frozen struct {
	Options
	name, ticker string
	bad          error         // the fault in the arguments
	busy         chan struct{} // holds one element while a Load reads the chains
	readers      []*reader
	restored     bool // the state file was read
}

// A reader reads the events of a contract. It must load once at a time.
type reader struct {
	contract
	token
	state
	url  string // of the server
	opts *Options
}

func (s *frozen) Info() sources.Info {
	return sources.Info{ID: s.ticker + "_FROZEN", Name: s.name, Jurisdiction: sources.Community, Licence: "facts of a public blockchain"}
}

func (s *frozen) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	all, rev, err := s.load(ctx)
	if err == nil {
		var list sources.Revision
		list, err = sources.Static(s.Info(), all...).Load(ctx, prev, add)
		rev.Digest = list.Digest
	}
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("stablecoin: %w", err)
	}
	return rev, err
}

// load reads all chains. The revision has no digest.
func (s *frozen) load(ctx context.Context) (all []sources.Entry, rev sources.Revision, err error) {
	if s.bad != nil {
		return nil, rev, s.bad
	}
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return nil, rev, ctx.Err()
	}
	if err := s.restore(); err != nil {
		return nil, rev, err
	}
	var earlier, last int64
	progress := sources.Progress(ctx)
	ctx = sources.WithProgress(ctx, func(read, _ int64) { // of one answer
		if read == 0 {
			earlier += last
		}
		last = read
		progress(earlier+read, -1)
	})
	rev.OpenEnded = true
	for _, r := range s.readers {
		load := r.loadEVM
		if r.chain == "tron" {
			load = r.loadTron
		}
		err := load(ctx)
		saveErr := s.save()
		switch {
		case ctx.Err() != nil:
			return nil, rev, ctx.Err()
		case err != nil:
			return nil, rev, fmt.Errorf("%s: %w", r.chain, r.hide(err))
		case saveErr != nil:
			return nil, rev, saveErr
		}
		all = append(all, r.entries(s.ticker)...)
		rev.Records += len(r.Events)
		if asOf := time.Unix(r.AsOf, 0).UTC(); r.AsOf > 0 && (rev.Checked.IsZero() || asOf.Before(rev.Checked)) {
			rev.Checked = asOf
		}
	}
	rev.Published = rev.Checked
	return all, rev, nil
}

// A state is the events of a contract that were read.
type state struct {
	Next   uint64  `json:"next"`   // the first block not read yet
	AsOf   int64   `json:"as_of"`  // the time of the last final block that was read, in Unix time
	Events []event `json:"events"` // in the order of the chain
}

// An event freezes or unfreezes an account.
type event struct {
	Address address.Address `json:"address"`
	Added   bool            `json:"added"`
	Block   uint64          `json:"block"`
	Index   uint64          `json:"index"` // among the logs of the block
	Ref     string          `json:"ref"`
	Time    int64           `json:"time"` // of the block, in Unix time
}

// compare orders events as the chain has them.
func (e event) compare(o event) int {
	return cmp.Or(cmp.Compare(e.Block, o.Block), cmp.Compare(e.Index, o.Index), cmp.Compare(e.Ref, o.Ref), e.Address.Compare(o.Address))
}

// entries returns the freezes that the events make. An account that is frozen while it is
// frozen counts since the first time.
func (r *reader) entries(token string) (all []sources.Entry) {
	frozen := make(map[address.Address]int) // the index of the entry that has not ended
	for _, e := range r.Events {
		at := time.Unix(e.Time, 0).UTC()
		i, ok := frozen[e.Address]
		switch {
		case e.Added && !ok:
			frozen[e.Address] = len(all)
			all = append(all, sources.Entry{
				Address: e.Address, Asset: token, Kind: score.CommunityReport, Ref: e.Ref, Name: "Frozen by " + r.issuer, ListedAt: at,
			})
		case !e.Added && ok:
			delete(frozen, e.Address)
			all[i].Until = at
		}
	}
	return all
}

// of names the state of r in the state file.
func (r *reader) of() string {
	return fmt.Sprintf("%s, %s from %d, %s, %s", r.chain, r.address, r.first, r.added, r.removed)
}

// save writes the state file, if there is one: the SHA-256 of its second line, in hex, and the
// states in JSON.
func (s *frozen) save() error {
	if s.StateFile == "" {
		return nil
	}
	states := make(map[string]state)
	for _, r := range s.readers {
		states[r.of()] = r.state
	}
	text, err := json.Marshal(states)
	if err != nil {
		return err
	}
	return atomicfile.Write(s.StateFile, 0o600, func(f *os.File) error {
		_, err := fmt.Fprintf(f, "%x\n%s", sha256.Sum256(text), text)
		return err
	})
}

// restore reads the state file, once. States of other contracts, and damaged files, do not count.
func (s *frozen) restore() error {
	if s.StateFile == "" || s.restored {
		return nil
	}
	file, err := os.ReadFile(s.StateFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.restored = true
	var states map[string]state
	if sum, text, _ := bytes.Cut(file, []byte("\n")); string(sum) != fmt.Sprintf("%x", sha256.Sum256(text)) || json.Unmarshal(text, &states) != nil {
		return nil
	}
	for _, r := range s.readers {
		if st, ok := states[r.of()]; ok {
			r.state = st
		}
	}
	return nil
}
