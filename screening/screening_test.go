package screening_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

var (
	ofac      = sources.Info{ID: "OFAC_SDN", Name: "OFAC SDN list", Jurisdiction: sources.US}
	community = sources.Info{ID: "COMMUNITY_BADLIST", Name: "Community list", Jurisdiction: sources.Community}
	day       = time.Date(2022, 4, 14, 0, 0, 0, 0, time.UTC)
)

const (
	lazarus      = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	lazarusMixed = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	clean        = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	paymentID    = "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320"
)

func sanctioned(c address.Chain, text, ref string) sources.Entry {
	return sources.Entry{Address: address.MustParse(c, text), Kind: score.Sanctioned, Ref: ref, ListedAt: day}
}

// loaded returns a Screener of srcs after one refresh.
func loaded(t testing.TB, opts *screening.Options, srcs ...sources.Source) *screening.Screener {
	t.Helper()
	s, err := screening.New(srcs, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMatches(t *testing.T) {
	s := loaded(t, nil, sources.Static(ofac,
		sanctioned("ethereum", lazarus, "27307"),
		sources.Entry{Listed: paymentID, Asset: "XMR", Kind: score.Sanctioned, Ref: "29585", ListedAt: day},
		sources.Entry{Listed: "0xa7e5d5a720f06526557c513402f2e6b5fa20b00", Asset: "ETH", Kind: score.Sanctioned, Ref: "29702"},
	))
	for _, tt := range []struct {
		chain      address.Chain
		text       string
		score      int
		level      score.Level
		match      score.Match
		ref        string
		normalized string
	}{
		{"ethereum", lazarus, 100, score.Critical, score.Exact, "27307", lazarus},
		{"ethereum", lazarusMixed, 100, score.Critical, score.Exact, "27307", lazarus},
		{"ethereum", strings.ToUpper(lazarus[2:]), 0, "", 0, "", ""},
		{"ethereum", "0x" + strings.ToUpper(lazarus[2:]), 100, score.Critical, score.Exact, "27307", lazarus},
		{"ethereum", " 0X" + strings.ToUpper(lazarus[2:]) + "\n", 100, score.Critical, score.Exact, "27307", lazarus},
		{"bsc", lazarus, 100, score.Critical, score.Family, "27307", lazarus},
		{"polygon", lazarusMixed, 100, score.Critical, score.Family, "27307", lazarus},
		{"ethereum", clean, 0, score.CleanNoMatch, 0, "", clean},
		{"monero", paymentID, 100, score.Critical, score.Literal, "29585", ""},
		{"monero", " " + strings.ToUpper(paymentID), 100, score.Critical, score.Literal, "29585", ""},
		{"ethereum", paymentID, 100, score.Critical, score.Literal, "29585", ""},
		{"ethereum", "0xA7E5d5a720f06526557c513402f2e6b5fa20b00", 100, score.Critical, score.Literal, "29702", ""},
		{"ethereum", "0xa7e5d5a720f06526557c513402f2e6b5fa20b0", 0, "", 0, "", ""},
		{"ETH", lazarus, 0, "", 0, "", ""},
		{"", lazarus, 0, "", 0, "", ""},
	} {
		r, err := s.ScreenText(tt.chain, tt.text)
		if tt.level == "" {
			var pe *address.ParseError
			if listed := strings.EqualFold(tt.text, lazarus) || strings.EqualFold(tt.text, lazarus[2:]); !errors.As(err, &pe) || listed != (r.Score == 100) ||
				!listed && r.Level != "" {
				t.Errorf("ScreenText(%s, %q) = %v, %v; want a *ParseError, and a Result only if it is listed", tt.chain, tt.text, r, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("ScreenText(%s, %q): %v", tt.chain, tt.text, err)
			continue
		}
		if r.Score != tt.score || r.Level != tt.level || r.Address.Normalized() != tt.normalized || r.ScoringVersion != "v1.2" || len(r.Digest()) != 64 {
			t.Errorf("ScreenText(%s, %q) = %+v, want %+v", tt.chain, tt.text, r, tt)
		}
		if tt.match == 0 {
			if r.Labels != nil {
				t.Errorf("ScreenText(%s, %q) has labels %v", tt.chain, tt.text, r.Labels)
			}
			continue
		}
		if len(r.Labels) != 1 || r.Labels[0].Match != tt.match || r.Labels[0].Ref != tt.ref || r.Labels[0].Source != "OFAC_SDN" {
			t.Errorf("ScreenText(%s, %q) has labels %+v, want one %s of %s", tt.chain, tt.text, r.Labels, tt.match, tt.ref)
		}
	}
}

func TestLabelsAreSortedAndSaidOnce(t *testing.T) {
	a := address.MustParse("ethereum", lazarus)
	bsc := address.MustParse("bsc", lazarus)
	s := loaded(t, nil,
		sources.Static(community,
			sources.Entry{Address: a, Kind: score.Mixer, Ref: "x", ListedAt: day},
			sources.Entry{Address: a, Kind: score.Scam, Ref: "y", ListedAt: day},
			sources.Entry{Address: a, Kind: score.Scam, Ref: "b", ListedAt: day},
		),
		sources.Static(ofac,
			sources.Entry{Address: bsc, Asset: "BSC", Kind: score.Sanctioned, Ref: "2", ListedAt: day},
			sources.Entry{Address: a, Asset: "ETH", Kind: score.Sanctioned, Ref: "2", ListedAt: day},
			sources.Entry{Address: a, Asset: "ETH", Kind: score.Sanctioned, Ref: "2", ListedAt: day},
			sources.Entry{Address: a, Asset: "ETH", Kind: score.Sanctioned, Ref: "1", ListedAt: day},
		))
	r, err := s.Screen(a)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range r.Labels {
		got = append(got, fmt.Sprint(l.Points, l.Source, l.Kind, l.Ref, l.Match))
	}
	want := []string{
		"100 OFAC_SDN SANCTIONED 1 exact", "100 OFAC_SDN SANCTIONED 2 exact",
		"70 COMMUNITY_BADLIST SCAM b exact", "70 COMMUNITY_BADLIST SCAM y exact", "60 COMMUNITY_BADLIST MIXER x exact",
	}
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], " ", "")
	}
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], " ", "")
	}
	if !slices.Equal(got, want) {
		t.Errorf("labels are %q, want %q", got, want)
	}
	r.Labels[0].Ref = "changed"
	if again, _ := s.Screen(a); again.Labels[0].Ref != "1" {
		t.Error("a caller's change of its labels shows in the next answer")
	}
}

