package ofac

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// The addresses of the SDN List at OFAC's Sanctions List Service. They redirect to
// storage at changing addresses. CSV needs CommentsCSV.
const (
	AdvancedXML = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_ADVANCED.XML"
	AdvancedZIP = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_ADVANCED.ZIP"
	XML         = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN.XML"
	ZIP         = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_XML.ZIP"
	CSV         = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN.CSV"
	CommentsCSV = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_COMMENTS.CSV"
)

// The addresses of the consolidated non-SDN list.
const (
	ConsolidatedAdvancedXML = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_ADVANCED.XML"
	ConsolidatedAdvancedZIP = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_ADVANCED.ZIP"
	ConsolidatedXML         = "https://sanctionslistservice.ofac.treas.gov/api/download/CONSOLIDATED.XML"
	ConsolidatedCSV         = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_PRIM.CSV"
	ConsolidatedCommentsCSV = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_COMMENTS.CSV"
)

// Options configure [New] and [NewConsolidated]. The zero Options are the defaults.
type Options struct {
	// URL is the address of the list; "" means [AdvancedZIP], 5 MB that unpack to 130
	// MB and say when entities were listed, or [ConsolidatedAdvancedZIP]. It must be
	// https, unless AllowHTTP is set. [Parse] describes the formats.
	URL string
	// CommentsURL is the address of sdn_comments.csv or cons_comments.csv, if URL is
	// that of sdn.csv or cons_prim.csv. "" means [CommentsCSV] for [CSV],
	// [ConsolidatedCommentsCSV] for [ConsolidatedCSV], and for another URL that the list
	// is one file, not CSV.
	CommentsURL string
	// NoEndMark accepts an sdn.csv without its last byte, 0x1A, as some copies are. A
	// copy that was cut between two lines then looks whole.
	NoEndMark bool
	// Client makes the requests; nil means http.DefaultClient. Its Timeout should be
	// zero, or allow for the whole download: Load limits the time without progress, and
	// its context limits the rest.
	Client *http.Client
	// UserAgent replaces the default User-Agent header, if not "". OFAC has refused short
	// ones; it has always accepted forty characters that begin with "Mozilla/5.0".
	UserAgent string
	// AllowHTTP allows addresses that are not https, such as that of a local mirror.
	AllowHTTP bool
}

// maxBytes limits the document. It had 126 MB in August 2026, and grows by a tenth a year.
const maxBytes = 1 << 30

// New returns the SDN List as OFAC publishes it, with the id OFAC_SDN. opts may be nil;
// an error in it, such as a URL that is not https, is an error of Load. A file of the
// consolidated list is refused.
//
// Load fetches the list with a conditional request and reads it as [Parse] does. It adds
// entries only after it has read the whole list. A list that the server confirms, or that
// has the digest of the revision held, is [sources.ErrUnchanged]. Load repeats requests
// that fail in a way that may pass, and downloads that break off.
//
// CSV is two files, read as [ParseCSV] does. If they are not of one day, or the second
// file changes while the first one is fetched, Load fetches both again, once. They are
// unchanged if the server confirms both.
func New(opts *Options) sources.Source {
	return newSource(sdn, AdvancedZIP, opts)
}

// NewConsolidated returns the consolidated non-SDN list, with the id OFAC_CONSOLIDATED. It
// names parties that OFAC sanctions without blocking their property, in sectors, at
// correspondent banks, or on securities. All count as sanctioned. The list had no wallet
// in 2026. A file of the SDN List is refused. Everything else is as with [New].
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
	of := info.OFAC
	if s.kind == consolidated {
		of.ID, of.Name = "OFAC_CONSOLIDATED", "OFAC Consolidated (non-SDN) Sanctions List"
		of.Rhythm = 0 // it may not change for months
	}
	return of
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
	return &fetch.Request{URL: url, Client: s.Client, UserAgent: s.UserAgent, MaxBytes: limit, AllowHTTP: s.AllowHTTP}
}

// loadFile loads a list of one file.
func (s *source) loadFile(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return fetch.Load(ctx, s.request(s.URL, maxBytes), prev, add, s.kind.parse)
}
