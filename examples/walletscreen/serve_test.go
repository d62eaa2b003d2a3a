package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A running server.
type running struct {
	url, key string
	ops      string // the URL of the operators' listener
	said     string // up to the end of the greeting
	client   *http.Client
	stop     func() error
	log      func() string // what it has said after that; once it has stopped
}

// run runs the program, which writes to stderr only, without the longest of the bundled lists.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	p := &program{env: short, stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr}
	return p.dispatch(ctx, args)
}

// options returns what the flags and the environment make of the options of serve.
func options(t *testing.T, env []string, args ...string) *serveOptions {
	t.Helper()
	p := &program{env: env, stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	o := &serveOptions{}
	c := p.serveCommand(o)
	flags := c.Flags
	c.Action = func(context.Context, *cli.Command) error { return p.setFlags("serve", flags) }
	if err := c.Run(t.Context(), append([]string{"serve"}, args...)); err != nil {
		t.Error(err)
	}
	if err := p.checkEnvironment(c); err != nil {
		t.Error(err)
	}
	return o
}

// start runs the server on a port of its own, and waits until it has said where
// it is.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"-addr", "127.0.0.1:0", "-offline"}, args...), w)
		w.CloseWithError(err)
		done <- err
	}()
	s := &running{client: http.DefaultClient}
	var rest strings.Builder
	read := make(chan struct{})
	s.stop = func() error {
		cancel()
		return <-done
	}
	s.log = func() string { <-read; return rest.String() }
	t.Cleanup(cancel)
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		s.said += lines.Text() + "\n"
		if strings.Contains(lines.Text(), `"chain":"ethereum"`) {
			break // the end of the curl line
		}
	}
	err := lines.Err()
	go func() {
		defer close(read)
		for lines.Scan() {
			rest.WriteString(lines.Text() + "\n")
		}
	}()
	if m := regexp.MustCompile(`without a key: (http://127\.0\.0\.1:\d+)`).FindStringSubmatch(s.said); m != nil {
		s.ops = m[1]
	}
	if m := regexp.MustCompile(`(https?://127\.0\.0\.1:\d+)/api/v1/screen ` +
		`-H ['"]Authorization: Bearer ([^'"]*)(?:'([^']*)'\))?`).FindStringSubmatch(s.said); m != nil {
		s.url, s.key = m[1], m[2]
		if m[3] != "" { // the key is in a file
			key, err := os.ReadFile(m[3])
			if err != nil {
				t.Fatal(err)
			}
			s.key = strings.TrimSpace(string(key))
		}
		return s
	}
	t.Fatalf("the server has not said how to reach it: %q, %v", s.said, err)
	return nil
}

// TestNotReadyYet starts a server whose bundled list is too old: it says so, and answers once the list has been fetched.
func TestNotReadyYet(t *testing.T) {
	s := start(t, "-offline=false", "-lists", "OFAC_SDN", "-mirror", "OFAC_SDN=http://127.0.0.1:1/sdn", "-max-age", "1h")
	if status, _ := s.screen(t, harmless, "ethereum"); status != 503 {
		t.Errorf("status %d, want 503", status)
	}
	if !strings.Contains(s.said, "screenings get 503") || !strings.Contains(s.said, "nothing can be decided: OFAC_SDN is ") {
		t.Errorf("said %s", s.said)
	}
}

// answer has the members of an answer that the tests look at.
type answer struct {
	Address, Chain, Level string
	Score                 int
	Labels                []struct {
		Label, Source, Match string
		Ref                  string `json:"source_ref"`
		AddedAt              string `json:"added_at"`
	}
	Suppressed []struct{ Reason string }
	Freshness  map[string]struct {
		Age int64 `json:"age_seconds"`
	} `json:"data_freshness"`
	Code, Reason, Detail string
}

func (s *running) screen(t *testing.T, address, chain string) (int, answer) {
	t.Helper()
	var a answer
	status := s.do(t, "POST", "/api/v1/screen", map[string]string{"address": address, "chain": chain}, &a)
	return status, a
}

