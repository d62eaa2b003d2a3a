package address

import (
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

// hasGlued reports whether glued finds an address in s.
func hasGlued(s string) bool {
	f := finder{text: s}
	f.glued(0, len(s))
	return len(f.found) > 0
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
	for _, l := range gluedLooks[f.text[start]] {
		c := l.codec()
		letters, want := c.enc.(base58Check).letters(), len(c.prefix)+20+sumLen
		zeros := 0
		for zeros < want && start+zeros < end && letters.Value(f.text[start+zeros]) == 0 {
			zeros++
		}
		for n := max(l.min, minGlued); n <= min(l.max, end-start); n++ {
			s := f.text[start : start+n]
			// A zero at the beginning is a byte, and other digits are 0.7322 bytes.
			if m := n - zeros; zeros+(m-1)*7322/10000+1 > want || zeros+(m*7323+9999)/10000 < want || !strings.HasPrefix(s, l.lead) {
				continue
			}
			var buf [base58.MaxLen]byte
			size, _ := letters.Decode(buf[:], s)
			if b := buf[:max(size, 0)]; size == want && hasVersion(b, c.prefix) && sha256d.verifies(b) {
				f.try(start, start+n)
			}
		}
	}
}

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

// leadRows maps what addresses begin with up to a separator, such as "bc1", "kaspa:" and "nano_", to
// the rows of their chains.
var leadRows = func() map[string][]uint16 {
	rows := make(map[string][]uint16)
	for _, all := range looks {
		for _, l := range all {
			e, ok := l.codec().enc.(base58Check)
			isMark := !ok || e.lead != ""
			if isMark && l.lead != "" && strings.ContainsAny(l.lead[len(l.lead)-1:], "1:_") && !slices.Contains(rows[l.lead], l.row) {
				rows[l.lead] = append(rows[l.lead], l.row)
			}
		}
	}
	return rows
}()

// rowsBy returns the rows of the chains whose addresses begin with lead, in any letter case.
func rowsBy(lead string) []uint16 {
	var lower [maxHRP + len("1")]byte
	if len(lead) > len(lower) {
		return nil
	}
	for i := range len(lead) {
		lower[i] = lead[i]
		if charClass[lead[i]]&classUpper != 0 {
			lower[i] |= 0x20
		}
	}
	return leadRows[string(lower[:len(lead)])]
}

// gluedHRPs holds the human-readable parts of Bech32 addresses by their last letters.
var gluedHRPs = func() (all [256][]string) {
	for lead := range leadRows {
		// Addresses on nervos are as long as scripts.
		if hrp, ok := strings.CutSuffix(lead, "1"); ok && len(hrp) > 1 && hrp != "lq" && hrp != "ckb" {
			all[hrp[len(hrp)-1]] = append(all[hrp[len(hrp)-1]], hrp)
		}
	}
	return all
}()

// gluedLooks holds, by their first digits, the looks of Base58Check addresses with 20 bytes of
// payload that are found between other letters and digits. Every version costs time, so only
// versions of large chains are among them.
var gluedLooks = func() (t [256][]*look) {
	for first, all := range provenLooks {
		for _, l := range all {
			c := l.codec()
			_, ok := c.enc.(base58Check)
			isLarge := slices.Contains([]Chain{"bitcoin", "litecoin", "dogecoin", "dash", "zcash", "neo", "tron", "tezos", "xrp"}, chains[l.row-1].slug)
			isKnown := slices.ContainsFunc(t[first], func(o *look) bool { return o.codec().prefix == c.prefix && o.min == l.min })
			if ok && isLarge && !isKnown && c.size == 20 && c.use == everybody {
				t[first] = append(t[first], l)
			}
		}
	}
	return t
}()