// TestOfficialListsFirst lists an account on four lists, with the same points and matches as far
// as that can be: whatever their ids, official lists come first, then the operator's own, and
// then others, and each list is named.
func TestOfficialListsFirst(t *testing.T) {
	list := func(id string, j sources.Jurisdiction, kind score.Kind, address address.Address) sources.Source {
		return sources.Static(sources.Info{ID: id, Name: id, Jurisdiction: j}, sources.Entry{Address: address, Kind: kind, Ref: id})
	}
	a := address.MustParse("ethereum", lazarus)
	s := loaded(t, nil,
		list("AAA_COMMUNITY", sources.Community, score.Ransomware, a), list("BBB_OWN", sources.Operator, score.Blocked, tronOf(a)),
		list("CCC_OWN", sources.Operator, score.Blocked, a), list("YYY", sources.UK, score.Sanctioned, a), list("ZZZ", sources.US, score.Sanctioned, tronOf(a)))
	for _, tt := range []struct {
		chain address.Chain
		text  string
		want  []string
	}{
		{"ethereum", lazarus, []string{"YYY 100", "CCC_OWN 100", "ZZZ 85", "BBB_OWN 85", "AAA_COMMUNITY 85"}},
		{"tron", tronOf(a).Normalized(), []string{"ZZZ 100", "BBB_OWN 100", "YYY 85", "CCC_OWN 85", "AAA_COMMUNITY 75"}},
	} {
		var got []string
		for _, l := range must(s.ScreenText(tt.chain, tt.text)).Labels {
			got = append(got, fmt.Sprintf("%s %d", l.Source, l.Points))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: labels of %q, want %q", tt.chain, got, tt.want)
		}
	}
}

// TestRepetition lists an account twice with two dates and two names, in both orders: the first
// date counts.
func TestRepetition(t *testing.T) {
	first := sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned, Ref: "1", Name: "one", ListedAt: day}
	second := first
	second.Name, second.ListedAt = "two", day.AddDate(0, 0, 2)
	for _, entries := range [][]sources.Entry{{first, second}, {second, first}, {second, second, first, second}} {
		r := must(loaded(t, nil, sources.Static(ofac, entries...)).Screen(first.Address))
		if len(r.Labels) != 1 || r.Labels[0].Name != "one" || !r.Labels[0].AddedAt.Equal(day) {
			t.Errorf("%v has the labels %+v", entries, r.Labels)
		}
	}
}

