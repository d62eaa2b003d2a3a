package screening_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// An oddStore does not do what a Store has to, once it is told how.
type oddStore struct {
	sources.Store
	reversed bool   // the names
	other    bool   // returns the oldest, whatever is asked for
	none     bool   // returns nil
	panics   string // the method that does
}

func (s *oddStore) panic(method string) {
	if s.panics == method {
		panic("bug in " + method)
	}
}

func (s *oddStore) Revisions(ctx context.Context, source string) ([]sources.Stored, error) {
	s.panic("Revisions")
	names, err := s.Store.Revisions(ctx, source)
	if s.reversed {
		slices.Reverse(names)
	}
	return names, err
}

func (s *oddStore) Snapshots(ctx context.Context) ([]sources.Stored, error) {
	s.panic("Snapshots")
	names, err := s.Store.Snapshots(ctx)
	if s.reversed {
		slices.Reverse(names)
	}
	return names, err
}

func (s *oddStore) Load(ctx context.Context, source string, name sources.Stored) (*sources.List, error) {
	s.panic("Load")
	if s.none {
		return nil, nil
	}
	if s.other {
		names, err := s.Store.Revisions(ctx, source)
		if err != nil {
			return nil, err
		}
		name = names[len(names)-1]
	}
	return s.Store.Load(ctx, source, name)
}

func (s *oddStore) LoadSnapshot(ctx context.Context, name sources.Stored) (*sources.Snapshot, error) {
	s.panic("LoadSnapshot")
	if s.none {
		return nil, nil
	}
	if s.other {
		names, err := s.Store.Snapshots(ctx)
		if err != nil {
			return nil, err
		}
		name = names[len(names)-1]
	}
	return s.Store.LoadSnapshot(ctx, name)
}

func (s *oddStore) Save(ctx context.Context, l *sources.List) error {
	s.panic("Save")
	return s.Store.Save(ctx, l)
}

func (s *oddStore) Confirm(ctx context.Context, source string, rev sources.Revision) error {
	s.panic("Confirm")
	return s.Store.Confirm(ctx, source, rev)
}

func (s *oddStore) SaveSnapshot(ctx context.Context, snap *sources.Snapshot) error {
	s.panic("SaveSnapshot")
	return s.Store.SaveSnapshot(ctx, snap)
}

// upToNumber returns the numbers from 0 to n.
func upToNumber(n int) (numbers []int) {
	for i := range n + 1 {
		numbers = append(numbers, i)
	}
	return numbers
}

// TestOddStore holds that no Store makes a panic, or an answer that was not given:
// list n has the entries up to n.
func TestOddStore(t *testing.T) {
	account := func(n int) address.Address { return address.MustParse("ethereum", fmt.Sprintf("0x%040x", n)) }
	for name, odd := range map[string]oddStore{
		"reversed": {reversed: true}, "another": {other: true}, "nothing": {none: true},
		"panic in Revisions": {panics: "Revisions"}, "panic in Snapshots": {panics: "Snapshots"},
		"panic in Load": {panics: "Load"}, "panic in LoadSnapshot": {panics: "LoadSnapshot"},
		"panic in Save": {panics: "Save"}, "panic in Confirm": {panics: "Confirm"}, "panic in SaveSnapshot": {panics: "SaveSnapshot"},
	} {
		t.Run(name, func(t *testing.T) {
			good := openStore(t, t.TempDir())
			first, second := &flaky{info: ofac}, &flaky{info: sources.Info{ID: "EU_LIST", Name: "EU list", Jurisdiction: sources.EU}}
			srcs := []sources.Source{first, second}
			s := newScreener(t, &screening.Options{Store: good}, srcs...)
			var moments []moment
			for n := range 3 {
				first.load, second.load = numbered(n, upToNumber(n)...), numbered(n, upToNumber(n)...)
				if _, err := s.Refresh(ctx); err != nil {
					t.Fatal(err)
				}
				moments = append(moments, momentOf(t, s))
			}
			odd.Store = good
			answers := func(p *screening.Past, err error, last int) {
				t.Helper()
				if err != nil {
					return // refused
				}
				for n := range 5 {
					if r, err := p.Screen(account(n)); err != nil || (r.Score > 0) != (n <= last) {
						t.Errorf("of then, account %d: %v, %v; want those up to %d", n, r.Labels, err, last)
					}
				}
			}
			for i, m := range moments {
				p, err := screening.OpenAt(ctx, &odd, m.at, srcs, nil)
				answers(p, err, i)
				p, err = screening.OpenAt(ctx, &odd, m.at, srcs[:1], nil) // so that there is no digest to be held to
				answers(p, err, i)
				p, err = screening.OpenDigest(ctx, &odd, m.digest, srcs, nil)
				answers(p, err, i)
			}
			again := newScreener(t, &screening.Options{Store: &odd}, srcs...)
			_, opened := again.Open(ctx)
			if r, err := again.Screen(account(2)); err == nil && r.Score == 0 && opened == nil {
				t.Error("Open: an old list is opened, and nothing said")
			} else if err != nil && !errors.Is(err, screening.ErrNotLoaded) {
				t.Errorf("Open: %v", err)
			}
			first.load = numbered(3, upToNumber(3)...)
			if _, err := again.Refresh(ctx); err != nil {
				t.Errorf("Refresh: %v", err)
			}
			if r, err := again.Screen(account(3)); err != nil || r.Score != 100 {
				t.Errorf("after Refresh: score %d, %v", r.Score, err)
			}
			if odd.panics == "Save" || odd.panics == "SaveSnapshot" {
				if again.Sources()[0].StoreErr == nil {
					t.Error("that nothing was saved does not show")
				}
			}
		})
	}
}

// TestOddConfirm has a Store panic when a check is written down.
func TestOddConfirm(t *testing.T) {
	st := &oddStore{Store: openStore(t, t.TempDir())}
	src := &flaky{info: ofac, load: numbered(1, 1)}
	s := loaded(t, &screening.Options{Store: st}, src)
	st.panics = "Confirm"
	src.load = func(prev sources.Revision, _ func(sources.Entry) error) (sources.Revision, error) {
		prev.ETag = "new"
		return prev, sources.ErrUnchanged
	}
	if _, err := s.Refresh(ctx); err != nil || s.Sources()[0].StoreErr == nil {
		t.Errorf("Refresh: %v, and %v; want the panic to show", err, s.Sources()[0].StoreErr)
	}
}
