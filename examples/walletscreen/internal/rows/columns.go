package rows

import (
	"fmt"
	"strconv"
	"strings"
)

// usualAddress and usualChain are how people name these columns, without blanks and
// punctuation.
var (
	usualAddress = map[string]bool{
		"address": true, "addr": true, "wallet": true, "walletaddress": true, "walletaddr": true, "cryptoaddress": true,
		"blockchainaddress": true, "publicaddress": true, "depositaddress": true, "withdrawaladdress": true,
		"cryptowallet": true, "wallets": true, "addresses": true,
	}
	usualChain = map[string]bool{
		"chain": true, "blockchain": true, "network": true, "chainid": true, "chainname": true, "blockchainnetwork": true,
	}
	notCrypto = []string{"mail", "street", "postal", "home", "billing", "shipping", "residen", "ip", "mac"}
)

// plainName returns name in lower case, without anything but letters and digits.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

// named returns the index of the column that a person has named.
func named(flag, want string, names []string) (int, error) {
	found := -1
	for i, name := range names {
		if strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(want)) {
			if found >= 0 {
				return -1, fmt.Errorf("columns %d and %d are both named %q; give the number to -%s", found+1, i+1, want, flag)
			}
			found = i
		}
	}
	if found >= 0 {
		return found, nil
	}
	if n, err := strconv.Atoi(want); err == nil {
		if n < 1 || n > len(names) {
			return -1, fmt.Errorf("-%s %d: want a number from 1 to %d, or a name", flag, n, len(names))
		}
		return n - 1, nil
	}
	return -1, fmt.Errorf("-%s: no column is named %q; there are %s", flag, want, list(names))
}

// list returns the names of columns for an error.
func list(names []string) string {
	shown := make([]string, 0, len(names))
	for i, name := range names {
		if i == 20 {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, quote(name))
	}
	return strings.Join(shown, ", ")
}

// quote returns name for an error. One that is long could be a seed phrase or a private key
// in a table without a header.
func quote(name string) string {
	if len(name) > 40 {
		return fmt.Sprintf("(%d characters)", len([]rune(name)))
	}
	return strconv.Quote(name)
}

// addressColumn returns the index of the column with the addresses.
func addressColumn(want string, names []string, body [][]string, plausible func(string) bool) (int, error) {
	if want != "" {
		return named("address-column", want, names)
	}
	hits := make([]int, len(names))
	for _, row := range body {
		for i := range min(len(row), len(names)) {
			if plausible(row[i]) {
				hits[i]++
			}
		}
	}
	var candidates, full []int
	for i, name := range names {
		if mayBeAddress(plainName(name)) {
			candidates = append(candidates, i)
		}
		if hits[i] > 0 {
			full = append(full, i)
		}
	}
	if len(candidates) == 1 {
		return candidates[0], nil
	}
	if len(candidates) > 1 {
		var filled, exact []int
		for _, i := range candidates {
			if hits[i] > 0 {
				filled = append(filled, i)
			}
			if plainName(names[i]) == "address" && (hits[i] > 0 || len(full) == 0) {
				exact = append(exact, i)
			}
		}
		switch {
		case len(exact) == 1:
			return exact[0], nil
		case len(filled) == 1:
			return filled[0], nil
		}
		return -1, fmt.Errorf("several columns may have the addresses, of %s; name one with -address-column", list(names))
	}
	switch {
	case len(names) == 1:
		return 0, nil
	case len(full) == 1:
		return full[0], nil
	}
	return -1, fmt.Errorf("no column is named address, of %s; name it with -address-column", list(names))
}

// mayBeAddress reports whether a column of that plain name may have addresses of wallets.
func mayBeAddress(name string) bool {
	switch {
	case usualAddress[name]:
		return true
	case name == "listedaddress": // the table was screened before
		return false
	}
	for _, other := range notCrypto {
		if strings.Contains(name, other) {
			return false
		}
	}
	return strings.HasSuffix(name, "address") || strings.HasSuffix(name, "addresses") || strings.HasSuffix(name, "wallet")
}

// chainColumn returns the index of the column with the chains, or -1 if there is none.
func chainColumn(want string, names []string, address int) (int, error) {
	if want != "" {
		return named("chain-column", want, names)
	}
	found := -1
	for i, name := range names {
		if i == address || !usualChain[plainName(name)] {
			continue
		}
		if found >= 0 && plainName(name) != "chain" {
			continue
		}
		found = i
		if plainName(name) == "chain" {
			break
		}
	}
	return found, nil
}
