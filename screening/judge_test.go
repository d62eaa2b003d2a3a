package screening

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/sources"
)

var update = flag.Bool("update", false, "write testdata/judge.txt")

// The day of the lists held, and the present.
var (
	thatDay = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	present = thatDay.AddDate(0, 0, 30)
)

// A kind is one kind of list, held or offered beside another one.
type kind[T any] struct {
	name string
	is   T
}

// heldKinds are lists that may be held, of 1,000 addresses unless the name says otherwise.
func heldKinds() []kind[sight] {
	with := func(change func(*sight)) sight {
		rev := sources.Revision{Digest: "held", Published: thatDay, Records: 1000}
		s := sight{Held: journal.Held{Entries: 1000, Addresses: 1000, Most: 1000, Revision: rev}, read: present.AddDate(0, 0, -1)}
		change(&s)
		return s
	}
	later := journal.Held{N: 2, Addresses: 1300, Revision: sources.Revision{Published: present.AddDate(0, 0, -10)}}
	return []kind[sight]{
		{"nothing", sight{}},
		{"whole", with(func(*sight) {})},
		{"undated", with(func(s *sight) { s.Revision.Published = time.Time{} })},
		{"bundled", with(func(s *sight) { s.Revision.Provenance, s.read = "with the program", thatDay })},
		{"seed", with(func(s *sight) { s.Seed, s.read = true, thatDay })},
		{"a part", with(func(s *sight) { s.Revision.Completeness, s.read = sources.Partial, time.Time{} })},
		{"assembled", with(func(s *sight) { s.Revision.Completeness = sources.Assembled })},
		{"once 1,900", with(func(s *sight) { s.Most = 1900 })},
		{"of 2062", with(func(s *sight) { s.Revision.Published = thatDay.AddDate(36, 0, 0) })},
		{"read in 2062", with(func(s *sight) { s.Revision.Published, s.read = time.Time{}, thatDay.AddDate(36, 0, 0) })},
		{"behind", with(func(s *sight) { s.later = later })},
		{"only lost", sight{later: later}},
		{"emptied", with(func(s *sight) { s.Entries, s.Addresses, s.Most = 0, 0, 1000 })},
		{"undated seed", with(func(s *sight) { s.Seed, s.read, s.Revision.Published = true, time.Time{}, time.Time{} })},
		{"seed of 2061", with(func(s *sight) { s.Seed, s.Revision.Published = true, thatDay.AddDate(35, 0, 0) })},
	}
}

