package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/own"
)

// A saying is what a surface says about a text, in the words of [screening.Screener.ScreenInput].
type saying struct {
	account string // canonical, or "" if the text means none
	refs    string // of the entries that list it
	doubts  string
	wrong   string // why it is undecided: a reason of the HTTP API, or ""
}

func (s saying) String() string {
	return fmt.Sprintf("account %q, listed %q, doubts %q, wrong %q", s.account, s.refs, s.doubts, s.wrong)
}

// A matrix asks several surfaces for the same texts.
type matrix struct {
	*testing.T
	screener *screening.Screener
	env      []string // of the program
	texts    []vectors.Text
	want     []saying
	errs     []error
	failed   map[string]int
}

// newMatrix makes a list with every other account, and the answers of ScreenInput.
func newMatrix(t *testing.T) *matrix {
	m := &matrix{T: t, failed: make(map[string]int)}
	for i, q := range vectors.Texts(t, "../..", 1) {
		if i%longtest.N(53, 11) == 0 { // so that each form occurs with some chains
			m.texts = append(m.texts, q)
		}
	}
	var list strings.Builder
	list.WriteString("chain,address,reference\n")
	n, last := 0, address.Address{}
	for _, q := range m.texts {
		if q.Of != last && q.Of.IsValid() {
			if n++; n%2 == 0 {
				fmt.Fprintf(&list, "%s,%s,r%d\n", q.Of.Chain(), q.Of.Normalized(), n)
			}
			last = q.Of
		}
	}
	file := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(file, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	m.env = []string{"WALLETSCREEN_LISTS=FBI_IC3", "WALLETSCREEN_REQUIRE=FBI_IC3", "WALLETSCREEN_LIST=OWN=" + file}
	var err error
	if m.screener, err = screening.New([]sources.Source{bundle.FBI(), own.File("OWN", file)}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := m.screener.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, q := range m.texts {
		r, _, err := m.screener.ScreenInput(q.Chain, q.Text)
		m.want, m.errs = append(m.want, sayingOf(r, err)), append(m.errs, err)
	}
	return m
}

// sayingOf returns what a result and its error say.
func sayingOf(r screening.Result, err error) saying {
	s := saying{doubts: joinDoubts(r.Doubts), wrong: reasonOf(err)}
	if r.Address.IsValid() && (err == nil || len(r.Labels) > 0) {
		s.account = r.Address.Canonical().String()
	}
	for _, l := range r.Labels {
		s.refs += l.Ref + " "
	}
	return s
}

// reasonOf returns the reason of err in the HTTP API.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	if errors.Is(err, address.ErrSeveral) {
		return "several_accounts"
	}
	return validation{}.fail(err).Reason
}

// check compares what a surface says about text i.
func (m *matrix) check(surface string, i int, got, want saying) {
	m.Helper()
	if got == want {
		return
	}
	if m.failed[surface]++; m.failed[surface] <= 40 {
		q := m.texts[i]
		m.Errorf("%s, %s, chain %q, %.120q:\n got %v\nwant %v", surface, q.Form, q.Chain, q.Text, got, want)
	}
}

// post posts a question to the HTTP API in-process.
func post(t *testing.T, h http.Handler, path string, body, answer any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/api/v1/"+path, bytes.NewReader(text))
	r.Header.Set("Authorization", "Bearer "+matrixKey)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), answer); err != nil {
		t.Fatalf("%s: %s", w.Body, err)
	}
}

const matrixKey = "wsk_only-for-this-test-0123456789abcdef"

// A wireSaying is an answer of the HTTP API or of the program in JSON.
type wireSaying struct {
	Chain, Address, Canonical, Level string
	Labels                           []struct {
		Ref string `json:"source_ref"`
	}
	Addresses []struct {
		Chain      string
		Normalized string
	}
	Doubts   []address.Doubt
	Valid    *bool
	AllClear *bool `json:"all_clear"`
	Code     string
	Reason   string
	Error    string
}

// A row is one of a table of the program.
type row struct {
	Level, Doubt, Reason, Error string

	Ref        string `json:"source_ref"`
	Normalized string
	Detected   string `json:"chain_detected"`
}

// lines runs the program, and returns the JSON of each line that it prints.
func lines[T any](m *matrix, stdin string, args ...string) (all []T) {
	m.Helper()
	_, stdout, stderr := callIn(m.T, m.env, stdin, args...)
	for line := range strings.Lines(stdout) {
		var one T
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			m.Fatalf("%s: %v: %s%s", args, err, line, stderr)
		}
		all = append(all, one)
	}
	return all
}

