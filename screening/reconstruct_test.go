package screening_test

import (
	"errors"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// TestReconstruct asks for days before anything was kept. Tornado Cash's addresses were on
// OFAC's list from 8 August 2022 to 21 March 2025.
func TestReconstruct(t *testing.T) {
	const (
		lazarus = "0x098b716b8aaf21512996dc57eb0615e2383e2f96" // since April 2022
		tornado = "0x910cbd523d972eb0a6f4cae4618ad62622b39dbf"
		clean   = "0x00000000219ab540356cbb839cbe05303d7705fa"
	)
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 23, 59, 59, 0, time.UTC) }
	rev, err := bundle.OFAC().Load(t.Context(), sources.Revision{}, func(sources.Entry) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		at      time.Time
		address string
		listed  bool
		alone   error // of a clean address, if OFAC's list alone is required
	}{
		{day(2026, 4, 15), lazarus, true, nil},
		{day(2024, 12, 4), lazarus, true, nil},
		{day(2024, 12, 4), tornado, true, nil},
		{day(2025, 11, 19), tornado, false, nil},
		{day(2026, 4, 15), clean, false, nil},
		{day(2021, 7, 6), tornado, false, nil},
		{day(2019, 9, 1), clean, false, screening.ErrNotLoaded}, // what left the list until 2021 is not known
		{rev.Published.AddDate(0, 0, 1), clean, false, screening.ErrNotLoaded},
	} {
		for _, required := range []bool{true, false} { // the EU's list, whose past is not known
			srcs := []sources.Source{bundle.OFAC(), bundle.EU()}
			opts := &screening.Options{}
			if !required {
				opts.Optional = []string{"EU_CONSOLIDATED"}
			}
			p, err := screening.Reconstruct(t.Context(), tt.at, srcs, opts)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.alone
			if required {
				want = screening.ErrNotLoaded
			}
			r, err := p.ScreenText("ethereum", tt.address)
			if tt.listed {
				if err != nil || r.Score != 100 || len(r.Caveats()) == 0 || r.Caveats()[0].Kind != screening.CaveatReconstructed {
					t.Errorf("%v: %s: %+v, %v, want it listed, with the caveat %s", tt.at, tt.address, r, err, screening.CaveatReconstructed)
				}
			} else if !errors.Is(err, want) || err == nil && (r.Score != 0 || r.AllClear()) {
				t.Errorf("%v: %s: %+v, %v, want %v", tt.at, tt.address, r, err, want)
			}
			if _, _, err := p.ScreenInput("", tt.address); (err == nil) != (tt.listed || want == nil) {
				t.Errorf("%v: ScreenInput of %s: %v", tt.at, tt.address, err)
			}
		}
	}
}
