package ofac

import (
	"fmt"
	"regexp"
	"slices"

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

// Options configure [New] and [NewConsolidated]; see package sources. Without a URL, the list
// is OFAC's SDN_ADVANCED.ZIP, 5 MB that unpack to 130 MB and say when entities were listed, or
// CONS_ADVANCED.ZIP.
type Options = fetch.Options

// maxBytes limits the document. It had 126 MB in August 2026, and grows by a tenth a year.
const maxBytes = 1 << 30

// New returns the SDN List as OFAC publishes it, with the id OFAC_SDN; see package sources. A
// file of the consolidated list is refused.
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

// A kind is one of the two lists that OFAC publishes in the same formats.
type kind int

const (
	sdn kind = iota
	consolidated
)

func (k kind) String() string {
	if k == sdn {
		return "the SDN List"
	}
	return "the consolidated non-SDN list"
}

// check returns an error if a party under these programs alone is not on the list.
// sdn.xml and CSV do not name the lists, and most programs belong to both; but some
// belong to one list by name, and whole files have hundreds of parties under these.
func (k kind) check(programs []string) error {
	other := ofSDN
	if k == sdn {
		other = ofConsolidated
	}
	if len(programs) == 0 || slices.ContainsFunc(programs, func(p string) bool { return !other.MatchString(p) }) {
		return nil
	}
	return fmt.Errorf("party under the program %.64q: this is not %v", programs[0], k)
}

// The programs that belong to one list by name: of specially designated terrorists and traffickers; and non-SDN, of
// Chinese military-industrial complex companies, foreign sanctions evaders, and accounts of foreign banks.
var (
	ofSDN          = regexp.MustCompile("^(SDGT|SDNT|SDNTK|FTO)$")
	ofConsolidated = regexp.MustCompile("^(NS-|CMIC-|FSE-|561)")
)
