package uk

import (
	"cmp"
	"net/http"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// listURL is the address of the list.
const listURL = "https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.xml"

// Options configure [New]. The zero Options are the defaults.
type Options struct {
	// URL is the address of the list; "" means the publisher's XML, some 22 MB. It must be https,
	// unless AllowHTTP is set. [Parse] describes the format.
	URL string
	// Client makes the requests; nil means http.DefaultClient. Its Timeout should be
	// zero, or allow for the whole download: Load limits the time without progress, and
	// its context limits the rest.
	Client *http.Client
	// AllowHTTP allows addresses that are not https, such as the address of a local mirror.
	AllowHTTP bool
}

// maxBytes limits the file. It had 22 MB in October 2026.
const maxBytes = 256 << 20

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
	o := *cmp.Or(opts, &Options{})
	return &fetch.Source{Of: info.UK, Parse: Parse, Request: fetch.Request{
		Name: "uk", URL: cmp.Or(o.URL, listURL), Client: o.Client, MaxBytes: maxBytes, AllowHTTP: o.AllowHTTP,
	}}
}
