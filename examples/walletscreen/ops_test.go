package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

const (
	lazarus   = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	harmless  = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	mistyped  = "16iWn2J1McqjToYLHSsAyS6En3QA8YQ91h"
	wrongKey  = "wsk_this0is0not0the0key"
	keyInPath = "wsk_put0where0it0is0logged"
)

// get returns the status and the body of an answer.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// A series is a metric with one set of labels.
type series struct {
	name   string
	labels map[string]string
	value  float64
}

// scrape returns what /metrics says.
func (s *running) scrape(t *testing.T) (all []series) {
	t.Helper()
	status, body := get(t, s.ops+"/metrics")
	if status != 200 {
		t.Fatalf("/metrics is answered with %d", status)
	}
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := regexp.MustCompile(`^([a-z_0-9]+)(?:\{(.*)\})? (\S+)\n$`).FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a metric: %q", line)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		x := series{m[1], map[string]string{}, v}
		for _, l := range regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(m[2], -1) {
			x.labels[l[1]] = l[2]
		}
		all = append(all, x)
	}
	return all
}

// value returns the value of the only metric of this name that has the labels, each
// a name before its value.
func value(t *testing.T, all []series, name string, labels ...string) float64 {
	t.Helper()
	var found []series
next:
	for _, x := range all {
		for i := 0; i < len(labels); i += 2 {
			if x.labels[labels[i]] != labels[i+1] {
				continue next
			}
		}
		if x.name == name {
			found = append(found, x)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s %q is there %d times", name, labels, len(found))
	}
	return found[0].value
}

// startAll starts a server that has everything turned on but TLS.
func startAll(t *testing.T, args ...string) *running {
	t.Helper()
	return start(
		t,
		append([]string{"-ops-addr", "127.0.0.1:0", "-data", t.TempDir(), "-audit", filepath.Join(t.TempDir(), "audit"), "-audit-durable"}, args...)...)
}

// TestMetrics asks, and finds it in the metrics.
func TestMetrics(t *testing.T) {
	s := startAll(t)
	for range 3 {
		s.screen(t, harmless, "ethereum")
	}
	s.screen(t, lazarus, "ethereum")
	s.screen(t, mistyped, "bitcoin")
	get(t, s.url+"/api/v1/sources")
	get(t, s.url+"/nothing/here")
	for token, body := range map[string]string{s.key: "address,chain\n" + lazarus + ",ethereum\n" + strings.Repeat(harmless+",\n", 2) + strings.Repeat("n/a,\n", 3), "nobody": ""} {
		r, err := http.NewRequest("POST", s.url+tableRoute, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		w, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, w.Body)
		w.Body.Close()
	}
	all := s.scrape(t)
	// An answer may be there a moment before its record is counted.
	for end := time.Now().Add(5 * time.Minute); value(t, all, "walletscreen_audit_queue") > 0 && time.Now().Before(end); {
		all = s.scrape(t)
	}
	ofac, uk := bundled(t, bundle.OFAC()), 0.0
	if bundled(t, bundle.UK()).Loaded() {
		uk = 1
	}
	for _, tt := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{4, "walletscreen_http_requests_total", []string{"route", "/api/v1/screen", "status", "200", "code", ""}},
		{1, "walletscreen_http_requests_total", []string{"route", "/api/v1/screen", "status", "400", "code", "invalid_address"}},
		{1, "walletscreen_http_requests_total", []string{"route", "/api/v1/sources", "status", "401", "code", "missing_credentials"}},
		{1, "walletscreen_http_requests_total", []string{"route", "other", "status", "404", "code", "not_found"}},
		{5, "walletscreen_http_request_duration_seconds_count", []string{"route", "/api/v1/screen"}},
		{1, "walletscreen_http_requests_total", []string{"route", tableRoute, "status", "200", "code", ""}},
		{1, "walletscreen_http_requests_total", []string{"route", "other", "status", "401", "code", "invalid_token"}},
		{1, "walletscreen_http_request_duration_seconds_count", []string{"route", tableRoute}},
		{1, "walletscreen_table_rows_total", []string{"level", "CRITICAL"}},
		{2, "walletscreen_table_rows_total", []string{"level", "CLEAN_NO_MATCH"}},
		{3, "walletscreen_table_rows_total", []string{"level", ""}},
		{4 + 3, "walletscreen_caller_screenings_total", []string{"caller", strings.Split(s.key, "_")[1]}},
		{3, "walletscreen_screenings_total", []string{"level", "CLEAN_NO_MATCH"}},
		{1, "walletscreen_screenings_total", []string{"level", "CRITICAL"}},
		{0, "walletscreen_screenings_total", []string{"level", "MEDIUM"}},
		{1, "walletscreen_screening_matches_total", []string{"source", "OFAC_SDN"}},
		{0, "walletscreen_screening_matches_total", []string{"source", "EU_CONSOLIDATED"}},
		{0, "walletscreen_screenings_suppressed_total", nil},
		{0, "walletscreen_exceptions", nil},
		{float64(ofac.Addresses), "walletscreen_source_addresses", []string{"source", "OFAC_SDN"}},
		{float64(ofac.Entries), "walletscreen_source_entries", []string{"source", "OFAC_SDN"}},
		{1, "walletscreen_source_loaded", []string{"source", "OFAC_SDN", "required", "true"}},
		{uk, "walletscreen_source_loaded", []string{"source", "UK_CONSOLIDATED", "required", "false"}},
		{1, "walletscreen_source_refreshes_total", []string{"source", "OFAC_SDN", "result", "loaded"}},
		{0, "walletscreen_source_refreshes_total", []string{"source", "OFAC_SDN", "result", "refused", "reason", "older"}},
		{0, "walletscreen_source_failing", []string{"source", "OFAC_SDN"}},
		{0, "walletscreen_source_store_failing", []string{"source", "OFAC_SDN"}},
		{1, "walletscreen_quota_keys", nil},
		{0, "walletscreen_quota_store_failures_total", nil},
		{7, "walletscreen_audit_written_total", nil},
		{0, "walletscreen_audit_refused_total", nil},
		{0, "walletscreen_audit_queue", nil},
		{0, "walletscreen_audit_failing", nil},
		{1, "walletscreen_snapshot_info", []string{"scoring_version", "v1.2"}},
	} {
		if got := value(t, all, tt.name, tt.labels...); got != tt.want {
			t.Errorf("%s %q is %v, want %v", tt.name, tt.labels, got, tt.want)
		}
	}
	if age := value(t, all, "walletscreen_source_age_seconds", "source", "OFAC_SDN"); age < time.Since(ofac.Published).Seconds()-60 {
		t.Errorf("the list is said to be %v s old", age)
	}
	if n := value(t, all, "walletscreen_source_anomalies", "source", "OFAC_SDN", "kind", "undecodable"); n < 1 {
		t.Errorf("%v anomalies", n)
	}
	if n := value(t, all, "go_goroutines"); n < 1 {
		t.Errorf("%v goroutines", n)
	}
	for _, x := range all {
		for name, v := range x.labels {
			if strings.Contains(strings.ToLower(v), "0x") || strings.Contains(v, s.key) {
				t.Errorf("%s has the label %s=%q", x.name, name, v)
			}
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

// TestReports checks that each result of loading a list is counted.
func TestReports(t *testing.T) {
	m := newMetrics()
	status := func(id string, entries int, err error) screening.SourceStatus {
		return screening.SourceStatus{Info: sources.Info{ID: id}, Entries: entries, Err: err}
	}
	for _, r := range []screening.SourceReport{
		{SourceStatus: status("A", 3, nil)},
		{SourceStatus: status("A", 3, nil), Unchanged: true},
		{SourceStatus: status("A", 3, io.ErrUnexpectedEOF)},
		{SourceStatus: status("A", 3, screening.ErrShrunk)},
		{SourceStatus: status("A", 3, screening.ErrEmptied)},
		{SourceStatus: status("A", 3, screening.ErrGrown)},
		{SourceStatus: status("A", 3, fmt.Errorf("source A: suspect, not accepted: %w", screening.ErrOlder))},
		{SourceStatus: status("A", 3, screening.ErrCut)},
		{SourceStatus: status("B", 0, nil)}, // has no list
	} {
		m.Report(screening.Report{Sources: []screening.SourceReport{r}})
	}
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`walletscreen_source_refreshes_total{reason="",result="loaded",source="A"} 1`,
		`walletscreen_source_refreshes_total{reason="",result="unchanged",source="A"} 1`,
		`walletscreen_source_refreshes_total{reason="",result="failed",source="A"} 1`,
		`walletscreen_source_refreshes_total{reason="shrunk",result="refused",source="A"} 1`,
		`walletscreen_source_refreshes_total{reason="emptied",result="refused",source="A"} 1`,
		`walletscreen_source_refreshes_total{reason="grown",result="refused",source="A"} 1`,
		`walletscreen_source_refreshes_total{reason="older",result="refused",source="A"} 1`,
		`walletscreen_source_refreshes_total{reason="cut",result="refused",source="A"} 1`,
	} {
		if !strings.Contains(w.Body.String(), want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(w.Body.String(), `source="B"`) {
		t.Error("what was not tried is counted")
	}
}

// TestMatchesAreCountedOnce checks that a screening with several labels of one source
// counts as one match.
func TestMatchesAreCountedOnce(t *testing.T) {
	m := newMetrics()
	m.Observe(t.Context(), httpapi.Observation{Route: "/api/v1/screen", Status: 200, Screenings: []httpapi.Screening{{Result: screening.Result{
		Level: "CRITICAL", Labels: []screening.Label{{Source: "A"}, {Source: "B"}, {Source: "A"}, {Source: "B"}},
		Suppressed: make([]screening.Suppressed, 2),
	}}}})
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`ing_matches_total{source="A"} 1`, `ing_matches_total{source="B"} 1`, "ings_suppressed_total 1"} {
		if !strings.Contains(w.Body.String(), "walletscreen_screen"+want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}

// TestProbes checks that a server is alive from the start, and ready while it can
// screen.
func TestProbes(t *testing.T) {
	s, err := screening.New([]sources.Source{bundle.OFAC(), bundle.Badlist(), bundle.UK()}, &screening.Options{Optional: []string{"UK_CONSOLIDATED"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "audit")
	trail, err := openTrail(&serveOptions{audit: dir, auditDurable: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- trail.Run(ctx) }()
	o := &server{serveOptions: &serveOptions{}, screener: s, trail: trail, metrics: newMetrics()}
	probe := func(path string) (int, string) {
		w := httptest.NewRecorder()
		opsHandler(o.readiness, o.metrics.handler()).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	want := func(when string, status int, ready readiness) {
		t.Helper()
		if code, body := probe("/livez"); code != 200 || body != "ok" {
			t.Errorf("%s: alive is %d %s", when, code, body)
		}
		text, _ := json.Marshal(ready)
		if code, body := probe("/readyz"); code != status || body != string(text) {
			t.Errorf("%s: ready is %d %s, want %d %s", when, code, body, status, text)
		}
	}
	want("before the lists", 503, readiness{Missing: []string{"OFAC_SDN", "COMMUNITY_BADLIST"}})
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("with the lists", 200, readiness{Ready: true})

	// The trail breaks: nothing can be put on record, and nothing is answered.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	keys, err := access.Fixed(map[string]string{"k": wrongKey})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(`{"address":"`+harmless+`","chain":"ethereum"}`))
	r.Header.Set("Authorization", "Bearer "+wrongKey)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	httpapi.NewHandler(s, keys, &httpapi.Options{Audit: trail.Record}).ServeHTTP(w, r)
	if w.Code != 503 || !strings.Contains(w.Body.String(), `"audit_unavailable"`) {
		t.Errorf("without a record: %d %s", w.Code, w.Body)
	}
	broken := o.readiness()
	for wait := 0; broken.Audit == "" && wait < 30_000; wait++ { // the writer of the trail says so when it has failed
		time.Sleep(10 * time.Millisecond)
		broken = o.readiness()
	}
	if !strings.Contains(broken.Audit, "no such file") {
		t.Errorf("readiness is %+v", broken)
	}
	want("without a record", 503, broken)
	o.metrics.watch(s, access.New(access.NewMemory(), nil), trail, nil, false)
	if _, body := probe("/metrics"); !strings.Contains(body, "walletscreen_audit_failing 1\n") ||
		!strings.Contains(body, "walletscreen_audit_refused_total 1\n") {
		t.Errorf("the metrics do not tell: %s", body)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("once it can be written: %v", err)
	}
	want("at the end of the trail", 200, readiness{Ready: true})
	o.stopping.Store(true)
	want("at the end", 503, readiness{Stopping: true})
	for _, path := range []string{"/", "/metrics/x", "/api/v1/sources"} {
		if code, _ := probe(path); code != 404 {
			t.Errorf("%s is answered with %d", path, code)
		}
	}
}

// TestNothingForOperatorsUnasked checks that without -ops-addr there is only one
// listener, without the endpoints for operators.
func TestNothingForOperatorsUnasked(t *testing.T) {
	s := start(t, shortest...)
	if s.ops != "" {
		t.Errorf("the greeting names %s", s.ops)
	}
	for _, path := range []string{"/metrics", "/livez", "/readyz"} {
		if status, body := get(t, s.url+path); status != 404 {
			t.Errorf("%s is answered with %d: %s", path, status, body)
		}
	}
}

// TestTrail checks that every screening is recorded when the server has stopped.
func TestTrail(t *testing.T) {
	dir := t.TempDir()
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(strings.Repeat("0b", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, append(shortest, "-audit", dir, "-audit-key", keyFile)...)
	const n = 50
	for range n {
		if status, a := s.screen(t, lazarus, "ethereum"); status != 200 {
			t.Fatalf("status %d: %+v", status, a)
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(s.said, "recorded in "+dir) {
		t.Errorf("the greeting does not say where the records are:\n%s", s.said)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	if len(names) != 1 {
		t.Fatalf("the files are %q", names)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(text), `"type":"screening"`); got != n {
		t.Errorf("%d records, want %d", got, n)
	}
	if !strings.Contains(string(text), `"address":"hmac:`) || strings.Contains(strings.ToLower(string(text)), strings.ToLower(lazarus)) {
		t.Errorf("the address is on record:\n%.2000s", text)
	}
	for _, file := range []string{"none", names[0]} {
		if _, err := openTrail(&serveOptions{audit: t.TempDir(), auditKey: file}, nil); err == nil {
			t.Errorf("the key %s is accepted", file)
		}
	}
}

// TestLogHygiene makes many kinds of mistakes, and finds no key, hash of a key
// or screened address in what the server has said after its greeting.
func TestLogHygiene(t *testing.T) {
	data := t.TempDir()
	s := startAll(t, "-data", data)
	key := s.key
	s.screen(t, harmless, "ethereum")
	s.screen(t, lazarus, "bsc")
	s.screen(t, mistyped, "bitcoin")
	s.screen(t, lazarus, "bitcoin")
	s.screen(t, harmless, lazarus)
	get(t, s.url+"/api/v1/sources?api_key="+keyInPath)
	get(t, s.url+"/"+lazarus)
	s.key = wrongKey
	s.screen(t, harmless, "ethereum")
	resp, err := http.Post(s.url+"/api/v1/screen", "application/json", strings.NewReader(harmless))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	log := s.log()
	if !strings.Contains(log, "stopping") {
		t.Errorf("the log is not what it should be: %s", log)
	}
	sum := sha256.Sum256([]byte(key))
	hash := hex.EncodeToString(sum[:])
	for _, secret := range []string{key, hash, wrongKey, keyInPath, lazarus, harmless, mistyped} {
		if strings.Contains(strings.ToLower(log), strings.ToLower(secret)) {
			t.Errorf("the log has %q:\n%s", secret, log)
		}
	}
}
