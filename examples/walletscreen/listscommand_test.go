package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/postgrestest"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
	"github.com/walletscreen/walletscreen/sources/store/pgstore"
)

// darklist returns a list of bad addresses in the format of MyEtherWallet, of n addresses
// from the first one on.
func darklist(first, n int) string {
	var all []map[string]string
	for i := first; i < first+n; i++ {
		all = append(all, map[string]string{"address": evm(i), "comment": "scam", "date": "2026-01-01"})
	}
	text, _ := json.Marshal(all)
	return string(text)
}

// squeezed returns s with one blank for several, and each row of a table on one line.
func squeezed(s string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(s, "\n    ", " ")) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

// TestLists refreshes a list from a mirror, and lets it be refused, imported by hand,
// compared and exported, in a directory and in PostgreSQL.
func TestLists(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	dir, err := store.Open(filepath.Join(data, storeDir))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("data", func(t *testing.T) { testLists(t, dir, "-data", data) })
	t.Run("db", func(t *testing.T) {
		db := postgrestest.URL(t)
		st, err := pgstore.Open(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		testLists(t, st, "-db", db)
	})
}

func testLists(t *testing.T, st store.Store, flag, value string) {
	t.Parallel()
	body := darklist(0, 700)
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(body)) }))
	defer mirror.Close()
	lists := func(wantCode int, args ...string) (stdout, stderr string) {
		t.Helper()
		args = append([]string{"lists", args[0], flag, value, "-lists", "COMMUNITY_BADLIST", "-require", "COMMUNITY_BADLIST"}, args[1:]...)
		code, stdout, stderr := call(t, "", args...)
		if code != wantCode {
			t.Errorf("%q: exit code %d, %s %s", args, code, stdout, stderr)
		}
		return stdout, stderr
	}
	refresh := func(wantCode int, want string) {
		t.Helper()
		stdout, stderr := lists(wantCode, "refresh", "-mirror", "COMMUNITY_BADLIST="+mirror.URL)
		if got := strings.SplitAfter(squeezed(stdout), "\n")[1]; !strings.HasPrefix(got, want) || stderr != "" {
			t.Errorf("refresh: %q, %q, want %q", got, stderr, want)
		}
	}
	refresh(0, "COMMUNITY_BADLIST loaded 700 ")
	refresh(0, "COMMUNITY_BADLIST unchanged 0 0 700 ")
	first := time.Now().UTC().Add(time.Second).Truncate(time.Second)
	time.Sleep(time.Until(first) + 10*time.Millisecond)
	body = darklist(2, 701)
	refresh(0, "COMMUNITY_BADLIST loaded 3 2 701 ")
	body = darklist(2, 20)
	refresh(2, "COMMUNITY_BADLIST REFUSED 0 0 701 - source COMMUNITY_BADLIST: ")

	stdout, _ := lists(0, "status")
	if !regexp.MustCompile(`COMMUNITY_BADLIST \d{4}-\d\d-\d\d - - final 701 whole(?s:.*)` +
		`COMMUNITY_BADLIST yes 701 \d{4}-\d\d-\d\dT\d\d:\d\dZ `).MatchString(squeezed(stdout)) {
		t.Error(stdout)
	}
	own := filepath.Join(t.TempDir(), "own.csv")
	os.WriteFile(own, []byte("address\n"+evm(1)+"\n"), 0o600)
	if stdout, _ = lists(0, "status", "-list", "OWN="+
		own); !regexp.MustCompile(`OWN \S+ 0 h - - 1\s+whole, in a format that cannot show a cut at its end`).MatchString(squeezed(stdout)) {
		t.Error(stdout)
	}
	stdout, _ = lists(0, "status", "-json")
	var j jsonList
	if err := json.Unmarshal([]byte(stdout), &j); err != nil || j.ID != "COMMUNITY_BADLIST" || j.Addresses != 701 || !j.Loaded {
		t.Error(stdout, err)
	}

	stdout, stderr := lists(0, "diff", first.Format(time.RFC3339))
	want := "LIST KIND ADDRESS REFERENCE NAME\n"
	for _, i := range []int{0, 1} {
		want += "- COMMUNITY_BADLIST SCAM ethereum:" + evm(i) + " addresses-darklist scam\n"
	}
	for _, i := range []int{700, 701, 702} {
		want += "+ COMMUNITY_BADLIST SCAM ethereum:" + evm(i) + " addresses-darklist scam\n"
	}
	if d := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(squeezed(stdout))); d != "" || !strings.HasPrefix(stderr, "3 added, 2 removed between ") {
		t.Errorf("diff: %q (-want +got):\n%s", stderr, d)
	}
	stdout, _ = lists(0, "diff", "-json", first.Format(time.RFC3339))
	if strings.Count(stdout, `"change":"added"`) != 3 || strings.Count(stdout, `"change":"removed"`) != 2 {
		t.Error(stdout)
	}
	if code, _, stderr := call(t, "", "lists", "diff", flag, value, "-lists", "OFAC_SDN", first.Format(time.RFC3339)); code != 0 || !strings.HasPrefix(stderr, "0 added, 0 removed ") {
		t.Errorf("of another list: exit code %d, %s", code, stderr)
	}
	for range 3 {
		if again, _ := lists(0, "diff", "-json", first.Format(time.RFC3339)); again != stdout {
			t.Errorf("the same changes in another order:\n%s%s", stdout, again)
		}
	}

	// A person has looked at the list that was refused, and takes it.
	file := filepath.Join(t.TempDir(), "list.json")
	os.WriteFile(file, []byte(body), 0o600)
	journal := func() (b []byte) {
		err := st.Read(t.Context(), 0, func(line []byte) error { b = append(b, line...); return nil })
		if err != nil || len(b) == 0 {
			t.Fatalf("journal %q, %v", b, err)
		}
		return b
	}
	if stdout, _ = lists(2, "import", "COMMUNITY_BADLIST="+file); !strings.Contains(stdout, "REFUSED") ||
		!strings.Contains(squeezed(stdout), "lists import -accept takes it") {
		t.Error(stdout)
	}
	if stdout, _ = lists(0, "import", "-accept", "COMMUNITY_BADLIST="+file); !strings.Contains(squeezed(stdout), "COMMUNITY_BADLIST loaded 0 681 20 ") {
		t.Error(stdout)
	}

	// What only reads changes nothing.
	before := journal()
	if _, stderr := lists(0, "export", "-out", filepath.Join(t.TempDir(), "x.csv.gz")); !strings.Contains(stderr, "20 rows\n") {
		t.Error(stderr)
	}
	if stdout, _ = lists(0, "export", "-list", "OWN="+own); !strings.Contains(stdout, "OWN,,BLOCKED,") {
		t.Errorf("the own list is not exported: %.300s", stdout)
	}
	if code, stdout, _ := call(t, "", "screen", flag, value, "-chain", "ethereum", evm(5)); code != 1 || !strings.HasPrefix(stdout, "HIGH  70") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	lists(0, "status")
	proof := filepath.Join(t.TempDir(), "receipts.jsonl")
	if code, _, stderr := call(t, "", "screen", flag, value, "-lists", "COMMUNITY_BADLIST", "-require", "COMMUNITY_BADLIST", "-receipt", proof, "-chain",
		"ethereum", evm(5)); code != 1 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, stdout, stderr := call(t, "", "receipt", "verify", proof, flag, value); code != 0 {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	if !bytes.Equal(before, journal()) {
		t.Error("a command that reads has written to the journal")
	}
}

