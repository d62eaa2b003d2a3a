package opensanctions_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/opensanctions"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
)

const file = "targets.simple.csv"

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// parse returns everything that Parse yields for r. It fails the test on an
// error.
func parse(t *testing.T, k opensanctions.Options, r io.Reader) ([]sources.Entry, sources.Revision, error) {
	t.Helper()
	var entries []sources.Entry
	rev, err := k.Parse(r, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil && (entries != nil || !rev.IsZero()) {
		t.Errorf("Parse added %d entries and returned %+v before its error %v", len(entries), rev, err)
	}
	return entries, rev, err
}

// lines formats entries, one per line.
func lines(entries []sources.Entry) []string {
	var all []string
	for _, e := range entries {
		chain, seen := "-", "-"
		if e.Address.IsValid() {
			chain = string(e.Address.Chain())
		}
		if !e.FirstSeen.IsZero() {
			seen = e.FirstSeen.Format(time.RFC3339)
		}
		if !e.ListedAt.IsZero() {
			seen = "listed"
		}
		all = append(all, strings.Join([]string{e.Ref, chain, e.Listed, e.Asset, string(e.Kind), e.Name, seen}, "|"))
	}
	return all
}

const (
	btc     = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
	evm     = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	tron    = "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq"
	sol     = "7XsTNWyhcVmDMXYLpfRSEfQtH1dRBfA9Ea8mLQ5gBnX9"
	nothing = "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320"
)

// TestMistypedName lists the name of a wallet that looks like an address, beside an identifier that is one.
func TestMistypedName(t *testing.T) {
	for _, name := range []string{btc[:33] + "g", sol, "\u0422" + tron[1:33] + "1"} {
		doc := "id,schema,name,identifiers,sanctions,first_seen\nw,CryptoWallet," + name + "," + evm + ",,\n"
		entries, _, err := parse(t, opensanctions.Options{}, strings.NewReader(doc))
		if want := []string{"w|ethereum|" + evm + "||COMMUNITY_REPORT||-", "w|-|" + name + "||COMMUNITY_REPORT||-"}; err != nil || !slices.Equal(lines(entries), want) {
			t.Errorf("%q, %v, want %q", lines(entries), err, want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		file    string
		records int
		want    []string
	}{
		{"targets.simple.csv", 5, []string{
			"ofac-wallet-1|bitcoin|" + btc + "||COMMUNITY_REPORT||2021-09-26T14:52:15Z",
			"ofac-wallet-2|-|a;b||COMMUNITY_REPORT||2022-04-14T16:00:00Z",
			"ofac-wallet-2|tron|" + tron + "||COMMUNITY_REPORT||2022-04-14T16:00:00Z",
			"ofac-wallet-2|ethereum|" + evm + "||COMMUNITY_REPORT||2022-04-14T16:00:00Z",
			"wallet-4|-|" + sol + "||COMMUNITY_REPORT|a wallet \"of\" a name|-",
			"wallet-5|-|" + nothing + "||COMMUNITY_REPORT||2022-04-14T00:00:00Z",
		}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			for _, mark := range []string{"", "\ufeff"} {
				doc := mark + readFile(t, tt.file)
				entries, rev, err := parse(t, opensanctions.Options{}, strings.NewReader(doc))
				if got := lines(entries); err != nil || !slices.Equal(got, tt.want) {
					t.Fatalf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
				sum := sha256.Sum256([]byte(doc))
				if want := (sources.Revision{Digest: hex.EncodeToString(sum[:]), Records: tt.records, OpenEnded: true}); rev != want {
					t.Errorf("revision %+v, want %+v", rev, want)
				}
				again, revAgain, err := parse(t, opensanctions.Options{}, iotest.OneByteReader(strings.NewReader(doc)))
				if err != nil || revAgain != rev || !slices.Equal(again, entries) {
					t.Errorf("byte by byte: other entries, or %+v, or %v", revAgain, err)
				}
			}
			// Cut anywhere within a line.
			doc := readFile(t, tt.file)
			for n := 0; n < len(doc); n += longtest.Step(5, 1) {
				if _, _, err := parse(t, opensanctions.Options{}, strings.NewReader(doc[:n])); err == nil && doc[n-1] != '\n' {
					t.Errorf("cut to %d bytes: no error", n)
				}
			}
		})
	}
}

func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts opensanctions.Options
		want []score.Kind // of the first wallet, which is sanctioned, the second and the last
	}{
		{"zero", opensanctions.Options{}, []score.Kind{score.CommunityReport, score.CommunityReport, score.CommunityReport}},
		{"official", opensanctions.Options{Jurisdiction: sources.US}, []score.Kind{score.Sanctioned, score.CommunityReport, score.CommunityReport}},
		{"other", opensanctions.Options{Dataset: "ransomwhere"}, []score.Kind{score.Ransomware, score.Ransomware, score.Ransomware}},
	} {
		entries, _, err := parse(t, tt.opts, strings.NewReader(readFile(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		if got := []score.Kind{entries[0].Kind, entries[1].Kind, entries[len(entries)-1].Kind}; !slices.Equal(got, tt.want) {
			t.Errorf("%s: kinds %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const header = "id,schema,name,identifiers,sanctions,first_seen\n"
	key := func(k string) string { return header + "w,CryptoWallet,x," + k + ",,\n" }
	for _, tt := range []struct {
		name, in, want string
		line           int64
	}{
		{"a wallet twice", key(btc) + "w,CryptoWallet,x," + btc + ",,\n", "twice", 3},
		{"nothing", "", "no wallet", 0},
		{"a mark", "\ufeff", "EOF", 1},
		{"HTML", "<!DOCTYPE html>", "EOF", 1},
		{"JSON of entities", `{"id":"a","schema":"Person"}` + "\n", "bare", 1},
		{"another header", "a,b\n1,2\n", "no column", 1},
		{"a column twice", "id," + header, "twice", 1},
		{"a row with less", header + "w,CryptoWallet\n", "2 columns", 2},
		{"no id", header + ",CryptoWallet," + btc + ",,,\n", "no entity", 2},
		{"no wallet", header + "p,Person,x,,,\n", "no wallet in 1", 0},
		{"a wallet without a key only", header + "w,CryptoWallet,,,,\n", "no wallet in 1", 0},
		{"quotes in a cell", header + "w,CryptoWallet,x,\"\"\"a\",,\n", "identifiers", 2},
		{"an empty key", key("a;;b"), "no text", 2},
		{"a key that is blank", key(" "), "no text", 2},
		{"a key not in UTF-8", key("\xff"), "UTF-8", 2},
		{"lines in a cell", key("\"a\nb\""), "one line", 2},
		{"text", btc + "\n", "no column", 1},
	} {
		_, _, err := parse(t, opensanctions.Options{}, strings.NewReader(tt.in))
		var at *sources.RecordError
		if !errors.As(err, &at) || at.Line != tt.line || !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s: error %.200v, want one with %q at line %d", tt.name, err, tt.want, tt.line)
		}
	}
	doc := readFile(t, file)
	broken := io.MultiReader(strings.NewReader(doc[:700]), iotest.ErrReader(os.ErrDeadlineExceeded))
	if _, _, err := parse(t, opensanctions.Options{}, broken); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want that of the reader", err)
	}
	refused, calls := errors.New("refused"), 0
	if _, err := opensanctions.Parse(strings.NewReader(doc), func(sources.Entry) error { calls++; return refused }); !errors.Is(err, refused) || calls != 1 {
		t.Errorf("error %v after %d calls of add, want that of add after 1", err, calls)
	}
}

// serve returns options for a server of the given file.
func serve(t *testing.T, doc string) *opensanctions.Options {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(doc))
	}))
	t.Cleanup(server.Close)
	return &opensanctions.Options{Dataset: "us_ofac_sdn", URL: server.URL, Client: server.Client()}
}

func TestSource(t *testing.T) {
	for _, j := range []sources.Jurisdiction{"", sources.US} {
		t.Run(string(j), func(t *testing.T) {
			opts := serve(t, readFile(t, file))
			opts.Jurisdiction = j
			sourcetest.Run(t, func(*testing.T) sources.Source { return opensanctions.New(opts) })
		})
	}
}

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		opts opensanctions.Options
		id   string
		j    sources.Jurisdiction
		kind score.Kind // of the first wallet, which is sanctioned
		last score.Kind // of one that is not
	}{
		{opensanctions.Options{Dataset: "us_ofac_sdn"}, "OPENSANCTIONS_US_OFAC_SDN", sources.Community, score.CommunityReport, score.CommunityReport},
		{opensanctions.Options{Dataset: "us_ofac_sdn", Jurisdiction: sources.US}, "OPENSANCTIONS_US_OFAC_SDN", sources.US, score.Sanctioned, score.CommunityReport},
		{opensanctions.Options{Dataset: "il_mod_crypto"}, "OPENSANCTIONS_IL_MOD_CRYPTO", sources.Community, score.CommunityReport, score.CommunityReport},
		{opensanctions.Options{Dataset: "ransomwhere"}, "OPENSANCTIONS_RANSOMWHERE", sources.Community, score.Ransomware, score.Ransomware},
		{opensanctions.Options{Dataset: "us_fbi_lazarus_crypto"}, "OPENSANCTIONS_US_FBI_LAZARUS_CRYPTO", sources.Community, score.StolenFunds, score.StolenFunds},
	} {
		var asked string
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/index.json") {
				return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Request: r}, nil
			}
			asked = r.URL.String()
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(readFile(t, file))), ContentLength: -1, Request: r}, nil
		})}
		tt.opts.Client = client
		src := opensanctions.New(&tt.opts)
		info := src.Info()
		if err := info.Validate(); err != nil || info.ID != tt.id || info.Jurisdiction != tt.j || !strings.Contains(info.Licence, "CC BY-NC 4.0") {
			t.Errorf("Info = %+v, %v, want %s of %s, not for business", info, err, tt.id, tt.j)
		}
		var entries []sources.Entry
		_, err := src.Load(t.Context(), sources.Revision{}, func(e sources.Entry) error {
			entries = append(entries, e)
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", tt.id, err)
			continue
		}
		if first, last := entries[0].Kind, entries[len(entries)-1].Kind; first != tt.kind || last != tt.last {
			t.Errorf("%s: kinds %s and %s, want %s and %s", tt.id, first, last, tt.kind, tt.last)
		}
		if want := "https://data.opensanctions.org/datasets/latest/" + tt.opts.Dataset + "/targets.simple.csv"; asked != want {
			t.Errorf("%s: asked for %s, want %s", tt.id, asked, want)
		}
	}
	for _, opts := range []*opensanctions.Options{nil, {}} {
		src := opensanctions.New(opts)
		if _, err := src.Load(t.Context(), sources.Revision{}, func(sources.Entry) error { return nil }); err == nil {
			t.Error("Load without a dataset: no error")
		}
	}
	if err := opensanctions.New(&opensanctions.Options{Dataset: "../x"}).Info().Validate(); err == nil {
		t.Error("a dataset of no such name has a valid Info")
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func FuzzParse(f *testing.F) {
	f.Add("id,schema,name,identifiers,sanctions,first_seen\n\"w\",CryptoWallet," + evm + ",\"\"\"a;b\"\";" + tron + "\",x,2022-04-14\n")
	f.Fuzz(func(t *testing.T, in string) {
		entries, rev, err := parse(t, opensanctions.Options{}, strings.NewReader(in))
		if err != nil {
			return
		}
		if len(entries) == 0 || rev.Records == 0 {
			t.Fatalf("%d entries of %d records, and no error", len(entries), rev.Records)
		}
		for _, e := range entries {
			if sources.TrimListed(e.Listed) == "" || e.Kind.Official() || len(e.Name) > 512 || e.FirstSeen.Location() != time.UTC {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

// TestIndex uses an index with the checksum of the file.
func TestIndex(t *testing.T) {
	doc := readFile(t, "targets.simple.csv")
	lines := strings.SplitAfter(doc, "\n")
	cut := strings.Join(lines[:len(lines)-2], "") // and the empty string behind the last
	checksum := func(doc string) string {
		return fmt.Sprintf(
			`{"name": "x", "resources": [{"name": "names.txt", "checksum": "0"}, {"name": "targets.simple.csv", "checksum": "%X", "size": 1}]}`,
			sha1.Sum([]byte(doc)),
		)
	}
	for _, tt := range []struct {
		name, doc     string
		before, after string // the index
		ok            bool
	}{
		{"whole", doc, checksum(doc), "", true},
		{"cut", cut, checksum(doc), checksum(doc), false},
		{"cut, and no second answer", cut, checksum(doc), "", false},
		{"published meanwhile", doc, checksum(cut), checksum(doc), true},
		{"no index", doc, "", "", true},
		{"another form", doc, `{"resources": "none"}`, "", true},
		{"another checksum", doc, `{"resources": [{"name": "targets.simple.csv", "checksum": "sha256:0"}]}`, "", true},
		{"of another file", doc, `{"resources": [{"name": "names.json", "checksum": "b7e0fecaa2473f0e8f0181dd87bafd2c6bc8d997"}]}`, "", true},
	} {
		asked := 0
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/targets.simple.csv" {
				io.WriteString(w, tt.doc)
				return
			}
			index := tt.before
			if asked++; asked > 1 {
				index = tt.after
			}
			if index == "" {
				http.NotFound(w, r)
				return
			}
			io.WriteString(w, index)
		}))
		opts := &opensanctions.Options{Dataset: "x", URL: server.URL + "/targets.simple.csv", Client: server.Client()}
		var entries []sources.Entry
		rev, err := opensanctions.New(opts).Load(t.Context(), sources.Revision{}, func(e sources.Entry) error {
			entries = append(entries, e)
			return nil
		})
		if ok := err == nil; ok != tt.ok || ok != (len(entries) > 0) || ok == rev.IsZero() {
			t.Errorf("%s: %d entries, %+v, %v, want a list: %v", tt.name, len(entries), rev, err, tt.ok)
		}
		server.Close()
	}
}
