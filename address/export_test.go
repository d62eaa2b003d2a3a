package address

// TableOrder returns the slugs in the order of the chain table.
func TableOrder() []Chain {
	all := make([]Chain, len(chains))
	for i := range chains {
		all[i] = chains[i].slug
	}
	return all
}

// IsEVM reports whether the accounts of c are those of the EVM.
func IsEVM(c Chain) bool {
	_, ok := chains[lookup(c)-1].format.(evmFamily)
	return ok
}

// HoldsSecret reports whether s is kept out of errors, given for chain c or, if
// c is "", for one that is not supported.
func HoldsSecret(c Chain, s string) bool { return holdsSecret(lookup(c), s) }

// ParseQuietly is Parse without the diagnosis.
func ParseQuietly(c Chain, s string) (Address, bool) {
	r := lookup(c)
	text, form, bad := chains[r-1].format.parse(s, false)
	return Address{text, r, form}, bad.err == nil
}

// CountTries returns the number of strings that FindAll tries as addresses.
func CountTries(text string) int {
	f := finder{text: text}
	f.search()
	return f.tries
}