// TestListsExport exports the bundled lists: each row is an entry, and screening its address finds
// the label of its list. What a list prints is never run as a formula.
func TestListsExport(t *testing.T) {
	longtest.WithoutRace(t)
	code, stdout, stderr := callIn(t, nil, "", "lists", "export")
	table, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil || code != 0 || stderr != grouped(int64(len(table)-1))+" rows\n" || !slices.Equal(table[0], exportColumns) {
		t.Fatalf("exit code %d, %d rows, %s (%v)", code, len(table), stderr, err)
	}
	s, err := (&program{}).openLists(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{} // of each list
	for _, row := range table[1:] {
		source, ref, chain, text := row[0], row[1], row[4], row[5]
		rows[source]++
		if chain == "" { // the entry is not an address
			chain, text = "ethereum", row[6]
		}
		r, err := s.ScreenText(address.Chain(chain), text)
		if !slices.ContainsFunc(r.Labels, func(l screening.Label) bool { return l.Source == source && l.Ref == ref && string(l.Kind) == row[2] }) {
			t.Errorf("%q: %v, %v", row, r.Labels, err)
		}
	}
	for _, l := range s.Sources() {
		if rows[l.Info.ID] != l.Entries || l.Entries == 0 {
			t.Errorf("%s: %d rows, want %d", l.Info.ID, rows[l.Info.ID], l.Entries)
		}
	}

	file := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(file, []byte("address,reason\n"+listed+",=1+1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ = call(t, "", "lists", "export", "-format", "csv", "-lists", "FBI_IC3", "-list", "OWN="+file)
	if code != 0 || !strings.Contains(stdout, "OWN,,BLOCKED,'=1+1,ethereum,"+strings.ToLower(listed)+","+listed+",") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
}

// TestNextRefresh prints when lists are due. Those that are part of the program, or a file, never are.
func TestNextRefresh(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(file, []byte("address\n"+listed+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stdout, _ := call(t, "", "lists", "status", "-list", "OWN="+file)
	for id, want := range map[string]string{"OFAC_SDN": "due", "COMMUNITY_BADLIST": "due", "FBI_IC3": "-", "DOJ_FORFEITURE": "-", "OWN": "-"} {
		if !regexp.MustCompile("(?m)^" + id + " +(yes|no) .* " + want + "$").MatchString(stdout) {
			t.Errorf("%s: want %s:\n%s", id, want, stdout)
		}
	}
}

func TestListsErrors(t *testing.T) {
	dir, own := t.TempDir(), t.TempDir()
	kept, err := store.Open(own)
	if err != nil {
		t.Fatal(err)
	}
	s, err := screening.New([]sources.Source{bundle.EU()}, &screening.Options{Store: kept})
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"lists stauts":                                         `unknown command "lists stauts"; did you mean status?`,
		"lists refresh":                                        "lists refresh: want -data, the directory that keeps the lists, or a PostgreSQL in -db, the same as for serve",
		"lists status x":                                       `lists status: unexpected argument "x"`,
		"lists status -data " + dir + "/none":                  "lists status: -data: there are no lists in " + dir + "/none; walletscreen lists refresh -data fetches them",
		"lists import -data " + dir:                            "lists import: want ID=FILE, such as OFAC_SDN=sdn_advanced.xml",
		"lists import -data " + dir + " x.xml":                 `lists import: "x.xml": want ID=FILE, such as OFAC_SDN=sdn_advanced.xml; IDs are `,
		"lists import -data " + dir + " OFAC_SND=x":            `lists import: there is no list "OFAC_SND"; did you mean OFAC_SDN?`,
		"lists import -data " + dir + " OFAC_SDN=x OFAC_SDN=y": "lists import: OFAC_SDN is given twice",
		"lists diff 2026-01-01":                                "lists diff: want -data",
		"lists status -db x":                                   "lists status: -db: want sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME",
		"screen -db postgres:///x?port=1 " + listed:            "screen: the database cannot be opened: ",
		"lists export -format sql":                             `lists export: -format "sql": want csv`,
		"screen -data " + dir + "/none " + listed:              "screen: -data: there are no lists in " + dir + "/none",
		"screen -data " + own + " " + listed:                   "screen: -data: " + own + " is itself a store, as store.Open makes it: want the directory that has it under the name store",
		"lists refresh -data " + own:                           "lists refresh: -data: " + own + " is itself a store, as",
	} {
		code, stdout, stderr := call(t, "", strings.Fields(args)...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "walletscreen: "+want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, %q, want %q", args, code, stdout, stderr, want)
		}
	}
	if _, err := os.Stat(dir + "/none"); err == nil {
		t.Error("a mistyped -data was made")
	}
}

// TestImportConsolidated imports a file of OFAC's consolidated list, and as the SDN List,
// which it is not.
func TestImportConsolidated(t *testing.T) {
	longtest.WithoutRace(t)
	const doc = `<sdnList xmlns="https://example.com/any">
<publshInformation><Publish_Date>09/23/2026</Publish_Date><Record_Count>1</Record_Count></publshInformation>
<sdnEntry><uid>11</uid><lastName>LAST</lastName><programList><program>NS-PLC</program></programList>
<idList><id><uid>1</uid><idType>Digital Currency Address - XBT</idType><idNumber>12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h</idNumber></id></idList></sdnEntry>
</sdnList>`
	file := filepath.Join(t.TempDir(), "consolidated.xml")
	if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	if code, stdout, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "OFAC_CONSOLIDATED="+file); code != 0 ||
		!strings.Contains(squeezed(stdout), "OFAC_CONSOLIDATED loaded 1 0 1 ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-accept", "OFAC_SDN="+file); code != 2 || !strings.Contains(stdout, "OFAC_SDN") {
		t.Errorf("as the SDN List: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestAnomalies shows the odd entries of the bundled lists, with what they mean.
func TestAnomalies(t *testing.T) {
	longtest.WithoutRace(t)
	const text = "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320" // under XMR
	code, stdout, stderr := call(t, "", "lists", "anomalies")
	if code != 0 || stderr != "" ||
		!strings.Contains(squeezed(stdout), "OFAC_SDN: 1 undecodable: "+sources.AnomalyMeaning(sources.Undecodable)+"\n"+text+" XMR 29585 ") {
		t.Errorf("exit code %d, %q, %s", code, stderr, stdout)
	}
	code, stdout, _ = call(t, "", "lists", "anomalies", "-json")
	if want := `{"source":"OFAC_SDN","kind":"undecodable","listed_address":"` + text + `","asset":"XMR","source_ref":"29585",`; code != 0 ||
		!strings.Contains(stdout, want) ||
		!strings.Contains(stdout, `"meaning":"`+sources.AnomalyMeaning(sources.Undecodable)) {
		t.Errorf("exit code %d, %s, want a line with %s", code, stdout, want)
	}
}

// inDays matches an age.
var inDays = regexp.MustCompile(`\d+ (days|d|h)\b`)

// TestImportConfirmsNothing imports a list of a community that does not say when it was published:
// it is as old as its file. That it was imported today says nothing about its age.
func TestImportConfirmsNothing(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "address.json")
	if err := os.WriteFile(file, []byte(`["`+evm(1)+`"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	written := time.Date(2026, 2, 7, 12, 0, 0, 0, time.UTC)
	if err := os.Chtimes(file, written, written); err != nil {
		t.Fatal(err)
	}
	future := filepath.Join(t.TempDir(), "future.json")
	tomorrow := time.Now().Add(24 * time.Hour)
	if err := errors.Join(os.WriteFile(future, []byte(`["`+evm(1)+`"]`), 0o600), os.Chtimes(future, tomorrow, tomorrow)); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "SCAMSNIFFER", "SCAMSNIFFER="+future); code != 2 || !strings.Contains(squeezed(stdout), "want -downloaded") {
		t.Errorf("a file of tomorrow: exit code %d, %s%s", code, stdout, stderr)
	}
	for _, test := range []struct{ flag, result, checked string }{
		{"-accept=false", "loaded 1 0", "2026-02-07"},
		{"-downloaded=2026-03-01", "unchanged 0 0", "2026-03-01"},
	} {
		_, stdout, _ := call(t, "", "lists", "import", "-data", data, "-lists", "SCAMSNIFFER", test.flag, "SCAMSNIFFER="+file)
		_, status, _ := call(t, "", "lists", "status", "-data", data, "-lists", "SCAMSNIFFER")
		got := strings.Join(strings.Fields(inDays.ReplaceAllString(stdout+status, "N days")), " ")
		want := "SCAMSNIFFER " + test.result + " 1 - LIST CHECKED AGE PUBLISHED AGE ADDRESSES COMPLETE SCAMSNIFFER " + test.checked + " N days - - 1 whole"
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", test.flag, got, want)
		}
	}
}

// TestImportIsCompared imports older files of the SDN List into a new directory. They are
// compared with the bundled list, and confirm nothing.
func TestImportIsCompared(t *testing.T) {
	longtest.WithoutRace(t)
	data := t.TempDir()
	excerpt := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("..", "..", "sources", "ofac", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	old := filepath.Join(t.TempDir(), "sdn_advanced.xml")
	r, err := gzip.NewReader(bytes.NewReader(excerpt("sdn_advanced_excerpt_2025-03-04.xml.gz")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(old, text, 0o600)
	lists := func(wantCode int, want string, args ...string) {
		t.Helper()
		args = append([]string{"lists", args[0], "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN"}, args[1:]...)
		if code, stdout, stderr := call(t, "", args...); code != wantCode ||
			!strings.Contains(inDays.ReplaceAllString(squeezed(stdout), "N days")+stderr, want) {
			t.Errorf("%q: exit code %d, want %d and %q\n%s%s", args, code, wantCode, want, stdout, stderr)
		}
	}
	const added = "0x57EC89A0C056163A0314e413320f9B3ABe761259" // since
	lists(2, "OFAC_SDN REFUSED 0 0 ", "import", "OFAC_SDN="+old)
	if code, stdout, _ := call(t, "", "lists", "import", "-data", t.TempDir(), "-lists", "FBI_IC3", "-require", "FBI_IC3", "OFAC_SDN="+old); code != 2 || !strings.Contains(stdout, "REFUSED") {
		t.Errorf("a list that -lists does not choose is not compared with the bundle: exit code %d, %s", code, stdout)
	}
	if code, stdout, _ := call(t, "", "screen", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", added); code != 1 {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	lists(2, "-downloaded 2025-03-01: the list was published later, on 2025-03-04", "import", "-accept", "-downloaded", "2025-03-01", "OFAC_SDN="+old)
	ahead := filepath.Join(t.TempDir(), "ahead.xml")
	next := strings.NewReplacer("<Year>2025</Year>", fmt.Sprintf("<Year>%d</Year>", time.Now().Year()+1)).Replace(string(text[:2000])) + string(text[2000:])
	os.WriteFile(ahead, []byte(next), 0o600)
	lists(2, "a time to come: want -downloaded", "import", "-accept", "OFAC_SDN="+ahead)
	lists(2, "OFAC_SDN REFUSED 0 0 ", "import", "-downloaded", "2025-03-05", "OFAC_SDN="+ahead)
	lists(2, `-downloaded "tomorrow": want a day`, "import", "-downloaded", "tomorrow", "OFAC_SDN="+old)
	lists(0, "more; lists diff shows all", "import", "-accept", "OFAC_SDN="+old)
	lists(0, "OFAC_SDN 2025-03-04 N days 2025-03-04 N days ", "status") // also after a restart: the operator has replaced the bundled list
	lists(2, "OFAC_SDN is ", "status", "-max-age", "48h")
	lists(0, "OFAC_SDN unchanged 0 0 ", "import", "-downloaded", "2025-03-05", "-accept", "OFAC_SDN="+old)
	lists(0, " 2025-03-05 N days 2025-03-04 N days ", "status")

	// The EU's file says at what time of the day it was made.
	eu := filepath.Join("..", "..", "sources", "eu", "testdata", "xmlFullSanctionsList_1_1_excerpt_2026-09-22.xml")
	if code, stdout, _ := call(t, "", "lists", "import", "-data", t.TempDir(), "-lists", "EU_CONSOLIDATED", "-downloaded", "2026-09-22", "-accept", "EU_CONSOLIDATED="+eu); code != 0 {
		t.Errorf("a file that was downloaded on the day of its publication: exit code %d, %s", code, stdout)
	}

	// The CSV is two files, and neither has a date.
	dir := t.TempDir()
	csv := filepath.Join(dir, "sdn.csv")
	os.WriteFile(csv, append(excerpt("sdn_excerpt_2025-05.csv"), 0x1A), 0o600)
	comments := excerpt("sdn_comments_excerpt_2025-05.csv")
	lists(2, "remarks continue in sdn_comments.csv: put it beside sdn.csv, or name it with -comments", "import", "-accept", "OFAC_SDN="+csv)
	os.WriteFile(filepath.Join(dir, "other.csv"), comments, 0o600)
	lists(2, "want -downloaded", "import", "-accept", "-comments", filepath.Join(dir, "other.csv"), "OFAC_SDN="+csv)
	os.WriteFile(filepath.Join(dir, "sdn_comments.csv"), comments, 0o600)
	lists(0, "OFAC_SDN loaded", "import", "-accept", "-downloaded", "2026-11-01", "OFAC_SDN="+csv)
	lists(0, " 2026-11-01 N days - - ", "status")
}

// TestImportUndated imports an sdn.csv, which has no date, that was downloaded before the
// bundled list. Only with -accept it is loaded, and then it is of the day of the download.
func TestImportUndated(t *testing.T) {
	longtest.WithoutRace(t)
	data, dir := t.TempDir(), t.TempDir()
	for from, to := range map[string]string{"sdn_excerpt_2025-05.csv": "sdn.csv", "sdn_comments_excerpt_2025-05.csv": "sdn_comments.csv"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "sources", "ofac", "testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		if to == "sdn.csv" {
			b = append(b, 0x1A)
		}
		os.WriteFile(filepath.Join(dir, to), b, 0o600)
	}
	file := "OFAC_SDN=" + filepath.Join(dir, "sdn.csv")
	code, stdout, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-downloaded", "2025-05-20", file)
	if code != 2 || !strings.Contains(squeezed(stdout), "OFAC_SDN REFUSED 0 0 ") || !strings.Contains(stdout, "the file is older than the list held") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = call(t, "", "lists", "import", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-downloaded", "2025-05-20", "-accept", file)
	if code != 0 || !strings.Contains(squeezed(stdout), "OFAC_SDN loaded ") || !strings.Contains(stderr, "more; lists diff shows all") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = call(t, "", "lists", "status", "-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN")
	if !strings.Contains(squeezed(stdout), "OFAC_SDN 2025-05-20 ") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// TestImportShrinking imports shorter and shorter cuts of the UK Sanctions List over the
// bundled part. Each is refused unless the operator accepts it.
func TestImportShrinking(t *testing.T) {
	longtest.WithoutRace(t)
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "UK-Sanctions-List.xml")
	b, err := os.ReadFile("../../sources/uk/testdata/UK-Sanctions-List_excerpt_2026-09-21.xml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	without := func(text, ref string) string {
		i := strings.Index(text, "<UniqueID>"+ref)
		start, end := strings.LastIndex(text[:i], "<Designation>"), i+strings.Index(text[i:], "</Designation>")+len("</Designation>")
		return text[:start] + text[end:]
	}
	fourteen := text
	six := without(fourteen, "CTD0004")
	one := regexp.MustCompile(`(ETH 0x7FF9|USDT 3E6Z)\w+`).ReplaceAllString(without(six, "RUS3602"), "")
	addresses := 56
	for _, tt := range []struct {
		text      string
		addresses int
	}{{fourteen, 14}, {six, 6}, {one, 1}} {
		os.WriteFile(file, []byte(tt.text), 0o600)
		lists := func(wantCode int, want []string, flags ...string) {
			t.Helper()
			code, stdout, stderr := call(t, "", slices.Concat([]string{"lists", "import", "-data", data, "-lists", "UK_CONSOLIDATED", "-require", "UK_CONSOLIDATED"}, flags, []string{"UK_CONSOLIDATED=" + file})...)
			for _, want := range want {
				if code != wantCode || !strings.Contains(squeezed(stdout), want) {
					t.Errorf("%d to %d: exit code %d, want %d and %q\n%s%s", addresses, tt.addresses, code, wantCode, want, stdout, stderr)
				}
			}
		}
		lists(2, []string{fmt.Sprintf("UK_CONSOLIDATED REFUSED 0 0 %d ", addresses),
			fmt.Sprintf("list has shrunk beyond the limit: from %d to %d addresses", addresses, tt.addresses)})
		lists(0, []string{"UK_CONSOLIDATED loaded "}, "-accept")
		addresses = tt.addresses
	}
	if code, stdout, _ := call(t, "", "screen", "-data", data, "-lists", "UK_CONSOLIDATED", "-require", "UK_CONSOLIDATED",
		"3Lpoy53K625zVeE47ZasiG5jGkAxJ27kh1"); code != 1 {
		t.Errorf("the last address: exit code %d\n%s", code, stdout)
	}
}

// TestDamagedDecidesNothing cuts the newest list in -data, which is made again from the bundled one
// and the changes to it. When that is cut, too, the one in the program does not answer in its place,
// until the list is loaded again; nor does it once a server has set the files aside.
func TestDamagedDecidesNothing(t *testing.T) {
	longtest.WithoutRace(t)
	dir := t.TempDir()
	lists := []string{"-lists", "UK_CONSOLIDATED", "-data", dir}
	load := append([]string{"lists", "import", "-accept", "UK_CONSOLIDATED=../../sources/uk/testdata/UK-Sanctions-List_excerpt_2026-09-21.xml"}, lists...)
	ask := append([]string{"screen", unlisted}, lists...)
	if code, _, stderr := call(t, "", load...); code != 0 {
		t.Fatal(stderr)
	}
	if code, stdout, stderr := call(t, "", ask...); code != 0 || !strings.Contains(stdout, "CLEAN_NO_MATCH") {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	files, _ := filepath.Glob(filepath.Join(dir, storeDir, "UK_CONSOLIDATED-*.stays"))
	if err := os.Truncate(slices.Max(files), 100); err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for range 2 {
		if code, stdout, stderr := call(t, "", ask...); code != 2 || stdout != "" || !strings.Contains(stderr, "load it again with lists refresh or lists import") {
			t.Errorf("exit code %d, %s%s", code, stdout, stderr)
		}
		serve := append([]string{"-offline", "-addr", "127.0.0.1:0", "-require", "UK_CONSOLIDATED"}, lists...)
		if err := run(t.Context(), serve, io.Discard); err == nil || !strings.Contains(err.Error(), "nothing can be decided: UK_CONSOLIDATED") {
			t.Errorf("serve: %v", err)
		}
	}
	if code, stdout, stderr := call(t, "", load...); code != 0 {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := call(t, "", ask...); code != 0 {
		t.Errorf("loaded again: exit code %d, %s%s", code, stdout, stderr)
	}
}
