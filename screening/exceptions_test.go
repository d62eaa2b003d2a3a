package screening_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/storetest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// except returns an exception for an account.
func except(c address.Chain, text string) screening.Exception {
	return screening.Exception{Address: address.MustParse(c, text), Reason: "license 2026-17", Author: "J. Doe"}
}

// TestExceptions checks which labels an exception covers.
func TestExceptions(t *testing.T) {
	const legacy, segwit = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	const legacyOfSegwit = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
	scam := sources.Entry{Address: address.MustParse("bsc", lazarus), Kind: score.Scam, Ref: "7", ListedAt: day}
	literal := sources.Entry{Listed: paymentID, Kind: score.Sanctioned, Ref: "9", ListedAt: day}
	s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1"), sanctioned("ethereum", lazarus, "2"),
		sanctioned("bitcoin", segwit, "3"), literal), sources.Static(community, scam))
	with := func(e screening.Exception, source, ref string) screening.Exception {
		e.Source, e.Ref = source, ref
		return e
	}
	for _, tt := range []struct {
		name       string
		exceptions []screening.Exception
		chain      address.Chain
		text       string
		score      int
		suppressed string // refs
	}{
		{"none", nil, "ethereum", lazarus, 100, ""},
		{"of another", []screening.Exception{except("ethereum", clean)}, "ethereum", lazarus, 100, ""},
		{"all of it", []screening.Exception{except("ethereum", lazarus)}, "ethereum", lazarus, 0, "1 2 7"},
		{"asked in another spelling", []screening.Exception{except("ethereum", lazarus)}, "ethereum", lazarusMixed, 0, "1 2 7"},
		{"set in another spelling", []screening.Exception{except("ethereum", lazarusMixed)}, "ethereum", lazarus, 0, "1 2 7"},
		{"on a sister chain", []screening.Exception{except("ethereum", lazarus)}, "polygon", lazarus, 0, "1 2 7"},
		{"set on a sister chain", []screening.Exception{except("polygon", lazarus)}, "ethereum", lazarus, 0, "1 2 7"},
		{"of one source", []screening.Exception{with(except("ethereum", lazarus), "OFAC_SDN", "")}, "ethereum", lazarus, 70, "1 2"},
		{"of the other", []screening.Exception{with(except("ethereum", lazarus), community.ID, "")}, "ethereum", lazarus, 100, "7"},
		{"of one reference", []screening.Exception{with(except("ethereum", lazarus), "OFAC_SDN", "2")}, "ethereum", lazarus, 100, "2"},
		{"of a reference that is not there", []screening.Exception{with(except("ethereum", lazarus), "OFAC_SDN", "7")}, "ethereum", lazarus, 100, ""},
		{"two", []screening.Exception{with(except("ethereum", lazarus), "OFAC_SDN", "1"), with(except("ethereum", lazarus), community.ID, "")}, "ethereum",
			lazarus, 100, "1 7"},
		{"listed, found by its account", []screening.Exception{except("bitcoin", segwit)}, "bitcoin", segwit, 0, "3"},
		{"listed, but another of its key is asked", []screening.Exception{except("bitcoin", segwit)}, "bitcoin", legacyOfSegwit, 85, ""},
		{"not listed, but found by its key", []screening.Exception{except("bitcoin", legacyOfSegwit)}, "bitcoin", legacyOfSegwit, 0, "3"},
		{"the same key elsewhere", []screening.Exception{except("bitcoin", legacyOfSegwit)}, "litecoin", "LVuDpNCSSj6pQ7t9Pv6d6sUkLKoqDEVUnJ", 85, ""},
		{"a string that is not an address", []screening.Exception{except("ethereum", lazarus)}, "monero", paymentID, 100, ""},
		{"clean", []screening.Exception{except("bitcoin", legacy)}, "bitcoin", legacy, 0, ""},
	} {
		if err := s.SetExceptions(ctx, tt.exceptions); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		r, err := s.ScreenText(tt.chain, tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var refs []string
		for _, x := range r.Suppressed {
			refs = append(refs, x.Ref)
			if x.Reason != "license 2026-17" || x.Author != "J. Doe" || x.Points == 0 {
				t.Errorf("%s: suppressed is %+v", tt.name, x)
			}
		}
		if r.Score != tt.score || r.Level != score.Latest().Level(tt.score) || strings.Join(refs, " ") != tt.suppressed || (r.Score == 0) != (r.Labels == nil) {
			t.Errorf("%s: %+v, want the score %d and the suppressed %q", tt.name, r, tt.score, tt.suppressed)
		}
		if got := s.Exceptions(); !slices.Equal(got, tt.exceptions) {
			t.Errorf("%s: the exceptions are %+v", tt.name, got)
		}
	}
}

