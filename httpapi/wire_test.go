package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// The types below describe the response to POST /api/v1/screen for encoding/json, one
// for each table of the API. The tests compare responses with them.

type result struct {
	Address        string       `json:"address"`
	Chain          string       `json:"chain"`
	Score          int          `json:"score"`
	Level          string       `json:"level"`
	Labels         []label      `json:"labels"`
	Suppressed     []suppressed `json:"suppressed,omitempty"`
	DataFreshness  freshnessOf  `json:"data_freshness"`
	ScoringVersion string       `json:"scoring_version"`
	Snapshot       string       `json:"snapshot"`
	ScreenedAt     *string      `json:"screened_at"`
	Disclaimer     string       `json:"_disclaimer"`
}

type label struct {
	Label         string  `json:"label"`
	Source        string  `json:"source"`
	SourceRef     string  `json:"source_ref"`
	AddedAt       *string `json:"added_at"`
	Name          string  `json:"name,omitempty"`
	Match         string  `json:"match"`
	ListedAddress string  `json:"listed_address"`
	URL           string  `json:"url,omitempty"`
}

type suppressed struct {
	label
	Reason    string  `json:"reason"`
	Author    string  `json:"author"`
	ExpiresAt *string `json:"expires_at"`
}

type freshness struct {
	LastUpdated  *string `json:"last_updated"`
	AgeSeconds   *int64  `json:"age_seconds"`
	PublishedAt  *string `json:"published_at"`
	Partial      bool    `json:"partial"`
	Completeness *string `json:"completeness"`
	Required     bool    `json:"required"`
}

// A freshnessOf is a JSON object by source id, ordered by id.
type freshnessOf struct {
	ids []string
	of  map[string]freshness
}

