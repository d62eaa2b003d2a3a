package vectors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
)

// A Pair is two addresses that one key or account determines, as
// address/testdata/derivations.txt says.
type Pair struct {
	Match string // the text of the score.Match of one if the other is listed
	A, B  address.Address
}

// Pairs returns the pairs of address/testdata/derivations.txt. root is the path of the
// root of the module.
func Pairs(t testing.TB, root string) []Pair {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "address/testdata/derivations.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []Pair
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		p := Pair{Match: fields[0]}
		if len(fields) != 3 {
			t.Fatalf("derivations.txt: want a match and two addresses in %q", line)
		}
		for i, a := range []*address.Address{&p.A, &p.B} {
			if err := a.UnmarshalText([]byte(fields[1+i])); err != nil {
				t.Fatalf("derivations.txt: %s: %v", fields[1+i], err)
			}
		}
		all = append(all, p)
	}
	return all
}
