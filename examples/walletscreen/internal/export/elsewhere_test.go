package export

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// TestElsewhere checks that a listed text has rows on the other chains on which it is an
// address.
func TestElsewhere(t *testing.T) {
	const text = "0x63c5215e87770d17b9f4cd47c777e322f4eb152cfd2054c1080fd9d57c48913b"
	entries := []sources.Entry{{Address: address.MustParse("sui", text), Kind: score.Sanctioned, Ref: "1"}}
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, CSV, screener(t, entries, nil), sequence(entries)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sui," + text, "aptos," + text, "movement," + text} {
		if !strings.Contains(b.String(), "\n"+want) {
			t.Errorf("no row %s in\n%s", want, b.String())
		}
	}
}
