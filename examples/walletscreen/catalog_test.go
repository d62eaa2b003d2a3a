package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	file := filepath.Join(t.TempDir(), "nbctf.csv")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSeizureOrders imports a list that only a person can fetch, and fetches it from a mirror.
func TestSeizureOrders(t *testing.T) {
	const lists = "OFAC_SDN,EU_CONSOLIDATED,IL_NBCTF"
	file := nbctfFile(t)
	text, _ := os.ReadFile(file)
	want := strings.Split(string(text), "\n")[1]
	address := strings.Split(want, ",")[1]

	data := t.TempDir()
	if code, stdout, stderr := call(t, "", "lists", "refresh", "-data", data, "-lists", "IL_NBCTF", "-require", "IL_NBCTF"); code != 2 || !strings.Contains(stdout, "lists import") {
		t.Errorf("refresh without a mirror: code %d, %s %s", code, stdout, stderr)
	}
	if code, stdout, stderr := call(t, "", "lists", "import", "-data", data, "IL_NBCTF="+file); code != 0 || !strings.Contains(squeezed(stdout), "IL_NBCTF loaded ") {
		t.Fatalf("import: code %d, %s %s", code, stdout, stderr)
	}
	if code, stdout, stderr := call(t, "", "screen", "-data", data, "-lists", lists, "-chain", "tron", address); code != 1 || !strings.HasPrefix(stdout, "CRITICAL  95") {
		t.Errorf("screen: code %d, %s %s", code, stdout, stderr)
	}

	mirror := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(file))))
	defer mirror.Close()
	data = t.TempDir()
	code, stdout, stderr := call(t, "", "lists", "refresh", "-data", data, "-lists", "IL_NBCTF", "-require", "IL_NBCTF", "-mirror", "IL_NBCTF="+mirror.URL+"/nbctf.csv")
	if code != 0 || !strings.Contains(squeezed(stdout), "IL_NBCTF loaded ") {
		t.Errorf("refresh from a mirror: code %d, %s %s", code, stdout, stderr)
	}
}
