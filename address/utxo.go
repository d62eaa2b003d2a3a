package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// A utxo is the format of Bitcoin and similar chains: Base58Check with the
// version bytes of the chain, and SegWit with its human-readable part. The
// normal form of Base58 is the text itself, that of SegWit is lower case.
//
// See BIP-13 (P2SH), BIP-173 and BIP-350 (SegWit), and chainparams.cpp of the
// chain's node software for the parameters.
type utxo struct {
	pkh, sh       string    // version bytes of P2PKH and P2SH
	oldPKH, oldSH string    // former version bytes of accounts that now use pkh and sh
	more          []version // further Base58Check encodings of the chain
	hrp           string    // human-readable part of SegWit; "" if the chain has none
	long          string    // human-readable part of the form in longForm
	longForm      form      // formMWEB or formSapling
	test          []string  // version bytes of the test networks
	testHRP       string    // human-readable parts of the test networks, separated by spaces
	hash          checkHash
}

// A version is a further Base58Check encoding of a chain.
type version struct {
	prefix string
	form   form
}

// The forms of UTXO chains. A format that embeds utxo numbers its own forms
// from lastUTXOForm.
const (
	formPKH      form = iota // P2PKH
	formSH                   // P2SH
	formOldPKH               // P2PKH with former version bytes
	formOldSH                // P2SH with former version bytes
	formWPKH                 // P2WPKH
	formWSH                  // P2WSH
	formWitness              // a witness program of a version from 1 to 16
	formMWEB                 // litecoin: a scan key and a spend key of its MimbleWimble extension blocks
	formSapling              // pivx: a shielded receiver
	formSprout               // horizen: a shielded receiver of the first kind
	formExchange             // pivx, firo: P2PKH that only takes transparent coins
	formStaking              // pivx: P2PKH of a key that may stake for an owner
	formPubKey               // decred: P2PK
	formEdwards              // decred: P2PKH of an ed25519 key
	formSchnorr              // decred: P2PKH for Schnorr signatures
	lastUTXOForm
)

// The kinds of accounts of UTXO chains. The kind of a short witness program is
// kindWitness plus the witness version.
const (
	kindPKH identity.Class = iota
	kindSH
	kindWSH
	kindMWEB
	kindSapling
	kindSprout
	kindExchange
	kindStaking
	kindPubKey
	kindEdwards
	kindSchnorr
	kindLongWitness            // a witness program over 32 bytes: the SHA-256 hash of version and program
	kindWPKH                   // witness version 0 and 20 bytes
	kindWitness     = kindWPKH // version 1 is kindWitness+1
	lastUTXOKind    = kindWitness + 17
)

// payloadLen returns the number of bytes between version and checksum.
func (f form) payloadLen() int {
	switch f {
	case formPubKey:
		return 33
	case formSprout:
		return 64
	}
	return 20
}

func (u *utxo) parse(s string, tolerant bool) (string, form, fault) {
	if u.hrp != "" && hasHRP(s, u.hrp) {
		text, f, bad := parseSegWit(u.hrp, s)
		if bad.err != nil {
			// The letters before a 1 may also be Base58: LTC1… can be P2PKH.
			if f, other := u.parseBase58(s); other.err == nil {
				return s, f, fault{}
			}
		}
		return text, f, bad
	}
	f, bad := u.parseBase58(s)
	if bad.err != nil {
		return u.parseRest(s, bad)
	}
	return s, f, fault{}
}

// parseBase58 parses s as Base58Check with one of the chain's versions.
func (u *utxo) parseBase58(s string) (form, fault) {
	var short [base58.ShortLen]byte
	n, bad := base58.Bitcoin.DecodeShort(&short, s)
	if n >= 0 {
		return u.readBase58(short[len(short)-n:])
	}
	if bad >= 0 {
		return 0, badChar(bad)
	}
	var long [base58.MaxLen]byte
	n, bad = base58.Bitcoin.Decode(long[:], s)
	switch {
	case n >= 0:
		return u.readBase58(long[:n])
	case bad >= 0:
		return 0, badChar(bad)
	}
	return 0, badLength
}

// readBase58 returns the form of the address with the bytes b.
func (u *utxo) readBase58(b []byte) (form, fault) {
	slow := u.hash == groestl512 // so it hashes nothing else than addresses
	if slow && !u.hasLength(len(b)) || !u.hash.verifies(b) {
		switch {
		case !u.hasLength(len(b)):
			return 0, badLength
		}
		return 0, badChecksum
	}
	switch {
	case hasVersion(b, u.pkh, formPKH):
		return formPKH, fault{}
	case hasVersion(b, u.sh, formSH):
		return formSH, fault{}
	case hasVersion(b, u.oldPKH, formOldPKH):
		return formOldPKH, fault{}
	case hasVersion(b, u.oldSH, formOldSH):
		return formOldSH, fault{}
	}
	for _, v := range u.more {
		if hasVersion(b, v.prefix, v.form) {
			if v.form == formPubKey && !isDecredKey(b[len(v.prefix):len(b)-sumLen]) {
				return 0, badSyntax
			}
			return v.form, fault{}
		}
	}
	if isSecretShape(b) {
		return 0, badSyntax
	}
	for _, v := range u.test {
		// Payloads of any form have the same length as on the main
		// network.
		if hasVersion(b, v, formPKH) || hasVersion(b, v, formPubKey) || hasVersion(b, v, formSprout) {
			return 0, badNetwork
		}
	}
	if !u.hasLength(len(b)) {
		return 0, badLength
	}
	return 0, badSyntax
}

