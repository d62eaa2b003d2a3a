package address

// A form distinguishes the encodings of one chain: legacy, SegWit, CashAddr.
// Its values are private to the format. The chain and the normal form of an
// address determine its form.
type form uint8

// A format reads and writes the addresses of one chain. Each row of the chain
// table holds one, with the parameters of the chain. Formats are immutable.
//
// The methods other than parse receive only results of parse, so they need not
// validate again and cannot fail.
type format interface {
	// parse returns the normal form of s: s itself if possible, which
	// avoids an allocation. It checks the length of s first. If tolerant is
	// set, it accepts what [Normalize] accepts, except surrounding white
	// space and URIs.
	parse(s string, tolerant bool) (text string, f form, bad fault)

	// canonical returns the canonical spelling of the account, and its
	// form. It is not called for an EVM account, or an address that is
	// packed.
	canonical(text string, f form) (string, form)

	// account returns the identity of the account. The class is a number
	// below 32 that distinguishes the kinds of accounts of the chain. The
	// bytes are the payload, or its SHA-256 hash if it is longer than 32
	// bytes. Two results are equal if and only if the canonical forms are.
	// For an account of another chain, the class is the complete class
	// there, with [identity.AccountBit].
	account(text string, f form) (words, tag)

	// key returns what controls the account, or zero if the address does
	// not reveal it. If there are several keys, key returns the first;
	// [Address.AppendKeys] lists the formats with several. It is not called
	// for an address that is packed.
	key(text string, f form) (words, tag)

	// proves reports whether an address of form f is recognizable without
	// its chain: by a checksum that random text does not match, or as "0x"
	// and 40 hex digits.
	proves(f form) bool
}

// keys holds up to three keys of one address. Unused elements are zero.
type keys [3]Key

// A fault describes why a string is not an address. The zero fault means that
// it is one. It is passed by value, so that trying a chain does not allocate.
type fault struct {
	err error // one of the reasons in errors.go
	at  int   // offset of the first wrong character, or -1
}

// Faults without an offset.
var (
	badLength   = fault{ErrLength, -1}
	badSyntax   = fault{ErrSyntax, -1}
	badChecksum = fault{ErrChecksum, -1}
	badNetwork  = fault{ErrNetwork, -1}
)

// badChar returns the fault for an unexpected character at offset at.
func badChar(at int) fault { return fault{ErrCharset, at} }

// after returns the fault with its offset moved n characters forward.
func (f fault) after(n int) fault {
	if f.at >= 0 {
		f.at += n
	}
	return f
}

// firstDifference returns the offset of the first character of s that differs
// from want, or -1 if they are equal.
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
