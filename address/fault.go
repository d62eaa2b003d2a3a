package address

// A form is the index of a codec in the spellings of a chain.
type form uint8

// A fault describes why a string is not an address. The zero fault means that
// it is one. It is passed by value, so that trying a chain does not allocate.
type fault struct {
	err error // one of the reasons in errors.go
	at  int   // offset of the first wrong character, or -1

	lead bool // the text does not even begin as addresses of the codec do
}

// Faults without an offset.
var (
	badLength   = fault{err: ErrLength, at: -1}
	badSyntax   = fault{err: ErrSyntax, at: -1}
	badChecksum = fault{err: ErrChecksum, at: -1}
	badNetwork  = fault{err: ErrNetwork, at: -1}
)

// badChar returns the fault for an unexpected character at offset at.
func badChar(at int) fault { return fault{err: ErrCharset, at: at} }

// badLead returns the fault for a text that does not begin with lead.
func badLead(s, lead string) fault {
	at := 0
	for at < min(len(s), len(lead)) && s[at] == lead[at] {
		at++
	}
	if at == min(len(s), len(lead)) {
		return fault{err: ErrLength, at: -1, lead: true}
	}
	return fault{err: ErrCharset, at: at, lead: true}
}
