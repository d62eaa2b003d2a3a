package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/screening"
)

// keepOwn keeps the lists of the environment, which [few] returns, in a directory, and calls
// each between refreshes, one hour apart, until it returns false.
func keepOwn(t *testing.T, data string, env []string, each func(n int) bool) {
	t.Helper()
	_, file, _ := strings.Cut(env[2], "=OWN=")
	o := listOptions{data: data, choose: []string{"FBI_IC3"}, require: []string{"FBI_IC3"}, own: []string{"OWN=" + file}}
	now := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now))
		p := &program{lists: o}
		srcs, err := o.sources(false)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.open(t.Context(), srcs, true, &screening.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { p.closeStore() }()
		for n := 0; ; n++ {
			s.Refresh(t.Context()) // the published list is not fetched
			if !each(n) {
				return
			}
			time.Sleep(time.Hour)
		}
	})
}

// signedTable screens a table with a signed receipt, with lists that are kept, and returns the
// flags to verify it and the names of the files.
func signedTable(t *testing.T, env []string, data string) (verify []string, receipt, in, out string) {
	t.Helper()
	dir := t.TempDir()
	key, receipt, in, out := filepath.Join(dir, "key"), filepath.Join(dir, "receipt"), filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	table := "id,wallet,Netzwerk\n"
	for i := range 40 {
		table += fmt.Sprintf("%d,0x%040x,ETH\n", i, 7+i)
	}
	table += "40," + listed + ",ETH\n41,nothing,ETH\n"
	if err := os.WriteFile(in, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, "", "receipt", "key", "-out", key); code != 0 {
		t.Fatal(stderr)
	}
	code, _, stderr := callIn(
		t,
		env,
		"",
		"screen",
		"-data",
		data,
		"-in",
		in,
		"-out",
		out,
		"-receipt",
		receipt,
		"-receipt-key",
		key,
		"-report",
		filepath.Join(dir, "report.html"),
	)
	if code != 2 || strings.Contains(stderr, "cannot be verified") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	report, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(report), "— walletscreen ") {
		t.Errorf("the report does not have the receipt: %s, %v", report, err)
	}
	return []string{"receipt", "verify", receipt, "-data", data, "-key", key + ".pub", "-in", in, "-out", out}, receipt, in, out
}

