package bundle_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/eu"
	"github.com/walletscreen/walletscreen/sources/fbi"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// live returns the live sources of the lists that All returns.
func live() []sources.Source {
	return []sources.Source{ofac.New(nil), eu.New(nil), uk.New(nil), fbi.New(nil), badlist.New(nil)}
}

func TestSourcesConform(t *testing.T) {
	for _, src := range bundle.All() {
		t.Run(src.Info().ID, func(t *testing.T) {
			sourcetest.Run(t, func(*testing.T) sources.Source { return src })
		})
	}
}

// TestInfo checks that a bundled list has the Info of the live one.
func TestInfo(t *testing.T) {
	live := live()
	for i, src := range bundle.All() {
		if got, want := src.Info(), live[i].Info(); got != want {
			t.Errorf("Info = %+v, want that of the live source, %+v", got, want)
		}
	}
}

// load returns everything that a Load without a previous revision yields.
func load(t testing.TB, src sources.Source) ([]sources.Entry, sources.Revision) {
	t.Helper()
	var entries []sources.Entry
	rev, err := src.Load(context.Background(), sources.Revision{}, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries, rev
}

func date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// TestRevision checks the age and completeness of each list: at least as new as in the
// table, and with the counts of the table.
func TestRevision(t *testing.T) {
	want := map[string]struct {
		published    time.Time
		completeness sources.Completeness
		entries      int
		addresses    int
	}{
		"OFAC_SDN":          {date(2026, 10, 1), sources.Assembled, 1065, 1050},
		"EU_CONSOLIDATED":   {date(2026, 9, 22), sources.Assembled, 9, 9},
		"UK_CONSOLIDATED":   {date(2026, 10, 2), sources.Partial, 61, 56},
		"FBI_IC3":           {date(2025, 2, 26), sources.Whole, 51, 51},
		"COMMUNITY_BADLIST": {date(2018, 11, 6), sources.Whole, 693, 630},
	}
	for _, src := range bundle.All() {
		w := want[src.Info().ID]
		entries, rev := load(t, src)
		distinct := map[string]bool{}
		for _, e := range entries {
			text := e.Listed
			if e.Address.IsValid() {
				text = e.Address.Canonical().String()
			}
			distinct[text] = true
			if e.ListedAt.IsZero() && e.FirstSeen.IsZero() {
				t.Errorf("%s: %q has no date", src.Info().ID, e.Listed)
			}
		}
		if rev.Provenance == "" {
			t.Errorf("%s does not say where it comes from", src.Info().ID)
		}
		if rebuilt := rev.Published.After(w.published); rebuilt && rev.Checked.Equal(rev.Published) && len(distinct) > w.addresses/2 {
			continue
		}
		if !rev.Published.Equal(w.published) || !rev.Checked.Equal(w.published) || rev.Completeness != w.completeness || len(entries) != w.entries || len(distinct) != w.addresses || len(rev.Digest) != 64 {
			t.Errorf("%s: %+v, %d entries of %d addresses, want %+v", src.Info().ID, rev, len(entries), len(distinct), w)
		}
		again, err := src.Load(context.Background(), rev, func(sources.Entry) error { return nil })
		if again != rev || !errors.Is(err, sources.ErrUnchanged) {
			t.Errorf("%s: with its own revision: %+v, %v, want %+v and ErrUnchanged", src.Info().ID, again, err, rev)
		}
	}
	if at := bundle.Rebuilt(); at.Before(date(2026, 10, 2)) {
		t.Errorf("Rebuilt = %v, want a day after that of the lists", at)
	}
}

// known is a row of a list as it was in autumn 2026.
type known struct{ source, asset, address, ref string }

// knownRows returns all known rows, from the files in testdata.
func knownRows(t *testing.T) []known {
	t.Helper()
	var rows []known
	for source, name := range map[string]string{"OFAC_SDN": "ofac_2026-10-01.csv", "EU_CONSOLIDATED": "eu_2026-09-22.csv", "UK_CONSOLIDATED": "uk_2026-10-02.csv"} {
		f, err := os.Open("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines[1:] {
			rows = append(rows, known{source, l[0], l[1], l[2]})
		}
	}
	text, err := os.ReadFile("../fbi/testdata/psa250226.txt")
	if err != nil {
		t.Fatal(err)
	}
	for a := range strings.FieldsSeq(string(text)) {
		rows = append(rows, known{"FBI_IC3", "ETH", a, "I-022625-PSA"})
	}
	return rows
}

// TestKnownRows screens every known row offline and checks that each is found in its
// list.
func TestKnownRows(t *testing.T) {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s.Sources()[0].Completeness == sources.Whole {
		t.Skip("the bundle was rebuilt from the publishers, who may have delisted some")
	}
	rows := knownRows(t)
	if len(rows) != 1186 {
		t.Fatalf("%d known rows, want 1186", len(rows))
	}
	clean := 0
	for _, row := range rows {
		chain := address.Chain("ethereum") // any will do for a listed string that is no address
		if a, ok := sources.Decode(row.asset, row.address); ok {
			chain = a.Chain()
		}
		r, err := s.ScreenText(chain, row.address)
		if err != nil {
			t.Fatalf("%+v: %v", row, err)
		}
		if r.Level == score.CleanNoMatch {
			clean++
		}
		if !slices.ContainsFunc(r.Labels, func(l screening.Label) bool { return l.Source == row.source && l.Ref == row.ref }) {
			t.Errorf("%+v: %d points, %+v, want a label of its list", row, r.Score, r.Labels)
		}
	}
	if clean != 0 {
		t.Errorf("%d of %d known rows come out clean", clean, len(rows))
	}
}

// TestOFAC checks some entries of the bundled list, and its counts by ticker, which
// another program has computed from OFAC's file of that day.
func TestOFAC(t *testing.T) {
	entries, rev := load(t, bundle.OFAC())
	if rev.Completeness == sources.Whole {
		t.Skip("the bundle was rebuilt from OFAC's file")
	}
	got, refs := map[string]int{}, map[string]bool{}
	for _, e := range entries {
		got[e.Asset]++
		refs[e.Ref+e.Name] = true
		if e.Kind != score.Sanctioned || e.Name == "" || e.Listed == "" {
			t.Errorf("%+v: want all that is known", e)
		}
	}
	// The manifest counts an address once per ticker, so it has 13 LTC and 532 XBT.
	want := map[string]int{
		"ARB": 1, "BCH": 7, "BNB": 1, "BSC": 1, "BSV": 1, "BTG": 1, "DASH": 5, "DOGE": 2, "ETC": 1, "ETH": 120, "LTC": 14, "SOL": 4,
		"TRX": 261, "USDC": 2, "USDT": 94, "XBT": 533, "XMR": 11, "XRP": 1, "XVG": 1, "ZEC": 4,
	}
	if !maps.Equal(got, want) || len(refs) != 106 {
		t.Errorf("%d entities, entries by ticker %v, want 106, %v", len(refs), got, want)
	}
	sanction := func(asset, chain, listed, ref, name string, at time.Time) sources.Entry {
		e := sources.Entry{Listed: listed, Asset: asset, Kind: score.Sanctioned, Ref: ref, Name: name, ListedAt: at}
		if chain != "" {
			var err error
			if e.Address, err = address.Normalize(address.Chain(chain), listed); err != nil {
				t.Error(err)
			}
		}
		return e
	}
	for _, e := range []sources.Entry{
		sanction("XBT", "tron", "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq", "45404", "Wang Mingming", date(2023, 10, 3)),
		sanction("XBT", "bitcoin", "37fKFZQGMqdBkjSUub1jCDWGgSHwv9VxfZ", "56360", "Sokolovski Rolan", date(2025, 11, 19)),
		sanction("XVG", "verge", "DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z", "30520", "RAZA Mujtaba Ali", date(2021, 4, 15)),
		sanction("BCH", "bitcoin-cash", "qpf2cphc5dkuclkqur7lhj2yuqq9pk3hmukle77vhq", "31212", "SOUTHFRONT", date(2021, 4, 15)),
		sanction("XMR", "", "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320", "29585", "KARASAVIDI Dmitrii", date(2020, 9, 16)),
	} {
		if !slices.Contains(entries, e) {
			t.Errorf("there is no entry %+v", e)
		}
	}
}

// TestBadlist checks that the bundled list has the entries that the parser reads from
// the file in testdata, with dates.
func TestBadlist(t *testing.T) {
	f, err := os.Open("../badlist/testdata/addresses-darklist.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var want []sources.Entry
	_, err = badlist.Parse(f, func(e sources.Entry) error {
		if e.ListedAt.IsZero() {
			e.FirstSeen = date(2018, 11, 6)
		}
		want = append(want, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := load(t, bundle.Badlist())
	if len(got) != 693 || len(want) != 693 {
		t.Fatalf("%d entries, and %d in the file, want 693", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("entry %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

// TestPartIsNotLoaded checks that the partial UK list matches its own addresses and
// nothing else.
func TestPartIsNotLoaded(t *testing.T) {
	s, err := screening.New([]sources.Source{bundle.UK()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Refresh(context.Background())
	if st := s.Sources()[0]; st.Loaded() || !st.LastUpdated.IsZero() || st.Completeness != sources.Partial {
		t.Errorf("%+v, want a part that does not count as loaded", st)
	}
	if r, err := s.Screen(address.MustParse("ethereum", "0x00000000219ab540356cBB839Cbe05303d7705Fa")); !errors.Is(err, screening.ErrNotLoaded) {
		t.Errorf("an address that is not listed: %+v, %v, want ErrNotLoaded", r, err)
	}
}

// TestDecoded fails if package address reads a listed string differently from when the
// files were generated. In that case, generate them again.
func TestDecoded(t *testing.T) {
	for _, src := range bundle.All() {
		entries, _ := load(t, src)
		for _, e := range entries {
			if want, _ := sources.Decode(e.Asset, e.Listed); e.Address != want {
				t.Errorf("%s: %s %q is %v, want %v", src.Info().ID, e.Asset, e.Listed, e.Address, want)
			}
		}
	}
}

// TestScreening checks the age of the lists that a Screener reports, and an address
// that is on no list.
func TestScreening(t *testing.T) {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds the lists unchanged
		if _, err := s.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, got := range s.Sources() {
			want := got.Published
			if got.Completeness == sources.Partial {
				want = time.Time{}
			}
			if !got.LastUpdated.Equal(want) {
				t.Errorf("%s: last updated %v, want %v", got.Info.ID, got.LastUpdated, want)
			}
		}
	}
	r, err := s.ScreenText("ethereum", "0x00000000219ab540356cBB839Cbe05303d7705Fa") // the beacon deposit contract
	if err != nil || r.Level != score.CleanNoMatch {
		t.Errorf("an address that is not listed: %+v, %v, want %s", r, err, score.CleanNoMatch)
	}
}

// TestSize limits the number of bytes that an embedder links.
func TestSize(t *testing.T) {
	total := int64(0)
	for _, name := range []string{"ofac.rev", "badlist.rev", "eu.rev", "uk.rev", "fbi.rev"} {
		f, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += f.Size()
	}
	if total > 120_000 {
		t.Errorf("the lists have %d bytes, want at most 120000", total)
	}
}

// TestImports checks that bundled lists do not link packages for networking or XML.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/walletscreen/walletscreen/sources") {
		t.Fatalf("go list gave %q", deps)
	}
	for _, forbidden := range []string{"net", "net/http", "crypto/tls", "encoding/xml", "encoding/json", "testing"} {
		if slices.Contains(deps, forbidden) {
			t.Errorf("package bundle links %s", forbidden)
		}
	}
}

func Example() {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.ScreenText("polygon", "0x098b716b8aaf21512996dc57eb0615e2383e2f96")
	if err != nil {
		fmt.Println(err)
		return
	}
	label := r.Labels[0]
	fmt.Println(r.Score, r.Level)
	fmt.Println(label.Source, label.Ref, label.Name, label.Match, label.AddedAt.Format(time.DateOnly))
	// Output:
	// 100 CRITICAL
	// OFAC_SDN 27307 Lazarus Group family 2019-09-13
}

func ExampleAll() {
	for _, src := range bundle.All() {
		fmt.Println(src.Info().ID, src.Info().Jurisdiction)
	}
	// Output:
	// OFAC_SDN US
	// EU_CONSOLIDATED EU
	// UK_CONSOLIDATED UK
	// FBI_IC3 US
	// COMMUNITY_BADLIST Community
}

func ExampleOptional() {
	fmt.Println(bundle.Optional())
	// Output: [UK_CONSOLIDATED FBI_IC3 COMMUNITY_BADLIST]
}

func ExampleOFAC() {
	// The live list, and the bundled one until it has been fetched.
	src := sources.Seeded(ofac.New(nil), bundle.OFAC())
	fmt.Println(src.Info().ID)
	// Output: OFAC_SDN
}

func BenchmarkLoad(b *testing.B) {
	for _, src := range bundle.All() {
		b.Run(src.Info().ID, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := src.Load(context.Background(), sources.Revision{}, func(sources.Entry) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
