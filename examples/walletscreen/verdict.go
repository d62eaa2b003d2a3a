package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/internal/correct"
	"github.com/walletscreen/walletscreen/internal/secret"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// errNoAddress is the error of an empty cell.
var errNoAddress = errors.New("no address")

// errSpreadsheet is the error of a cell whose address a spreadsheet program has lost.
var errSpreadsheet = errors.New("a formula, or a number that a spreadsheet program has rounded: export the column again as text")

// scientific matches a long number as spreadsheet programs write it.
var scientific = regexp.MustCompile(`^[0-9]([.,][0-9]+)?E\+[0-9]+$`)

// A judge screens what people write. If chain is no name of a chain, listed addresses still show, and nothing else is decided.
type judge struct {
	screener screeningLists
	chain    string    // of an address without one; "" to detect it
	asOf     time.Time // of lists of the past, or zero

	sum  io.Writer                 // of the verdicts of a table, or nil
	each func(*rows.Row, *verdict) // is called for each row of a table, or is nil

	answered *screening.Result // an answer that it has had, or nil
}

// checkChain returns an error if the value of -chain is not a name of a chain.
func checkChain(name string) error {
	if rd := address.Interpret(name, ""); name != "" && errors.Is(rd.Err, address.ErrChain) {
		return fmt.Errorf("-chain: %w", explainChain(name, rd.Err))
	}
	return nil
}

// explainChain returns err with the nearest name if it is about an unknown name of a chain.
func explainChain(name string, err error) error {
	if p, ok := errors.AsType[*address.ParseError](err); !ok || p.Err != address.ErrChain || p.Hint() != "" {
		return err
	}
	var slugs []string
	for _, c := range address.Chains() {
		slugs = append(slugs, string(c))
	}
	if hint := didYouMean(strings.ToLower(strings.TrimSpace(name)), slugs, ""); strings.HasPrefix(hint, "; did") {
		return fmt.Errorf("%w%s", err, hint)
	}
	return err
}

// A verdict is what the lists say about a text.
type verdict struct {
	input   string
	reading address.Reading
	result  screening.Result
	err     error // why the text is undecided, whatever result says
	secret  bool  // the text must not be shown, whatever err says
}

// screen screens a text on the chain of a name, or on -chain if that is empty.
func (j *judge) screen(chain, text string) verdict {
	v := verdict{input: text}
	mine := strings.TrimSpace(chain) == "" // -chain names the chain
	if mine {
		chain = j.chain
	}
	s := strings.TrimSpace(text)
	if s == "" {
		v.err = errNoAddress
		return v
	}
	v.result, v.reading, v.err = j.screener.ScreenInput(chain, text)
	if j.answered == nil && v.result.Digest() != "" {
		j.answered = new(v.result)
	}
	if mine {
		v.err = explainChain(chain, v.err)
	}
	v.secret = secret.Hides(v.err, text)
	if !v.secret && s[0] == '=' && !strings.HasPrefix(s, `="`) || strings.Contains(s, "E+") && scientific.MatchString(s) {
		v.err = errSpreadsheet
	}
	return v
}

// answer returns what all answers from the lists have in common. Lists of the past may answer about listed accounts alone.
func (j *judge) answer() (screening.Result, error) {
	if j.answered != nil {
		return *j.answered, nil
	}
	return j.screener.Screen(anyAddress)
}

// caveats returns why the lists cannot be relied on.
func (j *judge) caveats() (all []screening.Caveat) {
	r, err := j.answer()
	if err == nil {
		return r.Caveats()
	}
	for _, l := range j.screener.Sources() {
		if !l.Loaded() {
			all = append(all, screening.Caveat{Source: l.Info.ID, Kind: screening.CaveatMissing})
		}
	}
	return all
}

// payees returns a verdict for each account that the text pays, or v if it pays one.
func (j *judge) payees(v verdict) []verdict {
	if !v.reading.Several || v.err != nil && !errors.Is(v.err, address.ErrSeveral) {
		return []verdict{v}
	}
	var all []verdict
	for _, a := range v.reading.Addresses {
		one := v
		if one.result, one.err = j.screener.Screen(a); one.err == nil {
			one.result.Doubts = slices.Clone(v.reading.Doubts)
		}
		all = append(all, one)
	}
	return all
}

// isListed reports whether a list has an account that the text can mean.
func (v *verdict) isListed() bool { return len(v.result.Labels) > 0 }

// isUndecided reports whether something is left to decide. A payee without a list does not matter beside a listed one.
func (v *verdict) isUndecided() bool {
	return v.err != nil || slices.ContainsFunc(v.result.Doubts, func(d address.Doubt) bool {
		return d != address.DoubtUnscreenable || !v.isListed()
	})
}

// hasLevel reports whether the level may be shown: nothing that is undecided is clean.
func (v *verdict) hasLevel() bool { return v.isListed() || !v.isUndecided() }

// shown returns the account or, if it is not settled, the text, unless that may be a secret.
func (v *verdict) shown() string {
	unsure := func(d address.Doubt) bool { return d != address.DoubtUnscreenable }
	switch a := v.result.Address; {
	case v.hides():
		return "(not shown)"
	case a.IsValid() && (v.isListed() || v.err == nil && !slices.ContainsFunc(v.result.Doubts, unsure)):
		return string(a.Chain()) + " " + a.Normalized()
	}
	return clean(v.input)
}

// hides reports whether the text must not be shown.
func (v *verdict) hides() bool { return v.secret || secret.Hides(v.err, v.input) }

