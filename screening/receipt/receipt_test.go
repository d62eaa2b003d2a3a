package receipt_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/ofac"
	"github.com/walletscreen/walletscreen/sources/store"
)

// tornado is a contract of Tornado Cash, which OFAC delisted on 21 March 2025.
const tornado = "0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b"

// excerpt is the SDN List of a day.
type excerpt struct{ day string }

func (e *excerpt) Info() sources.Info { return ofac.New(nil).Info() }

func (e *excerpt) Load(_ context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	f, err := os.Open("../../sources/ofac/testdata/sdn_advanced_excerpt_" + e.day + ".xml.gz")
	if err != nil {
		return sources.Revision{}, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return sources.Revision{}, err
	}
	return ofac.Parse(z, add)
}

// history is a store that has answered from the lists of both days, and the receipts of
// those days.
type history struct {
	dir           string
	store         store.Store
	before, after []byte // receipts of tornado
	signer        note.Signer
	verifier      note.Verifier
}

func newHistory(t *testing.T) *history {
	t.Helper()
	h := &history{dir: t.TempDir()}
	private, public, err := note.GenerateKey(rand.Reader, "example.org/screening")
	if err != nil {
		t.Fatal(err)
	}
	if h.signer, err = note.NewSigner(private); err != nil {
		t.Fatal(err)
	}
	if h.verifier, err = note.NewVerifier(public); err != nil {
		t.Fatal(err)
	}
	if h.store, err = store.Open(h.dir); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		src := &excerpt{"2025-03-04"}
		time.Sleep(time.Until(time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC)))
		s, err := screening.New(
			[]sources.Source{src},
			&screening.Options{Store: h.store, Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true }},
		)
		if err != nil {
			t.Fatal(err)
		}
		ask := func() []byte {
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(90 * time.Minute)
			return h.ask(t, s, "ethereum", tornado)
		}
		h.before = ask()
		src.day = "2025-03-21"
		time.Sleep(time.Until(time.Date(2025, 3, 21, 17, 0, 0, 0, time.UTC)))
		h.after = ask()
	})
	return h
}