// do sends a request with the key, and decodes the answer.
func (s *running) do(t *testing.T, method, path string, question, answer any) (status int) {
	t.Helper()
	body, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// bundled returns the state of a bundled list.
func bundled(t *testing.T, src sources.Source) screening.SourceStatus {
	t.Helper()
	s, err := screening.New([]sources.Source{src}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s.Sources()[0]
}

// TestServer screens what the bundled lists are known to hold, and how.
func TestServer(t *testing.T) {
	s := start(t, "-lists", "GRAPHSENSE", "-lists", short[0][len("WALLETSCREEN_LISTS="):])
	const lazarus = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	for _, tt := range []struct {
		address, chain string
		status, score  int
		level, match   string // of the first label; "" is exact
		ref            string // of the first label; "" is any
	}{
		{lazarus, "ethereum", 200, 100, "CRITICAL", "", "27307"},
		{strings.ToLower(lazarus), "ethereum", 200, 100, "CRITICAL", "", "27307"},
		{"0x" + strings.ToUpper(lazarus[2:]), "bsc", 200, 100, "CRITICAL", "family", "27307"},
		{"0X" + strings.ToUpper(lazarus[2:]), "polygon", 200, 100, "CRITICAL", "family", "27307"},
		{lazarus, "Ethereum", 200, 100, "CRITICAL", "", "27307"},
		{"16iWn2J1McqjToYLHSsAyS6En3QA8YQ91H", "bitcoin", 200, 100, "CRITICAL", "", ""}, // printed under USDT
		{"qpf2cphc5dkuclkqur7lhj2yuqq9pk3hmukle77vhq", "bitcoin-cash", 200, 100, "CRITICAL", "", ""},
		{"bitcoincash:qpf2cphc5dkuclkqur7lhj2yuqq9pk3hmukle77vhq", "bitcoin-cash", 200, 100, "CRITICAL", "", ""},
		{"18Y8VPic2pZsvyLaYVdSLQdCuT2nAJJ3hd", "bitcoin-cash", 200, 100, "CRITICAL", "", ""}, // the same in its legacy form
		{"M8yFL6SFC6TreATegTyuSYkDfDRbisdpT3", "litecoin", 200, 100, "CRITICAL", "", ""},
		{"32m72D2HEycRqfBkaazZcuVpLWq9k3sYdt", "litecoin", 200, 100, "CRITICAL", "", ""},  // the same in its legacy form
		{"TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq", "tron", 200, 100, "CRITICAL", "", "45404"}, // printed under XBT
		// Other addresses of the keys of 12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h and of the first.
		{"bc1qpa78qajm34ypqk6unwwn9tgxrc9evaez76c64s", "bitcoin", 200, 85, "HIGH", "key", "25308"},
		{"3BN2W2uaBtmjogy53Bd641ssnyS4g93uWg", "bitcoin", 200, 85, "HIGH", "key", "25308"},
		{"D6YykL7uEqmuusMAGh632zBZrKzfhyU9tp", "dogecoin", 200, 85, "HIGH", "key", "25308"},
		{"TAqg8TXo8tmpaz7TwHS669Tgt8MPSWgoxB", "tron", 200, 85, "HIGH", "key", "27307"},
		{"5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320", "monero", 200, 100, "CRITICAL", "literal", "29585"},
		{"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum", 200, 0, "CLEAN_NO_MATCH", "", ""},
		{"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "bitcoin", 200, 0, "CLEAN_NO_MATCH", "", ""},
	} {
		status, a := s.screen(t, tt.address, tt.chain)
		if status != tt.status || a.Score != tt.score || a.Level != tt.level || a.Chain != tt.chain || a.Labels == nil {
			t.Errorf("%s on %s: %d %+v, want %d and %d %s", tt.address, tt.chain, status, a, tt.status, tt.score, tt.level)
			continue
		}
		if tt.score == 0 {
			if len(a.Labels) != 0 {
				t.Errorf("%s on %s has labels %+v", tt.address, tt.chain, a.Labels)
			}
			continue
		}
		if l := a.Labels[0]; l.Label != "SANCTIONED" || l.Source != "OFAC_SDN" || l.Match != cmp.Or(tt.match, "exact") || tt.ref != "" && l.Ref != tt.ref {
			t.Errorf("%s on %s has the label %+v, want match %q, ref %q", tt.address, tt.chain, l, tt.match, tt.ref)
		}
	}
	for _, tt := range []struct{ address, chain, code, reason, detail string }{
		{"16iWn2J1McqjToYLHSsAyS6En3QA8YQ91h", "bitcoin", "invalid_address", "bad_checksum", ""},
		{lazarus, "ETH", "unsupported_chain", "ticker", "ethereum"},
		{"", "bitcoin", "invalid_address", "bad_length", ""},
	} {
		status, a := s.screen(t, tt.address, tt.chain)
		if status != 400 || a.Code != tt.code || a.Reason != tt.reason || !strings.Contains(a.Detail, tt.detail) {
			t.Errorf("%q on %s: %d %+v, want 400 %s %s", tt.address, tt.chain, status, a, tt.code, tt.reason)
		}
	}
	// The age is the age of the data, not of the process.
	_, a := s.screen(t, lazarus, "ethereum")
	published := bundled(t, bundle.OFAC()).Published
	if age := a.Freshness["OFAC_SDN"].Age; age < int64(time.Since(published)/time.Second)-60 {
		t.Errorf("the bundled list is said to be %d s old", age)
	}
	addresses := regexp.MustCompile(`OFAC_SDN .*  1,\d\d\d  ` + bundled(t, bundle.OFAC()).Completeness.String())
	if !addresses.MatchString(s.said) {
		t.Errorf("the greeting does not say how many addresses there are:\n%s", s.said)
	}
	listed := s.sources(t)
	_, told, _ := callIn(t, nil, "", "lists", "status")
	told = strings.Join(strings.Fields(told), " ")
	for _, src := range bundle.All() {
		rev, err := src.Load(t.Context(), sources.Revision{}, func(sources.Entry) error { return nil })
		if from := rev.Provenance; err != nil || from == "" || !strings.Contains(told, from) || !strings.Contains(listed, `"provenance":`+strconv.Quote(from)) {
			t.Errorf("%s: lists status and the sources do not both say where it comes from, %q, %v", src.Info().ID, from, err)
		}
	}
	if !strings.Contains(s.said, s.url+"/docs\n") {
		t.Errorf("the greeting does not say where the interface is described:\n%s", s.said)
	}
	for path, want := range map[string]int{ // each is answered without a redirect
		"/": 200, "/page/page.css": 200, "/page/none": 404, "/docs": 200, "//docs": 404, "/page/x/page/page.css": 404, "/x/../page/page.css": 404, "/%70age/page.css": 404, "/docs/docs.js": 200, "/docs/none": 404, "/none": 404, "//none": 404,
		"//api/v1/sources": 404, "/api/v1/sources": 401, "/x/../api/v1/sources": 404, "/x/api/v1/changes": 404, "/risk/public/api/v1/screen": 404, "/api/v1/sources?token=x": 400,
	} {
		r := httptest.NewRequest("GET", s.url+path, nil)
		if resp, err := http.DefaultTransport.RoundTrip(r); err != nil {
			t.Error(err)
		} else if resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s is answered with %s, want %d", path, resp.Status, want)
		}
	}
	if err := s.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	if _, err := http.Get(s.url); err == nil {
		t.Error("it still listens after the stop")
	}
}

// TestOptionsOfThePage asks for the methods of the page at the root.
func TestOptionsOfThePage(t *testing.T) {
	s := start(t, shortest...)
	defer s.stop()
	r, err := http.NewRequestWithContext(t.Context(), "OPTIONS", s.url+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 204 || resp.Header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("status %d, Allow %q", resp.StatusCode, resp.Header.Get("Allow"))
	}
}

func TestKeysOutlastARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	first := start(t, append(shortest, "-data", dir)...)
	if status, _ := first.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum"); status != 200 {
		t.Fatalf("the key that was made is answered with %d", status)
	}
	first.stop()
	if stored, err := os.ReadFile(filepath.Join(dir, dbFile)); err != nil || strings.Contains(string(stored), first.key[len(first.key)-52:]) {
		t.Errorf("stored is the secret, or nothing: %v", err)
	}
	second := start(t, append(shortest, "-data", dir)...)
	if strings.Contains(second.said, first.key) {
		t.Errorf("the second start shows a key: %s", second.said)
	}
	second.key = first.key
	if status, _ := second.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum"); status != 200 {
		t.Errorf("after a restart the key is answered with %d", status)
	}
	second.stop()
}

