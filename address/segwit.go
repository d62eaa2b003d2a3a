package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// The limits of a SegWit address and of its witness program, from BIP-173.
const (
	maxSegWit  = 90
	minProgram = 2
	maxProgram = 40
)

// hasHRP reports whether s begins with the human-readable part hrp, in any
// letter case, and a 1.
func hasHRP(s, hrp string) bool {
	return len(s) > len(hrp) && s[len(hrp)] == '1' && (s[:len(hrp)] == hrp || strings.EqualFold(s[:len(hrp)], hrp))
}

// parseSegWit parses s, which begins with hrp and a 1, as a SegWit address.
func parseSegWit(hrp, s string) (string, form, fault) {
	f, bad := checkSegWit(hrp, s)
	if bad.err != nil {
		return "", 0, bad
	}
	return lowerBech32(s), f, fault{}
}

// checkSegWit is parseSegWit without the normal form. The program of version 0
// must have 20 or 32 bytes and the checksum of BIP-173; that of versions 1 to 16
// must have 2 to 40 bytes and the checksum of BIP-350.
// A Taproot key need not be a point of the curve, because the consensus rules
// accept payments to any key.
func checkSegWit(hrp, s string) (form, fault) {
	if len(s) > maxSegWit {
		return 0, badLength
	}
	variant, at, f := bech32.Verify(hrp, s)
	if f != bech32.OK {
		return 0, bech32Fault(at, f)
	}
	data := s[len(hrp)+1 : len(s)-bech32.ChecksumLen]
	if data == "" {
		return 0, badLength
	}
	version := bech32.Value(data[0])
	n := bech32.Size(data[1:])
	switch {
	case version > 16:
		return 0, badChar(len(hrp) + 1)
	case (version == 0) != (variant == bech32.Bech32):
		return 0, badChecksum
	case n < 0:
		return 0, badSyntax // too much padding, or padding that is not zero
	case n < minProgram, n > maxProgram:
		return 0, badLength
	case version != 0:
		return formWitness, fault{}
	case n == 20:
		return formWPKH, fault{}
	case n == 32:
		return formWSH, fault{}
	}
	return 0, badLength
}

// witnessProgram decodes text, a valid SegWit address, into program. It returns
// the witness version and the length of the program.
func witnessProgram(program *[maxProgram]byte, hrp, text string) (version byte, n int) {
	data := text[len(hrp)+1 : len(text)-bech32.ChecksumLen]
	return bech32.Value(data[0]), bech32.Read(program[:], data[1:])
}

// bech32Fault converts the fault f of package bech32 or blech32 at offset at.
func bech32Fault(at int, f bech32.Fault) fault {
	switch f {
	case bech32.Length:
		return badLength
	case bech32.Charset:
		return badChar(at)
	case bech32.Checksum:
		return badChecksum
	}
	return badSyntax
}

// witnessAccount returns the account of text, a valid SegWit address.
func witnessAccount(hrp, text string) (words, tag) {
	var program [maxProgram]byte
	version, n := witnessProgram(&program, hrp, text)
	return programAccount(version, program[:n])
}

// programAccount returns the account of a witness program.
func programAccount(version byte, program []byte) (words, tag) {
	switch {
	case len(program) > 32:
		var b [1 + maxProgram]byte
		b[0] = version // the kind does not determine the version
		return hashedKey(kindLongWitness, append(b[:1], program...))
	case version == 0 && len(program) == 32:
		return makeKey(kindWSH, program)
	}
	return makeKey(kindWitness+identity.Class(version), program)
}

// The lengths of payloads that are encoded like SegWit version 0 but are
// longer.
const (
	mwebLen    = 2 * 33 // a scan key and a spend key
	saplingLen = 11 + 32
)

// parseLong parses s, which begins with u.long and a 1.
func (u *utxo) parseLong(s string) (string, form, fault) {
	var payload [mwebLen]byte
	if _, bad := u.decodeLong(&payload, u.long, s); bad.err != nil {
		return "", 0, bad
	}
	return strings.ToLower(s), u.longForm, fault{}
}

// decodeLong decodes the payload of s into b and returns its length. The
// payload is two public keys after a version, which is zero, or a Sapling
// receiver without a version.
func (u *utxo) decodeLong(b *[mwebLen]byte, hrp, s string) (int, fault) {
	data, bad := bech32Data(hrp, "", bech32.Bech32, s)
	if bad.err != nil {
		return 0, bad
	}
	want := saplingLen
	if u.longForm == formMWEB {
		if data == "" {
			return 0, badLength
		}
		if bech32.Value(data[0]) != 0 {
			return 0, badChar(len(hrp) + 1)
		}
		data, want = data[1:], mwebLen
	}
	if len(data) != (8*want+4)/5 {
		return 0, badLength
	}
	if bech32.Size(data) < 0 {
		return 0, badSyntax
	}
	bech32.Read(b[:], data)
	if u.longForm == formMWEB && (b[0]|1 != 3 || b[33]|1 != 3) {
		return 0, badSyntax // not compressed keys
	}
	return want, fault{}
}

// longAccount returns the account of text, which must be in u.longForm.
func (u *utxo) longAccount(text string, f form) (words, tag) {
	var payload [mwebLen]byte
	n, _ := u.decodeLong(&payload, u.long, text)
	if f == formMWEB {
		return hashedKey(kindMWEB, payload[:n])
	}
	return hashedKey(kindSapling, payload[:n])
}
