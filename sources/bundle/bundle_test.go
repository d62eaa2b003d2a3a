package bundle_test

import (
	"bytes"
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
	"github.com/walletscreen/walletscreen/internal/longtest"
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

// live returns the live sources of the lists that All returns.
func live() []sources.Source {
	return []sources.Source{ofac.New(nil), eu.New(nil), uk.New(nil), bundle.FBI(), bundle.DOJ(), bundle.GraphSense(), badlist.New(nil)}
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
		"FBI_IC3":           {date(2025, 2, 26), sources.Whole, 101, 101},
		"DOJ_FORFEITURE":    {date(2020, 8, 13), sources.Whole, 155, 155},
		"GRAPHSENSE":        {date(2022, 2, 15), sources.Whole, 7690, 7690},
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
			if e.ListedAt.IsZero() && e.EntityListedAt.IsZero() && e.FirstSeen.IsZero() {
				t.Errorf("%s: %q has no date", src.Info().ID, e.Listed)
			}
		}
		if rev.Provenance == "" {
			t.Errorf("%s does not say where it comes from", src.Info().ID)
		}
		if rev.Published.After(w.published) { // rebuilt from the publisher, with the guards of a refresh
			w.published, w.completeness = rev.Published, sources.Whole
			w.entries, w.addresses = len(entries), max(w.addresses/2, len(distinct))
		}
		if !rev.Published.Equal(w.published) || !rev.Checked.Equal(w.published) || rev.Completeness != w.completeness || len(entries) != w.entries ||
			len(distinct) != w.addresses ||
			len(rev.Digest) != 64 {
			t.Errorf("%s: %+v, %d entries of %d addresses, want %+v", src.Info().ID, rev, len(entries), len(distinct), w)
		}
		again, err := src.Load(context.Background(), rev, func(sources.Entry) error { return nil })
		if again != rev || !errors.Is(err, sources.ErrUnchanged) {
			t.Errorf("%s: with its own revision: %+v, %v, want %+v and ErrUnchanged", src.Info().ID, again, err, rev)
		}
	}
	day, err := os.ReadFile("rebuilt.txt")
	if err != nil {
		t.Fatal(err)
	}
	if at, err := time.Parse(time.DateOnly, strings.TrimSpace(string(day))); err != nil || at.Before(date(2026, 10, 2)) {
		t.Errorf("rebuilt.txt has %q, want a day after that of the lists", day)
	}
}

// known is a row of a list as it was in autumn 2026.
type known struct{ source, asset, address, ref string }

