package nbctf

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/csvscan"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

// The limits of a list. It had 895 rows of 35 orders in August 2026.
const (
	maxBytes = 16 << 20
	maxRows  = 1 << 18
)

// Parse reads the list from r; see package sources. The content shows which form r has:
//
//   - the saved page (HTML), with its two tables: the orders and the wallets;
//   - the same tables as CSV, one behind the other, in either order. The table of orders
//     may be missing;
//   - the orders that the publisher's newer site exports (CSV).
//
// The kind is [score.TerroristFinancing]. Ref is the number of the order, such as "18/26".
// An order that has ended without a forfeiture has its entries' Until set to its last day.
// An order that is not in the table of orders, or whose last day is before the year of its number,
// stays in force, and one that was canceled is left out. ListedAt is the date of the order, which
// only the export has; FirstSeen is the date on which the page updated the order.
//
// A cell that is not an address, because it has look-alike letters, a note or two addresses,
// is an entry without an Address; see [sources.Repair]. What looks like an address in another column of the
// row is an entry, too. The id of a user of an exchange becomes an entry that lists
// "(exchange user)", and a missing wallet one that lists "(no address)": both are anomalies.
//
// Nothing is added unless r is whole and has a wallet. CSV cut between two lines cannot be
// told from a whole file: Revision.OpenEnded is true. Published is the latest date of an
// order. The Digest covers all bytes of r, and the orders that have ended.
func Parse(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return parse(r, time.Now(), add)
}

// parse is Parse at the time now.
func parse(r io.Reader, now time.Time, add func(sources.Entry) error) (sources.Revision, error) {
	text, err := io.ReadAll(unpack.Limit(r, maxBytes))
	if err != nil {
		return sources.Revision{}, err
	}
	l := list{orders: make(map[string]*order)}
	isPage := bytes.HasPrefix(bytes.TrimLeft(text, "\ufeff \t\r\n"), []byte("<"))
	switch {
	case isPage:
		err = readPage(string(text), l.row)
	case !utf8.Valid(text):
		err = fail(0, "invalid UTF-8")
	default:
		err = csvscan.Rows(bytes.NewReader(text), ',', true, l.row)
	}
	if err == nil && l.wallets == 0 {
		err = fail(0, "no wallet in %d rows", l.rows)
	}
	if err != nil {
		return sources.Revision{}, err
	}
	sum := sha256.New()
	sum.Write(text)
	rev := sources.Revision{Records: l.rows, OpenEnded: !isPage}
	for _, number := range slices.Sorted(maps.Keys(l.orders)) {
		o := l.orders[number]
		if o.ended(now) {
			fmt.Fprintf(sum, "\nended %s", number)
		}
		for _, day := range []time.Time{o.date, o.updated} {
			if day.After(rev.Published) && !day.After(now) {
				rev.Published = day
			}
		}
	}
	for _, e := range l.entries {
		o := l.orders[e.Ref]
		if o.canceled {
			continue
		}
		e.Name, e.ListedAt, e.FirstSeen = o.name(e.Ref), o.date, o.updated
		if o.ended(now) {
			e.Until = o.until
		}
		if err := add(e); err != nil {
			return sources.Revision{}, fmt.Errorf("order %s: %w", e.Ref, err)
		}
	}
	rev.Digest = hex.EncodeToString(sum.Sum(nil))
	return rev, nil
}

func fail(line int64, format string, args ...any) error {
	return &sources.RecordError{Line: line, Byte: 0, Err: fmt.Errorf(format, args...)}
}

// An order is what the tables say about a seizure order. Its zero value is in force.
type order struct {
	date, updated time.Time
	until         time.Time // its last day; zero: none is printed
	forfeited     bool
	forfeiture    string // the number of the order of forfeiture, or ""
	canceled      bool
}

// ended reports whether o ended, without a forfeiture, before the day of now.
func (o *order) ended(now time.Time) bool {
	return !o.forfeited && !o.until.IsZero() && !now.Before(o.until.AddDate(0, 0, 1))
}

func (o *order) name(number string) string {
	switch {
	case o.forfeiture != "":
		return fmt.Sprintf("Israel, seizure order %s, forfeiture order %s", number, o.forfeiture)
	case o.forfeited:
		return fmt.Sprintf("Israel, forfeiture order %s", number)
	}
	return fmt.Sprintf("Israel, seizure order %s", number)
}

// A list holds the orders and entries read so far.
type list struct {
	orders  map[string]*order // by number
	entries []sources.Entry   // without what the orders say
	wallets int               // with an address
	rows    int               // rows with a wallet or a user

	columns []string // of the table, by their names here
	number  string   // of the order that a line above the wallets names
}

// columnsOf returns the names here of the columns, if the row is the header of a table of
// wallets, of orders or, as in the export, of both.
func columnsOf(row []string) (columns []string) {
	for _, name := range row {
		name = strings.ToLower(sources.TrimListed(strings.Join(strings.Fields(name), " ")))
		switch {
		case strings.Contains(name, "הארנק") || name == "wallet_or_user":
			name = "wallet"
		case name == "מטבע":
			name = "asset"
		case name == "סוג" || name == "order number":
			name = "order"
		case strings.HasPrefix(name, "תאריך עדכון"):
			name = "updated"
		case strings.HasPrefix(name, "תוקף") || name == "validity date":
			name = "validity"
		}
		columns = append(columns, name)
	}
	has := func(name string) bool { return slices.Contains(columns, name) }
	if has("wallet") && has("asset") || has("order") && has("validity") {
		return columns
	}
	return nil
}