// hasVersion reports whether b is version prefix, which must not be empty, and
// a payload of form f.
func hasVersion(b []byte, prefix string, f form) bool {
	return prefix != "" && len(b) == len(prefix)+f.payloadLen()+sumLen && string(b[:len(prefix)]) == prefix
}

// hasLength reports whether some Base58 address of the chain has n bytes.
func (u *utxo) hasLength(n int) bool {
	if n == len(u.pkh)+20+sumLen || n == len(u.sh)+20+sumLen {
		return true
	}
	for _, v := range u.more {
		if n == len(v.prefix)+v.form.payloadLen()+sumLen {
			return true
		}
	}
	return false
}

// parseRest parses s, which is neither Base58 of the chain, because of bad, nor
// SegWit of the chain.
func (u *utxo) parseRest(s string, bad fault) (string, form, fault) {
	if u.long != "" && hasHRP(s, u.long) {
		return u.parseLong(s)
	}
	if u.longForm == formSapling && (strings.HasPrefix(s, "p-secret-") || strings.HasPrefix(s, "secret-")) {
		return "", 0, badSyntax // a spending key of the main network or of a test network
	}
	for hrp := range strings.FieldsSeq(u.testHRP) {
		if hasHRP(s, hrp) {
			return "", 0, u.parseTest(hrp, s)
		}
	}
	return "", 0, bad
}

// parseTest returns the fault of s, which begins like an address of the test
// network with the human-readable part hrp.
func (u *utxo) parseTest(hrp, s string) fault {
	_, _, bad := parseSegWit(hrp, s)
	if u.long != "" && bad.err != nil {
		var payload [mwebLen]byte
		_, bad = u.decodeLong(&payload, hrp, s)
	}
	if bad.err != nil {
		return bad
	}
	return badNetwork
}

func (u *utxo) canonical(text string, f form) (string, form) {
	switch f {
	case formOldPKH:
		return u.rewrite(text, u.pkh), formPKH
	case formOldSH:
		return u.rewrite(text, u.sh), formSH
	}
	return text, f
}

// rewrite returns text, which is Base58 with 20 bytes of payload, with another
// version.
func (u *utxo) rewrite(text, version string) string {
	payload := base58Hash(text)
	return u.encode(version, payload[:])
}

// encode returns payload, at most 64 bytes, in the chain's Base58Check.
func (u *utxo) encode(version string, payload []byte) string {
	var buf [base58.MaxLen]byte
	b := append(append(buf[:0], version...), payload...)
	sum := u.hash.sum(b)
	return base58.Bitcoin.Encode(append(b, sum[:]...))
}

// base58Payload returns the payload of text, which must be Base58 of form f.
func base58Payload(buf *[base58.MaxLen]byte, text string, f form) []byte {
	n, _ := base58.Bitcoin.Decode(buf[:], text)
	return buf[n-sumLen-f.payloadLen() : n-sumLen]
}

func (u *utxo) account(text string, f form) (words, tag) {
	switch f {
	case formWPKH, formWSH, formWitness:
		return witnessAccount(u.hrp, text)
	case formMWEB, formSapling:
		return u.longAccount(text, f)
	case formSprout, formPubKey:
		var buf [base58.MaxLen]byte
		return hashedKey(f.kind(), base58Payload(&buf, text, f))
	}
	return base58Key(f.kind(), text)
}

// kind returns the kind of account of form f, which must be a Base58 form.
func (f form) kind() identity.Class {
	switch f {
	case formSH, formOldSH:
		return kindSH
	case formSprout:
		return kindSprout
	case formExchange:
		return kindExchange
	case formStaking:
		return kindStaking
	case formPubKey:
		return kindPubKey
	case formEdwards:
		return kindEdwards
	case formSchnorr:
		return kindSchnorr
	}
	return kindPKH
}

func (u *utxo) key(text string, f form) (words, tag) {
	switch f {
	case formWitness, formMWEB, formSprout:
		return words{}, 0
	case formSapling:
		w, t := u.longAccount(text, f)
		return w, makeTag(identity.Sapling, t.len())
	case formPubKey:
		var buf [base58.MaxLen]byte
		return makeKey(identity.Blake160, decredKeyHash(base58Payload(&buf, text, f)))
	}
	switch {
	case f == formSH, f == formOldSH:
		return base58Key(identity.ScriptHash, text)
	case u.hash == blake256d:
		return base58Key(identity.Blake160, text)
	}
	return base58Key(identity.Hash160, text)
}

func (u *utxo) proves(form) bool { return true }

// bitcoinTest holds the version bytes of Bitcoin's test networks, which many
// other chains use too.
var bitcoinTest = []string{"\x6f", "\xc4"}

// zcashTest holds the version bytes of transparent addresses on Zcash's test
// networks, which related chains use too.
var zcashTest = []string{"\x1d\x25", "\x1c\xba"}
