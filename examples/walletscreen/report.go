package main

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

//go:embed report.html
var reportText string

var reportTemplate = template.Must(template.New("report").Parse(reportText))

// maxReported bounds how many rows of a kind a report shows.
const maxReported = 10_000

// A report is the file of -report: what became of a table, for people.
type report struct {
	file *os.File

	Hits, Open                 []reportRow
	MoreHits, MoreOpen         string
	Title, Input, Hash, Time   string
	AsOf                       string // the time of -at
	Rows, Undecided            string
	Both                       bool // a row is listed and undecided
	Levels                     []reportLevel
	Caveats                    []string
	Lists                      []reportList
	Columns                    rows.Columns
	Snapshot, Scoring, Version string
	Receipt                    string
	moreHits                   int64 // that are not shown
	listed, suppressed         int64
}

type reportLevel struct {
	Level score.Level
	Rows  string
}

type reportRow struct {
	Row                 string
	Level               score.Level
	Score               int
	Chain, Address, Why string
	Evidence            []reportLabel
}

type reportLabel struct{ Name, List, Ref, Kind, Match, Said, Suppressed string }

type reportList struct{ ID, Name, Checked, Published, Addresses, Completeness string }

// openReport makes the file of a report.
func openReport(name string) (*report, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("-report: %w", err)
	}
	return &report{file: f}, nil
}

// discard deletes the file of a report that cannot be made.
func (r *report) discard() {
	r.file.Close()
	os.Remove(r.file.Name())
}

// add takes the verdict about a row, which is the nth. A match that is suppressed is shown, too.
func (r *report) add(n int64, v *verdict) {
	hit := v.isListed() || len(v.result.Suppressed) > 0
	if !hit && !v.isUndecided() {
		return
	}
	row := reportRow{Row: grouped(n), Address: clean(v.input)}
	if v.hasLevel() {
		row.Level, row.Score = v.result.Level, v.result.Score
	} else {
		row.Level = "UNDECIDED"
	}
	switch a := v.result.Address; {
	case hidesInput(v.err, v.input):
		row.Address = "(not shown)"
	case a.IsValid() && hit:
		row.Chain, row.Address = string(a.Chain()), a.Normalized()
	case len(row.Address) > 200:
		row.Address = strings.ToValidUTF8(row.Address[:200], "") + "…"
	}
	var why []string
	if v.err != nil {
		why = append(why, clean(v.err.Error()))
	}
	for _, d := range v.result.Doubts {
		why = append(why, d.Explain())
	}
	row.Why = strings.Join(why, "; ")
	if v.isUndecided() {
		r.Both = r.Both || v.isListed()
		if len(r.Open) < maxReported {
			r.Open = append(r.Open, row)
		}
	}
	if !hit {
		return
	}
	if v.isListed() {
		r.listed++
	} else {
		r.suppressed++
	}
	if len(r.Hits) == maxReported {
		r.moreHits++
		return
	}
	for i := range v.result.Labels {
		row.Evidence = append(row.Evidence, newReportLabel(&v.result.Labels[i]))
	}
	for i := range v.result.Suppressed {
		s := &v.result.Suppressed[i]
		l := newReportLabel(&s.Label)
		l.Suppressed = clean(s.Reason + " (" + s.Author + ")")
		row.Evidence = append(row.Evidence, l)
	}
	r.Hits = append(r.Hits, row)
}

func newReportLabel(l *screening.Label) reportLabel {
	return reportLabel{Name: clean(l.Name), List: l.Source, Ref: clean(l.Ref), Kind: string(l.Kind), Match: l.Match.String(), Said: said(l)}
}

// write writes the report of a table that was read to its end.
func (r *report) write(t *tableJob, j *judge) error {
	s := j.screener
	r.Input, r.Columns, r.Time = filepath.Base(inputName(t.options.in)), t.columns, time.Now().UTC().Format("2006-01-02 15:04:05 UTC")
	r.Hash, r.Version = hex.EncodeToString(t.hashes.input.Sum(nil)), newVersion().Version
	r.Rows, r.Undecided = grouped(t.total.rows), ""
	var found []string
	for _, f := range []struct {
		n    int64
		what string
	}{{r.listed, "listed"}, {t.total.undecided, "undecided"}, {r.suppressed, "with suppressed matches only"}} {
		if f.n > 0 {
			found = append(found, count(f.n, "row")+" "+f.what)
		}
	}
	if r.Title = strings.Join(found, ", "); found == nil {
		r.Title = "No match"
	}
	for _, l := range []score.Level{score.Critical, score.High, score.Medium, score.Low, score.CleanNoMatch} {
		if n := t.total.levels[l]; n > 0 {
			r.Levels = append(r.Levels, reportLevel{l, grouped(n)})
		}
	}
	if n := t.total.undecided; n > 0 {
		r.Undecided = grouped(n)
		if more := n - int64(len(r.Open)); more > 0 {
			r.MoreOpen = grouped(more)
		}
	}
	if r.moreHits > 0 {
		r.MoreHits = grouped(r.moreHits)
	}
	result, err := s.Screen(anyAddress)
	if err != nil {
		return err
	}
	if j.past {
		r.AsOf = j.at.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	r.Snapshot, r.Scoring = result.Digest(), result.ScoringVersion
	for _, c := range result.Caveats() {
		r.Caveats = append(r.Caveats, fmt.Sprintf("%s: %s", c.Source, caveatText(c.Kind)))
	}
	for _, l := range s.Sources() {
		r.Lists = append(r.Lists, reportList{l.Info.ID, l.Info.Name, dayAndAge(l.LastUpdated, j.at), dayAndAge(l.Published, j.at), grouped(int64(l.Addresses)), note(l)})
	}
	if err := reportTemplate.Execute(r.file, r); err != nil {
		return err
	}
	return r.file.Close()
}

// caveatText describes a caveat about a list.
func caveatText(k screening.CaveatKind) string {
	switch k {
	case screening.CaveatMissing:
		return "not loaded"
	case screening.CaveatPartial:
		return "only a part is loaded"
	case screening.CaveatStale:
		return "last checked too long ago"
	case screening.CaveatOld:
		return "published too long ago"
	}
	return string(k)
}

// dayAndAge returns the day of t and how long ago that was.
func dayAndAge(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return day(t) + " (" + age(now.Sub(t)) + ")"
}
