// Package vectors reads the test vectors of package address, for tests of packages that
// use addresses of all chains. [Addresses] returns them.
package vectors

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// Addresses returns the distinct valid addresses of all vectors, in a fixed order. root is
// the path of the root of the module.
func Addresses(t testing.TB, root string) []address.Address {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "address/testdata/vectors/*.txt"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files of vectors, want at least 100; %v", len(files), err)
	}
	var all []address.Address
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var input, chain string
		for line := range strings.Lines(string(text)) {
			k, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch k {
			case "input":
				input = v
				if u, err := strconv.Unquote(v); err == nil {
					input = u
				}
			case "chain":
				chain = v
			case "expect": // the last of the three
				if v != "valid" {
					continue
				}
				a, err := address.Parse(address.Chain(chain), input)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, a)
			}
		}
	}
	slices.SortFunc(all, address.Address.Compare)
	return slices.Compact(all)
}
