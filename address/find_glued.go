package address

import (
	"math/bits"
	"slices"
	"strings"

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
		stop = skip(classBase58, f.text[:end], max(stop, i))
		if stop-i >= minGlued && i >= done {
			n := len(f.found)
			f.gluedBase58(i, stop)
			if len(f.found) > n {
				done = f.found[len(f.found)-1].End
			}
		}
	}
}

// gluedBech32 searches the word at start to end for a Bech32 address whose "1" is at one.
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
	lens := uint64(0)
	if first := alphabet.Value(f.text[start]); first != 0 {
		lens = gluedLens[int(first)*58+int(alphabet.Value(f.text[start+1]))]
	} else {
		zeros := 1
		for zeros < len(zeroLens)-1 && start+zeros < end && f.text[start+zeros] == f.text[start] {
			zeros++
		}
		lens = zeroLens[zeros]
	}
	for ; lens != 0; lens &= lens - 1 {
		to := start + bits.TrailingZeros64(lens)
		if to > end {
			return
		}
		var buf [base58.ShortLen]byte
		n, _ := alphabet.DecodeShort(&buf, f.text[start:to])
		if n < minGluedBytes || n > maxGluedBytes {
			continue
		}
		if b := buf[len(buf)-n:]; isGluedVersion(b) && sha256d.verifies(b) {
			f.try(start, to)
		}
	}
}

// The limits of Base58Check with 20 bytes of payload and a version of one to three bytes.
const (
	minGluedBytes = 1 + 20 + sumLen
	maxGluedBytes = 3 + 20 + sumLen
	maxGlued      = 37
)

// isGluedVersion reports whether b, before 20 bytes of payload and a checksum, is a known version.
func isGluedVersion(b []byte) bool {
	return slices.Contains(gluedVersions[b[0]], string(b[:len(b)-20-sumLen]))
}

// gluedLens maps the values of the first two Base58 digits, the first not zero, to the possible
// lengths of Base58Check addresses that begin with them, as a bit set.
var gluedLens = func() (t [58 * 58]uint64) {
	first := func(text string) int {
		return int(base58.Bitcoin.Value(text[0]))*58 + int(base58.Bitcoin.Value(text[1]))
	}
	for _, version := range slices.Concat(gluedVersions[1:]...) {
		low, high := numbers(base58.Bitcoin, version, 20+sumLen)
		for n := len(low); n <= len(high); n++ {
			from, to := 58, len(t)-1
			if n == len(low) {
				from = first(low)
			}
			if n == len(high) {
				to = first(high)
			}
			for d := from; d <= to; d++ {
				t[d] |= 1 << n
			}
		}
	}
	return t
}()

// zeroLens maps the number of digits zero at the beginning of an address to its possible
// lengths. Each encodes a zero byte: the version, and bytes of the payload, which begins with
// few zeros or consists of them.
var zeroLens = func() (t [1 + 20 + 1]uint64) {
	const few, most = 4, 20 // zeros
	for zeros := 1; zeros < len(t); zeros++ {
		if few < zeros && zeros < most {
			continue
		}
		prefix := strings.Repeat("\x00", zeros)
		low, _ := numbers(base58.Bitcoin, prefix+"\x01", minGluedBytes-zeros-1)
		_, high := numbers(base58.Bitcoin, prefix, minGluedBytes-zeros)
		for n := max(minGlued, len(low)); n <= len(high); n++ {
			t[zeros] |= 1 << n
		}
	}
	return t
}()

// proven returns s as an address of the first chain in the table on which it is
// proven. The length of s and its beginning select the codecs to try.
func (f *finder) proven(s string) (Address, bool) {
	if len(s) < minChunk || len(s) > maxWhole {
		return Address{}, false
	}
	f.tries++
	return detectProven(s, 0)
}

const maxHRP = 15

// hrpRows maps human-readable parts to the rows of their chains.
var hrpRows = func() map[string][]uint16 {
	rows := make(map[string][]uint16)
	for _, all := range looks {
		for _, l := range all {
			if hrp, ok := strings.CutSuffix(l.lead, "1"); ok && !slices.Contains(rows[hrp], l.row) {
				rows[hrp] = append(rows[hrp], l.row)
			}
		}
	}
	return rows
}()

// gluedHRPs holds the human-readable parts of Bech32 addresses by their last letters.
var gluedHRPs = func() (all [256][]string) {
	for hrp := range hrpRows {
		if len(hrp) > 1 && hrp != "lq" && hrp != "ckb" { // addresses on nervos are as long as scripts
			all[hrp[len(hrp)-1]] = append(all[hrp[len(hrp)-1]], hrp)
		}
	}
	return all
}()

// gluedVersions holds the versions of Base58Check addresses with 20 bytes of
// payload that are found between other letters and digits, by their first bytes.
// Every version costs time, so only versions of large chains are among them.
var gluedVersions = func() (t [256][]string) {
	t[0] = []string{"\x00"} // bitcoin, xrp
	for _, slug := range [...]Chain{"bitcoin", "litecoin", "dogecoin", "dash", "zcash", "neo", "tron", "tezos"} {
		for _, c := range chains[lookup(slug)-1].codecs {
			if b := c.bounds(); b.proves && b.chars == classBase58 && c.size == 20 && c.use == everybody && c.prefix != "\x00" {
				t[c.prefix[0]] = append(t[c.prefix[0]], c.prefix)
			}
		}
	}
	return t
}()
