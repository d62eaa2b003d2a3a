package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
)

// isChain reports whether a cell names a chain, perhaps by a ticker or a token standard.
func isChain(cell string) bool {
	return !errors.Is(address.Interpret(cell, "").Err, address.ErrChain)
}

// numbered matches accounts that are numbers, as Hedera and Filecoin have them.
var numbered = regexp.MustCompile(`^(0\.0\.[0-9]+(-[a-z]{5})?|f0[0-9]{3,})$`)

// isName reports whether a cell is an account with a name, or a name that stands for one, or an
// address with something in it, such as a blank or a quote. No name of a column is: user.wallet may be one.
func isName(cell string) bool {
	if strings.HasSuffix(cell, ".near") || strings.HasSuffix(cell, ".tg") || numbered.MatchString(cell) {
		return true
	}
	if len(cell) < 20 && !strings.Contains(cell, ".") {
		return false
	}
	rd := address.Interpret("", strings.ReplaceAll(cell, `"`, ""))
	return !strings.HasSuffix(cell, ".wallet") && errors.Is(rd.Err, address.ErrName) ||
		len(cell) >= 20 && slices.ContainsFunc(rd.Addresses, func(a address.Address) bool { return a.Kind() != "name" })
}

// plausible reports whether a cell looks like an address, perhaps a misspelled one. No name of a column does.
func plausible(cell string) bool {
	cell = strings.TrimSpace(cell)
	if len(cell) < 20 {
		return false
	}
	if slices.ContainsFunc(address.Detect(cell), func(a address.Address) bool { return a.Kind() != "name" }) {
		return true
	}
	return len(cell) >= 26 && strings.ContainsAny(cell, "0123456789") && !strings.ContainsFunc(cell, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
