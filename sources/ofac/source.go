package ofac

import (
	"context"
	"fmt"
	"net/http"

	"github.com/walletscreen/walletscreen/internal/download"
	"github.com/walletscreen/walletscreen/internal/fetch"
	"github.com/walletscreen/walletscreen/sources"
)

// The addresses of the list at OFAC's Sanctions List Service, in the formats
// that this package reads. They redirect to storage, at addresses that change.
const (
	AdvancedXML = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_ADVANCED.XML"
	AdvancedZIP = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_ADVANCED.ZIP"
	XML         = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN.XML"
	ZIP         = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_XML.ZIP"
)

// Options are what [New] can be told. The zero Options are the defaults.
type Options struct {
	// URL is where the list is; "" means [AdvancedXML], some 130 MB that say when
	// entities were listed. It must be https. Any format that [Parse] knows will
	// do: on a slow line, [AdvancedZIP] is the same list in 5 MB.
	URL string
	// Client makes the requests; nil means http.DefaultClient. Its Timeout should
	// be zero, or allow for the whole download: this package bounds the time
	// without progress, and the context of Load bounds the rest.
	Client *http.Client
	// UserAgent is what requests say they come from, if not "". OFAC has refused
	// short ones; forty characters that begin with "Mozilla/5.0" have always been
	// good, and so is the default.
	UserAgent string
	// Progress, if not nil, is called as the list is downloaded: read is how many
	// bytes have come, as they are sent, and total how many were announced, or -1.
	// A download that is repeated begins at zero; so that a program can draw a bar.
	Progress func(read, total int64)
}

// maxBytes bounds the document. It had 126 MB in August 2026, and grows by a
// tenth a year.
const maxBytes = 1 << 30

// New returns the SDN List, under the id OFAC_SDN, as OFAC publishes it. opts
// may be nil.
//
// Load fetches the list with a conditional request and reads it as [Parse] does:
// it adds entries only after the whole list was read. A list that the server
// calls unchanged, or whose digest is that of the revision held, is
// [sources.ErrUnchanged]. Requests that fail in a way that may pass, and
// downloads that break off, are repeated a few times.
func New(opts *Options) sources.Source {
	s := &source{url: AdvancedXML}
	if opts != nil {
		s.client, s.userAgent, s.progress = opts.Client, opts.UserAgent, opts.Progress
		if opts.URL != "" {
			s.url = opts.URL
		}
	}
	return s
}

type source struct {
	url, userAgent string
	client         *http.Client
	progress       func(read, total int64)
}

func (s *source) Info() sources.Info {
	return sources.Info{
		ID:           "OFAC_SDN",
		Name:         "OFAC Specially Designated Nationals and Blocked Persons List",
		Jurisdiction: sources.US,
		Licence:      "US government work, public domain (17 U.S.C. 105)",
	}
}

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	req := &fetch.Request{URL: s.url, Client: s.client, UserAgent: s.userAgent, MaxBytes: maxBytes, Progress: s.progress}
	rev, err := download.List(ctx, req, prev, add, Parse)
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("ofac: %w", err)
	}
	return rev, err
}
