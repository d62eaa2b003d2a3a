package screening_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// moment is the state of a Screener at an instant.
type moment struct {
	at      time.Time
	digest  string
	unsaved bool   // the store failed
	listed  string // which of the numbered addresses, with what
	sources []screening.SourceStatus
}

// screener has the methods that Screener and Past share.
type screener interface {
	ScreenText(c address.Chain, text string) (screening.Result, error)
	Sources() []screening.SourceStatus
}

func momentOf(t *testing.T, s screener) moment {
	t.Helper()
	m := moment{at: time.Now().UTC(), sources: s.Sources()}
	for n := range 8 {
		r, err := s.ScreenText("ethereum", fmt.Sprintf("0x%040x", n))
		if err != nil {
			t.Fatal(err)
		}
		m.digest = r.Digest()
		for _, l := range r.Labels {
			m.listed += fmt.Sprintf("%d: %v\n", n, l)
		}
	}
	return m
}

// same returns an error if a Past differs from m. The recorded check time of a list may
// lag by a minute.
func (m moment) same(t *testing.T, p *screening.Past) error {
	t.Helper()
	got := momentOf(t, p)
	if got.digest != m.digest || got.listed != m.listed {
		return fmt.Errorf("at %v it has\n%s (%s), want\n%s (%s)", m.at, got.listed, got.digest, m.listed, m.digest)
	}
	for i, st := range got.sources {
		want := m.sources[i]
		if lag := want.LastUpdated.Sub(st.LastUpdated); lag < 0 || lag >= time.Minute || st.Loaded() != want.Loaded() {
			return fmt.Errorf("at %v %s was last updated at %v, want %v", m.at, st.Info.ID, st.LastUpdated, want.LastUpdated)
		}
		if st.Digest != want.Digest || st.Entries != want.Entries || st.Addresses != want.Addresses || st.Err != nil || st.StoreErr != nil {
			return fmt.Errorf("at %v it has the source\n%+v, want\n%+v", m.at, st, want)
		}
	}
	return nil
}

// TestPast changes two lists at random over several programs, and compares OpenAt and
// OpenDigest with the results of that time.
func TestPast(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		us, others := &flaky{info: ofac}, &flaky{info: community}
		srcs := []sources.Source{us, others}
		// A list has few states, so that digests recur, each in two editions.
		state := func(src *flaky, kind score.Kind) {
			n, edition := rng.IntN(6), 100*(1+rng.IntN(2))
			src.load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				return numbered(edition+n, n, n+1)(prev, func(e sources.Entry) error {
					e.Kind = kind
					return add(e)
				})
			}
			if rng.IntN(5) == 0 {
				src.load = down
			}
		}
		optional := []string{community.ID}
		st := store.Retain(openStore(t, dir), -1)
		opts := &screening.Options{Optional: optional, Store: st}
		us.load, others.load = numbered(100, 0, 1), down
		s := newScreener(t, opts, srcs...)
		before := time.Now()
		time.Sleep(time.Second)
		s.Refresh(ctx)
		moments := []moment{momentOf(t, s)}
		for range longtest.N(15, 60) {
			time.Sleep(time.Duration(1+rng.IntN(100)) * time.Second)
			switch rng.IntN(10) {
			case 0:
				s = newScreener(t, opts, srcs...)
				if _, err := s.Open(ctx); err != nil {
					t.Fatal(err)
				}
			case 1, 2, 3:
				state(us, score.Sanctioned)
				state(others, score.Scam)
				s.Refresh(ctx)
			default:
				s.Refresh(ctx)
			}
			time.Sleep(time.Duration(rng.IntN(3)) * time.Nanosecond)
			moments = append(moments, momentOf(t, s))
		}

		opts = &screening.Options{Optional: optional} // the sources that are given need not load
		us.load, others.load = down, down
		if _, err := screening.OpenAt(ctx, st, before, srcs, opts); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("before the first: %v, want ErrNotFound", err)
		}
		for _, m := range moments {
			p, err := screening.OpenAt(ctx, st, m.at, srcs, opts)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.same(t, p); err != nil || !p.At().Equal(m.at) {
				t.Fatalf("OpenAt: %v, and it is of %v", err, p.At())
			}
			p, err = screening.OpenDigest(ctx, st, m.digest, srcs, opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := momentOf(t, p); got.digest != m.digest {
				t.Fatalf("OpenDigest(%s) has %s", m.digest, got.digest)
			}
			for _, s := range p.Sources() { // as of when it began to be answered from
				if s.LastUpdated.After(p.At()) {
					t.Fatalf("OpenDigest of %v: %s was last updated at %v", p.At(), s.Info.ID, s.LastUpdated)
				}
			}
		}
		if _, err := screening.OpenAt(ctx, st, time.Now().AddDate(9, 0, 0), srcs, opts); !errors.Is(err, store.ErrGap) {
			t.Errorf("in years to come: %v, want ErrGap", err)
		}
		if _, err := screening.OpenDigest(ctx, st, digestOf(1), srcs, opts); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of no digest: %v, want ErrNotFound", err)
		}
	})
}