// saying returns what the answer says.
func (w *wireSaying) saying(t *testing.T) saying {
	t.Helper()
	s := saying{doubts: joinDoubts(w.Doubts), wrong: w.Reason}
	if w.Code == "unsupported_chain" {
		s.wrong = w.Code
	}
	if w.Address != "" {
		chain, err := address.ParseChain(w.Chain)
		a, err2 := address.Parse(chain, w.Address)
		if err := errors.Join(err, err2); err != nil {
			t.Fatalf("the answer has %s %q: %v", w.Chain, w.Address, err)
		}
		s.account = a.Canonical().String()
	}
	for _, l := range w.Labels {
		s.refs += l.Ref + " "
	}
	return s
}

// TestMatrix asks every surface of the library, the HTTP API and the program for the same
// texts, and wants one account and one doubt from all.
func TestMatrix(t *testing.T) {
	longtest.WithoutRace(t)
	t.Parallel()
	m := newMatrix(t)
	t.Logf("%d texts", len(m.texts))
	keys, err := access.Fixed(map[string]string{"matrix": matrixKey})
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.NewHandler(m.screener, keys, nil)
	m.functions()
	m.http(h)
	m.program()
	for surface, n := range m.failed {
		t.Errorf("%s: %d of %d texts", surface, n, len(m.texts))
	}
}

// functions asks Parse, Normalize, ScreenText and FindAll.
func (m *matrix) functions() {
	for i, q := range m.texts {
		rd := address.Interpret(q.Chain, q.Text)
		c := address.Chain(q.Chain)
		if q.Chain == "" {
			for _, f := range address.FindAll(q.Text) {
				if r, err := m.screener.Screen(f.Address); m.want[i].isClean() && len(r.Labels) > 0 {
					m.check("FindAll", i, m.want[i], sayingOf(r, err))
				}
			}
			continue
		}
		if slug, err := address.ParseChain(q.Chain); err != nil || slug != c {
			continue // these take slugs alone
		}
		r, err := m.screener.ScreenText(c, q.Text)
		m.check("ScreenText", i, sayingOf(r, err), m.want[i])
		if a, err := address.Parse(c, q.Text); err == nil {
			m.check("Parse", i, saying{account: a.Canonical().String()}, readingOf(rd, address.DoubtShort, address.DoubtUnscreenable))
		}
		if a, err := address.Normalize(c, q.Text); err == nil {
			m.check("Normalize", i, saying{account: a.Canonical().String()}, readingOf(rd, rd.Doubts...))
		}
	}
}

// isClean reports whether nothing is found and nothing is in doubt.
func (s saying) isClean() bool { return s.refs == "" && s.doubts == "" && s.wrong == "" }

// readingOf returns what a reading says about the account, without these doubts.
func readingOf(rd address.Reading, without ...address.Doubt) (s saying) {
	s.wrong = reasonOf(rd.Err)
	if rd.Several && rd.Err == nil {
		s.wrong = "several_accounts"
	}
	if len(rd.Addresses) > 0 && s.wrong == "" {
		s.account = rd.Addresses[0].Canonical().String()
	}
	for _, d := range rd.Doubts {
		if !strings.Contains(fmt.Sprint(without), string(d)) {
			s.doubts = strings.TrimSpace(s.doubts + " " + string(d))
		}
	}
	return s
}

// http asks /screen, /screen/batch and /validate.
func (m *matrix) http(h http.Handler) {
	type item struct {
		Address string `json:"address"`
		Chain   string `json:"chain,omitempty"`
	}
	var items []item
	first := 0
	flush := func() {
		var answer struct{ Results []wireSaying }
		post(m.T, h, "screen/batch", map[string]any{"items": items}, &answer)
		for j := range answer.Results {
			want := m.onWire(first + j)
			if w := m.want[first+j]; w.refs != "" { // listed, whatever is wrong
				want = saying{account: w.account, refs: w.refs, doubts: w.doubts}
			}
			m.check("/screen/batch", first+j, answer.Results[j].saying(m.T), want)
		}
		first, items = first+len(items), nil
	}
	for i, q := range m.texts {
		if items = append(items, item{q.Text, q.Chain}); len(items) == 50 || i == len(m.texts)-1 {
			flush()
		}
		var v wireSaying
		post(m.T, h, "validate", item{q.Text, q.Chain}, &v)
		if v.Valid == nil || *v.Valid != (v.Reason == "") {
			m.Fatalf("%q: %+v", q.Text, v)
		}
		m.check("/validate", i, v.saying(m.T), readingOf(address.Interpret(q.Chain, q.Text)))
		if q.Chain != "" {
			var s wireSaying
			post(m.T, h, "screen", item{q.Text, q.Chain}, &s)
			m.check("/screen", i, s.saying(m.T), m.onWire(i))
		}
	}
}