// TestListsOutlastARestart has a server that was told of an address after the
// bundle was made: the next one, without a network, must know it still.
func TestListsOutlastARestart(t *testing.T) {
	dir := t.TempDir()
	lists := filepath.Join(dir, storeDir)
	first := start(t, "-data", dir)
	first.stop()
	if !strings.Contains(first.said, "kept in "+lists) {
		t.Errorf("the greeting does not say where the lists are:\n%s", first.said)
	}
	kept, err := store.Open(lists)
	if err != nil {
		t.Fatal(err)
	}
	entries := []sources.Entry{{Address: address.MustParse("ethereum", "0x1111111111111111111111111111111111111111"), Kind: score.Sanctioned, Ref: "new"}}
	all, err := journal.Answered(t.Context(), kept)
	if err != nil {
		t.Fatal(err)
	}
	held := all[0].Held["OFAC_SDN"]
	for e, err := range journal.Entries(t.Context(), kept, "OFAC_SDN", &held) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	another, err := screening.New([]sources.Source{sources.Static(bundle.OFAC().Info(), entries...)}, &screening.Options{Store: kept})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := another.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := start(t, "-data", dir, "-api-key", givenKey)
	second.key = givenKey
	if status, a := second.screen(t, "0x1111111111111111111111111111111111111111", "bsc"); status != 200 || a.Score != 100 || a.Freshness["OFAC_SDN"].Age > 60 {
		t.Errorf("after the restart: %d %+v, want the address that was kept", status, a)
	}
	if !strings.Contains(second.said, "  1,051  whole") {
		t.Errorf("the greeting does not say what was kept:\n%s", second.said)
	}
	second.stop()

	// Without a network, the bundled SDN List does not stand for the newer one that is damaged. The list of the EU that is
	// damaged is the bundled one, which is held again.
	files, err := filepath.Glob(filepath.Join(lists, "*.stays"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, name := range files {
		if err := errors.Join(os.Remove(name), os.WriteFile(name, []byte("damaged"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	offline := []string{"-offline", "-addr", "127.0.0.1:0", "-data", dir}
	for _, said := range []string{"damaged file", "damaged file"} {
		err := run(t.Context(), offline, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "nothing can be decided: OFAC_SDN not loaded") || !strings.Contains(err.Error(), said) {
			t.Errorf("after the damage: %v, want %q", err, said)
		}
	}
	if err := os.RemoveAll(lists); err != nil {
		t.Fatal(err)
	}
	third := start(t, "-data", dir, "-api-key", givenKey)
	third.key = givenKey
	if status, a := third.screen(t, "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "ethereum"); status != 200 || a.Score != 100 {
		t.Errorf("with an empty store: %d %+v", status, a)
	}
	third.stop()
}

// givenKey is a key of -api-key.
const givenKey = "given-key-of-a-test"

func TestGivenKeys(t *testing.T) {
	s := start(t, append(shortest, "-api-key", givenKey, "-api-key", "second-given-key")...)
	if s.key != "<API_KEY>" || strings.Contains(s.said, "second-given-key") {
		t.Errorf("the greeting repeats a key: %s", s.said)
	}
	for key, want := range map[string]int{givenKey: 200, "second-given-key": 200, "third-given-key": 401, "": 401} {
		s.key = key
		if status, _ := s.screen(t, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "ethereum"); status != want {
			t.Errorf("key %q is answered with %d, want %d", key, status, want)
		}
	}
}

// A flag wins over the environment.
func TestOptions(t *testing.T) {
	want := &serveOptions{
		addr: ":1", opsAddr: ":9", tlsCert: "c", tlsKey: "k", keys: []string{"p", "q"}, offline: true, clientRate: "5", clientField: "X-Real-IP",
		audit: "a", auditKey: "h", auditDurable: true, auditKeep: 48 * time.Hour, logFormat: "json", logLevel: "warn",
		lists: listOptions{
			data:    "d",
			db:      "b",
			keep:    2 * year,
			require: []string{"all"},
			maxAge:  48 * time.Hour,
			choose:  []string{"A", "B"},
			own:     []string{"X=x,y", "Y=z"},
			mirrors: []string{"A=http://m"},
		},
	}
	env := []string{"WALLETSCREEN_OPS_ADDR=:9", "WALLETSCREEN_TLS_CERT=c", "WALLETSCREEN_TLS_KEY=k", "WALLETSCREEN_AUDIT=a", "WALLETSCREEN_AUDIT_KEY=h",
		"WALLETSCREEN_AUDIT_DURABLE=true", "WALLETSCREEN_AUDIT_KEEP=2d", "WALLETSCREEN_ADDR=:1", "WALLETSCREEN_DATA=d", "WALLETSCREEN_DB=b",
		"WALLETSCREEN_API_KEY=p, q",
		"WALLETSCREEN_OFFLINE=true", "WALLETSCREEN_LOG_FORMAT=json", "WALLETSCREEN_LOG_LEVEL=warn", "WALLETSCREEN_REQUIRE=all", "WALLETSCREEN_MAX_AGE=48h",
		"WALLETSCREEN_LISTS=A,B", "WALLETSCREEN_LIST=X=x,y,Y=z", "WALLETSCREEN_KEEP=2y", "WALLETSCREEN_MIRROR=A=http://m", "WALLETSCREEN_CLIENT_RATE=5",
		"WALLETSCREEN_CLIENT_FIELD=X-Real-IP"}
	if got := options(t, env); !reflect.DeepEqual(got, want) {
		t.Errorf("of the environment: %+v", got)
	}
	var args []string
	for _, pair := range env {
		name, value, _ := strings.Cut(strings.TrimPrefix(pair, "WALLETSCREEN_"), "=")
		args = append(args, "-"+strings.ToLower(strings.ReplaceAll(name, "_", "-"))+"="+value)
	}
	if got := options(t, []string{"WALLETSCREEN_ADDR=:2", "WALLETSCREEN_API_KEY=x", "WALLETSCREEN_OFFLINE=false"}, args...); !reflect.DeepEqual(got, want) {
		t.Errorf("of the flags: %+v", got)
	}
}

// TestWrongConfiguration checks that a wrong configuration is reported in one sentence,
// before the server listens.
func TestWrongConfiguration(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ args, want string }{
		{"-adr :1", "serve: unknown flag -adr; did you mean -addr?"},
		{"serve now", `serve: unexpected argument "now"`},
		{"-log-level loud", `-log-level "loud": want debug, info, warn or error`},
		{"-log-format xml", `-log-format "xml": want text or json`},
		{"-tls-cert x", "-tls-cert and -tls-key need each other"},
		{"-audit " + dir + "/a -audit-witness " + dir + "/a/b/witness", "-audit-witness " + dir + "/a/b/witness: want a file outside the directory of -audit"},
		{"-audit-keep 1h", "-audit-key, -audit-durable, -audit-keep and -audit-witness need -audit"},
		{"-db mysql://u:hunter2@h/d", "-db: want sqlite:FILE or postgres://"},
		{"-db postgres://u:1/hunter2@127.0.0.1:1/d", "-db: the URL has an @ or a slash before the host; write %40 or %2F for it in the password"},
		{"-db postgres://u:x@hunter2@127.0.0.1:1/d", "-db: the URL has an @ or a slash before the host; write %40 or %2F for it in the password"},
		{"-mirror OFAC_SDN=ftp://x", "-mirror OFAC_SDN: want a URL that begins with https:// or http://"},
		{"-mirror OFAC_SDN=http://mirror.example/sdn.csv",
			"-mirror OFAC_SDN: over plain HTTP, anyone on the way can take addresses out of the list; use https://, or accept that with -mirror-over-http"},
		{"-mirror OFAC_SDN=HTTP://127.0.0.1.example/sdn.csv", "-mirror OFAC_SDN: over plain HTTP"},
		{"-mirror OFAC_SDN=http://localhost/sdn.csv", "-mirror OFAC_SDN: over plain HTTP"},
		{"-lists OPENSANCTIONS -opensanctions http://mirror.example/x.csv", "-opensanctions: over plain HTTP"},
		{"-lists USDT_FROZEN -rpc ethereum=http://node.example", "-rpc ethereum: over plain HTTP"},
		{"-rpc ethereum=https://node.example", "-rpc needs USDT_FROZEN or USDC_FROZEN in -lists"},
		{"-lists OFAC_SDN -opensanctions x.csv", "-opensanctions needs OPENSANCTIONS in -lists"},
		{"-mirror OFAC=https://x", `-mirror: there is no list "OFAC"`},
		{"-lists OFAC_SDN,UK", `-lists: there is no list "UK"`},
		{"-list OWN=" + dir + "/none", "-list OWN: open "},
		{"-require EU", `-require: there is no list "EU"`},
		{"-addr nowhere", "-addr: want HOST:PORT, such as 127.0.0.1:8080: listen tcp: address nowhere: missing port in address"},
		{"-exceptions " + dir + "/none", "-exceptions: open "},
		{"-tls-cert " + dir + "/none -tls-key x", "-tls-cert and -tls-key: open "},
		{"-audit " + os.DevNull, "-audit: "},
		{"-audit=", "-audit: the value is empty"},
		{"-audit-key= -audit " + dir, "-audit-key: the value is empty"},
		{"-tls-cert= -tls-key=", "-tls-cert: the value is empty"},
		{"-audit " + dir + " -audit-key " + dir + "/none", "-audit-key: open "},
		{"-data " + os.DevNull, "-data: "},
		{"-receipt-key " + dir + "/none", "-receipt-key: open "},
		{"-api-key short", "-api-key: "},
		{"-offline -max-age 24h", "nothing can be decided: OFAC_SDN is "},
	} {
		var stderr strings.Builder
		p := &program{env: []string{"WALLETSCREEN_ADDR=127.0.0.1:0"}, stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr}
		code := p.run(t.Context(), append([]string{}, strings.Fields(tt.args)...))
		text := regexp.MustCompile(`(?m)^time=.*\n`).ReplaceAllString(stderr.String(), "")
		if code != 2 || !strings.HasPrefix(text, "walletscreen: serve: "+strings.TrimPrefix(tt.want, "serve: ")) || strings.Contains(text, "hunter2") || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", tt.args, code, text, tt.want)
		}
	}
	first := start(t, shortest...)
	defer first.stop()
	address := strings.TrimPrefix(first.url, "http://")
	if err := run(t.Context(), []string{"-offline", "-addr", address}, io.Discard); err == nil ||
		err.Error() != "serve: -addr "+address+" is in use by another program; choose another port" {
		t.Error(err)
	}
}

// TestTrailOptions checks that the options for records of screenings require -audit.
func TestTrailOptions(t *testing.T) {
	for _, c := range []*serveOptions{{auditDurable: true}, {auditKey: "h"}, {auditKeep: time.Hour}} {
		if trail, err := openTrail(c, nil); err == nil {
			t.Errorf("%+v: %v, want an error", c, trail)
		}
	}
	if trail, err := openTrail(&serveOptions{}, nil); trail != nil || err != nil {
		t.Errorf("without a trail: %v, %v", trail, err)
	}
}

// sources returns the answer to GET /api/v1/sources.
func (s *running) sources(t *testing.T) string {
	t.Helper()
	req, err := http.NewRequest("GET", s.url+"/api/v1/sources", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v, %s", resp.StatusCode, err, body)
	}
	return string(body)
}

// A time that is not known is left out of the log, as the last check of a list that was never checked.
func TestLogWithoutTime(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var said strings.Builder
		log, _, err := (&program{stderr: &said}).logger(&serveOptions{logFormat: format, logLevel: "info"})
		if err != nil {
			t.Fatal(err)
		}
		log.Warn("not loaded", "last_updated", time.Time{}, "published", time.Unix(0, 0).UTC(), "error", io.EOF)
		if got := said.String(); strings.Contains(got, "last_updated") || !strings.Contains(got, "1970-01-01") || !strings.Contains(got, "EOF") {
			t.Errorf("%s: %s", format, got)
		}
	}
}
