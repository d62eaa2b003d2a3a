package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// kadena is the format of Kadena's principals, the accounts whose name says
// what guards them: "k:" and an ed25519 public key in lower-case hex; "w:", the
// hash of several keys in Base64, and the rule that says how many must sign;
// "c:" and the hash of a capability. Other accounts have free names, which
// nothing tells from other text; parse rejects them.
//
// See KIP-12, "Single-key accounts", and "Accounts, keys, and principals" in
// the documentation of Kadena.
type kadena struct{}

const (
	formKadenaKey form = iota
	formKadenaKeys
	formKadenaCapability
)

const kadenaHashLen = 43 // 32 bytes in Base64

// kadenaRules lists the rules of a keyset that every node has.
var kadenaRules = [...]string{"keys-all", "keys-any", "keys-2"}

func (kadena) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) < 2 || s[1] != ':' {
		return "", 0, badSyntax
	}
	switch s[0] {
	case 'k':
		if len(s) != 2+64 {
			return "", 0, badLength
		}
		bad, capitals := scanHex(s, 2)
		switch {
		case bad >= 0:
			return "", 0, badChar(bad)
		case capitals:
			return "", 0, badSyntax
		}
		return s, formKadenaKey, fault{}
	case 'w':
		hash, rule, _ := strings.Cut(s[2:], ":")
		for _, known := range kadenaRules {
			if rule == known {
				return s, formKadenaKeys, kadenaHash(hash)
			}
		}
		return "", 0, badSyntax
	case 'c':
		return s, formKadenaCapability, kadenaHash(s[2:])
	}
	return "", 0, badChar(0)
}

// kadenaHash returns the fault of hash, which follows two characters.
func kadenaHash(hash string) fault {
	var b [32]byte
	if len(hash) != kadenaHashLen {
		return badLength
	}
	alphabets, bad := decodeBase64(b[:], hash)
	if bad < 0 && alphabets == base64Std {
		bad = strings.IndexAny(hash, "+/")
	}
	if bad >= 0 {
		return badChar(2 + bad)
	}
	return fault{}
}

func (kadena) canonical(text string, f form) (string, form) { return text, f }

func (kadena) account(text string, f form) (words, tag) {
	if f == formKadenaKey {
		return hexKey(identity.Class(f), text[2:])
	}
	var buf [128]byte
	return hashedKey(identity.Class(f), buf[:copy(buf[:], text)])
}

func (kadena) key(text string, f form) (words, tag) {
	if f != formKadenaKey {
		return words{}, 0
	}
	return hexKey(identity.Ed25519, text[2:])
}

func (kadena) proves(form) bool { return false }
