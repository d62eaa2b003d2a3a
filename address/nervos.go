package address

import "github.com/walletscreen/walletscreen/internal/bech32"

// nervos is the format of Nervos CKB: a lock script, which consists of the hash
// of a code, the type of that hash, and arguments. A script has up to three
// spellings. The canonical form is the full one, in Bech32m. The other two, in
// Bech32, are deprecated: they omit the type, or identify one of three codes by
// a number.
//
// See RFC 21, "CKB Address Format".
type nervos struct{}

const (
	nervosHRP  = "ckb"
	nervosTest = "ckt"
)

// The first byte of an address determines the layout of the rest.
const (
	nervosFull    = 0 // code hash, hash type, arguments
	nervosShort   = 1 // number of the code, 20 bytes of arguments
	nervosOldData = 2 // code hash, arguments; the type is "data"
	nervosOldType = 4 // code hash, arguments; the type is "type"
)

// The forms of nervos.
const (
	formNervos    form = iota // the full form
	formNervosOld             // a deprecated one
)

// nervosCodes holds the hashes of the numbered codes: key hash, multi-signature
// script hash, anyone-can-pay. Their type is "type".
//
// See RFC 24, "CKB Genesis Script List".
var nervosCodes = [...]string{
	"\x9b\xd7\xe0\x6f\x3e\xcf\x4b\xe0\xf2\xfc\xd2\x18\x8b\x23\xf1\xb9\xfc\xc8\x8e\x5d\x4b\x65\xa8\x63\x7b\x17\x72\x3b\xbd\xa3\xcc\xe8",
	"\x5c\x50\x69\xeb\x08\x57\xef\xc6\x5e\x1b\xca\x0c\x07\xdf\x34\xc3\x16\x63\xb3\x62\x2f\xd3\x87\x6c\x87\x63\x20\xfc\x96\x34\xe2\xa8",
	"\xd3\x69\x59\x7f\xf4\x7f\x29\xfb\xc0\xd4\x7d\x2e\x37\x75\x37\x0d\x12\x50\xb8\x51\x40\xc6\x70\xe4\x71\x8a\xf7\x12\x98\x3a\x23\x54",
}

// The types of a code hash: of the data of a cell, for each version of the
// virtual machine, or of the type script.
const (
	nervosHashData  = 0
	nervosHashType  = 1
	nervosHashData1 = 2
	nervosHashData2 = 4
)

// maxNervos is the maximum number of bytes of an address, that of the longest
// text.
const maxNervos = bech32.MaxLen * 5 / 8

func (nervos) parse(s string, tolerant bool) (string, form, fault) {
	v, at, f := bech32.Verify(nervosHRP, s)
	switch f {
	case bech32.OK:
	case bech32.Length:
		return "", 0, badLength
	case bech32.Checksum:
		return "", 0, badChecksum
	default:
		if _, _, f := bech32.Verify(nervosTest, s); f == bech32.OK {
			return "", 0, badNetwork
		}
		return "", 0, badChar(at)
	}
	var buf [1 + 32 + 1]byte
	data := s[len(nervosHRP)+1 : len(s)-bech32.ChecksumLen]
	size := bech32.Size(data)
	if size < 0 {
		return "", 0, badSyntax
	}
	if size == 0 {
		return "", 0, badLength
	}
	bech32.Read(buf[:], data)
	f2, want := formNervosOld, bech32.Bech32
	switch buf[0] {
	case nervosFull:
		f2, want = formNervos, bech32.Bech32m
		if size < 1+32+1 {
			return "", 0, badLength
		}
		switch buf[33] {
		case nervosHashData, nervosHashType, nervosHashData1, nervosHashData2:
		default:
			return "", 0, badSyntax
		}
	case nervosShort:
		if size != 1+1+20 {
			return "", 0, badLength
		}
		if int(buf[1]) >= len(nervosCodes) {
			return "", 0, badSyntax
		}
	case nervosOldData, nervosOldType:
		if size < 1+32 {
			return "", 0, badLength
		}
	default:
		return "", 0, badSyntax
	}
	if v != want {
		return "", 0, badChecksum
	}
	return lowerBech32(s), f2, fault{}
}

// nervosScript writes the payload of the full form to b: a zero, the code hash,
// the hash type and the arguments. It returns the length.
func nervosScript(b *[maxNervos + 32]byte, text string) int {
	var buf [maxNervos]byte
	payload := buf[:bech32.Read(buf[:], text[len(nervosHRP)+1:len(text)-bech32.ChecksumLen])]
	code, args, typ := "", payload[1:], byte(nervosHashType)
	switch payload[0] {
	case nervosFull:
		return copy(b[:], payload)
	case nervosShort:
		code, args = nervosCodes[payload[1]], payload[2:]
	case nervosOldData:
		typ = nervosHashData
	}
	n := 1 + copy(b[1:], code)
	if code == "" {
		n += copy(b[n:], args[:32])
		args = args[32:]
	}
	b[n] = typ
	return n + 1 + copy(b[n+1:], args)
}

func (nervos) canonical(text string, f form) (string, form) {
	if f == formNervos {
		return text, f
	}
	var b [maxNervos + 32]byte
	n := nervosScript(&b, text)
	return encodeBech32(nervosHRP, b[:n], bech32.Bech32m), formNervos
}

func (nervos) account(text string, f form) (words, tag) {
	var b [maxNervos + 32]byte
	return hashedKey(0, b[:nervosScript(&b, text)])
}

func (nervos) key(text string, f form) (words, tag) { return words{}, 0 }

func (nervos) proves(form) bool { return true }
