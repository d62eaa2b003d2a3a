package address

import (
	"math"
	"math/bits"
	"slices"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// glued searches the word at start to end, which is not an address, for
// addresses adjacent to other letters and digits.
func (f *finder) glued(start, end int) {
	stop := start // end of the run of Base58 digits that includes i
	done := start // end of the last address in Base58
	for i := start; i < end; i++ {
		if f.text[i] == '1' {
			f.gluedBech32(start, i, end)
		}
		for stop = max(stop, i); stop < end && charClass[f.text[stop]]&classBase58 != 0; {
			stop++
		}
		if stop-i >= minGlued && i >= done {
			n := len(f.found)
			f.gluedBase58(i, stop)
			if len(f.found) > n {
				done = f.found[len(f.found)-1].End
			}
		}
	}
}

// gluedBech32 searches the word at start to end for a Bech32 address whose "1"
// is at one.
func (f *finder) gluedBech32(start, one, end int) {
	data := f.text[one+1 : min(end, one+1+maxSpan)]
	if len(data) < bech32.Std.ChecksumLen || charClass[data[0]]&classBech32 == 0 {
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
		for _, n := range bech32.Std.Ends(buf[:0], hrp, data) {
			f.try(at, one+1+n)
		}
	}
}

// gluedBase58 searches for an address in Base58Check that begins at start, in a
// run of digits that ends at end.
func (f *finder) gluedBase58(start, end int) {
	end = min(end, start+maxGlued)
	f.gluedDigits(base58.Bitcoin, start, end)
	if f.text[start] == 'r' {
		f.gluedDigits(base58.Ripple, start, end)
	}
}

// gluedDigits tries those runs of digits from start on whose number can consist
// of a known version, 20 bytes of payload and a checksum.
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

// gluedZeros implements gluedDigits for text that begins with the digit zero.
// Every leading zero digit encodes a zero byte: the version, and bytes of the
// payload, which begins with few zeros or consists of them.
func (f *finder) gluedZeros(alphabet *base58.Alphabet, start, end int) {
	const few, most = 4, 20 // zeros
	zero, zeros := f.text[start], 1
	for start+zeros < end && f.text[start+zeros] == zero {
		if zeros++; zeros == few+1 && (start+most > end || f.text[start+most-1] != zero || f.text[start+most/2] != zero) || zeros > 1+most {
			return
		}
	}
	if few < zeros && zeros < most {
		return
	}
	// The rest is a number of as many bytes as are missing. Its number of digits
	// is one of two.
	bits := 8 * float64(minGluedBytes-zeros)
	first := start + zeros
	low := first + int((bits-8)/bitsPerDigit)
	high := min(end, first+int(bits/bitsPerDigit)+1)
	var n number
	for i := first; i < high; {
		digits, scale := uint64(0), uint64(1)
		for to := min(high, max(low, i+1)); i < to && scale < 1<<58; i++ {
			digits, scale = digits*58+uint64(alphabet.Value(f.text[i])), scale*58
		}
		n.push(scale, digits)
		if i >= low && i-start >= minGlued && zeros+n.len() == minGluedBytes {
			f.gluedNumber(&n, zeros, start, i)
		}
	}
}

const bitsPerDigit = 5.857980995127572 // the logarithm of 58

// gluedNumber tries the text at start to end, which spells the given number of
// zero bytes and then n, if the bytes end with their checksum.
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

// The limits of Base58Check with 20 bytes of payload and a version of one to
// three bytes.
const (
	minGluedBytes = 1 + 20 + sumLen
	maxGluedBytes = 3 + 20 + sumLen
	maxGlued      = 37
)

// A number is an unsigned integer of up to 32 bytes, least significant word
// first.
type number [4]uint64

// push sets n to n*scale + digits.
func (n *number) push(scale, digits uint64) {
	carry := digits
	for i := range n {
		hi, lo := bits.Mul64(n[i], scale)
		lo, c := bits.Add64(lo, carry, 0)
		n[i], carry = lo, hi+c
	}
}

// len returns the length of n in bytes.
func (n *number) len() int {
	for i := len(n) - 1; i >= 0; i-- {
		if n[i] != 0 {
			return 8*i + (bits.Len64(n[i])+7)/8
		}
	}
	return 0
}

// put writes the lowest bytes of n to b in big-endian order.
func (n *number) put(b []byte) {
	for i := range b {
		at := len(b) - 1 - i
		b[i] = byte(n[at/8] >> (8 * (at % 8)))
	}
}

// isGluedVersion reports whether b, which ends with 20 bytes of payload and a
// checksum, begins with a known version.
func isGluedVersion(b []byte) bool {
	return slices.Contains(gluedVersions[b[0]], string(b[:len(b)-20-sumLen]))
}

// gluedLens maps the values of the first two Base58 digits, the first not zero,
// to the possible lengths of Base58Check addresses that begin with them, as a
// bit set.
var gluedLens = func() (t [58 * 58]uint64) {
	for _, versions := range gluedVersions {
		for _, version := range versions {
			if version[0] == 0 {
				continue
			}
			low, high := numbers(version, len(version)+20+sumLen)
			for n := minGlued; n <= maxGlued; n++ {
				scale := math.Pow(58, float64(n-2))
				const margin = 1e-6 // far above the rounding error
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

// numbers returns the range of the numbers of n bytes that begin with prefix, which
// must not begin with a zero byte.
func numbers(prefix string, n int) (low, high float64) {
	v := 0
	for _, c := range []byte(prefix) {
		v = v<<8 | int(c)
	}
	bits := 8 * (n - len(prefix))
	return math.Ldexp(float64(v), bits), math.Ldexp(float64(v+1), bits)
}
