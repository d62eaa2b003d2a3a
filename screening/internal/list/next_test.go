package list

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/stays"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// entry returns an entry, of one of several forms.
func entry(i int) sources.Entry {
	e := sources.Entry{Kind: score.Sanctioned, Ref: fmt.Sprint(i / 3), Name: "party", Asset: "ETH", FirstSeen: day}
	switch i % 5 {
	case 0:
		e.Listed = fmt.Sprintf("not an address %d", i)
	case 1:
		e.Address = address.MustParse("ethereum", fmt.Sprintf("0x%040x", i))
		e.Listed = "0x" + strings.ToUpper(fmt.Sprintf("%040x", i))
		e.NotListedOn = day.AddDate(0, 0, -1)
	case 2:
		e.Address = address.MustParse("bitcoin", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT")
		e.ListedAt = day.Add(time.Duration(i))
	default:
		e.Address = address.MustParse("bsc", fmt.Sprintf("0x%040x", i))
	}
	return e
}

// follow returns the list after held that has the given entries, and says that it had others.
func follow(t *testing.T, held *List, to uint32, entries []sources.Entry, ended ...sources.Entry) (*List, Changes) {
	t.Helper()
	w := stays.NewWriter(0)
	for _, e := range entries {
		if err := w.Add(&stays.Stay{Entry: stays.Normal(e)}); err != nil {
			t.Fatal(err)
		}
	}
	offer, err := w.File(stays.Header{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, c, err := Next(stays.Header{Source: "TEST", Last: to, After: uint64(to) * 10, Written: day}, held, &Offer{
		Entries: offer, N: len(entries),
		Ended: ended, Checked: day.AddDate(1, 0, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, c
}

// again returns the list that is opened from the file of l, as it was after acceptance n.
func again(t *testing.T, l *List, n uint32) *List {
	t.Helper()
	name, data, err := l.File().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	f, err := stays.Parse(name, data)
	if err == nil {
		f, err = f.Cut(n, sources.Revision{})
	}
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Build(f, func(sources.Entry) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// normal returns entries as a file has them.
func normal(all []sources.Entry) (out []sources.Entry) {
	for _, e := range all {
		out = append(out, stays.Normal(e))
	}
	return out
}

// listed returns the entries of l, in their order.
func listed(t *testing.T, l *List) (all []sources.Entry) {
	t.Helper()
	for e, err := range l.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// key orders entries.
func key(a, b sources.Entry) int {
	return strings.Compare(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
}

// TestBytes checks that a list counts the memory for the entries that it no longer has.
func TestBytes(t *testing.T) {
	var all []sources.Entry
	for i := range 2000 {
		all = append(all, entry(5*i))
	}
	l, _ := follow(t, nil, 1, all)
	next, _ := follow(t, l, 2, all[:1000])
	if next.Bytes < l.Bytes*3/4 {
		t.Errorf("%d bytes of a list that has lost half of its entries, %d before", next.Bytes, l.Bytes)
	}
}

// TestHistory makes a history of many lists at random, each from the one before or from its bytes: the file answers
// for each acceptance that it covers, the list knows what has ended, and counts what has changed.
func TestHistory(t *testing.T) {
	before := spare
	spare = 10
	defer func() { spare = before }()
	r := rand.New(rand.NewPCG(1, 2))
	var l *List
	var lists [][]sources.Entry
	ever := make(map[sources.Entry]bool)
	ranges := 0
	for n := uint32(1); n <= 60; n++ {
		var entries []sources.Entry
		for i := range 40 {
			if r.IntN(4) > 0 {
				e := entry(i)
				if i%4 == 0 && r.IntN(3) == 0 {
					e.Name = "renamed"
				}
				entries = append(entries, e)
			}
		}
		if n%7 == 0 {
			entries = append(entries, entries[3]) // repeated
		}
		r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		had, first := make(map[sources.Entry]bool), uint32(0)
		if l != nil {
			first = l.File().First
			for _, e := range lists[n-2] {
				had[e.Canonical()] = true
			}
		}
		next, c := follow(t, l, n, entries)
		lists = append(lists, normal(entries))
		added, now := 0, make(map[sources.Entry]bool)
		for _, e := range entries {
			if e := e.Canonical(); !now[e] {
				now[e] = true
				if !had[e] {
					added++
				}
			}
		}
		if removed := len(had) + added - len(now); c.Added != added || c.Removed != removed || next.Distinct() != len(now) {
			t.Errorf("acceptance %d: %+v, %d distinct, want %d added, %d removed, %d distinct", n, c, next.Distinct(), added, removed, len(now))
		}
		if next.File().First != first {
			ranges++
		}
		opened := again(t, next, n)
		for m := next.File().First; m <= n; m++ {
			was := again(t, next, m)
			got, want := listed(t, was), slices.Clone(lists[m-1])
			if m == n && (!slices.Equal(got, want) || !slices.Equal(listed(t, next), want)) {
				t.Fatalf("acceptance %d has %d entries, want %d in their order", n, len(got), len(want))
			}
			slices.SortFunc(got, key)
			slices.SortFunc(want, key)
			if got, want = slices.Compact(got), slices.Compact(want); !slices.Equal(got, want) {
				t.Fatalf("after acceptance %d: acceptance %d has %d entries, want %d", n, m, len(got), len(want))
			}
		}
		for e := range now {
			ever[e] = true
		}
		for e := range ever {
			first := firstKey(&e)
			for what, l := range map[string]*List{"made": next, "opened": opened} {
				if !l.had(stays.RecordOf(&e), &first) {
					t.Fatalf("after acceptance %d, the list that was %s has forgotten %v", n, what, e)
				}
			}
		}
		if l = next; n%5 == 0 {
			l = opened
		}
	}
	if ranges < 3 {
		t.Errorf("%d ranges, want several", ranges)
	}
}

// TestPast has one entry end after the other: the past has each entry once.
func TestPast(t *testing.T) {
	const n = 300
	var all []sources.Entry
	for i := range n {
		all = append(all, entry(5*i+3))
	}
	var l *List
	for i := range n {
		l, _ = follow(t, l, uint32(i+1), all[i:])
		if i > 0 && l.Past().Entries != i {
			t.Errorf("%d have ended, want %d", l.Past().Entries, i)
		}
	}
}

// TestNextDropsWhatTheJournalNeverHad continues from an earlier acceptance than the last of a file.
func TestNextDropsWhatTheJournalNeverHad(t *testing.T) {
	l, _ := follow(t, nil, 1, []sources.Entry{entry(1), entry(2)})
	ahead, _ := follow(t, l, 2, []sources.Entry{entry(2), entry(3)})
	l, _ = follow(t, again(t, ahead, 1), 2, []sources.Entry{entry(1), entry(4)})
	var ended []sources.Entry
	for s, err := range l.File().All() {
		if err != nil {
			t.Fatal(err)
		}
		if s.Out != 0 {
			ended = append(ended, s.Entry)
		}
	}
	if got := listed(t, l); !slices.Equal(got, normal([]sources.Entry{entry(1), entry(4)})) || len(ended) != 1 || ended[0].Canonical() != entry(2).Canonical() {
		t.Errorf("listed %v, ended %v", got, ended)
	}
}

// TestEnded tells lists of entries that they say they had: each is kept once.
func TestEnded(t *testing.T) {
	had := entry(3)
	had.Until = day.AddDate(0, 0, 5)
	var l *List
	for n := range uint32(3) {
		l, _ = follow(t, l, n+1, []sources.Entry{entry(1)}, had)
	}
	if n := l.Past().Entries; n != 1 {
		t.Errorf("the past has %d entries, want one", n)
	}
}

// TestOneAddress offers lists with many entries of one address: more than 1,000 that differ are an
// error, repetitions are not.
func TestOneAddress(t *testing.T) {
	offer := func(n, distinct int) error {
		w := stays.NewWriter(0)
		for i := range n {
			e := sources.Entry{Kind: score.Scam, Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", 1)), Name: fmt.Sprint(i * distinct / n), FirstSeen: day}
			if err := w.Add(&stays.Stay{Entry: e}); err != nil {
				t.Fatal(err)
			}
		}
		f, err := w.File(stays.Header{}, nil, nil)
		if err == nil {
			_, _, err = Next(stays.Header{Source: "TEST", Last: 1, Written: day}, nil, &Offer{Entries: f, N: n})
		}
		return err
	}
	if err := offer(2*maxAlike, maxAlike); err != nil {
		t.Error(err)
	}
	if err := offer(maxAlike+2, maxAlike+2); err == nil || !strings.Contains(err.Error(), "more than 1000 entries of the address \"0x0000000000000000000000000000000000000001\"") {
		t.Errorf("%d entries of one address: %v", maxAlike+2, err)
	}
}