// TestModel compares Screen and ScreenText with the model, for random lists and queries
// over all chains and all matches.
func TestModel(t *testing.T) {
	longtest.WithoutRace(t)
	pool := vectors.Addresses(t, "..")
	chains := address.Chains()
	literals := []string{paymentID, "0xa7e5d5a720f06526557c513402f2e6b5fa20b00", "D1Ue9fFD1dUaZ", "example.near"}
	kinds := score.Latest().Kinds()[1:] // without BLOCKED, which none of these lists may emit
	rng := rand.New(rand.NewPCG(1, 2))
	// Few references, so that labels repeat.
	entry := func(kinds []score.Kind) sources.Entry {
		e := sources.Entry{
			Kind: kinds[rng.IntN(len(kinds))], Ref: strconv.Itoa(rng.IntN(4)), Name: strconv.Itoa(rng.IntN(3)),
			ListedAt: day.AddDate(0, 0, rng.IntN(3)),
		}
		switch rng.IntN(12) {
		case 0:
			e.Listed = literals[rng.IntN(len(literals))]
			return e
		case 1: // an address that the list does not decode
			others := respelled(pool[rng.IntN(len(pool))])
			if e.Listed = others[rng.IntN(len(others))]; strings.TrimSpace(e.Listed) == "" {
				e.Listed = literals[0]
			}
			e.Asset = []string{"", "ETH", "XBT", "TRX", "DOT", "ATOM", "NEAR"}[rng.IntN(7)]
			return e
		}
		e.Address = pool[rng.IntN(len(pool))]
		if rng.IntN(2) == 0 {
			e.Listed = e.Address.Normalized()
		}
		return e
	}
	now := time.Now()
	exceptions := func() (all []screening.Exception) {
		type scope struct {
			account     address.Address
			source, ref string
		}
		taken := make(map[scope]bool)
		for range rng.IntN(300) {
			e := screening.Exception{Address: pool[rng.IntN(len(pool))], Reason: strconv.Itoa(rng.IntN(100)), Author: "someone"}
			if rng.IntN(2) == 0 {
				e.Source = []string{ofac.ID, community.ID}[rng.IntN(2)]
			}
			if e.Source != "" && rng.IntN(2) == 0 {
				e.Ref = strconv.Itoa(rng.IntN(4))
			}
			if rng.IntN(3) == 0 {
				e.Expires = now.Add(time.Duration(rng.IntN(3)-1) * 1000 * time.Hour)
			}
			if of := (scope{e.Address.Canonical(), e.Source, e.Ref}); !taken[of] {
				taken[of] = true
				all = append(all, e)
			}
		}
		return all
	}
	found := make(map[score.Match]int)
	suppressed := make(map[score.Match]int)
	for range longtest.N(8, 150) {
		m := model{}
		var srcs []sources.Source
		for _, info := range []sources.Info{ofac, community} {
			allowed := kinds
			if info.Jurisdiction == sources.Community {
				allowed = kinds[3:]
			}
			entries := make([]sources.Entry, 1+rng.IntN(60))
			for i := range entries {
				entries[i] = entry(allowed)
			}
			m.ids, m.entries = append(m.ids, info.ID), append(m.entries, entries)
			srcs = append(srcs, sources.Static(info, entries...))
		}
		s := loaded(t, nil, srcs...)
		for i, entries := range m.entries {
			checkHeld(t, s, i, entries)
		}
		excepted := exceptions()
		if err := s.SetExceptions(ctx, excepted); err != nil {
			t.Fatal(err)
		}
		for range 300 {
			var r screening.Result
			var err error
			var want []screening.Label
			a := pool[rng.IntN(len(pool))]
			switch n := rng.IntN(6); n {
			case 0, 1, 2, 3:
				c, others := a.Chain(), respelled(a)
				text := others[rng.IntN(len(others))]
				if n == 0 { // a chain that may or may not take it
					c = chains[rng.IntN(len(chains))]
				}
				if n == 1 {
					text = literals[rng.IntN(len(literals))]
				}
				if i := rng.IntN(2); n == 2 && !m.entries[i][0].Address.IsValid() {
					text = m.entries[i][0].Listed
				}
				b, perr := address.Normalize(c, text)
				if read := address.Interpret(string(c), text); perr != nil && read.Err == nil && len(read.Addresses) == 1 && len(read.Doubts) == 0 &&
					read.Chain == c {
					b, perr = read.Addresses[0], nil // as people write it, with a capital at the beginning
				}
				r, err = s.ScreenText(c, text)
				if want = m.screenText(b, text); perr != nil && want == nil {
					if err == nil {
						t.Fatalf("ScreenText(%s, %q) answers %v, but it is not an address", c, text, r)
					}
					continue
				}
				if others := address.Interpret(string(c), text).Addresses; perr != nil && len(others) > 0 { // on other chains, too
					least := modelScore(excepted, address.Address{}, want, now)
					for _, a := range others { // an exception for one of them holds
						least = min(least, modelScore(excepted, a, want, now))
					}
					if err != nil || r.Address.IsValid() || r.Score < least {
						t.Fatalf("ScreenText(%s, %q) = %+v, %v; want at least %+v", c, text, r, err, want)
					}
					continue
				}
				if rd := address.Interpret(string(c), text); err == nil && len(r.Doubts) > 0 && len(r.Labels) > 0 && slices.Contains(rd.Addresses, r.Address) &&
					r.Score >= modelScore(excepted, b, want, now) {
					continue // a listed account of another chain is in the text
				}
				if err == nil && r.Address != b {
					t.Fatalf("ScreenText(%s, %q) is about %v, want %v", c, text, r.Address, b)
				}
			default:
				r, err = s.Screen(a)
				want = m.screen(a)
			}
			if err != nil {
				t.Fatal(err)
			}
			want, not := modelSplit(excepted, r.Address, want, now)
			if diff := cmp.Diff(want, r.Labels); diff != "" {
				t.Fatalf("labels of %v: -model +real\n%s", r.Address, diff)
			}
			if diff := cmp.Diff(not, r.Suppressed); diff != "" {
				t.Fatalf("suppressed of %v: -model +real\n%s", r.Address, diff)
			}
			for _, l := range not {
				suppressed[l.Match]++
			}
			points := 0
			for _, l := range r.Labels {
				points = max(points, l.Points)
				found[l.Match]++
			}
			if r.Score != points || r.Level != score.Latest().Level(points) {
				t.Fatalf("%v: score %d, level %s; want %d", r.Address, r.Score, r.Level, points)
			}
		}
	}
	for _, m := range []score.Match{score.Exact, score.Family, score.Key, score.Literal} {
		if found[m] == 0 {
			t.Errorf("no match by %s was tried: the test proves nothing about it", m)
		}
		if suppressed[m] == 0 {
			t.Errorf("no match by %s was suppressed", m)
		}
	}
}

