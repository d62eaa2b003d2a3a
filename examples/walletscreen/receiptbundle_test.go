package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A bundle verifies with the public key alone: without the store, and though this version has other
// bundled lists. Without a signature nothing says when its lists were in use.
func TestReceiptBundle(t *testing.T) {
	longtest.WithoutRace(t)
	const tornado = "0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b"
	dir, data := t.TempDir(), t.TempDir()
	key, receipts, zipped := filepath.Join(dir, "key"), filepath.Join(dir, "receipts"), filepath.Join(dir, "bundle")
	ok := func(want int, contains string, args ...string) {
		t.Helper()
		if code, stdout, stderr := call(t, "", args...); code != want || !strings.Contains(stdout+stderr, contains) {
			t.Fatalf("%q: exit code %d, want %d, and %q: %s%s", args, code, want, contains, stdout, stderr)
		}
	}
	lists := []string{"-data", data, "-lists", "OFAC_SDN", "-require", "OFAC_SDN"}
	ok(0, "", "receipt", "key", "-out", key)
	for _, day := range []string{"2025-03-04", "2025-03-21"} {
		ok(0, "", append(append([]string{"lists", "import", "-accept"}, lists...), sdn(t, day))...)
		ok(map[string]int{"2025-03-04": 1}[day], "", append(append([]string{"screen", "-receipt", receipts, "-receipt-key", key}, lists...), tornado)...)
	}
	unsigned := filepath.Join(dir, "unsigned")
	ok(0, "", append(append([]string{"screen", "-receipt", unsigned}, lists...), tornado)...)
	ok(0, "1 receipt, with all lists", "receipt", "bundle", unsigned, "-data", data, "-out", unsigned+".zip")
	ok(2, "want a FILE of receipts, and -out", "receipt", "bundle", receipts, "-data", data)
	ok(2, "receipt 1: its lists are not kept", "receipt", "bundle", receipts, "-out", zipped)
	ok(0, "2 receipts, with all lists", "receipt", "bundle", receipts, "-data", data, "-out", zipped)
	ok(2, "file exists", "receipt", "bundle", receipts, "-data", data, "-out", zipped)
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call(t, "", "receipt", "verify", zipped, "-key", key+".pub")
	if code != 0 || strings.Count(stdout, "SAME  C") != 2 || strings.Count(stdout, "SAME  CRITICAL") != 1 {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	ok(2, "AUTHENTIC  CRITICAL", "receipt", "verify", receipts, "-key", key+".pub")
	ok(2, "  verdicts not computed again, without the lists: give -data or -db, or a bundle\n", "receipt", "verify", receipts, "-key", key+".pub")

	ok(2, "nothing says that they were in use at its time", "receipt", "verify", unsigned+".zip", "-key", key+".pub")
	ok(2, "want -data", "receipt", "verify", unsigned+".zip")

	z, err := zip.OpenReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	changed := filepath.Join(dir, "changed")
	rewrite := func(edit func(name string, text []byte) []byte) {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, f := range z.File {
			text := edit(f.Name, unzipped(t, f))
			if text == nil {
				continue
			}
			if to, err := w.Create(f.Name); err != nil {
				t.Fatal(err)
			} else if _, err := to.Write(text); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), os.WriteFile(changed, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for i := 5; i < 3000; i += longtest.N(307, 61) {
		rewrite(func(name string, text []byte) []byte {
			if name == receiptsName {
				text[i%len(text)] ^= 1
			}
			return text
		})
		if code, stdout, _ := call(t, "", "receipt", "verify", changed, "-key", key+".pub"); code == 0 || strings.Count(stdout, "SAME") > 1 {
			t.Errorf("byte %d: exit code %d: %s", i, code, stdout)
		}
	}
	rewrite(func(name string, text []byte) []byte {
		if strings.HasSuffix(name, ".stays") {
			return nil
		}
		return text
	})
	ok(2, "AUTHENTIC  CRITICAL", "receipt", "verify", changed, "-key", key+".pub")
	rewrite(func(string, []byte) []byte { return []byte{} })
	most := maxBundle
	defer func() { maxBundle = most }()
	maxBundle = uint64(len(z.File))*fileBlock - 1 // empty files take room, too
	ok(2, changed+": larger than ", "receipt", "verify", changed, "-key", key+".pub")
	maxBundle = most
	whole, err := os.ReadFile(zipped)
	if err != nil {
		t.Fatal(err)
	}
	var other bytes.Buffer
	archive := zip.NewWriter(&other)
	_, err = archive.Create("xl/workbook.xml")
	if err := errors.Join(err, archive.Close(), os.WriteFile(changed, other.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	ok(2, "an archive without receipts.jsonl", "receipt", "verify", changed, "-key", key+".pub")
	for _, text := range [][]byte{whole[:len(whole)/2], whole[:10], bytes.Replace(whole, []byte("receipts.jsonl"), []byte("../ceipts.jsonl")[:14], -1)} {
		if err := os.WriteFile(changed, text, 0o600); err != nil {
			t.Fatal(err)
		}
		ok(2, "walletscreen: receipt verify: "+changed+": ", "receipt", "verify", changed, "-key", key+".pub")
	}
}

func unzipped(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The receipt of a verdict from the bundled lists verifies without a store, by their digests, for as
// long as the program has the same; a bundle keeps them.
func TestBundledReceipt(t *testing.T) {
	longtest.WithoutRace(t)
	dir := t.TempDir()
	key, receipts, zipped := filepath.Join(dir, "key"), filepath.Join(dir, "receipts"), filepath.Join(dir, "bundle")
	if code, _, stderr := call(t, "", "receipt", "key", "-out", key); code != 0 {
		t.Fatal(stderr)
	}
	const tornado = "0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b"
	if code, _, stderr := call(t, "", "screen", "-receipt", receipts, "-receipt-key", key, listed, harmless, tornado, "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"); code != 1 ||
		strings.Contains(stderr, "receipt") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if code, stdout, stderr := call(t, "", "receipt", "bundle", receipts, "-out", zipped); code != 0 {
		t.Fatal(stdout, stderr)
	}
	for _, name := range []string{receipts, zipped} {
		if code, stdout, stderr := call(t, "", "receipt", "verify", name, "-key", key+".pub"); code != 0 || strings.Count(stdout, "SAME  C") != 4 {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
	}
}

// A bundle has the exceptions of each receipt as they were at its time, though they change.
func TestBundleExceptions(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st, err := store.Open(from)
		if err != nil {
			t.Fatal(err)
		}
		s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "OWN", Name: "own", Jurisdiction: sources.Operator},
			sources.Entry{Listed: harmless, Asset: "ETH", Kind: score.Blocked})}, &screening.Options{Store: st})
		if err == nil {
			_, err = s.Refresh(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		copied, err := store.Open(to)
		if err != nil {
			t.Fatal(err)
		}
		private, public, _ := signed.GenerateKey(rand.Reader, "x")
		signer, _ := signed.NewSigner(private)
		known, _ := signed.NewVerifier(public)
		a := address.MustParse("ethereum", harmless)
		var all [][]byte
		for _, exceptions := range [][]screening.Exception{nil, {{Address: a, Reason: "license 17", Author: "J. Doe"}}, {}, {{Address: a, Reason: "license 18", Author: "J. Doe"}}} {
			if err := s.SetExceptions(t.Context(), exceptions); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			r, err := s.ScreenText("ethereum", harmless)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := receipt.New("ethereum", harmless, r, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			data, err := rec.Encode(signer)
			if all = append(all, data); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		for _, data := range all {
			v, err := receipt.Verify(t.Context(), data, nil)
			if err == nil {
				err = copyLists(t.Context(), copied, st, v.Receipt)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, data := range all {
			v, err := receipt.Verify(t.Context(), data, &receipt.Options{Keys: []signed.Verifier{known}, Copy: func(context.Context) (store.Store, error) { return copied, nil }})
			if err != nil || v.Outcome != receipt.Same || len(v.Receipt.Suppressed) != i%2 {
				t.Errorf("%d: %+v, %v", i, v, err)
			}
		}
	})
}