// TestPastWithoutStore checks that OpenAt and OpenDigest need a Store.
func TestPastWithoutStore(t *testing.T) {
	srcs := []sources.Source{sources.Static(ofac, sanctioned("ethereum", lazarus, "1"))}
	if p, err := screening.OpenAt(t.Context(), nil, time.Now(), srcs, nil); err == nil {
		t.Errorf("OpenAt without a store: %v, and no error", p)
	}
	if p, err := screening.OpenDigest(t.Context(), nil, "1", srcs, nil); err == nil {
		t.Errorf("OpenDigest without a store: %v, and no error", p)
	}
}

// TestPastInstants opens snapshots at the instant at which each began, and just before
// it.
func TestPastInstants(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		src := &flaky{info: ofac, load: numbered(1, 1)}
		st := openStore(t, dir)
		s := loaded(t, &screening.Options{Store: st}, src)
		time.Sleep(time.Hour)
		src.load = numbered(2, 1, 2)
		if _, err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		all := answersOf(t, st)
		if len(all) != 2 {
			t.Fatalf("answering events %+v, want 2", all)
		}
		for i, tt := range []struct {
			at   time.Time
			want string
		}{
			{all[1].At.Add(-1), ""},
			{all[1].At, all[1].Digest},
			{all[0].At.Add(-1), all[1].Digest},
			{all[0].At, all[0].Digest},
			{all[0].At.In(time.FixedZone("", -3600)), all[0].Digest},
		} {
			p, err := screening.OpenAt(ctx, st, tt.at, []sources.Source{src}, nil)
			if tt.want == "" {
				if !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%d: %v, want ErrNotFound", i, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if r, err := p.Screen(address.MustParse("ethereum", clean)); err != nil || r.Digest() != tt.want {
				t.Errorf("%d: digest %s, %v, want %s", i, r.Digest(), err, tt.want)
			}
		}
	})
}

// TestPastSources opens snapshots with other sources than were in use at the time.
func TestPastSources(t *testing.T) {
	st := openStore(t, t.TempDir())
	us := sources.Static(ofac, sanctioned("ethereum", lazarus, "1"))
	others := sources.Static(community, sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: score.Scam},
		sources.Entry{Listed: "nonsense", Kind: score.Scam})
	s := loaded(t, &screening.Options{Store: st}, us, others)
	digest := must(s.ScreenText("ethereum", lazarus)).Digest()
	third := sources.Static(sources.Info{ID: "THIRD", Name: "third", Jurisdiction: sources.UK})
	now := time.Now()
	open := func(opts *screening.Options, srcs ...sources.Source) (*screening.Past, error, *screening.Past, error) {
		a, aerr := screening.OpenAt(ctx, st, now, srcs, opts)
		d, derr := screening.OpenDigest(ctx, st, digest, srcs, opts)
		return a, aerr, d, derr
	}

	p, err, _, derr := open(nil, us)
	if err != nil || derr == nil || !strings.Contains(derr.Error(), community.ID) {
		t.Errorf("one of two: %v, and by digest %v, want an error that names the other", err, derr)
	} else if r, err := p.ScreenText("ethereum", lazarus); err != nil || len(r.Labels) != 1 || r.Labels[0].Source != ofac.ID {
		t.Errorf("one of two: %+v, %v", r, err)
	} else {
		if same, err := p.Screen(r.Address); err != nil || same.Digest() != r.Digest() || same.Score != r.Score {
			t.Errorf("Screen: %+v, %v, want %+v", same, err, r)
		}
	}

	p, err, d, derr := open(nil, us, third, others)
	if err != nil || derr != nil {
		t.Fatal(err, derr)
	}
	for _, p := range []*screening.Past{p, d} {
		if _, err := p.ScreenText("ethereum", lazarus); !errors.Is(err, screening.ErrNotLoaded) || !strings.Contains(err.Error(), "THIRD") {
			t.Errorf("with one that was not there: %v, want ErrNotLoaded", err)
		}
	}
	p, err, d, derr = open(&screening.Options{Optional: []string{"THIRD"}}, third, others, us)
	if err != nil || derr != nil {
		t.Fatal(err, derr)
	}
	for _, p := range []*screening.Past{p, d} {
		if r, err := p.ScreenText("ethereum", lazarus); err != nil || len(r.Labels) != 2 || r.Digest() != digest || p.Sources()[0].Loaded() {
			t.Errorf("with an optional one that was not there: %+v, %v", r, err)
		}
		if kinds := p.Sources()[1].AnomalyKinds; len(kinds) != 1 || kinds[sources.Undecodable] != 1 {
			t.Errorf("anomalies %v, want one", kinds)
		}
	}

	if _, err, _, derr := open(nil, third); !errors.Is(err, store.ErrNotFound) || derr == nil {
		t.Errorf("none of them: %v, %v, want ErrNotFound", err, derr)
	}
	if _, err, _, derr := open(&screening.Options{Optional: []string{"X"}}, us); err == nil || derr == nil {
		t.Error("nonsense in the options is not an error")
	}
}

