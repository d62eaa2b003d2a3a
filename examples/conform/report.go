package main

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

// noAnswer is a failure beside the severities: an error where an answer was due.
const noAnswer = "no_answer"

// A Result is the answer of a system to a case.
type Result struct {
	ID      string `json:"id"`
	Expect  string `json:"expect"`
	Failure string `json:"failure"` // "" if the answer is right, or was not tried
	Answer
}

// judge returns the result of an answer.
func judge(c *Case, a Answer) Result {
	r := Result{ID: c.ID, Expect: c.Expect, Answer: a}
	switch {
	case a.Is == isNotTried, a.Is == c.Expect, slices.Contains(c.Accept, a.Is):
	case a.Is == isError:
		r.Failure = noAnswer
	case a.Is == isListed:
		r.Failure = falseHit
	default:
		r.Failure = c.Severity
	}
	return r
}

// failures are the kinds of failures, the worst first, and the heads of their columns.
var failures = []struct{ kind, head string }{
	{sanctioned, "sanctioned, came out clean"}, {related, "of a listed key, came out clean"}, {unread, "unreadable, came out clean"}, {falseHit, "false hit"}, {noAnswer, "no answer"},
}

// writeTable writes how many cases of each theme were right, wrong and not tried.
func writeTable(w io.Writer, cases []Case, results []Result) {
	fmt.Fprint(w, "| theme | tried | right |")
	for _, f := range failures {
		fmt.Fprintf(w, " %s |", f.head)
	}
	fmt.Fprint(w, " not tried |\n|---|"+strings.Repeat("---|", len(failures)+3)+"\n")
	row := func(name, theme string) {
		counts := make(map[string]int)
		for i, r := range results {
			switch {
			case theme != "" && cases[i].Theme != theme:
			case r.Is == isNotTried:
				counts[isNotTried]++
			default:
				counts["tried"]++
				counts[r.Failure]++
			}
		}
		fmt.Fprintf(w, "| %s | %d | %d |", name, counts["tried"], counts[""])
		for _, f := range failures {
			fmt.Fprintf(w, " %d |", counts[f.kind])
		}
		fmt.Fprintf(w, " %d |\n", counts[isNotTried])
	}
	for _, theme := range themes {
		if slices.ContainsFunc(cases, func(c Case) bool { return c.Theme == theme }) {
			row(theme, theme)
		}
	}
	row("**all**", "")
}

// A report is the JSON of a run.
type report struct {
	System  string   `json:"system"`
	Results []Result `json:"results"`
}

func writeJSON(w io.Writer, name string, results []Result) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(report{name, results})
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{{.System}}: wrong answers</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3em .6em;text-align:left;vertical-align:top}code{overflow-wrap:anywhere}</style>
<h1>{{.System}}: {{len .Rows}} wrong answers</h1>
<table>
<tr><th>case</th><th>failure</th><th>asked</th><th>due</th><th>came</th><th>why it is wrong</th><th>authority</th></tr>
{{range .Rows}}<tr><td>{{.Case.ID}}</td><td>{{.Result.Failure}}</td><td>{{.Case.Asked.Chain}}: <code>{{.Case.Asked.Text}}</code></td><td>{{.Case.Expect}}</td><td>{{.Result.Is}}: {{.Result.Detail}}</td><td>{{.Case.Why}}</td><td>{{.Case.Authority}}</td></tr>
{{end}}</table>
</html>
`))

// writePage writes an HTML page with a row for each failure.
func writePage(w io.Writer, name string, cases []Case, results []Result) error {
	type row struct {
		Case   Case
		Result Result
	}
	var rows []row
	for i, r := range results {
		if r.Failure != "" {
			rows = append(rows, row{cases[i], r})
		}
	}
	return page.Execute(w, struct {
		System string
		Rows   []row
	}{name, rows})
}