// A jsonResult is the verdict about an account. One that is undecided has a level only if it is listed.
type jsonResult struct {
	Input   string      `json:"input,omitempty"` // left out if it is a secret
	Chain   string      `json:"chain,omitempty"`
	Address string      `json:"address,omitempty"`
	Level   score.Level `json:"level,omitempty"`
	Score   *int        `json:"score,omitempty"`
	screening.Answer
	Note           string     `json:"note,omitempty"` // how the chain was understood
	ScoringVersion string     `json:"scoring_version,omitempty"`
	Snapshot       string     `json:"snapshot,omitempty"`
	AsOf           *time.Time `json:"as_of,omitempty"` // the time of -at
	Error          string     `json:"error,omitempty"`
}

func (v *verdict) object() jsonResult {
	r := &v.result
	o := jsonResult{Input: v.input, Note: v.reading.Note, Answer: r.Answer().WithURLs(r.Sources()), ScoringVersion: r.ScoringVersion, Snapshot: r.Digest()}
	o.AllClear = o.AllClear && v.err == nil
	if v.err != nil {
		o.Error = v.err.Error()
	}
	if v.hides() {
		o.Input = ""
	}
	if v.hasLevel() {
		o.Level, o.Score = r.Level, &r.Score
	}
	if a := r.Address; a.IsValid() {
		o.Chain, o.Address = string(a.Chain()), a.Normalized()
	}
	return o
}

// verdictColumns are the columns that screen adds to a table.
var verdictColumns = []rows.Column{
	{Name: "level", Type: rows.Word}, {Name: "doubt", Type: rows.Exact}, {Name: "score", Type: rows.Number}, {Name: "match"}, {Name: "source"}, {Name: "source_ref"},
	{Name: "name"}, {Name: "listed_address"}, {Name: "added_at", Type: rows.Word}, {Name: "not_listed_on", Type: rows.Word}, {Name: "entity_listed_at", Type: rows.Word},
	{Name: "labels", Type: rows.Number}, {Name: "lists"}, {Name: "formerly"}, {Name: "suppressed"}, {Name: "error"},
}

// cells appends the cells of verdictColumns of a row, and counts it.
func (j *judge) cells(dst []string, row *rows.Row, total *tally) []string {
	v := verdict{err: row.Err}
	if row.Err == nil || len(row.Address) > 0 {
		if v = j.screen(row.Chain, row.Address); row.Err != nil {
			v.err = row.Err
		}
	}
	total.add(&v)
	if j.sum != nil {
		v.hash(j.sum)
	}
	if j.each != nil {
		j.each(row, &v)
	}
	r := &v.result
	var level, points, labels, failure string
	if v.err != nil && (row.Err != nil || !v.isListed() || len(r.Doubts) == 0) { // a doubt says why a listed text is wrong
		failure = v.err.Error()
	}
	if v.hasLevel() {
		level, points, labels = string(r.Level), strconv.Itoa(r.Score), strconv.Itoa(len(r.Labels))
	}
	first, match := &screening.Label{}, ""
	if v.isListed() {
		first = &r.Labels[0]
		match = first.Match.String()
	}
	return append(dst, level, joinDoubts(r.Doubts), points, match, first.Source, first.Ref, first.Name, first.Listed,
		dayOrNone(first.AddedAt), dayOrNone(first.NotListedOn), dayOrNone(first.EntityListedAt), labels, listsOf(r.Labels),
		stays(r.Formerly), suppressions(r.Suppressed), failure)
}

// joined returns the texts of all, each once, with the separator between them.
func joined[T any](all []T, separator string, text func(T) string) string {
	var texts []string
	for _, t := range all {
		if s := text(t); !slices.Contains(texts, s) {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, separator)
}

// stays returns which lists had the account formerly, and when.
func stays(all []screening.Former) string {
	return joined(all, "; ", func(f screening.Former) string {
		return strings.TrimSpace(f.Source+" "+f.Ref) + ": " + day(f.Since) + " to " + day(f.Until)
	})
}

func joinDoubts(doubts []address.Doubt) string {
	return joined(doubts, " ", func(d address.Doubt) string { return string(d) })
}

func listsOf(labels []screening.Label) string {
	return joined(labels, " ", func(l screening.Label) string { return l.Source })
}

// suppressions returns which labels are suppressed, why and by whom.
func suppressions(all []screening.Suppressed) string {
	return joined(all, "; ", func(s screening.Suppressed) string {
		text := strings.TrimSpace(s.Source+" "+s.Ref) + ": " + s.Reason
		if s.Author != "" {
			text += " (" + s.Author + ")"
		}
		return text
	})
}

// A labelKey is what makes a label another one: not its texts for people, and no date.
type labelKey struct {
	Kind                 score.Kind
	Match                score.Match
	Source, Ref, Address string
}

func labelKeys(labels []screening.Label) (keys []labelKey) {
	for _, l := range labels {
		keys = append(keys, labelKey{l.Kind, l.Match, l.Source, l.Ref, l.Listed})
	}
	return keys
}

func suppressedLabels(r *screening.Result) (labels []screening.Label) {
	for _, s := range r.Suppressed {
		labels = append(labels, s.Label)
	}
	return labels
}

// corrected returns what a text may have been before one copying error, or nil. Nothing reads it so.
func corrected(chain, text string) *correct.Correction {
	c, _ := address.ParseChain(chain) // any chain, if it names none
	return correct.Text(c, text)
}

// screeningLists are the lists of now, a [screening.Screener], or of -at, a [screening.Past].
type screeningLists interface {
	Screen(address.Address) (screening.Result, error)
	ScreenInput(chain, text string) (screening.Result, address.Reading, error)
	Sources() []screening.SourceStatus
}

// anyAddress is screened to see whether there is an answer, and what all answers have in common.
var anyAddress = address.MustParse("ethereum", "0x0000000000000000000000000000000000000000")