// onWire returns what the HTTP API has to say about text i: it refuses invalid text, unless
// something in it is listed.
func (m *matrix) onWire(i int) saying {
	w := m.want[i]
	if w.wrong != "" && w.refs == "" {
		return saying{wrong: w.wrong}
	}
	w.wrong = ""
	return w
}

// program asks the commands screen and validate for arguments and for a table, and
// extract.
func (m *matrix) program() {
	var table bytes.Buffer
	enc := json.NewEncoder(&table)
	var single []int // texts without a chain, of one payee
	screen, validate := []string{"screen", "-json", "--"}, []string{"validate", "-json", "--"}
	for i, q := range m.texts {
		enc.Encode(map[string]string{"chain": q.Chain, "address": q.Text})
		if q.Chain == "" && !address.Interpret("", q.Text).Several {
			single = append(single, i)
			screen, validate = append(screen, q.Text), append(validate, q.Text)
		}
	}
	screened, validated := lines[wireSaying](m, "", screen...), lines[wireSaying](m, "", validate...)
	if len(screened) != len(single) || len(validated) != len(single) {
		m.Fatalf("%d and %d answers about %d texts", len(screened), len(validated), len(single))
	}
	for j, i := range single {
		m.check("screen", i, m.said(i, screened[j].saying(m.T), screened[j].Error), m.want[i])
		v := &validated[j]
		if len(v.Addresses) > 0 && v.Reason == "" {
			v.Chain, v.Address = v.Addresses[0].Chain, v.Addresses[0].Normalized
		}
		m.check("validate", i, v.saying(m.T), readingOf(address.Interpret("", m.texts[i].Text)))
	}
	screenedRows := lines[row](m, table.String(), "screen", "-in", "-", "-format", "jsonl")
	validatedRows := lines[row](m, table.String(), "validate", "-in", "-", "-format", "jsonl")
	if len(screenedRows) != len(m.texts) || len(validatedRows) != len(m.texts) {
		m.Fatalf("%d and %d rows of %d", len(screenedRows), len(validatedRows), len(m.texts))
	}
	for i, w := range screenedRows {
		got, want := saying{refs: w.Ref, doubts: w.Doubt}, m.want[i]
		want.account = ""
		if want.refs, _, _ = strings.Cut(want.refs, " "); want.refs != "" && want.doubts != "" {
			want.wrong = "" // the doubt says it
		}
		if m.check("screen -in", i, m.said(i, got, w.Error), want); w.Level != "" && want.refs == "" && !want.isClean() {
			m.Errorf("screen -in: %q has the level %s", m.texts[i].Text, w.Level)
		}
	}
	for i, w := range validatedRows {
		got := saying{doubts: w.Doubt, wrong: w.Reason}
		if w.Normalized != "" {
			got.account = address.MustParse(address.Chain(w.Detected), w.Normalized).Canonical().String()
		}
		m.check("validate -in", i, got, readingOf(address.Interpret(m.texts[i].Chain, m.texts[i].Text)))
	}
	for i, text := range m.texts {
		if text.Chain != "" {
			continue
		}
		for _, w := range lines[wireSaying](m, text.Text, "extract", "-json", "-") {
			if len(w.Labels) > 0 && m.want[i].isClean() {
				m.check("extract", i, m.want[i], w.saying(m.T))
			}
		}
	}
}

// said returns got with the reason of text i if the program has its error.
func (m *matrix) said(i int, got saying, text string) saying {
	err := m.errs[i]
	if s := strings.TrimSpace(m.texts[i].Text); text != "" && (s == "" || s[0] == '=' || scientific.MatchString(s)) {
		got.wrong = m.want[i].wrong // such cells have errors of their own
	} else if text != "" {
		got.wrong = "another error: " + text
		if err != nil && text == err.Error() {
			got.wrong = reasonOf(err)
		}
	}
	return got
}