// offeredKinds are lists that may be offered beside one with 1,000 addresses.
func offeredKinds() []kind[func(*comparison)] {
	next := func(days int) time.Time { return thatDay.AddDate(0, 0, days) }
	all := func(c *comparison, addresses, lost int) {
		c.offered.Revision.Records, c.offered.Entries, c.offered.Addresses = addresses, addresses, addresses
		if c.lost = lost; c.held.isBundled() {
			c.lost = c.held.Addresses - addresses
		}
		if c.held.Addresses == 0 {
			c.lost = 0
		}
	}
	return []kind[func(*comparison)]{
		{"no revision", func(c *comparison) { c.offered = sight{} }},
		{"no records", func(c *comparison) { c.offered.Revision.Published = next(1); all(c, 0, 1000) }},
		{"the same", func(c *comparison) {
			c.offered, c.same = c.held, true
			c.offered.read = time.Time{}
			c.offered.Seed = false
		}},
		{"the same, later", func(c *comparison) { c.same = true; c.offered.Revision.Published = next(1) }},
		{"20 more", func(c *comparison) { c.offered.Revision.Published = next(1); all(c, 1020, 0) }},
		{"20 more, same date", func(c *comparison) { c.offered.Revision.Published = next(0); all(c, 1020, 0) }},
		{"20 more, undated", func(c *comparison) { all(c, 1020, 0) }},
		{"20 more, newest", func(c *comparison) { c.offered.Revision.Published = next(25); all(c, 1320, 0) }},
		{"20 less", func(c *comparison) { c.offered.Revision.Published = next(1); all(c, 980, 20) }},
		{"200 less", func(c *comparison) { c.offered.Revision.Published = next(1); all(c, 800, 200) }},
		{"201 less", func(c *comparison) { c.offered.Revision.Published = next(1); all(c, 799, 201) }},
		{"100 less", func(c *comparison) { c.offered.Revision.Published = next(1); all(c, 900, 100) }},
		{"201 exchanged", func(c *comparison) { c.offered.Revision.Published = next(1); all(c, 1000, 201) }},
		{"records, no address", func(c *comparison) {
			c.offered.Revision.Published = next(1)
			all(c, 0, 1000)
			c.offered.Revision.Records = 1000
		}},
		{"older", func(c *comparison) { c.offered.Revision.Published = next(-1); all(c, 1020, 0) }},
		{"older, read before", func(c *comparison) {
			c.offered.Revision.Published, c.offered.read = next(-1), next(-1)
			all(c, 1020, 0)
		}},
		{"undated, read before", func(c *comparison) { c.offered.read = next(-1); all(c, 1020, 0) }},
		{"older, bundled", func(c *comparison) {
			c.offered.Revision.Published, c.offered.read, c.offered.Revision.Provenance = next(-1), next(-1), "with the program"
			all(c, 1020, 0)
		}},
		{"older seed", func(c *comparison) {
			c.offered.Revision.Published, c.offered.read, c.offered.Seed, c.offered.replaced = next(-1), next(-1), true, c.held.later.N > 0
			all(c, 1020, 0)
		}},
		{"newer seed", func(c *comparison) {
			c.offered.Revision.Published, c.offered.read, c.offered.Seed, c.offered.replaced = next(29), next(29), true, c.held.later.N > 0
			all(c, 1020, 0)
		}},
		{"undated seed", func(c *comparison) { c.offered.Seed = true; all(c, 1020, 0) }},
		{"seed, replaced", func(c *comparison) {
			c.offered.Revision.Published, c.offered.read, c.offered.Seed, c.offered.replaced = next(29), next(29), true, true
			all(c, 1020, 0)
		}},
		{"seed of 2062", func(c *comparison) {
			c.offered.Revision.Published, c.offered.read, c.offered.Seed = next(36*365), next(36*365), true
			all(c, 1020, 0)
		}},
		{"of 2062", func(c *comparison) { c.offered.Revision.Published = next(36 * 365); all(c, 1020, 0) }},
		{"of tomorrow", func(c *comparison) { c.offered.Revision.Published = next(31); all(c, 1320, 0) }},
		{"a part", func(c *comparison) {
			c.offered.Revision.Completeness, c.offered.Revision.Published = sources.Partial, next(1)
			all(c, 1020, 0)
		}},
		{"11,001", func(c *comparison) { c.offered.Revision.Published = next(29); all(c, 11_001, 0) }},
		{"cut", func(c *comparison) { c.offered.Revision.Published, c.cut = next(1), true; all(c, 990, 10) }},
		{"read at no time", func(c *comparison) { c.offered.untimely = true; all(c, 1020, 0) }},
		{"dated, at no time", func(c *comparison) {
			c.offered.Revision.Published, c.offered.untimely = next(1), true
			all(c, 1020, 0)
		}},
		{"cut, 1 more record", func(c *comparison) {
			c.offered.Revision.Published, c.cut = next(1), true
			all(c, 990, 10)
			c.offered.Revision.Records = c.held.Revision.Records + 1
		}},
	}
}

// each calls f for each list held with each list offered. change adds to the circumstances.
func each(change func(*comparison), f func(held, offered string, c *comparison)) {
	for _, h := range heldKinds() {
		for _, o := range offeredKinds() {
			is := journal.Held{Entries: 1000, Addresses: 1000, Revision: sources.Revision{Digest: "offered", Records: 1000}}
			c := &comparison{held: h.is, offered: sight{Held: is}, now: present, counted: true}
			change(c)
			o.is(c)
			f(h.name, o.name, c)
		}
	}
}

// short says a verdict in a cell of the table. A law that the operator may overrule has a "?".
func short(v verdict, asked []error) string {
	reasons := []kind[error]{
		{"no revision", errNoDigest}, {"no records", errNoRecords}, {"read before", errRead}, {"replaced", errReplaced}, {"no time", errUntimely}, {"a part", errPart},
		{"emptied", ErrEmptied}, {"shrunk", ErrShrunk}, {"older", ErrOlder}, {"grown", ErrGrown}, {"cut", ErrCut}, {"future", ErrFuture},
	}
	name := func(err error) string {
		return reasons[slices.IndexFunc(reasons, func(r kind[error]) bool { return errors.Is(err, r.is) })].name
	}
	switch {
	case v.decision == confirmed:
		return "same"
	case v.decision == ignored:
		return "(" + name(v.reason) + ")"
	case v.decision == accepted && asked == nil:
		return "yes"
	case v.decision == refused && asked == nil:
		return "NO " + name(v.reason)
	}
	var all []string
	for _, err := range asked {
		all = append(all, name(err))
	}
	return strings.Join(all, ", ") + "?"
}

