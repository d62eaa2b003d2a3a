package address

// A form tells the encodings of one chain apart: legacy, SegWit, CashAddr. Its
// values are private to the format; it is decided by the chain and the normal
// form of the address alone.
type form uint8

// A format is how the addresses of one chain are written. A row of the chain
// table holds one, with the parameters of the chain in it. The values of the
// types that implement it are immutable.
//
// The methods other than parse are only given what parse has returned, so they
// need not validate again and cannot fail.
type format interface {
	// parse returns the normal form of s: s itself if possible, which avoids an
	// allocation. It bounds the length of s before any other work. If tolerant is
	// set, it accepts what [Normalize] accepts, except blanks and URIs.
	parse(s string, tolerant bool) (text string, f form, bad fault)

	// canonical returns the canonical spelling of the account, and its form.
	canonical(text string, f form) (string, form)

	// account returns the identity of the account: in the class, a number below
	// 32 that tells kinds of accounts of the chain apart, and the payload, or its
	// SHA-256 where it is longer than 32 bytes. It is the same exactly where
	// canonical is. An account of another chain has the whole class of that one,
	// with [identity.AccountBit].
	account(text string, f form) (words, tag)

	// key returns what controls the account, or zero where the text does not
	// show it. Of several keys it is the first; [Address.AppendKeys] knows the
	// formats that have them.
	key(text string, f form) (words, tag)

	// proves reports whether an address of form f proves itself, by a checksum
	// that chance does not meet (or by 0x and 40 hex digits), so that it can be
	// told from other text without being told the chain.
	proves(f form) bool
}

// keys are the up to three keys of one address; unused places are zero.
type keys [3]Key

// A fault says why a string is not an address. The zero fault says that it is.
// It is passed by value: a chain that does not fit costs no allocation.
type fault struct {
	err error // one of the reasons in errors.go
	at  int   // offset of the first wrong character, -1 if none can be named
}

// Faults at no certain place.
var (
	badLength   = fault{ErrLength, -1}
	badSyntax   = fault{ErrSyntax, -1}
	badChecksum = fault{ErrChecksum, -1}
	badNetwork  = fault{ErrNetwork, -1}
	isSecret    = fault{ErrSecret, -1}
)

// badChar is the fault of an unexpected character at offset at.
func badChar(at int) fault { return fault{ErrCharset, at} }

// after returns the fault with its offset counted from n characters before.
func (f fault) after(n int) fault {
	if f.at >= 0 {
		f.at += n
	}
	return f
}

// firstDifference returns the offset of the first character of s that is not
// that of want, and -1 if they are equal.
func firstDifference(s, want string) int {
	for i := range min(len(s), len(want)) {
		if s[i] != want[i] {
			return i
		}
	}
	if len(s) == len(want) {
		return -1
	}
	return min(len(s), len(want))
}