// row reads a row of a table, or its header. A nil row ends a table.
func (l *list) row(line int64, row []string) error {
	if columns := columnsOf(row); columns != nil || row == nil {
		l.columns, l.number = columns, ""
		return nil
	}
	cells := make(map[string]string)
	for i, name := range l.columns[:min(len(row), len(l.columns))] {
		cells[name] = row[i]
	}
	var others []string // what looks like an address in other columns
	text := strings.Join(row, "\n")
	for _, f := range address.FindLikely(text) {
		if a := text[f.Start:f.End]; !strings.Contains(cells["wallet"]+cells["assets"], a) {
			others = append(others, a)
		}
	}
	switch {
	case slices.Contains(l.columns, "wallet") || slices.Contains(l.columns, "assets"):
		return l.walletRow(line, row, cells, others)
	case len(others) > 0:
		return fail(line, "an address in a table, or a column, that is not known")
	}
	if number := orderNumber(cells["order"]); number != "" {
		l.order(number, cells)
	}
	return nil
}

// walletRow reads a row with wallets, or a line with the number of the order of the wallets below it.
func (l *list) walletRow(line int64, row []string, cells map[string]string, others []string) error {
	number, hasOrder := l.number, slices.Contains(l.columns, "order")
	if hasOrder {
		number = orderNumber(cells["order"])
	}
	switch above := orderNumber(row[0]); {
	case len(row) > len(l.columns) || len(row) < len(l.columns) && hasOrder:
		return fail(line, "row of %d columns, want %d", len(row), len(l.columns))
	case sources.TrimListed(strings.Join(row, "")) == "":
		return nil
	case !hasOrder && above != "" && sources.TrimListed(cells["wallet"]) == "" && len(others) == 0:
		l.number = above
		return nil
	case number == "":
		return fail(line, "a wallet without the number of an order, such as 18/26")
	}
	l.order(number, cells)
	wallets := assetNames(cells["assets"])
	if slices.Contains(l.columns, "wallet") {
		wallets = append(wallets, cells["wallet"])
	}
	return l.addWallets(line, number, cells["asset"], append(wallets, others...))
}

// order adds what a row says about the order with a number.
func (l *list) order(number string, cells map[string]string) {
	canceled := strings.EqualFold(sources.TrimListed(cells["is canceled"]), "true")
	o := l.orders[number]
	if o == nil {
		o = &order{canceled: canceled}
		l.orders[number] = o
	}
	o.canceled = o.canceled && canceled
	o.date = freetext.First(o.date, parseDay(cells["order date"]))
	if day := parseDay(cells["updated"]); day.After(o.updated) {
		o.updated = day
	}
	if canceled {
		return
	}
	_, year, _ := strings.Cut(number, "/")
	issued := freetext.Date(year, "06") // a day before that is mistyped, and must not end the order
	if until := parseDay(cells["validity"]); until.After(o.until) && !until.Before(issued) {
		o.until = until
	} else if strings.Contains(cells["validity"], "חילוט") {
		o.forfeited, o.forfeiture = true, orderNumber(cells["validity"])
	}
	o.forfeited = o.forfeited || strings.HasPrefix(sources.TrimListed(cells["order type"]), "FO")
}

// assetNames returns the names of the assets in a cell with lines such as "Id: 7" and "Name: T…".
// A line without a label goes on with the name above it. Behind another label than Name, what
// looks like an address is a name.
func assetNames(cell string) (names []string) {
	inName := false
	for line := range strings.Lines(cell) {
		line = strings.Trim(line, "- \t\r\n")
		label, text, ok := strings.Cut(line, ":")
		switch {
		case ok && label == "Name":
			names, inName = append(names, text), true
		case line == "" || ok || !inName:
			inName = false
			for _, f := range address.FindLikely(line) {
				names = append(names, line[f.Start:f.End])
			}
		default:
			names[len(names)-1] += " " + line
		}
	}
	return names
}

// addWallets adds an entry for each cell with a wallet, or with a user of an exchange.
func (l *list) addWallets(line int64, number, asset string, cells []string) error {
	if asset = sources.TrimListed(asset); asset == "-" {
		asset = ""
	}
	for _, text := range cells {
		text = sources.TrimListed(strings.Join(strings.Fields(text), " "))
		if l.rows++; l.rows > maxRows {
			return fail(line, "more than %d rows", maxRows)
		}
		e := sources.Entry{Listed: text, Asset: asset, Kind: score.TerroristFinancing, Ref: number}
		switch {
		case !utf8.ValidString(text):
			return fail(line, "a wallet that is not UTF-8")
		case strings.Trim(text, "-") == "":
			e.Listed = "(no address)"
		case userID.MatchString(text):
			e.Listed = "(exchange user)"
		}
		if a, ok := sources.Decode(asset, e.Listed); ok {
			e.Address = a
			l.wallets++
		}
		l.entries = append(l.entries, e)
	}
	return nil
}

// userID matches ids of users of exchanges: most are numbers of 8 to 10 digits, and some are
// telephone numbers.
var userID = regexp.MustCompile(`^\+?[0-9][0-9 -]{3,24}$`)

var orderNumbers = regexp.MustCompile(`(?:^|[^0-9/])0*([0-9]{1,4}/[0-9]{2})(?:[^0-9/]|$)`)

// orderNumber returns the number of an order in text, such as "18/26", or "".
func orderNumber(text string) string {
	m := orderNumbers.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// parseDay reads a day as the page (DD.MM.YYYY) or the export (YYYY-MM-DD) prints it.
func parseDay(text string) time.Time { return freetext.Date(text, "2.1.2006", time.DateOnly) }
