package list

import (
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

// A finder finds the entries of a table by their Canonical entries.
type finder struct {
	table  *table
	crowds map[index.ID]map[sources.Entry]uint32 // the rows of keys that have many
}

// A found entry is its listing, and its row.
type found struct {
	*Listing // nil: it is not there
	row      uint32
}

// maxRow is the maximum number of rows of a key that are searched one by one.
const maxRow = 16

// find finds the entry with the Canonical form of e, whose filing is f.
func (fd *finder) find(e *sources.Entry, f filing) found {
	if fd.table == nil {
		return found{}
	}
	k := f.keys[0]
	if crowd := fd.crowds[k]; crowd != nil {
		row, ok := crowd[e.Canonical()]
		if !ok {
			return found{}
		}
		l, _ := fd.table.listing(row)
		return found{l, row}
	}
	var buf [maxRow]uint32
	rows := fd.table.index.AppendRows(buf[:0], k)
	if len(rows) > maxRow {
		fd.crowd(k, rows)
		return fd.find(e, f)
	}
	for _, row := range rows {
		if l, under := fd.table.listing(row); under == k && l.repeated == 0 && l.isSame(e, f.form) {
			return found{l, row}
		}
	}
	return found{}
}

// has reports whether the table has the entry with the Canonical form of e, whose filing is f.
func (fd *finder) has(e *sources.Entry, f filing) bool { return fd.find(e, f).Listing != nil }

// account returns the listing of the account of e that was seen first, whatever its
// reference and ticker; nil if there is none. f is the filing of e.
func (fd *finder) account(e *sources.Entry, f filing) (first *Listing) {
	var buf [maxRow]uint32
	rows := fd.table.index.AppendRows(buf[:0], f.keys[0])
	for _, row := range rows[:min(len(rows), maxRow)] {
		l, k := fd.table.listing(row)
		had := l.at(k)
		if accountOf(&had) == accountOf(e) && (first == nil || l.Entry.FirstSeen.Before(first.Entry.FirstSeen)) {
			first = l
		}
	}
	return first
}

// crowd indexes the rows of a key by Canonical entry.
func (fd *finder) crowd(k index.ID, rows []uint32) {
	if fd.crowds == nil {
		fd.crowds = make(map[index.ID]map[sources.Entry]uint32)
	}
	fd.crowds[k] = make(map[sources.Entry]uint32, len(rows))
	for _, row := range rows {
		fd.added(k, row)
	}
}

// added says that a row was added to the table under k.
func (fd *finder) added(k index.ID, row uint32) {
	crowd := fd.crowds[k]
	if crowd == nil {
		return
	}
	if l, under := fd.table.listing(row); under == k && l.repeated == 0 {
		e := l.at(k)
		crowd[e.Canonical()] = row
	}
}
