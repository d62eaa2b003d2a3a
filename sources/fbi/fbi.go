// Package fbi reads the wallet addresses in the FBI's public service announcement
// I-022625-PSA of 26 February 2025: where North Korea's TraderTraitor held the proceeds
// of the theft from Bybit. Begin with [New], or with [Parse] for a file.
//
// This is not a sanctions list. Its entries are [score.StolenFunds].
package fbi

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// Page is the address of the announcement.
const Page = "https://www.ic3.gov/PSA/2025/PSA250226"

// Options configure [New]. The zero Options are the defaults.
type Options struct {
	// URL is the address of the announcement; "" means [Page]. It must be https, unless
	// AllowHTTP is set.
	URL string
	// Client makes the requests; nil means http.DefaultClient.
	Client *http.Client
	// AllowHTTP allows addresses that are not https.
	AllowHTTP bool
}

const (
	maxBytes = 4 << 20
	count    = 51 // the addresses of the announcement
)

var published = time.Date(2025, time.February, 26, 0, 0, 0, 0, time.UTC)

// New returns the announcement as a source with the id FBI_IC3. opts may be nil. Load
// fetches the page with a conditional request; errors in opts, such as a URL that is
// not https, are errors of Load.
func New(opts *Options) sources.Source {
	o := *cmp.Or(opts, &Options{})
	return &fetch.Source{Of: info.FBI, Parse: Parse, Request: fetch.Request{
		Name: "fbi", URL: cmp.Or(o.URL, Page), Client: o.Client, MaxBytes: maxBytes, AllowHTTP: o.AllowHTTP,
	}}
}

// Parse reads the announcement, as text or as an HTML page, and calls add for each
// address in it, in order. It adds nothing unless r has all 51 addresses: the
// announcement never changes, so other text is not the announcement, or a part of it. The
// Digest covers the addresses, and not the rest of the page, which may change.
// An error of r or add is wrapped.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	text, err := io.ReadAll(io.LimitReader(bufio.NewReader(r), maxBytes+1))
	if err != nil {
		return sources.Revision{}, err
	}
	if len(text) > maxBytes {
		return sources.Revision{}, fmt.Errorf("more than %d bytes: not the announcement", maxBytes)
	}
	var entries []sources.Entry
	seen := make(map[address.Address]bool)
	for _, f := range address.FindAll(string(text)) {
		a, err := address.Normalize("ethereum", f.Address.Normalized())
		if err != nil || seen[a] {
			continue // of another chain, or in a link to an explorer
		}
		seen[a] = true
		entries = append(entries, sources.Entry{
			Address: a, Listed: string(bytes.Clone(text[f.Start:f.End])), Asset: "ETH",
			Kind: score.StolenFunds, Ref: "I-022625-PSA", Name: "TraderTraitor, theft from Bybit", ListedAt: published,
		})
	}
	if len(entries) != count {
		return sources.Revision{}, &sources.RecordError{Err: fmt.Errorf("%d addresses, want the %d of the announcement: %w", len(entries), count, errOther)}
	}
	sum := sha256.New()
	for _, e := range entries {
		fmt.Fprintln(sum, e.Address)
		if err := add(e); err != nil {
			return sources.Revision{}, fmt.Errorf("address %s: %w", e.Listed, err)
		}
	}
	return sources.Revision{Digest: hex.EncodeToString(sum.Sum(nil)), Published: published, Records: len(entries)}, nil
}

var errOther = errors.New("the text was cut, or is another page")