// TestExceptionOfMany checks that the result shows the most specific exception.
func TestExceptionOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")))
		all, source, ref := except("ethereum", lazarus), except("ethereum", lazarus), except("bsc", lazarus)
		all.Reason, source.Reason, ref.Reason = "all", "source", "ref"
		source.Source, ref.Source, ref.Ref = "OFAC_SDN", "OFAC_SDN", "1"
		start := time.Now()
		all.Expires, source.Expires, ref.Expires = start.Add(3*time.Hour), start.Add(2*time.Hour), start.Add(time.Hour)
		all.Created = start.Add(-time.Hour)
		for _, exceptions := range [][]screening.Exception{{all, source, ref}, {ref, all, source}} {
			if err := s.SetExceptions(ctx, exceptions); err != nil {
				t.Fatal(err)
			}
			if r := must(s.ScreenText("ethereum", lazarus)); len(r.Suppressed) != 1 || r.Suppressed[0].Reason != "ref" {
				t.Errorf("%+v, want the reason %q", r, "ref")
			}
		}
		for _, tt := range []struct {
			at     time.Duration
			reason string
		}{{time.Hour - 1, "ref"}, {time.Hour, "source"}, {2*time.Hour - 1, "source"}, {2 * time.Hour, "all"}, {3*time.Hour - 1, "all"}, {3 * time.Hour, ""},
			{100 * time.Hour, ""}} {
			time.Sleep(tt.at - time.Since(start))
			r := must(s.ScreenText("ethereum", lazarus))
			switch {
			case tt.reason == "" && r.Score == 100 && r.Suppressed == nil:
			case tt.reason != "" && r.Score == 0 && len(r.Suppressed) == 1 && r.Suppressed[0].Reason == tt.reason:
			default:
				t.Errorf("after %v: %+v, want the reason %q", tt.at, r, tt.reason)
			}
			if tt.reason == "all" && (!r.Suppressed[0].Expires.Equal(all.Expires)) {
				t.Errorf("suppressed is %+v", r.Suppressed[0])
			}
		}
	})
}

// TestExceptionsNotTaken checks that an invalid exception changes nothing.
func TestExceptionsNotTaken(t *testing.T) {
	s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")))
	had := []screening.Exception{except("ethereum", lazarus)}
	if err := s.SetExceptions(ctx, had); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 4097)
	now := time.Now()
	for _, tt := range []struct {
		name, field string
		change      func(*screening.Exception)
		want        error
	}{
		{"no address", "address", func(e *screening.Exception) { e.Address = address.Address{} }, screening.ErrZeroAddress},
		{"no reason", "reason", func(e *screening.Exception) { e.Reason = "" }, nil},
		{"blank reason", "reason", func(e *screening.Exception) { e.Reason = " \t" }, nil},
		{"long reason", "reason", func(e *screening.Exception) { e.Reason = long }, nil},
		{"odd reason", "reason", func(e *screening.Exception) { e.Reason = "a\xff" }, nil},
		{"no author", "author", func(e *screening.Exception) { e.Author = "" }, nil},
		{"long author", "author", func(e *screening.Exception) { e.Author = long }, nil},
		{"another source", "source", func(e *screening.Exception) { e.Source = "OFAC" }, nil},
		{"reference of no source", "ref", func(e *screening.Exception) { e.Ref = "1" }, nil},
		{"long reference", "ref", func(e *screening.Exception) { e.Source, e.Ref = "OFAC_SDN", long }, nil},
		{"ended before", "expires_at", func(e *screening.Exception) { e.Created, e.Expires = now, now }, nil},
		{"far future", "expires_at", func(e *screening.Exception) { e.Expires = now.AddDate(9000, 0, 0) }, nil},
		{"far past", "created_at", func(e *screening.Exception) { e.Created = now.AddDate(-9000, 0, 0) }, nil},
		{"twice", "", func(e *screening.Exception) { e.Address = address.MustParse("bsc", clean) }, screening.ErrDuplicateException},
	} {
		bad := except("ethereum", lazarus)
		tt.change(&bad)
		err := s.SetExceptions(ctx, []screening.Exception{except("ethereum", clean), bad})
		if err == nil || !strings.HasPrefix(err.Error(), "exception 2: "+tt.field) || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want an error about exception 2 and its field %q", tt.name, err, tt.field)
		}
		if r := must(s.ScreenText("ethereum", lazarus)); len(r.Suppressed) != 1 || !slices.Equal(s.Exceptions(), had) {
			t.Errorf("%s: it has changed something: %+v", tt.name, r)
		}
	}
	many := make([]screening.Exception, 100_001)
	for i := range many {
		many[i] = except("ethereum", fmt.Sprintf("0x%040x", i))
	}
	if err := s.SetExceptions(ctx, many); err == nil || !strings.HasPrefix(err.Error(), "exception 100001: ") {
		t.Errorf("too many: %v", err)
	}
	if err := s.SetExceptions(ctx, many[1:]); err != nil {
		t.Errorf("as many as may be: %v", err)
	}
	if err := s.SetExceptions(ctx, had); err != nil {
		t.Fatal(err)
	}
	mine := s.Exceptions()
	had[0].Reason, mine[0].Reason = "changed", "changed"
	if r := must(s.ScreenText("ethereum", lazarus)); r.Suppressed[0].Reason != "license 2026-17" || s.Exceptions()[0].Reason != "license 2026-17" {
		t.Error("a caller's change of its exceptions shows")
	}
}

