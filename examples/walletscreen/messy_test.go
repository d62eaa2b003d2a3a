package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
)

// TestMessyTable screens an export of a spreadsheet program with everything that people write
// into one, and compares each row with [screening.Screener.ScreenInput] of its two cells, which is
// what the other surfaces show. What stands in the column of the chain never loses a hit.
func TestMessyTable(t *testing.T) {
	accounts := []struct {
		chain, text string
		chains      []string // as people write it
	}{
		{"ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", []string{"ETH", "Ethereum", "ERC-20", "ERC20", "Ethereum (ETH)", "Ethereum Mainnet", "USDT", "", "erc-20 (USDT)"}},
		{"ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", []string{"ETH", "Polygon", "BEP20", "BSC", "MATIC", "Arbitrum One", ""}},
		{"bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", []string{"BTC", "Bitcoin", "Bitcoin (BTC)", "XBT", ""}},
		{"bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", []string{"BTC", "Bitcoin (BTC)", ""}},
		{"tron", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", []string{"TRX", "TRC20", "TRC-20", "Tron", "USDT", ""}},
		{"xrp", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", []string{"XRP", "Ripple", "XRP Ledger", ""}},
		{"solana", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv", []string{"SOL", "Solana", "SPL", ""}},
	}
	blocked := map[string]bool{accounts[0].text: true, accounts[2].text: true, accounts[4].text: true}
	dir := t.TempDir()
	own, in := filepath.Join(dir, "own.csv"), filepath.Join(dir, "export.csv")
	list := "address,chain\n"
	for _, a := range accounts {
		if blocked[a.text] {
			list += a.text + "," + a.chain + "\n"
		}
	}
	env := []string{"WALLETSCREEN_LISTS=FBI_IC3", "WALLETSCREEN_REQUIRE=FBI_IC3", "WALLETSCREEN_LIST=OWN=" + own}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	type row struct {
		chain, text string
		blocked     bool
		wrong       bool // the text is not an address
	}
	var rows []row
	var table strings.Builder
	table.WriteString("\ufeffAuszug vom 01.03.2026;;;;\r\n;;;;\r\nKunde;Wallet-Adresse;Netzwerk;Memo;Betrag\r\n")
	for i := range longtest.N(1000, 5000) {
		a := accounts[random.IntN(len(accounts))]
		r := row{a.chains[random.IntN(len(a.chains))], a.text, blocked[a.text], false}
		if random.IntN(9) == 0 {
			r.chain = pick("Kraken", "n/a", "-", "rot", "12345", "Bitcoin", "ETH", "tron", "unbekannt")
		}
		cell := r.text
		switch random.IntN(12) {
		case 0:
			cell = "  " + cell + "\u00a0"
		case 1:
			cell = "\u200b" + cell
		case 2:
			cell = "\"" + cell + "\""
		case 3:
			cell = "\"=\"\"" + cell + "\"\"\""
		case 4:
			cell = "'" + cell
		case 5:
			cell = a.chain + ":" + cell
			r.text = cell
		case 6:
			cell, r.wrong, r.blocked = pick("", "  ", "=A7", "1,23E+47", "n/a", "siehe Mail"), true, false
		}
		table.WriteString(fmt.Sprintf("%d;%s;%s;\"Memo; %d\r\nzwei \"\"Zeilen\"\"\";1.234,%02d\r\n", i, cell, r.chain, random.IntN(1e6), i%100))
		rows = append(rows, r)
	}
	if err := errors.Join(os.WriteFile(own, []byte(list), 0o600), os.WriteFile(in, []byte(table.String()), 0o600)); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.csv")
	code, _, stderr := callIn(t, env, "", "screen", "-in", in, "-out", out)
	if code != 2 || !strings.Contains(stderr, `addresses: column "Wallet-Adresse"`) || !strings.Contains(stderr, `chains: column "Netzwerk"`) || !strings.Contains(stderr, "left out: 2 lines above the header") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	reader.Comma = ';'
	got, err := reader.ReadAll()
	if err != nil || len(got) != len(rows)+1 {
		t.Fatalf("%d rows, want %d and a header, %v", len(got), len(rows), err)
	}
	o := listOptions{choose: []string{"FBI_IC3"}, require: []string{"FBI_IC3"}, own: []string{"OWN=" + own}}
	screener, err := (&program{}).openLists(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	at := make(map[string]int)
	for i, name := range got[0] {
		at[name] = i
	}
	failed := 0
	for i, r := range rows {
		level, doubt, failure := got[i+1][at["level"]], got[i+1][at["doubt"]], got[i+1][at["error"]]
		wantLevel, wantDoubt, wantError := "", "", r.wrong
		if !r.wrong {
			result, _, err := screener.ScreenInput(r.chain, r.text)
			wantDoubt, wantError = joinDoubts(result.Doubts), err != nil
			if len(result.Labels) > 0 || err == nil && len(result.Doubts) == 0 {
				wantLevel = string(result.Level)
			}
			if errors.Is(err, address.ErrChain) && r.blocked && len(result.Labels) == 0 {
				t.Errorf("row %d: the hit of %q is lost on %q", i, r.text, r.chain)
			}
		}
		if level != wantLevel || doubt != wantDoubt || (failure != "") != wantError || r.blocked != (level != "" && level != "CLEAN_NO_MATCH") {
			if failed++; failed <= 10 {
				t.Errorf("row %d, %q on %q: level %q, doubt %q, error %q; want %q, %q, %v; blocked: %v", i, r.text, r.chain, level, doubt, failure, wantLevel, wantDoubt, wantError, r.blocked)
			}
		}
	}
}