// checkHeld checks that the index of source i in s has exactly the given entries, with
// repetitions.
func checkHeld(t *testing.T, s *screening.Screener, i int, entries []sources.Entry) {
	t.Helper()
	held, err := s.EntriesOf(i)
	if err != nil {
		t.Fatal(err)
	}
	said := func(entries []sources.Entry) []string {
		var lines []string
		for _, e := range entries {
			lines = append(lines, fmt.Sprintf("%s %q %q %s %q %q %v", e.Address, e.Text(), e.Asset, e.Kind, e.Ref, e.Name, e.ListedAt))
		}
		slices.Sort(lines)
		return lines
	}
	if diff := cmp.Diff(said(entries), said(held)); diff != "" {
		t.Fatalf("entries held: -given +held\n%s", diff)
	}
}

func TestNewRefusesNonsense(t *testing.T) {
	one := sources.Static(ofac, sanctioned("ethereum", lazarus, "1"))
	for _, tt := range []struct {
		name string
		srcs []sources.Source
		opts *screening.Options
	}{
		{"no sources", nil, nil},
		{"a nil source", []sources.Source{one, nil}, nil},
		{"equal ids", []sources.Source{one, one}, nil},
		{"bad id", []sources.Source{sources.Static(sources.Info{ID: "ofac", Name: "x", Jurisdiction: sources.US})}, nil},
		{"bad jurisdiction", []sources.Source{sources.Static(sources.Info{ID: "A", Name: "x", Jurisdiction: "USA"})}, nil},
		{"unknown optional", []sources.Source{one}, &screening.Options{Optional: []string{"OFAC"}}},
		{"negative age", []sources.Source{one}, &screening.Options{MaxAge: -1}},
	} {
		if s, err := screening.New(tt.srcs, tt.opts); err == nil {
			t.Errorf("%s: New = %v, want an error", tt.name, s)
		}
	}
}

// A flaky source calls its load function.
type flaky struct {
	info sources.Info
	load func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error)
}

func (f *flaky) Info() sources.Info { return f.info }

func (f *flaky) Load(_ context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	return f.load(prev, add)
}

// many returns a load function that returns n entries, the first of them lazarus.
func many(n int) func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		for i := range n {
			text := lazarus
			if i > 0 {
				text = fmt.Sprintf("0x%040x", i)
			}
			if err := add(sanctioned("ethereum", text, strconv.Itoa(i))); err != nil {
				return sources.Revision{}, err
			}
		}
		return sources.Revision{Digest: strconv.Itoa(n), Records: n}, nil
	}
}

func TestFailsClosed(t *testing.T) {
	broken := errors.New("connection reset")
	src := &flaky{info: ofac, load: func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		add(sanctioned("ethereum", lazarus, "1"))
		return sources.Revision{}, broken
	}}
	other := sources.Static(community, sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: score.Scam, ListedAt: day})
	s, err := screening.New([]sources.Source{src, other}, nil)
	if err != nil {
		t.Fatal(err)
	}
	notLoaded := func(when string) {
		t.Helper()
		for _, text := range []string{lazarus, clean} {
			r, err := s.ScreenText("ethereum", text)
			if !errors.Is(err, screening.ErrNotLoaded) || !strings.Contains(err.Error(), "OFAC_SDN") || r.Level != "" {
				t.Errorf("%s: ScreenText = %v, %v; want ErrNotLoaded naming OFAC_SDN", when, r, err)
			}
		}
		if _, err := s.ScreenText("ethereum", "0x12"); !errors.Is(err, address.ErrLength) {
			t.Errorf("%s: a bad address is answered with %v", when, err)
		}
	}
	notLoaded("before the first refresh")

	report, err := s.Refresh(context.Background())
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "source OFAC_SDN: ") {
		t.Errorf("Refresh: %v, want an error that names OFAC_SDN", err)
	}
	if report.Sources[0].Err == nil || report.Sources[1].Err != nil || report.Sources[1].Added != 1 {
		t.Errorf("report is %+v", report)
	}
	notLoaded("after a refresh that failed")
	if st := s.Sources(); st[0].Loaded() || st[0].Err == nil || !st[1].Loaded() || st[1].Addresses != 1 {
		t.Errorf("sources are %+v", st)
	}

	src.load = many(3)
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r, err := s.ScreenText("ethereum", clean); err != nil || r.Level != score.CleanNoMatch {
		t.Errorf("after a good refresh: %v, %v; want clean", r, err)
	}
	if _, err := s.Screen(address.Address{}); !errors.Is(err, screening.ErrZeroAddress) {
		t.Errorf("Screen of the zero Address: %v", err)
	}
}

