package ofac

import (
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// The addresses of the lists at OFAC's Sanctions List Service. They redirect to storage at
// changing addresses.
const (
	sdnURL          = "https://sanctionslistservice.ofac.treas.gov/api/download/SDN_ADVANCED.ZIP"
	consolidatedURL = "https://sanctionslistservice.ofac.treas.gov/api/download/CONS_ADVANCED.ZIP"
)

// Options configure [New] and [NewConsolidated]: the URL of the list, in a format that [Parse] reads,
// "" for OFAC's SDN_ADVANCED.ZIP, 5 MB that unpack to 130 MB and say when entities were listed, or
// CONS_ADVANCED.ZIP; the Client that makes the requests; and AllowHTTP, for a URL that is not https.
// The zero Options are the defaults.
type Options = fetch.Options

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
// The list does not say since when it has an address, nor which ones it has dropped. Package
// bundle knows both, see [sources.History]: so give a Screener
//
//	sources.Seeded(ofac.New(nil), bundle.OFAC())
func New(opts *Options) sources.Source {
	return fetch.New("ofac", info.OFAC, opts, sdnURL, maxBytes, Parse)
}

// NewConsolidated returns the consolidated non-SDN list, with the id OFAC_CONSOLIDATED. It
// names parties that OFAC sanctions without blocking their property, in sectors, at
// correspondent banks, or on securities. All count as sanctioned. The list had no wallet
// in 2026. A file of the SDN List is refused. Everything else is as with [New].
func NewConsolidated(opts *Options) sources.Source {
	of := info.OFAC
	of.ID, of.Name = "OFAC_CONSOLIDATED", "OFAC Consolidated (non-SDN) Sanctions List"
	of.Rhythm = 0 // it may not change for months
	return fetch.New("ofac", of, opts, consolidatedURL, maxBytes, ParseConsolidated)
}