// MarshalJSON writes the members one by one: a map would sort them.
func (f freshnessOf) MarshalJSON() ([]byte, error) {
	var members []string
	for _, id := range f.ids {
		member := bytes.TrimSpace(marshal(map[string]freshness{id: f.of[id]}))
		members = append(members, string(member[1:len(member)-1]))
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

func timeModel(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format("2006-01-02T15:04:05Z")
	return &s
}

// modelOf returns the response to a request with the result r.
func modelOf(text, chain string, r screening.Result, now time.Time) result {
	m := result{
		Address: r.Address.Normalized(), Chain: chain, Score: r.Score, Level: string(r.Level), Labels: []label{},
		DataFreshness: freshnessModel(r.Sources(), now), ScoringVersion: r.ScoringVersion, Snapshot: r.Digest(), ScreenedAt: timeModel(now), Disclaimer: disclaimer,
	}
	if !r.Address.IsValid() {
		m.Address = strings.TrimSpace(text)
	}
	for _, l := range r.Labels {
		m.Labels = append(m.Labels, labelModel(l))
	}
	for _, x := range r.Suppressed {
		m.Suppressed = append(m.Suppressed, suppressedModel(x))
	}
	return m
}

func suppressedModel(x screening.Suppressed) suppressed {
	return suppressed{labelModel(x.Label), x.Reason, x.Author, timeModel(x.Expires)}
}

func labelModel(l screening.Label) label {
	return label{
		Label: string(l.Kind), Source: l.Source, SourceRef: l.Ref, AddedAt: timeModel(l.AddedAt),
		Name: l.Name, Match: l.Match.String(), ListedAddress: l.Listed,
	}
}

func freshnessModel(status []screening.SourceStatus, now time.Time) freshnessOf {
	m := freshnessOf{of: map[string]freshness{}}
	for _, s := range status {
		f := freshness{LastUpdated: timeModel(s.LastUpdated), PublishedAt: timeModel(s.Published), Partial: s.Completeness == sources.Partial, Required: s.Required}
		if f.LastUpdated != nil {
			age := max(0, int64(now.Sub(s.LastUpdated)/time.Second))
			f.AgeSeconds = &age
		}
		if s.Digest != "" {
			text := s.Completeness.String()
			f.Completeness = &text
		}
		m.ids, m.of[s.Info.ID] = append(m.ids, s.Info.ID), f
	}
	return m
}

// disclaimer is part of every response.
const disclaimer = "Informational screening signals from public sanctions lists and risk databases; not legal, compliance or investment advice. " +
	"The data may be incomplete, delayed or wrong. The decision, and any action, is the caller's own."

// marshal returns v as encoding/json writes it without HTML escapes, with a newline.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

var questions = []struct {
	name    string
	chain   address.Chain
	address string
}{
	{"clean", "ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"},
	{"listed", "ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"},
	{"family", "bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"},
	{"key", "bitcoin", "bc1qpa78qajm34ypqk6unwwn9tgxrc9evaez76c64s"},
	{"literal", "monero", " 5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320\t"},
}

// TestAppendResult compares real responses with encoding/json.
func TestAppendResult(t *testing.T) {
	var w httpapi.ResultWriter
	for i := range 4 { // several Screeners, so that the freshness changes
		s := newLoadedScreener(t)
		if err := s.SetExceptions(t.Context(), exceptions[:i]); err != nil {
			t.Fatal(err)
		}
		for _, q := range questions {
			r, err := s.ScreenText(q.chain, q.address)
			if err != nil {
				t.Fatal(err)
			}
			for _, after := range []time.Duration{-time.Hour, 0, 999 * time.Millisecond, time.Second, 90 * time.Minute, 0, 100 * 365 * 24 * time.Hour} {
				now := time.Now().Add(after)
				got, want := w.Append(nil, q.address, string(q.chain), &r, now), marshal(modelOf(q.address, string(q.chain), r, now))
				if !bytes.Equal(got, want) {
					t.Errorf("%s:\n got %s\nwant %s", q.name, got, want)
				}
			}
		}
	}
}

// TestAppendResultFollows checks that a response has the freshness of its own snapshot,
// also between responses from older and newer ones.
func TestAppendResultFollows(t *testing.T) {
	list := &aged{Source: ofac}
	s, err := screening.New([]sources.Source{list}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var w httpapi.ResultWriter
	var results []screening.Result
	now := date(2026, 2, 1)
	for day := range 3 {
		list.checked = date(2026, 1, 1+day)
		if _, err := s.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		r, err := s.ScreenText("ethereum", questions[0].address)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
		for range 2 {
			for _, r := range results {
				got, want := w.Append(nil, questions[0].address, "ethereum", &r, now), marshal(modelOf(questions[0].address, "ethereum", r, now))
				if !bytes.Equal(got, want) {
					t.Errorf("day %d:\n got %s\nwant %s", day, got, want)
				}
			}
		}
	}
	if results[0].Sources()[0].LastUpdated.Equal(results[2].Sources()[0].LastUpdated) {
		t.Error("the lists did not age")
	}
}

// TestAppendResultAges checks that no response has an outdated age, whatever the order
// of the requests.
func TestAppendResultAges(t *testing.T) {
	start := date(2026, 2, 1)
	srcs := []sources.Source{&aged{ofac, start}, &aged{eu, start.Add(-250 * time.Millisecond)}, &aged{uk, start.Add(time.Minute)}}
	s, err := screening.New(srcs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := s.ScreenText("ethereum", questions[0].address)
	if err != nil {
		t.Fatal(err)
	}
	var w httpapi.ResultWriter
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		now := start.Add(time.Duration(i) * 10 * time.Millisecond)
		if i%2 > 0 {
			now = start.Add(time.Duration(rnd.Int64N(int64(2 * time.Minute))))
		}
		got, want := w.Append(nil, questions[0].address, "ethereum", &r, now), marshal(modelOf(questions[0].address, "ethereum", r, now))
		if !bytes.Equal(got, want) {
			t.Fatalf("%v:\n got %s\nwant %s", now, got, want)
		}
	}
}

// An aged source has a given time of its last check.
type aged struct {
	sources.Source
	checked time.Time
}

func (s *aged) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := s.Source.Load(ctx, prev, add)
	rev.Checked = s.checked
	return rev, err
}

// TestAppendResultAllocs checks that writing a response does not allocate.
func TestAppendResultAllocs(t *testing.T) {
	s := newLoadedScreener(t)
	var w httpapi.ResultWriter
	var b []byte
	for _, q := range questions {
		r, err := s.ScreenText(q.chain, q.address)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { b = w.Append(b[:0], q.address, string(q.chain), &r, time.Now()) }); n != 0 {
			t.Errorf("%s: %v allocations", q.name, n)
		}
	}
}

// freshnessEnd is the part of a response that begins with data_freshness.
type freshnessEnd struct {
	DataFreshness  any    `json:"data_freshness"`
	ScoringVersion string `json:"scoring_version"`
	Snapshot       string `json:"snapshot"`
}

// checkFreshness compares that part of a response with encoding/json.
func checkFreshness(t *testing.T, status []screening.SourceStatus, version string, now time.Time, freshness any) {
	t.Helper()
	got := []byte("{" + httpapi.Freshness(status, version, version, now) + "}\n")
	if want := marshal(freshnessEnd{freshness, version, version}); !bytes.Equal(got, want) {
		t.Errorf("%v %q %v\n got %s\nwant %s", status, version, now, got, want)
	}
}

// TestFreshness compares data_freshness with a map, which encoding/json sorts.
func TestFreshness(t *testing.T) {
	status := newLoadedScreener(t).Sources()
	slices.SortFunc(status, func(a, b screening.SourceStatus) int { return strings.Compare(a.Info.ID, b.Info.ID) })
	status[1].LastUpdated = time.Time{}
	now := time.Now().Add(time.Hour)
	for n := range len(status) + 1 {
		checkFreshness(t, status[:n], "v1.1", now, freshnessModel(status[:n], now).of)
	}
}

// FuzzAppendJSON compares appended JSON with encoding/json.
func FuzzAppendJSON(f *testing.F) {
	var ascii strings.Builder
	for c := range 128 {
		ascii.WriteByte(byte(c))
	}
	for _, s := range []string{
		"", ascii.String(), `"\`, "a\"", "\\b", "<&>", "1234567\"", "12345678\x1f", "\x7f\x20\x80",
		"é€😀", "\u2028\u2029", "\ufffd", // the real one is not escaped
		"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", // not UTF-8
		"\u0085\u00a0\ufeff",
	} {
		f.Add(s, int64(0), int64(1_700_000_000), uint8(2))
	}
	f.Add("", int64(-1), int64(0), uint8(0))
	f.Add("x", int64(1<<62), int64(253402300799), uint8(1))
	f.Add("x", int64(100), time.Time{}.Unix(), uint8(1))
	f.Fuzz(func(t *testing.T, s string, age, unix int64, n uint8) {
		if got, want := append(httpapi.AppendString(s), '\n'), marshal(s); !bytes.Equal(got, want) {
			t.Errorf("string %q:\n got %s\nwant %s", s, got, want)
		}
		want := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > 0x7f || r == '"' || r == '\\' })
		if got := httpapi.Plain(s); got != want && !(want < 0 && got == len(s)) {
			t.Errorf("string %q: %d plain bytes, want %d", s, got, want)
		}
		at := time.Unix(unix%253402300800, 0).In(time.FixedZone("", 3600))
		if at.UTC().Year() < 1 {
			at = time.Time{}
		}
		l := screening.Label{Kind: score.Scam, Match: score.Match(n % 5), Source: s, Ref: s, Listed: s, AddedAt: at}
		if got, want := append(httpapi.AppendLabel(l), '\n'), marshal(labelModel(l)); !bytes.Equal(got, want) {
			t.Errorf("%v:\n got %s\nwant %s", l, got, want)
		}
		x := screening.Suppressed{Label: l, Reason: s, Author: s, Expires: at}
		if got, want := append(httpapi.AppendSuppressed(x), '\n'), marshal(suppressedModel(x)); !bytes.Equal(got, want) {
			t.Errorf("%v:\n got %s\nwant %s", x, got, want)
		}
		status := make([]screening.SourceStatus, n%4)
		for i := range status {
			status[i].Info.ID, status[i].LastUpdated = s[i*len(s)/4:], at
		}
		now := at.Add(time.Duration(age))
		checkFreshness(t, status, s, now, freshnessModel(status, now))
	})
}

// BenchmarkAppendResult compares writing a response with encoding/json on an equal
// value.
func BenchmarkAppendResult(b *testing.B) {
	s := newLoadedScreener(b)
	for _, q := range questions {
		r, err := s.ScreenText(q.chain, q.address)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("append/"+q.name, func(b *testing.B) {
			b.ReportAllocs()
			var w httpapi.ResultWriter
			var buf []byte
			now := time.Now()
			for b.Loop() {
				buf = w.Append(buf[:0], q.address, string(q.chain), &r, now)
			}
		})
		b.Run("encodingjson/"+q.name, func(b *testing.B) {
			b.ReportAllocs()
			m := modelOf(q.address, string(q.chain), r, time.Now())
			plain := struct {
				result
				DataFreshness map[string]freshness `json:"data_freshness"` // without a method
			}{m, m.DataFreshness.of}
			for b.Loop() {
				if _, err := json.Marshal(&plain); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