func TestOptionalSourceIsNotWaitedFor(t *testing.T) {
	src := &flaky{info: community, load: func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
		return sources.Revision{}, errors.New("gone")
	}}
	s, err := screening.New([]sources.Source{sources.Static(ofac, sanctioned("ethereum", lazarus, "1")), src},
		&screening.Options{Optional: []string{"COMMUNITY_BADLIST"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err == nil {
		t.Error("Refresh does not tell that the optional source failed")
	}
	if r, err := s.ScreenText("ethereum", lazarus); err != nil || r.Score != 100 {
		t.Errorf("ScreenText = %v, %v; want 100", r, err)
	}
	if st := s.Sources()[1]; st.Loaded() || st.Required || st.Err == nil {
		t.Errorf("status is %+v", st)
	}
}

// Whatever fault a source has, the last good list stays.
func TestBadListChangesNothing(t *testing.T) {
	bad := func(info sources.Info, e sources.Entry) func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
		return func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			if err := add(e); err != nil {
				return sources.Revision{}, err
			}
			return sources.Revision{Digest: "x", Records: 1}, nil
		}
	}
	a := address.MustParse("ethereum", clean)
	for _, tt := range []struct {
		name string
		info sources.Info
		load func(sources.Revision, func(sources.Entry) error) (sources.Revision, error)
		want error
	}{
		{"error after entries", ofac, func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			add(sanctioned("ethereum", clean, "1"))
			return sources.Revision{Digest: "x", Records: 1}, errors.New("unexpected EOF")
		}, nil},
		{"nothing at all", ofac, func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
			return sources.Revision{Digest: "x"}, nil
		}, nil},
		{"no revision", ofac, func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
			return sources.Revision{}, nil
		}, nil},
		{"panic", ofac, func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) { panic("bug") }, nil},
		{"unknown kind", ofac, bad(ofac, sources.Entry{Address: a, Kind: "SUSPICIOUS"}), nil},
		{"no kind", ofac, bad(ofac, sources.Entry{Address: a}), nil},
		{"nothing listed", ofac, bad(ofac, sources.Entry{Kind: score.Sanctioned, Listed: " "}), nil},
		{"official kind of a community list", community, bad(community, sources.Entry{Address: a, Kind: score.Sanctioned}), nil},
		{"shrunk to nothing known", ofac, func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			return sources.Revision{Digest: "x", Records: 5}, nil
		}, screening.ErrEmptied},
		{"shrunk by 21 %", ofac, many(237), screening.ErrShrunk},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kind := score.Sanctioned
			if tt.info.Jurisdiction == sources.Community {
				kind = score.Scam
			}
			src := &flaky{info: tt.info, load: func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
				return many(300)(prev, func(e sources.Entry) error { e.Kind = kind; return add(e) })
			}}
			s := loaded(t, nil, src)
			before, good := s.Sources()[0], src.load
			src.load = tt.load
			_, err := s.Refresh(context.Background())
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("Refresh: %v, want an error %v", err, tt.want)
			}
			if r, err := s.ScreenText("ethereum", lazarus); err != nil || len(r.Labels) != 1 {
				t.Errorf("the last good list is gone: %v, %v", r, err)
			}
			after := s.Sources()[0]
			if after.Err == nil || after.LastUpdated != before.LastUpdated || after.Digest != before.Digest || after.Addresses != 300 {
				t.Errorf("status is %+v, was %+v", after, before)
			}
			src.load = good
			if _, err := s.Refresh(context.Background()); err != nil || s.Sources()[0].Err != nil {
				t.Errorf("the source does not recover: %v", err)
			}
		})
	}
}

