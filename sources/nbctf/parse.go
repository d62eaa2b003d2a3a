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
// An order that is not in the table of orders stays in force, and one that was canceled is
// left out. ListedAt is the date of the order, which only the export has; FirstSeen is the
// date on which the page updated the order.
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
	if isPage {
		err = readPage(string(text), l.row)
	} else {
		err = l.readCSV(text)
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

	columns columns
	width   int    // how many the header has
	number  string // of the order that a line above the wallets names
}

// The columns of a table: their places by a name of ours.
type columns map[string]int

// header returns the columns if the row is the header of a table.
func header(row []string) (c columns, ok bool) {
	c = make(columns)
	for i, name := range row {
		name = strings.ToLower(sources.TrimListed(strings.Join(strings.Fields(name), " ")))
		switch {
		case strings.Contains(name, "הארנק") || name == "wallet_or_user":
			name = "wallet"
		case name == "מטבע":
			name = "asset"
		case name == "סוג":
			name = "kind"
		case strings.HasPrefix(name, "תאריך עדכון"):
			name = "updated"
		case strings.HasPrefix(name, "תוקף"):
			name = "validity"
		}
		c[name] = i
	}
	return c, c.isWallets() || c.isOrders() || c.isExport()
}

func (c columns) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { _, ok := c[n]; return !ok })
}

func (c columns) isWallets() bool { return c.has("wallet", "asset") }
func (c columns) isOrders() bool  { return c.has("kind", "validity") }
func (c columns) isExport() bool  { return c.has("order number", "assets", "validity date") }

// readCSV reads one or more tables.
func (l *list) readCSV(text []byte) error {
	if !utf8.Valid(text) {
		return fail(0, "invalid UTF-8")
	}
	return csvscan.Rows(bytes.NewReader(text), ',', true, l.row)
}

// row reads a row of a table, or its header. A nil row ends a table.
func (l *list) row(line int64, row []string) error {
	if c, ok := header(row); ok || row == nil {
		l.columns, l.width, l.number = c, len(row), ""
		return nil
	}
	c := l.columns
	cell := func(name string) string {
		if i, ok := c[name]; ok && i < len(row) {
			return row[i]
		}
		return ""
	}
	if (c.isExport() || c.has("order")) && len(row) != l.width || c.isWallets() && len(row) > l.width {
		return fail(line, "row of %d columns, want %d", len(row), l.width)
	}
	switch others := l.others(row); {
	case c.isExport():
		return l.exported(line, cell, others)
	case c.isOrders() && len(others) == 0:
		l.ordered(cell)
	case c.isWallets():
		return l.walletRow(line, row, cell, others)
	case len(others) > 0:
		return fail(line, "an address in a table, or a column, that is not known")
	}
	return nil
}

// walletRow reads a row of a table of wallets: a wallet, or a line with the number of the order
// of the wallets below it.
func (l *list) walletRow(line int64, row []string, cell func(string) string, others []string) error {
	if !slices.ContainsFunc(row, func(s string) bool { return sources.TrimListed(s) != "" }) {
		return nil
	}
	if !l.columns.has("order") {
		if number := orderNumber(row[0]); number != "" && sources.TrimListed(cell("wallet")) == "" && len(others) == 0 {
			l.number = number
			return nil
		}
	} else if l.number = orderNumber(cell("order")); l.number == "" {
		return fail(line, "order %.64q: want a number such as 18/26", cell("order"))
	}
	if l.number == "" {
		return fail(line, "a wallet above the first line with the number of an order")
	}
	return l.addWallets(line, l.number, cell("asset"), append([]string{cell("wallet")}, others...))
}

// others returns the addresses, and words that look like one, in a row outside its column of wallets.
func (l *list) others(row []string) (all []string) {
	wallets := ""
	for _, name := range []string{"wallet", "assets"} {
		if i, ok := l.columns[name]; ok && i < len(row) {
			wallets += row[i]
		}
	}
	text := strings.Join(row, "\n")
	for _, f := range address.FindLikely(text) {
		if a := text[f.Start:f.End]; !strings.Contains(wallets, a) {
			all = append(all, a)
		}
	}
	return all
}

// ordered reads a row of the page's table of orders.
func (l *list) ordered(cell func(string) string) {
	kind, validity := cell("kind"), cell("validity")
	number := orderNumber(kind)
	if number == "" {
		return
	}
	o := l.order(number)
	if day := parseDay(cell("updated")); day.After(o.updated) {
		o.updated = day
	}
	if until := parseDay(validity); until.After(o.until) {
		o.until = until
	} else if strings.Contains(validity, "חילוט") {
		o.forfeited, o.forfeiture = true, orderNumber(validity)
	}
}

// exported reads a row of the export: an order with its wallets.
func (l *list) exported(line int64, cell func(string) string, others []string) error {
	number := orderNumber(cell("order number"))
	if number == "" {
		return fail(line, "Order Number %.64q: want a number such as 18/26", cell("order number"))
	}
	known := l.orders[number] != nil
	o, canceled := l.order(number), strings.EqualFold(sources.TrimListed(cell("is canceled")), "true")
	o.canceled = canceled && (o.canceled || !known)
	if day := parseDay(cell("order date")); !day.IsZero() && (o.date.IsZero() || day.Before(o.date)) {
		o.date = day
	}
	if until := parseDay(cell("validity date")); until.After(o.until) && !canceled {
		o.until = until
	}
	o.forfeited = o.forfeited || !canceled && strings.HasPrefix(sources.TrimListed(cell("order type")), "FO")
	return l.addWallets(line, number, "", append(assetNames(cell("assets")), others...))
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

// order returns the order with a number, new if need be.
func (l *list) order(number string) *order {
	o := l.orders[number]
	if o == nil {
		o = new(order)
		l.orders[number] = o
	}
	return o
}

// addWallets adds an entry for each cell with a wallet, or with a user of an exchange.
func (l *list) addWallets(line int64, number, asset string, cells []string) error {
	if asset = sources.TrimListed(asset); asset == "-" {
		asset = ""
	}
	l.order(number)
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
