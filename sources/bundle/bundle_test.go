package bundle_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
	"github.com/walletscreen/walletscreen/sources/uk"
)

// everything returns all lists, and the sources that are the live ones of each.
func everything() (bundled, live []sources.Source) {
	return append(bundle.All(), bundle.EU(), bundle.UK()), []sources.Source{ofac.New(nil), badlist.New(nil), eu.New(nil), uk.New(nil)}
}

func TestSourcesConform(t *testing.T) {
	bundled, _ := everything()
	for _, src := range bundled {
		t.Run(src.Info().ID, func(t *testing.T) {
			sourcetest.Run(t, func(*testing.T) sources.Source { return src })
		})
	}
}

// TestInfo holds that a bundled list passes for the live one.
func TestInfo(t *testing.T) {
	bundled, live := everything()
	for i, src := range bundled {
		if got, want := src.Info(), live[i].Info(); got != want {
			t.Errorf("Info = %+v, want that of the live source, %+v", got, want)
		}
	}
}

// load returns all that a Load gives a caller that holds nothing.
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

// Of the excerpts, as their files in testdata have them.
const (
	euDigest = "4939d84b3b3e2ca51d3efd34d815f648b82079f7b231dc06d0c1895c47e9d5e1"
	ukDigest = "5cf39f4f14627c2c534d99193a8241fd41694419bfa8c22b0179f85edb10425a"
)

var generated = time.Date(2026, 9, 22, 18, 1, 34, 799_000_000, time.UTC)

func TestRevision(t *testing.T) {
	want := []sources.Revision{
		{
			// The digest that OFAC has published beside its file.
			Digest:    "36c517bd264d8d97eff353eadd8d84427d5eb293505a8ce07271a5bc258c3117",
			Published: date(2025, 11, 19), Checked: date(2025, 11, 19), Records: 18367,
		},
		{
			Digest:    "c662f67460b8fa5f1d76ba8f014ab2b6749781b6aca11f9cbeda7397cbf0f3e7",
			Published: date(2018, 11, 6), Checked: date(2018, 11, 6), Records: 693,
		},
		{
			Digest:    euDigest,
			Published: generated, Checked: generated, Records: 2, Completeness: sources.Partial,
		},
		{
			Digest:    ukDigest,
			Published: date(2026, 9, 21), Checked: date(2026, 9, 21), Records: 4, Completeness: sources.Partial,
		},
	}
	bundled, _ := everything()
	for i, src := range bundled {
		if _, got := load(t, src); got != want[i] {
			t.Errorf("%s: revision %+v, want %+v", src.Info().ID, got, want[i])
		}
		got, err := src.Load(context.Background(), want[i], func(sources.Entry) error { return nil })
		if got != want[i] || !errors.Is(err, sources.ErrUnchanged) {
			t.Errorf("%s: with its own revision: %+v, %v, want %+v, which is as old as it was, and ErrUnchanged", src.Info().ID, got, err, want[i])
		}
	}
}