func TestShrinkGuard(t *testing.T) {
	for _, tt := range []struct {
		name     string
		had, has int
		opts     screening.Options
		refused  bool
	}{
		{"all the same", 300, 300, screening.Options{}, false},
		{"3 of 9", 9, 6, screening.Options{}, true},
		{"2 of 9", 9, 7, screening.Options{}, false},
		{"exactly 20 %", 300, 240, screening.Options{}, false},
		{"more than 20 %", 300, 239, screening.Options{}, true},
		{"accepted", 300, 10, screening.Options{Accept: func(source string, reason error, held, came screening.SourceStatus) bool {
			return source == "OFAC_SDN" && errors.Is(reason, screening.ErrShrunk) && held.Addresses == 300 && came.Addresses == 10
		}}, false},
		{"not accepted", 300, 10, screening.Options{Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return false }}, true},
	} {
		src := &flaky{info: ofac, load: many(tt.had)}
		s := loaded(t, &tt.opts, src)
		src.load = many(tt.has)
		report, err := s.Refresh(context.Background())
		if errors.Is(err, screening.ErrShrunk) != tt.refused {
			t.Errorf("%s: Refresh: %v, want refused=%v", tt.name, err, tt.refused)
		}
		want := tt.has
		if tt.refused {
			want = tt.had
		}
		if got := s.Sources()[0].Addresses; got != want || report.Sources[0].Entries != want {
			t.Errorf("%s: holds %d, reports %d, want %d", tt.name, got, report.Sources[0].Entries, want)
		}
		if !tt.refused && report.Sources[0].Removed != tt.had-tt.has {
			t.Errorf("%s: reports %d removed, want %d", tt.name, report.Sources[0].Removed, tt.had-tt.has)
		}
	}
}

// TestShrinkToNothing checks that a list with records but without any address is
// suspect, however short the previous list was.
func TestShrinkToNothing(t *testing.T) {
	for _, had := range []int{1, 9, 300} {
		allow := false
		src := &flaky{info: ofac, load: many(had)}
		s := loaded(t, &screening.Options{Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return allow }}, src)
		src.load = func(sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
			return sources.Revision{Digest: "none", Records: 18_000}, nil
		}
		if _, err := s.Refresh(context.Background()); !errors.Is(err, screening.ErrEmptied) {
			t.Errorf("from %d to none: Refresh: %v, want ErrEmptied", had, err)
		}
		if r, err := s.ScreenText("ethereum", lazarus); err != nil || r.Score != 100 {
			t.Errorf("from %d to none: score %d, %v", had, r.Score, err)
		}
		allow = true
		if _, err := s.Refresh(context.Background()); err != nil || s.Sources()[0].Addresses != 0 {
			t.Errorf("from %d to none by the operator's override: %v", had, err)
		}
	}
}

// TestMaxAgeOfOptional checks that optional sources may be too old, even all of them.
func TestMaxAgeOfOptional(t *testing.T) {
	old := &flaky{info: ofac, load: func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		return sources.Revision{Digest: "1", Records: 1, Checked: day}, add(sanctioned("ethereum", lazarus, "1"))
	}}
	for _, optional := range [][]string{nil, {"OFAC_SDN"}} {
		s := loaded(t, &screening.Options{MaxAge: time.Hour, Optional: optional}, old)
		r, err := s.ScreenText("ethereum", lazarus)
		if optional == nil && !errors.Is(err, screening.ErrStale) || optional != nil && (err != nil || r.Score != 100) {
			t.Errorf("optional %q: score %d, %v", optional, r.Score, err)
		}
	}
}

func TestUnchangedAdvancesTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := loaded(t, &screening.Options{MaxAge: 24 * time.Hour}, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")))
		first := s.Sources()[0]
		if first.LastUpdated != time.Now().UTC() {
			t.Errorf("last updated %v, want now", first.LastUpdated)
		}
		time.Sleep(24 * time.Hour)
		if _, err := s.ScreenText("ethereum", clean); err != nil {
			t.Errorf("at the very age: %v", err)
		}
		time.Sleep(time.Second)
		if _, err := s.ScreenText("ethereum", clean); !errors.Is(err, screening.ErrStale) {
			t.Errorf("beyond the age: %v, want ErrStale", err)
		}
		report, err := s.Refresh(context.Background())
		if err != nil || !report.Sources[0].Unchanged || report.Sources[0].Entries != 1 {
			t.Errorf("Refresh = %+v, %v; want unchanged", report, err)
		}
		second := s.Sources()[0]
		if second.LastUpdated != time.Now().UTC() || second.Digest != first.Digest {
			t.Errorf("status %+v after an unchanged refresh, was %+v", second, first)
		}
		if _, err := s.ScreenText("ethereum", clean); err != nil {
			t.Errorf("after the refresh: %v", err)
		}
	})
}

func TestCheckedIsTheAge(t *testing.T) {
	published := time.Date(2025, 11, 19, 0, 0, 0, 0, time.UTC)
	src := &flaky{info: ofac, load: func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
		err := add(sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: score.Sanctioned, FirstSeen: published})
		return sources.Revision{Digest: "x", Records: 1, Published: published, Checked: published}, err
	}}
	s := loaded(t, nil, src)
	if st := s.Sources()[0]; st.LastUpdated != published || st.Published != published {
		t.Errorf("status %+v, want last updated at %v", st, published)
	}
	r, _ := s.ScreenText("ethereum", lazarus)
	if r.Labels[0].AddedAt != published {
		t.Errorf("added at %v, want the time at which it was first seen, %v", r.Labels[0].AddedAt, published)
	}
}

