package screening_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// TestEditions takes in seven dated editions of OFAC's list, made from its bundled history. Each account that is
// on any of them must be answered, for each of the dates, as a Screener answers that has that edition alone:
// when the edition is taken in, after a restart, by OpenAt and by OpenDigest. What an edition before had is formerly listed.
func TestEditions(t *testing.T) {
	official := bundle.OFAC()
	src := &flaky{info: official.Info()}
	c := newWallClock()
	dir := t.TempDir()
	opts := &screening.Options{Store: openStore(t, dir)}
	type edition struct {
		day    time.Time
		alone  *screening.Screener
		digest string
	}
	type asked struct{ chain, text string }
	var editions []edition
	var accounts []asked
	had := make(map[asked]bool) // listed by an edition so far
	s := c.start(t, opts, src)
	for n, date := range []string{"2021-07-06", "2022-12-01", "2023-11-01", "2024-12-04", "2025-08-01", "2025-11-19", "2026-09-30"} {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		var entries []sources.Entry
		_, err = sources.AsOf(official, day).Load(ctx, sources.Revision{}, func(e sources.Entry) error {
			e.FirstSeen, e.NotListedOn = time.Time{}, time.Time{}
			if a := (asked{string(e.Address.Chain()), e.Text()}); !slices.Contains(accounts, a) {
				accounts = append(accounts, a)
			}
			entries = append(entries, e)
			return nil
		})
		if err != nil || len(entries) < 90 {
			t.Fatalf("edition of %s: %d entries, %v", date, len(entries), err)
		}
		load := func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			for _, e := range entries {
				if err := add(e); err != nil {
					return sources.Revision{}, err
				}
			}
			return sources.Revision{Digest: digestOf(n + 1), Published: day, Records: len(entries)}, nil
		}
		c.now = day.Add(12 * time.Hour)
		src.load = load
		refresh(t, s)
		alone := c.start(t, nil, &flaky{info: src.info, load: load})
		refresh(t, alone)
		e := edition{day: c.now.Add(time.Hour), alone: alone, digest: s.Digest()}
		editions = append(editions, e)
		if n == 3 {
			s = c.start(t, opts, src)
			if _, err := s.Open(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}

	said := func(s screener, a asked) (listed string, formerly int) {
		r, _ := s.ScreenText(address.Chain(a.chain), a.text)
		for _, l := range r.Labels {
			listed += fmt.Sprintln(l.Kind, l.Match, l.Source, l.Ref, l.Name, l.Listed)
		}
		return listed, len(r.Formerly)
	}
	restarted := c.start(t, &screening.Options{Store: openStore(t, dir)}, src)
	if _, err := restarted.Open(ctx); err != nil {
		t.Fatal(err)
	}
	checks, former := 0, 0
	for n, e := range editions {
		past := map[string]screener{}
		for by, open := range map[string]func() (*screening.Past, error){
			"OpenAt": func() (*screening.Past, error) {
				return screening.OpenAt(ctx, openStore(t, dir), e.day, []sources.Source{src}, nil)
			},
			"OpenDigest": func() (*screening.Past, error) {
				return screening.OpenDigest(ctx, openStore(t, dir), e.digest, []sources.Source{src}, nil)
			},
		} {
			p, err := open()
			if err != nil {
				t.Fatalf("%s of %v: %v", by, e.day, err)
			}
			past[by] = p
		}
		if n == len(editions)-1 {
			past["the program"], past["another one"] = s, restarted
		}
		for _, a := range accounts {
			want, _ := said(e.alone, a)
			for by, p := range past {
				got, formerly := said(p, a)
				if checks++; got != want {
					t.Errorf("%s, edition of %v, %v:\n%swant\n%s", by, e.day, a, got, want)
				}
				if want == "" && had[a] && formerly == 0 || !had[a] && formerly > 0 {
					t.Errorf("%s, edition of %v, %v: formerly listed %d times, an edition before had it: %v", by, e.day, a, formerly, had[a])
				}
				former += formerly
			}
			had[a] = had[a] || want != ""
		}
	}
	if checks < 10_000 || former < 50 {
		t.Errorf("%d checks, %d of them with a former listing: the editions have too few accounts", checks, former)
	}
	t.Logf("%d accounts, %d checks, %d with a former listing", len(accounts), checks, former)
}
