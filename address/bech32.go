package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// bech is Bech32 of the payload with the human-readable part prefix, behind the
// characters lead. The normal form is lower case.
type bech struct {
	variant bech32.Variant
	lead    string
}

var (
	bech32Text  = bech{variant: bech32.Bech32}
	bech32mText = bech{variant: bech32.Bech32m}
)

// hasHRP reports whether s begins with the human-readable part hrp, in any letter case, and a 1.
func hasHRP(s, hrp string) bool {
	return len(s) > len(hrp) && s[len(hrp)] == '1' && (s[:len(hrp)] == hrp || strings.EqualFold(s[:len(hrp)], hrp))
}

// data32 returns the characters that hold the data of the text from offset at on, if it is text of
// code and variant v with the human-readable part hrp. If only the checksum is wrong, it returns
// both the characters and a fault. It verifies the text once for all codecs.
func (r *reader) data32(code *bech32.Code, v bech32.Variant, hrp string, at int) (string, fault) {
	s := r.s[at:]
	if !hasHRP(s, hrp) {
		i := 0
		for i < min(len(s), len(hrp)) && (s[i] == hrp[i] || s[i] == hrp[i]&^0x20) {
			i++
		}
		if i == len(s) {
			return "", fault{err: ErrLength, at: -1, lead: true}
		}
		return "", fault{err: ErrCharset, at: at + i, lead: true}
	}
	r.claimed = true
	if r.hrp != hrp {
		r.hrp = hrp
		r.variant, r.at32, r.fault32 = code.Verify(hrp, s)
	}
	switch r.fault32 {
	case bech32.Length:
		return "", badLength
	case bech32.Charset, bech32.Prefix:
		return "", badChar(at + r.at32)
	}
	data := s[len(hrp)+1 : len(s)-code.ChecksumLen]
	if r.fault32 == bech32.Checksum || r.variant != v {
		return data, fault{err: ErrChecksum, at: -1, lead: r.fault32 == bech32.OK}
	}
	return data, fault{}
}

// isLowerBech32 reports whether s, which must be valid Bech32, is in lower case.
// All letters have the same case, and the first character is a letter.
func isLowerBech32(s string) bool { return s[0] >= 'a' }

func (e bech) read(r *reader, c *codec) fault {
	if !strings.HasPrefix(r.s, e.lead) {
		return badLead(r.s, e.lead)
	}
	data, bad := r.data32(bech32.Std, e.variant, c.prefix, len(e.lead))
	if bad.err != nil && bad.err != ErrChecksum {
		return bad
	}
	n := bech32.Std.Size(data)
	switch {
	case bad.lead: // the other checksum is right
		return bad
	case c.size != 0 && len(data) != (8*c.size+4)/5, c.size == 0 && (n == 0 || n > maxPayload-64):
		return badLength
	case bad.err != nil:
		return bad
	case n < 0:
		return badSyntax // too much padding, or padding that is not zero
	}
	r.n = bech32.Std.Read(r.buf[:n], data)
	r.normal = isLowerBech32(r.s[len(e.lead):])
	return fault{}
}

func (e bech) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [128]byte
	return bech32.Std.Append(append(dst, e.lead...), c.prefix, bech32.Unpack(buf[:0], payload), e.variant)
}

func (e bech) bounds(c *codec) bounds {
	return bounds32(c, e.lead, 0)
}

// bounds32 returns the bounds of Bech32 with a number of characters beside the bytes.
func bounds32(c *codec, lead string, more int) bounds {
	n := len(lead) + len(c.prefix) + 1 + more + bech32.Std.ChecksumLen
	b := bounds{n, bech32.MaxLen, classAddress, strings.ToLower(lead) + c.prefix + "1", true}
	if c.size != 0 {
		b.min += (8*c.size + 4) / 5
		b.max = b.min
	}
	return b
}
