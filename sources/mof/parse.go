package mof

import (
	"cmp"
	"io"
	"regexp"
	"time"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

// The columns that are read, of 32.
const (
	columnNumber   = iota // such as 016-000068
	columnNotice          // the days of the notice and of its revisions: 2001.9.22 2008.6.25改訂
	columnJapanese        // the name
	columnEnglish
	columnOther // other information
	columnText  // the text of the notice, which repeats the other columns
	columnRest  // all others, for wallets, which may be in any column
)

var columnNames = []string{"番号", "告示日付", "氏名（日本語）", "氏名（英語）", "その他の情報", "外務省告示情報", csvscan.Rest}

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
	err := f.Read(r, func(_ int64, cells []string) error {
		l.Revision.Records++
		first, last := days(cells[columnNotice])
		if last.After(l.Revision.Published) && !last.After(now) {
			l.Revision.Published = last
		}
		h := &freetext.Holder{Ref: cells[columnNumber], Name: freetext.Name(cmp.Or(cells[columnEnglish], cells[columnJapanese])), ListedAt: first}
		h.Find(time.Time{}, cells...)
		l.Add(h)
		return nil
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
