package contract_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/score"
)

// httpapiDir is outside this module, so go test does not notice changes of its files.
// Use -count=1.
const httpapiDir = "../../httpapi/"

// load returns the served document. It fails the test if the document or one of its
// examples is not valid.
func load(t *testing.T) *openapi3.T {
	t.Helper()
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.FileBodyDecoder) // unknown to the validator
	w := httptest.NewRecorder()
	httpapi.NewHandler(nil, nil, nil).ServeHTTP(w, httptest.NewRequest("GET", "/openapi.yaml", nil))
	doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()); err != nil {
		t.Fatal(err)
	}
	return doc
}

// An exchange is a request and its response, in the form of a file in httpapi's
// testdata/exchanges.
type exchange struct {
	name         string
	request      *http.Request
	body         []byte // of the request
	answer       *http.Response
	answerBody   []byte
	answerFields map[string]any // of an object
}

func readExchanges(t *testing.T) map[string]*exchange {
	t.Helper()
	names, err := filepath.Glob(httpapiDir + "testdata/exchanges/*.txt")
	if err != nil || len(names) < 50 {
		t.Fatalf("%d exchanges: %v", len(names), err)
	}
	all := map[string]*exchange{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		x := &exchange{name: strings.TrimSuffix(filepath.Base(name), ".txt")}
		_, rest, _ := strings.Cut(string(text), "-- request --\n")
		request, answer, ok := strings.Cut(rest, "-- response --\n")
		if !ok {
			t.Fatalf("%s: no exchange", name)
		}
		head, body, _ := strings.Cut(request, "\n\n")
		x.body = []byte(strings.TrimSuffix(body, "\n"))
		head = strings.ReplaceAll(strings.TrimSuffix(head, "\n"), "\n", "\r\n")
		if x.request, err = http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\r\n\r\n"))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		head, body, _ = strings.Cut(answer, "\n\n")
		x.answerBody = []byte(body)
		if x.answer, err = http.ReadResponse(bufio.NewReader(strings.NewReader(strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n")), x.request); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.HasPrefix(body, "{") {
			if err := json.Unmarshal(x.answerBody, &x.answerFields); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		all[x.name] = x
	}
	return all
}

// code returns the code of the problem in the response, or "".
func (x *exchange) code() string {
	code, _ := x.answerFields["code"].(string)
	return code
}

// route returns the parts of the document about the path of a request, found by its
// suffix, and about its method. The operation is nil if the document has none.
func route(doc *openapi3.T, r *http.Request) *routers.Route {
	for path, item := range doc.Paths.Map() {
		if strings.HasSuffix(r.URL.Path, path) {
			return &routers.Route{Spec: doc, Path: path, PathItem: item, Method: r.Method, Operation: item.GetOperation(r.Method)}
		}
	}
	return nil
}

// checkRequest returns an error if the document does not allow the request.
func checkRequest(ctx context.Context, to *routers.Route, x *exchange) error {
	r := x.request.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(x.body))
	r.ContentLength = int64(len(x.body))
	return openapi3filter.ValidateRequest(ctx, &openapi3filter.RequestValidationInput{
		Request: r, Route: to, Options: &openapi3filter.Options{
			RejectWhenRequestBodyNotSpecified: true,
			AuthenticationFunc: func(_ context.Context, in *openapi3filter.AuthenticationInput) error {
				scheme := in.SecurityScheme
				if scheme.Type != "http" || scheme.Scheme != "bearer" {
					return fmt.Errorf("unknown security scheme %s", in.SecuritySchemeName)
				}
				name, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
				if !strings.EqualFold(name, "Bearer") || token == "" {
					return fmt.Errorf("no bearer token")
				}
				return nil
			},
		},
	})
}

// checkAnswer returns an error if the document does not allow the response: its status,
// each of its headers, its content type, or its body.
func checkAnswer(ctx context.Context, to *routers.Route, r *http.Request, status int, header http.Header, body []byte) error {
	ref := to.Operation.Responses.Status(status)
	if ref == nil {
		return fmt.Errorf("status %d is not in the document", status)
	}
	headers, content := ref.Value.Headers, ref.Value.Content
	for name := range header {
		_, known := headers[name]
		for documented := range headers {
			known = known || strings.EqualFold(documented, name)
		}
		if !known && name != "Content-Type" && name != "Content-Length" {
			return fmt.Errorf("header %s of status %d is not in the document", name, status)
		}
	}
	for name, h := range headers {
		if h.Value.Required && header.Get(name) == "" {
			return fmt.Errorf("header %s of status %d is missing", name, status)
		}
	}
	bodiless := r.Method == http.MethodHead || len(content) == 0
	if bodiless && len(body) > 0 {
		return fmt.Errorf("status %d has a body that is not in the document", status)
	}
	r = r.Clone(ctx)
	if r.Method == http.MethodHead {
		r.Method = http.MethodGet // for it checks nothing of an answer to HEAD, not even the headers
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: to},
		Status:                 status, Header: header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: bodiless},
	}
	in.SetBodyBytes(body)
	return openapi3filter.ValidateResponse(ctx, in)
}

// unseen are the codes of problems that no schema can detect in the request alone: they
// depend on the key, the chains, the lists, or the limits of the server.
var unseen = []string{
	"credentials_in_query", "invalid_token", "insufficient_scope", "keys_unavailable",
	"rate_limited", "quota_exceeded", "quota_unavailable", "changes_unavailable", "idempotency_key_reused",
	"invalid_address", "unsupported_chain", "receipt_unavailable", "past_unavailable", "precondition_failed", "body_too_large", "sources_unavailable",
	"sources_stale",
}

// TestExchanges checks every exchange against the document: the response, and the
// request too if it was answered with 200.
func TestExchanges(t *testing.T) {
	doc := load(t)
	for name, x := range readExchanges(t) {
		to := route(doc, x.request)
		switch {
		case to == nil:
			if x.code() != "not_found" {
				t.Errorf("%s: the path is not in the document", name)
			}
			to = &routers.Route{Spec: doc, Operation: doc.Paths.Value("/api/v1/screen").Post}
		case to.Operation == nil:
			if x.answer.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s: the method is not in the document", name)
			}
			for _, op := range to.PathItem.Operations() {
				if op.Responses.Status(405) != nil {
					to.Operation = op
				}
			}
		default:
			err := checkRequest(t.Context(), to, x)
			if err != nil && x.answer.StatusCode < 400 {
				t.Errorf("%s: the request: %v", name, err)
			}
			if err == nil && x.answer.StatusCode >= 400 && !slices.Contains(unseen, x.code()) && !lax(x) {
				t.Errorf("%s: the document allows the request, which was answered with %d %s", name, x.answer.StatusCode, x.code())
			}
		}
		if err := checkAnswer(t.Context(), to, x.request, x.answer.StatusCode, x.answer.Header, x.answerBody); err != nil {
			t.Errorf("%s: the answer: %v", name, err)
			continue
		}
		for _, content := range to.Operation.Responses.Status(x.answer.StatusCode).Value.Content {
			var body any
			if len(x.answerBody) > 0 {
				if err := json.Unmarshal(x.answerBody, &body); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if more := undocumented(content.Schema.Value, body); len(more) > 0 {
				t.Errorf("%s: the answer has members that are not in the document: %q", name, more)
			}
		}
	}
}

// undocumented returns the members of value, at any depth, that s does not name, even
// if s allows them.
func undocumented(s *openapi3.Schema, value any) (names []string) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			names = append(names, undocumented(s.Items.Value, item)...)
		}
	case map[string]any:
		if more := s.AdditionalProperties.Schema; more != nil {
			for _, member := range value {
				names = append(names, undocumented(more.Value, member)...)
			}
			return names
		}
		known := properties(s)
		for name, member := range value {
			if p := known[name]; p != nil {
				names = append(names, undocumented(p, member)...)
			} else {
				names = append(names, name)
			}
		}
	}
	return names
}

