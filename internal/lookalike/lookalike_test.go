package lookalike_test

import (
	"testing"

	"github.com/walletscreen/walletscreen/internal/lookalike"
)

func TestRepair(t *testing.T) {
	for text, want := range map[string]string{
		"lBgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH":           "bitcoin:1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH",
		"IBgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH":           "bitcoin:1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH",
		"TGJVc32ig2u8tQsYMLE7KXHT5NDQr0aVNU":           "tron:TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU",
		"TGJVc32ig2u8tQsYMLE7KXHT5NDQrOaVNU":           "tron:TGJVc32ig2u8tQsYMLE7KXHT5NDQroaVNU",
		"1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH":           "", // nothing to repair
		"lBgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh":           "", // another error besides
		"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf":   "",
		"7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKl": "", // without a checksum
		"":              "",
		"Hello, World0": "",
	} {
		got := ""
		if all := lookalike.Repair(text); len(all) > 0 {
			got = all[0].String()
		}
		if got != want {
			t.Errorf("Repair(%q) = %q, want %q", text, got, want)
		}
	}
}
