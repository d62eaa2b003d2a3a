package bundle_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/internal/listtest"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

// TestDocuments compares the bundled documents with the CSV that they were made from, with the
// columns listed_on, asset, address, kind, ref and name. An empty cell repeats the cell above it.
func TestDocuments(t *testing.T) {
	for name, src := range map[string]sources.Source{"fbi.csv": bundle.FBI(), "doj.csv": bundle.DOJ(), "graphsense.csv.gz": bundle.GraphSense()} {
		rows, err := csv.NewReader(unpack.Gunzip(bytes.NewReader([]byte(listtest.ReadFile(t, name))), false)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		last := make([]string, 6)
		for _, row := range rows[1:] {
			for i := range row {
				last[i] = cmp.Or(row[i], last[i])
			}
			want = append(want, strings.Join(last, "\t"))
		}
		entries, rev := load(t, src)
		var got []string
		newest := time.Time{}
		for _, e := range entries {
			got = append(got, strings.Join([]string{e.ListedAt.Format(time.DateOnly), e.Asset, e.Text(), string(e.Kind), e.Ref, e.Name}, "\t"))
			if a, _ := sources.Decode(e.Asset, e.Text()); a != e.Address || e.Kind == score.Sanctioned {
				t.Errorf("%s: %+v, want the account %v", name, e, a)
			}
			if e.ListedAt.After(newest) {
				newest = e.ListedAt
			}
		}
		if !slices.Equal(got, want) || rev.Records != len(want) || rev.Published != newest {
			t.Errorf("%s: %d entries, %+v, want the %d of the file", name, len(got), rev, len(want))
		}
	}
}
