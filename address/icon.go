package address

import "github.com/walletscreen/walletscreen/internal/identity"

// icon is the format of icon: "hx" for an account or "cx" for a contract, and
// 40 lower-case hex digits. There is no checksum.
//
// See the ICON documentation, "Account and address".
type icon struct{}

const (
	iconLen               = 2 + 40
	formIconAccount  form = 0
	formIconContract form = 1
)

func (icon) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) != iconLen {
		return "", 0, wrongLength(s)
	}
	f := formIconAccount
	switch {
	case s[0] == 'c':
		f = formIconContract
	case s[0] != 'h':
		return "", 0, badChar(0)
	}
	if s[1] != 'x' {
		return "", 0, badChar(1)
	}
	bad, capitals := scanHex(s, 2)
	if bad < 0 && capitals {
		for bad = 2; s[bad] < 'A' || s[bad] > 'F'; bad++ {
		}
	}
	if bad >= 0 {
		return "", 0, badChar(bad)
	}
	return s, f, fault{}
}

func (icon) canonical(text string, f form) (string, form) { return text, f }

func (icon) account(text string, f form) (words, tag) { return evmKey(identity.Class(f), text[2:]) }

func (icon) key(string, form) (words, tag) { return words{}, 0 }

func (icon) proves(form) bool { return false }
