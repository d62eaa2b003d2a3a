package browser_test

import (
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/page"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestMatrix gives the page a file with the texts that TestMatrix of examples/walletscreen
// asks other surfaces, and the cells of a messy table, and wants the entries and the doubts of the library.
func TestMatrix(t *testing.T) {
	var texts []vectors.Text
	var entries []sources.Entry
	var file strings.Builder
	w := csv.NewWriter(&file)
	w.Write([]string{"address", "chain"})
	for i, q := range vectors.Texts(t, "../..", 1) {
		if i%longtest.N(29, 3) == 0 && len(q.Text) < 1000 && !strings.Contains(q.Text+q.Chain, "\x00") { // a file with it is refused
			texts = append(texts, q)
			w.Write([]string{q.Text, q.Chain})
		}
		if q.Form == "normal" && q.Chain != "" && i%2 == 0 {
			entries = append(entries, sources.Entry{Address: q.Of, Kind: score.Sanctioned, Ref: q.Of.String()})
		}
	}
	_, rows := vectors.Messy(longtest.N(300, 5000))
	for _, r := range rows {
		texts = append(texts, vectors.Text{Form: "messy", Chain: r.Chain, Text: r.Cell})
		w.Write([]string{r.Cell, r.Chain})
	}
	for _, a := range vectors.MessyListed() {
		entries = append(entries, sources.Entry{Address: a, Kind: score.Sanctioned, Ref: a.String()})
	}
	w.Flush()
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC SDN", Jurisdiction: sources.US}, entries...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	const token = "wsk_only-for-this-test-0123456789abcdef"
	keys, err := access.Fixed(map[string]string{"matrix": token})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(prefix+"/api/", httpapi.NewHandler(s, keys, nil))
	mux.Handle(prefix+"/", page.New())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	b := open(t, server.URL+prefix+"/#key="+token, view{"light", 1280})
	b.wait(t, inState("empty"))
	b.do(t, catch)
	b.choose(t, "texts.csv", file.String())
	b.wait(t, inState("review"))
	b.do(t, `document.querySelector(".review").requestSubmit()`)
	b.wait(t, `document.querySelector(".many")?.dataset.state === "done"`)
	records := b.download(t, ',')
	if len(records) != len(texts)+1 {
		t.Fatalf("%d records, want %d", len(records), len(texts)+1)
	}
	column := make(map[string]int)
	for i, name := range records[0] {
		column[name] = i
	}
	listed, doubtful := 0, 0
	for i, q := range texts {
		cell := func(name string) string { return records[i+1][column[name]] }
		r, _, err := s.ScreenInput(q.Chain, q.Text)
		level, ref, doubts := string(r.Level), "", []string{}
		for _, d := range r.Doubts {
			doubts = append(doubts, string(d))
		}
		if len(r.Labels) > 0 {
			ref = r.Labels[0].Ref
		} else if len(doubts) > 0 {
			level = ""
		}
		wrong := err != nil && ref == "" // a listed address is answered, whatever is wrong
		switch {
		case wrong: // the API refuses such a text
			level, ref, doubts = "", "", nil
		case ref != "":
			listed++
		case len(doubts) > 0:
			doubtful++
		}
		if got := cell("level"); got != level || cell("source_ref") != ref || cell("doubt") != strings.Join(doubts, " ") || (cell("error") != "") != wrong {
			t.Errorf(
				"%s, chain %q, %.100q: the page has %q, want %q, %q, %q, error %v",
				q.Form,
				q.Chain,
				q.Text,
				records[i+1][2:],
				level,
				ref,
				doubts,
				err,
			)
		}
	}
	if listed == 0 || doubtful == 0 {
		t.Errorf("%d texts are listed, and %d in doubt", listed, doubtful)
	}
	b.quiet(t)
}