// TestPastMaxAge checks that MaxAge applies as of the time of the snapshot.
func TestPastMaxAge(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		src := &flaky{info: ofac, load: numbered(1, 1)}
		st := openStore(t, dir)
		s := loaded(t, &screening.Options{Store: st}, src)
		start := time.Now()
		src.load = down
		time.Sleep(50 * time.Hour)
		s.Refresh(ctx)
		src.load = numbered(1, 1)
		time.Sleep(time.Minute)
		if _, err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1000 * time.Hour)
		for after, want := range map[time.Duration]error{
			0: nil, 24 * time.Hour: nil, 24*time.Hour + 1: screening.ErrStale, 50 * time.Hour: screening.ErrStale,
			50*time.Hour + time.Minute: nil, 70 * time.Hour: nil, 80 * time.Hour: screening.ErrStale,
		} {
			p, err := screening.OpenAt(ctx, st, start.Add(after), []sources.Source{src}, &screening.Options{MaxAge: 24 * time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.ScreenText("ethereum", clean); !errors.Is(err, want) {
				t.Errorf("after %v: %v, want %v", after, err, want)
			}
		}
	})
}

// TestSnapshotsOfRestarts checks that a program that restarts with the same lists begins no
// other snapshot.
func TestSnapshotsOfRestarts(t *testing.T) {
	st := openStore(t, t.TempDir())
	src := &flaky{info: ofac}
	start := func(load, kept int, exceptions ...screening.Exception) {
		t.Helper()
		src.load = numbered(load, 1)
		s := newScreener(t, &screening.Options{Store: st}, src)
		if err := s.SetExceptions(ctx, exceptions); err != nil {
			t.Fatal(err)
		}
		_, oerr := s.Open(ctx)
		_, rerr := s.Refresh(ctx)
		if all := answersOf(t, st); oerr != nil || rerr != nil || len(all) != kept {
			t.Errorf("%d snapshots, want %d; Open: %v, Refresh: %v", len(all), kept, oerr, rerr)
		}
	}
	start(1, 1)
	start(1, 1)
	start(1, 1)
	start(2, 1) // another edition of the same entries
	e := except("ethereum", lazarus)
	start(2, 2, e)
	start(2, 2, e)
	e.Address = address.MustParse("bsc", lazarus) // the same to the digest
	start(2, 2, e)
	start(2, 3)
}

// TestPastUndecoded lists strings that are not valid addresses and checks that results
// are the same after a restart and from the Past.
func TestPastUndecoded(t *testing.T) {
	for _, listed := range []string{lazarusMixed, "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "bitcoin:1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", paymentID} {
		src := sources.Static(ofac, sources.Entry{Listed: listed, Asset: "ETH", Kind: score.Sanctioned, Ref: "1", ListedAt: day})
		opts := &screening.Options{Store: openStore(t, t.TempDir())}
		before := must(loaded(t, opts, src).ScreenText("bitcoin", listed))
		if before.Score != 100 {
			t.Errorf("%q: score %d", listed, before.Score)
		}
		again := newScreener(t, opts, src)
		if _, err := again.Open(ctx); err != nil {
			t.Fatal(err)
		}
		p, err := screening.OpenDigest(ctx, opts.Store, before.Digest(), []sources.Source{src}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]screener{"after a restart": again, "of the past": p} {
			if after := must(s.ScreenText("bitcoin", listed)); after.Digest() != before.Digest() || !slices.Equal(after.Labels, before.Labels) {
				t.Errorf("%q %s: %+v (%s), want %+v (%s)", listed, name, after.Labels, after.Digest(), before.Labels, before.Digest())
			}
		}
	}
}

