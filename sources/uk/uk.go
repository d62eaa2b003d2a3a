// Package uk reads the UK Sanctions List of the Foreign, Commonwealth and Development
// Office, the only list of the United Kingdom since 28 January 2026. Begin with [New], or
// with [Parse] for a file.
//
// The list has an element for wallets, which was empty in all of 2026: their addresses
// stand in free text. What [address.FindAll] finds there is an address. Text without a
// valid checksum is one only behind a ticker, as in "SOL: 7x…".
//
// The format is XML (UK-Sanctions-List.xml); the publisher's CSV has no more, and cannot prove
// that it is whole. The data contain public sector information licensed under the Open
// Government Licence v3.0.
package uk

import (
	"errors"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// errRetired is the error for the Consolidated List of the Office of Financial Sanctions
// Implementation ("ConList"), which was closed on 28 January 2026. Any copy is out of
// date.
var errRetired = errors.New("this is the Consolidated List of OFSI, closed on 28 January 2026; want the UK Sanctions List")

// Parse reads the UK Sanctions List from r, in XML; see package sources. Wallets stand in
// CryptoWalletAddress, and in the texts of other elements, such as OtherInformation and
// UKStatementofReasons. An address that they repeat under the same ticker is added once per
// designation. The content of CryptoWalletAddress, and text that a ticker and a colon label,
// is added with a zero Address if it is not an address.
//
// Ref is the unique id of the designation, such as "RUS1421"; Name is its primary name;
// Asset is the ticker that labels the address, or "". EntityListedAt is the day on which the
// holder was designated. The list does not say when an address was added to a designation.
//
// Nothing is added unless r is the whole list: well-formed to its last byte, with a date,
// designations and a wallet. OFSI's list, which was closed, is refused.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return freetext.Parse(r, "designation", add, readXML)
}

// day reads a day such as 27/03/2024.
func day(text string) time.Time { return freetext.Date(text, "02/01/2006") }

const (
	listURL  = "https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.xml"
	maxBytes = 256 << 20 // of the list, which had 22 MB in October 2026
)

// Options configure [New]; the zero Options are the defaults. URL is the address of the list;
// "" means the publisher's XML, some 22 MB. It must be https unless AllowHTTP is set. Client
// makes the requests; nil means http.DefaultClient. Its Timeout should be zero, or allow for
// the whole download.
type Options = fetch.Options

// New returns the UK Sanctions List as the Foreign, Commonwealth and Development Office
// publishes it, with the id UK_CONSOLIDATED; see package sources.
func New(opts *Options) sources.Source {
	return fetch.New("uk", info.UK, opts, listURL, maxBytes, Parse)
}