// TestExceptionsInDigest checks how exceptions affect the digest.
func TestExceptionsInDigest(t *testing.T) {
	s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")))
	digest := func(exceptions ...screening.Exception) string {
		t.Helper()
		if err := s.SetExceptions(ctx, exceptions); err != nil {
			t.Fatal(err)
		}
		return must(s.ScreenText("ethereum", clean)).Digest()
	}
	none := must(s.ScreenText("ethereum", clean)).Digest()
	a, b := except("ethereum", lazarus), except("ethereum", clean)
	base := digest(a, b)
	if base == none || digest() != none || digest(b, a) != base {
		t.Error("the digest depends on their order, or is not that of the lists if there are none")
	}
	respelt := a
	respelt.Address = address.MustParse("polygon", lazarusMixed)
	if digest(respelt, b) != base {
		t.Error("the digest depends on how an account is spelt")
	}
	digests := map[string]string{base: "base", none: "none", digest(a): "a"}
	for name, change := range map[string]func(*screening.Exception){
		"reason":  func(e *screening.Exception) { e.Reason = "other" },
		"author":  func(e *screening.Exception) { e.Author = "other" },
		"source":  func(e *screening.Exception) { e.Source = "OFAC_SDN" },
		"ref":     func(e *screening.Exception) { e.Source, e.Ref = "OFAC_SDN", "1" },
		"created": func(e *screening.Exception) { e.Created = day },
		"expires": func(e *screening.Exception) { e.Expires = day },
		"account": func(e *screening.Exception) { e.Address = address.MustParse("ethereum", fmt.Sprintf("0x%040x", 1)) },
	} {
		other := a
		change(&other)
		d := digest(other, b)
		if was, ok := digests[d]; ok {
			t.Errorf("%s: the digest is that of %s", name, was)
		}
		digests[d] = name
	}
}

// TestExceptionsNeverTorn sets exceptions and refreshes while readers screen: each
// result must be from one snapshot.
func TestExceptionsNeverTorn(t *testing.T) {
	s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")))
	var digests [2]string
	set := func(i int) {
		if err := s.SetExceptions(ctx, [][]screening.Exception{nil, {except("ethereum", lazarus)}}[i]); err != nil {
			t.Error(err)
		}
	}
	for i := range digests {
		set(i)
		digests[i] = must(s.ScreenText("ethereum", clean)).Digest()
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, err := s.ScreenText("ethereum", lazarus)
				i := len(r.Suppressed)
				if err != nil || i > 1 || len(r.Labels) != 1-i || r.Digest() != digests[i] {
					t.Errorf("torn answer: %+v, %v", r, err)
					return
				}
			}
		})
	}
	for i := range 300 {
		set(i % 2)
		if _, err := s.Refresh(ctx); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
}

