package address_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// A vector is one block of a file in testdata/vectors. README.md there
// describes its keys.
type vector struct {
	line   int
	fields map[string]string
}

var vectorKeys = []string{"input", "chain", "expect", "normalized", "canonical", "key", "doubt", "offset", "other", "comment", "origin"}

var reasons = map[string]error{
	"length": address.ErrLength, "charset": address.ErrCharset, "checksum": address.ErrChecksum,
	"network": address.ErrNetwork, "other": address.ErrOtherChain, "secret": address.ErrSecret,
	"syntax": address.ErrSyntax,
}

// readVectors returns the vectors in the named file.
func readVectors(t testing.TB, name string) []vector {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []vector
	v := vector{fields: map[string]string{}}
	flush := func() {
		if len(v.fields) == 0 {
			return
		}
		for _, k := range []string{"input", "chain", "expect", "origin"} {
			if _, ok := v.fields[k]; !ok {
				t.Fatalf("%s:%d: the block has no %s", name, v.line, k)
			}
		}
		all = append(all, v)
		v = vector{fields: map[string]string{}}
	}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case line == "":
			flush()
			continue
		}
		k, value, ok := strings.Cut(line, ": ")
		known := false
		for _, key := range vectorKeys {
			known = known || key == k
		}
		if !ok || !known {
			t.Fatalf("%s:%d: not a line of a vector: %q", name, n, line)
		}
		if _, twice := v.fields[k]; twice {
			t.Fatalf("%s:%d: a second %s in one block", name, n, k)
		}
		if strings.HasPrefix(value, `"`) {
			if value, err = strconv.Unquote(value); err != nil {
				t.Fatalf("%s:%d: %v", name, n, err)
			}
		}
		if len(v.fields) == 0 {
			v.line = n
		}
		v.fields[k] = value
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	flush()
	return all
}

// vectorFiles returns the names of all files of vectors.
func vectorFiles(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/vectors/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	return names
}

func TestVectors(t *testing.T) {
	for _, name := range vectorFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			vectors := readVectors(t, name)
			if len(vectors) == 0 {
				t.Fatal("no vectors in the file")
			}
			for _, v := range vectors {
				checkVector(t, v)
			}
		})
	}
}

func checkVector(t *testing.T, v vector) {
	t.Helper()
	for _, fault := range vectorFaults(v) {
		t.Errorf("line %d: %s %q: %s", v.line, v.fields["chain"], v.fields["input"], fault)
	}
}

// vectorFaults returns how the results of the package differ from v.
func vectorFaults(v vector) (faults []string) {
	input, chain := v.fields["input"], address.Chain(v.fields["chain"])
	fail := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	strict, strictErr := address.Parse(chain, input)
	if address.Valid(chain, input) != (strictErr == nil) {
		fail("Valid does not say what Parse does: %v", strictErr)
	}
	a, err := address.Normalize(chain, input)
	switch expect := v.fields["expect"]; expect {
	case "valid", "tolerant":
		if err != nil {
			fail("Normalize: %v, want %s", err, expect)
			return faults
		}
		if expect == "valid" && strictErr != nil {
			fail("Parse: %v, want valid", strictErr)
		} else if expect == "valid" && strict != a {
			fail("Parse gives %v, Normalize %v", strict, a)
		} else if expect == "tolerant" && strictErr == nil {
			fail("Parse takes it, want only Normalize to")
		}
		if want, ok := v.fields["normalized"]; ok && a.Normalized() != want {
			fail("normalized to %q, want %q", a.Normalized(), want)
		} else if !ok && expect == "valid" && !strings.EqualFold(a.Normalized(), input) {
			fail("normalized to %q: more than letter case has changed", a.Normalized())
		}
		if want, ok := v.fields["canonical"]; ok && a.Canonical().Normalized() != want {
			fail("canonical is %q, want %q", a.Canonical().Normalized(), want)
		}
		if want, ok := v.fields["doubt"]; ok && string(a.Doubt()) != strings.TrimPrefix(want, "none") {
			fail("doubt %q, want %q", a.Doubt(), want)
		}
		if want, ok := v.fields["key"]; ok {
			got := "none"
			if k, ok := a.Key(); ok {
				got = k.String()
			}
			if got != want {
				fail("key is %s, want %s", got, want)
			}
		}
	default:
		reason := reasons[expect]
		if reason == nil && expect != "invalid" {
			fail("unknown expectation %q", expect)
			return faults
		}
		errs := []error{strictErr, err}
		if expect == "invalid" {
			errs = errs[:1]
		}
		for _, err := range errs {
			var pe *address.ParseError
			if !errors.As(err, &pe) {
				fail("got no *ParseError but %v, want %s", err, expect)
				return faults
			}
			if reason != nil && !errors.Is(err, reason) {
				fail("got %v, want %s", err, expect)
			}
			if want, ok := v.fields["offset"]; ok && strconv.Itoa(pe.Offset) != want {
				fail("offset %d, want %s", pe.Offset, want)
			}
			if want, ok := v.fields["other"]; ok && string(pe.Other) != want {
				fail("names chain %q, want %q", pe.Other, want)
			}
		}
	}
	return faults
}
