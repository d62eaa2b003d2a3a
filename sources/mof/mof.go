// Package mof reads Japan's list of those whose assets are frozen, which the Ministry of
// Finance publishes. Begin with [New], or with [Parse] for a file.
//
// The list names wallets in its texts, behind the words 暗号資産アドレス (address of
// crypto-assets). Its columns about persons, such as their passports, are searched for wallets only.
package mof

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"regexp"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// page is the address of the publisher's page, which links to the list. The name of the file
// has the date of the list, so it changes with each edition.
const page = "https://www.mof.go.jp/policy/international_policy/gaitame_kawase/gaitame/economic_sanctions/list.html"

// The limits of downloads. The list had 3.3 MB in August 2026.
const (
	maxBytes = 64 << 20
	maxPage  = 4 << 20
)

// Options configure [New]; the zero Options are the defaults. URL is the address of the list,
// as of a mirror; "" means the newest one that the publisher's page links to. It must be
// https unless AllowHTTP is set. Client makes the requests; nil means http.DefaultClient. Its
// Timeout should be zero, or allow for the whole download.
type Options = fetch.Options

// New returns the list with the id JP_MOF; see package sources. Load fetches the page, and
// the newest list that it links to. A page without a link to a list is an error.
func New(opts *Options) sources.Source {
	src := fetch.New("mof", sources.Info{
		ID:           "JP_MOF",
		Name:         "Japan's list of those whose assets are frozen (Ministry of Finance)",
		Jurisdiction: "JP",
		Licence:      "terms of the Ministry's web site; facts of a government publication",
		RefURL:       page,
	}, opts, "", maxBytes, Parse)
	src.Prepare = find
	return src
}

// find sets the address of the newest list, unless there is an address.
func find(ctx context.Context, req *fetch.Request, _ *sources.Revision) error {
	if req.URL != "" {
		return nil
	}
	about := fetch.Request{Options: req.Options, MaxBytes: maxPage}
	about.URL = page
	text, err := fetch.Bytes(ctx, &about)
	if err == nil {
		req.URL, err = newest(string(text))
	}
	return err
}

// link matches a link to a list in CSV, such as ./shisantouketsu20260828.csv.
var link = regexp.MustCompile(`(?i)href\s*=\s*["']([^"'<>]*shisantouketsu([0-9]{8})\.csv)["']`)

var errNoLink = errors.New("the publisher's page links to no list in CSV: download it, and import the file")

// newest returns the address of the newest list to which a page links.
func newest(text string) (string, error) {
	file, last := "", ""
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if m[2] > last {
			file, last = m[1], m[2]
		}
	}
	from, err := url.Parse(page)
	if err != nil || file == "" {
		return "", cmp.Or(err, errNoLink)
	}
	to, err := from.Parse(file)
	if err != nil || to.Host != from.Host {
		return "", errNoLink
	}
	return to.String(), nil
}