// properties returns the properties of s and of the schemas that it is composed of.
func properties(s *openapi3.Schema) map[string]*openapi3.Schema {
	all := map[string]*openapi3.Schema{}
	for _, part := range append(slices.Clone(s.AllOf), s.OneOf...) {
		maps.Copy(all, properties(part.Value))
	}
	for name, p := range s.Properties { // what it says itself counts
		all[name] = p.Value
	}
	return all
}

// lax reports whether the server refuses x for a fault that checkRequest cannot see:
// a list that does not exist, faults that encoding/json accepts, the values of Content-Type and Content-Encoding,
// and repeated headers.
func lax(x *exchange) bool {
	switch x.answerFields["reason"] {
	case "duplicate_key", "invalid_unicode", "too_deep", "trailing_data":
		return true
	}
	return x.code() == "unsupported_media_type" || x.answerFields["field"] == "source" || len(x.request.Header["Idempotency-Key"]) > 1
}

// TestDocuments checks the responses that are too large for an exchange against the
// document.
func TestDocuments(t *testing.T) {
	doc := load(t)
	h := httpapi.NewHandler(nil, nil, nil)
	for _, path := range []string{"/openapi.yaml"} {
		etag := ""
		for _, tt := range []struct {
			method, ifNoneMatch string
			status              int
		}{{"GET", "no", 200}, {"HEAD", "no", 200}, {"GET", "yes", 304}, {"HEAD", "yes", 304}} {
			r, w := httptest.NewRequest(tt.method, path, nil), httptest.NewRecorder()
			if tt.ifNoneMatch == "yes" {
				r.Header.Set("If-None-Match", etag)
			}
			h.ServeHTTP(w, r)
			etag = w.Header().Get("ETag")
			if w.Code != tt.status {
				t.Errorf("%s %s: status %d, want %d", tt.method, path, w.Code, tt.status)
			}
			if err := checkAnswer(t.Context(), route(doc, r), r, w.Code, w.Header(), w.Body.Bytes()); err != nil {
				t.Errorf("%s %s: %v", tt.method, path, err)
			}
			if tt.method != "GET" || tt.status != 200 {
				continue
			}
			// The validator does not read YAML, so it gets the text.
			to := route(doc, r).Operation.Responses.Status(200).Value.Content.Get(w.Header().Get("Content-Type"))
			if to.Schema.Value.VisitJSON("the text") != nil {
				t.Errorf("%s: the document does not allow a text", path)
			}
		}
	}
}

