package badlist

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// Darklist is the address of MyEtherWallet's darklist. It has not changed since
// November 2018.
const Darklist = "https://raw.githubusercontent.com/MyEtherWallet/ethereum-lists/master/src/addresses/addresses-darklist.json"

// Options configure [New]. The zero Options are the defaults. [ScamSniffer],
// [ScamSnifferDomains] and [Ransomwhere] return options for other lists.
type Options struct {
	// URL is the address of the list; "" means [Darklist]. It must be https, unless
	// AllowHTTP is set.
	URL string
	// Info describes the list at URL; the zero Info means the Info of Darklist. Two lists in
	// one Screener need different ids.
	Info sources.Info
	// Client makes the requests; nil means http.DefaultClient. Load limits the time
	// without progress, and its context limits the rest.
	Client *http.Client
	// UserAgent replaces the default User-Agent header, if not "".
	UserAgent string
	// AllowHTTP allows addresses that are not https, such as the address of a local mirror.
	AllowHTTP bool

	// The fields below say what the content of a list does not. Their zero values fit
	// the lists that [Parse] describes.

	// List is the member of a JSON object that holds the list, if it is not the
	// document itself: "result" of {"count": 2, "result": […]}.
	List string
	// AddressColumn names the column of addresses, one in a cell; "" means "address". A
	// column is one in the header of CSV, in any letter case, or a member of JSON
	// objects, in exact letter case. CSV must have all columns that are named; JSON
	// objects only this one. If a column is named, a list that is not JSON is CSV.
	//
	// If a cell is not an address, each address that [address.FindAll] finds in it is an
	// entry of its own. In CSV, a row with an empty cell is an entry that lists
	// "(no address)", which is an anomaly.
	AddressColumn string
	// ChainColumn is the column of the chain, as a name or a slug of package address, such
	// as "bitcoin", or of the asset, as a ticker. Like those below, it is not read if it
	// is "".
	ChainColumn string
	// KindColumn is the column of the accusation: a kind of package score such as
	// "RANSOMWARE", or words as in a comment. A Screener refuses a list with a kind that
	// its Info may not emit.
	KindColumn string
	// RefColumn, NameColumn and DateColumn are the columns of the fields of [sources.Entry].
	RefColumn, NameColumn, DateColumn string
	// Asset is the ticker of addresses without a chain in a column. It is a hint; see
	// [sources.Decode].
	Asset string
	// Kind is the kind of entries without one in a column. If it is "", the words of the
	// comment decide, as Parse describes.
	Kind score.Kind
	// Ref is the reference of entries without one in a column.
	Ref string
	// OpenEnd accepts text and CSV whose last line has no line end. Without it such a
	// list is an error, for it may have been cut within that line.
	OpenEnd bool
}

// New returns a list of bad addresses as it is published, by default MyEtherWallet's
// darklist, with the id COMMUNITY_BADLIST. opts may be nil; an error in it, such as a URL
// that is not https, is an error of Load.
//
// Load fetches the list with a conditional request and parses it as [Options.Parse]
// does. It adds entries only after it has read the whole list, and holds none of them:
// a download of more than 8 MiB is kept in a temporary file. A list that the server
// confirms, or that has the digest of the revision held, is [sources.ErrUnchanged].
// Load repeats requests that fail in a way that may pass, and downloads that break off.
func New(opts *Options) sources.Source {
	s := &source{}
	if opts != nil {
		s.Options = *opts
	}
	s.URL = cmp.Or(s.URL, Darklist)
	s.Options.Info = cmp.Or(s.Options.Info, info.Badlist)
	return s
}

type source struct{ Options }

func (s *source) Info() sources.Info { return s.Options.Info }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	req := &fetch.Request{URL: s.URL, Client: s.Client, UserAgent: s.UserAgent, MaxBytes: maxSize, AllowHTTP: s.AllowHTTP}
	rev, err := fetch.Stream(ctx, req, prev, add, s.Parse)
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("badlist: %w", err)
	}
	return rev, err
}
