package address

import (
	"math"
	"math/bits"
	"slices"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// glued searches the word at start to end, which is no address, for addresses
// that are glued to other text.
func (f *finder) glued(start, end int) {
	stop := start // where the run of Base58 digits from i on ends
	for i := start; i < end; i++ {
		if f.text[i] == '1' {
			f.gluedBech32(start, i, end)
		}
		for stop = max(stop, i); stop < end && charClass[f.text[stop]]&classBase58 != 0; {
			stop++
		}
		if stop-i >= minGlued {
			f.gluedBase58(i, stop)
		}
	}
}

// gluedBech32 searches for an address in Bech32 whose "1" is at one, in the word
// at start to end.
func (f *finder) gluedBech32(start, one, end int) {
	data := f.text[one+1 : min(end, one+1+maxSpan)]
	if len(data) < bech32.ChecksumLen || charClass[data[0]]&classBech32 == 0 {
		return
	}
	if one == start {
		return
	}
	for _, hrp := range gluedHRPs[f.text[one-1]|0x20] {
		at := one - len(hrp)
		if at < start || !hasHRP(f.text[at:end], hrp) {
			continue
		}
		var buf [4]int
		for _, n := range bech32.Ends(buf[:0], hrp, data) {
			f.try(at, one+1+n)
		}
	}
}

// gluedBase58 searches for an address in Base58Check that begins at start, in
// a run of digits that goes to end.
func (f *finder) gluedBase58(start, end int) {
	end = min(end, start+maxGlued)
	f.gluedDigits(base58.Bitcoin, start, end)
	if f.text[start] == 'r' {
		f.gluedDigits(base58.Ripple, start, end)
	}
}

// gluedDigits looks at the numbers that the digits from start on spell: at those
// that can have the bytes of a version that is in use, 20 bytes of payload and the
// checksum.
func (f *finder) gluedDigits(alphabet *base58.Alphabet, start, end int) {
	first := alphabet.Value(f.text[start])
	if first == 0 {
		f.gluedZeros(alphabet, start, end)
		return
	}
	lens := gluedLens[int(first)*58+int(alphabet.Value(f.text[start+1]))]
	for ; lens != 0; lens &= lens - 1 {
		to := start + bits.TrailingZeros64(lens)
		if to > end {
			return
		}
		var n number
		for i := start; i < to; {
			digits, scale := uint64(0), uint64(1)
			for ; i < to && scale < 58*58*58*58*58*58*58*58*58*58; i++ {
				digits, scale = digits*58+uint64(alphabet.Value(f.text[i])), scale*58
			}
			n.push(scale, digits)
		}
		f.gluedNumber(&n, 0, start, to)
	}
}

// gluedZeros is gluedDigits for text that begins with the digit for zero: as many
// bytes are zero.
func (f *finder) gluedZeros(alphabet *base58.Alphabet, start, end int) {
	zeros := 0
	for start+zeros < end && alphabet.Value(f.text[start+zeros]) == 0 {
		zeros++
	}
	if zeros > 1+20 {
		return // next to nothing is left of the payload
	}
	var n number
	for i := start + zeros; i < end && zeros+n.len() <= maxGluedBytes; i++ {
		n.push(58, uint64(alphabet.Value(f.text[i])))
		if i+1-start >= minGlued {
			f.gluedNumber(&n, zeros, start, i+1)
		}
	}
}

// gluedNumber tries the text at start to end, which spells as many zero bytes and
// then n, if that has the checksum of an address.
func (f *finder) gluedNumber(n *number, zeros, start, end int) {
	size := zeros + n.len()
	if size < minGluedBytes || size > maxGluedBytes {
		return
	}
	var b [maxGluedBytes]byte
	n.put(b[zeros:size])
	if isGluedVersion(b[:size]) && sha256d.verifies(b[:size]) {
		f.try(start, end)
	}
}

// The bytes of Base58Check of 20 bytes of payload, with versions of one to three
// bytes, and the most digits of them.
const (
	minGluedBytes = 1 + 20 + sumLen
	maxGluedBytes = 3 + 20 + sumLen
	maxGlued      = 37
)

// A number is a number of up to 32 bytes, the lowest word first.
type number [4]uint64

// push multiplies n by scale and adds digits.
func (n *number) push(scale, digits uint64) {
	carry := digits
	for i := range n {
		hi, lo := bits.Mul64(n[i], scale)
		lo, c := bits.Add64(lo, carry, 0)
		n[i], carry = lo, hi+c
	}
}

// len returns the number of bytes of n.
func (n *number) len() int {
	for i := len(n) - 1; i >= 0; i-- {
		if n[i] != 0 {
			return 8*i + (bits.Len64(n[i])+7)/8
		}
	}
	return 0
}

// put writes the lowest bytes of n to b, the highest first.
func (n *number) put(b []byte) {
	for i := range b {
		at := len(b) - 1 - i
		b[i] = byte(n[at/8] >> (8 * (at % 8)))
	}
}

// gluedHRPs are the human-readable parts of the addresses in Bech32, by their last
// letters.
var gluedHRPs = func() (all [256][]string) {
	for i := range chains {
		switch chains[i].format.(type) {
		case nervos:
			continue // as long as a script
		}
		for _, hrp := range formatHRPs(chains[i].format) {
			if hrp == "" || hrp == "u" || hrp == "lq" {
				continue
			}
			if of := &all[hrp[len(hrp)-1]]; !slices.Contains(*of, hrp) {
				*of = append(*of, hrp)
			}
		}
	}
	return all
}()

// gluedVersions are the versions of the addresses in Base58Check of 20 bytes, by
// their first bytes.
var gluedVersions = func() (t [256][]string) {
	add := func(versions ...string) {
		for _, v := range versions {
			if v != "" && !slices.Contains(t[v[0]], v) {
				t[v[0]] = append(t[v[0]], v)
			}
		}
	}
	addUTXO := func(u *utxo) {
		add(u.pkh, u.sh, u.oldPKH, u.oldSH)
		for _, v := range u.more {
			add(v.prefix)
		}
	}
	add("\x00", "\x41") // xrp, tron
	for i := range chains {
		switch f := chains[i].format.(type) {
		case *utxo:
			addUTXO(f)
		case *zcash:
			addUTXO(&f.utxo)
		case *liquid:
			addUTXO(&f.utxo)
		case neo:
			add(string([]byte{f.version}))
		}
	}
	for _, p := range tezosPrefixes {
		add(string(p[:]))
	}
	return t
}()

// isGluedVersion reports whether b, of 20 bytes and a checksum after it, begins with
// a version that is in use.
func isGluedVersion(b []byte) bool {
	return slices.Contains(gluedVersions[b[0]], string(b[:len(b)-20-sumLen]))
}

// gluedLens has, for the values of the first two digits of Base58, the first not
// zero, the lengths of the addresses in Base58Check that can begin so, as a set of
// bits.
var gluedLens = func() (t [58 * 58]uint64) {
	for _, versions := range gluedVersions {
		for _, version := range versions {
			v := 0
			for _, c := range []byte(version) {
				v = v<<8 | int(c)
			}
			if version[0] == 0 {
				continue
			}
			low, high := math.Ldexp(float64(v), 8*(20+sumLen)), math.Ldexp(float64(v+1), 8*(20+sumLen))
			for n := minGlued; n <= maxGlued; n++ {
				scale := math.Pow(58, float64(n-2))
				const margin = 1e-6 // far above the error of the floats
				from, to := max(58, low/scale-margin), min(58*58-1, high/scale+margin)
				if from > to {
					continue
				}
				for d := int(from); float64(d) <= to; d++ {
					t[d] |= 1 << n
				}
			}
		}
	}
	return t
}()
