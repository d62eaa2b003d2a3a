package stays

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

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

func never(*sources.Entry) time.Time { return day.AddDate(1, 0, 0) }

func next(t *testing.T, f *File, held, to uint32, listed []sources.Entry) *File {
	t.Helper()
	g, err := f.Next(held, Header{Source: "TEST", Last: to, After: uint64(to) * 10, Written: day}, listed, nil, never)
	if err != nil {
		t.Fatal(err)
	}
	name, data, err := g.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Parse(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// at returns the entries of acceptance n, and those that had ended.
func at(t *testing.T, f *File, n uint32) (listed, ended []sources.Entry) {
	t.Helper()
	for e, err := range f.At(n) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Until.IsZero():
			listed = append(listed, e)
		default:
			ended = append(ended, e)
		}
	}
	return listed, ended
}

func normal(all []sources.Entry) (out []sources.Entry) {
	for _, e := range all {
		out = append(out, Normal(e))
	}
	return out
}

// key orders entries.
func key(a, b sources.Entry) int {
	return strings.Compare(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
}

// TestHistory makes a history of many lists at random, through bytes: the file answers for each
// acceptance that it covers, and knows what has ended.
func TestHistory(t *testing.T) {
	before := spare
	spare = 10
	defer func() { spare = before }()
	r := rand.New(rand.NewPCG(1, 2))
	var f *File
	var lists [][]sources.Entry
	ever := make(map[sources.Entry]bool)
	ranges := 1
	for n := uint32(1); n <= 60; n++ {
		var list []sources.Entry
		for i := range 40 {
			if r.IntN(4) > 0 {
				list = append(list, entry(i))
			}
		}
		if n%7 == 0 {
			list = append(list, list[3]) // repeated
		}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		first := uint32(0)
		if f != nil {
			first = f.First
		}
		f = next(t, f, n-1, n, list)
		lists = append(lists, normal(list))
		if f.First != first {
			ranges++
		}
		if got, _ := at(t, f, n); !slices.Equal(got, lists[n-1]) {
			t.Fatalf("acceptance %d has %d entries, want %d in their order", n, len(got), len(list))
		}
		for m := f.First; m <= n; m++ {
			got, _ := at(t, f, m)
			want := slices.Clone(lists[m-1])
			slices.SortFunc(got, key)
			slices.SortFunc(want, key)
			if got, want = slices.Compact(got), slices.Compact(want); !slices.Equal(got, want) {
				t.Fatalf("after acceptance %d: acceptance %d has %d entries, want %d", n, m, len(got), len(want))
			}
		}
		for _, e := range lists[n-1] {
			ever[e.Canonical()] = true
		}
		known := make(map[sources.Entry]bool)
		for s, err := range f.All() {
			if err != nil {
				t.Fatal(err)
			}
			known[s.Canonical()] = true
		}
		for e := range ever {
			if !known[e] {
				t.Fatalf("after acceptance %d, %v is forgotten", n, e)
			}
		}
	}
	if ranges < 3 {
		t.Errorf("%d ranges, want several", ranges)
	}
}

// TestNextDropsWhatTheJournalNeverHad continues from an earlier acceptance than the last of a file.
func TestNextDropsWhatTheJournalNeverHad(t *testing.T) {
	f := next(t, nil, 0, 1, []sources.Entry{entry(1), entry(2)})
	g := next(t, f, 1, 2, []sources.Entry{entry(2), entry(3)})
	again := next(t, g, 1, 2, []sources.Entry{entry(1), entry(4)})
	listed, ended := at(t, again, 2)
	if !slices.Equal(listed, normal([]sources.Entry{entry(1), entry(4)})) || len(ended) != 1 || ended[0].Canonical() != entry(2).Canonical() {
		t.Errorf("listed %v, ended %v", listed, ended)
	}
}

// TestEnded tells a file of entries that the list says it had: each is kept once.
func TestEnded(t *testing.T) {
	had := entry(3)
	had.Until = day.AddDate(0, 0, 5)
	var f *File
	for n := range uint32(3) {
		var err error
		f, err = f.Next(n, Header{Source: "TEST", Last: n + 1}, []sources.Entry{entry(1)}, []sources.Entry{had}, never)
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, ended := at(t, f, 3); len(ended) != 1 || !ended[0].Until.Equal(had.Until) {
		t.Errorf("ended %v", ended)
	}
}

// TestDamage changes each byte of a file: it is an error.
func TestDamage(t *testing.T) {
	f := next(t, nil, 0, 1, []sources.Entry{entry(0), entry(1), entry(2), entry(3)})
	name, data, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		other := slices.Clone(data)
		other[i] ^= 4
		if _, err := Parse(name, other); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if _, err := Parse(name, data[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: %v", i, err)
		}
		if g, err := Parse("", other); err == nil { // without a sum it may be read, without a panic
			for range g.All() {
			}
		}
	}
	later := strings.Replace(string(data), magic+version, magic+"2", 1)
	if _, err := Parse(Name{"TEST", 1, 1, 10, sumOf([]byte(later))}.String(), []byte(later)); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}

func TestName(t *testing.T) {
	n := Name{"OFAC_SDN", 1, 17, 2044, strings.Repeat("0a", 16)}
	if got, ok := ParseName(n.String()); !ok || got != n || !got.Has("OFAC_SDN", 17) || got.Has("OFAC_SDN", 18) || got.Has("OTHER", 3) {
		t.Errorf("%s: %+v, %v", n, got, ok)
	}
	for _, bad := range []string{"", "journal", n.String() + "x", "a" + n.String(), strings.Replace(n.String(), "-17-", "-017-", 1), "../" + n.String()} {
		if got, ok := ParseName(bad); ok {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}
