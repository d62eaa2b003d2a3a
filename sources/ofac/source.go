package ofac

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// The addresses of the SDN List at OFAC's Sanctions List Service, in the formats
// that this package reads. They redirect to storage, at addresses that change.
// CSV needs CommentsCSV beside it.
const (
	AdvancedXML = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_ADVANCED.XML"
	AdvancedZIP = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_ADVANCED.ZIP"
	XML         = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN.XML"
	ZIP         = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_XML.ZIP"
	CSV         = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN.CSV"
	CommentsCSV = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_COMMENTS.CSV"
)

// Those of the consolidated non-SDN list.
const (
	ConsolidatedAdvancedXML = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_ADVANCED.XML"
	ConsolidatedAdvancedZIP = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_ADVANCED.ZIP"
	ConsolidatedXML         = "https://sanctionslistservice.ofac.treas.gov/api/download/CONSOLIDATED.XML"
	ConsolidatedCSV         = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_PRIM.CSV"
	ConsolidatedCommentsCSV = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_COMMENTS.CSV"
)

// Options are what [New] and [NewConsolidated] can be told. The zero Options are
// the defaults.
type Options struct {
	// URL is the address of the list; "" means [AdvancedZIP], 5 MB that unpack to 130
	// MB and say when entities were listed, or [ConsolidatedAdvancedZIP]. It must be
	// https, unless AllowHTTP is set. [Parse] describes the formats.
	URL string
	// CommentsURL is where sdn_comments.csv or cons_comments.csv is, if URL is that
	// of sdn.csv or cons_prim.csv. "" means [CommentsCSV] for [CSV] and
	// [ConsolidatedCommentsCSV] for [ConsolidatedCSV], and for another URL that the
	// list is one file, and no CSV.
	CommentsURL string
	// NoEndMark accepts an sdn.csv without its last byte, 0x1A, as some copies are. A
	// copy that was cut between two lines then looks whole.
	NoEndMark bool
	// Client makes the requests; nil means http.DefaultClient. Its Timeout should
	// be zero, or allow for the whole download: this package bounds the time
	// without progress, and the context of Load bounds the rest.
	Client *http.Client
	// UserAgent is what requests say they come from, if not "". OFAC has refused
	// short ones; forty characters that begin with "Mozilla/5.0" have always been
	// good, and so is the default.
	UserAgent string
	// AllowHTTP allows addresses that are not https: for a mirror of one's own.
	AllowHTTP bool
	// Progress, if not nil, is called as the list is downloaded: read is how many
	// bytes have come, as they are sent, and total how many were announced, or -1.
	// A download that is repeated begins at zero; so that a program can draw a bar.
	Progress func(read, total int64)
}

// maxBytes bounds the document. It had 126 MB in August 2026, and grows by a
// tenth a year.
const maxBytes = 1 << 30

// New returns the SDN List, under the id OFAC_SDN, as OFAC publishes it. opts
// may be nil; what is wrong in it, a URL that is not https for one, is the error of
// Load. A file of the consolidated list is refused.
//
// Load fetches the list with a conditional request and reads it as [Parse] does:
// it adds entries only after the whole list was read. A list that the server
// calls unchanged, or whose digest is that of the revision held, is
// [sources.ErrUnchanged]. Requests that fail in a way that may pass, and
// downloads that break off, are repeated a few times.
//
// CSV is two files, which are read as [ParseCSV] does. If they turn out not to be
// of one day, or the second is another one after the first has come, both are
// fetched again, once. They are unchanged if the server says so of both.
func New(opts *Options) sources.Source {
	return newSource(sdn, AdvancedZIP, opts)
}

// NewConsolidated returns the consolidated non-SDN list, under the id
// OFAC_CONSOLIDATED. It names those whom OFAC sanctions without blocking their
// property: in sectors, at correspondent banks, on securities. All count as
// sanctioned. In 2026 it had no wallet; a program that loads it will know of the
// first one. A file of the SDN List is refused. All else is as with [New].
func NewConsolidated(opts *Options) sources.Source {
	return newSource(consolidated, ConsolidatedAdvancedZIP, opts)
}

func newSource(k kind, url string, opts *Options) sources.Source {
	s := &source{kind: k}
	if opts != nil {
		s.Options = *opts
	}
	s.URL = cmp.Or(s.URL, url)
	switch s.URL {
	case CSV:
		s.CommentsURL = cmp.Or(s.CommentsURL, CommentsCSV)
	case ConsolidatedCSV:
		s.CommentsURL = cmp.Or(s.CommentsURL, ConsolidatedCommentsCSV)
	}
	return s
}

type source struct {
	Options
	kind kind
}

func (s *source) Info() sources.Info {
	info := sources.Info{
		ID:           "OFAC_SDN",
		Name:         "OFAC Specially Designated Nationals and Blocked Persons List",
		Jurisdiction: sources.US,
		Licence:      "US government work, public domain (17 U.S.C. 105)",
		RefURL:       "https://sanctionssearch.ofac.treas.gov/Details.aspx?id={ref}",
	}
	if s.kind == consolidated {
		info.ID, info.Name = "OFAC_CONSOLIDATED", "OFAC Consolidated (non-SDN) Sanctions List"
	}
	return info
}

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	load := s.loadCSV
	if s.CommentsURL == "" {
		load = s.loadFile
	}
	rev, err := load(ctx, prev, add)
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("ofac: %w", err)
	}
	return rev, err
}

func (s *source) request(url string, limit int64) *fetch.Request {
	return &fetch.Request{URL: url, Client: s.Client, UserAgent: s.UserAgent, MaxBytes: limit, AllowHTTP: s.AllowHTTP, Progress: s.Progress}
}

// loadFile loads a list that is one file.
func (s *source) loadFile(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return fetch.List(ctx, s.request(s.URL, maxBytes), prev, add, s.kind.parse)
}
