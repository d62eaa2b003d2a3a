package address

import (
	"slices"
	"strconv"
)

// fronts are the bytes that some codecs have in front of a key: the parity of a
// public key, and the header of a Cardano address with one credential.
var fronts = [...]string{"", "\x02", "\x03", "\x61", "\x71", "\xe1", "\xf1", "\x0a"}

// Spellings returns every address, on every chain, that k alone determines: P2PKH
// and P2WPKH of a hash160, the same bytes on each Cosmos chain, and so on. They
// are in the order of the chain table. The accounts of all EVM chains are one
// address, of ethereum; those that an EVM chain writes in a way of its own are
// addresses of the EVM chain. An address with another key beside k is not among them.
func (k Key) Spellings() []Address {
	var all []Address
	for i := range chains {
		all = k.appendSpellings(all, i, i != int(ethereumRow-1) && chains[i].isEVM())
	}
	return all
}

// SpellingsOn returns the addresses that k alone determines on chain c, as
// Spellings does, also if c is an EVM chain. There are none on an unknown chain.
func (k Key) SpellingsOn(c Chain) []Address {
	row := rowOf(c)
	if row == 0 {
		return nil
	}
	all := k.appendSpellings(nil, int(row-1), false)
	if digits, ok := chainNumber(c); ok && row == otherEVMRow {
		for i := range all {
			all[i].number, _ = strconv.ParseUint(digits, 10, 64)
		}
	}
	return all
}

// appendSpellings appends the addresses of k on the chain of row i+1, without those
// that are written as on ethereum if special.
func (k Key) appendSpellings(all []Address, i int, special bool) []Address {
	if k.IsZero() {
		return all
	}
	var buf [32]byte
	b := k.AppendBytes(buf[:0])
	for j := range chains[i].codecs {
		c := &chains[i].codecs[j]
		if c.use != everybody || c.key != k.class && c.keys == nil || special && c.evm && c.bounds().lead == "0x" {
			continue
		}
		for _, front := range fronts {
			a, ok := c.address(uint16(i+1), form(j), append([]byte(front), b...))
			if ok && a.isOf(k) && !slices.Contains(all, a) {
				all = append(all, a)
			}
			if c.keys == nil && c.core == nil {
				break
			}
		}
	}
	return all
}

// Spellings returns the ways in which the chain of a writes its account, the canonical one first:
// without destination tags, payment ids and the like, and without what only [Normalize] reads.
func (a Address) Spellings() []Address {
	if a.row == 0 {
		return nil
	}
	first := a.Canonical()
	all := []Address{first}
	rd := first.reader()
	defer rd.free()
	core := slices.Clone(first.codec().account(rd))
	cs := chains[a.row-1].codecs
	for j := range cs {
		if cs[j].use != everybody || cs[j].evm != first.codec().evm || cs[j].kind != first.codec().kind {
			continue
		}
		payloads := [][]byte{core}
		if cs[j].uncore != nil {
			payloads = cs[j].uncore(core)
		}
		for _, p := range payloads {
			b, ok := cs[j].address(a.row, form(j), p)
			if b.number = a.number; ok && b.Canonical() == first && !slices.Contains(all, b) {
				all = append(all, b)
			}
		}
	}
	return all
}

// isOf reports whether a has k and no other key: what follows from k does not count,
// nor does a key of the same bytes.
func (a Address) isOf(k Key) bool {
	rd := a.reader()
	defer rd.free()
	ks := a.showKeys(rd)
	shown := ks.all[:ks.n]
	return slices.Contains(shown, k) && !slices.ContainsFunc(shown, func(other Key) bool { return other.words != k.words })
}

// address returns the address of row r and the given form with the bytes core, followed by zeros if
// the codec has more. It reports false if c reads no such address.
func (c *codec) address(r uint16, f form, core []byte) (a Address, ok bool) {
	if c.size != 0 && (len(core) > c.size || len(core) < c.size && c.core == nil) {
		return a, false
	}
	payload := append(make([]byte, 0, maxPayload), core...)
	if c.size != 0 {
		payload = payload[:c.size]
	}
	text := string(c.enc.write(nil, c, payload))
	if a.parseRow(r, text, false).err != nil || a.form != f || a.text != text {
		return Address{}, false
	}
	return a, true
}
