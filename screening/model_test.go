package screening_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// A model is a slow and obvious screener to compare the real one with: a slice and two
// loops, written from the definitions of the four matches.
type model struct {
	ids     []string
	entries [][]sources.Entry // by source
}

// screen returns the labels of a, in the order of a Result.
func (m model) screen(a address.Address) []screening.Label { return m.labels(a, "") }

// screenText returns the labels of a text. If the text is an address, it is a.
func (m model) screenText(a address.Address, text string) []screening.Label { return m.labels(a, text) }

func (m model) labels(a address.Address, text string) []screening.Label {
	var labels []screening.Label
	for i, entries := range m.entries {
		for _, e := range entries {
			match := score.Match(0)
			if a.IsValid() {
				match = modelMatch(e, a)
			}
			if match == 0 && text != "" && !e.Address.IsValid() && modelSameText(e.Listed, text) {
				match = score.Literal
			}
			if match != 0 {
				labels = append(labels, modelLabel(m.ids[i], e, match))
			}
		}
	}
	return modelSort(labels)
}

func modelMatch(e sources.Entry, a address.Address) score.Match {
	if !e.Address.IsValid() {
		asked := modelFacts(a)
		for _, r := range modelReadings(e) {
			read := modelFacts(r)
			if r == asked.canonical || slices.ContainsFunc(read.keys, func(k address.Key) bool { return slices.Contains(asked.keys, k) }) {
				return score.Literal
			}
		}
		return 0
	}
	listed, asked := modelFacts(e.Address), modelFacts(a)
	if listed.canonical == asked.canonical {
		if e.Address.Chain() == a.Chain() {
			return score.Exact
		}
		return score.Family
	}
	for _, l := range listed.keys {
		if slices.Contains(asked.keys, l) {
			return score.Key
		}
	}
	text := e.Text()
	if _, ok := modelElsewhere[text]; !ok {
		for _, other := range address.Detect(text) {
			modelElsewhere[text] = append(modelElsewhere[text], other.Canonical())
		}
	}
	if slices.Contains(modelElsewhere[text], asked.canonical) {
		return score.Literal
	}
	return 0
}

// modelElsewhere holds the accounts that a listed text is on any chain.
var modelElsewhere = make(map[string][]address.Address)

// A modelAccount is what modelMatch needs of an address. It is cached, because every query
// needs it of all entries.
type modelAccount struct {
	canonical address.Address
	keys      []address.Key
}

var modelAccounts = make(map[address.Address]*modelAccount)

func modelFacts(a address.Address) *modelAccount {
	m := modelAccounts[a]
	if m == nil {
		m = &modelAccount{a.Canonical(), a.AppendKeys(nil)}
		modelAccounts[a] = m
	}
	return m
}

// modelReadings returns the accounts that the listed string of an entry without an
// Address can mean. They are cached, because every query needs all entries.
func modelReadings(e sources.Entry) []address.Address {
	as := [2]string{e.Asset, e.Listed}
	accounts, ok := modelRead[as]
	if !ok {
		text := modelText(e.Listed)
		for _, a := range address.Detect(text) {
			accounts = append(accounts, a.Canonical())
		}
		for _, words := range modelWords {
			for _, word := range words.FindAllString(text, -1) {
				if (len(word) >= 25 || strings.IndexByte(word, '.') > 0) && word != text {
					for _, a := range address.Detect(word) {
						accounts = append(accounts, a.Canonical())
					}
				}
			}
		}
		if a, ok := sources.Decode(e.Asset, e.Listed); ok {
			accounts = append(accounts, a.Canonical())
		}
		for _, r := range sources.Repair(e.Asset, e.Listed) {
			accounts = append(accounts, r.Address.Canonical())
		}
		modelRead[as] = accounts
	}
	return accounts
}

// modelWords are the words of a text with and without the signs of Base64, and of names and ids.
var modelWords = []*regexp.Regexp{regexp.MustCompile(`[\pL\p{Nd}]+`), regexp.MustCompile(`[\pL\p{Nd}_-]+`), regexp.MustCompile(`[\pL\p{Nd}_.-]+`)}