// TestFirstSeenStays checks that an entry is as old as when it was first seen, or as a copy that had it earlier says.
func TestFirstSeenStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		var said time.Time // of the first entry
		src := &flaky{info: ofac, load: func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			for i := range n {
				e := sources.Entry{Address: address.MustParse("ethereum", fmt.Sprintf("0x%040x", i)), Kind: score.Sanctioned}
				if i == 0 {
					e.FirstSeen = said
				}
				add(e)
			}
			return sources.Revision{Digest: fmt.Sprint(n, said), Records: n}, nil
		}}
		start := time.Now().UTC()
		s, err := screening.New([]sources.Source{src}, nil)
		if err != nil {
			t.Fatal(err)
		}
		check := func(want ...time.Time) {
			t.Helper()
			n = len(want)
			if _, err := s.Refresh(context.Background()); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				r, err := s.ScreenText("ethereum", fmt.Sprintf("0x%040x", i))
				if err != nil || r.Labels[0].AddedAt != want[i] {
					t.Errorf("entry %d was added at %v, want %v (%v)", i, r.Labels[0].AddedAt, want[i], err)
				}
			}
			time.Sleep(time.Hour)
		}
		check(start)
		check(start, start.Add(time.Hour))
		said = start.Add(-time.Hour)
		check(said, start.Add(time.Hour))
		earlier := said
		said = start.Add(time.Minute)
		check(earlier, start.Add(time.Hour))
	})
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loads atomic.Int32
		src := &flaky{info: ofac, load: func(prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			if loads.Add(1) == 2 {
				return sources.Revision{}, errors.New("down")
			}
			return many(1)(prev, add)
		}}
		s, err := screening.New([]sources.Source{src}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Hour)
		defer cancel()
		if err := s.Run(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run: %v", err)
		}
		if got := loads.Load(); got != 4 {
			t.Errorf("loaded %d times in three hours, want 4: at the minutes 0, 60, 61 and 121", got)
		}
		if err := s.Run(context.Background(), 0); err == nil {
			t.Error("Run every 0 does not fail")
		}
	})
}

// TestNeverTorn screens while lists are swapped: each result must come from the snapshot with
// its digest.
func TestNeverTorn(t *testing.T) {
	var generation atomic.Int64
	src := func(info sources.Info, kind score.Kind) sources.Source {
		return &flaky{info: info, load: func(_ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
			g := strconv.FormatInt(generation.Load(), 10)
			err := add(sources.Entry{Address: address.MustParse("ethereum", lazarus), Kind: kind, Ref: g, ListedAt: day})
			return sources.Revision{Digest: g, Records: 1}, err
		}}
	}
	s := loaded(t, nil, src(ofac, score.Sanctioned), src(community, score.Scam))
	var digests sync.Map // digest to the generations of the two lists
	generations := func(r screening.Result) string { return r.Labels[0].Ref + " " + r.Labels[1].Ref }
	note := func() {
		r, err := s.ScreenText("ethereum", lazarus)
		if err != nil {
			t.Error(err)
		}
		digests.Store(r.Digest(), generations(r))
	}
	note()
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, err := s.ScreenText("bsc", lazarusMixed)
				if err != nil || len(r.Labels) != 2 || r.Sources()[0].Digest != r.Labels[0].Ref || r.Sources()[1].Digest != r.Labels[1].Ref {
					t.Errorf("torn answer: %+v, %v", r, err)
					return
				}
				if g, _ := digests.LoadOrStore(r.Digest(), generations(r)); g != generations(r) {
					t.Errorf("the digest of generations %s came with the answer of %s", g, generations(r))
					return
				}
			}
		})
	}
	for range longtest.N(8, 200) {
		generation.Add(1)
		if _, err := s.Refresh(context.Background()); err != nil {
			t.Error(err)
		}
		note()
	}
	close(stop)
	wg.Wait()
}

func TestDigest(t *testing.T) {
	a, b, c := sanctioned("ethereum", lazarus, "1"), sanctioned("ethereum", clean, "2"), sanctioned("bsc", clean, "2")
	digest := func(entries ...sources.Entry) string {
		return must(loaded(t, nil, sources.Static(ofac, entries...)).ScreenText("ethereum", clean)).Digest()
	}
	if digest(a, b) != digest(b, a, b) {
		t.Error("order and repetition change the digest")
	}
	if digest(a, b) == digest(a, c) || digest(a) == digest(a, b) {
		t.Error("different lists have one digest")
	}
	later := a
	later.ListedAt = a.ListedAt.Add(time.Nanosecond)
	if digest(a) == digest(later) {
		t.Error("lists that differ in the date of an entry have one digest")
	}
	later.ListedAt = a.ListedAt.In(time.FixedZone("", 3600))
	if digest(a) != digest(later) {
		t.Error("the time zone of a date changes the digest")
	}
	seen := a
	seen.FirstSeen = day
	if digest(a) != digest(seen) {
		t.Error("the time at which an entry was first seen changes the digest")
	}
}