// TestPastPartial checks that a partial list is partial in the Past.
func TestPastPartial(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st := openStore(t, dir)
		l := &live{}
		src := sources.Seeded(l, partOf(upTo(2)...))
		opts := &screening.Options{Store: st, Optional: []string{partInfo.ID}}
		s := newScreener(t, opts, src)
		if _, err := s.Open(ctx); err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		time.Sleep(time.Hour)
		l.now = sources.Static(partInfo, upTo(3)...)
		if _, err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		for at, whole := range map[time.Time]bool{before: false, time.Now(): true} {
			p, err := screening.OpenAt(ctx, st, at, []sources.Source{src}, &screening.Options{MaxAge: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Screen(listing(1).Address)
			if st := p.Sources()[0]; st.Loaded() != whole || (st.Completeness == sources.Partial) == whole || errors.Is(err, screening.ErrNotLoaded) == whole {
				t.Errorf("whole: %v: %+v, %v", whole, st, err)
			}
			if p, err = screening.OpenAt(ctx, st, at, []sources.Source{src}, &screening.Options{Optional: opts.Optional}); err != nil {
				t.Fatal(err)
			}
			if r, err := p.Screen(listing(1).Address); err != nil || r.Score != 100 {
				t.Errorf("whole: %v: %+v, %v, want what the part has", whole, r, err)
			}
		}
	})
}

// TestPastOfOldData opens a list that was read long before it was accepted, as bundled
// ones are: it was not checked when it was accepted.
func TestPastOfOldData(t *testing.T) {
	st := openStore(t, t.TempDir())
	checked := time.Now().UTC().AddDate(0, -2, 0).Round(0)
	src := &flaky{info: ofac}
	src.load = func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		rev, err := numbered(100, 0, 1)(prev, add)
		rev.Checked = checked
		return rev, err
	}
	s := newScreener(t, &screening.Options{Store: st}, src)
	if _, err := s.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	p, err := screening.OpenAt(ctx, st, time.Now(), []sources.Source{src}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if then, live := p.Sources()[0].LastUpdated, s.Sources()[0].LastUpdated; !live.Equal(checked) || !then.Equal(checked) {
		t.Errorf("last updated %v, in the past %v, want %v", live, then, checked)
	}
}

// TestPastUnread lets a store fail while another program accepts a list: what answered then is not known, and all else is.
func TestPastUnread(t *testing.T) {
	for name, faultOf := range map[string]func(*faultyStore) *error{
		"Read":  func(st *faultyStore) *error { return &st.read },
		"Open":  func(st *faultyStore) *error { return &st.open },
		"Names": func(st *faultyStore) *error { return &st.list },
	} {
		synctest.Test(t, func(t *testing.T) {
			mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1, 2)}
			st := &faultyStore{Store: mem}
			s := loaded(t, &screening.Options{Store: st}, src)
			src.load = down
			var moments []moment
			for n := range 9 {
				switch n {
				case 3:
					refresh(t, newScreener(t, &screening.Options{Store: mem, LoadOnly: true}, &flaky{info: ofac, load: numbered(2, 2, 3)}))
					*faultOf(st) = errUnreliable
				case 6:
					*faultOf(st) = nil
				}
				s.Refresh(ctx)
				time.Sleep(time.Hour)
				m := momentOf(t, s)
				m.unsaved = s.Sources()[0].StoreErr != nil
				moments = append(moments, m)
				time.Sleep(time.Hour)
			}
			for n, m := range moments {
				past, err := screening.OpenAt(ctx, mem, m.at, []sources.Source{src}, nil)
				if m.unsaved {
					if !errors.Is(err, store.ErrGap) {
						t.Errorf("%s: moment %d, while the store failed: %v, want ErrGap", name, n, err)
					}
					continue
				}
				if err != nil || momentOf(t, past).listed != m.listed {
					t.Errorf("%s: moment %d: %v", name, n, err)
				}
			}
			if !moments[4].unsaved || moments[7].unsaved {
				t.Errorf("%s: the store fails at other times: %+v", name, moments)
			}
		})
	}
}