// ask returns the signed receipt of a question.
func (h *history) ask(t *testing.T, s *screening.Screener, c address.Chain, text string) []byte {
	t.Helper()
	r, err := s.ScreenText(c, text)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := receipt.New(c, text, r, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	data, err := rec.Encode(h.signer)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// unsigned returns a receipt without its signatures.
func unsigned(data []byte) []byte { return data[:bytes.IndexByte(data, '\n')+1] }

func (h *history) verify(t *testing.T, data []byte, known ...note.Verifier) receipt.Verdict {
	t.Helper()
	v, err := receipt.Verify(t.Context(), data, &receipt.Options{Store: h.store, Keys: known})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCheckLost loses the line of the check before an answer: its receipt may be true.
func TestCheckLost(t *testing.T) {
	h := newHistory(t)
	var data []byte
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2025, 3, 22, 12, 0, 0, 0, time.UTC)))
		s, err := screening.New([]sources.Source{&excerpt{"2025-03-21"}}, &screening.Options{Store: h.store})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			s.SetExceptions(t.Context(), []screening.Exception{{Address: address.MustParse("ethereum", tornado), Reason: fmt.Sprint(n), Author: "a"}})
			if time.Sleep(time.Minute); n == 1 {
				data = h.ask(t, s, "tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
			}
			time.Sleep(time.Minute)
		}
	})
	name := filepath.Join(h.dir, "journal")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if err := os.WriteFile(name, bytes.Join(slices.Delete(lines, len(lines)-5, len(lines)-4), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := h.verify(t, data, h.verifier); v.Outcome != receipt.CannotTell {
		t.Errorf("%s, %v, want %s", v.Outcome, v.Reason, receipt.CannotTell)
	}
}

// TestAsOf dates the receipt of a delisted address back: its lists are of today, and a receipt has no
// other ones. A line of an audit trail may name the time of its lists.
func TestAsOf(t *testing.T) {
	h := newHistory(t)
	then := `,"as_of":"2025-03-04T13:00:00Z","chain"`
	line := strings.Replace(string(unsigned(h.before)), "2025-03-04T13:30:00Z", "2026-03-04T13:30:00Z", 1)
	line = sealed(strings.Replace(line, `,"chain"`, then, 1))
	if v, err := receipt.Verify(t.Context(), []byte(line), &receipt.Options{Store: h.store}); err == nil || !strings.Contains(err.Error(), "as_of") {
		t.Errorf("%+v, %v", v, err)
	}
	line = sealed(strings.Replace(line, `"text":"`+tornado+`",`, "", 1))
	if v := h.verify(t, []byte(line)); v.Outcome != receipt.Same {
		t.Errorf("%s, %v: %s", v.Outcome, v.Reason, line)
	}
}

// TestTornadoCash replays verdicts of before and after the delisting.
func TestTornadoCash(t *testing.T) {
	h := newHistory(t)
	for _, test := range []struct {
		data  []byte
		day   string
		level score.Level
		score int
	}{{h.before, "2025-03-04", "CRITICAL", 100}, {h.after, "2025-03-21", "CLEAN_NO_MATCH", 0}} {
		v := h.verify(t, test.data, h.verifier)
		r := v.Receipt
		if v.Outcome != receipt.Same || v.Reason != nil || v.Signer != "example.org/screening" || v.Unsigned != nil {
			t.Errorf("%s: %+v", test.day, v)
		}
		if r.Level != test.level || r.Score != test.score || r.Text != tornado || r.Address != strings.ToLower(tornado) || r.Time.Format(time.DateOnly) != test.day ||
			r.Lists[0].Published.Format(time.DateOnly) != test.day || r.Time.Sub(r.Lists[0].LastUpdated) != 90*time.Minute || r.Lists[0].Digest == "" ||
			r.ScoringVersion != score.Latest().Version() ||
			r.ModuleVersion == "" {
			t.Errorf("%s: %+v", test.day, r)
		}
		if v := h.verify(t, unsigned(test.data)); v.Outcome != receipt.Same || v.Signer != "" || v.Unsigned == nil {
			t.Errorf("%s, unsigned: %+v", test.day, v)
		}
		// With a known key, a receipt that it has not signed is not accepted.
		if v := h.verify(t, unsigned(test.data), h.verifier); v.Outcome != receipt.CannotTell || v.Unsigned == nil {
			t.Errorf("%s, without the signature: %+v", test.day, v)
		}
	}

	// Any file that answers for a list will do. Without the older one, the newest one has the list of 4 March.
	files, err := filepath.Glob(filepath.Join(h.dir, "OFAC_SDN-*.stays"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for i, want := range []string{receipt.Same, receipt.CannotTell} {
		if err := os.Remove(files[i]); err != nil {
			t.Fatal(err)
		}
		v := h.verify(t, h.before, h.verifier)
		if v.Outcome != want || want == receipt.CannotTell && !errors.Is(v.Reason, store.ErrNotFound) || v.Signer == "" {
			t.Errorf("without %d files: %+v", i+1, v)
		}
	}
}

func TestForged(t *testing.T) {
	h := newHistory(t)
	verdict := string(unsigned(h.before))
	clean := string(unsigned(h.after))
	listDigest := between(t, verdict, `"digest":"`, `"`)
	for _, test := range []struct {
		data, old, new string
		want           string // the outcome
		reason         string
	}{
		{verdict, `"score":100`, `"score":10`, receipt.Different, "another member score than the lists of that time give: 100"},
		{clean, `"score":0`, `"score":100`, receipt.Different, "another member score than the lists of that time give: 0"},
		{verdict, `"level":"CRITICAL"`, `"level":"LOW"`, receipt.Different, "another member level than the lists of that time give: \"CRITICAL\""},
		{verdict, `"labels":[` + between(t, verdict, `"labels":[`, `]`), `"labels":[`, receipt.Different, "another member labels"},
		{clean, `"all_clear":true`, `"all_clear":false`, receipt.Different, "another member all_clear"},
		{verdict, `"all_clear":false`, `"all_clear":true`, receipt.Different, "another member all_clear"},
		{clean, `"doubts":[]`, `"doubts":["short"]`, receipt.Different, "another member doubts"},
		{clean, `"caveats":[]`, `"caveats":[{"source":"OFAC_SDN","caveat":"missing"}]`, receipt.Different, "another member caveats"},
		{clean, `"until":"2025`, `"until":"2024`, receipt.Different, "another member formerly"},
		{verdict, `"match":"exact"`, `"match":"family"`, receipt.Different, "another member labels"},
		{verdict, `"address":"` + strings.ToLower(tornado), `"address":"0x098b716b8aaf21512996dc57eb0615e2383e2f96`, receipt.Different, "normal form"},
		{verdict, `"text":"` + tornado, `"text":"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf`, receipt.Different, "normal form"},
		{verdict, `"text":"` + tornado, `"text":"hello`, receipt.Different, "no verdict"},
		{verdict, listDigest, strings.Repeat("0", 64), receipt.Different, "OFAC_SDN: the receipt has another member digest"},
		{verdict, `"published_at":"2025`, `"published_at":"2024`, receipt.Different, "another member published_at"},
		{verdict, `"last_updated":"2025-03-04T12:00:00Z"`, `"last_updated":"2025-03-04T13:00:00Z"`, receipt.Different, "another member last_updated than the lists of that time give: \"2025-03-04T12:00:00Z\""},
		{verdict, `"completeness":"whole"`, `"completeness":"partial"`, receipt.Different, "another member completeness than the lists of that time give: \"whole\""},
		{verdict, `"scoring_version":"` + score.Latest().Version(), `"scoring_version":"v9.0`, receipt.CannotTell, "scoring version"},
		{verdict, between(t, verdict, `"snapshot":"`, `"`), strings.Repeat("0", 64), receipt.CannotTell, "not in the store"},
		// A verdict is bound to its lists, whatever the clock of the receipt says.
		{verdict, `"screened_at":"2025-03-04`, `"screened_at":"2025-03-25`, receipt.CannotTell, "others were in use"},
		{verdict, `"source":"OFAC_SDN","name"`, `"source":"ofac","name"`, receipt.CannotTell, "source id"},
		{verdict, `"jurisdiction":"US"`, `"jurisdiction":"Community"`, receipt.CannotTell, "may not say SANCTIONED"},
	} {
		forged := strings.Replace(test.data, test.old, test.new, 1)
		if forged == test.data {
			t.Fatalf("%s is not in %s", test.old, test.data)
		}
		if v := h.verify(t, []byte(forged)); v.Outcome != receipt.Different || !strings.Contains(v.Reason.Error(), "its sum is not") {
			t.Errorf("%s, with the old sum: %s, %v", test.new, v.Outcome, v.Reason)
		}
		forged = sealed(forged)
		v := h.verify(t, []byte(forged))
		if v.Outcome != test.want || test.reason != "" && (v.Reason == nil || !strings.Contains(v.Reason.Error(), test.reason)) {
			t.Errorf("%s: %s, %v; want %s, %s", test.new, v.Outcome, v.Reason, test.want, test.reason)
		}
		// The signature of the true one does not hold for it.
		signature := h.before[len(verdict):]
		if test.data == clean {
			signature = h.after[len(clean):]
		}
		v = h.verify(t, append([]byte(forged), signature...), h.verifier)
		if invalid := (*note.InvalidSignatureError)(nil); v.Outcome != receipt.Different || v.Signer != "" || !errors.As(v.Unsigned, &invalid) {
			t.Errorf("%s, with the old signature: %+v", test.new, v)
		}
	}

	// Somebody else's key of the same name.
	private, _, _ := note.GenerateKey(rand.Reader, "example.org/screening")
	other, _ := note.NewSigner(private)
	data, err := note.Sign(&note.Note{Text: verdict}, other)
	if err != nil {
		t.Fatal(err)
	}
	if v := h.verify(t, data, h.verifier); v.Outcome != receipt.CannotTell || v.Signer != "" || v.Unsigned == nil {
		t.Errorf("another key: %+v", v)
	}
}

// sealed returns a line with the sum that it must have.
func sealed(line string) string {
	i := strings.LastIndex(line, `","sum":"`)
	return fmt.Sprintf("%s\",\"sum\":\"%x\"}\n", line[:i], sha256.Sum256([]byte(line[:i])))
}

// TestForgedCopy: lists, or exceptions, that only the journal of a copy ties to the receipt prove nothing,
// even if the operator has signed a false receipt.
func TestForgedCopy(t *testing.T) {
	h := newHistory(t)
	clean, listed := h.verify(t, h.after).Receipt, h.verify(t, h.before).Receipt
	lie := *clean
	lie.Snapshot, lie.Lists, lie.Time, lie.Formerly = listed.Snapshot, listed.Lists, listed.Time, nil
	data, err := lie.Encode(h.signer)
	if err != nil {
		t.Fatal(err)
	}
	named, err := journal.Find(t.Context(), h.store, listed.Snapshot, []string{"OFAC_SDN"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name       string
		of         *receipt.Receipt // whose list
		exceptions string
		want       string
	}{
		{"the lists", listed, "", receipt.Different},
		{"other lists", clean, "", receipt.CannotTell},
		{"exceptions", listed, `{"chain":"ethereum","address":"` + strings.ToLower(tornado) + `","reason":"a","author":"b"}` + "\n", receipt.CannotTell},
	} {
		found, err := journal.Find(t.Context(), h.store, test.of.Snapshot, []string{"OFAC_SDN"})
		if err != nil {
			t.Fatal(err)
		}
		held := found.Held["OFAC_SDN"]
		f, err := journal.Open(t.Context(), h.store, "OFAC_SDN", &held, nil)
		if err != nil {
			t.Fatal(err)
		}
		st, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		log := journal.New(st, time.Now)
		if err := log.Follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		held.Digest = named.Held["OFAC_SDN"].Digest
		log.Begin(journal.Program{Answers: true, Sources: found.Lists}, &journal.Excepted{Text: test.exceptions})
		_, err = log.Put(t.Context(), f)
		if err := errors.Join(err, log.Append(t.Context(), &journal.Line{Type: journal.Accepted, Source: "OFAC_SDN", Held: &held}, nil)); err != nil {
			t.Fatal(err)
		}
		v, err := receipt.Verify(t.Context(), data, &receipt.Options{Keys: []note.Verifier{h.verifier}, Copy: func(context.Context) (store.Store, error) { return st, nil }})
		if err != nil || v.Outcome != test.want || v.Signer == "" {
			t.Errorf("%s: %+v, %v", test.name, v, err)
		}
		if v, err := receipt.Verify(t.Context(), h.before, &receipt.Options{Keys: []note.Verifier{h.verifier}, Copy: func(context.Context) (store.Store, error) { return st, nil }}); err != nil || (v.Outcome == receipt.Same) != (test.want == receipt.Different) {
			t.Errorf("%s: the true one: %+v, %v", test.name, v, err)
		}
	}
}

// TestTampered changes single bytes of signed receipts: nobody with the public key, or with the lists
// alone, takes one for what was written.
func TestTampered(t *testing.T) {
	h := newHistory(t)
	for _, data := range [][]byte{h.before, h.after} {
		line := unsigned(data)
		for i := range data {
			changed := bytes.Clone(data)
			changed[i] ^= 1
			if v, err := receipt.Verify(t.Context(), changed, &receipt.Options{Keys: []note.Verifier{h.verifier}}); err == nil && (v.Outcome == receipt.Authentic || v.Signer != "") {
				t.Errorf("byte %d of %s: %+v", i, changed, v)
			}
			if i >= len(line) {
				continue
			}
			if v, err := receipt.Verify(t.Context(), changed[:len(line)], &receipt.Options{Store: h.store}); err == nil && v.Outcome != receipt.Different {
				t.Errorf("unsigned, byte %d of %s: %+v", i, changed, v)
			}
		}
		if v, err := receipt.Verify(t.Context(), data, &receipt.Options{Keys: []note.Verifier{h.verifier}}); err != nil || v.Outcome != receipt.Authentic || v.Signer == "" {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

func between(t *testing.T, s, from, to string) string {
	t.Helper()
	_, s, ok := strings.Cut(s, from)
	s, _, ok2 := strings.Cut(s, to)
	if !ok || !ok2 {
		t.Fatalf("no %q … %q", from, to)
	}
	return s
}

// TestSecret: a receipt never has a private key, even if a list has it.
func TestSecret(t *testing.T) {
	const key = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
	info := sources.Info{ID: "OWN", Name: "own", Jurisdiction: sources.Operator}
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := screening.New(
		[]sources.Source{
			sources.Static(info, sources.Entry{Listed: key, Kind: score.Blocked}, sources.Entry{Listed: tornado, Asset: "ETH", Kind: score.Blocked}),
		},
		&screening.Options{Store: st},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := s.ScreenText("bitcoin", key)
	if err != nil {
		r, _ = s.ScreenText("ethereum", tornado)
	}
	rec, err := receipt.New("bitcoin", key, r, time.Now())
	if rec != nil || !errors.Is(err, address.ErrSecret) || strings.Contains(err.Error(), key) {
		t.Errorf("New returned %v, %v", rec, err)
	}
	// One that somebody wrote is not accepted, and not quoted.
	r, _ = s.ScreenText("ethereum", tornado)
	if rec, err = receipt.New("ethereum", tornado, r, time.Now()); err != nil {
		t.Fatal(err)
	}
	rec.Chain, rec.Text = "bitcoin", key
	data, err := rec.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if v, err := receipt.Verify(t.Context(), data, &receipt.Options{Store: st}); v.Receipt != nil || !errors.Is(err, address.ErrSecret) || strings.Contains(err.Error(), key) {
		t.Errorf("Verify returned %+v, %v", v, err)
	}
}

// TestPinned replays an answer of an older scoring version, about a listed text that is not an
// address.
func TestPinned(t *testing.T) {
	const text = "0x1234567890"
	h := newHistory(t)
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	table, ok := score.Lookup("v1.0")
	if !ok || score.Latest().Version() == "v1.0" {
		t.Fatal("there is only one version")
	}
	info := sources.Info{ID: "REPORTS", Name: "reports", Jurisdiction: sources.Community}
	s, err := screening.New(
		[]sources.Source{sources.Static(info, sources.Entry{Listed: text, Asset: "ETH", Kind: score.Scam})},
		&screening.Options{Store: st, Table: table},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	data := h.ask(t, s, "ethereum", " "+text)
	v, err := receipt.Verify(t.Context(), data, &receipt.Options{Store: st, Keys: []note.Verifier{h.verifier}})
	if err != nil || v.Outcome != receipt.Same || v.Receipt.ScoringVersion != "v1.0" || v.Receipt.Address != text ||
		v.Receipt.Labels[0].Match != score.Literal {
		t.Errorf("%+v, %v: %s", v, err, data)
	}
}

// TestExceptions replays what an exception has suppressed, until it expires.
func TestExceptions(t *testing.T) {
	h := newHistory(t)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC)))
		s, err := screening.New(
			[]sources.Source{&excerpt{"2025-03-04"}},
			&screening.Options{Store: h.store, Accept: func(string, error, screening.SourceStatus, screening.SourceStatus) bool { return true }},
		)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := address.Normalize("ethereum", tornado)
		if err := s.SetExceptions(t.Context(), []screening.Exception{{Address: a, Reason: "license 17", Author: "J. Doe",
			Expires: time.Now().Add(time.Hour)}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := h.ask(t, s, "ethereum", tornado)
		time.Sleep(2 * time.Hour)
		second := h.ask(t, s, "ethereum", tornado)
		if !strings.Contains(string(first), `"labels":[],"suppressed":[{"label":"SANCTIONED"`) || !strings.Contains(string(first), `"reason":"license 17"`) {
			t.Errorf("%s", first)
		}
		for _, data := range [][]byte{first, second} {
			if v := h.verify(t, data, h.verifier); v.Outcome != receipt.Same {
				t.Errorf("%s, %v: %s", v.Outcome, v.Reason, data)
			}
		}
	})
}

// TestRecord compares a receipt with its only form.
func TestRecord(t *testing.T) {
	h := newHistory(t)
	line := string(unsigned(h.before))
	want := `{"format":"walletscreen evidence 1","type":"screening","screened_at":"2025-03-04T13:30:00Z","chain":"ethereum","text":"` + tornado +
		`","address":"` + strings.ToLower(tornado) + `","score":100,"level":"CRITICAL","labels":[{"label":"SANCTIONED","source":"OFAC_SDN","source_ref":"39796",` +
		`"added_at":"` + between(t, line, `"added_at":"`, `"`) + `","name":"TORNADO CASH","match":"exact","listed_address":"` + tornado +
		`","entity_listed_at":"2022-11-08T00:00:00Z"}],"doubts":[],"caveats":[],"all_clear":false,` +
		`"scoring_version":"` + score.Latest().Version() + `","snapshot":"` + between(t, line, `"snapshot":"`, `"`) +
		`","module_version":"` + between(t, line, `"module_version":"`, `"`) + `","lists":[{"source":"OFAC_SDN","name":"` + between(t, line, `"lists":[{"source":"OFAC_SDN","name":"`, `"`) + `",` +
		`"jurisdiction":"US","digest":"` + between(t, line, `"digest":"`, `"`) +
		`","published_at":"2025-03-04T00:00:00Z","last_updated":"2025-03-04T12:00:00Z","completeness":"whole","required":true}],"n":1,"prev":"","sum":"`
	if want = sealed(want); line != want {
		t.Errorf("receipt\n%s, want\n%s", line, want)
	}
}

// TestNotReceipts: whatever is not as it was written is an error.
func TestNotReceipts(t *testing.T) {
	h := newHistory(t)
	line := string(unsigned(h.before))
	signature := string(h.before[len(line):])
	for _, data := range []string{
		"", "\n", "{}\n", "null\n", "[]\n", "hello", line[:len(line)-1], line[:len(line)-5] + "\n", " " + line, line + line, line + "\n", line + "x", line +
			signature[1:],
		line + signature + "x", line + line + signature, strings.Replace(line, ",", ", ", 1), strings.Replace(line, `"score":100`, `"score":100,"score":100`, 1),
		strings.Replace(line, `"score"`, `"Score"`, 1), strings.Replace(line, `"score"`, `"more":1,"score"`, 1), strings.Replace(line, "evidence 1", "evidence 2", 1),
		strings.Replace(line, "13:30:00Z", "13:30:00.50Z", 1), strings.Replace(line, "13:30:00Z", "14:30:00+01:00", 1), strings.Replace(line, `"exact"`, `"near"`, 1),
		strings.Replace(line, "whole", "entire", 1), "{" + strings.Repeat(" ", 2<<20) + "}\n",
		strings.Replace(line, `"n":1`, `"n":0`, 1), strings.Replace(line, `"n":1`, `"n":01`, 1), strings.Replace(line, `"prev":""`, `"prev":"0"`, 1),
		strings.Replace(line, `"screening"`, `"repair"`, 1), strings.Replace(line, `"screening"`, `"table"`, 1), strings.ToUpper(line),
		strings.Replace(line, `"labels":[`+between(t, line, `"labels":[`, `]`)+`]`, `"labels":null`, 1), strings.Replace(line, `"doubts":[]`, `"doubts":null`, 1),
	} {
		if i := strings.LastIndex(data, `","sum":"`); i > 0 && strings.HasSuffix(data, "\"}\n") {
			data = sealed(data)
		}
		if v, err := receipt.Verify(t.Context(), []byte(data), &receipt.Options{Store: h.store, Keys: []note.Verifier{h.verifier}}); err == nil || v.Receipt != nil {
			t.Errorf("%.200q is a receipt: %+v", data, v)
		}
	}
	if _, err := receipt.New("ethereum", tornado, screening.Result{}, time.Now()); err == nil {
		t.Error("there is a receipt of the zero Result")
	}
}

func FuzzVerify(f *testing.F) {
	st, err := store.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	private, public, _ := note.GenerateKey(rand.Reader, "example")
	signer, _ := note.NewSigner(private)
	verifier, _ := note.NewVerifier(public)
	s, err := screening.New([]sources.Source{&excerpt{"2025-03-04"}}, &screening.Options{Store: st})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := s.Refresh(f.Context()); err != nil {
		f.Fatal(err)
	}
	r, err := s.ScreenText("ethereum", tornado)
	if err != nil {
		f.Fatal(err)
	}
	rec, err := receipt.New("ethereum", tornado, r, time.Now())
	if err != nil {
		f.Fatal(err)
	}
	for _, signers := range [][]note.Signer{nil, {signer}} {
		data, err := rec.Encode(signers...)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := receipt.Verify(t.Context(), data, &receipt.Options{Store: st, Keys: []note.Verifier{verifier}})
		switch {
		case err != nil:
			if v.Receipt != nil {
				t.Errorf("an error with the receipt %+v", v.Receipt)
			}
			return
		case (v.Outcome == receipt.Same) != (v.Reason == nil), (v.Signer == "") == (v.Unsigned == nil), v.Outcome == receipt.Same && v.Signer == "":
			t.Errorf("%+v", v)
		}
		// A receipt has one form only. The sum of a changed receipt is another.
		again, err := v.Receipt.Encode()
		if v.Outcome == receipt.Different {
			again = again[:max(0, bytes.LastIndex(again, []byte(`,"sum":`)))]
		}
		if err != nil || !bytes.HasPrefix(data, again) {
			t.Errorf("%q is written again as %q, %v", data, again, err)
		}
	})
}

// A receipt says what the answer said: that a text was in doubt, that a list was partial or late,
// and that an exception took a label out.
func TestDoubtsAndCaveats(t *testing.T) {
	const starknet = "0x0fcab7394beb7c7ded081ce2456a097d7474c1b2095a3b2f4b2a8d1c8f4c7e1" // one digit short
	synctest.Test(t, func(t *testing.T) {
		st, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		s, err := screening.New([]sources.Source{
			sources.Static(sources.Info{ID: "A", Name: "a", Jurisdiction: sources.Community}, sources.Entry{Listed: tornado, Asset: "ETH", Kind: score.Scam}),
			&excerpt{"2025-03-04"},
		}, &screening.Options{Store: st, Optional: []string{"OFAC_SDN"}, MaxPublished: map[string]time.Duration{}})
		if err != nil {
			t.Fatal(err)
		}
		s.Refresh(t.Context())
		if err := s.SetExceptions(t.Context(), []screening.Exception{{Address: address.MustParse("ethereum", tornado), Source: "A", Reason: "ours", Author: "us"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(72 * time.Hour)
		for _, q := range []struct {
			chain address.Chain
			text  string
			want  []string
			clear bool
		}{
			{"starknet", starknet, []string{`"doubts":["short"]`, `"all_clear":false`, `"caveats":[{"source":`, `"stale"`}, false},
			{"ethereum", tornado, []string{`"doubts":[]`, `"suppressed":[{`, `"reason":"ours"`}, true},
		} {
			r, err := s.ScreenText(q.chain, q.text)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := receipt.New(q.chain, q.text, r, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			line, err := rec.Encode()
			for _, want := range q.want {
				if err != nil || !strings.Contains(string(line), want) {
					t.Errorf("%v: want %s in %s", err, want, line)
				}
			}
			if v, err := receipt.Verify(t.Context(), line, &receipt.Options{Store: st}); err != nil || v.Outcome != receipt.Same || v.Receipt.Decided() != q.clear {
				t.Errorf("%s: %+v, %v", q.text, v, err)
			}
			changed := bytes.Replace(line, []byte(`"doubts":["short"]`), []byte(`"doubts":[]`), 1)
			if v, err := receipt.Verify(t.Context(), changed, &receipt.Options{Store: st}); len(r.Doubts) > 0 && (err != nil || v.Outcome != receipt.Different) {
				t.Errorf("without its doubt: %+v, %v", v, err)
			}
		}
	})
}

// TestTextWithoutChain verifies the line of a batch, whose item named no chain, about a listed text that
// decodes to nothing.
func TestTextWithoutChain(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const text = "a purse"
	s, err := screening.New([]sources.Source{sources.Static(
		sources.Info{ID: "OWN", Name: "own", Jurisdiction: sources.Operator}, sources.Entry{Listed: text, Kind: score.Blocked},
	)}, &screening.Options{Store: st})
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := s.ScreenInput("", text)
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{text: receipt.Same, "another": receipt.Different} {
		rec := receipt.From(r, time.Now())
		rec.Address = address
		line, err := rec.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if v, err := receipt.Verify(t.Context(), line, &receipt.Options{Store: st}); err != nil || v.Outcome != want {
			t.Errorf("%s: %s, %v, %v; want %s", address, v.Outcome, v.Reason, err, want)
		}
	}
}

// TestFormerForm: what an earlier version has written is an error that says what to do.
func TestFormerForm(t *testing.T) {
	for _, line := range []string{`{"format":"walletscreen receipt 2","screened_at"`, `{"format":"walletscreen table receipt 2"`, `{"format":"walletscreen receipt 1"`, `{"type":"screening"`} {
		v, err := receipt.Verify(t.Context(), []byte(line+":1}\n"), nil)
		if v.Receipt != nil || err == nil || !strings.Contains(err.Error(), "verify it with that version") {
			t.Errorf("%s: %+v, %v", line, v, err)
		}
	}
}

// TestOwnListsRead verifies receipts of a program that has read a list of the operator's own without
// a store to note that in, as the command screen does. A publisher's list is not confirmed so.
func TestOwnListsRead(t *testing.T) { synctest.Test(t, testOwnListsRead) }

func testOwnListsRead(t *testing.T) {
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	entry := sources.Entry{Listed: tornado, Asset: "ETH", Kind: score.Blocked}
	published := entry
	published.Kind = score.Sanctioned
	s, err := screening.New([]sources.Source{
		sources.Static(sources.Info{ID: "OWN", Name: "own", Jurisdiction: sources.Operator}, entry),
		sources.Static(sources.Info{ID: "US", Name: "published", Jurisdiction: sources.US}, published),
	}, &screening.Options{Store: st})
	if err == nil {
		_, err = s.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Hour)
	for _, tt := range []struct {
		list int
		read time.Duration
		want string
	}{
		{0, 0, receipt.Same},
		{0, 2 * time.Hour, receipt.Same},
		{0, 5 * time.Hour, receipt.Same},
		{0, -2 * time.Hour, receipt.Different},
		{0, 6 * time.Hour, receipt.Different},
		{1, 2 * time.Hour, receipt.Different},
	} {
		r, err := s.ScreenText("ethereum", tornado)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := receipt.New("ethereum", tornado, r, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		rec.Lists[tt.list].LastUpdated = rec.Lists[tt.list].LastUpdated.Add(tt.read)
		data, err := rec.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if v, err := receipt.Verify(t.Context(), data, &receipt.Options{Store: st}); err != nil || v.Outcome != tt.want {
			t.Errorf("%+v: %v, %v, %v", tt, v.Outcome, v.Reason, err)
		}
	}
}