// TestOFAC compares what is bundled with counts that were made of the same file
// by another program.
func TestOFAC(t *testing.T) {
	entries, _ := load(t, bundle.OFAC())
	type listing struct {
		asset string
		chain address.Chain
	}
	got, refs, listed := map[listing]int{}, map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		got[listing{e.Asset, e.Address.Chain()}]++
		refs[e.Ref] = true
		listed[e.Listed] = true
		if e.Kind != score.Sanctioned || e.Ref == "" || e.Name == "" || e.Listed == "" {
			t.Errorf("%+v: want all that OFAC says", e)
		}
		if e.ListedAt.Before(date(2017, 9, 26)) || e.ListedAt.After(date(2025, 11, 19)) || !e.FirstSeen.IsZero() {
			t.Errorf("%s: listed %v, first seen %v, want a listing date only", e.Listed, e.ListedAt, e.FirstSeen)
		}
	}
	want := map[listing]int{
		{"ARB", "arbitrum"}: 1, {"BCH", "bitcoin-cash"}: 7, {"BNB", "binance-beacon"}: 1, {"BSC", "bsc"}: 1,
		{"BSV", "bitcoin-sv"}: 1, {"BTG", "bitcoin-gold"}: 1, {"DASH", "dash"}: 3, {"ETC", "ethereum-classic"}: 1,
		{"ETH", "ethereum"}: 77, {"LTC", "litecoin"}: 11, {"SOL", "solana"}: 1, {"TRX", "tron"}: 29,
		{"USDC", "ethereum"}: 2, {"USDT", "tron"}: 78, {"USDT", "ethereum"}: 8, {"USDT", "bitcoin"}: 7,
		{"XBT", "bitcoin"}: 518, {"XBT", "tron"}: 1, {"XMR", "monero"}: 7, {"XMR", ""}: 1,
		{"XRP", "xrp"}: 1, {"XVG", "verge"}: 1, {"ZEC", "zcash"}: 3,
	}
	if !maps.Equal(got, want) {
		t.Errorf("entries by ticker and chain:\n%v\nwant\n%v", got, want)
	}
	if len(entries) != 761 || len(listed) != 745 || len(refs) != 79 {
		t.Errorf("%d entries of %d strings and %d entities, want 761, 745, 79", len(entries), len(listed), len(refs))
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
		sanction("ETH", "ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "27307", "Lazarus Group", date(2019, 9, 13)),
		sanction("XBT", "tron", "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq", "45404", "Wang Mingming", date(2023, 10, 3)),
		sanction("XBT", "bitcoin", "37fKFZQGMqdBkjSUub1jCDWGgSHwv9VxfZ", "56360", "Sokolovski Rolan", date(2025, 11, 19)),
		sanction("BSV", "bitcoin-sv", "12sjrrhoFEsedNRhtgwvvRqjFTh8fZTDX9", "29703", "Andreyev Anton Nikolaeyvich", date(2020, 9, 10)),
		sanction("XVG", "verge", "DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z", "30520", "RAZA Mujtaba Ali", date(2021, 4, 15)),
		sanction("BCH", "bitcoin-cash", "qpf2cphc5dkuclkqur7lhj2yuqq9pk3hmukle77vhq", "31212", "SOUTHFRONT", date(2021, 4, 15)),
		sanction("XMR", "", "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320", "29585", "KARASAVIDI Dmitrii", date(2020, 9, 16)),
	} {
		if !slices.Contains(entries, e) {
			t.Errorf("there is no entry %+v", e)
		}
	}
}

// TestBadlist holds that the bundled list is what the parser gives of the file
// in its testdata, with dates.
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

