package book

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// A spelling is how the addresses of a chain are written that hold nothing but the bytes
// of a key. A Book has no text of such an address. As text, a spelling is the chain, the
// encoding, and what that needs, separated by blanks:
//
//	ethereum 0x                  0x and the bytes in hex
//	solana base58                the bytes in Base58
//	bitcoin base58check 00       00, the bytes, and four bytes of their double SHA-256 in Base58
//	xrp ripple58check 00         the same in the alphabet of the XRP Ledger
//	cosmos bech32 cosmos         the bytes in Bech32 with this prefix
//	bitcoin bech32m bc 1         the value 1 and the bytes in Bech32m with this prefix
//
// A Book has the text of an address of any other form. So a spelling is never wrong:
// writing it yields exactly the address.
type spelling struct {
	text  string
	chain address.Chain
	write func(payload []byte) string
}

const (
	maxVersion = 8  // bytes of a version
	maxPrefix  = 83 // characters of a prefix, as in BIP-173
)

// parseSpelling reads the text of a spelling.
func parseSpelling(text string) (spelling, bool) {
	chain, rest, _ := strings.Cut(text, " ")
	s := spelling{text: text, chain: address.Chain(chain)}
	encoding, rest, _ := strings.Cut(rest, " ")
	switch encoding {
	case "0x":
		s.write = func(payload []byte) string { return "0x" + hex.EncodeToString(payload) }
	case "base58":
		s.write = base58.Bitcoin.Encode
	case "base58check", "ripple58check":
		version, err := hex.DecodeString(rest)
		if err != nil || len(version) > maxVersion {
			return s, false
		}
		alphabet := base58.Bitcoin
		if encoding == "ripple58check" {
			alphabet = base58.Ripple
		}
		s.write = func(payload []byte) string {
			var buf [64]byte
			b := append(append(buf[:0], version...), payload...)
			sum := sha256.Sum256(b)
			sum = sha256.Sum256(sum[:])
			return alphabet.Encode(append(b, sum[:4]...))
		}
	case "bech32", "bech32m":
		variant := bech32.Bech32
		if encoding == "bech32m" {
			variant = bech32.Bech32m
		}
		hrp, value, _ := strings.Cut(rest, " ")
		first := []byte(value)
		if len(hrp) > maxPrefix || len(first) > 1 || len(first) == 1 && (first[0] < '0' || first[0] > '9') {
			return s, false
		}
		for i := range first {
			first[i] -= '0'
		}
		s.write = func(payload []byte) string {
			var buf [64]byte
			return bech32.Encode(hrp, bech32.Unpack(append(buf[:0], first...), payload), variant)
		}
	default:
		return s, false
	}
	return s, true
}

// spellingOf returns the spelling of an address whose key has the given payload, if
// there is one.
func spellingOf(a address.Address, payload []byte) (spelling, bool) {
	text := a.Normalized()
	encodings := []string{"0x", "base58"}
	var buf [base58.MaxLen]byte
	if n, _ := base58.Bitcoin.Decode(buf[:], text); n >= len(payload)+4 {
		encodings = append(encodings, "base58check "+hex.EncodeToString(buf[:n-len(payload)-4]))
	}
	if n, _ := base58.Ripple.Decode(buf[:], text); n >= len(payload)+4 {
		encodings = append(encodings, "ripple58check "+hex.EncodeToString(buf[:n-len(payload)-4]))
	}
	if i := strings.LastIndexByte(text, '1'); i > 0 && i+1 < len(text) && !strings.ContainsAny(text, ": ") {
		hrp := text[:i]
		encodings = append(encodings, "bech32 "+hrp, "bech32m "+hrp)
		if v := bech32.Std.Value(text[i+1]); v < 10 {
			encodings = append(encodings, "bech32 "+hrp+" "+string(rune('0'+v)), "bech32m "+hrp+" "+string(rune('0'+v)))
		}
	}
	for _, e := range encodings {
		if s, ok := parseSpelling(string(a.Chain()) + " " + e); ok && s.write(payload) == text {
			return s, true
		}
	}
	return spelling{}, false
}