func TestNoAllocs(t *testing.T) {
	pool := vectors.Addresses(t, "..")
	s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")))
	for _, a := range pool {
		r := must(s.Screen(a))
		if r.Labels != nil || a.Doubt() != "" {
			continue
		}
		if n := testing.AllocsPerRun(10, func() { s.Screen(a) }); n != 0 && !longtest.Race {
			t.Errorf("Screen(%v) allocates %v times", a, n)
		}
		c, text := a.Chain(), a.Normalized()
		if !a.Proven() && len(text) == 66 && len(address.FindAll(text)) > 0 { // a padded EVM address
			continue
		}
		if n := testing.AllocsPerRun(10, func() { s.ScreenText(c, text) }); n != 0 && !longtest.Race {
			t.Errorf("ScreenText(%v) allocates %v times", a, n)
		}
	}
}

// TestSpellingsAllocs checks that ScreenText reads all spellings of a clean address alike,
// and allocates once at most, for a text that is not in normal form.
func TestSpellingsAllocs(t *testing.T) {
	const (
		lower   = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
		mixed   = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf" // EIP-55
		wrong   = "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf"
		upper   = "0x7E5F4552091A69125D5DFCB7B8C2659029395BDF"
		pkh     = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
		sh      = "3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN"
		wpkh    = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
		wsh     = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3"
		tr      = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"
		tron    = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"
		tronHex = "417e5f4552091a69125d5dfcb7b8c2659029395bdf"
		sol     = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"
		monero  = "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A"
		dot     = "12bzRJfh7arnnfPPUZHeJUaE62QLEwhK48QnH9LXeK2m1iZU"
	)
	asked := 0
	s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1"), sanctioned("bitcoin", "3P14159f73E4gFr7JterCCQh9QjiTjiZrG", "2")))
	for _, tt := range []struct {
		chain  address.Chain
		normal string
		text   []string
	}{
		{"ethereum", lower, []string{mixed, wrong, upper, "0X" + upper[2:], "ethereum:" + mixed, "ETHEREUM:" + upper, "ethereum:" + lower,
			"ethereum:pay-" + mixed + "@1?value=1",
			"eth:" + mixed, "eip155:1:" + lower, "eip155:1:" + mixed}},
		{"bsc", lower, []string{mixed, upper, "bsc:" + mixed, "ethereum:" + mixed + "@56", "eip155:56:" + mixed}},
		{"polygon", lower, []string{mixed, upper}},
		{"arbitrum", lower, []string{mixed, upper}},
		{"bitcoin", pkh, []string{"bitcoin:" + pkh, "BITCOIN:" + pkh, "bitcoin:" + pkh + "?amount=1&label=a", "bip122:000000000019d6689c085ae165831e93:" + pkh}},
		{"bitcoin", sh, []string{"bitcoin:" + sh}},
		{"bitcoin", wpkh, []string{strings.ToUpper(wpkh), "bitcoin:" + wpkh, "BITCOIN:" + strings.ToUpper(wpkh), "BITCOIN:" + strings.ToUpper(wpkh) + "?AMOUNT=1",
			"bip122:000000000019d6689c085ae165831e93:" + strings.ToUpper(wpkh)}},
		{"bitcoin", wsh, []string{strings.ToUpper(wsh), "BITCOIN:" + strings.ToUpper(wsh)}},
		{"bitcoin", tr, []string{strings.ToUpper(tr), "BITCOIN:" + strings.ToUpper(tr)}},
		{"tron", tron, []string{tronHex, strings.ToUpper(tronHex), "tron:" + tron, "TRON:" + tron, "tron:" + tronHex, "tron:0x2b6653dc:" + tron}},
		{"solana", sol, []string{"solana:" + sol, "SOLANA:" + sol + "?amount=1", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:" + sol}},
		{"monero", monero, []string{"monero:" + monero, "MONERO:" + monero + "?tx_amount=1"}},
		{"polkadot", dot, []string{"polkadot:" + dot, "polkadot:91b171bb158e2d3848fa23a9f1c25182:" + dot}},
	} {
		want := address.MustParse(tt.chain, tt.normal)
		for _, text := range append(tt.text, tt.normal) {
			for _, text := range []string{text, " " + text + "\r\n"} {
				r, err := s.ScreenText(tt.chain, text)
				_, strict := address.Parse(tt.chain, text)
				r.Doubts = nil
				if err != nil || r.Address != want || r.Level != score.CleanNoMatch ||
					string(must(r.MarshalJSON())) != string(must(must(s.Screen(want)).MarshalJSON())) {
					t.Errorf("ScreenText(%s, %q) = %+v, %v", tt.chain, text, r, err)
				}
				limit := 1.0
				if text == tt.normal {
					limit = 0
				}
				if n := testing.AllocsPerRun(10, func() { s.ScreenText(tt.chain, text) }); n > limit && strict == nil && !longtest.Race {
					t.Errorf("ScreenText(%s, %q) allocates %v times", tt.chain, text, n)
				}
				asked++
			}
		}
	}
	if asked < 100 {
		t.Errorf("%d spellings were screened, want at least 100", asked)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
