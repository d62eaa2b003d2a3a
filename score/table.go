package score

import "slices"

// IMPORTANT NOTE
//
// This file decides scores. A released table and its golden file in testdata are
// frozen: an auditor must be able to repeat an answer years later. To change a score,
// add a table with a new version at the end of tables, and a line under "Scoring" in
// CHANGELOG.md.

// A Table is one version of the scoring: the points of each kind and match, and the
// bands of the levels. It is immutable.
type Table struct {
	version string
	rows    []row
	bands   []band
}

// A row holds the points of one kind: account if the match is the listed account
// itself, key if it is another account of the same key.
type row struct {
	kind         Kind
	account, key int
}

// A band is a level and its lowest points. Bands are sorted from high to low.
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

// v1_1 adds Blocked to v1.0.
var v1_1 = Table{
	version: "v1.1",
	rows:    append([]row{{Blocked, 100, 85}}, v1_0.rows...),
	bands:   v1_0.bands,
}

// v1_2 adds Seized to v1.1.
var v1_2 = Table{
	version: "v1.2",
	rows:    slices.Insert(slices.Clone(v1_1.rows), 3, row{Seized, 85, 75}),
	bands:   v1_1.bands,
}

// tables holds every table ever shipped, the newest last.
var tables = []*Table{&v1_0, &v1_1, &v1_2}

// Latest returns the newest table. To pin a version across upgrades, use [Lookup].
func Latest() *Table { return tables[len(tables)-1] }

// Lookup returns the table of the given version, such as "v1.0". Every table that was
// part of a release stays available.
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

// Points returns the points, from 1 to 100, of a label of kind k found by match m. It
// returns false if the table has no row for k or m is not a match; the caller must not
// score such a label, and must not treat it as zero.
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

// Level returns the level of points, which range from 0 to 100. Negative points, which
// no table gives, have the level of 1: they are not clean.
func (t *Table) Level(points int) Level {
	for _, b := range t.bands {
		if points >= b.min {
			return b.level
		}
	}
	return t.Level(1)
}

// Kinds returns the kinds that have a row in the table, highest points first. The
// caller owns the slice.
func (t *Table) Kinds() []Kind {
	kinds := make([]Kind, len(t.rows))
	for i, r := range t.rows {
		kinds[i] = r.kind
	}
	return kinds
}
