package address

import (
	"encoding/binary"
	"strings"
)

// flow is the format of flow: 16 hex digits, with or without "0x". The normal
// form has "0x" and is lower case. The 64 bits are a nonzero word of a linear
// code of length 64, dimension 45 and distance 7. The addresses of the test
// network and of the emulator are words of the code combined with a constant.
//
// See flow-go, model/flow/address.go, and "Flow account addressing" there.
type flow struct{}

const (
	flowDigits         = 16
	formFlow      form = 0
	flowTestnet        = 0x6834ba37b3980209
	flowEmulator       = 0x1cb159857af02018
	flowParityLen      = 19
)

// flowParity holds the columns of the code's parity-check matrix that are not
// unit vectors, for the bits from 19 on, lowest first.
var flowParity = [64 - flowParityLen]uint32{
	0x7328d, 0x6689a, 0x6112f, 0x6084b, 0x433fd, 0x42aab, 0x41951, 0x233ce, 0x22a81,
	0x21948, 0x1ef60, 0x1deca, 0x1c639, 0x1bdd8, 0x1a535, 0x194ac, 0x18c46, 0x1632b,
	0x1529b, 0x14a43, 0x13184, 0x12942, 0x118c1, 0x0f812, 0x0e027, 0x0d00e, 0x0c83c,
	0x0b01d, 0x0a831, 0x0982b, 0x07034, 0x0682a, 0x05819, 0x03807, 0x007d2, 0x00727,
	0x0068e, 0x0067c, 0x0059d, 0x004eb, 0x003b4, 0x0036a, 0x002d9, 0x001c7, 0x0003f,
}

func (flow) parse(s string, tolerant bool) (string, form, fault) {
	at := 0
	if len(s) == 2+flowDigits {
		at = 2
		if s[0] != '0' || s[1] != 'x' && !(tolerant && s[1] == 'X') {
			return "", 0, badHexPrefix(s)
		}
	} else if len(s) != flowDigits {
		return "", 0, badHexLength(s)
	}
	bad, capitals := scanHex(s, at)
	if bad >= 0 {
		return "", 0, badChar(bad)
	}
	word := flowWord(s)
	switch {
	case isFlowCode(word):
	case isFlowCode(word ^ flowTestnet), isFlowCode(word ^ flowEmulator):
		return "", 0, badNetwork
	default:
		return "", 0, badChecksum
	}
	if at == 0 {
		s = "0x" + s
	}
	if capitals || s[1] == 'X' {
		s = strings.ToLower(s)
	}
	return s, formFlow, fault{}
}

// flowWord returns the number that the last 16 digits of s spell.
func flowWord(s string) uint64 {
	var b [8]byte
	unhex(b[:], s[len(s)-flowDigits:])
	return binary.BigEndian.Uint64(b[:])
}

// isFlowCode reports whether word, which must not be zero, is in the code.
func isFlowCode(word uint64) bool {
	parity := uint32(word & (1<<flowParityLen - 1))
	for i, column := range flowParity {
		parity ^= column * uint32(word>>(flowParityLen+i)&1)
	}
	return parity == 0 && word != 0
}

func (flow) canonical(text string, f form) (string, form) { return text, f }

func (flow) account(text string, f form) (words, tag) { return idKey(0, flowWord(text)) }

func (flow) key(string, form) (words, tag) { return words{}, 0 }

func (flow) proves(form) bool { return false }
