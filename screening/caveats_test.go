package screening_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestCaveats checks which caveats, and which errors, the ages of a list lead to, now and
// when the lists of a time are opened again.
func TestCaveats(t *testing.T) {
	const day = 24 * time.Hour
	rhythmic := sources.Info{ID: "LIST", Name: "List", Jurisdiction: sources.US, Rhythm: 30 * day}
	steady := rhythmic
	steady.Rhythm = 0
	final := steady
	final.Final = true
	limit := func(d time.Duration) map[string]time.Duration { return map[string]time.Duration{"LIST": d} }
	for _, tt := range []struct {
		name      string
		info      sources.Info
		opts      screening.Options
		published time.Duration // before the start; negative: no date
		partial   bool
		unloaded  bool
		later     time.Duration // when it is asked, after the check
		want      []screening.CaveatKind
		err       error
	}{
		{name: "fresh", info: rhythmic, published: day},
		{name: "without a date", info: rhythmic, published: -1},
		{name: "checked 48 hours ago", info: rhythmic, published: day, later: 48 * time.Hour},
		{name: "stale", info: rhythmic, published: day, later: 49 * time.Hour, want: []screening.CaveatKind{screening.CaveatStale}},
		{name: "within a longer limit", info: rhythmic, opts: screening.Options{MaxAge: 60 * time.Hour}, published: day, later: 49 * time.Hour},
		{name: "beyond a limit", info: rhythmic, opts: screening.Options{MaxAge: time.Hour}, published: day, later: 2 * time.Hour, err: screening.ErrStale},
		{name: "optional, beyond a limit", info: rhythmic, opts: screening.Options{MaxAge: time.Hour, Optional: []string{"LIST"}}, published: day,
			later: 2 * time.Hour,
			want:  []screening.CaveatKind{screening.CaveatStale}},
		{name: "old", info: rhythmic, published: 31 * day, want: []screening.CaveatKind{screening.CaveatOld}},
		{name: "old, without a rhythm", info: steady, published: 3000 * day},
		{name: "final", info: final, published: 3000 * day, later: 400 * day},
		{name: "final, beyond limits", info: final, opts: screening.Options{MaxAge: time.Hour, MaxPublished: limit(day)}, published: 3000 * day, later: 400 * day},
		{name: "a part of a final list", info: final, partial: true, opts: screening.Options{Optional: []string{"LIST"}}, published: day, later: 400 * day,
			want: []screening.CaveatKind{screening.CaveatPartial}},
		{name: "old and stale", info: rhythmic, published: 29 * day, later: 3 * day, want: []screening.CaveatKind{screening.CaveatStale, screening.CaveatOld}},
		{name: "within a longer limit of publication", info: rhythmic, opts: screening.Options{MaxPublished: limit(40 * day)}, published: 31 * day},
		{name: "beyond a limit of publication", info: rhythmic, opts: screening.Options{MaxPublished: limit(20 * day)}, published: 21 * day, err: screening.ErrStale},
		{name: "beyond it later", info: steady, opts: screening.Options{MaxPublished: limit(20 * day)}, published: 19 * day, later: 2 * day, err: screening.ErrStale},
		{name: "without a date, under a limit", info: steady, opts: screening.Options{MaxPublished: limit(20 * day)}, published: -1, err: screening.ErrStale},
		{name: "optional, beyond a limit of publication", info: steady, opts: screening.Options{MaxPublished: limit(20 * day), Optional: []string{"LIST"}},
			published: 21 * day,
			want:      []screening.CaveatKind{screening.CaveatOld}},
		{name: "missing", info: rhythmic, unloaded: true, opts: screening.Options{Optional: []string{"LIST"}}, want: []screening.CaveatKind{screening.CaveatMissing}},
		{name: "partial", info: rhythmic, partial: true, opts: screening.Options{Optional: []string{"LIST"}}, published: day,
			want: []screening.CaveatKind{screening.CaveatPartial}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				src := &edition{info: tt.info, rev: sources.Revision{Digest: digestOf(1), Records: 1}, entries: []sources.Entry{listing(1)}}
				if tt.published >= 0 {
					src.rev.Published = start.Add(-tt.published).UTC()
				}
				if tt.partial {
					src.rev.Completeness = sources.Partial
				}
				tt.opts.Store = openStore(t, dir)
				f := &flaky{info: tt.info, load: src.load}
				if tt.unloaded {
					f.load = down
				}
				s := newScreener(t, &tt.opts, f)
				s.Refresh(ctx)
				time.Sleep(tt.later)
				check := func(when string, ask func(c address.Chain, text string) (screening.Result, error)) {
					t.Helper()
					r, err := ask("ethereum", clean)
					var want []screening.Caveat
					for _, kind := range tt.want {
						want = append(want, screening.Caveat{Source: "LIST", Kind: kind})
					}
					if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) || !slices.Equal(r.Caveats(), want) ||
						r.AllClear() != (err == nil && want == nil) {
						t.Errorf("%s: %+v, caveats %v, all clear %v, %v; want %v, %v", when, r, r.Caveats(), r.AllClear(), err, want, tt.err)
					}
					if err != nil {
						return
					}
					var j struct {
						Doubts, Caveats []any
						AllClear        *bool `json:"all_clear"`
					}
					text, err := json.Marshal(r)
					if err = errors.Join(err, json.Unmarshal(text, &j)); err != nil || j.Doubts == nil || j.Caveats == nil || len(j.Caveats) != len(want) ||
						*j.AllClear != r.AllClear() {
						t.Errorf("%s: JSON %s, %v", when, text, err)
					}
					for i, c := range want {
						if got := fmt.Sprint(j.Caveats[i]); got != fmt.Sprintf("map[caveat:%s source:%s]", c.Kind, c.Source) {
							t.Errorf("%s: JSON %s", when, text)
						}
					}
				}
				check("now", s.ScreenText)
				if tt.unloaded {
					return
				}
				p, err := screening.OpenAt(ctx, tt.opts.Store, time.Now(), []sources.Source{f}, &tt.opts)
				if err != nil {
					t.Fatal(err)
				}
				check("opened again", p.ScreenText)
			})
		})
	}
	for _, bad := range []map[string]time.Duration{limit(0), limit(-1), {"OTHER": day}} {
		if _, err := screening.New([]sources.Source{&flaky{info: rhythmic}}, &screening.Options{MaxPublished: bad}); err == nil {
			t.Errorf("MaxPublished %v: no error", bad)
		}
	}
}