var modelRead = make(map[[2]string][]address.Address) // by asset and listed string

// modelSameText reports whether listed strings are equal, ignoring the case of hex.
func modelSameText(a, b string) bool { return modelText(a) == modelText(b) }

var modelHex = regexp.MustCompile(`^(0[xX])?[0-9a-fA-F]*$`)

func modelText(s string) string {
	if s = strings.TrimSpace(s); modelHex.MatchString(s) {
		return strings.ToLower(s)
	}
	return s
}

// respelled returns other spellings of a; the chain need not accept all of them.
func respelled(a address.Address) []string {
	text := a.Normalized()
	_, bare, _ := strings.Cut(text, ":")
	key, _ := a.Key()
	return []string{
		text, strings.ToUpper(text), strings.ToLower(text), "0X" + strings.ToUpper(strings.TrimPrefix(text, "0x")), a.Canonical().Normalized(),
		" " + text + "\n", string(a.Chain()) + ":" + text, string(a.Chain()) + ":" + text + "?amount=1", a.Chain().CAIP2() + ":" + text, text + "@1",
		bare, "41" + strings.TrimPrefix(key.String(), "h20:"), text + " (tag)", text[:len(text)-1],
	}
}

func modelLabel(source string, e sources.Entry, m score.Match) screening.Label {
	points, _ := score.Latest().Points(e.Kind, m)
	return screening.Label{
		Kind: e.Kind, Match: m, Points: points, Source: source,
		Ref: e.Ref, Name: e.Name, Listed: e.Text(), AddedAt: e.ListedAt,
	}
}

func modelSort(labels []screening.Label) []screening.Label {
	better := func(a, b screening.Label) int {
		unofficial := func(l screening.Label) int { return strings.Count(l.Source, community.ID) }
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(unofficial(a), unofficial(b)), cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ref, b.Ref), cmp.Compare(a.Match, b.Match),
			cmp.Compare(a.Listed, b.Listed), a.AddedAt.Compare(b.AddedAt), cmp.Compare(a.Name, b.Name))
	}
	var sorted []screening.Label
	for _, l := range labels {
		beaten := slices.ContainsFunc(labels, func(o screening.Label) bool {
			return o.Source == l.Source && o.Kind == l.Kind && o.Ref == l.Ref && better(o, l) < 0
		})
		if !beaten && !slices.Contains(sorted, l) {
			sorted = append(sorted, l)
		}
	}
	slices.SortFunc(sorted, better)
	return sorted
}

// split separates the labels of a that count at the given time from those that do not.
func modelSplit(
	exceptions []screening.Exception,
	a address.Address,
	labels []screening.Label,
	now time.Time,
) (count []screening.Label, not []screening.Suppressed) {
	var of []screening.Exception
	for _, e := range exceptions {
		if len(labels) > 0 && e.Address.Canonical() == a.Canonical() {
			of = append(of, e)
		}
	}
	for _, l := range labels {
		var best *screening.Exception
		for i, e := range of {
			switch {
			case !e.Expires.IsZero() && !e.Expires.After(now):
			case e.Source != "" && e.Source != l.Source, e.Ref != "" && e.Ref != l.Ref:
			case best == nil || len(e.Source) > len(best.Source) || len(e.Ref) > len(best.Ref):
				best = &of[i]
			}
		}
		if best == nil {
			count = append(count, l)
			continue
		}
		not = append(not, screening.Suppressed{
			Label: l, Reason: best.Reason, Author: best.Author, Expires: best.Expires,
		})
	}
	return count, not
}

// modelScore returns the score of the labels of a text that is not an address.
func modelScore(excepted []screening.Exception, a address.Address, labels []screening.Label, now time.Time) (points int) {
	labels, _ = modelSplit(excepted, a, labels, now)
	for _, l := range labels {
		points = max(points, l.Points)
	}
	return points
}
