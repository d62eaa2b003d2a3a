package address

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/internal/identity"
)

// A Key identifies an account, or what controls it: [Address.Account] and [Address.Key] return
// Keys. A Key has a fixed size and is comparable. It consists of a class and at most 32 bytes. Keys
// of different classes differ even if their bytes are equal: the hash of an Ethereum key and the
// hash160 of a Bitcoin key are never the same Key.
//
// The zero Key identifies nothing.
type Key struct {
	words identity.Words
	class identity.Class
	n     uint8 // of bytes
}

// AppendBytes appends the bytes of k, at most 32, to b and returns the result.
func (k Key) AppendBytes(b []byte) []byte {
	bytes := identity.Bytes(k.words)
	return append(b, bytes[:k.n]...)
}

// Identity returns k in the form that the indexes of this module use.
func (k Key) Identity() (identity.Words, identity.Tag) {
	return k.words, identity.MakeTag(k.class, 0, int(k.n), 0)
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k.class == 0 }

// String returns the class, a colon and the bytes in hex, such as "h160:751e…". The
// class of an account is its chain and a number: "bitcoin/3:751e…".
func (k Key) String() string {
	b := identity.Bytes(k.words)
	return className(k.class) + ":" + hex.EncodeToString(b[:k.n])
}

// makeKey returns the Key of class c with the bytes b, at most 32.
func makeKey(c identity.Class, b []byte) Key {
	var padded [32]byte
	n := copy(padded[:], b)
	return Key{identity.FromBytes(&padded), c, uint8(n)}
}

// Account returns the identity of the account of a. Two Addresses have equal Accounts if and only
// if their [Address.Canonical] forms are equal, but Account is cheaper: it does not allocate. For
// the zero Address it returns the zero Key.
func (a Address) Account() Key {
	if a.row == 0 {
		return Key{}
	}
	rd := a.reader()
	defer rd.free()
	return a.accountIn(rd)
}

// accountIn is Account for the reader of a.
func (a *Address) accountIn(rd *reader) Key {
	c := a.codec()
	id := chains[a.row-1].id
	if c.evm {
		id = chains[ethereumRow-1].id
	}
	class := identity.AccountBit | identity.Class(id)<<kindBits | identity.Class(c.kind)
	b := c.account(rd)
	if len(b) <= 32 {
		return makeKey(class, b)
	}
	sum := sha256.Sum256(b)
	return makeKey(class|wideKind, sum[:])
}

// The class of an account holds, from the lowest bit on, the kind, whether the bytes are a hash, so
// that no hash can imitate other bytes, and the id of the chain.
const (
	kindBits = 6
	wideKind = 1 << (kindBits - 1)
)

// evmTag is what [Address.Identity] returns for each "0x" and 40 hex digits.
var evmTag = identity.MakeTag(identity.AccountBit|identity.Class(chains[ethereumRow-1].id)<<kindBits, identity.KeccakHash, 20, 0)

// Key returns the public key that controls the account of a, or its hash, in a
// form that is comparable across chains and encodings. It reports false if the
// address does not reveal the key, or for the zero Address. If an address has
// several keys, Key returns the first that [Address.AppendKeys] appends.
func (a Address) Key() (Key, bool) {
	if a.row == 0 {
		return Key{}, false
	}
	rd := a.reader()
	defer rd.free()
	ks := a.showKeys(rd)
	if ks.n == 0 {
		return Key{}, false
	}
	return ks.all[0], true
}

// AppendKeys appends all keys that the address reveals to dst and returns the result: those in it,
// and those that follow from them. A Cardano base address has two in it, the payment and the stake
// credential; a Zcash unified address has one for each receiver. From a hash160 follows the script
// that wraps its witness program, "3…" for "bc1q…"; from a public key, as FIO and Casper write it,
// follow its hashes on other chains. Nothing leads back from what follows: to find out whether one
// key controls two accounts, see whether their keys have one in common.
func (a Address) AppendKeys(dst []Key) []Key {
	if a.row == 0 {
		return dst
	}
	rd := a.reader()
	defer rd.free()
	ks := a.allKeys(rd)
	return append(dst, ks.all[:ks.n]...)
}

