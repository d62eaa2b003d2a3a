// Package nbctf reads the administrative seizure orders against wallets of Israel's
// National Bureau for Counter Terror Financing. Begin with [Parse] for a saved page, or
// with [New] for a mirror.
//
// The publisher's page answers browsers only, so a person saves it. An order is in force
// until the day that the page prints, or for good once it has become a forfeiture. The
// columns about persons are not read, and the ids of users of exchanges are counted but
// not kept.
package nbctf

import (
	"context"
	"errors"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// page is the address of the publisher's page.
const page = "https://nbctf.mod.gov.il/he/MinisterSanctions/PropertyPerceptions/Pages/Blockchain.aspx"

// Options configure [New]; see package sources. URL, of a copy of the list, is required.
type Options = fetch.Options

// New returns the list with the id IL_NBCTF, as a mirror has it. An error in opts, such as
// a missing URL, is an error of Load.
//
// Load always fetches the whole list, because an order can end while the page stays the
// same. Then the Digest is another one.
func New(opts *Options) sources.Source {
	src := fetch.New("nbctf", sources.Info{
		ID:           "IL_NBCTF",
		Name:         "Seizure orders of the National Bureau for Counter Terror Financing of Israel",
		Jurisdiction: "IL",
		Licence:      "not stated; facts of a government publication",
		RefURL:       page,
	}, opts, "", maxBytes, Parse)
	src.Prepare = func(_ context.Context, req *fetch.Request, prev *sources.Revision) error {
		if prev.ETag, prev.LastModified = "", ""; req.URL == "" {
			return errNoURL
		}
		return nil
	}
	return src
}

var errNoURL = errors.New("the publisher's page answers browsers only: save it and import the file, or set the URL of a mirror")
