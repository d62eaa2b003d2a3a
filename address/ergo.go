package address

import (
	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// ergo is the format of Ergo: Base58 of a byte for network and type, the
// content, and the first four bytes of the BLAKE2b-256 hash of both. The
// content is a public key (P2PK), the first 24 bytes of the hash of a script
// (P2SH), or a script (P2S). The letter case matters; the normal form is the
// input. A key must be a point of the curve, as Ergo's node requires. The
// format is written by hand because no Go library reads it.
//
// A P2S address can contain the very script that a P2PK or a P2SH address
// represents. That is the same account, and the short address is its canonical
// form. Scripts that do not fit into base58.MaxLen characters are rejected.
// Scripts are not parsed.
//
// See "Address" in the Ergo documentation, and ErgoAddress.scala of
// sigmastate-interpreter.
type ergo struct{}

const (
	formErgoP2PK form = iota
	formErgoP2SH
	formErgoP2S
	formErgoP2SOfP2PK // a P2S address that contains the script of a P2PK address
	formErgoP2SOfP2SH
)

const (
	ergoTestnet = 0x10 // in the head byte
	ergoKey     = 33
	ergoHash    = 24

	// The script of a P2PK address, up to the key.
	ergoKeyScript = "\x00\x08\xcd"

	// The script of a P2SH address, around the hash. It names a variable
	// twice: 1 in older software, 126 in newer.
	ergoHashScript    = "\x00\xea\x02\xd1\x93\xb4\xcb\xe4\xe3\x01\x0e\x04\x00\x04\x30\x0e\x18"
	ergoHashScript126 = "\x00\xea\x02\xd1\x93\xb4\xcb\xe4\xe3\x7e\x0e\x04\x00\x04\x30\x0e\x18"
	ergoHashTail      = "\xd4\x08\x01"
	ergoHashTail126   = "\xd4\x08\x7e"
)

func (ergo) parse(s string, tolerant bool) (string, form, fault) {
	if isHexKey(s) {
		return "", 0, badSyntax
	}
	var buf [base58.MaxLen]byte
	n, at := base58.Bitcoin.Decode(buf[:], s)
	switch {
	case at >= 0:
		return "", 0, badChar(at)
	case n < 1+1+sumLen:
		return "", 0, badLength
	}
	b := buf[:n-sumLen]
	sum := blake2b.Sum256(b)
	if [sumLen]byte(sum[:]) != [sumLen]byte(buf[n-sumLen:]) {
		return "", 0, badChecksum
	}
	head, content := b[0], b[1:]
	f := form(head&^ergoTestnet) - 1
	switch {
	case f == formErgoP2PK && len(content) != ergoKey, f == formErgoP2SH && len(content) != ergoHash:
		return "", 0, badLength
	case f == formErgoP2PK && !isSecp256k1Key([ergoKey]byte(content)), f > formErgoP2S:
		return "", 0, badSyntax
	case head&ergoTestnet != 0:
		return "", 0, badNetwork
	}
	if f == formErgoP2S {
		f = ergoScriptForm(content)
	}
	return s, f, fault{}
}

// ergoScriptForm returns the form of a P2S address with the script.
func ergoScriptForm(script []byte) form {
	const p2pk, p2sh = len(ergoKeyScript), len(ergoHashScript)
	switch {
	case len(script) == p2pk+ergoKey && string(script[:p2pk]) == ergoKeyScript && isSecp256k1Key([ergoKey]byte(script[p2pk:])):
		return formErgoP2SOfP2PK
	case len(script) == p2sh+ergoHash+len(ergoHashTail) &&
		(string(script[:p2sh]) == ergoHashScript && string(script[p2sh+ergoHash:]) == ergoHashTail ||
			string(script[:p2sh]) == ergoHashScript126 && string(script[p2sh+ergoHash:]) == ergoHashTail126):
		return formErgoP2SOfP2SH
	}
	return formErgoP2S
}

// ergoContent decodes text, a valid address, into buf. It returns the content
// of the canonical address and its form.
func ergoContent(buf *[base58.MaxLen]byte, text string, f form) ([]byte, form) {
	n, _ := base58.Bitcoin.Decode(buf[:], text)
	content := buf[1 : n-sumLen]
	switch f {
	case formErgoP2SOfP2PK:
		return content[len(ergoKeyScript):], formErgoP2PK
	case formErgoP2SOfP2SH:
		return content[len(ergoHashScript):][:ergoHash], formErgoP2SH
	}
	return content, f
}

func (ergo) canonical(text string, f form) (string, form) {
	if f != formErgoP2SOfP2PK && f != formErgoP2SOfP2SH {
		return text, f
	}
	var buf [base58.MaxLen]byte
	content, f := ergoContent(&buf, text, f)
	b := append([]byte{byte(f) + 1}, content...)
	sum := blake2b.Sum256(b)
	return base58.Bitcoin.Encode(append(b, sum[:sumLen]...)), f
}

func (ergo) account(text string, f form) (words, tag) {
	var buf [base58.MaxLen]byte
	content, f := ergoContent(&buf, text, f)
	if f == formErgoP2SH {
		return makeKey(identity.Class(f), content)
	}
	return hashedKey(identity.Class(f), content)
}

func (ergo) key(text string, f form) (words, tag) {
	var buf [base58.MaxLen]byte
	content, f := ergoContent(&buf, text, f)
	if f != formErgoP2PK {
		return words{}, 0
	}
	return secp256k1Key(content)
}

func (ergo) proves(form) bool { return true }

// secp256k1Key returns the Key of a compressed secp256k1 public key: its x
// coordinate. The same secret controls both points with an x coordinate, and
// some chains reveal only x.
func secp256k1Key(compressed []byte) (words, tag) {
	return makeKey(identity.Secp256k1, compressed[1:])
}
