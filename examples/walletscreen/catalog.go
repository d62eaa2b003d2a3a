package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/mof"
	"github.com/walletscreen/walletscreen/sources/nbctf"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/opensanctions"
	"github.com/walletscreen/walletscreen/sources/own"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// A published list is one that the program can fetch.
type published struct {
	bundled func() sources.Source // nil if it is not bundled
	usual   bool                  // it is held if -lists does not choose
	final   bool                  // live is bundled: the document cannot change
	byHand  bool                  // only a mirror or an import brings it
	needs   string                // the flag without which the list cannot be fetched
	// live returns the source that fetches the list, from a mirror if that is not empty.
	live func(mirror string) sources.Source
	// parse reads the list from a file that was downloaded; nil if there are none.
	parse func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error)
}

func (p *published) id() string { return p.live("").Info().ID }

// seeded returns s with the bundled copy of the list, if there is one.
func (p *published) seeded(s sources.Source) sources.Source {
	if p.bundled == nil {
		return s
	}
	return sources.Seeded(s, p.bundled())
}

// fetched returns the function live of a list whose package has no options but where to fetch it.
func fetched[O ~struct {
	URL       string
	Client    *http.Client
	AllowHTTP bool
}](list func(*O) sources.Source) func(string) sources.Source {
	return func(mirror string) sources.Source { return list(&O{URL: mirror, AllowHTTP: isHTTP(mirror)}) }
}

// catalog returns all published lists, the official ones first.
func (o *listOptions) catalog() []published {
	community := func(options func() *badlist.Options) func(string) sources.Source {
		return func(mirror string) sources.Source {
			o := options()
			if mirror != "" {
				o.URL, o.AllowHTTP = mirror, isHTTP(mirror)
			}
			return badlist.New(o)
		}
	}
	return []published{
		{bundled: bundle.OFAC, usual: true, live: fetched(ofac.New), parse: ofac.Parse},
		{bundled: bundle.EU, usual: true, live: func(mirror string) sources.Source {
			return eu.New(&eu.Options{URL: mirror, AllowHTTP: isHTTP(mirror)})
		}, parse: eu.Parse},
		{bundled: bundle.UK, usual: true, live: fetched(uk.New), parse: uk.Parse},
		{usual: true, final: true, live: func(string) sources.Source { return bundle.FBI() }},
		{usual: true, final: true, live: func(string) sources.Source { return bundle.DOJ() }},
		{usual: true, final: true, live: func(string) sources.Source { return bundle.GraphSense() }},
		{bundled: bundle.Badlist, usual: true, live: community(func() *badlist.Options { return &badlist.Options{} }), parse: badlist.Parse},
		{live: fetched(ofac.NewConsolidated), parse: ofac.ParseConsolidated},
		{byHand: true, live: fetched(nbctf.New), parse: nbctf.Parse},
		{live: fetched(mof.New), parse: mof.Parse},
		{live: community(badlist.ScamSniffer), parse: badlist.ScamSniffer().Parse},
		{live: community(badlist.ScamSnifferDomains), parse: badlist.ScamSnifferDomains().Parse},
		{live: community(badlist.PolkadotPhishing), parse: badlist.PolkadotPhishing().Parse},
		{live: community(badlist.Ransomwhere), parse: badlist.Ransomwhere().Parse},
		{needs: "-rpc", live: o.frozen("USDT")},
		{needs: "-rpc", live: o.frozen("USDC")},
		{needs: "-opensanctions", live: o.dataset, parse: new(opensanctions.Options).Parse},
	}
}

func (o *listOptions) ids() (ids []string) {
	for _, p := range o.catalog() {
		ids = append(ids, p.id())
	}
	return ids
}

// published returns the published list with an id, or nil.
func (o *listOptions) published(id string) *published {
	for _, p := range o.catalog() {
		if p.id() == id {
			return &p
		}
	}
	return nil
}

// frozen returns the list of accounts whose tokens the issuer has frozen, on the chains of -rpc.
func (o *listOptions) frozen(token string) func(string) sources.Source {
	return func(string) sources.Source {
		endpoints, _ := o.endpoints() // sources has checked them
		opts := &stablecoin.Options{}
		maps.DeleteFunc(endpoints, func(c address.Chain, _ string) bool { return !slices.Contains(stablecoin.Chains(token), c) })
		for _, endpoint := range endpoints {
			opts.AllowHTTP = opts.AllowHTTP || isHTTP(endpoint)
		}
		if o.data != "" {
			opts.StateFile = filepath.Join(o.data, strings.ToLower(token)+"_frozen")
		}
		return stablecoin.Frozen(token, endpoints, opts)
	}
}

