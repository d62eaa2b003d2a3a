package address

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/crc16"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// ton is the format of ton. An account is the number of a workchain, 0 for the
// basic workchain or -1 for the masterchain, and 32 bytes. The raw form is "0:"
// or "-1:" and 64 hex digits. The user-friendly form is 48 characters of Base64
// in either alphabet: a tag byte, the number, the bytes, and a big-endian
// CRC-16. The tag tells whether coins that cannot be delivered bounce ("EQ…",
// "Ef…") or not ("UQ…", "Uf…"); it is not part of the account.
//
// The normal form uses the URL-safe alphabet and lower-case hex digits. The
// canonical form is the raw one.
//
// See TEP-2, "TON Addresses".
type ton struct{}

const (
	formTonRaw form = iota
	formTonFriendly
)

const (
	tonFriendlyLen = 48
	tonBounceable  = 0x11
	tonSilent      = 0x51 // not bounceable
	tonTest        = 0x80 // added to the tag on test networks
)

func (ton) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) == tonFriendlyLen {
		return parseTonFriendly(s)
	}
	text, bad := parseTonRaw(s)
	return text, formTonRaw, bad
}

func parseTonFriendly(s string) (string, form, fault) {
	var raw [36]byte
	alphabets, at := decodeBase64(raw[:], s)
	if at >= 0 {
		return "", 0, badChar(at)
	}
	tag := raw[0] &^ tonTest
	switch {
	case tag&0xbc != tonBounceable&0xbc: // the six bits of the first character
		return "", 0, badChar(0)
	case tag != tonBounceable && tag != tonSilent:
		return "", 0, badChar(1)
	case crc16.XModem(raw[:34]) != binary.BigEndian.Uint16(raw[34:]):
		return "", 0, badChecksum
	case raw[1] != 0 && raw[1] != 0xff:
		return "", 0, badSyntax
	case raw[0]&tonTest != 0:
		return "", 0, badNetwork
	}
	if alphabets == base64Std {
		s = strings.NewReplacer("+", "-", "/", "_").Replace(s)
	}
	return s, formTonFriendly, fault{}
}

func parseTonRaw(s string) (string, fault) {
	at := 2
	switch {
	case strings.HasPrefix(s, "0:"):
	case strings.HasPrefix(s, "-1:"):
		at = 3
	case len(s) == 2+64 && s[1] == ':' || len(s) == 3+64 && s[2] == ':':
		return "", badSyntax // another workchain
	default:
		return "", wrongLength(s)
	}
	if len(s) != at+64 {
		return "", badLength
	}
	bad, capitals := scanHex(s, at)
	if bad >= 0 {
		return "", badChar(bad)
	}
	if capitals {
		s = strings.ToLower(s)
	}
	return s, fault{}
}

func (ton) canonical(text string, f form) (string, form) {
	if f == formTonRaw {
		return text, f
	}
	var raw [36]byte
	decodeBase64(raw[:], text)
	buf := make([]byte, 0, 3+64)
	if raw[1] == 0xff {
		buf = append(buf, "-1:"...)
	} else {
		buf = append(buf, "0:"...)
	}
	return string(hex.AppendEncode(buf, raw[2:34])), formTonRaw
}

func (ton) account(text string, f form) (words, tag) {
	if f == formTonFriendly {
		var raw [36]byte
		decodeBase64(raw[:], text)
		return makeKey(identity.Class(raw[1]&1), raw[2:34])
	}
	var c identity.Class
	if text[0] == '-' {
		c = 1
	}
	return hexKey(c, text[len(text)-64:])
}

func (ton) key(string, form) (words, tag) { return words{}, 0 }

func (ton) proves(f form) bool { return f == formTonFriendly }
