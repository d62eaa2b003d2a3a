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
	"io"
	"net/url"
	"regexp"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

// page is the address of the publisher's page, which links to the list. The name of the file
// has the date of the list, so it changes with each edition.
const page = "https://www.mof.go.jp/policy/international_policy/gaitame_kawase/gaitame/economic_sanctions/list.html"

// The limits of downloads. The list had 3.3 MB in August 2026.
const (
	maxBytes = 64 << 20
	maxPage  = 4 << 20
)

// Options configure [New]; see package sources. Without a URL, the list is the newest one that
// the publisher's page links to.
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

// The columns that are read, of 32. Wallets may be in any column.
const (
	columnNumber   = iota // such as 016-000068
	columnNotice          // the days of the notice and of its revisions: 2001.9.22 2008.6.25改訂
	columnJapanese        // the name
	columnEnglish
)

// columnNames has two more that the list must have, with other information and the text of the notice.
var columnNames = []string{"番号", "告示日付", "氏名（日本語）", "氏名（英語）", "その他の情報", "外務省告示情報"}

// Parse reads the list in CSV from r; see package sources. The kind is [score.Sanctioned].
// Ref is the number of the party, and EntityListedAt the day of its notice; the list does not
// date addresses.
//
// A long word behind 暗号資産アドレス that is not an address is an entry without an Address; see
// [sources.Repair]. Addresses elsewhere are found if they prove themselves, or have a ticker with a colon.
//
// Published is the latest day of a notice or a revision. Nothing is added unless r is whole
// and has a wallet; CSV that was cut between two lines cannot be told from a whole file, so
// Revision.OpenEnded is true.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return freetext.Parse(unpack.Limit(r, maxBytes), "party", add, func(r io.Reader) (*freetext.List, error) { return read(r, time.Now()) })
}

// read returns the list in r at the time now.
func read(r io.Reader, now time.Time) (*freetext.List, error) {
	l := &freetext.List{Revision: sources.Revision{OpenEnded: true}}
	f := csvscan.File{Columns: columnNames, Table: true}
	err := f.Read(r, func(_ int64, cells, fields []string) error {
		l.Revision.Records++
		first, last := days(cells[columnNotice])
		if last.After(l.Revision.Published) && !last.After(now) {
			l.Revision.Published = last
		}
		h := &freetext.Holder{Ref: cells[columnNumber], Name: freetext.Name(cmp.Or(cells[columnEnglish], cells[columnJapanese])), ListedAt: first}
		h.Find(time.Time{}, fields...)
		return l.Add(h)
	})
	if err == nil {
		if err = l.Check(false); err != nil {
			err = &sources.RecordError{Err: err}
		}
	}
	return l, err
}

// date matches a day, such as 2001.9.22.
var date = regexp.MustCompile(`([0-9]{4})\.([0-9]{1,2})\.([0-9]{1,2})`)

// days returns the first and the last day in a cell, zero if there is none.
func days(cell string) (first, last time.Time) {
	for _, text := range date.FindAllString(cell, -1) {
		day := freetext.Date(text, "2006.1.2")
		first = freetext.First(first, day)
		if day.After(last) {
			last = day
		}
	}
	return first, last
}