// TestParts holds that the excerpts are what the parsers give of the files in
// their testdata, and no more than parts.
func TestParts(t *testing.T) {
	for _, tt := range []struct {
		src   sources.Source
		file  string
		parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error)
		count int
	}{
		{bundle.EU(), "../eu/testdata/xmlFullSanctionsList_1_1_excerpt_2026-09-22.xml", eu.Parse, 6},
		{bundle.UK(), "../uk/testdata/UK-Sanctions-List_excerpt_2026-09-21.xml", uk.Parse, 16},
	} {
		f, err := os.Open(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var want []sources.Entry
		rev, err := tt.parse(f, func(e sources.Entry) error {
			want = append(want, e)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if want[i].ListedAt.IsZero() {
				want[i].FirstSeen = rev.Published
			}
		}
		rev.Checked, rev.Completeness = rev.Published, sources.Partial
		got, gotRev := load(t, tt.src)
		if gotRev != rev || !slices.Equal(got, want) || len(got) != tt.count {
			t.Errorf("%s: %+v\n%+v\nwant, of %d entries, %+v\n%+v", tt.src.Info().ID, gotRev, got, tt.count, rev, want)
		}
	}
}

// TestPartsAreNotLoaded holds that an excerpt answers for what is in it, and for
// nothing else.
func TestPartsAreNotLoaded(t *testing.T) {
	bundled, _ := everything()
	s, err := screening.New(bundled, &screening.Options{Optional: []string{"EU_CONSOLIDATED", "UK_CONSOLIDATED"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i, st := range s.Sources() {
		if st.Loaded() != (i < 2) || st.LastUpdated.IsZero() != (i >= 2) {
			t.Errorf("%s: %+v, want loaded: %v", st.Info.ID, st, i < 2)
		}
	}
	for _, src := range []sources.Source{bundle.EU(), bundle.UK()} {
		entries, _ := load(t, src)
		for _, e := range entries {
			r, err := s.Screen(e.Address)
			if err != nil || !slices.ContainsFunc(r.Labels, func(l screening.Label) bool { return l.Source == src.Info().ID && l.Ref == e.Ref }) {
				t.Errorf("%s: %v has %+v, %v", src.Info().ID, e.Address, r.Labels, err)
			}
		}
		required, err := screening.New([]sources.Source{src}, nil)
		if err != nil {
			t.Fatal(err)
		}
		required.Refresh(context.Background())
		if r, err := required.Screen(address.MustParse("ethereum", "0x00000000219ab540356cBB839Cbe05303d7705Fa")); !errors.Is(err, screening.ErrNotLoaded) {
			t.Errorf("%s alone: %+v, %v, want ErrNotLoaded", src.Info().ID, r, err)
		}
	}
}

// TestDecoded fails when the package address has come to read a listed string
// otherwise than when the files were made. Make them again then.
func TestDecoded(t *testing.T) {
	bundled, _ := everything()
	for _, src := range bundled {
		entries, _ := load(t, src)
		for _, e := range entries {
			if want, _ := sources.Decode(e.Asset, e.Listed); e.Address != want {
				t.Errorf("%s: %s %q is %v, want %v", src.Info().ID, e.Asset, e.Listed, e.Address, want)
			}
		}
	}
}

// TestScreening holds that every listed address is found, and how old the lists
// are said to be.
func TestScreening(t *testing.T) {
	s, err := screening.New(bundle.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second finds the lists unchanged
		if _, err := s.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i, want := range []time.Time{date(2025, 11, 19), date(2018, 11, 6)} {
			if got := s.Sources()[i]; !got.LastUpdated.Equal(want) || !got.Published.Equal(want) {
				t.Errorf("%s: last updated %v, published %v, want %v", got.Info.ID, got.LastUpdated, got.Published, want)
			}
		}
	}
	for i, src := range bundle.All() {
		min := []int{100, 50}[i]
		entries, _ := load(t, src)
		for _, e := range entries {
			chain := e.Address.Chain()
			if chain == "" {
				chain = "ethereum" // any will do: what is found is the very string
			}
			r, err := s.ScreenText(chain, e.Listed)
			if err != nil || r.Score < min {
				t.Errorf("ScreenText(%q, %q): %d points, %v, want at least %d", chain, e.Listed, r.Score, err, min)
			}
		}
	}
	r, err := s.ScreenText("ethereum", "0x00000000219ab540356cBB839Cbe05303d7705Fa") // the beacon deposit contract
	if err != nil || r.Level != score.CleanNoMatch {
		t.Errorf("an address that is not listed: %+v, %v, want %s", r, err, score.CleanNoMatch)
	}
}

// TestSize states what an embedder pays: at most these numbers of bytes.
func TestSize(t *testing.T) {
	for name, limit := range map[string]int64{"ofac.rev": 60_000, "badlist.rev": 80_000, "eu.rev": 2_000, "uk.rev": 3_000} {
		f, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Size() > limit {
			t.Errorf("%s has %d bytes, want at most %d", name, f.Size(), limit)
		}
	}
}

// TestImports holds that bundled lists cost no network and no XML.
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
	s, err := screening.New(bundle.All(), nil)
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
