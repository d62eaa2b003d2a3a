package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// The types below describe the response to POST /api/v1/screen, one for each table of the
// API. The tests compare responses with them.

type result struct {
	Address        string       `json:"address"`
	Chain          string       `json:"chain"`
	Score          int          `json:"score"`
	Level          string       `json:"level"`
	Labels         []label      `json:"labels"`
	Suppressed     []suppressed `json:"suppressed,omitempty"`
	Formerly       []former     `json:"formerly,omitempty"`
	Doubts         []string     `json:"doubts"`
	Caveats        []caveat     `json:"caveats"`
	AllClear       bool         `json:"all_clear"`
	DataFreshness  freshnessOf  `json:"data_freshness"`
	ScoringVersion string       `json:"scoring_version"`
	Snapshot       string       `json:"snapshot"`
	ScreenedAt     *string      `json:"screened_at"`
	AsOf           *string      `json:"as_of,omitempty"`
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

type former struct {
	Source        string  `json:"source"`
	SourceRef     string  `json:"source_ref"`
	Name          string  `json:"name,omitempty"`
	ListedAddress string  `json:"listed_address"`
	Since         *string `json:"since"`
	Until         *string `json:"until"`
}

type caveat struct {
	Source string `json:"source"`
	Caveat string `json:"caveat"`
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
		DataFreshness: freshnessModel(
			r.Sources(),
			now,
		), ScoringVersion: r.ScoringVersion, Snapshot: r.Digest(), ScreenedAt: timeModel(now), Disclaimer: disclaimer,
	}
	if !r.Address.IsValid() {
		m.Address = strings.TrimSpace(text)
	}
	m.Doubts, m.Caveats, m.AllClear = []string{}, []caveat{}, r.AllClear()
	for _, d := range r.Doubts {
		m.Doubts = append(m.Doubts, string(d))
	}
	for _, c := range r.Caveats() {
		m.Caveats = append(m.Caveats, caveat{c.Source, string(c.Kind)})
	}
	for _, l := range r.Labels {
		m.Labels = append(m.Labels, labelModel(l))
	}
	for _, x := range r.Suppressed {
		m.Suppressed = append(m.Suppressed, suppressedModel(x))
	}
	for _, f := range r.Formerly {
		m.Formerly = append(m.Formerly, former{f.Source, f.Ref, f.Name, f.Listed, timeModel(f.Since), timeModel(f.Until)})
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
		f := freshness{
			LastUpdated: timeModel(s.LastUpdated),
			PublishedAt: timeModel(s.Published),
			Partial:     s.Completeness == sources.Partial,
			Required:    s.Required,
		}
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

// TestAnswer compares real responses with a model of the API.
func TestAnswer(t *testing.T) {
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
				got, want := httpapi.Answer(q.address, string(q.chain), &r, now), marshal(modelOf(q.address, string(q.chain), r, now))
				if !bytes.Equal(got, want) {
					t.Errorf("%s:\n got %s\nwant %s", q.name, got, want)
				}
			}
		}
	}
}

// TestAnswerAgain compares answers of one second with the model: from lists of two ages that
// show the same number of seconds, and around the end of a second of their age.
func TestAnswerAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := questions[0]
		start := time.Now()
		time.Sleep(900 * time.Millisecond)
		s := newLoadedScreener(t)
		var results []screening.Result
		for range 2 {
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			r, err := s.ScreenText(q.chain, q.address)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
			time.Sleep(200 * time.Millisecond)
		}
		for _, after := range []time.Duration{11200, 11850, 11950} {
			for i := range results {
				now := start.Add(after * time.Millisecond)
				got, want := httpapi.Answer(q.address, string(q.chain), &results[i], now), marshal(modelOf(q.address, string(q.chain), results[i], now))
				if !bytes.Equal(got, want) {
					t.Errorf("%d ms:\n got %s\nwant %s", after, got, want)
				}
			}
		}
	})
}

// TestAnswerStale compares answers for one second, before and after the lists became stale, with the model.
func TestAnswerStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, now, seen := newLoadedScreener(t), time.Now(), make(map[string]bool)
		for _, q := range questions {
			for range 2 {
				r, err := s.ScreenText(q.chain, q.address)
				if err != nil {
					t.Fatal(err)
				}
				got, want := httpapi.Answer(q.address, string(q.chain), &r, now), marshal(modelOf(q.address, string(q.chain), r, now))
				if !bytes.Equal(got, want) {
					t.Errorf("%s:\n got %s\nwant %s", q.name, got, want)
				}
				if len(r.Labels) == 0 {
					seen[fmt.Sprint(r.Caveats())] = true
				}
				time.Sleep(400 * 24 * time.Hour)
			}
		}
		if len(seen) < 2 {
			t.Errorf("clean addresses have the caveats %v only", seen)
		}
	})
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
