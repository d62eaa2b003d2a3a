package pgstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/store/pgstore"
)

// An interrupted store calls other before one of its calls.
type interrupted struct {
	*pgstore.Store
	before int // that many calls, counted from 1
	other  func()
}

func (s *interrupted) call() {
	if s.before--; s.before == 0 {
		s.other()
	}
}

func (s *interrupted) Put(ctx context.Context, name string, data []byte) error {
	s.call()
	return s.Store.Put(ctx, name, data)
}

func (s *interrupted) Open(ctx context.Context, name string) ([]byte, error) {
	s.call()
	return s.Store.Open(ctx, name)
}

func (s *interrupted) Names(ctx context.Context) ([]string, error) {
	s.call()
	return s.Store.Names(ctx)
}

func (s *interrupted) Delete(ctx context.Context, name string) error {
	s.call()
	return s.Store.Delete(ctx, name)
}

func (s *interrupted) Append(ctx context.Context, number uint64, line []byte) error {
	s.call()
	return s.Store.Append(ctx, number, line)
}

func (s *interrupted) Read(ctx context.Context, from uint64, each func([]byte) error) error {
	s.call()
	return s.Store.Read(ctx, from, each)
}

// A daily source is a publisher whose list of day n has the addresses n to n+29.
type daily struct{ day int }

var published = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func textOf(n int) string { return fmt.Sprintf("0x%040x", n+1) }

func (s *daily) Info() sources.Info {
	return sources.Info{ID: "TEST", Name: "test", Jurisdiction: sources.US}
}

func (s *daily) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	for n := s.day; n < s.day+30; n++ {
		e := sources.Entry{Asset: "ETH", Listed: textOf(n), Kind: score.Sanctioned, Ref: fmt.Sprint(n)}
		e.Address, _ = sources.Decode(e.Asset, e.Listed)
		if err := add(e); err != nil {
			return sources.Revision{}, err
		}
	}
	return sources.Revision{Digest: fmt.Sprintf("%064x", s.day+1), Published: published.AddDate(0, 0, s.day), Records: 30}, nil
}

// dayOf returns the day of the list that s answers from, -1 if it answers from none.
func dayOf(s interface {
	ScreenText(c address.Chain, text string) (screening.Result, error)
}) int {
	day := -1
	for n := range 40 {
		r, err := s.ScreenText("ethereum", textOf(n))
		switch {
		case err != nil:
			return -1
		case len(r.Labels) > 0 && day < 0:
			day = n
		case (len(r.Labels) > 0) != (day >= 0 && n < day+30):
			return -2 // no list has this
		}
	}
	return day
}

// TestInterleaved lets another program, over a connection of its own, accept a list before each call of the database in turn that a refresh of the first one
// makes. Both and a third one end with the newest list, no acceptance is lost, and each list that answered is
// found again by its digest.
func TestInterleaved(t *testing.T) {
	const maxCalls = 20
	for what, day := range map[string]int{"an older list": 1, "a newer list": 3, "the same list": 2} {
		tried := 0
		for n, reached := 1, true; reached; n++ {
			if n > maxCalls {
				t.Fatalf("a refresh makes more than %d calls", maxCalls)
			}
			name := fmt.Sprintf("another program accepts %s before call %d", what, n)
			url := postgrestest.URL(t)
			start := func(st store.Store) (*screening.Screener, *daily) {
				src := &daily{}
				s, err := screening.New([]sources.Source{src}, &screening.Options{Store: st})
				if err == nil {
					_, err = s.Open(t.Context())
				}
				if err != nil && st == nil {
					t.Fatal(err)
				}
				return s, src
			}
			db := &interrupted{Store: open(t, url)}
			a, published := start(db)
			digests := make(map[int]string)
			accept := func(s *screening.Screener, src *daily, day int) {
				src.day = day
				s.Refresh(t.Context())
				if is := dayOf(s); is >= 0 {
					digests[is] = s.Digest()
				} else {
					t.Errorf("%s: a program answers from no list: %d", name, is)
				}
			}
			accept(a, published, 0)
			b, elsewhere := start(open(t, url))
			db.before, db.other = n, func() { accept(b, elsewhere, day) }
			accept(a, published, 2)
			reached = db.before <= 0
			db.before = 0
			want := max(2, day)
			if !reached {
				want = 2
			}
			accept(a, published, 0) // it is refused, but they follow
			accept(b, elsewhere, 0)
			c, _ := start(open(t, url))
			for who, s := range map[string]*screening.Screener{"the first": a, "the other": b, "a third one": c} {
				if got := dayOf(s); got != want || s.Digest() != digests[want] {
					t.Errorf("%s: %s answers from the list of day %d, want %d", name, who, got, want)
				}
			}
			for day, digest := range digests {
				p, err := screening.OpenDigest(t.Context(), open(t, url), digest, []sources.Source{published}, nil)
				if err != nil {
					t.Errorf("%s: the list of day %d: %v", name, day, err)
				} else if got := dayOf(p); got != day {
					t.Errorf("%s: the digest of day %d opens the list of day %d", name, day, got)
				}
			}
			tried++
		}
		t.Logf("%s before each of %d calls", what, tried-1)
	}
}
