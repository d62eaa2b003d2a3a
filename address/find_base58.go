package address

import (
	"math"
	"slices"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// tryBase58 tries the chains whose addresses consist of Base58 digits, as s
// does.
func (f *finder) tryBase58(s string) (Address, bool) {
	var short [base58.ShortLen]byte
	var long [base58.MaxLen]byte
	var b []byte
	if n, _ := base58.Bitcoin.DecodeShort(&short, s); n >= 0 {
		b = short[len(short)-n:]
	} else {
		n, _ := base58.Bitcoin.Decode(long[:], s)
		b = long[:max(n, 0)]
	}
	if len(b) == 0 {
		return Address{}, false
	}
	rows := base58Rows[base58Head{byte(len(b)), b[0]}]
	if len(rows.bitcoin) > 0 && sha256d.verifies(b) {
		for _, r := range rows.bitcoin {
			if a, ok := f.tryRow(r, s); ok {
				return a, true
			}
		}
	}
	for _, r := range rows.others {
		if a, ok := f.tryRow(r, s); ok {
			return a, true
		}
	}
	if s[0] == 'r' || s[0] == 'X' {
		return f.tryRow(xrpRow, s)
	}
	if len(s) >= cnMinText {
		base58.Bitcoin.DecodeShort(&short, s[:cnBlockText])
		for _, r := range cryptonoteRows {
			if c := chains[r-1].format.(cryptonote); slices.Contains(c.tags(), short[len(short)-cnBlock]) {
				return f.tryRow(r, s)
			}
		}
	}
	return Address{}, false
}

// The length of a block of CryptoNote's Base58, in bytes and in digits.
const (
	cnBlock     = 8
	cnBlockText = 11
)

// tags returns the first bytes of addresses.
func (c cryptonote) tags() []byte { return []byte{c.standard, c.integrated, c.sub} }

// A base58Shape describes all addresses of one kind: they decode from Base58 to
// n bytes that begin with prefix.
type base58Shape struct {
	prefix string
	n      int
}

// base58Shapes returns the shapes of the addresses of f in Bitcoin's Base58, and
// reports whether they have Bitcoin's checksum.
func base58Shapes(f format) (all []base58Shape, bitcoin bool) {
	add := func(payload int, versions ...string) {
		for _, v := range versions {
			if v != "" {
				all = append(all, base58Shape{v, len(v) + payload + sumLen})
			}
		}
	}
	addUTXO := func(u *utxo) {
		add(20, u.pkh, u.sh, u.oldPKH, u.oldSH)
		for _, v := range u.more {
			add(v.form.payloadLen(), v.prefix)
		}
		bitcoin = u.hash == sha256d
	}
	switch f := f.(type) {
	case *utxo:
		addUTXO(f)
	case *cashAddr:
		addUTXO(&f.utxo)
	case *zcash:
		addUTXO(&f.utxo)
	case *liquid:
		addUTXO(&f.utxo)
		add(1+blindingKey+20, liquidBlind)
	case tron:
		add(20, "\x41")
		bitcoin = true
	case neo:
		add(20, string([]byte{f.version}))
		bitcoin = true
	case tezos:
		for _, p := range tezosPrefixes {
			add(20, string(p[:]))
		}
		bitcoin = true
	case helium:
		add(heliumLen-1-sumLen, "\x00")
		bitcoin = true
	case mina:
		add(minaLen-len(minaVersion), minaVersion)
		bitcoin = true
	case waves:
		add(wavesLen-2-sumLen, string([]byte{wavesVersion, wavesChain}))
	case ergo:
		add(ergoKey, "\x01")
		add(ergoHash, "\x02")
		for n := range base58.MaxLen {
			add(n, "\x03") // a script
		}
	case cardano:
		for n := range base58.MaxLen {
			add(n, "\x82\xd8")
		}
	case ss58:
		prefix := []byte{byte(f.prefix)}
		if f.prefix >= 0x40 {
			prefix = []byte{0x40 | byte(f.prefix>>2)&0x3f, byte(f.prefix>>8) | byte(f.prefix&3)<<6}
		}
		all = []base58Shape{{string(prefix), len(prefix) + ss58ID + ss58Checksum}}
	}
	return all, bitcoin
}

// A base58Head is the number of bytes of an address, and the first of them.
type base58Head [2]byte

// base58Rows holds the rows of the chains that have addresses of a shape, by
// whether they have Bitcoin's checksum.
var base58Rows = func() map[base58Head]struct{ bitcoin, others []uint16 } {
	t := make(map[base58Head]struct{ bitcoin, others []uint16 })
	for i := range chains {
		shapes, bitcoin := base58Shapes(chains[i].format)
		for _, s := range shapes {
			k := base58Head{byte(s.n), s.prefix[0]}
			rows, r := t[k], uint16(i+1)
			if of := &rows.bitcoin; bitcoin && !slices.Contains(*of, r) {
				*of = append(*of, r)
			} else if of := &rows.others; !bitcoin && !slices.Contains(*of, r) {
				*of = append(*of, r)
			}
			t[k] = rows
		}
	}
	return t
}()

// bitcoinBytes tells the first bytes of addresses in Base58 with Bitcoin's
// checksum.
var bitcoinBytes = func() (t [256]bool) {
	for k, rows := range base58Rows {
		t[k[1]] = t[k[1]] || len(rows.bitcoin) > 0
	}
	return t
}()

// mayBeBitcoin reports false if b, decoded from Base58, is certainly not an
// address with Bitcoin's checksum: because of its length or its first byte.
func mayBeBitcoin(b []byte) bool {
	return len(b) > sumLen && (len(b) <= 3+20+sumLen || len(b) > 1+32+sumLen) && bitcoinBytes[b[0]]
}

// mayBeBase58 reports false if no address of n Base58 digits begins with c, which
// must be such a digit.
func mayBeBase58(n int, c byte) bool {
	return base58Starts[n]>>base58.Bitcoin.Value(c)&1 != 0
}

// base58Starts maps the length of a text to the Base58 digits with which an
// address can begin, as a bit set of their values.
var base58Starts = func() (t [maxSpan + 1]uint64) {
	for i := range chains {
		shapes, _ := base58Shapes(chains[i].format)
		for _, s := range shapes {
			for n := range t {
				t[n] |= firstDigits(s, n)
			}
		}
		if c, ok := chains[i].format.(cryptonote); ok {
			for _, tag := range c.tags() {
				first := firstDigits(base58Shape{string([]byte{tag}), cnBlock}, cnBlockText)
				for n := cnMinText; n <= cnMaxText; n++ {
					t[n] |= first
				}
			}
		}
	}
	// In the alphabet of xrp the digit r is zero.
	for n := minGlued - 1; n <= maxGlued; n++ {
		t[n] |= 1 << base58.Bitcoin.Value('r')
	}
	for n := 46; n <= 48; n++ {
		t[n] |= 1 << base58.Bitcoin.Value('X')
	}
	return t
}()

// firstDigits returns the digits with which a text of n digits can begin that
// decodes to the shape, as a bit set of their values.
func firstDigits(s base58Shape, n int) (digits uint64) {
	if s.prefix[0] == 0 { // every leading zero byte is a digit 1
		if s.n <= n && float64(n-1) < 1+float64(8*(s.n-1))/bitsPerDigit {
			return 1
		}
		return 0
	}
	low, high := s.numbers()
	scale := math.Pow(58, float64(n-1))
	const margin = 1e-6 // far above the rounding error
	from, to := max(1, low/scale-margin), min(58-margin, high/scale+margin)
	for d := int(from); float64(d) <= to && from <= to; d++ {
		digits |= 1 << d
	}
	return digits
}

// numbers returns the range of the numbers whose bytes have the shape, which
// must not begin with a zero byte.
func (s base58Shape) numbers() (low, high float64) {
	v := 0
	for _, c := range []byte(s.prefix) {
		v = v<<8 | int(c)
	}
	bits := 8 * (s.n - len(s.prefix))
	return math.Ldexp(float64(v), bits), math.Ldexp(float64(v+1), bits)
}
