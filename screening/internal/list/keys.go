package list

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/sources"
)

// AppendProbes appends the keys to look up for a question about a: the key that
// controls the account, if the address shows exactly one; otherwise the account and
// each key that controls it. The keys that follow from these are next; see
// address.Address.AppendKeys.
func AppendProbes(dst []index.ID, a address.Address) []index.ID {
	words, tag := a.Identity()
	first := probeOf(words, tag)
	dst = append(dst, first)
	if !identity.HasMore(tag) {
		return dst
	}
	var buf [MaxProbes]address.Key
	for _, k := range a.AppendKeys(buf[:0]) {
		if id := KeyOf(k); id != first {
			dst = append(dst, id)
		}
	}
	return dst
}

// isProbe reports whether k is one of the probes of a, or is derived from one by evmAccount. The
// EVM account of a Substrate account has no such account, because nobody has its key.
func isProbe(a address.Address, k *index.ID) bool {
	var buf [MaxProbes]index.ID
	probes := AppendProbes(buf[:0], a)
	if slices.Contains(probes, *k) {
		return true
	}
	if slices.ContainsFunc(probes, func(p index.ID) bool { return p.Class() == identity.Substrate }) {
		return false
	}
	return slices.ContainsFunc(probes, func(p index.ID) bool { d, ok := evmAccount(p); return ok && d == *k })
}

// firstProbe returns the first of the probes of a, which each spelling of its account
// has.
func firstProbe(a address.Address) index.ID { return probeOf(a.Identity()) }

// probeOf is firstProbe for an address with the given identity.
func probeOf(words identity.Words, tag identity.Tag) index.ID {
	class := identity.Key(tag)
	if class == 0 {
		class = identity.Account(tag)
	}
	return indexKey(class, words, tag)
}

// MaxProbes is the number of probes of any address, so that they fit into an array.
const MaxProbes = 24

// indexKey returns the key of a class with the bytes of an identity.
func indexKey(class identity.Class, words identity.Words, tag identity.Tag) index.ID {
	return index.MakeID(class, words, identity.Len(tag))
}

// appendKeys appends the keys under which e is found to dst, which is empty: the probes of
// its address, and the account of each other address as which the listed string can be read. An
// entry without an address is found under its listed string and the probes of its readings;
// keys may come twice. The first one identifies the entry.
func appendKeys(dst []index.ID, e *sources.Entry) []index.ID {
	if !e.Address.IsValid() {
		text := literalText(e.Listed)
		dst = append(dst, TextKey(text))
		for _, a := range readings(*e, text) {
			dst = AppendProbes(dst, a)
		}
		return dst
	}
	dst = AppendProbes(dst, e.Address)
	if !isEVMText(e, &dst[0]) {
		for words, tag := range address.Identities(sources.TrimListed(e.Text())) {
			if k := probeOf(words, tag); !slices.Contains(dst, k) {
				dst = append(dst, k)
			}
		}
	}
	return dst
}

// isEVMText reports whether e, which has the key k, lists an address of an EVM
// chain as "0x" and its digits: on any other chain, that text has the same key, unless it is a
// virtual address of tempo.
func isEVMText(e *sources.Entry, k *index.ID) bool {
	if k.Class() != identity.KeccakHash || isVirtual(*k) {
		return false
	}
	normal := e.Address.Normalized()
	return len(normal) == 2+2*k.Len() && normal[:2] == "0x" && (e.Listed == "" || len(e.Listed) == len(normal) && strings.EqualFold(e.Listed, normal))
}

// isVirtual reports whether k may be of a virtual address of tempo.
func isVirtual(k index.ID) bool {
	return k.Words.W1<<16 == 0xfdfdfdfdfdfd0000
}

// hexKey returns the key of an address of an EVM chain of 20 bytes.
func hexKey(raw []byte) index.ID {
	words := identity.Words{W0: binary.LittleEndian.Uint64(raw), W1: binary.LittleEndian.Uint64(raw[8:]), W2: uint64(binary.LittleEndian.Uint32(raw[16:]))}
	return index.MakeID(identity.KeccakHash, words, len(raw))
}

// hasBytes reports whether the bytes of k are the 20 bytes of raw. hexKey would go through memory.
func hasBytes(k *index.ID, raw []byte) bool {
	w := &k.Words
	return k.Len() == len(raw) && w.W0 == binary.LittleEndian.Uint64(raw) && w.W1 == binary.LittleEndian.Uint64(raw[8:]) &&
		w.W2 == uint64(binary.LittleEndian.Uint32(raw[16:]))
}

// firstKey returns the first of the keys that appendKeys appends.
func firstKey(e *sources.Entry) index.ID {
	if !e.Address.IsValid() {
		return TextKey(e.Listed)
	}
	return firstProbe(e.Address)
}

// minWord is the length of the shortest word without a full stop in a listed string that may be an address by itself.
const minWord = 25

// readings returns the addresses as which the listed string of an entry without an
// address, or a long word of the string, can be read or repaired. text is its literalText.
func readings(e sources.Entry, text string) []address.Address {
	all := address.Detect(text)
	add := func(a address.Address) {
		if !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	for _, signs := range []string{"", "-_", "-_."} { // of addresses in Base64, and of names and ids with a full stop
		isGap := func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(signs, r)
		}
		for word := range strings.FieldsFuncSeq(text, isGap) {
			if (len(word) >= minWord || strings.IndexByte(word, '.') > 0) && len(word) < len(text) { // no checksum proves it
				for _, a := range address.Detect(word) {
					add(a)
				}
			}
		}
	}
	if a, ok := sources.Decode(e.Asset, text); ok { // a URI, for example
		add(a)
	}
	for _, r := range sources.Repair(e.Asset, e.Listed) {
		add(r.Address)
	}
	return all
}

// KeyOf returns k as an index holds it. Accounts and keys have different classes, so
// one index can hold both.
func KeyOf(k address.Key) index.ID {
	words, tag := k.Identity()
	return indexKey(identity.Account(tag), words, tag)
}

// textClass is the class of listed strings that are not addresses. No address has it.
const textClass = 0

// TextKey returns the key under which a listed string that is not an address is found: the
// SHA-256 of its literalText. It allocates nothing for a text of up to 512 bytes.
func TextKey(listed string) index.ID {
	trimmed := sources.TrimListed(listed)
	var buf [512]byte
	text := append(buf[:0], trimmed...)
	if isHexText(trimmed) {
		for i, c := range text {
			if 'A' <= c && c <= 'Z' {
				text[i] = c | 0x20
			}
		}
	}
	sum := sha256.Sum256(text)
	return index.MakeID(textClass, identity.FromBytes(&sum), len(sum))
}

// literalText returns the string under which a listed string that is not an address is
// found: without outer blanks, and in lower case if it is hex.
func literalText(listed string) string {
	text := sources.TrimListed(listed)
	if !isHexText(text) {
		return text
	}
	return strings.ToLower(text)
}

// isHexText reports whether text is hex, with or without "0x" or "0X".
func isHexText(text string) bool {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		text = text[2:]
	}
	return strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// hexOf returns 0x and the bytes of k in hex, as most addresses in long lists are
// spelled.
func hexOf(k *index.ID) string {
	var buf [2 + 2*32]byte
	return string(identity.AppendHex(buf[:0], k.Words, k.Len()))
}