// Identity returns [Address.Account] and [Address.Key] in the form that the
// indexes of this module use.
func (a Address) Identity() (identity.Words, identity.Tag) {
	if a.row == 0 {
		return identity.Words{}, identity.Tag{}
	}
	if a.codec().evm && a.number == 0 && len(a.text) == evmLen && a.text[:2] == "0x" { // it has no other keys
		return hexWords(a.text[2:]), evmTag
	}
	rd := a.reader()
	defer rd.free()
	return a.identityIn(rd)
}

// Identities returns Identity of each address that [Detect] returns, for the indexes of this module.
func Identities(s string) iter.Seq2[identity.Words, identity.Tag] {
	return func(yield func(identity.Words, identity.Tag) bool) {
		detect(s, strictly, func(rd *reader, row uint16, f form) bool {
			return yield((&Address{row: row, form: f}).identityIn(rd))
		})
	}
}

// identityIn is Identity for the reader of a.
func (a *Address) identityIn(rd *reader) (identity.Words, identity.Tag) {
	account := a.accountIn(rd)
	ks := a.showKeys(rd)
	key, flags := ks.all[0].class, uint64(0)
	switch {
	case ks.n == 0:
		key = 0
	case ks.n > 1 || ks.all[0].words != account.words || ks.all[0].n != account.n:
		key, flags = 0, identity.MoreKeys
	default:
		flags = derived[key]
	}
	if a.codec().also != nil || a.number != 0 {
		flags = identity.MoreKeys
	}
	return account.words, identity.MakeTag(account.class, key, int(account.n), flags)
}

// Value implements [driver.Valuer]: the text of [Address.MarshalText], or nil for the zero Address.
func (a Address) Value() (driver.Value, error) {
	if a.row == 0 {
		return nil, nil
	}
	return a.String(), nil
}

// Scan implements [database/sql.Scanner]: it reads the text of
// [Address.MarshalText]. NULL and empty text yield the zero Address.
func (a *Address) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*a = Address{}
		return nil
	case string:
		return a.UnmarshalText([]byte(src))
	case []byte:
		return a.UnmarshalText(src)
	}
	return fmt.Errorf("address: a column holds %T, want text such as bitcoin:bc1q…", src)
}

// MarshalText implements [encoding.TextMarshaler]. It returns the same text as
// [Key.String], but no text for the zero Key. It never fails.
func (k Key) MarshalText() ([]byte, error) {
	if k.IsZero() {
		return nil, nil
	}
	return []byte(k.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It reads the text of
// [Key.String]. Empty text yields the zero Key. On error, k is unchanged.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*k = Key{}
		return nil
	}
	name, digits, colon := strings.Cut(string(text), ":")
	b, err := hex.DecodeString(digits)
	class, ok := keyClass(name)
	if !colon || !ok || err != nil || len(b) > 32 || strings.ToLower(digits) != digits {
		return fmt.Errorf("address: %d bytes are no key: want a class, a colon and at most 64 lower-case hex digits, such as h160:751e…", len(text))
	}
	*k = makeKey(class, b)
	return nil
}

// className returns the text of a class: its name, or for an account the slug of
// the chain and the kind, such as "bitcoin/3".
func className(c identity.Class) string {
	if c&identity.AccountBit == 0 {
		return c.String()
	}
	id := uint16(c &^ identity.AccountBit >> kindBits)
	i := slices.IndexFunc(chains[:], func(c chain) bool { return c.id == id })
	if i < 0 {
		return c.String() // no Key has it
	}
	return string(chains[i].slug) + "/" + strconv.Itoa(int(c&(1<<kindBits-1)))
}

// keyClass returns the class that className gives the name.
func keyClass(name string) (identity.Class, bool) {
	if slug, kind, ok := strings.Cut(name, "/"); ok {
		r := lookup(Chain(slug))
		n, err := strconv.ParseUint(kind, 10, kindBits)
		if r == 0 || err != nil || strconv.FormatUint(n, 10) != kind {
			return 0, false
		}
		return identity.AccountBit | identity.Class(chains[r-1].id)<<kindBits | identity.Class(n), true
	}
	return identity.ParseClass(name)
}

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
	for i := range all {
		all[i].setNumber(c)
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
