package audit_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/screening"
)

// TestHashKeyHidesAddresses checks that a trail with a HashKey contains no address, not
// even in a reference or in the reason of an exception.
func TestHashKeyHidesAddresses(t *testing.T) {
	const account = "0x098b716b8aaf21512996dc57eb0615e2383e2f96"
	key := []byte(strings.Repeat("k", 32))
	dir := t.TempDir()
	l, err := audit.Open(dir, &audit.Options{HashKey: key})
	if err != nil {
		t.Fatal(err)
	}
	label := screening.Label{Source: "A", Ref: "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Listed: "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"}
	other := screening.Label{Source: "B", Name: "owner of 0x098B716B8Aaf21512996dC57EB0615e2383E2f96", Ref: "see 12qtd5bfwrsdnsazy76uve1xycgntojh9h", Listed: "x"}
	plain := screening.Label{Source: "C", Ref: "27307"}
	bare := screening.Label{Source: "E", Ref: "wallet-098b716b8aaf21512996dc57eb0615e2383e2f96", Name: "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h."}
	s := httpapi.Screening{Time: time.Now(), RequestID: "r", CallerID: "k", Item: 3, Chain: "ethereum", Address: account, Result: screening.Result{
		Labels:     []screening.Label{label, other, plain, bare},
		Suppressed: []screening.Suppressed{{Label: label, Reason: "the owner of 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", Author: "J. Doe"}},
		Formerly:   []screening.Former{{Source: "D", Name: "of " + account, Ref: "see 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", Listed: "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}},
		Doubts:     []address.Doubt{address.DoubtShort},
	}}
	if err := l.Record(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Run(ctx); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "audit-*"))
	if err != nil {
		t.Fatal(err)
	}
	var trail strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		trail.Write(text)
	}
	text := strings.ToLower(trail.String())
	for _, clear := range []string{account[2:], "12qtd5bf", "1bvbmsey"} {
		if strings.Contains(text, clear) {
			t.Errorf("the trail has %s: %s", clear, text)
		}
	}
	for _, want := range []string{`"address":"hmac:` + audit.Hash(key, account), `"source_ref":"27307"`, `"author":"j. doe"`, `"item":3`, `"doubts":["short"]`, `"all_clear":false`, `"formerly":[{"source":"d"`,
		`"source_ref":"hmac:` + audit.Hash(key, label.Ref)} {
		if !strings.Contains(text, want) {
			t.Errorf("the trail lacks %s: %s", want, text)
		}
	}
}
