package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
)

func TestReadScreenRequest(t *testing.T) {
	nest := func(open, inner, shut string, n int) string {
		return `{"address":"a","chain":"c","x":` + strings.Repeat(open, n) + inner + strings.Repeat(shut, n) + `}`
	}
	for _, tt := range []struct{ body, address, chain, code, reason string }{
		{`{"address":"a","chain":"c"}`, "a", "c", "", ""},
		{`{"chain":"c","address":""}`, "", "c", "", ""},
		{`{"address":"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00x","chain":"é😀"}`, "\"\\/\b\f\n\r\tAé😀x", "é😀", "", ""},
		{`{"addres\u0073":"a","\u0063hain":"c"}`, "a", "c", "", ""},
		{`{"address":"a","chain":"c","n":[-0,0.5,1e9,1E-7,-12.50e+3],"t":true,"f":false,"z":null,"":{}}`, "a", "c", "", ""},
		{nest("[", "", "]", 31), "a", "c", "", ""},
		{nest("[", "", "]", 32), "", "", "invalid_json", "too_deep"},
		{nest(`{"":`, "1", "}", 31), "a", "c", "", ""},
		{nest(`{"":`, "1", "}", 32), "", "", "invalid_json", "too_deep"},
		{nest(`[{"address":`, "1", "}]", 15), "a", "c", "", ""},
		{`{"address":"a","chain":"c","x":{"x":{"x":1}},"y":[{"x":1},{"x":1}],"X":1}`, "a", "c", "", ""},
		{`{"address":"a","chain":"c","x":1,"x":2}`, "", "", "invalid_json", "duplicate_key"},
		{`{"address":"a","chain":"c","x":{"y":1,"\u0079":2}}`, "", "", "invalid_json", "duplicate_key"},
		{`{"address":"a","chain":"c","x":[{"":1,"":2}]}`, "", "", "invalid_json", "duplicate_key"},
		{`{"address":"a","chain":"c","1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":1}`, "a", "c", "", ""},
		{`{"address":"a","chain":"c","1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"9":0}`, "", "", "invalid_json", "duplicate_key"},
		{`{"address":"a","chain":"c","1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"1":0}`, "", "", "invalid_json", "duplicate_key"},
		{`{"address":"a","address":1}`, "", "", "invalid_json", "duplicate_key"},
		{`{"address":null,"address":"a","chain":"c"}`, "", "", "invalid_json", "duplicate_key"},
		{"", "", "", "invalid_json", "empty"},
		{" ", "", "", "invalid_json", "syntax"},
		{"{", "", "", "invalid_json", "syntax"},
		{`{"address"`, "", "", "invalid_json", "syntax"},
		{`{"address":`, "", "", "invalid_json", "syntax"},
		{`{address:"a"}`, "", "", "invalid_json", "syntax"},
		{`{'address':'a'}`, "", "", "invalid_json", "syntax"},
		{`{"address":"a" "chain":"c"}`, "", "", "invalid_json", "syntax"},
		{`{"address":"a";"chain":"c"}`, "", "", "invalid_json", "syntax"},
		{`{"address":"a","chain":"c"]`, "", "", "invalid_json", "syntax"},
		{"{\"address\":\"a\n\",\"chain\":\"c\"}", "", "", "invalid_json", "syntax"},
		{"{\"address\":\"a\x00\",\"chain\":\"c\"}", "", "", "invalid_json", "syntax"},
		{"{\"address\":\"a\",\"chain\":\"c\"}\x00", "", "", "invalid_json", "trailing_data"},
		{"{\"address\":\"a\",\"chain\":\"c\"}\f", "", "", "invalid_json", "trailing_data"},
		{`{"address":"a","chain":"c"}}`, "", "", "invalid_json", "trailing_data"},
		{`{"address":"\x","chain":"c"}`, "", "", "invalid_json", "syntax"},
		{`{"address":"\u00g0","chain":"c"}`, "", "", "invalid_json", "syntax"},
		{`{"address":"\u00`, "", "", "invalid_json", "syntax"},
		{`{"address":"\`, "", "", "invalid_json", "syntax"},
		{`{"address":"\udc00\ud800","chain":"c"}`, "", "", "invalid_json", "invalid_unicode"},
		{`{"address":"\ud800\u0041","chain":"c"}`, "", "", "invalid_json", "invalid_unicode"},
		{`{"x":"\\ufffd\ud800","address":"a","chain":"c"}`, "", "", "invalid_json", "invalid_unicode"},
		{`{"x":"\\\\\ud800\\ufffd","address":"a","chain":"c"}`, "", "", "invalid_json", "invalid_unicode"},
		{`{"x":"\\\ufffd\\ud800","address":"a","chain":"c"}`, "a", "c", "", ""},
		{`{"x":"\ud800","address":"a","chain":"c"}`, "", "", "invalid_json", "invalid_unicode"},
		{"{\"x\":\"\xff\",\"address\":\"a\",\"chain\":\"c\"}", "", "", "invalid_json", "invalid_unicode"},
		{`{"x":01}`, "", "", "invalid_json", "syntax"},
		{`{"x":1.}`, "", "", "invalid_json", "syntax"},
		{`{"x":.5}`, "", "", "invalid_json", "syntax"},
		{`{"x":-}`, "", "", "invalid_json", "syntax"},
		{`{"x":1e}`, "", "", "invalid_json", "syntax"},
		{`{"x":+1}`, "", "", "invalid_json", "syntax"},
		{`{"x":NaN}`, "", "", "invalid_json", "syntax"},
		{`{"x":tru}`, "", "", "invalid_json", "syntax"},
		{`{"x":nulL}`, "", "", "invalid_json", "syntax"},
		{`{"x":[1,]}`, "", "", "invalid_json", "syntax"},
		{`{"x":[,1]}`, "", "", "invalid_json", "syntax"},
		{`{,"x":1}`, "", "", "invalid_json", "syntax"},
		{`{"x":1}//`, "", "", "invalid_json", "trailing_data"},
		{`[1,2`, "", "", "invalid_json", "syntax"},
		{`[]`, "", "", "invalid_type", "array"},
		{`"{}"`, "", "", "invalid_type", "string"},
		{`-1`, "", "", "invalid_type", "number"},
		{`true`, "", "", "invalid_type", "boolean"},
		{` null `, "", "", "invalid_type", "null"},
		{`{"address":{},"chain":"c"}`, "", "", "invalid_type", "object"},
		{`{"address":"a","chain":false}`, "", "", "invalid_type", "boolean"},
		{`{"address":"a","receipt":true,"chain":"c"}`, "a", "c", "", ""},
		{`{"address":"a","chain":"c","receipt":null}`, "", "", "invalid_type", "null"},
		{`{"address":"a","chain":"c","receipt":"true"}`, "", "", "invalid_type", "string"},
		{`{"address":1}`, "", "", "missing_field", "absent"},
		{`{"x":{"address":"a","chain":"c"}}`, "", "", "missing_field", "absent"},
		{`{"address":"a","Chain":"c"}`, "", "", "missing_field", "absent"},
		{`{"address":"a","chain ":"c"}`, "", "", "missing_field", "absent"},
		{`{"addreſs":"a","chain":"c"}`, "", "", "missing_field", "absent"}, // encoding/json folds it
	} {
		a, c, code, reason := httpapi.ReadScreenRequest([]byte(tt.body))
		if a != tt.address || c != tt.chain || code != tt.code || reason != tt.reason {
			t.Errorf("%s:\n got %q %q %q %q\nwant %q %q %q %q", tt.body, a, c, code, reason, tt.address, tt.chain, tt.code, tt.reason)
		}
		if err := checkReading([]byte(tt.body)); err != nil {
			t.Errorf("%s: %v", tt.body, err)
		}
	}
}

// BenchmarkReadRequest measures reading the body of a request.
func BenchmarkReadRequest(b *testing.B) {
	body := []byte(`{"address":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf","chain":"ethereum"}`)
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			httpapi.ReadScreenRequest(body)
		}
	})
	b.Run("encodingjson", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var req struct {
				Address string `json:"address"`
				Chain   string `json:"chain"`
			}
			if err := json.Unmarshal(body, &req); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// checkReading compares the reading of a body with encoding/json.
func checkReading(body []byte) error {
	a, c, code, reason := httpapi.ReadScreenRequest(body)
	switch reason {
	case "syntax", "trailing_data", "empty":
		if json.Valid(body) {
			return fmt.Errorf("%s, though it is valid JSON", reason)
		}
		return nil
	case "invalid_unicode", "duplicate_key", "too_deep": // may be anything after that
		return nil
	}
	if !json.Valid(body) {
		return fmt.Errorf("%q, though it is not valid JSON", code)
	}
	fields, err := unmarshal(body)
	if err != nil || fields == nil {
		if code != "invalid_type" {
			return fmt.Errorf("%q, though it is not an object", code)
		}
		return nil
	}
	wantA, okA := fields["address"].(string)
	wantC, okC := fields["chain"].(string)
	wanted, has := fields["receipt"]
	_, okR := wanted.(bool)
	if (code == "") != (okA && okC && (okR || !has)) || code == "" && (a != wantA || c != wantC) {
		return fmt.Errorf("read %q %q %q, want %q %q", a, c, code, wantA, wantC)
	}
	return nil
}

// unmarshal decodes the object in body with encoding/json. Numbers stay text, because
// they may be out of range.
func unmarshal(body []byte) (fields map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	err = d.Decode(&fields)
	return fields, err
}

// TestProblemOf checks the problem of each error.
func TestProblemOf(t *testing.T) {
	parse := func(err error, other address.Chain) error {
		return fmt.Errorf("wrapped: %w", &address.ParseError{Chain: "ethereum", Offset: -1, Err: err, Other: other})
	}
	for _, tt := range []struct {
		err                               error
		status                            float64
		code, field, reason, chain, words string
	}{
		{parse(address.ErrSecret, ""), 400, "invalid_address", "address", "secret", "", "private key"},
		{parse(address.ErrOtherChain, "tron"), 400, "invalid_address", "address", "wrong_chain", "tron", "Not an address of ethereum but of tron."},
		{parse(address.ErrOtherChain, ""), 400, "invalid_address", "address", "wrong_chain", "", "but of another"},
		{parse(address.ErrChecksum, ""), 400, "invalid_address", "address", "bad_checksum", "", "checksum"},
		{parse(address.ErrNetwork, ""), 400, "invalid_address", "address", "wrong_network", "", "test network"},
		{parse(address.ErrLength, ""), 400, "invalid_address", "address", "bad_length", "", "wrong length"},
		{parse(address.ErrCharset, ""), 400, "invalid_address", "address", "bad_charset", "", "character"},
		{parse(address.ErrSyntax, ""), 400, "invalid_address", "address", "bad_format", "", "Not an address of ethereum."},
		{parse(errors.New("new"), ""), 400, "invalid_address", "address", "bad_format", "", "new"},
		{parse(address.ErrChain, ""), 400, "unsupported_chain", "chain", "unknown", "", `Chain "ethereum": unsupported chain`},
		{parse(address.ErrChain, "tron"), 400, "unsupported_chain", "chain", "ticker", "tron", "unsupported chain"},
		{errors.New("secret detail"), 500, "internal", "", "", "", "internal error"},
	} {
		p, _ := httpapi.ProblemOf(tt.err)
		str := func(k string) string { s, _ := p[k].(string); return s }
		if p["status"] != tt.status || str("code") != tt.code || str("field") != tt.field || str("reason") != tt.reason ||
			str("suggested_chain") != tt.chain || !strings.Contains(str("detail"), tt.words) {
			t.Errorf("%v:\n got %v\nwant %+v", tt.err, p, tt)
		}
		if text := fmt.Sprint(p); strings.Contains(text, "secret detail") {
			t.Errorf("%v: the problem repeats it: %s", tt.err, text)
		}
	}
}

// FuzzScreenBody checks that for any body the response is well-formed and not a 5xx,
// and is a 200 only if an independent reader finds a valid request in the body.
func FuzzScreenBody(f *testing.F) {
	for _, s := range []string{
		`{"address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}`,
		`{"address":" 5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320 ","chain":"MONERO"}`,
		`{"address":"12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h","chain":"bitcoin","x":[{"y":null},1.5e3,"\u00e9"]}`,
		`{"address":"TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre","chain":"ethereum"}`,
		`{"address":"5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF","chain":"bitcoin"}`,
		`{"address":"a","address":"b","chain":"eth"}`,
		`{"addre\u0073s":"\ud83d\ude00","chain":"\ud800"}`, "{\"chain\":\"a\x7f\",\"address\":\"\x80\"} ", `{"address":"a","chain":"b"},`,
		`[{"address":1,"chain":null}]`, `{"address":"0x`, "\xef\xbb\xbf{}", "null{}", "",
		`{"x":1e999,"address":"a","chain":"b"}`,
	} {
		f.Add([]byte(s))
	}
	h := httpapi.NewHandler(newLoadedScreener(f), testKeys(f), nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		if err := checkReading(body); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		r := httptest.NewRequest("POST", "/api/v1/screen", strings.NewReader(string(body)))
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if err := checkAnswer("POST", w); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var asked struct{ Address, Chain string }
		fields, _ := unmarshal(body)
		asked.Address, _ = fields["address"].(string)
		asked.Chain, _ = fields["chain"].(string)
		switch w.Code {
		case http.StatusOK:
			var got struct {
				Address, Chain, Level string
				Labels                []struct{ Match string }
				Doubts                []string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			chain, err := address.ParseChain(asked.Chain)
			wrong := slices.ContainsFunc(got.Doubts, func(d string) bool { return d == "wrong_chain" || d == "malformed" })
			if wrong && len(got.Labels) > 0 && err == nil { // it is listed on another chain, or there is more in the text
				return
			}
			if err != nil || got.Chain != asked.Chain {
				t.Fatalf("%q: 200 for the chain %q, as %q: %v", body, asked.Chain, got.Chain, err)
			}
			a, err := address.Normalize(chain, asked.Address)
			if err != nil && (len(got.Labels) == 0 || got.Labels[0].Match != "literal") {
				t.Fatalf("%q: 200 for what is neither an address nor listed: %s", body, w.Body)
			}
			if err == nil && got.Address != a.Normalized() {
				t.Fatalf("%q: answer for %q, want %q", body, got.Address, a.Normalized())
			}
			if (got.Level == "CLEAN_NO_MATCH") != (len(got.Labels) == 0) {
				t.Fatalf("%q: %s", body, w.Body)
			}
		case http.StatusBadRequest:
			var p struct{ Detail, Reason string }
			json.Unmarshal(w.Body.Bytes(), &p)
			if p.Reason == "secret" && len(asked.Address) > 8 && strings.Contains(w.Body.String(), asked.Address) {
				t.Fatalf("%q: a secret is repeated: %s", body, w.Body)
			}
		case http.StatusRequestEntityTooLarge:
			if len(body) <= 16<<10 {
				t.Fatalf("%d bytes are too many", len(body))
			}
		default:
			t.Fatalf("%q: status %d: %s", body, w.Code, w.Body)
		}
	})
}

// TestProblemsAreDescribed checks that problems.md describes exactly the codes.
func TestProblemsAreDescribed(t *testing.T) {
	want := httpapi.Codes()
	slices.Sort(want)
	var got []string
	for line := range strings.Lines(readFile(t, "problems.md")) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			got = append(got, strings.TrimSpace(heading))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("problems.md describes\n%q, want\n%q", got, want)
	}
}
