package address

// Detect returns s as an Address of every chain on which Parse takes it, the
// most telling first: those whose checksum s proves, in the order of the table.
// Of the EVM chains it names only ethereum. It returns nil if there are none.
func Detect(s string) []Address {
	var found []Address
	for i := range chains {
		c := &chains[i]
		if _, ok := c.format.(evmFamily); ok && uint16(i+1) != ethereumRow {
			continue
		}
		if text, form, bad := c.format.parse(s, false); bad.err == nil {
			found = append(found, Address{text, uint16(i + 1), form})
		}
	}
	return found
}
