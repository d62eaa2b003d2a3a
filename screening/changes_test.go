package screening_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/book"
	"github.com/walletscreen/walletscreen/sources"
)

// each returns addresses as an argument of book.New.
func each(addresses ...address.Address) iter.Seq2[address.Address, error] {
	return func(yield func(address.Address, error) bool) {
		for _, a := range addresses {
			if !yield(a, nil) {
				return
			}
		}
	}
}

func newBook(t testing.TB, addresses ...address.Address) *book.Book {
	t.Helper()
	b, err := book.New(each(addresses...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A published list returns its current edition, or an error.
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
func changed(t testing.TB, b *book.Book, r screening.Report) map[address.Address]book.Change {
	t.Helper()
	all := make(map[address.Address]book.Change)
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

// A lister makes random lists from a pool of addresses, with few references and names,
// so that many repeat.
type lister struct {
	rng      *rand.Rand
	pool     []address.Address
	literals []string
	kinds    []score.Kind
}

func (l *lister) entry(community bool) sources.Entry {
	kinds := l.kinds
	if community {
		kinds = kinds[3:]
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

// next returns a random successor of a list with these entries.
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

// verdict returns labels without the fields that are not part of a verdict.
func verdict(labels []screening.Label) []screening.Label {
	labels = slices.Clone(labels)
	for i := range labels {
		labels[i].Name, labels[i].AddedAt = "", time.Time{}
	}
	return labels
}

// verdictOf returns the verdict of the labels of r and of its suppressed labels.
func verdictOf(r screening.Result) [2][]screening.Label {
	var suppressed []screening.Label
	for _, l := range r.Suppressed {
		suppressed = append(suppressed, l.Label)
	}
	return [2][]screening.Label{verdict(r.Labels), verdict(suppressed)}
}

// TestBookModel compares Book and Report with the model, which screens the whole book
// twice. For random books and random changes of lists, Changed must return exactly the
// addresses whose verdict has changed.
func TestBookModel(t *testing.T) {
	longtest.WithoutRace(t)
	pool := vectors.Addresses(t, "..")
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
	l := &lister{rng, pool, []string{paymentID, "0xa7e5d5a720f06526557c513402f2e6b5fa20b00", "D1Ue9fFD1dUaZ", "example.near"}, score.Latest().Kinds()[1:]}
	for _, a := range pool { // strings without a chain
		if rng.IntN(10) == 0 {
			l.literals = append(l.literals, a.Normalized())
		}
	}
	found := make(map[score.Match]int)
	for range longtest.N(2, 30) {
		own := make([]address.Address, rng.IntN(200))
		for i := range own {
			own[i] = pool[rng.IntN(len(pool))]
		}
		mine := newBook(t, own...)
		official, reported := &published{info: ofac}, &published{info: community}
		m := model{ids: []string{ofac.ID, community.ID}, entries: make([][]sources.Entry, 2)}
		s := newScreener(t, &screening.Options{Accept: func(_ string, reason error, _, _ screening.SourceStatus) bool {
			return errors.Is(reason, screening.ErrShrunk)
		}}, official, reported)
		for step := range 5 {
			before := m
			before.entries = slices.Clone(m.entries)
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
			got := changed(t, mine, refresh(t, s))
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
				if d := cmp.Diff([][]screening.Label{was, is}, [][]screening.Label{c.Before.Labels, c.After.Labels}, cmpopts.EquateEmpty(),
					cmpopts.IgnoreFields(screening.Label{}, "NotListedOn")); d != "" {
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

// TestBookNeedsAllLists checks that Changed returns an error until all required lists
// are loaded, and then every address with a label.
func TestBookNeedsAllLists(t *testing.T) {
	own := address.MustParse("bsc", lazarus)
	official, reported := &published{info: ofac}, &published{info: community, err: errDown}
	official.publish(sanctioned("ethereum", lazarus, "1"))
	mine := newBook(t, own, address.MustParse("ethereum", clean))
	s := newScreener(t, nil, official, reported)
	for range 2 { // the second time, nothing is new
		report, err := s.Refresh(ctx)
		if !errors.Is(err, errDown) {
			t.Fatal(err)
		}
		for c, err := range mine.Changed(report) {
			if !errors.Is(err, screening.ErrNotLoaded) || c.Address.IsValid() {
				t.Errorf("before all lists are there: %+v, %v", c, err)
			}
		}
	}
	reported.publish(sources.Entry{Address: address.MustParse("ethereum", "0x"+strings.Repeat("1", 40)), Kind: score.Scam})
	reported.err = nil
	got := changed(t, mine, refresh(t, s))
	if len(got) != 1 || got[own].After.Level != score.Critical || got[own].Before.Level != "" {
		t.Errorf("when all lists are there: %+v", got)
	}
	if got := changed(t, mine, refresh(t, s)); len(got) != 0 {
		t.Errorf("though nothing is new: %+v", got)
	}
	for _, err := range mine.Changed(screening.Report{}) {
		if err == nil {
			t.Error("a change by no refresh")
		}
	}
}

// TestBookOptionalList opens an optional list from the store after the others and
// checks that the report covers its addresses.
func TestBookOptionalList(t *testing.T) {
	dir := t.TempDir()
	own := address.MustParse("ethereum", lazarus)
	scam := sources.Entry{Address: own, Kind: score.Scam}
	reported := &published{info: community, err: errDown}
	official := &published{info: ofac}
	official.publish(sanctioned("ethereum", clean, "1"))
	mine := newBook(t, own)
	s := newScreener(t, &screening.Options{Store: openStore(t, dir), Optional: []string{community.ID}}, official, reported)
	report, _ := s.Refresh(ctx)
	if got := changed(t, mine, report); len(got) != 0 {
		t.Errorf("without the optional list: %+v", got)
	}
	other := &published{info: community}
	other.publish(scam)
	refresh(t, newScreener(t, &screening.Options{Store: openStore(t, dir)}, other))
	report, _ = s.Refresh(ctx)
	got := changed(t, mine, report)
	if c := got[own]; len(got) != 1 || c.Before.Level != score.CleanNoMatch || c.After.Level != score.High {
		t.Errorf("with the optional list: %+v", got)
	}
	if r := report.Sources[1]; r.Added != 0 || r.Removed != 0 || r.Entries != 1 {
		t.Errorf("a list that came out of the store is reported as %+v", r)
	}
}

// TestBookPartReplaced replaces a partial list by a whole list from the store, in a
// refresh whose load fails.
func TestBookPartReplaced(t *testing.T) {
	dir := t.TempDir()
	official := &published{info: ofac}
	official.publish(sanctioned("ethereum", lazarus, "1"))
	src := &live{now: partOf(listing(1))}
	mine := newBook(t, listing(1).Address, listing(2).Address, listing(9).Address)
	s := newScreener(t, &screening.Options{Store: openStore(t, dir), Optional: []string{partInfo.ID}}, official, src)
	if got := changed(t, mine, refresh(t, s)); len(got) != 1 {
		t.Fatalf("with a part: %+v", got)
	}
	src.now = nil
	refresh(t, newScreener(t, &screening.Options{Store: openStore(t, dir)}, sources.Static(partInfo, upTo(3)...)))
	report, err := s.Refresh(ctx)
	if got := changed(t, mine, report); !errors.Is(err, errDown) || len(got) != 1 || got[listing(2).Address].After.Level != score.Critical {
		t.Errorf("with the whole out of the store: %+v, %v", got, err)
	}
}

// TestBookExceptions checks that changed exceptions count as changes.
func TestBookExceptions(t *testing.T) {
	var told []screening.Report
	list := &published{info: ofac}
	bsc, btc := address.MustParse("bsc", lazarus), address.MustParse("bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")
	list.publish(sanctioned("ethereum", lazarus, "1"), sanctioned("bitcoin", btc.Normalized(), "2"))
	s := newScreener(t, &screening.Options{Report: func(r screening.Report) { told = append(told, r) }}, list)
	mine := newBook(t, bsc, btc, address.MustParse("ethereum", clean))
	refresh(t, s)
	other := except("ethereum", lazarus)
	other.Reason = "another"
	for i, tt := range []struct {
		set  []screening.Exception
		want map[address.Address]score.Level // after
	}{
		{[]screening.Exception{except("ethereum", lazarus), except("polygon", clean)}, map[address.Address]score.Level{bsc: score.CleanNoMatch}},
		{[]screening.Exception{other}, nil},
		{[]screening.Exception{except("bitcoin", btc.Normalized())}, map[address.Address]score.Level{bsc: score.Critical, btc: score.CleanNoMatch}},
		{nil, map[address.Address]score.Level{btc: score.Critical}},
	} {
		if err := s.SetExceptions(ctx, tt.set); err != nil {
			t.Fatal(err)
		}
		if len(told) != i+2 || told[i+1].Sources != nil {
			t.Fatalf("%d: told of %d reports", i, len(told))
		}
		got := changed(t, mine, told[i+1])
		for a, level := range tt.want {
			if c := got[a]; c.After.Level != level || c.Before.Level == level || len(c.Before.Suppressed)+len(c.After.Suppressed) != 1 {
				t.Errorf("%d: %v: %+v, want %s now", i, a, c, level)
			}
		}
		if len(got) != len(tt.want) {
			t.Errorf("%d: %+v, want %v", i, got, tt.want)
		}
	}

	// The exception is added while a list loads that adds its account.
	list.publish(append(list.entries, sanctioned("ethereum", clean, "3"))...)
	s = newScreener(t, nil, &excepting{list, func() { s.SetExceptions(ctx, []screening.Exception{except("bsc", clean)}) }})
	if got := changed(t, mine, refresh(t, s)); len(got) != 3 || got[address.MustParse("ethereum", clean)].After.Suppressed == nil {
		t.Errorf("excepted while loaded: %+v", got)
	}
}

// An excepting source calls a function before it loads.
type excepting struct {
	sources.Source
	do func()
}

func (e *excepting) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	e.do()
	return e.Source.Load(ctx, prev, add)
}

// TestReport checks that a report has the added and removed entries, in the order of their lists.
func TestReport(t *testing.T) {
	var told []screening.Report
	list := &published{info: ofac}
	s := newScreener(t, &screening.Options{Accept: acceptAll, Report: func(r screening.Report) { told = append(told, r) }}, list)
	e := func(n int) sources.Entry {
		return sources.Entry{Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", n)), Kind: score.Sanctioned}
	}
	renamed := e(1)
	renamed.Name, renamed.ListedAt = "another", day
	for i, tt := range []struct {
		list           []sources.Entry
		added, removed []sources.Entry
		unchanged      bool
	}{
		{list: []sources.Entry{e(1), e(2), e(2), e(3)}, added: []sources.Entry{e(1), e(2), e(3)}},
		{list: []sources.Entry{e(1), e(2), e(2), e(3)}, unchanged: true},
		{list: []sources.Entry{renamed, e(2), e(3)}},
		{list: []sources.Entry{e(3), e(4), e(1), e(5), e(4)}, added: []sources.Entry{e(4), e(5)}, removed: []sources.Entry{e(2)}},
		{list: []sources.Entry{e(6), e(2)}, added: []sources.Entry{e(6), e(2)}, removed: []sources.Entry{e(3), e(4), e(1), e(5)}},
	} {
		if list.entries = tt.list; !tt.unchanged {
			list.edition++
		}
		report := refresh(t, s)
		r := report.Sources[0]
		if !sameEntries(t, r.AllAdded(), tt.added) || !sameEntries(t, r.AllRemoved(), tt.removed) ||
			r.Added != len(tt.added) || r.Removed != len(tt.removed) || r.Entries != len(tt.list) || r.Unchanged != tt.unchanged || r.Err != nil {
			t.Errorf("refresh %d: %+v, want %+v", i, r, tt)
		}
		if len(told) != i+1 || !reflect.DeepEqual(told[i], report) {
			t.Errorf("refresh %d: told of %d reports", i, len(told))
		}
	}
	list.entries = []sources.Entry{{Kind: score.Sanctioned, Ref: "7"}}
	report, err := s.Refresh(ctx)
	if r := report.Sources[0]; err == nil || r.Err == nil || r.Added != 0 || r.Removed != 0 || r.Entries != 2 {
		t.Errorf("a list that is refused is reported as %+v, %v", r, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	list.err = context.Canceled
	if report, err := s.Refresh(ended); !errors.Is(err, context.Canceled) || len(changed(t, newBook(t, e(6).Address), report)) != 0 {
		t.Errorf("a refresh whose context has ended: %v", err)
	}
}

// TestRunReports loads several sources on separate schedules. The changes of a book,
// applied in order, must lead to the final results of Screen.
func TestRunReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := func(info sources.Info, takes time.Duration, kind score.Kind) *slow {
			edition := 0
			rng := rand.New(rand.NewPCG(5, uint64(takes)))
			return &slow{info: info, takes: takes, load: func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				edition++
				if edition%4 == 3 {
					return sources.Revision{}, errDown
				}
				rev, err := numbered(edition, rng.Perm(30)[:10]...)(prev, func(e sources.Entry) error {
					e.Kind = kind
					return add(e)
				})
				return rev, err
			}}
		}
		third := sources.Info{ID: "THIRD", Name: "Third", Jurisdiction: sources.EU}
		var own []address.Address
		for n := range 40 {
			for _, c := range []address.Chain{"ethereum", "bsc"} {
				own = append(own, address.MustParse(c, fmt.Sprintf("0x%040x", n)))
			}
		}
		mine := newBook(t, own...)
		verdicts := make(map[address.Address][2][]screening.Label)
		reports, answered, changes, excepted := 0, false, 0, 0
		report := func(r screening.Report) {
			reports++
			for c, err := range mine.Changed(r) {
				if errors.Is(err, screening.ErrNotLoaded) && !answered {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if answered == (c.Before.Level == "") || !reflect.DeepEqual(verdictOf(c.Before), verdicts[c.Address]) {
					t.Errorf("%v had the labels\n%v; the change begins with\n%+v", c.Address, verdicts[c.Address], c.Before)
				}
				verdicts[c.Address] = verdictOf(c.After)
				changes++
				excepted += len(c.After.Suppressed)
			}
			answered = true
		}
		s := newScreener(t, &screening.Options{
			Report:   report,
			Schedule: map[string]screening.Schedule{ofac.ID: {Every: time.Minute}, community.ID: {Every: time.Minute}},
		}, source(ofac, time.Second, score.Sanctioned), source(community, time.Second, score.Scam), source(third, time.Minute, score.Sanctioned))
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(7, 8))
			for ctx.Err() == nil {
				time.Sleep(150 * time.Second)
				var set []screening.Exception
				for _, n := range rng.Perm(40)[:8] {
					set = append(set, except("bsc", fmt.Sprintf("0x%040x", n)))
				}
				if err := s.SetExceptions(ctx, set); err != nil {
					t.Error(err)
				}
			}
		})
		if err := s.Run(ctx, 7*time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		wg.Wait()
		if reports < 120 || changes < 100 || excepted < 50 {
			t.Errorf("%d changes in %d reports, %d suppressed labels: the test proves nothing", changes, reports, excepted)
		}
		for _, a := range own {
			if r, err := s.Screen(a); err != nil || !reflect.DeepEqual(verdictOf(r), verdicts[a]) {
				t.Errorf("%v has the labels\n%v, %v; after all changes\n%v", a, verdictOf(r), err, verdicts[a])
			}
		}
	})
}

// TestBookOfNothing checks which addresses New refuses, and that an error in addresses
// stops it.
func TestBookOfNothing(t *testing.T) {
	failing := func(yield func(address.Address, error) bool) {
		if yield(address.MustParse("ethereum", clean), nil) {
			yield(address.Address{}, errDown)
		}
	}
	if b, err := book.New(failing); b != nil || !errors.Is(err, errDown) {
		t.Errorf("New: %v, %v; want %v", b, err, errDown)
	}
	if b, err := book.New(each(address.MustParse("ethereum", clean), address.Address{})); b != nil || err == nil {
		t.Errorf("New of the zero Address: %v, %v; want an error", b, err)
	}
	list := &published{info: ofac}
	list.publish(sanctioned("ethereum", lazarus, "1"))
	report := refresh(t, newScreener(t, nil, list))
	if got := changed(t, newBook(t), report); len(got) != 0 {
		t.Errorf("an empty book has changes: %v", got)
	}
	for _, err := range newBook(t, address.MustParse("ethereum", clean)).Changed(screening.Report{}) {
		if err == nil {
			t.Error("the zero Report is not an error")
		}
	}
}

// BenchmarkBook looks up a change of a hundred entries, ten of them in the book.
func BenchmarkBook(b *testing.B) {
	const entries = 100
	listed := make([]sources.Entry, entries)
	for i, s := range randomEVM(entries, 1) {
		listed[i] = sources.Entry{Address: address.MustParse("ethereum", s), Kind: score.Sanctioned}
	}
	list := &published{info: ofac}
	list.publish(sanctioned("ethereum", lazarus, "1"))
	s := newScreener(b, nil, list)
	refresh(b, s)
	list.publish(append(listed, list.entries...)...)
	report := refresh(b, s)
	for _, chain := range []address.Chain{"ethereum", "bitcoin"} {
		for _, n := range []int{1_000, 1_000_000} {
			own := make([]address.Address, n)
			for i, s := range randomEVM(n, 2) {
				if own[i] = address.MustParse("ethereum", s); chain == "bitcoin" {
					raw, _ := hex.DecodeString(s[2:])
					own[i] = address.MustParse("bitcoin", bech32.Encode("bc", append([]byte{0}, bech32.Unpack(nil, raw)...), bech32.Bech32))
				}
			}
			for i := range 10 {
				own[i] = listed[i].Address
			}
			mine := newBook(b, own...)
			b.Run(fmt.Sprintf("%s/n=%d/changed", chain, n), func(b *testing.B) {
				for b.Loop() {
					if got := changed(b, mine, report); len(got) != 10 {
						b.Fatal(len(got))
					}
				}
			})
		}
	}
}

// TestBookRestart restarts a program. Its first report has what has changed since the program
// before, whether this program or one that only loads lists has accepted it.
func TestBookRestart(t *testing.T) {
	told := address.MustParse("ethereum", lazarus)
	news := address.MustParse("ethereum", clean)
	mine := newBook(t, told, news)
	for name, first := range map[string]func(*screening.Screener) (screening.Report, error){
		"Open":    func(s *screening.Screener) (screening.Report, error) { return s.Open(ctx) },
		"Refresh": func(s *screening.Screener) (screening.Report, error) { return s.Refresh(ctx) },
	} {
		list := &published{info: ofac}
		list.publish(sanctioned("ethereum", lazarus, "1"), sanctioned("ethereum", "0x"+strings.Repeat("11", 20), "2"))
		opts := &screening.Options{Store: openStore(t, t.TempDir())}
		if got := changed(t, mine, refresh(t, newScreener(t, opts, list))); len(got) != 1 || got[told].Before.Level != "" {
			t.Fatalf("%s: at the first start: %+v", name, got)
		}
		again := func(want int) map[address.Address]book.Change {
			t.Helper()
			s := newScreener(t, opts, list)
			if err := s.SetExceptions(ctx, nil); err != nil {
				t.Error(err)
			}
			report, err := first(s)
			if err != nil {
				t.Error(err)
			}
			got := changed(t, mine, report)
			if name == "Open" {
				maps.Copy(got, changed(t, mine, refresh(t, s)))
			}
			if len(got) != want {
				t.Errorf("%s: after a restart: %+v, want %d", name, got, want)
			}
			return got
		}
		again(0)
		list.publish(sanctioned("ethereum", lazarus, "1"), sanctioned("ethereum", clean, "3"))
		if c := again(1)[news]; c.Before.Level != score.CleanNoMatch || c.After.Level != score.Critical {
			t.Errorf("%s: what was listed while no program ran: %+v", name, c)
		}
		again(0)
		list.publish(sanctioned("ethereum", clean, "3"), sanctioned("ethereum", "0x"+strings.Repeat("22", 20), "4"))
		refresh(t, newScreener(t, &screening.Options{Store: opts.Store, LoadOnly: true}, list))
		if c := again(1)[told]; c.Before.Level != score.Critical || c.After.Level != score.CleanNoMatch {
			t.Errorf("%s: what a program that only loads lists has dropped: %+v", name, c)
		}
		again(0)
	}
}

// TestBookRestartFails restarts a program whose store fails at first. Its first report with answers has what has changed since the
// program before.
func TestBookRestartFails(t *testing.T) {
	for name, faultOf := range map[string]func(*faultyStore) *error{
		"Read":  func(st *faultyStore) *error { return &st.read },
		"Open":  func(st *faultyStore) *error { return &st.open },
		"Names": func(st *faultyStore) *error { return &st.list },
	} {
		mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1, 2, 3)}
		refresh(t, newScreener(t, &screening.Options{Store: mem}, src))
		st := &faultyStore{Store: mem}
		*faultOf(st) = errUnreliable
		s := newScreener(t, &screening.Options{Store: st}, src)
		s.Open(ctx)
		s.Refresh(ctx) // what it loads matches, and nothing is held
		*faultOf(st) = nil
		src.load = numbered(2, 1, 2)
		dropped := listing(3).Address
		got := changed(t, newBook(t, dropped), refresh(t, s))
		if c := got[dropped]; len(got) != 1 || c.Before.Level != score.Critical || c.After.Level != score.CleanNoMatch {
			t.Errorf("%s: %+v, want what was dropped", name, got)
		}
	}
}
