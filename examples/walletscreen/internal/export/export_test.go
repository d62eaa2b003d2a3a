package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// bundled returns the entries of the bundled lists.
func bundled(t testing.TB) []sources.Entry {
	t.Helper()
	var all []sources.Entry
	for _, src := range bundle.All() {
		if _, err := src.Load(context.Background(), sources.Revision{}, func(e sources.Entry) error {
			all = append(all, e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// screener returns a Screener that answers from the entries of one list.
func screener(t testing.TB, entries []sources.Entry, opts *screening.Options) *screening.Screener {
	t.Helper()
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "TEST", Name: "Test", Jurisdiction: sources.US}, entries...)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

func sequence(entries []sources.Entry) iter.Seq2[sources.Entry, error] {
	return func(yield func(sources.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// written returns the rows that Write writes, without the line of names.
func written(t testing.TB, s Screener, entries []sources.Entry) ([][]string, Summary) {
	t.Helper()
	var b bytes.Buffer
	sum, err := Write(context.Background(), &b, CSV, s, sequence(entries))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{
		"chain", "address", "any_case", "match", "kind", "score", "level", "source", "source_ref", "name",
		"listed_address", "added_at", "not_listed_on", "entity_listed_at", "published_at", "snapshot",
	}
	if !slices.Equal(rows[0], columns) || sum.Rows != len(rows)-1 || sum.Entries != len(entries) {
		t.Errorf("the columns are %v, the summary %+v of %d rows", rows[0], sum, len(rows)-1)
	}
	return rows[1:], sum
}

// TestWrite checks every row against the Screener: a row says of a spelling what
// the Screener says when it screens that spelling.
func TestWrite(t *testing.T) {
	var entries []sources.Entry
	for i, e := range bundled(t) {
		if i%longtest.N(25, 5) == 0 {
			entries = append(entries, e)
		}
	}
	entries = append(entries, sources.Entry{Listed: "no address, but listed", Kind: score.Sanctioned, Ref: "n1"},
		sources.Entry{Listed: "0xABCDEF", Kind: score.Sanctioned, Ref: "n2"})
	for i := range entries {
		entries[i].Ref = fmt.Sprint(entries[i].Ref, "/", i) // of its own, and an official kind
		entries[i].Kind = score.Sanctioned
	}
	s := screener(t, entries, nil)
	rows, sum := written(t, s, entries)
	seen := map[string]bool{}
	exact := map[string]bool{}
	for _, r := range rows {
		if line := strings.Join(r, "|"); seen[line] {
			t.Fatalf("the row %s is given twice", line)
		} else {
			seen[line] = true
		}
		chain := address.Chain(r[0])
		switch r[0] {
		case EVM:
			chain = "fuse" // for which nothing is listed
		case Any:
			chain = "bitcoin"
		}
		texts := []string{r[1]}
		if r[2] == "true" {
			texts = append(texts, strings.ToUpper(r[1]), strings.ToLower(r[1]))
		}
		for _, text := range texts {
			answer, err := s.ScreenText(chain, text)
			if err != nil && len(answer.Labels) == 0 {
				t.Fatalf("%v: %v", r, err)
			}
			if answer.Digest() != r[15] || !slices.ContainsFunc(answer.Labels, func(l screening.Label) bool {
				return l.Match.String() == r[3] && string(l.Kind) == r[4] && fmt.Sprint(l.Points) == r[5] && l.Source == r[7] && l.Ref == r[8] &&
					l.Name == r[9] && l.Listed == r[10] && date(l.AddedAt) == r[11] && date(l.NotListedOn) == r[12] && date(l.EntityListedAt) == r[13]
			}) {
				t.Fatalf("%v is not a label of %s %s: %+v", r, chain, text, answer.Labels)
			}
		}
		if r[3] == "exact" || r[3] == "literal" {
			exact[r[8]] = true
		}
	}
	for _, e := range entries {
		if !exact[e.Ref] {
			t.Errorf("%s, listed as %q, has no row of its own", e.Address, e.Text())
		}
	}
	if again, _ := written(t, s, entries); !slices.EqualFunc(rows, again, slices.Equal) {
		t.Error("written twice, the tables differ")
	}
	if sum.Snapshot == "" {
		t.Error("there is no snapshot")
	}
}

// TestSpellings checks the rows of a few entries that people know.
func TestSpellings(t *testing.T) {
	entries := []sources.Entry{
		{Address: address.MustParse("bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"), Kind: score.Sanctioned, Ref: "1"},
		{Address: address.MustParse("bsc", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"), Kind: score.Sanctioned, Ref: "2"},
		{Address: address.MustParse("xrp", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ"), Kind: score.Sanctioned, Ref: "3"},
	}
	rows, _ := written(t, screener(t, entries, nil), entries)
	for _, want := range []string{
		"bitcoin 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH false exact 1",
		"bitcoin bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 true key 1",
		"bitcoin 3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN false key 1", // wraps bc1q…
		"bitcoin-cash bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h true key 1",
		"bitcoin-cash qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h true key 1",
		"litecoin ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9 true key 1",
		"zcash t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs false key 1",
		"bsc 0x098b716b8aaf21512996dc57eb0615e2383e2f96 true exact 2",
		"evm 0x098b716b8aaf21512996dc57eb0615e2383e2f96 true family 2",
		"xdc xdc098b716b8aaf21512996dc57eb0615e2383e2f96 true family 2",
		"xrp r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59 false exact 3",
		"xrp X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ false exact 3",
	} {
		if !slices.ContainsFunc(rows, func(r []string) bool { return strings.Join([]string{r[0], r[1], r[2], r[3], r[8]}, " ") == want }) {
			t.Errorf("there is no row %s", want)
		}
	}
	for _, r := range rows {
		if slices.Contains(evmChains, address.Chain(r[0])) && r[0] != "bsc" && strings.HasPrefix(r[1], "0x") {
			t.Errorf("%v is there beside the row of all EVM chains", r)
		}
	}
}

// TestExceptions checks that what does not count is not in the table.
func TestExceptions(t *testing.T) {
	a := address.MustParse("bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH")
	entries := []sources.Entry{{Address: a, Kind: score.Sanctioned, Ref: "1"}}
	s := screener(t, entries, nil)
	if err := s.SetExceptions(context.Background(), []screening.Exception{{Address: a, Reason: "ours", Author: "test"}}); err != nil {
		t.Fatal(err)
	}
	rows, _ := written(t, s, entries)
	for _, r := range rows {
		if r[3] == "exact" {
			t.Errorf("%v is in the table", r)
		}
	}
}

// refreshed answers from s once, and then from another.
type refreshed struct {
	*screening.Screener
	then *screening.Screener
	left *int
}

func (r refreshed) Screen(a address.Address) (screening.Result, error) {
	if *r.left--; *r.left < 0 {
		return r.then.Screen(a)
	}
	return r.Screener.Screen(a)
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	entries := bundled(t)[:50]
	for i := range entries {
		entries[i].Kind, entries[i].Ref = score.Sanctioned, fmt.Sprint(i)
	}
	s := screener(t, entries, nil)
	var b bytes.Buffer
	left := 100
	if _, err := Write(ctx, &b, CSV, refreshed{s, screener(t, entries[1:], nil), &left}, sequence(entries)); !errors.Is(err, ErrChanged) {
		t.Errorf("a refresh during the export is the error %v", err)
	}
	if _, err := Write(ctx, &b, CSV, screener(t, entries[1:], nil), sequence(entries)); err == nil ||
		!strings.Contains(err.Error(), "is on none of the lists") {
		t.Errorf("an entry of another list is the error %v", err)
	}
	cause := errors.New("damaged")
	if _, err := Write(ctx, &b, CSV, s, func(yield func(sources.Entry, error) bool) { yield(sources.Entry{}, cause) }); !errors.Is(err, cause) {
		t.Errorf("an error of the entries is the error %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Write(ended, &b, CSV, s, sequence(entries)); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context is the error %v", err)
	}
	if _, err := Write(ctx, full{}, SQL, s, sequence(entries)); !errors.Is(err, errFull) {
		t.Errorf("a full disk is the error %v", err)
	}
	if _, err := Write(ctx, full{}, CSV, s, sequence(entries)); !errors.Is(err, errFull) {
		t.Errorf("a full disk is the error %v", err)
	}
	empty, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "TEST", Name: "Test", Jurisdiction: sources.US})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(ctx, &b, CSV, empty, sequence(entries)); !errors.Is(err, screening.ErrNotLoaded) {
		t.Errorf("a list that is not loaded is the error %v", err)
	}
	if _, err := ParseFormat("parquet"); err == nil {
		t.Error("parquet is a format")
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// wrapping is what a join misses most.
const wrapping = "a listed script, such as `3…`: addresses of the key or script that it wraps"

// TestPairs lists the addresses of package address's vectors, and asks about each
// of them. What Screen finds must have a row, or be of a kind that sql.md names.
func TestPairs(t *testing.T) {
	all := vectors(t)
	entries := make([]sources.Entry, len(all))
	spellings := make([]map[spelling]bool, len(all)) // the spellings in the rows of each entry
	for i, a := range all {
		entries[i] = sources.Entry{Address: a, Kind: score.Sanctioned, Ref: fmt.Sprint(i)}
		spellings[i] = map[spelling]bool{}
		for _, a := range accounts(entries[i]) {
			for _, k := range a.AppendKeys(nil) {
				for _, s := range ofKey(k) {
					spellings[i][s] = true
				}
			}
			for _, s := range ofAccount(a) {
				spellings[i][s] = true
			}
		}
	}
	s := screener(t, entries, nil)
	pairs, missed, joins := 0, map[string]int{}, 0
	for i, a := range all {
		r, err := s.Screen(a)
		if err != nil {
			t.Fatal(err)
		}
		if Joins(a) {
			joins++
		}
		asked := spelling{a.Chain(), a.Normalized()}
		if isEVM(a) {
			asked.chain = "ethereum"
		}
		for _, l := range r.Labels {
			if l.Ref == fmt.Sprint(i) {
				continue
			}
			var listed int
			fmt.Sscan(l.Ref, &listed)
			if pairs++; spellings[listed][asked] {
				continue
			}
			if Joins(a) {
				t.Errorf("%v is found by the listed %v, has no row, and Joins reports true", a, all[listed])
			}
			why := notEnumerated(a)
			if why == "" && wraps(all[listed], a) {
				why = wrapping
			}
			if why == "" && slices.Contains([]address.Chain{"kaspa", "ergo", "fio"}, a.Chain()) {
				why = "Kaspa, Ergo, FIO: addresses that show the public key of a listed hash"
			}
			if why == "" {
				t.Errorf("%v is found by the listed %v, but has no row", a, all[listed])
			}
			missed[why]++
		}
	}
	doc, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	const half = "The\nlast kind is the largest, with more than half of the pairs that are missed"
	total := 0
	for why, n := range missed {
		t.Logf("%d of %d pairs: %s", n, pairs, why)
		if !strings.Contains(string(doc), "\n- "+why+"\n") {
			t.Errorf("sql.md does not say that a join misses %s", why)
		}
		total += n
	}
	t.Logf("%d of %d pairs are not joined; Joins reports true for %d of %d addresses", total, pairs, joins, len(all))
	if joins*3 < len(all) {
		t.Errorf("Joins reports true for %d of %d addresses, want a third", joins, len(all))
	}
	if missed[wrapping]*2 < total || !strings.Contains(string(doc), half) {
		t.Errorf("%d of the %d pairs that are missed are wrapped by a listed script; want %q to be true, and in sql.md", missed[wrapping], total, half)
	}
	if total*4 > pairs { // sql.md says so
		t.Errorf("%d of %d pairs are not joined, more than one in four", total, pairs)
	}
	if rest := total - missed[wrapping]; rest*20 > pairs || !strings.Contains(string(doc), "Without it, 19 in 20 are matched") {
		t.Errorf("%d of %d pairs are not joined for another reason than a script, more than one in twenty, or sql.md does not say so", rest, pairs)
	}
}

// wraps reports whether the script of a listed address wraps a key of a.
func wraps(listed, a address.Address) bool {
	keys := a.AppendKeys(nil)
	return slices.ContainsFunc(listed.AppendKeys(nil), func(k address.Key) bool {
		return strings.HasPrefix(k.String(), "script:") && slices.Contains(keys, k)
	})
}
