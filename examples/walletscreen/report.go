package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/internal/secret"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

//go:embed report.html
var reportText string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{"grouped": grouped, "lineNumbers": lineNumbers}).Parse(reportText))

// maxReported bounds how many rows a report has.
const maxReported = 20_000

// A tableReport is the file of -report: what became of a table. It is JSON if its name ends with .json,
// and otherwise HTML for people, with the same facts.
type tableReport struct {
	file   *os.File
	groups map[string]*reportGroup
	rows   int // in groups

	Title      string         `json:"title"`
	Rows       int64          `json:"rows"`
	Classes    []reportClass  `json:"classes"` // each row is in one
	Doubtful   int64          `json:"doubtful"`
	Freshness  string         `json:"freshness"`
	Parties    []*reportGroup `json:"parties"`    // rows that are listed, by whom the list names
	Undecided  []*reportGroup `json:"undecided"`  // rows, by why they are not decided
	Suppressed []*reportGroup `json:"suppressed"` // rows that would be listed without an exception
	Omitted    int64          `json:"omitted"`    // rows that are counted and in no Rows
	Own        []string       `json:"own_columns"`
	Input      string         `json:"input"`
	Hash       string         `json:"input_sha256"`
	Columns    rows.Columns   `json:"columns"`
	Lists      []jsonList     `json:"lists"`
	Caveats    []string       `json:"caveats,omitempty"` // of lists
	Snapshot   string         `json:"snapshot"`
	Scoring    string         `json:"scoring_version"`
	Screened   time.Time      `json:"screened_at"`
	AsOf       *time.Time     `json:"as_of,omitempty"` // the time of -at
	Program    string         `json:"program"`
	Receipt    string         `json:"receipt,omitempty"`
}

// A reportGroup is the rows with one listed party, or one reason.
type reportGroup struct {
	Title  string      `json:"title"` // the name of the party, or the reason in words
	Source string      `json:"source,omitempty"`
	Ref    string      `json:"source_ref,omitempty"`
	Kind   score.Kind  `json:"kind,omitempty"`
	Reason string      `json:"reason,omitempty"`
	Advice string      `json:"advice,omitempty"` // what to do
	Count  int64       `json:"count"`
	Rows   []reportRow `json:"rows"`

	points, shown int
}

// A reportRow is one row of the table.
type reportRow struct {
	Line    int64       `json:"line"`          // as a spreadsheet program counts
	Own     []string    `json:"own,omitempty"` // its cells of the own columns
	Chain   string      `json:"chain,omitempty"`
	Address string      `json:"address"` // or the text, if it is not decided
	Level   score.Level `json:"level,omitempty"`
	Score   int         `json:"score,omitempty"`
	Match   string      `json:"match,omitempty"`
	Also    string      `json:"also,omitempty"` // other lists that have it
	Listed  string      `json:"listed_address,omitempty"`
	Since   string      `json:"added_at,omitempty"`
	Why     string      `json:"why,omitempty"`
}

func openReport(name string) (*tableReport, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("-report: %w", err)
	}
	return &tableReport{file: f, groups: make(map[string]*reportGroup), Parties: []*reportGroup{}, Undecided: []*reportGroup{}, Suppressed: []*reportGroup{}}, nil
}

// discard deletes the file of a report that cannot be made, unless it is a device or a pipe.
func (r *tableReport) discard() {
	info, err := r.file.Stat()
	r.file.Close()
	if err == nil && info.Mode().IsRegular() {
		os.Remove(r.file.Name())
	}
}

// add takes the verdict about a row of a table with own columns.
func (r *tableReport) add(row *rows.Row, v *verdict, own []rows.OwnColumn) {
	var groups *[]*reportGroup
	var g reportGroup
	var label *screening.Label
	switch {
	case v.isListed():
		groups, label = &r.Parties, &v.result.Labels[0]
	case v.isUndecided():
		why := v.cause(row.Err)
		groups, g = &r.Undecided, reportGroup{Title: why.title, Reason: why.name, Advice: why.advice}
	case len(v.result.Suppressed) > 0:
		s := &v.result.Suppressed[0]
		groups, label = &r.Suppressed, &s.Label
		g.Reason = clean(s.Reason + " (" + s.Author + ")")
	default:
		return
	}
	if label != nil {
		g.Title, g.Source, g.Ref, g.Kind, g.points = clean(label.Name), label.Source, clean(label.Ref), label.Kind, label.Points
		g.Title = cmp.Or(g.Title, strings.TrimSpace(g.Source+" "+g.Ref))
	}
	key := fmt.Sprintf("%p %q %q %q %q", groups, g.Title, g.Source, g.Ref, g.Reason)
	at := r.groups[key]
	if at == nil {
		at, g.Rows = &g, []reportRow{}
		r.groups[key] = at
		*groups = append(*groups, at)
	}
	at.Count++
	at.points = max(at.points, g.points)
	if r.rows == maxReported {
		r.Omitted++
		return
	}
	r.rows++
	at.Rows = append(at.Rows, r.row(row, v, own, label))
}

