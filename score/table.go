package score

// IMPORTANT NOTE
//
// This file decides scores. A table that was part of a release is frozen, and
// so is its golden file in testdata: an auditor must be able to repeat an answer
// years later. A change of opinion is a new table with a new version, at the end
// of the list, and a line under "Scoring" in CHANGELOG.md.

// A Table is one version of the scoring: points for each kind and match, and the
// bands of the levels. It is immutable.
type Table struct {
	version string
	rows    []row
	bands   []band
}

// A row has the points of one kind: where the match names the listed account
// itself, and where it only names another account of its key.
type row struct {
	kind         Kind
	account, key int
}

// A band is a level and its lowest points. Bands stand from high to low.
type band struct {
	level Level
	min   int
}

var v1_0 = Table{
	version: "v1.0",
	rows: []row{
		{Sanctioned, 100, 85},
		{TerroristFinancing, 95, 85},
		{Ransomware, 85, 75},
		{StolenFunds, 80, 70},
		{Phishing, 75, 65},
		{Scam, 70, 60},
		{Mixer, 60, 50},
		{CommunityReport, 50, 40},
	},
	bands: []band{{Critical, 90}, {High, 70}, {Medium, 40}, {Low, 1}, {CleanNoMatch, 0}},
}

// tables are all tables ever shipped, the newest last.
var tables = []*Table{&v1_0}

// Latest returns the newest table. Whoever must not change with an upgrade of
// this module asks [Lookup] for a version instead.
func Latest() *Table { return tables[len(tables)-1] }

// Lookup returns the table of the given version, such as "v1.0": every table
// ever shipped stays here.
func Lookup(version string) (*Table, bool) {
	for _, t := range tables {
		if t.version == version {
			return t, true
		}
	}
	return nil, false
}

// Version returns the version of the table, of the form "v<major>.<minor>".
func (t *Table) Version() string { return t.version }

// Points returns the points, from 1 to 100, of a label of kind k that was found
// by match m. It returns false if the table does not know k or m: such a label
// must not be scored, least of all as zero.
func (t *Table) Points(k Kind, m Match) (points int, ok bool) {
	if m == 0 || m >= lastMatch {
		return 0, false
	}
	for i := range t.rows {
		if r := &t.rows[i]; r.kind == k {
			if m == Key {
				return r.key, true
			}
			return r.account, true
		}
	}
	return 0, false
}

// Level returns the level of points, which are from 0 to 100. Fewer points than
// that, which no table gives, are not clean: their level is that of 1.
func (t *Table) Level(points int) Level {
	for _, b := range t.bands {
		if points >= b.min {
			return b.level
		}
	}
	return t.Level(1)
}

// Kinds returns the kinds that the table knows, those with the most points
// first. The slice is the caller's own.
func (t *Table) Kinds() []Kind {
	kinds := make([]Kind, len(t.rows))
	for i, r := range t.rows {
		kinds[i] = r.kind
	}
	return kinds
}
