package address

import (
	"slices"
	"strings"
)

// Detect parses s on every chain and returns the Addresses that [Parse] accepts: first the proven
// ones (see [Address.Proven]), then the others, each in the order of the chain table, except that a
// name that hardly occurs elsewhere comes first on its chain. An EVM address is returned once, on
// ethereum. If no chain accepts s, Detect returns nil.
func Detect(s string) []Address {
	var found []Address
	proven := 0
	first := firstGuess(s)
	detect(s, strictly, func(rd *reader, row uint16, f form) bool {
		a := rd.address(row, f)
		if found == nil {
			found = make([]Address, 0, 4) // as many as most texts have
		}
		if a.Proven() || a.Chain() == first {
			found = slices.Insert(found, proven, a)
			if a.Proven() {
				proven++
			}
		} else {
			found = append(found, a)
		}
		return true
	})
	return found
}

// firstGuess returns the chain that most people mean by s if it is an address
// without a checksum there, or "" to go by the order of the table.
func firstGuess(s string) Chain {
	switch {
	case len(s) == hex32Len && strings.HasPrefix(s, "0x0") && s[3:5] != "00": // as all of starknet, and few of others, begin
		return "starknet"
	case strings.HasSuffix(s, ".wam"): // WAX Cloud Wallet
		return "wax"
	case strings.HasPrefix(s, "eosio."): // the accounts of the system
		return "eos"
	case strings.IndexByte(s, '.') > 0 && s[0] != '0': // on near, a short name without a dot is reserved
		return "near"
	}
	return ""
}

// A manner says what detect looks for.
type manner uint8

const (
	strictly   manner = iota // what Parse accepts
	tolerantly               // what Normalize accepts, without what surrounds an address
	provenOnly               // what proves itself; other spellings call detect themselves
)

// detect calls yield with a reader of s as an address of each chain, its row and its form, in the
// order of the table, until yield returns false. An EVM address is one of ethereum alone.
func detect(s string, how manner, yield func(rd *reader, row uint16, f form) bool) {
	if s == "" {
		return
	}
	all := classesOf(s)
	from := &looks
	if how == provenOnly {
		from = &provenLooks
	}
	var rd *reader
	defer func() {
		if rd != nil {
			rd.free()
		}
	}()
	last, evm := uint16(0), false
	for _, l := range from[s[0]] {
		if l.row == last || !fits(s, all, l) {
			continue
		}
		c := l.codec()
		if how != tolerantly && c.use == tolerated {
			continue
		}
		if rd == nil {
			rd = newReader(s, how == tolerantly)
			rd.quiet = true
		}
		if c.evm && evm || c.read(rd).err != nil {
			continue
		}
		last, evm = l.row, evm || c.evm
		if !yield(rd, l.row, l.form) {
			return
		}
	}
}

// A look is what a glance at a text needs to know of a codec.
type look struct {
	bounds
	row  uint16
	form form
}

func (l *look) codec() *codec { return &chains[l.row-1].codecs[l.form] }

// looks holds the codecs by the first characters of their texts, in the order of the table, and
// provenLooks those whose texts prove themselves. The EVM chains that write accounts like
// ethereum are not among them.
var looks, provenLooks = func() (t, proven [256][]*look) {
	for i := range chains {
		for j := range chains[i].codecs {
			c := &chains[i].codecs[j]
			if c.use == testers || c.isPlainEVM() && chains[i].slug != "ethereum" {
				continue
			}
			l := look{bounds: c.bounds(), row: uint16(i + 1), form: form(j)}
			l.min, l.max = max(l.min, len(l.lead)), min(l.max, maxDiagnosed)
			for _, l := range narrowed(c, l) {
				for first := range t {
					if !l.begins(byte(first)) {
						continue
					}
					t[first] = append(t[first], l)
					if l.proves {
						proven[first] = append(proven[first], l)
					}
				}
			}
		}
	}
	return t, proven
}()

// provenLens tells, by the first character, the lengths of the texts that prove themselves, as a
// bit set.
var provenLens = func() (t [256][maxDiagnosed/64 + 1]uint64) {
	for first, ls := range provenLooks {
		for _, l := range ls {
			for n := l.min; n <= l.max; n++ {
				t[first][n/64] |= 1 << (n % 64)
			}
		}
	}
	return t
}()

// mayProve reports false if no text that begins with first and has n characters proves itself an
// address. It is fast.
func mayProve(first byte, n int) bool {
	return n <= maxDiagnosed && provenLens[first][n/64]>>(n%64)&1 != 0
}

// narrowed returns looks for the texts of c, for which l is one.
func narrowed(c *codec, l look) (all []*look) {
	if e, ok := c.enc.(cash); ok && e.bare { // with the prefix, or with the digit of the type
		long, short := l, l
		long.min, long.lead = l.max, c.prefix+":"
		short.max, short.lead = l.min, "qpzr"[e.version>>3:][:1]
		return []*look{&long, &short}
	}
	e, ok := c.enc.(base58Check)
	if !ok || e.lead != "" || c.size == 0 {
		return []*look{&l}
	}
	return e.narrowed(c, l)
}

func (l *look) begins(c byte) bool {
	switch {
	case l.chars != 0 && charClass[c]&l.chars == 0:
		return false
	case l.lead == "" || l.lead[0] == '?' || l.lead[0] == c:
		return true
	}
	return 'A' <= c && c <= 'Z' && c|0x20 == l.lead[0]
}

// classesOf returns the classes that all characters of s have in common.
func classesOf[T string | []byte](s T) uint16 {
	all := ^uint16(0)
	for i := range len(s) {
		all &= charClass[s[i]]
	}
	return all
}

// fits reports whether s, whose characters have the classes all in common, may be a text of l.
func fits[T string | []byte](s T, all uint16, l *look) bool {
	if len(s) < l.min || len(s) > l.max || l.chars != 0 && all&l.chars == 0 {
		return false
	}
	for i := range len(l.lead) {
		if c := s[i]; c != l.lead[i] && l.lead[i] != '?' && (c < 'A' || c > 'Z' || c|0x20 != l.lead[i]) {
			return false
		}
	}
	return true
}

// detectProven returns s as an address of the first chain in the table on which
// it is proven. It skips row except.
func detectProven(s string, except uint16) (found Address, ok bool) {
	if s == "" || !mayProve(s[0], len(s)) {
		return Address{}, false
	}
	detect(s, provenOnly, func(rd *reader, row uint16, f form) bool {
		if row != except {
			found, ok = rd.address(row, f), true
		}
		return !ok
	})
	return found, ok
}

// isProven reports whether s is provably an address of some chain. It takes microseconds.
func isProven(s string) bool {
	_, ok := detectProven(s, 0)
	return ok
}

// isOneCase reports whether the letters in s are all lower or all upper case,
// as they are in Bech32 and hardly ever are in 32 bytes of Base58 or Base64.
func isOneCase(s string) bool {
	var any uint16
	for i := range len(s) {
		if any |= charClass[s[i]]; any&(classUpper|classLower) == classUpper|classLower {
			return false
		}
	}
	return true
}
