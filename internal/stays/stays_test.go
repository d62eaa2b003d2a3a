package stays

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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

// through returns f as it is read from its bytes.
func through(t *testing.T, f *File, err error) *File {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	name, data, err := f.Bytes()
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
	f, err := f.Cut(n, sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range f.All() {
		switch {
		case err != nil:
			t.Fatal(err)
		case s.Out == 0:
			listed = append(listed, s.Entry)
		default:
			ended = append(ended, s.Entry)
		}
	}
	return listed, ended
}

// TestDigest checks that the Sum is over all hashes, each once and in order, whatever their number.
func TestDigest(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 150_000} { // the last has parts that are divided again
		var d Digest
		d.Grow(n / 2)
		var hashes [][]byte
		for i := range n {
			said := fmt.Append(nil, i/3*2) // most come again
			d.Add(said)
			hash := sha256.Sum256(said)
			hashes = append(hashes, hash[:])
		}
		slices.SortFunc(hashes, bytes.Compare)
		sum := sha256.Sum256(bytes.Join(slices.CompactFunc(hashes, bytes.Equal), nil))
		if got, want := d.Sum(), hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestEnded makes a file that follows another one: the bytes of the stays that ended are copied, and read with
// those that end now; Cut is the file before.
func TestEnded(t *testing.T) {
	stay := func(i int, in, out uint32) Stay {
		s := Stay{Entry: Normal(entry(i)), In: in, Out: out}
		if out != 0 {
			s.Until = day.AddDate(0, 0, int(out))
		}
		return s
	}
	h := Header{Source: "TEST", First: 1, Last: 2, After: 10, Written: day}
	f, err := New(h, []Stay{stay(0, 1, 2), stay(1, 1, 0), stay(3, 1, 2), stay(4, 2, 0)})
	f = through(t, f, err)
	w := NewWriter(0)
	s := stay(4, 2, 0)
	if err := w.Add(&s); err != nil {
		t.Fatal(err)
	}
	h.Last = 3
	g, err := w.File(h, f, []Stay{stay(1, 1, 3)})
	g = through(t, g, err)
	var all []Stay
	for s, err := range g.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if want := []Stay{stay(4, 2, 0), stay(0, 1, 2), stay(3, 1, 2), stay(1, 1, 3)}; !slices.Equal(all, want) {
		t.Errorf("all %v, want %v", all, want)
	}
	for n, want := range map[uint32][]int{1: {1, 0, 3}, 2: {4, 1}, 3: {4}} {
		cut, err := g.Cut(n, sources.Revision{})
		listed, ended := at(t, through(t, cut, err), n)
		if len(listed) != len(want) || len(listed)+len(ended) != map[uint32]int{1: 3, 2: 4, 3: 4}[n] {
			t.Errorf("acceptance %d: listed %v, ended %v, want %v", n, listed, ended, want)
		}
		for k, i := range want {
			if k < len(listed) && !slices.Contains(listed, Normal(entry(i))) {
				t.Errorf("acceptance %d: listed %v, want entry %d", n, listed, i)
			}
		}
	}
}

// TestDamage changes each byte of a file: it is an error.
func TestDamage(t *testing.T) {
	f, err := New(Header{Source: "TEST", First: 1, Last: 2, After: 10}, []Stay{
		{Entry: entry(0), In: 1}, {Entry: entry(1), In: 1}, {Entry: entry(2), In: 1}, {Entry: entry(3), In: 1, Out: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
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
	for _, stay := range []string{"\x04\x01\x01x", "\x04\x00\x01x", "\x04\x02\x01x"} { // its label would begin one byte before the stays, or at the stay, or before that
		g := &File{Header{Source: "TEST", Lasting: len(stay)}, []byte(stay)}
		for s, err := range g.All() {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%q: a stay without a label: %+v, %v", stay, s, err)
			}
		}
	}
	later := strings.Replace(string(data), magic+version, magic+"3", 1)
	if _, err := Parse(Name{"TEST", 1, 2, 10, sumOf([]byte(later))}.String(), []byte(later)); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}

// TestHeader reads first lines with texts and times of all kinds.
func TestHeader(t *testing.T) {
	odd := "a \"b\" %d \xff\n\u2028 é"
	for _, h := range []Header{
		{Source: "TEST", First: 1, Last: 1},
		{Source: "TEST", Name: odd, First: 3, Last: 1<<32 - 1, After: 1<<64 - 1, Program: odd, Written: day.Add(time.Nanosecond), Revision: sources.Revision{
			Digest: odd, Published: day, Checked: day.Add(time.Hour), Records: -1, Completeness: sources.Partial, Provenance: odd, OpenEnded: true,
			ETag: odd, LastModified: odd,
		}},
	} {
		f, err := New(h, []Stay{{Entry: entry(1), In: 1}})
		if f = through(t, f, err); f.Header.Revision != h.Revision || f.Name != h.Name || f.Program != h.Program || !f.Written.Equal(h.Written) {
			t.Errorf("%+v, want %+v", f.Header, h)
		}
	}
	for what, h := range map[string]Header{
		"a year": {Source: "TEST", Written: day.AddDate(9000, 0, 0)},
		"a text": {Source: "TEST", Name: strings.Repeat("x", maxHeader)},
	} {
		f, err := New(h, nil)
		if err == nil {
			_, _, err = f.Bytes()
		}
		if err == nil {
			t.Errorf("%s: no error", what)
		}
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

// TestAlike compares a file with offers.
func TestAlike(t *testing.T) {
	var all []Stay
	for i := range 20 {
		all = append(all, Stay{Entry: Normal(entry(i)), In: 1})
	}
	f, err := New(Header{Source: "TEST", First: 1, Last: 2}, append(slices.Clone(all), Stay{Entry: entry(30), In: 1, Out: 2}))
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		change func(all []Stay) []Stay
		want   bool
	}{
		"same":           {func(all []Stay) []Stay { return all }, true},
		"no dates":       {func(all []Stay) []Stay { all[3].FirstSeen, all[3].NotListedOn = time.Time{}, time.Time{}; return all }, true},
		"a later copy":   {func(all []Stay) []Stay { all[3].FirstSeen = day.AddDate(0, 0, 1); return all }, true},
		"an earlier one": {func(all []Stay) []Stay { all[3].FirstSeen = day.AddDate(0, 0, -1); return all }, false},
		"fewer":          {func(all []Stay) []Stay { return all[:19] }, false},
		"more":           {func(all []Stay) []Stay { return append(all, all[0]) }, false},
		"order":          {func(all []Stay) []Stay { all[3], all[4] = all[4], all[3]; return all }, false},
		"name":           {func(all []Stay) []Stay { all[3].Name += "x"; return all }, false},
		"reference":      {func(all []Stay) []Stay { all[0].Ref += "x"; return all }, false},
		"date":           {func(all []Stay) []Stay { all[19].ListedAt = day; return all }, false},
		"party's date":   {func(all []Stay) []Stay { all[19].EntityListedAt = day; return all }, false},
		"chain": {func(all []Stay) []Stay {
			all[3].Address = address.MustParse("polygon", all[3].Address.Normalized())
			return all
		}, false},
		"address": {func(all []Stay) []Stay { all[3].Address = all[4].Address; return all }, false},
		"listed":  {func(all []Stay) []Stay { all[11].Listed = ""; return all }, false},
	} {
		offer, err := New(Header{}, c.change(slices.Clone(all)))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Alike(offer); got != c.want {
			t.Errorf("%s: alike %v, want %v", what, got, c.want)
		}
	}
}

// TestTag compares records of entries: those that list the same have one tag, however they were read.
func TestTag(t *testing.T) {
	var all []Stay
	for i := range 200 {
		e := sources.Entry{Kind: score.Sanctioned, Ref: fmt.Sprint(i / 9), Listed: "0x" + strings.Repeat("0", i%5), FirstSeen: day.AddDate(0, 0, i)}
		if i%3 > 0 {
			e.Address, e.Listed = address.MustParse([]address.Chain{"bsc", "ethereum"}[i%2], fmt.Sprintf("0x%040x", i%5)), ""
		}
		all = append(all, Stay{Entry: e, In: 1})
	}
	f, err := New(Header{Last: 1}, all)
	if err != nil {
		t.Fatal(err)
	}
	i, tags := 0, make(map[uint32]bool)
	for r, err := range f.Records(false) {
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if o := RecordOf(&s.Entry); r.Lists(o) && r.Tag() != o.Tag() || r.Tag() == 0 {
				t.Errorf("entry %d has the tag %d, and %+v, which lists the same, %d", i, r.Tag(), s, o.Tag())
			}
		}
		tags[r.Tag()] = true
		i++
	}
	if len(tags) < 100 {
		t.Errorf("%d tags of %d entries", len(tags), i)
	}
}

// TestNormal writes entries as sources may give them, with times of another zone and addresses that are listed twice: the
// bytes are as of their Normal.
func TestNormal(t *testing.T) {
	zone := time.FixedZone("", 3600)
	var given, normal []Stay
	for i := range 10 {
		e := entry(i)
		if e.Listed == "" {
			e.Listed = e.Address.Normalized()
		}
		e.FirstSeen, e.ListedAt, e.EntityListedAt = e.FirstSeen.In(zone), e.ListedAt.In(zone), time.Time{}.In(zone)
		given, normal = append(given, Stay{Entry: e, In: 1}), append(normal, Stay{Entry: Normal(e), In: 1})
	}
	a, err := New(Header{Source: "TEST", Last: 1}, given)
	b, err2 := New(Header{Source: "TEST", Last: 1}, normal)
	if err != nil || err2 != nil || !bytes.Equal(a.data, b.data) {
		t.Errorf("%v, %v, %q, want %q", err, err2, a.data, b.data)
	}
}