// TestJudge compares what judge says of each list that is offered beside each list that is held with
// testdata/judge.txt, where people can read it.
func TestJudge(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`What becomes of a list that is offered (rows) beside the list held (columns). The list held was
published on 2026-10-01 and has 1,000 addresses, unless the column says otherwise; it is 2026-10-31.

yes           the list is accepted
same          it confirms the list held
(reason)      it is ignored, and nothing is wrong
NO reason     it is refused, whatever the operator says
reason?       it is suspect: refused, unless the operator accepts each of the reasons

`)
	words := make(map[string]string)
	var order []string
	for _, own := range []bool{false, true} {
		if own {
			b.WriteString("\nA list of the operator's own is never suspect:\n\n")
		}
		heads := heldKinds()
		if own {
			heads = heads[:5]
		}
		for at := 0; at < len(heads); at += 5 {
			columns := heads[at:min(at+5, len(heads))]
			rows := make(map[string][]string)
			each(func(c *comparison) { c.own = own }, func(held, offered string, c *comparison) {
				if !slices.ContainsFunc(columns, func(k kind[sight]) bool { return k.name == held }) {
					return
				}
				var asked []error
				v := judge(c, func(suspect error) bool { asked = append(asked, suspect); return true })
				cell := short(v, asked)
				rows[offered] = append(rows[offered], cell)
				no := judge(c, nil)
				if words[cell] == "" && no.reason != nil {
					words[cell] = no.reason.Error()
					order = append(order, cell)
				}
			})
			line := func(head string, cells []string) {
				text := fmt.Sprintf("%-22s", head)
				for _, cell := range cells {
					text += fmt.Sprintf(" %-16s", cell)
				}
				b.WriteString(strings.TrimRight(text, " ") + "\n")
			}
			var names []string
			for _, k := range columns {
				names = append(names, k.name)
			}
			line("", names)
			for _, o := range offeredKinds() {
				line(o.name, rows[o.name])
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("In words:\n\n")
	for _, cell := range order {
		fmt.Fprintf(&b, "%-16s %s\n", cell, words[cell])
	}
	const file = "testdata/judge.txt"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("judge says other things than %s (%v); if they are right, run the test with -update:\n%s", file, err, b.Bytes())
	}
}

// TestJudgeLaws checks what holds for all lists held and offered.
func TestJudgeLaws(t *testing.T) {
	never := func(error) bool { return false }
	always := func(error) bool { return true }
	each(func(*comparison) {}, func(held, offered string, c *comparison) {
		is := func(what string, got, want any) {
			t.Helper()
			if got != want {
				t.Errorf("%s, and %s is offered: %s: %v, want %v", held, offered, what, got, want)
			}
		}
		before := *c
		no, yes := judge(c, never), judge(c, always)
		is("it was changed", *c, before)
		is("without an operator", judge(c, nil).decision, no.decision)
		is("a reason", no.reason == nil, no.decision == accepted)
		if yes.decision != accepted {
			is("whatever the operator says", yes.decision, no.decision)
		}
		uncounted := *c
		uncounted.counted = false
		early := judge(&uncounted, never)
		if early.decision != accepted {
			is("before it is counted", early.decision, no.decision)
		}
		own := *c
		own.own = true
		if v := judge(&own, func(error) bool { t.Errorf("%s, %s: asked about an own list", held, offered); return false }); v.decision == refused {
			is("an own list", errors.Is(v.reason, errNoDigest) || errors.Is(v.reason, errPart) || errors.Is(v.reason, errUntimely), true)
		}
		// A time to come is no evidence, unless of two seeds.
		if c.held.Revision.Published.After(present) || c.held.read.After(present) {
			undated := *c
			if c.held.Revision.Published.After(present) {
				undated.held.Revision.Published = time.Time{}
			}
			if c.held.read.After(present) {
				undated.held.read = time.Time{}
			}
			if offered != "the same" && !(c.held.Seed && c.offered.Seed) {
				is("with a date to come", judge(&undated, never).decision, no.decision)
			}
		}
		// What can only be worse is not judged milder.
		worse := *c
		worse.lost, worse.held.Most = c.lost+1000, c.held.Most+3000
		if v := judge(&worse, never); no.decision == refused && c.offered.Revision.Digest != "" {
			is("with more lost", v.decision, refused)
		}
	})
}