// TestTableReceipt verifies the receipt of a table, and finds each change of the receipt, of the
// table and of the verdicts.
func TestTableReceipt(t *testing.T) {
	longtest.WithoutRace(t)
	env, data := few(t), t.TempDir()
	keepOwn(t, data, env, func(int) bool { return false })
	verify, receipt, in, out := signedTable(t, env, data)
	code, stdout, stderr := call(t, "", verify...)
	if code != 0 || !strings.HasPrefix(stdout, "SAME  table of 42 rows, 1 listed, screened ") || !strings.Contains(stdout, "signature of walletscreen holds") {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	if text, err := os.ReadFile(receipt); err != nil {
		t.Error(err)
	} else {
		line, _, _ := strings.Cut(string(text), "\n")
		former := filepath.Join(t.TempDir(), "former")
		os.WriteFile(former, []byte(strings.Replace(line, `evidence 1","type":"table"`, `table receipt 2"`, 1)+"\n"), 0o600)
		if code, stdout, _ := call(t, "", "receipt", "verify", former, "-data", data, "-in", in); code != 2 || !strings.Contains(stdout, "verify it with that version") {
			t.Errorf("in the former form: exit code %d: %s", code, stdout)
		}
	}
	if code, stdout, _ := call(t, "", verify[:7]...); code != 2 || !strings.Contains(stdout, "with -in") {
		t.Errorf("without the table: exit code %d: %s", code, stdout)
	}
	if code, stdout, _ := call(t, "", append(verify, "-json")...); code != 0 ||
		!strings.Contains(stdout, `"rows":42,"levels":{"CLEAN_NO_MATCH":40,"CRITICAL":1},"undecided":1,`) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	// Without the lists, the key and the files are verified.
	alone := slices.Concat(verify[:3], verify[5:])
	if code, stdout, stderr := call(t, "", alone...); code != 2 || !strings.HasPrefix(stdout, "AUTHENTIC  table of 42 rows, ") ||
		!strings.Contains(stdout, "these are the files; verdicts not computed again") {
		t.Errorf("without the lists: exit code %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, _ := call(t, "", append(slices.Clone(alone[:len(alone)-1]), in)...); code != 1 || !strings.Contains(stdout, "the table with verdicts is not the file") {
		t.Errorf("with another table: exit code %d: %s", code, stdout)
	}
	if code, stdout, _ := call(t, "", append(slices.Clone(verify[:8]), out)...); code != 1 || !strings.Contains(stdout, "the table that was screened is not the file") {
		t.Errorf("with the verdicts as -in: exit code %d: %s", code, stdout)
	}
	places := longtest.N(100, 800)
	var all int
	for _, name := range []string{receipt, in, out} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += len(text)
	}
	found := 0
	for _, name := range []string{receipt, in, out} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for place := 0; place < len(text); place += max(all/places, 1) {
			changed := bytes.Clone(text)
			changed[place] ^= 1
			os.WriteFile(name, changed, 0o600)
			if code, stdout, _ := call(t, "", verify...); code == 0 || strings.Contains(stdout, "SAME") {
				t.Errorf(
					"%s, byte %d of %d is %q instead of %q: exit code %d: %s",
					filepath.Base(name),
					place,
					len(text),
					changed[place],
					text[place],
					code,
					stdout,
				)
			}
			found++
		}
		os.WriteFile(name, text, 0o600)
	}
	if found < places {
		t.Errorf("%d places were changed, want %d", found, places)
	}
	if code, stdout, _ := call(t, "", verify...); code != 0 {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// TestOldReceipts verifies receipts of an address and of a table after many changes of an own
// list.
func TestOldReceipts(t *testing.T) {
	longtest.WithoutRace(t)
	changes := longtest.N(100, 400)
	env, data := few(t), t.TempDir()
	_, own, _ := strings.Cut(env[2], "=OWN=")
	keepOwn(t, data, env, func(int) bool { return false })
	verify, _, _, _ := signedTable(t, env, data)
	one := filepath.Join(t.TempDir(), "one")
	if code, _, stderr := callIn(t, env, "", "screen", "-data", data, "-receipt", one, listed); code != 1 || strings.Contains(stderr, "cannot be verified") {
		t.Fatal(stderr)
	}
	keepOwn(t, data, env, func(n int) bool {
		os.WriteFile(own, fmt.Appendf(nil, "address\n0x%040x\n", 1_000_000+n), 0o600)
		return n < changes
	})
	for _, args := range [][]string{verify, {"receipt", "verify", one, "-data", data}} {
		if code, stdout, stderr := call(t, "", args...); code != 0 || !strings.HasPrefix(stdout, "SAME") {
			t.Errorf("%q: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
}

// TestReceiptNotKept warns about a receipt of lists that nothing keeps.
func TestReceiptNotKept(t *testing.T) {
	longtest.WithoutRace(t)
	receipt := filepath.Join(t.TempDir(), "receipt")
	for _, args := range [][]string{{"-in", "-"}, {listed}} {
		code, _, stderr := callIn(t, few(t), "address\n"+listed+"\n", append([]string{"screen", "-receipt", receipt}, args...)...)
		if code != 1 || strings.Count(stderr, "the receipt cannot be verified later") != 1 {
			t.Errorf("%q: exit code %d: %s", args, code, stderr)
		}
	}
}

// TestReceiptOfBundledLists has no warning where no temporary file can be made, as in a container that is read only.
func TestReceiptOfBundledLists(t *testing.T) {
	receipt := filepath.Join(t.TempDir(), "receipt")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if code, _, stderr := call(t, "", "screen", "-receipt", receipt, listed); code != 1 || strings.Contains(stderr, "cannot be verified") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