// TestWrongAnswers checks that the document does not allow wrong responses.
func TestWrongAnswers(t *testing.T) {
	doc := load(t)
	all := readExchanges(t)
	for _, tt := range []struct {
		name, exchange string
		status         int // 0 for the status of the exchange
		from, to       string
	}{
		{"score above 100", "screen_exact", 0, `"score":100`, `"score":101`},
		{"score below 0", "screen_clean", 0, `"score":0`, `"score":-1`},
		{"a fraction", "screen_exact", 0, `"score":100`, `"score":99.5`},
		{"score as a string", "screen_exact", 0, `"score":100`, `"score":"100"`},
		{"LOW", "screen_medium", 0, `"score":50,"level":"MEDIUM"`, `"score":20,"level":"LOW"`},
		{"clean with a score", "screen_clean", 0, `"score":0`, `"score":50`},
		{"clean with labels", "screen_exact", 0, `"score":100,"level":"CRITICAL"`, `"score":0,"level":"CLEAN_NO_MATCH"`},
		{"critical without labels", "screen_clean", 0, `"score":0,"level":"CLEAN_NO_MATCH"`, `"score":100,"level":"CRITICAL"`},
		{"labels null", "screen_clean", 0, `"labels":[]`, `"labels":null`},
		{"no labels", "screen_clean", 0, `"labels":[],`, ``},
		{"no disclaimer", "screen_clean", 0, `,"_disclaimer":"`, `,"disclaimer":"`},
		{"no freshness", "screen_clean", 0, `"data_freshness"`, `"freshness"`},
		{"an unknown label", "screen_exact", 0, `"SANCTIONED"`, `"BAD"`},
		{"a label without a source", "screen_exact", 0, `"source":"OFAC_SDN",`, ``},
		{"a label without a date", "screen_exact", 0, `"2019-09-13T00:00:00Z"`, `null`},
		{"local time", "screen_exact", 0, `"2019-09-13T00:00:00Z"`, `"2019-09-13T00:00:00+02:00"`},
		{"no time", "screen_exact", 0, `"2019-09-13T00:00:00Z"`, `"2019-09-13"`},
		{"unknown match", "screen_key", 0, `"match":"key"`, `"match":"near"`},
		{"a match without the listed address", "screen_key", 0, `"listed_address"`, `"address"`},
		{"half a freshness", "screen_clean", 0, `"age_seconds":3601`, `"age_seconds":null`},
		{"negative age", "screen_clean", 0, `"age_seconds":3601`, `"age_seconds":-1`},
		{"version", "screen_clean", 0, `"v1.2"`, `"1.1"`},
		{"status of no answer", "screen_clean", 202, ``, ``},
		{"result as a problem", "screen_clean", 400, ``, ``},
		{"an object for the sources", "sources", 0, `[{`, `{"sources":[{`},
		{"jurisdiction", "sources", 0, `"jurisdiction":"US"`, `"jurisdiction":"us"`},
		{"source id", "sources", 0, `"OFAC_SDN"`, `"ofac"`},
		{"a number of addresses that is none", "sources", 0, `"address_count":5`, `"address_count":null`},
		{"unknown code", "invalid_json_syntax", 0, `"code":"invalid_json"`, `"code":"bad_json"`},
		{"unknown reason", "invalid_json_syntax", 0, `"reason":"syntax"`, `"reason":"other"`},
		{"code of another status", "invalid_json_syntax", 0, `"code":"invalid_json"`, `"code":"not_found"`},
		{"type of another code", "invalid_json_syntax", 0, `#invalid_json"`, `#invalid_type"`},
		{"status of another answer", "invalid_json_syntax", 0, `"status":400`, `"status":500`},
		{"no request id", "invalid_json_syntax", 0, `"request_id"`, `"id"`},
		{"no field", "missing_field_address", 0, `"field"`, `"member"`},
		{"no reason", "invalid_address_checksum", 0, `"reason"`, `"why"`},
	} {
		x := all[tt.exchange]
		to := route(doc, x.request)
		status, body := x.answer.StatusCode, strings.Replace(string(x.answerBody), tt.from, tt.to, 1)
		if tt.status != 0 {
			status = tt.status
		} else if body == string(x.answerBody) {
			t.Errorf("%s: %q is not in the answer", tt.name, tt.from)
		}
		if err := checkAnswer(t.Context(), to, x.request, status, x.answer.Header, []byte(body)); err == nil {
			t.Errorf("%s: the document has it: %s", tt.name, body)
		}
	}

	x := all["missing_credentials"]
	for name, change := range map[string]func(http.Header){
		"missing header":      func(h http.Header) { h.Del("WWW-Authenticate") },
		"undocumented header": func(h http.Header) { h.Set("Set-Cookie", "id=1") },
		"wrong challenge":     func(h http.Header) { h.Set("WWW-Authenticate", "Basic") },
		"cacheable":           func(h http.Header) { h.Set("Cache-Control", "public") },
		"content type":        func(h http.Header) { h.Set("Content-Type", "application/json") },
	} {
		header := x.answer.Header.Clone()
		change(header)
		if err := checkAnswer(t.Context(), route(doc, x.request), x.request, x.answer.StatusCode, header, x.answerBody); err == nil {
			t.Errorf("%s: the document has it", name)
		}
	}
}

