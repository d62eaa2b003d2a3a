package screening_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestShared uses small lists and a long one. It adds one entry to each in turn and
// checks that exactly the listed entries are found.
func TestShared(t *testing.T) {
	addresses := randomEVM(70_000, 3)
	others := randomEVM(2000, 4)
	entries := func(addresses []string) []sources.Entry {
		var all []sources.Entry
		for _, a := range addresses {
			all = append(all, sources.Entry{Address: address.MustParse("ethereum", a), Kind: score.Sanctioned})
		}
		return all
	}
	var lists []*published
	var srcs []sources.Source
	for _, part := range []struct {
		id        string
		addresses []string
	}{
		{"LONG", addresses[:69_000]}, {"FIRST", addresses[69_000:69_500]},
		{"SECOND", addresses[69_500:69_501]}, {"THIRD", addresses[69_501:]},
	} {
		l := &published{info: ofac}
		l.info.ID = part.id
		l.publish(entries(part.addresses)...)
		lists, srcs = append(lists, l), append(srcs, l)
	}
	s := newScreener(t, nil, srcs...)
	check := func(what string) {
		t.Helper()
		for _, l := range lists {
			for _, e := range l.entries[max(0, len(l.entries)-600):] {
				text := e.Address.Normalized()
				r, err := s.ScreenText("ethereum", text)
				if err != nil || r.Score != 100 || r.Labels[0].Source != l.info.ID {
					t.Fatalf("%s: %s of %s: %+v, %v", what, text, l.info.ID, r, err)
				}
				if r, err := s.Screen(e.Address); err != nil || r.Score != 100 {
					t.Fatalf("%s: Screen of %s of %s: %+v, %v", what, text, l.info.ID, r, err)
				}
			}
		}
		for _, text := range others {
			if r, err := s.ScreenText("ethereum", text); err != nil || r.Score != 0 {
				t.Fatalf("%s: %s: %+v, %v", what, text, r, err)
			}
		}
	}
	refresh(t, s)
	check("loaded")
	for _, l := range lists {
		l.err = sources.ErrUnchanged
	}
	for _, l := range lists {
		l.publish(append(l.entries, entries(others[:1])...)...)
		others = others[1:]
		l.err = nil
		refresh(t, s)
		l.err = sources.ErrUnchanged
		check("after one more in " + l.info.ID)
	}
}

// TestAskedAgain asks each question several times: the first answer about a set of
// listings is made, and the next ones are ready. Both must be what Screen answers, whatever
// spelling, chain and other list there is.
func TestAskedAgain(t *testing.T) {
	const both, one, other = lazarus, clean, "0xab5801a7d398351b8be11c439e05c5b3259aec9b"
	info := func(id string) sources.Info {
		i := ofac
		i.ID = id
		return i
	}
	srcs := []sources.Source{
		sources.Static(info("A"), sanctioned("ethereum", both, "1"), sanctioned("sei", other, "2")),
		sources.Static(info("B"), sanctioned("ethereum", both, "3"), sanctioned("ethereum", one, "3")),
		sources.Static(info("C"), sanctioned("bsc", both, "4"),
			sources.Entry{Address: address.MustParse("ethereum", other), Listed: strings.ToUpper(other[2:]), Kind: score.Sanctioned, Ref: "5"}),
	}
	want := map[string]string{both: "A1 B3 C4", one: "B3", other: "A2 C5"}
	for n := 1; n <= len(srcs); n++ {
		s := loaded(t, nil, srcs[:n]...)
		for round := range 3 {
			for _, c := range []address.Chain{"ethereum", "bsc", "sei", "tron"} {
				for text, refs := range want {
					for _, spelled := range []string{text, "0x" + strings.ToUpper(text[2:]), "0X" + text[2:], " " + text} {
						a, err := address.Normalize(c, spelled)
						if err != nil {
							continue // on tron
						}
						what := fmt.Sprintf("%d lists, round %d, ScreenText(%s, %q)", n, round, c, spelled)
						r, err := s.ScreenText(c, spelled)
						same, err2 := s.Screen(a)
						if err != nil || err2 != nil || !reflect.DeepEqual(r, same) {
							t.Fatalf("%s = %+v, %v; Screen = %+v, %v", what, r, err, same, err2)
						}
						found := 0
						for _, l := range r.Labels {
							exact := l.Source == "C" && l.Ref == "4" && c == "bsc" || l.Ref == "2" && c == "sei" ||
								strings.Contains("135", l.Ref) && c == "ethereum"
							if !strings.Contains(refs, l.Source+l.Ref) || (l.Match == score.Exact) != exact ||
								!strings.EqualFold(strings.TrimPrefix(l.Listed, "0x"), text[2:]) ||
								l.Ref != "5" && l.Listed != text {
								t.Errorf("%s has the label %+v", what, l)
							}
							found++
						}
						listed := 0
						for i := range n {
							listed += strings.Count(refs, string(rune('A'+i)))
						}
						if found != listed || found > 0 && (r.Score != 100 || r.Level != score.Critical) {
							t.Errorf("%s = %+v, want %d labels of %s", what, r, listed, refs)
						}
					}
				}
			}
		}
	}
}

// TestManySets screens the entries of a list with more sets of listings than are cached.
func TestManySets(t *testing.T) {
	addresses := randomEVM(1500, 5)
	var entries []sources.Entry
	for i, text := range addresses {
		entries = append(entries, sanctioned("ethereum", text, fmt.Sprint(i)))
	}
	s := loaded(t, nil, sources.Static(ofac, entries...))
	for range 2 {
		for i, text := range addresses {
			for range 2 {
				if r, err := s.ScreenText("ethereum", text); err != nil || len(r.Labels) != 1 || r.Labels[0].Ref != fmt.Sprint(i) ||
					r.Labels[0].Listed != text {
					t.Fatalf("ScreenText(%s) = %+v, %v; want the label %d", text, r, err, i)
				}
			}
		}
	}
}
