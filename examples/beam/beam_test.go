package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/secret"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/internal/visible"
	"github.com/walletscreen/walletscreen/internal/wire"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

func init() { register.DoFn2x0[int, func(string)](&generateFn{}) }

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// listed are the entries of the list of the tests.
const listed = 2000

// account returns the bytes of listed account i, or for i of 1<<32 and above of one
// that is not listed.
func account(i uint64) [20]byte {
	rng := rand.NewChaCha8([32]byte{1, byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24), byte(i >> 32), byte(i >> 40)})
	var b [20]byte
	rng.Read(b[:])
	return b
}

func evmText(i uint64) string {
	b := account(i)
	return "0x" + hex.EncodeToString(b[:])
}

// lists makes a directory with two lists, and returns it with a Screener that
// answers from them.
func lists(t testing.TB) (string, *screening.Screener) {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var entries []sources.Entry
	for i := range uint64(listed + 1) {
		entries = append(entries, sources.Entry{
			Address: address.MustParse("ethereum", evmText(i)), Kind: score.Sanctioned, Ref: strconv.FormatUint(i, 10), Name: `a "name", with commas`,
			EntityListedAt: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotListedOn: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC),
			FirstSeen: time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC),
		})
	}
	entries = append(entries, sources.Entry{
		Address: address.MustParse("ethereum", evmText(dropped)), Kind: score.Sanctioned, Ref: "d",
		FirstSeen: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	for _, a := range vectors.MessyListed() {
		entries = append(
			entries,
			sources.Entry{
				Address:        a,
				Kind:           score.Sanctioned,
				Ref:            "m",
				EntityListedAt: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
				NotListedOn:    time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC),
				FirstSeen:      time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC),
			},
		)
	}
	other := sources.Entry{Address: address.MustParse("bitcoin", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"), Kind: score.Scam, Ref: "b1"}
	s, err := screening.New([]sources.Source{
		sources.Static(sources.Info{ID: "OFAC_SDN", Name: "First", Jurisdiction: sources.US}, entries...),
		sources.Static(sources.Info{ID: "EU_CONSOLIDATED", Name: "Second", Jurisdiction: sources.Community}, other),
	}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	err = s.SetExceptions(
		context.Background(),
		[]screening.Exception{{Address: address.MustParse("ethereum", evmText(allowed)), Reason: "Court order 7", Author: "Jo Roe"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return dir, s
}

// allowed is the number of a listed address that an exception allows, and dropped the number of
// one that the list dropped.
const (
	allowed = listed
	dropped = listed + 1
)

// hexKey is a private key, or an account of some chains.
const hexKey = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"

// A question is a row of a test.
type question struct{ chain, text string }

// questions returns n rows, with hits in several spellings, and rows that are
// not addresses.
func questions(n int) []question {
	all := make([]question, n)
	for i := range all {
		q := question{"ethereum", evmText(uint64(i) + 1<<32)}
		switch i % 100 {
		case 1:
			q.text = evmText(uint64(i) % listed)
		case 2:
			q = question{"polygon", strings.ToUpper(evmText(uint64(i) % listed)[2:])}
			q.text = "0x" + q.text
		case 3:
			q = question{"Bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"} // the same again and again
		case 4:
			q.text = "no address"
		case 5:
			q = question{"nochain", evmText(1)} // listed, whatever the chain
		case 7:
			q = question{"ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec8"} // the capitals do not verify
		case 8:
			q = question{"ETH", evmText(uint64(i) % listed)}
		case 9:
			q = question{"polygon", evmText(allowed)}
		case 10:
			q.text = evmText(dropped)
		case 6:
			q = question{"bitcoin", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"} // a private key
		case 13:
			q = question{"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", "ethereum"} // the columns are the other way round
		case 11:
			q.text = hexKey
		case 12:
			q.text = evmText(uint64(i)%listed) + " " + hexKey
		}
		all[i] = q
	}
	return all
}

// expected returns the lines of hits.jsonl, by their text, and the number of rows that
// hit and of those that fail.
func expected(t testing.TB, s *screening.Screener, all []question) (verdicts map[string]verdict, hits, invalid int64) {
	t.Helper()
	verdicts = make(map[string]verdict)
	for _, q := range all {
		r, _, err := s.ScreenInput(q.chain, q.text)
		if len(r.Labels) == 0 && (err != nil || len(r.Doubts) > 0) {
			invalid++
			continue
		}
		if len(r.Labels)+len(r.Suppressed)+len(r.Formerly) == 0 {
			continue
		}
		if len(r.Labels) > 0 {
			hits++
		}
		v := verdict{
			Address: q.text,
			Chain:   string(r.Address.Chain()),
			Digest:  r.Digest(),
			Answer:  r.Answer(),
			Scoring: r.ScoringVersion,
		}
		if err != nil {
			v.Error, v.AllClear = err.Error(), false
		}
		if secret.Hides(err, q.text) {
			v.Address = r.Address.Normalized()
		}
		line, err := wire.JSON(v)
		if err != nil {
			t.Fatal(err)
		}
		verdicts[string(line)] = v
	}
	return verdicts, hits, invalid
}

// results reads a file of JSON lines.
func results[T any](t testing.TB, dir, name string) []T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for line := range bytes.Lines(b) {
		var v T
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, v)
	}
	return all
}

// checkResults compares the files in dir, and the counters, with what ScreenInput
// returns.
func checkResults(t testing.TB, s *screening.Screener, all []question, dir string, got counts) {
	t.Helper()
	want, hits, invalid := expected(t, s, all)
	if want := (counts{int64(len(all)), hits, invalid}); got != want {
		t.Errorf("the counters are %+v, want %+v", got, want)
	}
	verdicts := results[json.RawMessage](t, dir, "hits.jsonl")
	for _, line := range verdicts {
		v, ok := want[string(line)]
		if !ok {
			t.Fatalf("nobody asked for the verdict %s", line)
		}
		for _, l := range v.Labels {
			if l.Source == "OFAC_SDN" && (l.EntityListedAt.Year() != 2020 || l.NotListedOn.Year() != 2021 || l.AddedAt.Year() != 2022) {
				t.Fatalf("the dates of %+v", l)
			}
		}
	}
	if len(verdicts) != len(want) {
		t.Errorf("there are %d verdicts, want %d", len(verdicts), len(want))
	}
	for _, f := range results[failure](t, dir, "errors.jsonl") {
		if f.Error == "" && len(f.Doubts) == 0 || f.Error != "" && secret.Hides(errors.New(f.Error), f.Address) || len(f.Row) != 64 || f.Digest == "" {
			t.Errorf("a failure is %+v", f)
		}
	}
	for _, name := range []string{"hits.jsonl", "errors.jsonl"} {
		b, _ := os.ReadFile(filepath.Join(dir, name))
		if name == "errors.jsonl" && bytes.Contains(b, []byte("5HueCGU")) {
			t.Error("errors.jsonl quotes a private key")
		}
		if bytes.ContainsFunc(b, func(r rune) bool { return r > '~' && visible.Hidden(r) }) {
			t.Errorf("%s has characters that nobody sees", name)
		}
	}
}

// TestFormats runs a job over each format.
func TestFormats(t *testing.T) {
	dir, s := lists(t)
	all := questions(5000)
	var table, quoted, lines, text bytes.Buffer
	table.WriteString("\uFEFFid,chain,address\r\n")
	quoted.WriteString("who,wallet,\"the chain\"\n")
	for i, q := range all {
		fmt.Fprintf(&table, "%d,%s,%s\r\n", i, q.chain, q.text)
		w := csv.NewWriter(&quoted)
		w.Write([]string{`a "b", c`, q.text, q.chain})
		w.Flush()
		b, _ := json.Marshal(map[string]any{"address": q.text, "chain": q.chain, "n": i})
		lines.Write(append(b, '\n'))
	}
	var bitcoin []question
	for _, q := range all {
		bitcoin = append(bitcoin, question{"bitcoin", q.text})
		fmt.Fprintln(&text, q.text)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(table.Bytes())
	z.Close()
	for _, tt := range []struct {
		name string
		file []byte
		rows rows
		all  []question
	}{
		{"a.csv", table.Bytes(), rows{Format: "csv", AddressColumn: "address", ChainColumn: "chain"}, all},
		{"a.csv.gz", zipped.Bytes(), rows{Format: "csv", AddressColumn: "address", ChainColumn: "chain"}, all},
		{"quoted.csv", quoted.Bytes(), rows{Format: "csv", AddressColumn: "wallet", ChainColumn: "the chain"}, all},
		{"a.jsonl", lines.Bytes(), rows{Format: "jsonl", AddressColumn: "address", ChainColumn: "chain"}, all},
		{"a.txt", text.Bytes(), rows{Format: "text", Chain: "Bitcoin"}, bitcoin},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, out := filepath.Join(t.TempDir(), tt.name), t.TempDir()
			if err := os.WriteFile(in, tt.file, 0o600); err != nil {
				t.Fatal(err)
			}
			var log strings.Builder
			j := job{lists: dir, in: in, out: out, rows: tt.rows, log: &log}
			for range 2 { // the second run, over the results of the first, changes nothing
				got, err := j.run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				checkResults(t, s, tt.all, out, got)
			}
			today := time.Now().UTC().Format("2006-01-")
			for _, want := range []string{fmt.Sprintf("list OFAC_SDN: %d addresses, whole, checked on %s", listed+1+len(vectors.MessyListed()), today),
				"list EU_CONSOLIDATED: 1 addresses, whole, checked on " + today} {
				if strings.Count(log.String(), want) != 2 {
					t.Errorf("the job does not say that it answers from %q: %s", want, &log)
				}
			}
		})
	}
}

// TestRemote runs a job whose lists, rows and results are on a file system of
// Beam's.
func TestRemote(t *testing.T) {
	dir, s := lists(t)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		memfs.Write("memfs://lists/"+f.Name(), b)
	}
	all := questions(300)
	var lines []byte
	for _, q := range all {
		lines = fmt.Appendf(lines, "{\"address\":%q,\"chain\":%q}\n", q.text, q.chain)
	}
	memfs.Write("memfs://in/a.jsonl", lines)
	out := t.TempDir()
	j := job{lists: "memfs://lists/", in: "memfs://in/*", out: out, rows: rows{Format: "jsonl", AddressColumn: "address", ChainColumn: "chain"}}
	got, err := j.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	checkResults(t, s, all, out, got)
}

// TestRefused checks that nothing is screened where it would not be with the
// lists that were asked for.
func TestRefused(t *testing.T) {
	ctx := context.Background()
	dir, _ := lists(t)
	in := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(in, []byte("chain,address\nethereum,"+evmText(1)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	columns := rows{Format: "csv", AddressColumn: "address", ChainColumn: "chain"}
	for _, tt := range []struct {
		job  job
		want string
	}{
		{job{in: in, rows: columns}, "-in and -out are needed"},
		{job{lists: t.TempDir(), in: in, out: "x", rows: columns}, "there are no lists"},
		{job{lists: dir + "/none", in: in, out: "x", rows: columns}, "no such file"},
		{job{lists: dir, in: in + ".none", out: "x", rows: columns}, "no file is named"},
		{job{lists: dir, in: in, out: "x", maxAge: time.Nanosecond, rows: columns}, screening.ErrStale.Error()},
		{job{lists: dir, in: in, out: "x", rows: rows{Format: "csv", AddressColumn: "wallet", ChainColumn: "chain"}}, "-address-column"},
		{job{lists: dir, in: in, out: "x", rows: rows{Format: "csv", AddressColumn: "address", ChainColumn: "network"}}, "-chain-column"},
		{job{lists: dir, in: in, out: "x", rows: rows{Format: "parquet"}}, "want csv, jsonl or text"},
		{job{lists: dir, in: in, out: "x", rows: rows{Format: "text"}}, "needs -chain"},
		{job{lists: dir, in: in, out: "x", rows: rows{Format: "text", Chain: "ETH"}}, "ETH"},
	} {
		if _, err := tt.job.run(ctx); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want an error with %q", tt.job, err, tt.want)
		}
	}

	// A file without a header.
	bare := filepath.Join(t.TempDir(), "bare.csv")
	if err := os.WriteFile(bare, []byte("ethereum,"+hexKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (job{lists: dir, in: bare, out: t.TempDir(), rows: columns}).run(ctx); err == nil || strings.Contains(err.Error(), hexKey) {
		t.Errorf("a file without a header: %v", err)
	}

	// A file with two columns of one name.
	twice := filepath.Join(t.TempDir(), "twice.csv")
	if err := os.WriteFile(twice, []byte("chain,address,address\nethereum,"+evmText(1<<32)+","+evmText(1)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := (job{lists: dir, in: twice, out: t.TempDir(), rows: columns}).run(ctx); err == nil || !strings.Contains(err.Error(), "two columns are named") {
		t.Errorf("two columns of one name: %+v, %v", got, err)
	}

	// A file whose lines end with carriage returns has all its rows in the first line.
	returns := filepath.Join(t.TempDir(), "returns.csv")
	if err := os.WriteFile(returns, []byte("id,address,note\r1,"+evmText(1)+",x\r"), 0o600); err != nil {
		t.Fatal(err)
	}
	table := job{lists: dir, in: returns, out: t.TempDir(), rows: rows{Format: "csv", AddressColumn: "address", Chain: "ethereum"}}
	if got, err := table.run(ctx); err == nil || !strings.Contains(err.Error(), "carriage return") {
		t.Errorf("lines that end with carriage returns: %+v, %v", got, err)
	}

	// A second file whose columns are in another order.
	second := filepath.Join(t.TempDir(), "*.csv")
	for name, text := range map[string]string{"1.csv": "address,payout,chain\n" + evmText(1) + ",x,ethereum\n", "2.csv": "payout,address,chain\nx," + evmText(2) + ",ethereum\n"} {
		if err := os.WriteFile(strings.Replace(second, "*.csv", name, 1), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (job{lists: dir, in: second, out: t.TempDir(), rows: columns}).run(ctx); err == nil || !strings.Contains(err.Error(), "another first line") {
		t.Errorf("files with other columns: %v", err)
	}

	// A list that was never loaded.
	without := t.TempDir()
	st, err := store.Open(without)
	if err != nil {
		t.Fatal(err)
	}
	broken := sources.File(sources.Info{ID: "BROKEN", Name: "Broken", Jurisdiction: sources.US}, "none", nil)
	s, err := screening.New(
		[]sources.Source{sources.Static(sources.Info{ID: "OFAC_SDN", Name: "First", Jurisdiction: sources.US}), broken},
		&screening.Options{Store: st},
	)
	if err != nil {
		t.Fatal(err)
	}
	s.Refresh(ctx) // the error is the test
	if _, err := latest(ctx, without, []string{"OFAC_SDN", "BROKEN"}, 0); err == nil {
		t.Error("a snapshot without a required list is taken")
	}

	// A worker that does not have the lists of the job.
	snap, err := latest(ctx, dir, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	snap.Digest = strings.Repeat("0", 64)
	f := screenFn{Snapshot: snap}
	if err := f.Setup(ctx); err == nil {
		t.Error("a worker has opened other lists than those of the job")
	}
}

// TestRows checks the chain and the address that are read from a line.
func TestRows(t *testing.T) {
	table := rows{Format: "csv", AddressColumn: "address", ChainColumn: "chain"}
	if err := table.header("address,x,chain"); err != nil {
		t.Fatal(err)
	}
	lines := rows{Format: "jsonl", AddressColumn: "address", ChainColumn: "chain"}
	for _, tt := range []struct {
		rows                    rows
		line, chain, text, want string
	}{
		{table, "a,b,c", "c", "a", ""},
		{table, `"a,b",,"c"` + "\r", "c", "a,b", ""},
		{table, "", "", "", "no row"},
		{table, "address,x,chain", "", "", "no row"},
		{table, "\ufeffaddress,x,chain", "", "", "no row"},
		{table, "x,address,chain", "", "", "another first line"},
		{table, "chain,address", "", "", "another first line"},
		{table, "a,b", "", "", "2 columns, want 3"},
		{table, `"a`, "", "", "does not end"},
		{lines, `{"address":"a","chain":"c"}`, "c", "a", ""},
		{lines, `{"address":1,"chain":"c"}`, "", "", "not a string"},
		{lines, `{"address":"a"}`, "", "", "not a string"},
		{lines, `{"address":"a","chain":"c","address":"b"}`, "", "", "given twice"},
		{lines, `{"address":"a","chain":"c"}{}`, "", "", "not a JSON object"},
		{lines, `null`, "", "", "not a JSON object"},
		{lines, `secret`, "", "", "not a JSON object"},
		{rows{Format: "text", Chain: "c"}, "a b", "c", "a b", ""},
	} {
		chain, text, err := tt.rows.read(tt.line)
		if tt.want == "" && (err != nil || chain != tt.chain || text != tt.text) {
			t.Errorf("%q is read as %q, %q, %v", tt.line, chain, text, err)
		}
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q has the error %v, want %s", tt.line, err, tt.want)
		}
	}
}

// A generateFn makes the rows of one share of TestMany.
type generateFn struct{ Rows int }

func (f *generateFn) ProcessElement(share int, emit func(string)) {
	for i := range f.Rows {
		emit(rowOf(share*f.Rows + i))
	}
}

// rowOf returns row n of TestMany: one in a thousand is listed, and one in ten
// thousand is not an address. Each listed row is another one until all were there.
func rowOf(n int) string {
	switch {
	case n%10_000 == 5:
		return "ethereum,0x" + strconv.Itoa(n)
	case n%1000 == 7:
		return "ethereum," + evmText(uint64(n/1000)%listed)
	}
	const digits = "0123456789abcdef"
	b := append(make([]byte, 0, 64), "ethereum,0x"...)
	x := uint64(n) * 0x9e3779b97f4a7c15
	for range 40 {
		b = append(b, digits[x>>60])
		x = x*6364136223846793005 + 1442695040888963407
	}
	return string(b)
}

// TestMany screens many generated rows, and checks that the counts are exact and
// that memory does not grow with the rows.
func TestMany(t *testing.T) {
	const shares = 64
	n := longtest.N(64_000, 10_000_000) / shares * shares
	dir, s := lists(t)
	ctx := context.Background()
	snap, err := latest(ctx, dir, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := rows{Format: "csv", AddressColumn: "address", ChainColumn: "chain"}
	if err := r.header("chain,address"); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	p, scope := beam.NewPipelineWithRoot()
	var numbers []any
	for i := range shares {
		numbers = append(numbers, i)
	}
	generated := beam.ParDo(scope, &generateFn{n / shares}, beam.Reshuffle(scope, beam.Create(scope, numbers...)))
	hits, bad := Screen(scope, snap, r, generated)
	textio.Write(scope, out+"/hits.jsonl", hits)
	textio.Write(scope, out+"/errors.jsonl", bad)

	peak := heapPeak()
	begun := time.Now()
	got, err := execute(ctx, p)
	took := time.Since(begun)
	if err != nil {
		t.Fatal(err)
	}
	heap := peak()
	t.Logf("%d rows in %v, %.0f rows a second; the heap had at most %d MB", n, took, float64(n)/took.Seconds(), heap>>20)
	var want counts
	distinct := map[string]bool{}
	for i := range n {
		switch {
		case i%10_000 == 5:
			want.invalid++
		case i%1000 == 7:
			want.hits++
			distinct[rowOf(i)] = true
		}
	}
	want.rows = int64(n)
	if got != want {
		t.Errorf("the counters are %+v, want %+v", got, want)
	}
	for _, v := range results[verdict](t, out, "hits.jsonl") {
		if !distinct[v.Chain+","+v.Address] || v.Digest != snap.Digest || v.Score != 100 {
			t.Fatalf("%+v is a verdict", v)
		}
		delete(distinct, v.Chain+","+v.Address)
	}
	if len(distinct) > 0 {
		t.Errorf("%d listed addresses have no verdict", len(distinct))
	}
	if failures := results[failure](t, out, "errors.jsonl"); int64(len(failures)) != want.invalid {
		t.Errorf("there are %d failures, want %d", len(failures), want.invalid)
	}
	if heap > 1<<30 {
		t.Errorf("the heap had %d MB", heap>>20)
	}

	// The same rows by ScreenAll, for README.md.
	begun = time.Now()
	found := 0
	for r, err := range s.ScreenAll(func(yield func(address.Address) bool) {
		for i := range n {
			chain, text, _ := strings.Cut(rowOf(i), ",")
			if a, err := address.Normalize(address.Chain(chain), text); err == nil && !yield(a) {
				return
			}
		}
	}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Labels) > 0 {
			found++
		}
	}
	alone := time.Since(begun)
	t.Logf("ScreenAll took %v; Beam %.1f times as long", alone, took.Seconds()/alone.Seconds())
	if int64(found) != want.hits {
		t.Errorf("ScreenAll has found %d", found)
	}
}

// TestLargeFile screens a file that textio reads in several parts, and the same
// file compressed.
func TestLargeFile(t *testing.T) {
	dir, _ := lists(t)
	n := longtest.N(20_000, 3_000_000) // 160 MB; a part has 64 MB
	var want counts
	want.rows = int64(n)
	plain, err := os.Create(filepath.Join(t.TempDir(), "a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := os.Create(plain.Name() + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	z, _ := gzip.NewWriterLevel(zipped, gzip.BestSpeed)
	w := bufio.NewWriter(io.MultiWriter(plain, z))
	fmt.Fprintln(w, "chain,address")
	for i := range n {
		fmt.Fprintln(w, rowOf(i))
		switch {
		case i%10_000 == 5:
			want.invalid++
		case i%1000 == 7:
			want.hits++
		}
	}
	if err := errors.Join(w.Flush(), z.Close(), plain.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{plain.Name(), zipped.Name()} {
		j := job{lists: dir, in: name, out: t.TempDir(), rows: rows{Format: "csv", AddressColumn: "address", ChainColumn: "chain"}}
		begun := time.Now()
		got, err := j.run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d rows in %v", filepath.Base(name), n, time.Since(begun))
		if got != want {
			t.Errorf("%s: the counters are %+v, want %+v", filepath.Base(name), got, want)
		}
	}
	both := job{lists: dir, in: plain.Name() + "*", out: t.TempDir(), rows: rows{Format: "csv", AddressColumn: "address", ChainColumn: "chain"}}
	if _, err := both.run(context.Background()); err == nil || !strings.Contains(err.Error(), "need two jobs") {
		t.Errorf("files with and without .gz have the error %v", err)
	}
}

// heapPeak returns a function that returns the largest heap since.
func heapPeak() func() uint64 {
	stop, result := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-tick.C:
			case <-stop:
				result <- most
				return
			}
		}
	}()
	return func() uint64 { close(stop); return <-result }
}

// aged is a list that was checked two days ago.
type aged struct{ sources.Source }

func (a aged) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := a.Source.Load(ctx, prev, add)
	rev.Checked = time.Now().UTC().Add(-48 * time.Hour)
	return rev, err
}

// TestRequired opens the bundled lists. Only OFAC's and the EU's are required. Then it
// asks for others.
func TestRequired(t *testing.T) {
	ctx := context.Background()
	snap, err := latest(ctx, "", nil, 0)
	if err != nil || slices.Contains(snap.Optional, "OFAC_SDN") || slices.Contains(snap.Optional, "EU_CONSOLIDATED") || !slices.Contains(snap.Optional, "UK_CONSOLIDATED") {
		t.Fatalf("%+v, %v", snap, err)
	}
	// A document that cannot change has no age.
	if slices.Contains(snap.caveats, screening.Caveat{Source: "FBI_IC3", Kind: screening.CaveatStale}) {
		t.Errorf("caveats %v", snap.caveats)
	}
	past, err := snap.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if r, _, err := past.ScreenInput("polygon", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"); err != nil || r.Score != 100 {
		t.Errorf("%+v, %v", r, err)
	}
	// A list that walletscreen fetches for its operator is required as one in a file is.
	dir := t.TempDir()
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var srcs []sources.Source
	for id, whose := range map[string]sources.Jurisdiction{"OFAC_SDN": sources.US, "EU_CONSOLIDATED": sources.EU, "FETCHED": sources.Community} {
		kind := score.Scam
		if whose != sources.Community {
			kind = score.Sanctioned
		}
		list := sources.Static(sources.Info{ID: id, Name: id, Jurisdiction: whose}, sources.Entry{Address: address.MustParse("ethereum", evmText(1)), Kind: kind})
		if id == "FETCHED" {
			list = aged{list}
		}
		srcs = append(srcs, list)
	}
	s, err := screening.New(srcs, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	old := job{lists: dir, in: "x", out: "x", maxAge: 24 * time.Hour, log: &log}
	if _, err := old.run(ctx); !errors.Is(err, screening.ErrStale) || !strings.Contains(log.String(), "list FETCHED: 1 addresses, whole, checked on ") {
		t.Errorf("with an old list that was fetched: %v, log %q", err, &log)
	}
	if _, err := latest(ctx, dir, []string{"OFAC_SDN"}, 24*time.Hour); err != nil {
		t.Errorf("with an old list that -require does not name: %v", err)
	}
	for id, want := range map[string]string{"UK_CONSOLIDATED": "UK_CONSOLIDATED", "NONE": "the required list NONE is missing"} {
		if _, err := latest(ctx, "", []string{id}, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("-require %s: %v", id, err)
		}
	}
}

// TestNoCopies opens the bundled lists, and checks that the directory that they were opened from is gone.
func TestNoCopies(t *testing.T) {
	temp := t.TempDir()
	for _, variable := range []string{"TMPDIR", "TMP", "TEMP"} { // of Unix and of Windows
		t.Setenv(variable, temp)
	}
	snap, err := latest(t.Context(), "", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := snap.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}

// TestFormerList answers from the lists of the last program, and not from one that the program before had. The log says so.
func TestFormerList(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	official := sources.Static(sources.Info{ID: "OFAC_SDN", Name: "First", Jurisdiction: sources.US},
		sources.Entry{Address: address.MustParse("ethereum", evmText(1)), Kind: score.Sanctioned, Ref: "1"})
	own := sources.Static(sources.Info{ID: "OWN", Name: "Own", Jurisdiction: sources.Operator},
		sources.Entry{Address: address.MustParse("ethereum", evmText(2)), Kind: score.Blocked, Ref: "2"})
	for i, srcs := range [][]sources.Source{{official, own}, {official}} {
		s, err := screening.New(srcs, &screening.Options{Store: st})
		if err == nil {
			_, err = s.Refresh(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		snap, err := latest(ctx, dir, []string{"OFAC_SDN"}, time.Hour)
		if err != nil || len(snap.Sources) != len(srcs) || snap.Digest != s.Digest() {
			t.Errorf("with %d lists: %+v, %v", len(srcs), snap.Sources, err)
		}
		var log strings.Builder
		if snap.print(&log); strings.Contains(log.String(), "list OWN: not asked, because") != (i == 1) {
			t.Errorf("with %d lists:\n%s", len(srcs), &log)
		}
	}
	if _, err := latest(ctx, dir, []string{"OWN"}, 0); err == nil || !strings.Contains(err.Error(), "the required list OWN is missing") {
		t.Errorf("-require OWN: %v", err)
	}
	// A server with all lists counts before a program that answers at once.
	s, err := screening.New([]sources.Source{official, own}, &screening.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	runs, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- s.Run(runs, time.Hour) }()
	for serves := false; !serves; time.Sleep(time.Millisecond) {
		err := journal.Read(ctx, st, func(l *journal.Line, _ *journal.State) error {
			serves = serves || l.Opened != nil && l.Opened.Every > 0
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	stop()
	<-ended
	other := sources.Static(sources.Info{ID: "OTHER", Name: "Other", Jurisdiction: sources.Operator},
		sources.Entry{Address: address.MustParse("ethereum", evmText(3)), Kind: score.Blocked, Ref: "3"})
	once, err := screening.New([]sources.Source{official, other}, &screening.Options{Store: st})
	if err == nil {
		_, err = once.Refresh(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	if snap, err := latest(ctx, dir, []string{"OFAC_SDN", "OWN"}, time.Hour); err != nil || len(snap.Sources) != 2 {
		t.Errorf("beside a server with two lists: %+v, %v", snap.Sources, err)
	}
}
