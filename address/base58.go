package address

import (
	"crypto/sha256"
	"strings"

	"github.com/decred/dcrd/crypto/blake256"
	"golang.org/x/crypto/blake2b"

	"github.com/walletscreen/walletscreen/address/internal/groestl"
	"github.com/walletscreen/walletscreen/internal/base58"
)

// sumLen is the length of the checksum at the end of Base58Check data.
const sumLen = 4

// A checkHash is a hash for Base58 checksums, which are its first four bytes.
type checkHash uint8

const (
	sha256d     checkHash = iota // SHA-256 of SHA-256: Base58Check
	groestl512                   // Grøstl-512 of Grøstl-512: groestlcoin
	blake256d                    // BLAKE-256 of BLAKE-256: decred
	blake2b256                   // BLAKE2b-256: ergo
	keccakBlake                  // Keccak-256 of BLAKE2b-256: waves
	ripemd                       // RIPEMD-160: fio
	keccak                       // Keccak-256: monero
	substrate                    // the first two bytes of BLAKE2b-512 of "SS58PRE" and the bytes
	noHash                       // there is no checksum
	lastHash
)

func (h checkHash) size() int {
	switch h {
	case noHash:
		return 0
	case substrate:
		return 2
	}
	return sumLen
}

func (h checkHash) sum(b []byte) [sumLen]byte {
	switch h {
	case groestl512:
		once := groestl.Sum512(b)
		twice := groestl.Sum512(once[:])
		return [sumLen]byte(twice[:])
	case blake256d:
		once := blake256.Sum256(b)
		twice := blake256.Sum256(once[:])
		return [sumLen]byte(twice[:])
	case blake2b256:
		sum := blake2b.Sum256(b)
		return [sumLen]byte(sum[:])
	case keccakBlake:
		inner := blake2b.Sum256(b)
		sum := keccak256(inner[:])
		return [sumLen]byte(sum[:])
	case keccak:
		sum := keccak256(b)
		return [sumLen]byte(sum[:])
	case substrate:
		var buf [64]byte
		sum := blake2b.Sum512(append(append(buf[:0], "SS58PRE"...), b...))
		return [sumLen]byte(sum[:])
	case ripemd:
		sum := sumRIPEMD(b)
		return [sumLen]byte(sum[:])
	}
	once := sha256.Sum256(b)
	twice := sha256.Sum256(once[:])
	return [sumLen]byte(twice[:])
}

// verifies reports whether b ends with the checksum of its other bytes, if h has one.
func (h checkHash) verifies(b []byte) bool {
	at := len(b) - h.size()
	if h == noHash || at < 0 {
		return at >= 0
	}
	sum := h.sum(b[:at])
	return string(sum[:h.size()]) == string(b[at:])
}

// base58Check is Base58 of version bytes, the payload, and a checksum of both,
// behind the characters lead. The letter case matters.
type base58Check struct {
	hash     checkHash
	alphabet *base58.Alphabet // nil means Bitcoin's
	lead     string
}

// decode58 decodes the text from offset at on, once for all codecs.
func (r *reader) decode58(a *base58.Alphabet, at int) ([]byte, fault) {
	s := r.s[at:]
	if r.of58 != a || at != 0 {
		r.of58, r.sums58 = a, [lastHash]int8{}
		if at != 0 {
			r.of58 = nil
		}
		n := 0
		r.val58 = nil
		if n, r.bad58 = a.Decode(r.raw58[:], s); n >= 0 {
			r.val58 = r.raw58[:n]
		}
	}
	switch {
	case r.bad58 >= 0:
		return nil, badChar(at + r.bad58)
	case r.val58 == nil:
		return nil, badLength
	}
	return r.val58, fault{}
}

// verify58 reports whether the bytes that decode58 returned end with their checksum.
func (r *reader) verify58(h checkHash) bool {
	if r.sums58[h] == 0 {
		r.sums58[h] = -1
		if h.verifies(r.val58) {
			r.sums58[h] = 1
		}
	}
	return r.sums58[h] > 0
}

// maxLocated58 is in how many bytes of a text that is too long a wrong character is looked for.
const maxLocated58 = 200

// tooLong58 returns the fault of a text that is too long for its codec and has digits from
// offset at on.
func (r *reader) tooLong58(at int) fault {
	if r.quiet {
		return badLength
	}
	s := r.s[:min(len(r.s), maxLocated58)]
	if at = skip(classBase58, s, at); at < len(s) {
		return badChar(at)
	}
	return badLength
}

func (e base58Check) letters() *base58.Alphabet {
	if e.alphabet != nil {
		return e.alphabet
	}
	return base58.Bitcoin
}

