package bundle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

func TestFBI(t *testing.T) {
	sourcetest.Run(t, func(*testing.T) sources.Source { return bundle.FBI() })
}

// TestAnnouncements counts the addresses of each announcement as other reports count them,
// and compares the last one with a copy.
func TestAnnouncements(t *testing.T) {
	entries, rev, err := listtest.Load(t.Context(), bundle.FBI(), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	last := time.Date(2025, 2, 26, 0, 0, 0, 0, time.UTC)
	if len(entries) != 101 || rev.Records != 101 || rev.Published != last || rev.Checked != last || rev.Completeness != sources.Whole || rev.OpenEnded {
		t.Errorf("%d entries, %+v, want 101 of a document of %v", len(entries), rev, last)
	}
	got := map[string]int{}
	var bybit []string
	for _, e := range entries {
		day := e.ListedAt.Format(time.DateOnly)
		got[day+" "+string(e.Address.Chain())]++
		if !e.Address.IsValid() || e.Kind != score.StolenFunds || e.Name == "" {
			t.Errorf("%+v: want an address that holds stolen funds, with a name", e)
		}
		want := "https://www.fbi.gov/news/press-releases/fbi-"
		if day == "2025-02-26" {
			want = "https://www.ic3.gov/PSA/2025/PSA250226"
			bybit = append(bybit, e.Listed)
		}
		if u := bundle.FBI().Info().URL(e.Ref); !strings.HasPrefix(u, want) {
			t.Errorf("%s: the announcement is at %q, want %s…", e.Listed, u, want)
		}
	}
	want := map[string]int{"2023-01-23 bitcoin": 11, "2023-08-22 bitcoin": 6, "2023-09-06 bitcoin": 22, "2023-09-06 ethereum": 4,
		"2023-09-06 bsc": 5, "2023-09-06 polygon": 2, "2025-02-26 ethereum": 51}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("addresses by day and chain: %v, want %v", got, want)
	}
	if !slices.Equal(bybit, strings.Fields(listtest.ReadFile(t, "psa250226.txt"))) {
		t.Error("the addresses of I-022625-PSA are not those of the copy in testdata")
	}
	if i := bundle.FBI().Info(); i.Validate() != nil || i.ID != "FBI_IC3" || i.Jurisdiction != sources.US {
		t.Errorf("Info = %+v", i)
	}
}

func ExampleFBI() {
	src := bundle.FBI()
	fmt.Println(src.Info().ID, src.Info().URL("I-022625-PSA"))
	// Output: FBI_IC3 https://www.ic3.gov/PSA/2025/PSA250226
}