// endpoints returns the URLs of -rpc.
func (o *listOptions) endpoints() (map[address.Chain]string, error) {
	if len(o.rpc) > 0 && !slices.Contains(o.choose, "USDT_FROZEN") && !slices.Contains(o.choose, "USDC_FROZEN") {
		return nil, errors.New("-rpc needs USDT_FROZEN or USDC_FROZEN in -lists")
	}
	all, err := urls(o, "-rpc", "CHAIN=URL, such as ethereum=https://node.example", o.rpc, address.ParseChain)
	chains := append(stablecoin.Chains("USDT"), stablecoin.Chains("USDC")...)
	slices.Sort(chains)
	for c := range all {
		if !slices.Contains(chains, c) {
			return nil, fmt.Errorf("-rpc %s: no freezes are known on this chain: want one of %v", c, slices.Compact(chains))
		}
	}
	return all, err
}

// urls returns the URLs of a flag with values such as KEY=URL, by what parse returns for the keys. An error does not quote
// them, because they may hold a password.
func urls[K ~string](o *listOptions, flag, want string, values []string, parse func(string) (K, error)) (map[K]string, error) {
	all := make(map[K]string)
	for _, value := range values {
		name, from, ok := strings.Cut(value, "=")
		if !ok {
			return nil, fmt.Errorf("%s: want %s", flag, want)
		}
		key, err := parse(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		if err := o.checkURL(flag+" "+string(key), from); err != nil {
			return nil, err
		}
		if all[key] != "" {
			return nil, fmt.Errorf("%s %s is given twice", flag, key)
		}
		all[key] = from
	}
	return all, nil
}

// checkDataset returns an error if -opensanctions is no URL of a list, or no list needs it.
func (o *listOptions) checkDataset() error {
	switch {
	case o.opensanctions == "":
		return nil
	case !slices.Contains(o.choose, "OPENSANCTIONS"):
		return errors.New("-opensanctions needs OPENSANCTIONS in -lists")
	case strings.Contains(o.opensanctions, "://"):
		return o.checkURL("-opensanctions", o.opensanctions)
	}
	return nil
}

// dataset returns the dataset of -opensanctions, a URL or a file.
func (o *listOptions) dataset(mirror string) sources.Source {
	from := cmp.Or(mirror, o.opensanctions)
	src := opensanctions.New(&opensanctions.Options{URL: from, AllowHTTP: isHTTP(from)})
	if from != "" && !strings.Contains(from, "://") {
		return sources.File(src.Info(), from, new(opensanctions.Options).Parse)
	}
	return src
}

// given reports whether the options have what a list needs.
func (o *listOptions) given(needs string) bool {
	return needs == "" || needs == "-rpc" && len(o.rpc) > 0 || needs == "-opensanctions" && o.opensanctions != ""
}

// official are the ids of the lists that -require all means.
var official = []string{"OFAC_SDN", "EU_CONSOLIDATED", "UK_CONSOLIDATED"}

// sources returns the sources that the options choose, live ones if live is set.
func (o *listOptions) sources(live bool) ([]sources.Source, error) {
	mirrors, err := urls(o, "-mirror", "ID=URL", o.mirrors, func(id string) (string, error) { return id, nil })
	_, err2 := o.endpoints()
	if err = cmp.Or(err, o.checkDataset(), err2); err != nil {
		return nil, err
	}
	var all []sources.Source
	ids := o.ids()
	for i, p := range o.catalog() {
		id := ids[i]
		mirror, mirrored := mirrors[id]
		delete(mirrors, id)
		chosen := slices.Contains(o.choose, id) || len(o.choose) == 0 && (p.usual || mirrored)
		switch {
		case mirrored && p.final:
			return nil, fmt.Errorf("-mirror %s: the document is final and part of the program, so nothing is fetched", id)
		case chosen && live && !mirrored && !o.given(p.needs):
			return nil, fmt.Errorf("-lists %s needs %s", id, p.needs)
		case chosen:
			all = append(all, p.source(mirror, live))
		case mirrored:
			return nil, fmt.Errorf("-mirror %s: the list is not among -lists", id)
		}
	}
	for _, id := range o.choose {
		if !slices.Contains(ids, id) {
			return nil, fmt.Errorf("-lists: there is no list %.80q%s", id, didYouMean(id, ids, ""))
		}
	}
	for id := range mirrors {
		return nil, fmt.Errorf("-mirror: there is no list %.80q%s", id, didYouMean(id, ids, ""))
	}
	own, err := o.ownLists(ids)
	for _, l := range own {
		all = append(all, l.source(live))
	}
	return all, err
}

// source returns a source, which fetches the list only if live is set, from a mirror if there is one.
func (p *published) source(mirror string, live bool) sources.Source {
	s := p.live(mirror)
	switch {
	case p.final:
		return s
	case !live && p.bundled != nil:
		return p.bundled()
	case !live:
		s = stored{s.Info(), errOffline}
	case p.byHand && mirror == "":
		s = stored{s.Info(), errByHand}
	}
	return p.seeded(s)
}

// optional returns which of these sources need not be loaded.
func (o *listOptions) optional(srcs []sources.Source) ([]string, error) {
	ids, required := idsOf(srcs), o.require
	if slices.Contains(required, "all") {
		required = slices.Concat(required, official)
	}
	for _, id := range required {
		switch {
		case id == "all", slices.Contains(ids, id):
		case slices.Contains(official, id):
			return nil, fmt.Errorf("-require %s: the list is not among -lists", id)
		default:
			return nil, fmt.Errorf("-require: there is no list %.80q%s", id, didYouMean(id, ids, ""))
		}
	}
	if len(required) == 0 {
		required = slices.DeleteFunc(idsOf(bundle.All()), func(id string) bool { return slices.Contains(bundle.Optional(), id) })
		if !slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(required, id) }) {
			required = ids // else lists that are not loaded would decide
		}
	}
	isRequired := func(id string) bool { return slices.Contains(required, id) || o.published(id) == nil } // as own lists are
	return slices.DeleteFunc(slices.Clone(ids), isRequired), nil
}

