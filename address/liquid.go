package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/address/internal/blech32"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// liquid is the format of the Liquid network: addresses like those of Bitcoin,
// and confidential addresses, which have a blinding key in front of the hash
// (V…, in Base58Check) or of the witness program (lq1…, in Blech32). The
// blinding key affects what others can see, not who owns the coins, so the
// canonical form omits it.
//
// See key_io.cpp and chainparams.cpp of Elements, and ELIP-150 for Blech32m.
type liquid struct{ utxo }

const (
	formBlindPKH form = lastUTXOForm + iota
	formBlindSH
	formBlindWPKH
	formBlindWSH
	formBlindWitness
)

const (
	liquidBlind    = "\x0c" // version byte in front of the address's own
	liquidBlindHRP = "lq"
	blindingKey    = 33 // a compressed public key
	maxBlinded     = blindingKey + maxProgram
)

// The human-readable parts of Liquid testnet and regtest, without and with
// blinding.
const (
	liquidTestHRP   = "tex ert"
	liquidTestBlind = "tlq el"
)

func (l *liquid) parse(s string, tolerant bool) (string, form, fault) {
	if hasHRP(s, liquidBlindHRP) {
		var program [maxProgram]byte
		version, n, bad := decodeBlinded(&program, liquidBlindHRP, s)
		if bad.err != nil {
			return "", 0, bad
		}
		return strings.ToLower(s), formBlindWPKH + witnessForm(version, n) - formWPKH, fault{}
	}
	for hrp := range strings.FieldsSeq(liquidTestBlind) {
		if hasHRP(s, hrp) {
			var program [maxProgram]byte
			_, _, bad := decodeBlinded(&program, hrp, s)
			if bad.err == nil {
				bad = badNetwork
			}
			return "", 0, bad
		}
	}
	if f, bad := l.parseBlinded58(s); bad.err == nil || bad.err == ErrNetwork {
		return s, f, bad
	}
	return l.utxo.parse(s, tolerant)
}

// witnessForm returns the form of a SegWit address with the given version and
// program length.
func witnessForm(version byte, n int) form {
	switch {
	case version != 0:
		return formWitness
	case n == 20:
		return formWPKH
	}
	return formWSH
}

// parseBlinded58 parses s as a confidential address in Base58Check: the version
// byte of the blinding, that of the address, the blinding key and the hash.
func (l *liquid) parseBlinded58(s string) (form, fault) {
	var buf [base58.MaxLen]byte
	n, _ := base58.Bitcoin.Decode(buf[:], s)
	b := buf[:max(n, 0)]
	switch {
	case len(b) != 2+blindingKey+20+sumLen:
		return 0, badLength
	case !l.hash.verifies(b):
		return 0, badChecksum
	case b[2]|1 != 3:
		return 0, badSyntax // not a compressed public key
	}
	switch string(b[:2]) {
	case liquidBlind + l.pkh:
		return formBlindPKH, fault{}
	case liquidBlind + l.sh:
		return formBlindSH, fault{}
	case "\x17\x24", "\x17\x13", "\x04\xeb", "\x04\x4b": // Liquid testnet, regtest
		return 0, badNetwork
	}
	return 0, badSyntax
}

// decodeBlinded decodes s, which begins with hrp and is in Blech32. It writes
// the witness program to program and returns the witness version and the length
// of the program.
func decodeBlinded(program *[maxProgram]byte, hrp, s string) (version byte, n int, bad fault) {
	var values [1 + (8*maxBlinded+4)/5]byte
	n, variant, at, f := blech32.Decode(values[:], hrp, s)
	if f != bech32.OK {
		return 0, 0, bech32Fault(at, f)
	}
	if n == 0 {
		return 0, 0, badLength
	}
	if version = values[0]; version > 16 {
		return 0, 0, badChar(len(hrp) + 1)
	}
	if (version == 0) != (variant == blech32.Blech32) {
		return 0, 0, badChecksum
	}
	var b [maxBlinded]byte
	n = bech32.Pack(b[:], values[1:n])
	if n < 0 || b[0]|1 != 3 {
		return 0, 0, badSyntax
	}
	n -= blindingKey
	if n < minProgram || version == 0 && n != 20 && n != 32 {
		return 0, 0, badLength
	}
	copy(program[:], b[blindingKey:])
	return version, n, fault{}
}

// unblinded returns the form of the same address without the blinding key.
func (f form) unblinded() form {
	switch f {
	case formBlindPKH:
		return formPKH
	case formBlindSH:
		return formSH
	case formBlindWPKH, formBlindWSH, formBlindWitness:
		return f - formBlindWPKH + formWPKH
	}
	return f
}

func (l *liquid) canonical(text string, f form) (string, form) {
	switch plain := f.unblinded(); f {
	case formBlindPKH:
		return l.rewrite(text, l.pkh), plain
	case formBlindSH:
		return l.rewrite(text, l.sh), plain
	case formBlindWPKH, formBlindWSH, formBlindWitness:
		var program [maxProgram]byte
		version, n, _ := decodeBlinded(&program, liquidBlindHRP, text)
		return encodeSegWit(l.hrp, version, program[:n]), plain
	}
	return text, f
}

// encodeSegWit returns the SegWit address of a witness program.
func encodeSegWit(hrp string, version byte, program []byte) string {
	variant := bech32.Bech32m
	if version == 0 {
		variant = bech32.Bech32
	}
	return bech32.Encode(hrp, bech32.Unpack([]byte{version}, program), variant)
}

func (l *liquid) account(text string, f form) (words, tag) {
	switch f {
	case formBlindWPKH, formBlindWSH, formBlindWitness:
		var program [maxProgram]byte
		version, n, _ := decodeBlinded(&program, liquidBlindHRP, text)
		return programAccount(version, program[:n])
	}
	return l.utxo.account(text, f.unblinded())
}

func (l *liquid) key(text string, f form) (words, tag) {
	switch f {
	case formBlindWPKH, formBlindWSH:
		var program [maxProgram]byte
		_, n, _ := decodeBlinded(&program, liquidBlindHRP, text)
		if f == formBlindWPKH {
			return makeKey(identity.Hash160, program[:n])
		}
		return makeKey(identity.WitnessScript, program[:n])
	case formBlindWitness:
		return words{}, 0
	}
	return l.utxo.key(text, f.unblinded())
}
