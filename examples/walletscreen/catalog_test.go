package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
)

// nbctfFile returns a file with Israel's seizure orders: the tables of a page, one behind the other.
func nbctfFile(t *testing.T) string {
	t.Helper()
	var text []byte
	for _, name := range []string{"wallets_2026-08-21.csv", "releases_2026-08-21.csv"} {
		b, err := os.ReadFile("../../sources/nbctf/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
	}
	text = regexp.MustCompile(`(?m)\.20[23]\d(\r?)$`).ReplaceAll(text, []byte(".2999$1")) // no order ends before the test runs
	file := filepath.Join(t.TempDir(), "nbctf.csv")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSeizureOrders imports a list that only a person can fetch, and fetches it from a mirror.
func TestSeizureOrders(t *testing.T) {
	longtest.WithoutRace(t)
	const lists = "OFAC_SDN,EU_CONSOLIDATED,IL_NBCTF"
	file := nbctfFile(t)
	text, _ := os.ReadFile(file)
	want := strings.Split(string(text), "\n")[1]
	address := strings.Split(want, ",")[1]

	data := t.TempDir()
	if code, stdout, stderr := call(t, "", "lists", "refresh", "-data", data, "-lists", "IL_NBCTF", "-require", "IL_NBCTF"); code != 2 ||
		!strings.Contains(stdout, "lists import") {
		t.Errorf("refresh without a mirror: code %d, %s %s", code, stdout, stderr)
	}
	if code, stdout, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "FBI_IC3", "-require", "FBI_IC3", "IL_NBCTF="+file); code != 0 ||
		!strings.Contains(squeezed(stdout), "IL_NBCTF loaded ") {
		t.Fatalf("import: code %d, %s %s", code, stdout, stderr)
	}
	// The list prints the second one with two Cyrillic letters; OFAC lists it, too.
	for _, address := range []string{address, "TH96tFMn8KGiYSLiwcV3E2UiaJc8jmcbz3"} {
		if code, stdout, stderr := call(t, "", "screen", "-data", data, "-lists", lists, "-chain", "tron", address); code != 1 ||
			!strings.Contains(stdout, "TERRORIST_FINANCING") {
			t.Errorf("screen %s: code %d, %s %s", address, code, stdout, stderr)
		}
	}

	mirror := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(file))))
	defer mirror.Close()
	data = t.TempDir()
	code, stdout, stderr := call(
		t,
		"",
		"lists",
		"refresh",
		"-data",
		data,
		"-lists",
		"IL_NBCTF",
		"-require",
		"IL_NBCTF",
		"-mirror",
		"IL_NBCTF="+mirror.URL+"/nbctf.csv",
	)
	if code != 0 || !strings.Contains(squeezed(stdout), "IL_NBCTF loaded ") {
		t.Errorf("refresh from a mirror: code %d, %s %s", code, stdout, stderr)
	}
}

// TestJapan imports the list of Japan's Ministry of Finance from a file.
func TestJapan(t *testing.T) {
	data := t.TempDir()
	if code, stdout, stderr := call(t, "", "lists", "import", "-data", data, "-lists", "FBI_IC3", "-require", "FBI_IC3", "JP_MOF=../../sources/mof/testdata/shisantouketsu20260828.csv"); code != 0 ||
		!strings.Contains(squeezed(stdout), "JP_MOF loaded ") {
		t.Fatalf("import: code %d, %s %s", code, stdout, stderr)
	}
	code, stdout, stderr := call(t, "", "screen", "-data", data, "-lists", "JP_MOF", "-require", "JP_MOF", "1986rYHckYbJpGQJy6ornuMyD2N5MTqwDt")
	if code != 1 || !strings.Contains(stdout, "SANCTIONED  exact match  JP_MOF 017-000079  Wu Huihui") {
		t.Errorf("screen: code %d, %s %s", code, stdout, stderr)
	}
}

// aNode answers as a node of Arbitrum with one event of USDC, which froze an account.
func aNode(t *testing.T, frozen string) *httptest.Server {
	t.Helper()
	hash := func(n string) string { return "0x" + strings.Repeat("0", 64-len(n)) + n }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
			Params []any
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		var result any
		switch call.Method {
		case "eth_chainId":
			result = "0xa4b1"
		case "eth_getBlockByNumber":
			result = map[string]any{"number": "0x64", "hash": hash("64"), "timestamp": "0x68000000"}
		case "eth_getCode":
			result = "0x60"
		case "eth_getLogs":
			result = []any{map[string]any{
				"address": "0xaf88d065e77c8cc2239327c5edb3a432268e5831", "topics": []string{usdcBlacklisted, hash(frozen[2:])}, "data": "0x",
				"blockNumber": "0x32", "blockHash": hash("32"), "transactionHash": hash("1"), "transactionIndex": "0x0", "logIndex": "0x0",
				"removed": false, "blockTimestamp": "0x67000000",
			}}
		default:
			t.Errorf("call of %s", call.Method)
		}
		json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": result})
	}))
	t.Cleanup(server.Close)
	return server
}

// usdcBlacklisted is the topic of the event Blacklisted(address).
const usdcBlacklisted = "0xffa4e6181777692565cf28528fc88fd1516ea86b56da075235fa575af6a4b855"

