package uk

import (
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

const (
	listURL  = "https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.xml"
	maxBytes = 256 << 20 // of the list, which had 22 MB in October 2026
)

// Options configure [New]: the URL of the list, "" for the publisher's XML; the Client that makes the
// requests; and AllowHTTP, for a URL that is not https. The zero Options are the defaults.
type Options = fetch.Options

// New returns the UK Sanctions List as the Foreign, Commonwealth and Development Office
// publishes it, with the id UK_CONSOLIDATED. opts may be nil; an error in it, such as a URL
// that is not https, is an error of Load.
//
// Load fetches the list, with a conditional request if it has validators, and reads it as
// [Parse] does. It adds entries only after it has read the whole list. A list that the
// server confirms, or that has the digest of the revision held, is
// [sources.ErrUnchanged]. Load repeats requests that fail in a way that may pass, and
// downloads that break off.
func New(opts *Options) sources.Source {
	return fetch.New("uk", info.UK, opts, listURL, maxBytes, Parse)
}
