package address

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
)

// A Found is an address in a text.
type Found struct {
	// Address is what stands there, on the chain that [FindAll] says.
	Address Address
	// Start and End are byte offsets: text[Start:End] is what stands there,
	// with the line break where the address is broken by one.
	Start, End int
}

// FindAll returns the addresses in text, in the order of their beginnings and
// without overlaps; where two begin together, the longer one. It finds only what
// proves itself (see [Address.Proven]); an address that fits several chains is
// given as that of the first of [Detect], so all "0x" addresses are ethereum's.
// It returns nil if there are none.
//
// What stands in front of an address and behind it, a label and a colon, a
// bracket, a full stop, a URL, does not matter. These need care:
//
//   - "0x" and 40 hex digits are found whatever the case of the digits, as
//     [Normalize] takes them: a list's typing error must not hide the entry. No
//     letter or digit may be in front of them, no hex digit behind.
//   - An address that is glued to letters, digits or another address is found if
//     it is Base58Check of 20 bytes with the checksum of Bitcoin (bitcoin, tron,
//     zcash, tezos and many more), a classic address of xrp, or Bech32. Others
//     have to stand apart.
//   - An address of up to 128 bytes that is broken once, by a line feed (with
//     blanks or a carriage return around it), is found if its checksum holds. An
//     "0x" address needs capitals that verify to be joined.
//
// Hashes, registration numbers, and addresses with a typing error or a
// look-alike letter from another alphabet are not found. The text may be any
// bytes. The work grows with the length of the text, whatever is in it.
func FindAll(text string) []Found {
	f := finder{text: text}
	f.search()
	return f.disjoint()
}

// The bounds of the search.
const (
	minChunk = 8   // an address with separators: the principal aaaaa-aa
	minWord  = 14  // one of letters and digits: bc1pfeessrawgf
	minGlued = 26  // one that is cut out of a longer run
	maxSpan  = 128 // how far before the end of a chunk an address in it may begin; a broken address
)

// A finder is a search in one text. Its methods are given offsets in the text.
//
// A word is a run of letters and digits as long as can be, a chunk a run of what
// may stand in an address: words, and the separators of some formats.
type finder struct {
	text  string
	found []Found
	tries int // the strings that were tried as addresses

	lastStart, lastEnd int // the chunk before
}

// search goes through the text.
func (f *finder) search() {
	for i := 0; i < len(f.text); {
		if charClass[f.text[i]]&classAddress == 0 {
			i++
			continue
		}
		start := i
		for i < len(f.text) && charClass[f.text[i]]&classAddress != 0 {
			i++
		}
		f.chunk(start, i)
	}
}

// proven looks whether s proves to be an address.
func (f *finder) proven(s string) (Address, bool) {
	f.tries++
	return detectProven(s, 0)
}

// add notes that a stands at start to end.
func (f *finder) add(a Address, start, end int) {
	f.found = append(f.found, Found{a, start, end})
}

// try looks whether an address stands at start to end.
func (f *finder) try(start, end int) bool {
	a, ok := f.proven(f.text[start:end])
	if ok {
		f.add(a, start, end)
	}
	return ok
}

// chunk searches the chunk at start to end.
func (f *finder) chunk(start, end int) {
	f.join(start, end)
	f.lastStart, f.lastEnd = start, end
	before := -1 // the beginning of the word before this one, if one separator is between
	words := 0
	for i := start; i < end; {
		if !f.isAlnum(i) {
			i++
			continue
		}
		from := i
		for i < end && f.isAlnum(i) {
			i++
		}
		words++
		f.word(from, i)
		if before >= 0 && i-from >= minWord && i-before <= maxSpan {
			f.try(before, i) // bitcoincash:…, nano_…, X-…
		}
		before = -1
		if i+1 < end && f.isAlnum(i+1) {
			before = from
		}
	}
	if words < 2 && f.isAlnum(start) && f.isAlnum(end-1) {
		return // nothing but the word
	}
	// Addresses with more separators, or with one at the end, go to the end of
	// the chunk or of its last word.
	last := end
	for last > start && !f.isAlnum(last-1) {
		last--
	}
	for i := max(start, end-maxSpan); i < end; i++ {
		if !f.isAlnum(i) || i > start && f.isAlnum(i-1) {
			continue
		}
		if end-i >= minChunk && end != last {
			f.try(i, end)
		}
		if last-i >= minChunk {
			f.try(i, last)
		}
	}
}

func (f *finder) isAlnum(i int) bool { return charClass[f.text[i]]&classAlnum != 0 }

