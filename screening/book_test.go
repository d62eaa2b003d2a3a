package screening_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// each returns addresses as a Book takes them.
func each(addresses ...address.Address) iter.Seq2[address.Address, error] {
	return func(yield func(address.Address, error) bool) {
		for _, a := range addresses {
			if !yield(a, nil) {
				return
			}
		}
	}
}

func newBook(t testing.TB, addresses ...address.Address) *screening.Book {
	t.Helper()
	b, err := screening.NewBook(each(addresses...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A published list is what the publisher has just now, or an error.
type published struct {
	info    sources.Info
	entries []sources.Entry
	err     error
	edition int
}

func (p *published) Info() sources.Info { return p.info }

func (p *published) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if p.err != nil {
		return sources.Revision{}, p.err
	}
	for _, e := range p.entries {
		if err := add(e); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: fmt.Sprintf("%064x", p.edition), Records: 1 + len(p.entries)}, nil
}

// publish makes entries the next edition.
func (p *published) publish(entries ...sources.Entry) {
	p.entries = entries
	p.edition++
}

// changed returns all changes, by address.
func changed(t testing.TB, b *screening.Book, r screening.Report) map[address.Address]screening.Change {
	t.Helper()
	all := make(map[address.Address]screening.Change)
	for c, err := range b.Changed(r) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[c.Address]; twice {
			t.Errorf("%v comes twice", c.Address)
		}
		all[c.Address] = c
	}
	return all
}

func refresh(t testing.TB, s *screening.Screener) screening.Report {
	t.Helper()
	r, err := s.Refresh(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A lister makes random lists of the addresses of a pool, with few references and
// names, so that much repeats.
type lister struct {
	rng      *rand.Rand
	pool     []address.Address
	literals []string
	kinds    []score.Kind
}

func (l *lister) entry(community bool) sources.Entry {
	kinds := l.kinds
	if community {
		kinds = kinds[2:]
	}
	e := sources.Entry{
		Kind: kinds[l.rng.IntN(len(kinds))], Ref: strconv.Itoa(l.rng.IntN(4)), Name: strconv.Itoa(l.rng.IntN(3)),
		ListedAt: day.AddDate(0, 0, l.rng.IntN(3)),
	}
	if l.rng.IntN(8) == 0 {
		e.Listed = l.literals[l.rng.IntN(len(l.literals))]
		return e
	}
	e.Address = l.pool[l.rng.IntN(len(l.pool))]
	if l.rng.IntN(2) == 0 {
		e.Listed = e.Address.Normalized()
	}
	return e
}

// next returns what a list of these entries may become.
func (l *lister) next(entries []sources.Entry, community bool) []sources.Entry {
	entries = slices.Clone(entries)
	for range l.rng.IntN(8) {
		switch i := l.rng.IntN(len(entries)); l.rng.IntN(5) {
		case 0:
			if len(entries) > 1 {
				entries = slices.Delete(entries, i, i+1)
			}
		case 1: // has another name and another date, which is no other verdict
			entries[i].Name, entries[i].ListedAt = "renamed", day.AddDate(0, 0, 9)
		case 2: // again
			entries = append(entries, entries[i])
		case 3:
			entries[i] = l.entry(community)
		default:
			entries = append(entries, l.entry(community))
		}
	}
	return entries
}

// verdict returns labels without what is no part of a verdict.
func verdict(labels []screening.Label) []screening.Label {
	labels = slices.Clone(labels)
	for i := range labels {
		labels[i].Name, labels[i].AddedAt = "", time.Time{}
	}
	return labels
}

// TestBookModel holds Book and Report against the model, which screens the whole
// book twice: of random books and random changes of lists, every address is found
// that has another verdict, and no other.
func TestBookModel(t *testing.T) {
	pool := valid(t)
	evm := 0
	for _, a := range pool[:len(pool):len(pool)] { // the same 20 bytes on sister chains
		if a.Chain() == "ethereum" {
			for _, c := range []address.Chain{"bsc", "polygon", "ronin"} {
				if b, err := address.Parse(c, a.Normalized()); err == nil {
					pool = append(pool, b)
					evm++
				}
			}
		}
	}
	if evm == 0 {
		t.Fatal("no addresses of sister chains")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	l := &lister{rng, pool, []string{paymentID, "0xa7e5d5a720f06526557c513402f2e6b5fa20b00", "D1Ue9fFD1dUaZ", "example.near"}, score.Latest().Kinds()}
	for _, a := range pool { // strings that nobody told the chain of
		if rng.IntN(10) == 0 {
			l.literals = append(l.literals, a.Normalized())
		}
	}
	dir := t.TempDir()
	found := make(map[score.Match]int)
	for round := range 60 {
		own := make([]address.Address, rng.IntN(200))
		for i := range own {
			own[i] = pool[rng.IntN(len(pool))]
		}
		book := newBook(t, own...)
		if round%2 == 1 {
			path := filepath.Join(dir, "book")
			if err := screening.WriteBook(path, each(own...)); err != nil {
				t.Fatal(err)
			}
			var err error
			if book, err = screening.OpenBook(path); err != nil {
				t.Fatal(err)
			}
		}
		official, reported := &published{info: ofac}, &published{info: community}
		s := newScreener(t, nil, official, reported)
		m := model{ids: []string{ofac.ID, community.ID}, entries: make([][]sources.Entry, 2)}
		for step := range 5 {
			before := model{m.ids, slices.Clone(m.entries), false}
			if step == 0 {
				m.entries[0] = []sources.Entry{l.entry(false)}
				m.entries[1] = []sources.Entry{l.entry(true)}
				for range rng.IntN(40) {
					m.entries[0] = append(m.entries[0], l.entry(false))
					m.entries[1] = append(m.entries[1], l.entry(true))
				}
			} else {
				m.entries[0] = l.next(m.entries[0], false)
				m.entries[1] = l.next(m.entries[1], true)
			}
			official.publish(m.entries[0]...)
			reported.publish(m.entries[1]...)
			got := changed(t, book, refresh(t, s))
			for a := range maps.Keys(got) {
				if !slices.Contains(own, a) {
					t.Fatalf("%v changed, and is not in the book", a)
				}
			}
			for _, a := range own {
				was, is := before.screen(a), m.screen(a)
				c, hit := got[a]
				if want := !cmp.Equal(verdict(was), verdict(is), cmpopts.EquateEmpty()); hit != want {
					t.Fatalf("%v had the labels\n%v, and has\n%v; reported: %v", a, was, is, hit)
				}
				if !hit {
					continue
				}
				if d := cmp.Diff([][]screening.Label{was, is}, [][]screening.Label{c.Before.Labels, c.After.Labels}, cmpopts.EquateEmpty()); d != "" {
					t.Fatalf("labels of %v before and after: -model +real\n%s", a, d)
				}
				if now, err := s.Screen(a); err != nil || !reflect.DeepEqual(now, c.After) {
					t.Fatalf("%v: the change ends with\n%+v, but Screen returns\n%+v, %v", a, c.After, now, err)
				}
				if first := step == 0; first != (c.Before.Level == "") || first != (c.Before.Digest() == "") {
					t.Fatalf("%v: the change %d begins with %+v", a, step, c.Before)
				}
				for _, l := range slices.Concat(was, is) {
					found[l.Match]++
				}
			}
		}
	}
	for _, m := range []score.Match{score.Exact, score.Family, score.Key, score.Literal} {
		if found[m] == 0 {
			t.Errorf("no change by %s was tried: the test proves nothing about it", m)
		}
	}
}