func (e base58Check) read(r *reader, c *codec) fault {
	if !strings.HasPrefix(r.s, e.lead) {
		return badLead(r.s, e.lead)
	}
	r.claimed = e.lead != ""
	inBlocks := e.alphabet == base58.CryptoNote // in which the version shows even if the length is wrong
	n := len(c.prefix) + c.size + e.hash.size()
	if c.size != 0 && !inBlocks && len(r.s) > len(e.lead)+e.maxDigits(n) {
		if e.hash == substrate {
			return badLength
		}
		return r.tooLong58(len(e.lead))
	}
	b, bad := r.decode58(e.letters(), len(e.lead))
	switch {
	case bad.err == ErrLength && inBlocks && len(r.s) == e.maxDigits(n):
		return badSyntax // the value of a block does not fit
	case bad.err != nil:
		return bad
	}
	rightSize, version := e.hasSize(b, c), hasVersion(b, c.prefix)
	switch {
	case !rightSize && !inBlocks && !(e.hash == substrate && isSS58(b)):
		return badLength
	case r.quiet && !version:
		return badSyntax
	case !r.trusted && !r.verify58(e.hash):
		return badChecksum
	case !version, !rightSize, e.hash == substrate && isCutSS58(b):
		return e.misfit(b, c)
	}
	r.set(b[len(c.prefix) : len(b)-e.hash.size()])
	r.normal = true
	return fault{}
}

// misfit returns the fault of the bytes b, whose checksum matches: they are of another chain or of a
// wrong length.
func (e base58Check) misfit(b []byte, c *codec) fault {
	switch {
	case e.hash == substrate && isCutSS58(b):
		return badLength
	case !hasVersion(b, c.prefix), e.hash == substrate: // of another chain
		return fault{err: ErrSyntax, at: -1, lead: e.alphabet == base58.CryptoNote}
	}
	return badLength
}

// isSS58 reports whether b is as long as an account in SS58, with a prefix of one byte or two.
func isSS58(b []byte) bool { return len(b) == 35 || len(b) == 36 }

// isCutSS58 reports whether b begins with the first byte of a prefix of two, and is a byte too short for it.
func isCutSS58(b []byte) bool { return len(b) == 35 && 0x40 <= b[0] && b[0] < 0x80 }

// hasSize reports whether the bytes b have the length of an address.
func (e base58Check) hasSize(b []byte, c *codec) bool {
	n := len(b) - len(c.prefix) - e.hash.size()
	return n > 0 && (c.size == 0 || n == c.size)
}

func hasVersion(b []byte, version string) bool {
	return len(b) >= len(version) && string(b[:len(version)]) == version
}

func (e base58Check) write(dst []byte, c *codec, payload []byte) []byte {
	var buf [base58.MaxLen]byte
	b := append(append(buf[:0], c.prefix...), payload...)
	sum := e.hash.sum(b)
	return e.letters().Append(append(dst, e.lead...), append(b, sum[:e.hash.size()]...))
}

func (e base58Check) bounds(c *codec) bounds {
	n := len(c.prefix) + c.size + e.hash.size()
	b := bounds{len(e.lead) + n, len(e.lead) + e.maxDigits(n), classBase58 | classAddress, strings.ToLower(e.lead), e.hash != noHash}
	if c.size == 0 {
		b.max = base58.MaxLen
	}
	if e.lead == "" {
		b.chars = classBase58
	}
	return b
}

// narrowed returns looks with the lengths of the texts that c writes and with their first digits,
// which follow from the version bytes.
func (e base58Check) narrowed(c *codec, l look) (all []*look) {
	a, size := e.letters(), c.size+e.hash.size()
	low, high := a.Encode([]byte(c.prefix+strings.Repeat("\x00", size))), a.Encode([]byte(c.prefix+strings.Repeat("\xff", size)))
	l.min, l.max = len(low), len(high)
	switch {
	case strings.Trim(c.prefix, "\x00") == "" && a != base58.CryptoNote: // zeros may follow
		l.lead = low[:len(c.prefix)]
	case len(low) == len(high):
		for l.lead = low; !strings.HasPrefix(high, l.lead); {
			l.lead = l.lead[:len(l.lead)-1]
		}
		if l.lead == "" {
			for v := a.Value(low[0]); v <= a.Value(high[0]); v++ {
				narrow := l
				narrow.lead = a.Encode([]byte{v}) // one digit
				all = append(all, &narrow)
			}
			return all
		}
	}
	return append(all, &l)
}

// maxDigits returns an upper bound of the number of digits of n bytes.
func (e base58Check) maxDigits(n int) int {
	switch {
	case e.alphabet == base58.CryptoNote:
		return base58.BlocksLen(n)
	case e.hash == substrate:
		return 50 // with any prefix
	}
	return (n*138 + 99) / 100
}

// unless returns badSyntax unless ok.
func unless(ok bool) fault {
	if ok {
		return fault{}
	}
	return badSyntax
}