// word searches the word at start to end.
func (f *finder) word(start, end int) {
	if end-start < minWord {
		return
	}
	w := f.text[start:end]
	if w[0] == '0' && w[1]|0x20 == 'x' {
		if n := firstNonHex(w[2:]); n == 40 {
			if text, form, bad := (evm{}).parse(w[:evmLen], true); bad.err == nil {
				f.add(Address{text, ethereumRow, form}, start, start+evmLen)
				if len(w)-evmLen >= minGlued {
					f.glued(start+evmLen, end)
				}
				return
			}
		}
	}
	if !f.try(start, end) && len(w) > minWord {
		f.glued(start, end)
	}
}

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
	for _, hrp := range hrps {
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

// gluedDigits reads one digit after the other as a number, and looks at its
// checksum when it has the bytes of a version that is in use, 20 bytes of
// payload and the checksum.
func (f *finder) gluedDigits(alphabet *base58.Alphabet, start, end int) {
	zeros := 0
	for start+zeros < end && alphabet.Value(f.text[start+zeros]) == 0 {
		zeros++
	}
	if zeros > 1+20 {
		return // next to nothing is left of the payload
	}
	var n number
	for i := start + zeros; i < end; i++ {
		n.push(alphabet.Value(f.text[i]))
		if i+1-start < minGlued {
			continue
		}
		size := zeros + n.len()
		if size > maxGluedBytes {
			return
		}
		if size < minGluedBytes {
			continue
		}
		var b [maxGluedBytes]byte
		n.put(b[zeros:size])
		if gluedVersions[b[0]] && sha256d.verifies(b[:size]) {
			f.try(start, i+1)
		}
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

// push makes room for one more digit in Base58 and adds it.
func (n *number) push(digit byte) {
	carry := uint64(digit)
	for i := range n {
		hi, lo := bits.Mul64(n[i], 58)
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

// join looks for an address that a line break cuts in two: the end of the chunk
// before, and the beginning of the one at start to end.
func (f *finder) join(start, end int) {
	gap := f.text[f.lastEnd:start]
	if f.lastEnd == f.lastStart || !isBreak(gap) {
		return
	}
	word := start // the end of the first word
	for word < end && f.isAlnum(word) {
		word++
	}
	last := end
	for last > start && !f.isAlnum(last-1) {
		last--
	}
	var buf [maxSpan]byte
	for i := max(f.lastStart, f.lastEnd-maxSpan); i < f.lastEnd; i++ {
		if !f.isAlnum(i) || i > f.lastStart && f.isAlnum(i-1) {
			continue // not the beginning of a word
		}
		left := copy(buf[:], f.text[i:f.lastEnd])
		for k, to := range [...]int{word, last, end} {
			n := left + to - start
			if n < minGlued || n > len(buf) || k > 0 && to == word || k > 1 && to == last {
				continue
			}
			copy(buf[left:], f.text[start:to])
			joined := string(buf[:n])
			if isEVMText(joined) {
				if kind, _ := hexCase(joined[2:]); kind != hasLower|hasUpper {
					continue
				}
			}
			if a, ok := f.proven(joined); ok {
				f.add(a, i, to)
			}
		}
	}
}

// isBreak reports whether gap is a line break, with blanks around it.
func isBreak(gap string) bool {
	gap = strings.Trim(gap, " \t")
	if before, ok := strings.CutSuffix(gap, "\n"); ok {
		gap = strings.TrimSuffix(before, "\r")
		return strings.Trim(gap, " \t") == ""
	}
	return false
}

// disjoint returns what has been found in order, and of what overlaps the first
// and longest.
func (f *finder) disjoint() []Found {
	slices.SortStableFunc(f.found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	end := 0
	return slices.DeleteFunc(f.found, func(g Found) bool {
		if g.Start < end {
			return true
		}
		end = g.End
		return false
	})
}

// hrps are the human-readable parts of the addresses in Bech32.
var hrps = func() (all []string) {
	add := func(hrp string) {
		if hrp != "" && !slices.Contains(all, hrp) {
			all = append(all, hrp)
		}
	}
	for i := range chains {
		switch f := chains[i].format.(type) {
		case *utxo:
			add(f.hrp)
			add(f.long)
		case *zcash:
			add(f.long)
			add("tex")
		case *liquid:
			add(f.hrp)
		case *cosmos:
			add(f.hrp)
		case *sei:
			add(f.hrp)
		case *evmBech32:
			add(f.hrp)
		case *bech32Bytes:
			add(f.hrp)
		case zilliqa:
			add("zil")
		case multiversx:
			add(multiversxHRP)
		case pactus:
			add(pactusHRP)
		case handshake:
			add(handshakeHRP)
		case cardano:
			add("addr")
			add("stake")
		}
	}
	return all
}()

// gluedVersions has the first version bytes of the addresses in Base58Check.
var gluedVersions = func() (t [256]bool) {
	add := func(versions ...string) {
		for _, v := range versions {
			if v != "" {
				t[v[0]] = true
			}
		}
	}
	addUTXO := func(u *utxo) {
		add(u.pkh, u.sh, u.oldPKH, u.oldSH)
		for _, v := range u.more {
			add(v.prefix)
		}
	}
	add("\x00", "\x41", "\x06", "\x02") // xrp, tron, tezos
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
	return t
}()