// TestScores checks that the document allows exactly the pairs of score and level that
// follow from the table of scores, and that it states the points of the table.
func TestScores(t *testing.T) {
	doc, table := load(t), score.Latest()
	result := doc.Components.Schemas["Result"].Value
	clean := readExchanges(t)["screen_clean"].answerFields
	listed := readExchanges(t)["screen_exact"].answerFields
	possible := map[int]bool{0: true}
	for _, kind := range kinds {
		for m := score.Exact; m <= score.Literal; m++ {
			if points, ok := table.Points(kind, m); ok {
				possible[points] = true
			}
		}
	}
	for points := range 101 {
		for _, level := range []score.Level{score.CleanNoMatch, score.Low, score.Medium, score.High, score.Critical} {
			value := maps.Clone(listed)
			if points == 0 {
				value = maps.Clone(clean)
			}
			value["score"], value["level"] = float64(points), string(level)
			err := result.VisitJSON(value, openapi3.EnableJSONSchema2020())
			want := level == table.Level(points) && level != score.Low
			if (err == nil) != want {
				t.Errorf("score %d, level %s: %v", points, level, err)
			}
			if want && points == 0 || possible[points] && level == table.Level(points) {
				if err != nil {
					t.Errorf("score %d, level %s can be answered: %v", points, level, err)
				}
			}
		}
	}

	documented := map[string]string{}
	for _, s := range doc.Components.Schemas["LabelKind"].Value.OneOf {
		documented[s.Value.Const.(string)] = s.Value.Description
	}
	if len(documented) != len(kinds) {
		t.Errorf("%d kinds are documented, want %d", len(documented), len(kinds))
	}
	for _, kind := range kinds {
		points, _ := table.Points(kind, score.Exact)
		byKey, _ := table.Points(kind, score.Key)
		if want := fmt.Sprintf(" %d (%d).", points, byKey); !strings.HasSuffix(documented[string(kind)], want) {
			t.Errorf("%s: want%s at the end of %q", kind, want, documented[string(kind)])
		}
	}
	if text := doc.Components.Schemas["LabelKind"].Value.Description; !strings.Contains(text, " "+table.Version()+".") {
		t.Errorf("the points are those of %s: %s", table.Version(), text)
	}
}