// TestExceptionsNoAllocs checks that screening a clean address does not allocate if
// there are exceptions.
func TestExceptionsNoAllocs(t *testing.T) {
	s := loaded(t, nil, sources.Static(ofac, sanctioned("ethereum", lazarus, "1")))
	if err := s.SetExceptions(ctx, []screening.Exception{except("ethereum", lazarus), except("ethereum", clean)}); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { s.ScreenText("ethereum", clean) }); n != 0 && !longtest.Race {
		t.Errorf("ScreenText allocates %v times", n)
	}
}

// TestExceptionsOfThePast checks that a Past applies the exceptions of its time, and
// expires them as of that time.
func TestExceptionsOfThePast(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st := openStore(t, dir)
		src := sources.Static(ofac, sanctioned("ethereum", lazarus, "1"), sanctioned("ethereum", clean, "2"))
		s := newScreener(t, &screening.Options{Store: st}, src)
		start := time.Now()
		e, odd := except("ethereum", lazarus), except("bitcoin-cash", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a")
		e.Created, e.Expires = start.Add(-time.Hour), start.Add(36*time.Hour)
		odd.Source, odd.Ref, odd.Reason, odd.Author = "OFAC_SDN", "\u2028", "\"<&>\\\n\x00", "é"
		if err := s.SetExceptions(ctx, []screening.Exception{e, odd}); err != nil { // before a list is loaded
			t.Fatal(err)
		}
		if _, err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		type said struct {
			at     time.Time
			digest string
			text   string
			all    []screening.Exception
		}
		say := func(s interface {
			ScreenText(address.Chain, string) (screening.Result, error)
			Exceptions() []screening.Exception
		}) said {
			a, b := must(s.ScreenText("ethereum", lazarus)), must(s.ScreenText("ethereum", clean))
			return said{time.Now(), a.Digest(), fmt.Sprint(a.Score, a.Level, a.Labels, a.Suppressed, b.Score, b.Labels, b.Suppressed), s.Exceptions()}
		}
		past := []said{say(s)}
		for i, exceptions := range [][]screening.Exception{nil, {except("ethereum", clean)}, {odd, e}, {odd, e}, {odd, e}, nil} {
			time.Sleep(10 * time.Hour) // the first ends
			if i != 3 {
				if err := s.SetExceptions(ctx, exceptions); err != nil {
					t.Fatal(err)
				}
			}
			past = append(past, say(s))
		}
		time.Sleep(1000 * time.Hour)
		for i, want := range past {
			p, err := screening.OpenAt(ctx, st, want.at, []sources.Source{src}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := say(p)
			if got.digest != want.digest || got.text != want.text || !reflect.DeepEqual(got.all, want.all) {
				t.Errorf("%d: it was\n%+v, and is\n%+v", i, want, got)
			}
			if p, err = screening.OpenDigest(ctx, st, want.digest, []sources.Source{src}, nil); err != nil || say(p).digest != want.digest {
				t.Errorf("%d: by digest: %v", i, err)
			}
		}
		forgetful := &journalStore{Store: st, change: func(line string) string {
			if strings.Contains(line, `"type":"exceptions"`) {
				return ""
			}
			return line
		}}
		for i, want := range past {
			if p, err := screening.OpenAt(ctx, forgetful, want.at, []sources.Source{src}, nil); err == nil && say(p).digest != want.digest {
				t.Errorf("%d: without the exceptions, the lists of %v are %s", i, want.at, say(p).digest)
			} else if err != nil && !errors.Is(err, store.ErrGap) {
				t.Errorf("%d: without the exceptions: %v, want ErrGap", i, err)
			}
		}
	})
}