// knownRows returns all known rows, from the files in testdata.
func knownRows(t *testing.T) []known {
	t.Helper()
	var rows []known
	for source, name := range map[string]string{"OFAC_SDN": "ofac_2026-10-01.csv", "EU_CONSOLIDATED": "eu_2026-09-22.csv",
		"UK_CONSOLIDATED": "uk_2026-10-02.csv"} {
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
	text, err := os.ReadFile("testdata/psa250226.txt")
	if err != nil {
		t.Fatal(err)
	}
	for a := range strings.FieldsSeq(string(text)) {
		rows = append(rows, known{"FBI_IC3", "ETH", a, "I-022625-PSA"})
	}
	return rows
}

// delistedRows returns the known rows that publishers have delisted since, and the day,
// from the file in testdata.
func delistedRows(t *testing.T) map[known]time.Time {
	t.Helper()
	text, err := os.ReadFile("testdata/delisted.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[known]time.Time)
	for _, l := range lines[1:] {
		if rows[known{l[0], l[1], l[2], l[3]}], err = time.Parse(time.DateOnly, l[4]); err != nil {
			t.Errorf("delisted.csv: %q: want the day on which it was delisted", l)
		}
	}
	return rows
}

// lost screens known rows offline and returns those that are not found in their list. A
// list as its publisher has it may give an entity another ref.
func lost(t *testing.T, srcs []sources.Source, rows []known) (missing []known) {
	t.Helper()
	s, err := screening.New(srcs, &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole := map[string]bool{}
	for _, list := range s.Sources() {
		whole[list.Info.ID] = list.Completeness == sources.Whole
	}
	for _, row := range rows {
		chain := address.Chain("ethereum") // any will do for a listed string that is not an address
		if a, ok := sources.Decode(row.asset, row.address); ok {
			chain = a.Chain()
		}
		r, err := s.ScreenText(chain, row.address)
		if err != nil {
			t.Fatalf("%+v: %v", row, err)
		}
		if !slices.ContainsFunc(r.Labels, func(l screening.Label) bool {
			return l.Source == row.source && (l.Ref == row.ref || whole[row.source])
		}) {
			missing = append(missing, row)
		}
	}
	return missing
}

// TestKnownRows screens every known row offline and checks that each is found in its
// list, wherever the bundle comes from. Only rows that a publisher has delisted may be
// missing, and delisted.csv must name them.
func TestKnownRows(t *testing.T) {
	longtest.WithoutRace(t)
	rows, delisted := knownRows(t), delistedRows(t)
	if len(rows) != 1186 {
		t.Fatalf("%d known rows, want 1186", len(rows))
	}
	missing := lost(t, bundle.All(), rows)
	for _, row := range missing {
		if delisted[row].IsZero() {
			t.Errorf("%+v is not found in its list: if the publisher has delisted it, add it to testdata/delisted.csv", row)
		}
	}
	published := map[string]time.Time{}
	for _, src := range bundle.All() {
		_, rev := load(t, src)
		published[src.Info().ID] = rev.Published
	}
	for row, day := range delisted {
		if !slices.Contains(missing, row) && published[row.source].After(day) {
			t.Errorf("testdata/delisted.csv has %+v, which is listed, want only what is not", row)
		}
		if !slices.Contains(rows, row) {
			t.Errorf("testdata/delisted.csv has %+v, which is not a known row", row)
		}
	}
}

// TestKnownRowsLost checks that TestKnownRows notices rows that are missing from a list
// as its publisher has it.
func TestKnownRowsLost(t *testing.T) {
	longtest.WithoutRace(t)
	srcs := bundle.All()
	entries, rev := load(t, srcs[0])
	rev.Completeness = sources.Whole
	rows := knownRows(t)
	i := slices.IndexFunc(rows, func(row known) bool { return row.source == srcs[0].Info().ID })
	rows = rows[i : i+1]
	srcs[0] = published{srcs[0], entries, rev}
	if missing := lost(t, srcs, rows); len(missing) != 0 {
		t.Errorf("%+v is not found", missing)
	}
	entries = slices.DeleteFunc(entries, func(e sources.Entry) bool { return e.Listed == rows[0].address })
	srcs[0] = published{srcs[0], entries, rev}
	if missing := lost(t, srcs, rows); !slices.Equal(missing, rows) {
		t.Errorf("lost %+v, want %+v", missing, rows)
	}
}

// A published source has other entries, and another revision.
type published struct {
	sources.Source
	entries []sources.Entry
	rev     sources.Revision
}

func (p published) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	for _, e := range p.entries {
		if err := add(e); err != nil {
			return sources.Revision{}, err
		}
	}
	return p.rev, nil
}

// TestOFAC checks the known rows of OFAC's list by ticker, as another program has counted
// them in OFAC's file of that day, and some entries of the bundled list.
func TestOFAC(t *testing.T) {
	got, refs := map[string]int{}, map[string]bool{}
	for _, row := range knownRows(t) {
		if row.source == "OFAC_SDN" {
			got[row.asset]++
			refs[row.ref] = true
		}
	}
	// The manifest counts an address once per ticker, so it has 13 LTC and 532 XBT.
	want := map[string]int{
		"ARB": 1, "BCH": 7, "BNB": 1, "BSC": 1, "BSV": 1, "BTG": 1, "DASH": 5, "DOGE": 2, "ETC": 1, "ETH": 120, "LTC": 14, "SOL": 4,
		"TRX": 261, "USDC": 2, "USDT": 94, "XBT": 533, "XMR": 11, "XRP": 1, "XVG": 1, "ZEC": 4,
	}
	if !maps.Equal(got, want) || len(refs) != 96 {
		t.Errorf("%d refs, rows by ticker %v, want 96, %v", len(refs), got, want)
	}
	delisted := delistedRows(t)
	entries, rev := load(t, bundle.OFAC())
	if rev.Records < 80 || rev.Completeness == sources.Assembled && rev.Records != 106 {
		t.Errorf("%d entities, want 106", rev.Records)
	}
	for _, e := range entries {
		if e.Kind != score.Sanctioned || e.Name == "" || e.Listed == "" {
			t.Errorf("%+v: want all that is known", e)
		}
	}
	for _, want := range []struct {
		asset                    string
		chain                    address.Chain // "": it is not an address
		listed, ref, name, since string
	}{
		{"XBT", "tron", "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq", "45404", "Wang Mingming", "2023-10-03"},
		{"XBT", "bitcoin", "37fKFZQGMqdBkjSUub1jCDWGgSHwv9VxfZ", "56360", "Sokolovski Rolan", "2025-11-19"},
		{"XVG", "verge", "DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z", "30520", "RAZA Mujtaba Ali", "2021-04-15"},
		{"BCH", "bitcoin-cash", "qpf2cphc5dkuclkqur7lhj2yuqq9pk3hmukle77vhq", "31212", "SOUTHFRONT", "2021-04-15"},
		{"XMR", "", "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320", "29585", "KARASAVIDI Dmitrii", "2020-09-16"},
	} {
		if !slices.ContainsFunc(entries, func(e sources.Entry) bool {
			return e.Asset == want.asset && e.Address.Chain() == want.chain && e.Listed == want.listed &&
				(rev.Completeness == sources.Whole || // may say the rest in other words
					e.Ref == want.ref && e.Name == want.name && e.EntityListedAt.Format(time.DateOnly) == want.since)
		}) && delisted[known{"OFAC_SDN", want.asset, want.listed, want.ref}].IsZero() {
			t.Errorf("there is no entry %+v", want)
		}
	}
}

// TestBadlist checks that the bundled list has the entries that the parser reads from
// the file in testdata, with dates, unless its publisher has another one.
func TestBadlist(t *testing.T) {
	f, err := os.Open("../badlist/testdata/addresses-darklist.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var want []sources.Entry
	file, err := badlist.Parse(f, func(e sources.Entry) error {
		e.FirstSeen = date(2018, 11, 6)
		want = append(want, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, rev := load(t, bundle.Badlist())
	if len(want) != 693 || len(got) < 500 {
		t.Fatalf("%d entries, and %d in the file, want 693", len(got), len(want))
	}
	if rev.Digest == file.Digest && !slices.Equal(got, want) {
		t.Errorf("entries %+v, want %+v", got, want)
	}
}

// TestPartIsNotLoaded checks that a part of the UK list matches its own addresses and
// nothing else.
func TestPartIsNotLoaded(t *testing.T) {
	entries, rev := load(t, bundle.UK())
	rev.Completeness = sources.Partial
	s, err := screening.New([]sources.Source{published{bundle.UK(), entries, rev}}, nil)
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
	longtest.WithoutRace(t)
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

// TestOpen checks that Open alone loads the bundled lists: they need no network.
func TestOpen(t *testing.T) {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	for _, update := range []func(context.Context) (screening.Report, error){s.Open, s.Open, s.Refresh} {
		if _, err := update(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, st := range s.Sources() {
			if st.Entries == 0 || st.Err != nil || st.Loaded() == (st.Completeness == sources.Partial) {
				t.Errorf("%s: %+v, want it loaded", st.Info.ID, st)
			}
		}
		if r, err := s.ScreenText("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"); err != nil || r.Level != score.Critical {
			t.Errorf("a listed address: %+v, %v", r, err)
		}
	}
}

// TestShrunk replaces each bundled list by a live one with fewer and fewer of its entries.
// Each is refused, also if Open was not called before, and the bundled list stays.
func TestShrunk(t *testing.T) {
	longtest.WithoutRace(t)
	for i, bundled := range bundle.All() {
		id := bundled.Info().ID
		entries, _ := load(t, bundled)
		shares := []int{2, 4, 10}
		if id == "UK_CONSOLIDATED" {
			shares = []int{4, 9, 56} // 56 to 14, 6 and 1
		} else if !longtest.Enabled() {
			shares = shares[i%3 : i%3+1] // another one for another list
		}
		for _, share := range shares {
			for _, open := range []bool{true, false} {
				rev := sources.Revision{Digest: strings.Repeat("1", 64), Records: 7000, Published: time.Now().UTC()}
				cut := published{bundled, entries[:max(1, len(entries)/share)], rev}
				s, err := screening.New([]sources.Source{sources.Seeded(cut, bundled)}, &screening.Options{Optional: []string{id}})
				if err != nil {
					t.Fatal(err)
				}
				if open {
					if _, err := s.Open(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				for range 2 {
					_, err := s.Refresh(t.Context())
					if got := s.Sources()[0]; !errors.Is(err, screening.ErrShrunk) || got.Entries != len(entries) {
						t.Errorf(
							"%s, %d of %d entries, opened: %v: %v, and %d are held, want %v",
							id,
							len(cut.entries),
							len(entries),
							open,
							err,
							got.Entries,
							screening.ErrShrunk,
						)
					}
				}
			}
		}
	}
}

// TestNoThiefIsClean screens the addresses of all final documents by default, and wallets of
// hacked services, which the same pack has, without an abuse: these are victims.
func TestNoThiefIsClean(t *testing.T) {
	longtest.WithoutRace(t)
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[score.Kind]int{score.StolenFunds: 101 + 178, score.Seized: 155, score.Ransomware: 7512}
	got := map[score.Kind]int{}
	for _, src := range []sources.Source{bundle.FBI(), bundle.DOJ(), bundle.GraphSense()} {
		entries, _ := load(t, src)
		for _, e := range entries {
			r, err := s.Screen(e.Address)
			if err != nil || r.Score == 0 {
				t.Fatalf("%s of %s: %+v, %v, want a label", e.Listed, e.Name, r, err)
			}
			if i := slices.IndexFunc(r.Labels, func(l screening.Label) bool { return l.Source == src.Info().ID && l.Kind == e.Kind }); i < 0 ||
				r.Labels[i].AddedAt != e.ListedAt || r.Labels[i].Ref == "" || src.Info().URL(r.Labels[i].Ref) == "" {
				t.Errorf("%s of %s: %+v, want a label with its date and document", e.Listed, e.Name, r.Labels)
			}
			got[e.Kind]++
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("addresses by kind: %v, want %v", got, want)
	}
	for _, victim := range []string{"1NZcj9Gqtj21q4XPdZYMx43HhJyPjE6GqM", "144GDgUDzXaJ21N2PEPc5p5MoC93HRxMnP", "184VFd8519G6WPg78r8YTvkL2zQ8aLxw9Q"} {
		if r, err := s.ScreenText("bitcoin", victim); err != nil || r.Level != score.CleanNoMatch {
			t.Errorf("the victim's wallet %s: %+v, %v, want %s", victim, r, err, score.CleanNoMatch)
		}
	}
}

// TestSize limits the number of bytes that an embedder links.
func TestSize(t *testing.T) {
	total := int64(0)
	for _, name := range []string{"ofac.stays.gz", "badlist.stays.gz", "eu.stays", "uk.stays", "doj.stays", "fbi.stays", "graphsense.stays.gz", "ofac_history.stays.gz"} {
		f, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += f.Size()
	}
	if total > 350_000 {
		t.Errorf("the lists have %d bytes, want at most 350000", total)
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
	// OFAC_SDN 27307 Lazarus Group family 2022-09-03
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
	// DOJ_FORFEITURE US
	// GRAPHSENSE Community
	// COMMUNITY_BADLIST Community
}

func ExampleOptional() {
	fmt.Println(bundle.Optional())
	// Output: [UK_CONSOLIDATED FBI_IC3 DOJ_FORFEITURE GRAPHSENSE COMMUNITY_BADLIST]
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
