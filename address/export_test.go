package address

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// Class returns the class of k.
func (k Key) Class() identity.Class { return k.class }

// TableOrder returns the slugs in the order of the chain table.
func TableOrder() []Chain {
	all := make([]Chain, len(chains))
	for i := range chains {
		all[i] = chains[i].slug
	}
	return all[:len(all)-1] // without otherEVM
}

// IsEVM reports whether a is an EVM account.
func (a Address) IsEVM() bool { return a.codec().evm }

// MaxKeys is the number of keys that one address can have.
const MaxKeys = maxKeys

// IsEVM reports whether c is an EVM chain.
func IsEVM(c Chain) bool {
	return chains[lookup(c)-1].isEVM()
}

// ParseQuietly is Parse without the diagnosis.
func ParseQuietly(c Chain, s string) (Address, bool) {
	var a Address
	bad := a.parseRow(lookup(c), s, false)
	return a, bad.err == nil
}

// CountTries returns the number of strings that FindAll tries as addresses.
func CountTries(text string) int {
	f := finder{text: text}
	f.search()
	return f.tries
}

// HexCase returns which letters are among digits, and whether all are digits.
func HexCase(digits string) (lower, upper, ok bool) {
	kind, ok := hexCase(digits)
	return kind&hasLower != 0, kind&hasUpper != 0, ok
}

// IsLowerHex40 reports whether s begins with 40 digits, none of them capital.
func IsLowerHex40(s string) bool { return isLowerHex(s) }

// Unhex returns the bytes that the digits spell, eight at a time.
func Unhex(digits string) []byte {
	b := make([]byte, len(digits)/2)
	unhex(b, digits)
	return b
}

// The functions that TestIsSecp256k1Key compares, and crc16, which TestXModem checks.
var (
	IsSecp256k1Key = isSecp256k1Key
	Decompress     = decompress
	CRC16          = crc16
)

// EachMutant changes the row of c in one thing at a time, and calls f with a name of
// the change while it holds. Tables that derive from it stay as they are.
func EachMutant(c Chain, f func(name string)) {
	row := &chains[lookup(c)-1]
	old := row.codecs
	defer func() { row.codecs = old }()
	for i := range old {
		if old[i].doubt == DoubtShort {
			continue // its texts are doubtful, and testdata/interpret.txt has them
		}
		try := func(name string, change func(c *codec)) {
			row.codecs = slices.Clone(old)
			change(&row.codecs[i])
			f(fmt.Sprintf("codec %d (%T, prefix %q): %s", i, old[i].enc, old[i].prefix, name))
		}
		row.codecs = slices.Delete(slices.Clone(old), i, i+1)
		f(fmt.Sprintf("codec %d (%T, prefix %q) is gone", i, old[i].enc, old[i].prefix))
		for at := range old[i].prefix {
			try(fmt.Sprintf("byte %d of the prefix", at), func(c *codec) {
				b := []byte(c.prefix)
				b[at] ^= 1
				c.prefix = string(b)
			})
		}
		switch old[i].enc.(type) {
		case c32, iban, numberText:
			// They read one size, whatever the codec says.
		default:
			if old[i].size != 0 && old[i].doubt == "" { // without a virtual address of tempo, its text is another one: testdata/interpret.txt
				try("size", func(c *codec) { c.size++ })
			}
		}
		if old[i].use != everybody {
			continue // its addresses are refused, or rewritten by another codec
		}
		if old[i].keys != nil {
			try("keys are gone", func(c *codec) { c.keys = nil })
		}
		if old[i].also != nil {
			try("also is gone", func(c *codec) { c.also = nil })
		}
		if old[i].key != 0 && old[i].keys == nil {
			try("key", func(c *codec) { c.key ^= 1 })
		}
		for j := range old {
			if old[j].use == everybody && old[j].kind != old[i].kind && old[j].size == old[i].size &&
				(reflect.TypeOf(old[j].enc) != reflect.TypeOf(old[i].enc) || old[j].prefix != old[i].prefix) {
				try("kind", func(c *codec) { c.kind = old[j].kind })
				break
			}
		}
		for j := range old {
			if j != i && old[j].kind == old[i].kind && old[j].evm == old[i].evm && old[j].use == everybody {
				try("kind of its own", func(c *codec) { c.kind = wideKind - 1 })
				break
			}
		}
	}
}

// Written returns addresses of c in each codec that anybody may use: made from
// random payloads, and from the payloads of texts with a few bytes changed. It
// reports a codec that does not read what it writes, or that nothing reaches.
func Written(c Chain, texts []string, rnd *rand.Rand, report func(format string, args ...any)) (all []Address) {
	r := lookup(c)
	cs := chains[r-1].codecs
	for i := range cs {
		c := &cs[i]
		if c.use != everybody {
			continue
		}
		var seeds [][]byte
		for _, s := range texts {
			if rd := newReader(s, true); c.read(rd).err == nil {
				seeds = append(seeds, slices.Clone(rd.payload()))
			}
		}
		read := 0
		for try := 0; try < 400 && read < 8; try++ {
			payload := make([]byte, c.size)
			for j := range payload {
				payload[j] = byte(rnd.Uint32())
			}
			if len(seeds) > 0 && (c.size == 0 || try%2 == 0) {
				payload = slices.Clone(seeds[rnd.IntN(len(seeds))])
				for n := rnd.IntN(3); n > 0 && len(payload) > 0; n-- {
					payload[rnd.IntN(len(payload))] ^= byte(rnd.Uint32())
				}
			}
			if c.uncore != nil && c.size != 0 {
				core := payload[:min(len(payload), cs[cs.first(c.kind)].size)]
				if all := c.uncore(core); len(all) > 0 {
					payload = all[0]
				}
			}
			if len(payload) == 0 {
				continue
			}
			text := string(c.enc.write(nil, c, payload))
			rd := newReader(text, false)
			if c.read(rd).err != nil {
				continue // no account has this payload
			}
			read++
			if got := rd.payload(); !slices.Equal(got, payload) || !rd.normal {
				report("%s: codec %d (%T) writes %x as %q, and reads %x, normal: %v", chains[r-1].slug, i, c.enc, payload, text, got, rd.normal)
			}
			var a Address
			if a.parseRow(r, text, false).err == nil {
				all = append(all, a)
			}
		}
		if read == 0 {
			report("%s: nothing reaches codec %d (%T, prefix %q)", chains[r-1].slug, i, c.enc, c.prefix)
		}
	}
	return all
}

// RowID returns the id of c.
func RowID(c Chain) int { return int(chains[lookup(c)-1].id) }

// InterpretSlowly is Interpret without its short path.
var InterpretSlowly = interpret

// IsPlainEVM reports whether Interpret takes its short path.
func IsPlainEVM(s string) bool { return plainEVM(s) != nil }
