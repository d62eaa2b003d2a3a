package screening_test

import (
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