// TestFreezes fetches the freezes of a token from a node.
func TestFreezes(t *testing.T) {
	node := aNode(t, evm(7))
	data := t.TempDir()
	refresh := []string{"lists", "refresh", "-data", data, "-lists", "USDC_FROZEN", "-require", "USDC_FROZEN"}
	code, stdout, stderr := call(t, "", append(refresh, "-rpc", "arbitrum="+node.URL)...)
	if code != 0 || !strings.Contains(squeezed(stdout), "USDC_FROZEN loaded 1 0 1 ") {
		t.Fatalf("code %d, %s %s", code, stdout, stderr)
	}
	if code, stdout, _ := call(t, "", "screen", "-data", data, "-lists", "OFAC_SDN,EU_CONSOLIDATED,USDC_FROZEN", "-chain", "ethereum", evm(7)); code != 1 ||
		!strings.Contains(stdout, "Frozen by Circle") {
		t.Errorf("code %d, %s", code, stdout)
	}
	for want, args := range map[string][]string{
		"-lists USDC_FROZEN needs -rpc": nil,
		"want CHAIN=URL":                {"-rpc", "https://node.example/secret"},
		"want a URL":                    {"-rpc", "ethereum=ftp://secret"},
		"is given twice":                {"-rpc", "ethereum=https://a.example/secret,ethereum=https://b.example"},
		"optimism polygon tron]":        {"-rpc", "bitcoin=https://a.example/secret"},
		"no node":                       {"-rpc", "tron=https://a.example/secret"},
	} {
		code, stdout, stderr := call(t, "", append(slices.Clone(refresh), args...)...)
		if text := stdout + stderr; code != 2 || !strings.Contains(text, want) || strings.Contains(text, "secret") {
			t.Errorf("%q: code %d, %s, want %q and no URL", args, code, text, want)
		}
	}
	if code, _, stderr := call(t, "", "lists", "import", "-data", data, "USDC_FROZEN=x.json"); code != 2 || !strings.Contains(stderr, "comes from nodes") {
		t.Errorf("import: code %d, %s", code, stderr)
	}
}

// TestOpenSanctions loads a dataset from a server, from a file, and by import.
func TestOpenSanctions(t *testing.T) {
	longtest.WithoutRace(t)
	const dir, name = "../../sources/opensanctions/testdata", "targets.simple.csv"
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, args := range [][]string{
		{"refresh", "-lists", "OPENSANCTIONS", "-opensanctions", server.URL + "/" + name},
		{"refresh", "-lists", "OPENSANCTIONS", "-opensanctions", filepath.Join(dir, name)},
		{"import", "-downloaded", "2026-11-01", "OPENSANCTIONS=" + filepath.Join(dir, name)},
	} {
		data := t.TempDir()
		args = append([]string{"lists", args[0], "-data", data}, args[1:]...)
		code, stdout, stderr := call(t, "", args...)
		if code != 0 || !strings.Contains(squeezed(stdout), "OPENSANCTIONS loaded 6 ") {
			t.Errorf("%q: code %d, %s %s", args, code, stdout, stderr)
		}
		if code, stdout, _ := call(t, "", "screen", "-data", data, "-lists", "OFAC_SDN,EU_CONSOLIDATED,OPENSANCTIONS", "-chain", "solana",
			"7XsTNWyhcVmDMXYLpfRSEfQtH1dRBfA9Ea8mLQ5gBnX9"); code != 1 ||
			!strings.Contains(stdout, "OPENSANCTIONS") {
			t.Errorf("%q: code %d, %s", args, code, stdout)
		}
	}
	if code, _, stderr := call(t, "", "lists", "refresh", "-data", t.TempDir(), "-lists", "OPENSANCTIONS"); code != 2 ||
		!strings.Contains(stderr, "needs -opensanctions") {
		t.Errorf("code %d, %s", code, stderr)
	}
}

// TestFormerlyListed asks for an account that the SDN List dropped in March 2025.
func TestFormerlyListed(t *testing.T) {
	const dropped = "0x07687e702b410Fa43f4cB4Af7FA097918ffD2730"
	code, stdout, stderr := call(t, "", "screen", "-lists", "OFAC_SDN,EU_CONSOLIDATED", dropped)
	if want := "formerly listed OFAC_SDN 39796 TORNADO CASH 2022-09-03 to 2025-03-21 as " + dropped; code != 0 ||
		!strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
		t.Errorf("code %d, %s %s, want %q", code, stdout, stderr, want)
	}
	code, stdout, _ = call(t, "", "screen", "-json", "-lists", "OFAC_SDN,EU_CONSOLIDATED", dropped)
	if code != 0 || !strings.Contains(stdout, `"formerly":[{"source":"OFAC_SDN"`) {
		t.Errorf("code %d, %s", code, stdout)
	}
}

// TestChosenRequired decides nothing by lists of -lists that are not loaded, if no list that is
// required by default is among them.
func TestChosenRequired(t *testing.T) {
	for lists, want := range map[string]int{
		"RANSOMWHERE": exitUndecided, "UK_CONSOLIDATED": exitUndecided, "FBI_IC3,RANSOMWHERE": exitUndecided, "FBI_IC3": exitClean, "EU_CONSOLIDATED,RANSOMWHERE": exitClean,
	} {
		code, stdout, stderr := call(t, "", "screen", "-lists", lists, unlisted)
		if code != want || want != exitClean && (stdout != "" || !strings.Contains(stderr, "not loaded")) {
			t.Errorf("-lists %s: exit code %d, want %d: %s%s", lists, code, want, stdout, stderr)
		}
	}
	if code, _, stderr := call(t, "", "screen", "-lists", "FBI_IC3,RANSOMWHERE", "-require", "FBI_IC3", unlisted); code != exitClean {
		t.Errorf("with -require: exit code %d: %s", code, stderr)
	}
}
