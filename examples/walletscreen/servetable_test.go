package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestServeTable sends tables to a server, and verifies what it answers as the receipt of
// screen -in is verified: the program writes the same table with verdicts, each row is counted and
// recorded, and callers without the scope, the quota or a table that can be read get a problem.
func TestServeTable(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	key, in, out, receipt, trail := filepath.Join(dir, "key"), filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv"), filepath.Join(dir, "receipt"), filepath.Join(dir, "trail")
	if code, _, stderr := call(t, "", "receipt", "key", "-out", key); code != 0 {
		t.Fatal(stderr)
	}
	table := []byte("\xef\xbb\xbfid,wallet,chain,note\n1," + listed + ",ethereum,caf\xe9\n2," + unlisted + ",,\n3,n/a,tron,\n4,,,\n")
	if err := os.WriteFile(in, table, 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "-lists", "OFAC_SDN", "-require", "OFAC_SDN", "-data", data, "-receipt-key", key, "-audit", trail)
	send := func(bearer, query string, body []byte, answer any) int {
		t.Helper()
		r, err := http.NewRequest("POST", s.url+"/api/v1/screen/table?"+query, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+bearer)
		r.Header.Set("Idempotency-Key", `"one"`)
		w, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Body.Close()
		if again := w.Header.Get("Retry-After"); (again > "0") != (w.StatusCode == 503 || w.StatusCode == 429) {
			t.Errorf("status %d has Retry-After %q", w.StatusCode, again)
		}
		if w.Header.Get("Cache-Control") != "no-store" || w.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("the header is %v", w.Header)
		}
		text, err := io.ReadAll(w.Body)
		if err != nil || json.Unmarshal(text, answer) != nil {
			t.Fatalf("status %d: %v: %s", w.StatusCode, err, text)
		}
		return w.StatusCode
	}
	var got struct {
		Output       []byte
		Receipt      string
		Code, Detail string
		Type, Title  string
		Instance     string
		RequestID    string `json:"request_id"`
	}
	if status := send(s.key, "address-column=2&chain-column=chain", table, &got); status != 200 {
		t.Fatalf("status %d, %+v", status, got)
	}
	if code, _, stderr := callIn(t, onlyOFAC, "", "screen", "-data", data, "-in", in, "-out", out, "-address-column", "2", "-chain-column", "chain"); code != exitUndecided {
		t.Fatal(stderr)
	}
	if want, err := os.ReadFile(out); err != nil || !bytes.Equal(got.Output, want) {
		t.Errorf("the program writes %q, the server %q", want, got.Output)
	}
	if err := os.WriteFile(receipt, []byte(got.Receipt), 0o600); err != nil {
		t.Fatal(err)
	}
	verify := []string{"receipt", "verify", receipt, "-data", data, "-key", key + ".pub", "-in", in, "-out", out}
	if code, stdout, stderr := call(t, "", verify...); code != 0 || !strings.HasPrefix(stdout, "SAME  table of 4 rows, 1 listed, screened ") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	var usage struct{ Used int }
	if status := s.do(t, "GET", "/api/v1/usage", nil, &usage); status != 200 || usage.Used != 2 {
		t.Errorf("status %d, %d screenings are counted, want 2", status, usage.Used)
	}
	if status := send(s.key, "", []byte("id,none\n1,2\n"), &got); status != 400 || got.Code != "invalid_table" || !strings.HasPrefix(got.Detail, "no column is named address") ||
		got.Type != "about:blank" || got.Title != "Bad Request" || got.Instance != tableRoute || got.RequestID == "" {
		t.Errorf("a table without addresses: status %d, %+v", status, got)
	}
	form, err := http.NewRequest("POST", s.url+tableRoute, strings.NewReader("--x\r\n\r\naddress\n"+listed+"\n\r\n--x--\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	form.Header.Set("Authorization", "Bearer "+s.key)
	form.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	if w, err := http.DefaultClient.Do(form); err != nil || w.Body.Close() != nil || w.StatusCode != 400 {
		t.Errorf("a form: %v, %v", w, err)
	}
	most := maxVerdicts
	maxVerdicts = 1 << 10
	if status := send(s.key, "", bytes.Repeat([]byte("address\n"), 1000), &got); status != 413 || got.Code != "body_too_large" {
		t.Errorf("a table with long verdicts: status %d, %+v", status, got)
	}
	maxVerdicts = most
	answered := make(chan int)
	slow := func() io.WriteCloser { // a table that arrives slowly, and has a place already
		body, sent := io.Pipe()
		go func() {
			r, err := http.NewRequest("POST", s.url+"/api/v1/screen/table", body)
			if err != nil {
				t.Error(err)
			}
			r.Header.Set("Authorization", "Bearer "+s.key)
			r.Header.Set("Expect", "100-continue") // the body is sent once the server reads it
			w, err := (&http.Transport{ExpectContinueTimeout: time.Hour}).RoundTrip(r)
			if err != nil {
				t.Error(err)
				answered <- 0
				return
			}
			w.Body.Close()
			answered <- w.StatusCode
		}()
		io.WriteString(sent, "address\n"+listed+"\n")
		return sent
	}
	_, token, _ := call(t, "", "keys", "create", "-data", data)
	first := slow()
	if status := send(s.key, "", table, &got); status != 200 {
		t.Errorf("beside one slow table of the caller: status %d, %+v", status, got)
	}
	second := slow()
	if status := send(s.key, "", table, &got); status != 503 || got.Code != "overloaded" {
		t.Errorf("beside two slow tables of the caller: status %d, %+v", status, got)
	}
	if status := send(strings.TrimSpace(token), "", table, &got); status != 200 {
		t.Errorf("beside the slow tables of another caller: status %d, %+v", status, got)
	}
	first.Close()
	second.Close()
	for range 2 {
		if status := <-answered; status != 200 {
			t.Errorf("a slow table: status %d", status)
		}
	}
	for _, query := range []string{"adress-column=2", "chain=%zz", "chain=ethereum&chain=tron", "chain=etherium", "a;b"} {
		if status := send(s.key, query, table, &got); status != 400 || got.Code != "invalid_table" {
			t.Errorf("the query %s: status %d, %+v", query, status, got)
		}
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "PUT", "GETTOKEN"} {
		r, err := http.NewRequest(method, s.url+"/api/v1/screen/table", nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.client.Do(r) // without a key
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(w.Body)
		w.Body.Close()
		status, says := 405, `"code":"method_not_allowed"`
		if method == "OPTIONS" {
			status = 204
		}
		if w.StatusCode != status || w.Header.Get("Allow") != "POST, OPTIONS" || err != nil || status == 405 && method != "HEAD" && !strings.Contains(string(text), says) {
			t.Errorf("%s: status %d, header %v, %v: %s", method, w.StatusCode, w.Header, err, text)
		}
	}
	if status := send("nobody", "", table, &got); status != 401 || got.Code != "invalid_token" {
		t.Errorf("without a key: status %d, %+v", status, got)
	}
	for _, tt := range []struct {
		flags  string
		status int
		code   string
	}{{"-quota 1", 429, "quota_exceeded"}, {"-scopes sources", 403, "insufficient_scope"}} {
		code, token, stderr := call(t, "", append(strings.Fields("keys create -data "+data), strings.Fields(tt.flags)...)...)
		if code != 0 {
			t.Fatal(stderr)
		}
		if status := send(strings.TrimSpace(token), "", table, &got); status != tt.status || got.Code != tt.code {
			t.Errorf("a key with %s: status %d, %+v", tt.flags, status, got)
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	rows, ids := 0, make(map[string]bool)
	for l, err := range evidence.Read(trail) {
		var line struct {
			ID string `json:"request_id"`
		}
		if rows++; err != nil || json.Unmarshal(l.Text, &line) != nil {
			t.Fatal(err)
		}
		ids[line.ID] = true
	}
	if rows != 2+2+2+1+1 || len(ids) != 5 || ids[""] {
		t.Errorf("%d rows of the requests %v are recorded, want those of the 5 tables that were answered", rows, ids)
	}
	own := filepath.Join(dir, "own.csv")
	os.WriteFile(own, []byte("address,reason\n"+unlisted+",nobody's business\n"), 0o600)
	s = start(t, "-data", data, "-list", "OWN="+own, "-api-key", "given-to-everybody")
	_, token, _ = call(t, "", "keys", "create", "-data", data)
	if status := send(strings.TrimSpace(token), "", table, &got); status != 403 || got.Code != "insufficient_scope" {
		t.Errorf("own lists, without the scope own: status %d, %+v", status, got)
	}
	if status := send("given-to-everybody", "", table, &got); status != 200 || !strings.Contains(string(got.Output), "nobody's business") {
		t.Errorf("own lists, with all scopes: status %d, %q", status, got.Output)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if code, stdout, _ := call(t, "", "audit", "search", strings.ToLower(listed), "-audit", trail); code != 0 && code != exitMatch || !strings.Contains(stdout, "CRITICAL") {
		t.Errorf("the record: exit code %d: %s", code, stdout)
	}
}

// TestTableMonth counts a table in the month in which it is answered, all rows or none.
func TestTableMonth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "A", Name: "a", Jurisdiction: sources.Operator})}, nil)
		if err == nil {
			_, err = s.Refresh(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		ring := access.New(access.NewMemory(), nil)
		defer ring.Close(t.Context())
		for _, tt := range []struct {
			rows []int // of a month
			fits bool
			used int64
		}{{[]int{8, 1}, true, 9}, {[]int{2}, false, 9}, {[]int{1}, true, 10}, {[]int{1}, false, 10}} {
			c := &tableCall{Screener: s, server: &server{keys: &keyring{ring: ring}}, caller: httpapi.Caller{ID: "a", Quota: 10},
				request: httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/screen/table", nil)}
			for i, n := range tt.rows {
				if i > 0 {
					time.Sleep(31 * 24 * time.Hour)
				}
				for range n {
					c.ScreenInput("ethereum", harmless)
				}
			}
			if p := c.count(); (p == nil) != tt.fits || p != nil && p != tableQuota {
				t.Errorf("%+v: %v", tt, p)
			}
			if n, _, _, err := ring.Used(t.Context(), c.caller, true); n != tt.used || err != nil {
				t.Errorf("%+v: %d rows are counted, %v", tt, n, err)
			}
		}
	})
}

// TestTablePlaces fills the places: the second table of a caller does not take the last one.
func TestTablePlaces(t *testing.T) {
	var p tablePlaces
	for i, tt := range []struct {
		id   string
		fits bool
	}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", false}, {"c", true}, {"d", false}} {
		if p.enter(tt.id) != tt.fits {
			t.Errorf("%d: %+v: held by %v", i, tt, p.held)
		}
	}
	p.leave("a")
	if p.enter("b") || !p.enter("d") {
		t.Errorf("with one place left, held by %v", p.held)
	}
}
