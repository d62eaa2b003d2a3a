package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/internal/vectors"
)

// TestMatrix screens the texts that TestMatrix of examples/walletscreen asks other surfaces,
// and the cells of a messy table, and wants the verdicts, the doubts and the errors of the library.
func TestMatrix(t *testing.T) {
	dir, s := lists(t)
	var all []question
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for i, q := range vectors.Texts(t, "../..", 1) {
		if i%longtest.N(29, 3) == 0 {
			all = append(all, question{q.Chain, q.Text})
			enc.Encode(map[string]string{"chain": q.Chain, "address": q.Text})
		}
	}
	_, cells := vectors.Messy(longtest.N(500, 5000))
	for _, r := range cells {
		all = append(all, question{r.Chain, r.Cell})
		enc.Encode(map[string]string{"chain": r.Chain, "address": r.Cell})
	}
	in, out := filepath.Join(t.TempDir(), "texts.jsonl"), t.TempDir()
	if err := os.WriteFile(in, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	j := job{lists: dir, in: in, out: out, rows: rows{Format: "jsonl", AddressColumn: "address", ChainColumn: "chain"}}
	got, err := j.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.hits == 0 {
		t.Error("nothing is listed")
	}
	checkResults(t, s, all, out, got)
}
