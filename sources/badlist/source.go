package badlist

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
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
	// Format is the format of the list at URL, if [Parse] does not describe it.
	Format Format
	// Info describes the list at URL; the zero Info means that of Darklist. Two lists in
	// one Screener need different ids.
	Info sources.Info
	// Client makes the requests; nil means http.DefaultClient. Load limits the time
	// without progress, and its context limits the rest.
	Client *http.Client
	// UserAgent replaces the default User-Agent header, if not "".
	UserAgent string
	// AllowHTTP allows addresses that are not https, such as that of a local mirror.
	AllowHTTP bool
	// Progress, if not nil, is called during the download: read counts the bytes that
	// arrived, total is the announced length, or -1. A repeated download begins at zero.
	Progress func(read, total int64)
}

// New returns a list of bad addresses as it is published, by default MyEtherWallet's
// darklist, with the id COMMUNITY_BADLIST. opts may be nil; an error in it, such as a URL
// that is not https, is an error of Load.
//
// Load fetches the list with a conditional request and parses it as [Format.Parse]
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
	s.Options.Info = cmp.Or(s.Options.Info, sources.Info{
		ID:           "COMMUNITY_BADLIST",
		Name:         "MyEtherWallet darklist",
		Jurisdiction: sources.Community,
		Licence:      "MIT",
		Attribution:  "Copyright (c) 2017 MyEtherWallet",
	})
	return s
}

type source struct{ Options }

func (s *source) Info() sources.Info { return s.Options.Info }

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	req := &fetch.Request{URL: s.URL, Client: s.Client, UserAgent: s.UserAgent, MaxBytes: maxSize, AllowHTTP: s.AllowHTTP, Progress: s.Progress}
	rev, err := fetch.Stream(ctx, req, prev, add, s.Format.Parse)
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("badlist: %w", err)
	}
	return rev, err
}