var kinds = []score.Kind{
	score.Sanctioned, score.TerroristFinancing, score.Seized, score.Ransomware, score.StolenFunds,
	score.Phishing, score.Scam, score.Mixer, score.CommunityReport, score.Blocked,
}

// TestFields checks that the document has every field of the published API, as required
// and with its type.
func TestFields(t *testing.T) {
	doc := load(t)
	for name, want := range map[string]string{
		"Source": `id string; name string; jurisdiction string; last_updated string null; address_count number;
			published_at string null; partial boolean; completeness; required boolean`,

		"ScreenRequest": `address string; chain string`,

		"Result": `address string; chain string; score number; level string; labels array; doubts array; caveats array; all_clear boolean; data_freshness object;
			scoring_version string; snapshot string; screened_at string; _disclaimer string`,

		"Label": `label string; source string; source_ref string; added_at string; match string; listed_address string`,

		// The fields that may be null are null for a source that was never loaded.
		"Freshness": `last_updated string null; age_seconds number null;
			published_at string null; partial boolean; completeness; required boolean`,
	} {
		s := doc.Components.Schemas[name].Value
		fields := strings.Split(want, ";")
		for _, field := range fields {
			words := strings.Fields(field)
			p := s.Properties[words[0]]
			if p == nil || !slices.Contains(s.Required, words[0]) {
				t.Errorf("%s: no required %s", name, words[0])
				continue
			}
			types := p.Value.Type.Slice()
			for i, typ := range types {
				if typ == "integer" {
					types[i] = "number"
				}
			}
			slices.Sort(types)
			if want := slices.Sorted(slices.Values(words[1:])); !slices.Equal(types, want) {
				t.Errorf("%s: %s is of type %v, want %v", name, words[0], types, want)
			}
			if p.Value.Description == "" {
				t.Errorf("%s: %s is not described", name, words[0])
			}
		}
		if len(s.Required) != len(fields) {
			t.Errorf("%s: %v are required, want %d", name, s.Required, len(fields))
		}
	}
	if got := doc.Components.Schemas["Source"].Value.Properties["jurisdiction"].Value.Enum; !reflect.DeepEqual(got, []any{"US", "EU", "UK", "Community"}) {
		t.Errorf("jurisdictions: %v", got)
	}
	if got := constants(doc.Components.Schemas["Level"]); !slices.Equal(got, []string{"CLEAN_NO_MATCH", "MEDIUM", "HIGH", "CRITICAL"}) {
		t.Errorf("levels: %v", got)
	}
}

// constants returns the values that a schema allows.
func constants(ref *openapi3.SchemaRef) (values []string) {
	s := ref.Value
	if v, ok := s.Const.(string); ok {
		values = append(values, v)
	}
	for _, v := range s.Enum {
		values = append(values, v.(string))
	}
	for _, one := range s.OneOf {
		values = append(values, one.Value.Const.(string))
	}
	return values
}