func (r *tableReport) row(row *rows.Row, v *verdict, own []rows.OwnColumn, label *screening.Label) reportRow {
	to := reportRow{Line: row.Line, Address: shorten(clean(v.input), 120)}
	for _, c := range own {
		cell := row.Cell(c.Index)
		if len(cell) > 28 && secret.Hides(address.Interpret("", cell).Err, cell) { // no secret is shorter
			cell = "(not shown)"
		}
		to.Own = append(to.Own, shorten(clean(cell), 32))
	}
	a := v.result.Address
	switch {
	case v.hides():
		to.Address = "(not shown)"
	case label != nil && a.IsValid():
		to.Chain, to.Address = string(a.Chain()), a.Normalized()
	}
	if v.hasLevel() {
		to.Level, to.Score = v.result.Level, v.result.Score
	}
	if label != nil {
		others := slices.DeleteFunc(slices.Clone(v.result.Labels), func(l screening.Label) bool { return l.Source == label.Source })
		to.Match, to.Also = label.Match.String(), listsOf(others)
		to.Listed, to.Since = clean(label.Listed), dayOrNone(label.AddedAt)
	}
	var why []string
	if v.err != nil && !errors.Is(v.err, errSpreadsheet) && !errors.Is(v.err, errNoAddress) && !errors.Is(v.err, rows.ErrBlank) { // their cause says all
		why = append(why, clean(v.err.Error()))
	}
	for _, d := range v.result.Doubts {
		if title := doubtCauses[d].title; title != "" {
			why = append(why, title)
		}
	}
	to.Why = shorten(strings.Join(why, "; "), 200)
	return to
}

// shorten returns the first n bytes of a text, or a few less, and an ellipsis.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// write writes the report of a table that was read to its end.
func (r *tableReport) write(t *tableJob, j *judge) error {
	now := time.Now().UTC().Truncate(time.Second)
	r.Input, r.Columns, r.Screened = filepath.Base(inputName(t.options.in)), t.columns, now
	r.Title = r.Input + ", screened on " + day(now)
	if r.AsOf = orNull(j.asOf); r.AsOf != nil {
		r.Title += " with the lists of " + minute(j.asOf)
	}
	for _, c := range t.columns.Own {
		r.Own = append(r.Own, c.Name)
	}
	r.Rows, r.Classes, r.Doubtful = t.total.rows, t.total.classes(), t.total.doubtful
	r.Hash, r.Program = hexSum(t.hashes.input), "walletscreen "+newVersion().Version
	result, _ := j.answer() // without one, each row is undecided and says why
	r.Snapshot, r.Scoring = result.Digest(), result.ScoringVersion
	lists, caveats := j.screener.Sources(), j.caveats()
	r.Lists, r.Caveats, r.Freshness = jsonLists(lists), caveatTexts(caveats), freshness(lists, caveats, cmp.Or(j.asOf, now))
	for _, groups := range [][]*reportGroup{r.Parties, r.Undecided, r.Suppressed} {
		slices.SortStableFunc(groups, func(a, b *reportGroup) int {
			return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Title, b.Title))
		})
	}
	var err error
	if strings.HasSuffix(strings.ToLower(r.file.Name()), ".json") {
		enc := json.NewEncoder(r.file)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(r)
	} else {
		chooseShown(r.Parties, 150)
		chooseShown(r.Undecided, 110)
		chooseShown(r.Suppressed, 30)
		err = reportTemplate.Execute(r.file, r)
	}
	if err = cmp.Or(err, r.file.Close()); err != nil {
		return fmt.Errorf("-report: %w", err)
	}
	return nil
}

// chooseShown decides which rows of groups are printed: at most n lines, so that a report has a few pages,
// and some of each group as far as they go. Of the others, the numbers of their lines are.
func chooseShown(groups []*reportGroup, n int) {
	for i, g := range groups {
		each := max(10, n/(len(groups)-i))
		if g.shown = min(len(g.Rows), each, n); g.shown > 0 {
			n = max(0, n-g.shown-2)
		}
	}
}

// Shown are the rows of g that are printed, and Rest the others.
func (g *reportGroup) Shown() []reportRow { return g.Rows[:g.shown] }
func (g *reportGroup) Rest() []reportRow  { return g.Rows[g.shown:] }

// Uncounted is how many rows of g the report does not have.
func (g *reportGroup) Uncounted() int64 { return g.Count - int64(len(g.Rows)) }

// Of returns a section: some groups, and the report.
func (r *tableReport) Of(groups []*reportGroup) map[string]any {
	return map[string]any{"Report": r, "Groups": groups}
}

// Hidden are the rows of groups without a printed row.
func (r *tableReport) Hidden(groups []*reportGroup) (all []reportRow) {
	for _, g := range groups {
		if g.shown == 0 {
			all = append(all, g.Rows...)
		}
	}
	return all
}

// freshness returns one line about when lists were checked, and which are late or not whole.
func freshness(all []screening.SourceStatus, caveats []screening.Caveat, now time.Time) string {
	var checked []time.Time
	for _, l := range all {
		if !l.LastUpdated.IsZero() && !l.Info.Final {
			checked = append(checked, l.LastUpdated)
		}
	}
	slices.SortFunc(checked, time.Time.Compare)
	text := counted(int64(len(all)), "list")
	dayAndAge := func(t time.Time) string { return day(t) + " (" + ageText(now.Sub(t)) + ")" }
	switch n := len(checked); {
	case n == 0:
	case day(checked[0]) == day(checked[n-1]):
		text += ", checked on " + dayAndAge(checked[0])
	default:
		text += ", checked between " + dayAndAge(checked[0]) + " and " + dayAndAge(checked[n-1])
	}
	if late := joined(caveats, ", ", func(c screening.Caveat) string { return c.Source }); late != "" {
		text += "; late or not whole: " + late
	}
	return text
}

// lineNumbers returns the numbers of the lines of rows, in order: "3, 5–9".
func lineNumbers(rows []reportRow) string {
	lines := make([]int64, len(rows))
	for i := range rows {
		lines[i] = rows[i].Line
	}
	slices.Sort(lines)
	var all []string
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && lines[end] == lines[end-1]+1 {
			end++
		}
		text := strconv.FormatInt(lines[i], 10)
		if end > i+1 {
			text += "–" + strconv.FormatInt(lines[end-1], 10)
		}
		all = append(all, text)
		i = end
	}
	return strings.Join(all, ", ")
}