func TestReadExceptions(t *testing.T) {
	const good = `{"chain":"ethereum","address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","reason":"license 2026-17","author":"J. Doe"}`
	got, err := screening.ReadExceptions(strings.NewReader("\ufeff\n" + good + "\r\n  \n" +
		`{ "address": "16iWn2J1McqjToYLHSsAyS6En3QA8YQ91H", "chain": "bitcoin", "source": "COMMUNITY_BADLIST", "ref": "17", ` +
		`"reason": "r", "author": "a", "created_at": "2026-11-21T04:57:29+01:00", "expires_at": "2027-01-01T00:00:00.5Z" }`))
	full := screening.Exception{
		Address: address.MustParse("bitcoin", "16iWn2J1McqjToYLHSsAyS6En3QA8YQ91H"), Source: community.ID, Ref: "17", Reason: "r", Author: "a",
		Created: time.Date(2026, 11, 21, 3, 57, 29, 0, time.UTC), Expires: time.Date(2027, 1, 1, 0, 0, 0, 500_000_000, time.UTC),
	}
	if diff := cmp.Diff([]screening.Exception{except("ethereum", lazarus), full}, got,
		cmp.Comparer(func(a, b address.Address) bool { return a == b })); diff != "" ||
		err != nil {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
	if got, err := screening.ReadExceptions(strings.NewReader("")); got != nil || err != nil {
		t.Errorf("of nothing: %v, %v", got, err)
	}

	if _, err := screening.ReadExceptions(strings.NewReader("{\n" + good[1:])); err == nil || err.Error() != "line 1: want a whole JSON object in UTF-8 on each line" {
		t.Errorf("an object on two lines: %v", err)
	}

	with := func(member string) string { return strings.TrimSuffix(good, "}") + "," + member + "}" }
	for _, tt := range []struct{ field, line string }{
		{"", "x"}, {"", "[]"}, {"", "{"}, {"", `"x"`}, {"", good[:len(good)-1]}, {"", good + good}, {"", good + "x"}, {"", "{}}"},
		{"", with(`"unknown":"x"`)}, {"", with(`"Ref":"x"`)}, {"", with(`"reason":"x"`)}, {"", with(`"ref":1`)}, {"", with(`"ref":null`)},
		{"", with(`"ref":{"a":"b"}`)}, {"", with(`"ref":`)}, {"", with("\"ref\":\"\xff\"")}, {"", with(`"ref":"` + strings.Repeat("x", 1<<16) + `"`)},
		{"chain", "{}"}, {"chain", strings.Replace(good, "ethereum", "ETH", 1)},
		{"address", `{"chain":"ethereum"}`}, {"address", strings.Replace(good, "0x098B", "0x98B", 1)},
		{"reason", strings.Replace(good, "license 2026-17", " ", 1)}, {"author", strings.Replace(good, `"author"`, `"source"`, 1)},
		{"ref", with(`"ref":"1"`)},
		{"created_at", with(`"created_at":""`)}, {"expires_at", with(`"expires_at":"2026-11-21"`)}, {"expires_at", with(`"expires_at":"0001-01-01T00:00:00Z"`)},
		{"expires_at", with(`"created_at":"2027-01-01T00:00:00Z","expires_at":"2026-01-01T00:00:00Z"`)},
	} {
		got, err := screening.ReadExceptions(strings.NewReader(good + "\n\n" + tt.line + "\n" + good))
		if got != nil || err == nil || !strings.HasPrefix(err.Error(), "line 3: "+tt.field) {
			t.Errorf("%.100s: %v, %v, want an error about line 3 and the field %q", tt.line, got, err, tt.field)
		}
	}
	if _, err := screening.ReadExceptions(iotest.TimeoutReader(io.MultiReader(strings.NewReader(good+"\n"), strings.NewReader(good)))); !errors.Is(
		err,
		iotest.ErrTimeout,
	) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// FuzzReadExceptions checks that SetExceptions accepts the exceptions that
// ReadExceptions returns, unless there are duplicates, and that they can be read back
// from the journal unchanged.
func FuzzReadExceptions(f *testing.F) {
	f.Add(`{"chain":"ethereum","address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","reason":"\ud800","author":"\u0000"}`)
	f.Add(
		`{"chain":"xrp","address":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","source":"OFAC_SDN","ref":"1","reason":"r","author":"a","expires_at":"2027-01-01T00:00:00Z"}`,
	)
	src := sources.Static(ofac, sanctioned("ethereum", lazarus, "1"))
	f.Fuzz(func(t *testing.T, text string) {
		all, err := screening.ReadExceptions(strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") || all != nil {
				t.Errorf("%v with %v", all, err)
			}
			return
		}
		st := new(storetest.Memory)
		s := newScreener(t, &screening.Options{Store: st}, src)
		if err := s.SetExceptions(ctx, all); err != nil {
			if strings.Contains(err.Error(), ": source: ") || errors.Is(err, screening.ErrDuplicateException) {
				return
			}
			t.Fatal(err)
		}
		if _, err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		kept := ""
		for _, l := range linesOf(t, st) {
			if l.Exceptions != nil {
				kept = l.Exceptions.Text
			}
		}
		again, err := screening.ReadExceptions(strings.NewReader(kept))
		if err != nil || !reflect.DeepEqual(again, all) {
			t.Errorf("kept as %q, which is %v, %v, and was %v", kept, again, err, all)
		}
	})
}

// An allowing list is a list of the operator's own that allows accounts.
type allowing struct {
	flaky
	allowed []sources.Allowed
}

func (a *allowing) Allowed() ([]sources.Allowed, error) { return a.allowed, nil }

// TestAllowedWithoutExceptions refuses an own list that allows accounts until SetExceptions is called.
func TestAllowedWithoutExceptions(t *testing.T) {
	info := sources.Info{ID: "OWN", Name: "own list", Jurisdiction: sources.Operator}
	own := &allowing{flaky: flaky{info: info, load: (&edition{rev: sources.Revision{Digest: digestOf(1)}}).load}}
	if s := newScreener(t, nil, own); must(s.Refresh(ctx)).Sources[0].Err != nil {
		t.Error("a list that allows nothing is refused")
	}
	own.allowed = []sources.Allowed{{Address: listing(1).Address}}
	s := newScreener(t, nil, own)
	if _, err := s.Refresh(ctx); err == nil || !strings.Contains(err.Error(), "SetExceptions") || s.Sources()[0].Loaded() {
		t.Errorf("Refresh: %v, want an error about SetExceptions", err)
	}
	if err := s.SetExceptions(ctx, nil); err != nil {
		t.Error(err)
	}
	if _, err := s.Refresh(ctx); err != nil || len(s.Exceptions()) != 1 {
		t.Errorf("with SetExceptions: %v, %d exceptions", err, len(s.Exceptions()))
	}
}

// TestExceptionsInOrder sets exceptions from several goroutines: the program answers with those that the journal has last.
func TestExceptionsInOrder(t *testing.T) {
	var st *storetest.Memory
	var s *screening.Screener
	for round := range 300 {
		if round%25 == 0 {
			st = new(storetest.Memory)
			s = newScreener(t, &screening.Options{Store: st}, staticOf([]sources.Entry{sanctioned("ethereum", lazarus, "1")}))
			refresh(t, s)
		}
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				allow := screening.Exception{Address: address.MustParse("ethereum", lazarus), Reason: fmt.Sprintf("reason %d of %d", i, round), Author: "Jo Roe"}
				if err := s.SetExceptions(ctx, []screening.Exception{allow}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		last := string(st.Lines[len(st.Lines)-1])
		if got := s.Exceptions()[0].Reason; !strings.Contains(last, got) {
			t.Fatalf("it answers with %q, and the last line is %s", got, last)
		}
	}
}

// TestExceptionsUnsaid starts a program with other exceptions than the journal has, while nothing can be written there: of the
// times until that works, it is not known which exceptions held.
func TestExceptionsUnsaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, src := new(storetest.Memory), &flaky{info: ofac, load: numbered(1, 1)}
		refresh(t, newScreener(t, &screening.Options{Store: mem}, src))
		time.Sleep(time.Hour)
		st := &faultyStore{Store: mem, append: errUnreliable}
		s := newScreener(t, &screening.Options{Store: st}, src)
		e := screening.Exception{Address: listing(1).Address, Reason: "license", Author: "test"}
		if err := s.SetExceptions(ctx, []screening.Exception{e}); err != nil {
			t.Fatal(err)
		}
		s.Refresh(ctx)
		time.Sleep(time.Hour)
		at, answer := time.Now(), must(s.Screen(listing(1).Address))
		time.Sleep(time.Hour)
		st.append = nil
		refresh(t, s)
		p, err := screening.OpenAt(ctx, mem, at, []sources.Source{src}, nil)
		if err == nil {
			if past := must(p.Screen(listing(1).Address)); past.Score != answer.Score {
				t.Errorf("it answers %d points, and answered %d then", past.Score, answer.Score)
			}
		} else if !errors.Is(err, store.ErrGap) {
			t.Error(err)
		}
	})
}
