package uk

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// The addresses of the list in the formats that this package reads.
const (
	XML = "https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.xml"
	CSV = "https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv"
)

// Options are what [New] can be told. The zero Options are the defaults.
type Options struct {
	// URL is where the list is; "" means [XML], some 22 MB. It must be https, unless
	// AllowHTTP is set. Any format that [Parse] knows will do.
	URL string
	// Client makes the requests; nil means http.DefaultClient. Its Timeout should
	// be zero, or allow for the whole download: this package bounds the time
	// without progress, and the context of Load bounds the rest.
	Client *http.Client
	// UserAgent is what requests say they come from, if not "".
	UserAgent string
	// AllowHTTP allows addresses that are not https: for a mirror of one's own.
	AllowHTTP bool
	// Progress, if not nil, is called as the list is downloaded: read is how many
	// bytes have come, as they are sent, and total how many were announced, or -1.
	// A download that is repeated begins at zero; so that a program can draw a bar.
	Progress func(read, total int64)
}

// maxBytes bounds the file. It had 22 MB in October 2026.
const maxBytes = 256 << 20

// New returns the UK Sanctions List, under the id UK_CONSOLIDATED, as the Foreign,
// Commonwealth and Development Office publishes it. opts may be nil; what is wrong in
// it, a URL that is not https for one, is the error of Load.
//
// Load fetches the list, with a conditional request if it came with validators
// the last time, and reads it as [Parse] does: it adds entries only after the
// whole list was read. A list that the server calls unchanged, or whose digest is
// that of the revision held, is [sources.ErrUnchanged]. Requests that fail in a
// way that may pass, and downloads that break off, are repeated a few times.
func New(opts *Options) sources.Source {
	s := &source{}
	if opts != nil {
		s.Options = *opts
	}
	s.URL = cmp.Or(s.URL, XML)
	return s
}

type source struct{ Options }

func (s *source) Info() sources.Info {
	return sources.Info{
		ID:           "UK_CONSOLIDATED",
		Name:         "UK Sanctions List",
		Jurisdiction: sources.UK,
		Licence:      "Open Government Licence v3.0",
		Attribution:  "Contains public sector information licensed under the Open Government Licence v3.0.",
	}
}

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	req := &fetch.Request{URL: s.URL, Client: s.Client, UserAgent: s.UserAgent, MaxBytes: maxBytes, AllowHTTP: s.AllowHTTP, Progress: s.Progress}
	rev, err := fetch.List(ctx, req, prev, add, Parse)
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("uk: %w", err)
	}
	return rev, err
}
