package address

import (
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/cashaddr"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// conflux is the format of Conflux Core: the prefix "cfx:", optional fields,
// and a CashAddr body in a different alphabet. The body is a version byte,
// which is zero, and 20 bytes, whose first four bits distinguish users,
// contracts and built-in contracts. A field "type.…" must agree with them;
// other fields are ignored. The text is all lower or all upper case. The normal
// form is lower case and has no fields.
//
// The 20 bytes of a user are the Keccak-256 hash of a key with the first four
// bits replaced, so they are not an [identity.KeccakHash].
//
// See CIP-37, "Base32Check addresses", and cfx_addr of conflux-rust for the
// alphabet.
type conflux struct{}

const (
	confluxPrefix = "cfx"
	confluxTest   = "cfxtest"
	confluxChars  = 34  // including the version byte, excluding the checksum
	maxConflux    = 128 // with fields
)

// The values of the first four bits of an address.
const (
	confluxBuiltin  = 0x00
	confluxUser     = 0x10
	confluxContract = 0x80
)

func (conflux) parse(s string, tolerant bool) (string, form, fault) {
	const body = len(confluxPrefix) + 1
	if len(s) != body+confluxChars+cashaddr.ChecksumLen || s[:body] != confluxPrefix+":" {
		return parseConfluxSlowly(s)
	}
	isUpper, bad := parseConfluxBody(confluxPrefix, s[body:])
	switch {
	case bad.err != nil:
		return "", 0, bad.after(body)
	case isUpper: // but the prefix is lower case
		return "", 0, badChar(body)
	}
	return s, 0, fault{}
}

// parseConfluxSlowly parses text that is not in normal form.
func parseConfluxSlowly(s string) (string, form, fault) {
	if len(s) > maxConflux {
		return "", 0, badLength
	}
	if i := mixedCase(s); i >= 0 {
		return "", 0, badChar(i)
	}
	text := strings.ToLower(s)
	if len(text) != len(s) {
		return "", 0, badSyntax
	}
	prefix, rest, ok := strings.Cut(text, ":")
	if !ok || prefix != confluxPrefix {
		if body := rest[strings.LastIndexByte(rest, ':')+1:]; ok && isConfluxTest(prefix) {
			if _, bad := parseConfluxBody(prefix, body); bad.err == nil {
				return "", 0, badNetwork
			}
		}
		if at := firstDifference(text, confluxPrefix+":"); at < len(s) {
			return "", 0, badChar(at)
		}
		return "", 0, badLength
	}
	last := strings.LastIndexByte(text, ':') + 1
	body := text[last:]
	if _, bad := parseConfluxBody(confluxPrefix, body); bad.err != nil {
		return "", 0, bad.after(last)
	}
	for at := len(confluxPrefix) + 1; at < last; {
		field, _, _ := strings.Cut(text[at:], ":")
		if !isConfluxField(field, body) {
			return "", 0, badChar(at)
		}
		at += len(field) + 1
	}
	if len(text) != len(confluxPrefix)+1+len(body) {
		text = confluxPrefix + ":" + body
	}
	return text, 0, fault{}
}

// mixedCase returns the offset of the first letter of s whose case differs from
// that of the first letter, or -1.
func mixedCase(s string) int {
	first := -1
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			continue
		}
		if first < 0 {
			first = i
		}
		if (s[i]^s[first])&0x20 != 0 {
			return i
		}
	}
	return -1
}

// isConfluxTest reports whether prefix is that of a network other than the main
// network.
func isConfluxTest(prefix string) bool {
	id, ok := strings.CutPrefix(prefix, "net")
	if !ok {
		return prefix == confluxTest
	}
	n, err := strconv.ParseUint(id, 10, 32)
	return err == nil && strconv.FormatUint(n, 10) == id && n != 1 && n != 1029
}

// parseConfluxBody parses the text after prefix and fields.
func parseConfluxBody(prefix, body string) (isUpper bool, bad fault) {
	isUpper, at, f := cashaddr.Conflux.Verify(prefix, body)
	switch {
	case f == cashaddr.Charset:
		return false, badChar(at)
	case len(body) != confluxChars+cashaddr.ChecksumLen:
		return false, badLength
	case f == cashaddr.Checksum:
		return false, badChecksum
	}
	var b [2]byte
	cashaddr.Conflux.Read(b[:], body)
	switch {
	case b[0] != 0, cashaddr.Conflux.Size(body[:confluxChars]) < 0:
		return false, badSyntax
	}
	switch b[1] & 0xf0 {
	case confluxBuiltin, confluxUser, confluxContract:
		return isUpper, fault{}
	}
	return false, badSyntax
}

// isConfluxField reports whether field is valid before body.
func isConfluxField(field, body string) bool {
	key, value, ok := strings.Cut(field, ".")
	if !ok || strings.Contains(value, ".") || key == "" || value == "" {
		return false
	}
	if key != "type" {
		return true
	}
	w, _ := confluxKey(confluxPrefix + ":" + body)
	w0, _, _, _ := identity.Load(w)
	first := byte(w0)
	switch value {
	case "null":
		return w == words{}
	case "builtin":
		return first&0xf0 == confluxBuiltin
	case "user":
		return first&0xf0 == confluxUser
	case "contract":
		return first&0xf0 == confluxContract
	}
	return false
}

func confluxKey(text string) (words, tag) {
	return cashKey(0, cashaddr.Conflux, text[len(confluxPrefix)+1:])
}

func (conflux) canonical(text string, f form) (string, form) { return text, f }

func (conflux) account(text string, f form) (words, tag) { return confluxKey(text) }

func (conflux) key(text string, f form) (words, tag) { return words{}, 0 }

func (conflux) proves(form) bool { return true }