// TestChains checks that the document lists every chain.
func TestChains(t *testing.T) {
	var want []any
	for _, c := range address.Chains() {
		want = append(want, string(c))
	}
	if got := load(t).Components.Schemas["ChainSlug"].Value.Extensions["x-extensible-enum"]; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestProblems checks that the document and problems.md have the same codes, with the
// same status, reasons and meanings, and that each code appears in a response with its
// status.
func TestProblems(t *testing.T) {
	doc := load(t)
	text, err := os.ReadFile(httpapiDir + "problems.md")
	if err != nil {
		t.Fatal(err)
	}
	type problem struct {
		status  string
		reasons map[string]string // reason to meaning; "" if the text does not explain it
	}
	want := map[string]problem{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		code, rest, _ := strings.Cut(section, "\n")
		p := problem{status: rest[:3], reasons: map[string]string{}}
		for _, row := range regexp.MustCompile("(?m)^\\| `(.*)` \\| (.*) \\|$").FindAllStringSubmatch(rest, -1) {
			p.reasons[row[1]] = row[2]
		}
		for _, is := range regexp.MustCompile("(?s)`reason` is (.*?)(\\.\n|; otherwise it is (`[a-z]+`))").FindAllStringSubmatch(rest, -1) {
			for _, word := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(is[1]+is[3], -1) {
				p.reasons[word[1]] = ""
			}
		}
		want[code] = p
	}
	got := map[string]problem{}
	for name, ref := range doc.Components.Schemas {
		s := ref.Value
		if s.Properties["code"] == nil || s.Properties["code"].Value.Const == nil {
			continue
		}
		code := s.Properties["code"].Value.Const.(string)
		status := fmt.Sprint(s.Properties["status"].Value.Const)
		p := problem{status: status, reasons: map[string]string{}}
		if reason := s.Properties["reason"]; reason != nil {
			for _, v := range constants(reason) {
				p.reasons[v] = ""
			}
			for _, one := range reason.Value.OneOf {
				p.reasons[one.Value.Const.(string)] = one.Value.Description
			}
		}
		got[code] = p
		answered := false
		for _, ref := range doc.Components.Responses {
			answered = answered || strings.Contains(schemaNames(ref.Value), " "+name+" ")
		}
		if !answered {
			t.Errorf("%s is in no answer", code)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(want)) {
		w, g := want[code], got[code]
		if w.status != g.status || !slices.Equal(slices.Sorted(maps.Keys(w.reasons)), slices.Sorted(maps.Keys(g.reasons))) {
			t.Errorf("%s: the document has %+v, problems.md %+v", code, g, w)
			continue
		}
		for reason, meaning := range w.reasons {
			if meaning != "" && g.reasons[reason] != meaning {
				t.Errorf("%s: %s means %q in the document, %q in problems.md", code, reason, g.reasons[reason], meaning)
			}
		}
	}
	for code := range got {
		if _, ok := want[code]; !ok {
			t.Errorf("%s is not in problems.md", code)
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status, ref := range op.Responses.Map() {
				for name := range strings.FieldsSeq(schemaNames(ref.Value)) {
					s := doc.Components.Schemas[name].Value
					if p := s.Properties["status"]; p != nil && fmt.Sprint(p.Value.Const) != status {
						t.Errorf("%s %s: %s is under %s", method, path, name, status)
					}
				}
			}
		}
	}
}

// schemaNames returns the names of the problems that a response may contain, separated
// by blanks.
func schemaNames(r *openapi3.Response) string {
	content := r.Content["application/problem+json"]
	if content == nil {
		return " "
	}
	names := " "
	for _, ref := range append(openapi3.SchemaRefs{content.Schema}, content.Schema.Value.OneOf...) {
		if i := strings.LastIndexByte(ref.Ref, '/'); i >= 0 {
			names += ref.Ref[i+1:] + " "
		}
	}
	return names
}

// TestExamples checks that each example is part of the exchange with its name.
func TestExamples(t *testing.T) {
	exchanges := readExchanges(t)
	shown := map[string]bool{}
	for name, ref := range load(t).Components.Examples {
		exchangeName, isRequest := strings.CutSuffix(name, "_request")
		x := exchanges[exchangeName]
		if x == nil {
			t.Errorf("%s: no such exchange", name)
			continue
		}
		body := x.answerBody
		if isRequest {
			body = x.body
		}
		var want any
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := json.Marshal(ref.Value.Value)
		if err != nil {
			t.Fatal(err)
		}
		wantText, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, wantText) {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, wantText)
		}
		shown[strconv.Itoa(x.answer.StatusCode)+" "+x.code()] = true
	}
	for _, x := range exchanges {
		if key := strconv.Itoa(x.answer.StatusCode) + " " + x.code(); len(x.answerBody) > 0 && !shown[key] {
			t.Errorf("no example of %s", key)
		}
	}
}
