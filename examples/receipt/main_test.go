package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

const listed = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), t.TempDir(), listed, &out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.HasPrefix(s, `{"format":"walletscreen evidence 1"`) ||
		!strings.HasSuffix(s, "\nsame: CRITICAL, signed by example.com/screening\n") {
		t.Error(s)
	}
	if err := run(t.Context(), t.TempDir(), "x", &out); !errors.As(err, new(*address.ParseError)) {
		t.Errorf("error %v of no address", err)
	}
}

// A receipt that was changed is different, one that another has signed proves nothing, and
// neither does one whose lists are lost.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	private, public, err := note.GenerateKey(rand.Reader, "a")
	_, other, err2 := note.GenerateKey(rand.Reader, "b")
	data, err3 := screen(t.Context(), dir, listed, private)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir, public, want string
		data              []byte
	}{
		"as it was": {dir, public, receipt.Same, data},
		"changed":   {dir, public, receipt.Different, bytes.Replace(data, []byte(`"score":100`), []byte(`"score":0`), 1)},
		"signer":    {dir, other, receipt.CannotTell, data},
		"lists":     {t.TempDir(), public, receipt.CannotTell, data},
	} {
		if v, err := verify(t.Context(), tt.dir, tt.data, tt.public); err != nil || v.Outcome != tt.want {
			t.Errorf("%s: %s (%v), %v, want %s", name, v.Outcome, v.Reason, err, tt.want)
		}
	}
}