func idsOf(srcs []sources.Source) (ids []string) {
	for _, s := range srcs {
		ids = append(ids, s.Info().ID)
	}
	return ids
}

// maxOwn bounds the file of an own list, or of exceptions, in bytes.
const maxOwn = 64 << 20

// An ownList is a value of -list: ID=FILE or ID=URL, and perhaps ,kind=KIND.
type ownList struct {
	id, from string
	kind     score.Kind
}

func (l ownList) isURL() bool { return strings.Contains(l.from, "://") }

// isTable reports whether the list is a table of addresses to block and to allow.
func (l ownList) isTable() bool {
	name := strings.TrimSuffix(l.from, ".gz")
	return !l.isURL() && l.kind == "" && !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml")
}

// ownLists returns the values of -list, in order.
func (o *listOptions) ownLists(taken []string) (all []ownList, err error) {
	for _, value := range o.own {
		id, from, ok := strings.Cut(value, "=")
		from, kind, chosen := strings.Cut(from, ",kind=")
		l := ownList{id, from, score.Kind(strings.ToUpper(kind))}
		switch {
		case !ok || from == "":
			return nil, fmt.Errorf("-list %q: want ID=FILE, such as OWN=/etc/walletscreen/own.csv", value)
		case slices.Contains(taken, id) || slices.ContainsFunc(all, func(l ownList) bool { return l.id == id }):
			return nil, fmt.Errorf("-list %s: there is a list of that id already", id)
		case chosen && (!slices.Contains(score.Latest().Kinds(), l.kind) || !l.info().MayEmit(l.kind)):
			return nil, fmt.Errorf("-list %s: kind %.40q: want one of %s", id, kind, l.kinds())
		}
		if l.isURL() {
			if err := o.checkURL("-list "+id, from); err != nil {
				return nil, err
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// info describes the list. One at a URL is a list of others: it is refused if it shrinks.
func (l ownList) info() sources.Info {
	i := sources.Info{ID: l.id, Name: "the operator's list " + l.id, Jurisdiction: sources.Operator, Licence: "the operator's own"}
	if l.isURL() {
		i.Name, i.Jurisdiction, i.Licence = "the list "+l.id+" that the operator fetches", sources.Community, "to be checked by the operator"
	}
	return i
}

func (l ownList) kinds() string {
	var all []string
	for _, k := range score.Latest().Kinds() {
		if l.info().MayEmit(k) {
			all = append(all, string(k))
		}
	}
	return strings.Join(all, ", ")
}

// source returns the source of the list. A URL is fetched only if live is set.
func (l ownList) source(live bool) sources.Source {
	opts := &badlist.Options{URL: l.from, Info: l.info(), Kind: l.kind, AllowHTTP: isHTTP(l.from)}
	switch {
	case l.isTable():
		return own.File(l.id, l.from)
	case !l.isURL():
		return sources.File(l.info(), l.from, opts.Parse)
	case !live:
		return stored{l.info(), errOffline}
	}
	return badlist.New(opts)
}
