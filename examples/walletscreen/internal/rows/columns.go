package rows

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// usualAddress and usualChain are how people name these columns, without blanks and
// punctuation.
var (
	usualAddress = map[string]bool{"addr": true, "walletaddr": true, "wallets": true} // besides …address, …addresses and …wallet
	usualChain   = map[string]bool{
		"chain": true, "blockchain": true, "network": true, "chainid": true, "chainname": true, "blockchainnetwork": true,
		"netzwerk": true, "kette": true, "red": true, "cadena": true, "réseau": true, "reseau": true, "rete": true,
	}
	// tickers name columns of assets, which may say the chain.
	tickers = map[string]bool{"coin": true, "asset": true, "currency": true, "token": true, "ticker": true, "symbol": true, "währung": true, "waehrung": true, "moneda": true, "devise": true}
	// usualCustomers are how people name columns that say whose address a row has.
	usualCustomers = map[string]bool{
		"id": true, "customerid": true, "customer": true, "userid": true, "user": true, "clientid": true, "client": true, "accountid": true, "account": true,
		"reference": true, "name": true, "customernumber": true, "accountnumber": true, "kundennummer": true, "kundennr": true,
	}
	// otherCustomers name such a column if no usual name does.
	otherCustomers = map[string]bool{"kunde": true, "kundenid": true, "konto": true, "kontonummer": true}
	// otherAddress and otherChain are parts of names that also look like these columns, but
	// may be something else, such as a street or the unit of an amount.
	otherAddress = []string{"address", "adress", "wallet", "direcci", "indirizzo"}
	otherChain   = []string{"chain", "network", "netzwerk", "réseau", "reseau", "protocol"}
	notCrypto    = []string{"mail", "street", "postal", "home", "billing", "shipping", "residen", "ip", "mac"}
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

// mostly reports whether is applies to most of the cells of column i that have text.
func mostly(body [][]string, i int, is func(string) bool) bool {
	yes, no := 0, 0
	for _, row := range body {
		switch {
		case i >= len(row) || strings.TrimSpace(row[i]) == "":
		case is(row[i]):
			yes++
		default:
			no++
		}
	}
	return yes >= no
}

// hasCell reports whether is applies to a cell of column i.
func hasCell(body [][]string, i int, is func(string) bool) bool {
	return slices.ContainsFunc(body, func(row []string) bool { return i < len(row) && is(row[i]) })
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
	if strings.Join(names, "") == "" {
		return fmt.Sprintf("%d without names", len(names))
	}
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

// addressColumn returns the index of the column with the addresses: the column that looks most like it, by
// its name and by its cells. In a table that has cells with nothing but an address, a cell that mentions one
// after other words does not count.
func (t *Reader) addressColumn(names []string, body [][]string) (int, error) {
	if t.opts.Address != "" || len(names) == 1 {
		return named("address-column", cmp.Or(t.opts.Address, "1"), names)
	}
	like := t.looksLikeAddress
	if slices.ContainsFunc(body, func(row []string) bool { return slices.ContainsFunc(row, t.opts.Plausible) }) {
		like = t.leads
	}
	none := true // no column has an address
	for i := range names {
		none = none && !hasCell(body, i, like)
	}
	best, at, rivals := 0, -1, []string(nil)
	for i, name := range names {
		rank := rankOf(plainName(name), isAdded(names, i), hasCell(body, i, like), none, hasCell(body, i, t.opts.Plausible))
		if rank > best {
			best, at, rivals = rank, i, nil
		}
		if rank == best && rank > 0 {
			rivals = append(rivals, cmp.Or(name, strconv.Itoa(i+1)))
		}
	}
	switch len(rivals) {
	case 0:
		return -1, fmt.Errorf("no column is named address, of %s; name it with -address-column", list(names))
	case 1:
		return at, nil
	}
	return -1, fmt.Errorf("several columns may have the addresses: %s; name one with -address-column", list(rivals))
}

// rankOf returns how much a column with the plain name looks like addresses, from 0 to 5: it may be added, have a cell
// that counts as one, as no column may, and a cell that is an address as a whole.
func rankOf(plain string, added, hit, none, whole bool) int {
	switch {
	case plain == "address" && (hit || none):
		return 5
	case hit && mayBeAddress(plain), whole && namesAddress(plain):
		return 4
	case mayBeAddress(plain):
		return 3
	case hit && !added:
		return 2
	case hit:
		return 1
	}
	return 0
}

// unprefixed returns a plain name without the word in front of a column that was added to a table that had its name already.
func unprefixed(plain string) string {
	for {
		rest, ok := strings.CutPrefix(plain, "walletscreen")
		if !ok || rest == "" {
			return plain
		}
		plain = rest
	}
}

// isAdded reports whether column i has addresses or chains that an earlier screening or validation has added. People
// may name a column normalized or listed_address, too, but not behind columns with these names.
func isAdded(names []string, i int) bool {
	is := func(i int, name string) bool {
		return i >= 0 && i < len(names) && unprefixed(plainName(names[i])) == name
	}
	return is(i, "listedaddress") && (is(i-1, "name") || is(i-1, "address")) || is(i, "chaindetected") && is(i+1, "normalized") || is(i-1, "chaindetected") && is(i, "normalized")
}

// mayBeAddress reports whether a column with the plain name may have addresses of wallets.
func mayBeAddress(plain string) bool {
	name := unprefixed(plain)
	return usualAddress[name] || isCrypto(name) && (strings.HasSuffix(name, "address") || strings.HasSuffix(name, "addresses") || strings.HasSuffix(name, "wallet"))
}

// namesAddress reports whether a part of the plain name of a column says that it has addresses, and no part that they are of another kind.
func namesAddress(plain string) bool {
	name := unprefixed(plain)
	return isCrypto(name) && contains(name, otherAddress)
}

// isCrypto reports whether nothing in an unprefixed name says that it is of another kind of
// address, or was added by an earlier screening.
func isCrypto(name string) bool {
	return name != "listedaddress" && !contains(strings.ReplaceAll(name, "recipient", ""), notCrypto)
}

// contains reports whether name contains one of parts.
func contains(name string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
}

// Columns says which columns of a table are read.
type Columns struct {
	Address     string   `json:"address"`                // its name in quotes, or its number if it has none
	Chain       string   `json:"chain,omitempty"`        // likewise, if there is one
	Unused      []string `json:"unused,omitempty"`       // those that look like addresses or chains, and are not read
	Skipped     int      `json:"skipped,omitempty"`      // how many lines above the header are left out
	Sheet       string   `json:"sheet,omitempty"`        // of a workbook
	OtherSheets []string `json:"other_sheets,omitempty"` // that are not read

	ID  int         `json:"-"` // index of the column that says whose address a row has, for [Row.Cell], or -1
	Own []OwnColumn `json:"-"` // those that tell people which row is which, at most two
}

// An OwnColumn tells people which row is which: it is the first column, or named like an id.
type OwnColumn struct {
	Name  string // or its number if it has none
	Index int    // for Row.Cell
}

// usualIDs are how people name columns of ids, without blanks and punctuation.
var usualIDs = map[string]bool{
	"id": true, "no": true, "nr": true, "number": true, "ref": true, "reference": true, "case": true, "account": true, "kundennummer": true, "kundennr": true,
	"customernumber": true, "clientnumber": true, "accountnumber": true, "casenumber": true, "iban": true,
}

// isID reports whether a column is named like an id: customer_id, customerId and "Customer ID" are,
// and "paid" is not.
func isID(name string) bool {
	name = strings.TrimSpace(name)
	before, id := name[:max(len(name)-2, 0)], name[max(len(name)-2, 0):]
	return usualIDs[plainName(name)] || strings.EqualFold(id, "id") &&
		(strings.HasSuffix(before, "_") || strings.HasSuffix(before, "-") || strings.HasSuffix(before, " ") || id[0] == 'I' && before != "" && before != strings.ToUpper(before))
}

// choose finds the columns of the address and the chain, by the names of all columns and a sample
// of the rows.
func (t *Reader) choose(names []string, body [][]string) (err error) {
	if t.address, err = t.addressColumn(names, body); err != nil {
		return err
	}
	if t.chain, err = chainColumn(t.opts.Chain, names, body, t.address, t.opts.IsChain); err != nil {
		return err
	}
	t.all = names
	title := func(i int) string {
		if name := strings.TrimSpace(names[i]); name != "" {
			return quote(name)
		}
		return strconv.Itoa(i + 1)
	}
	t.used.Address = title(t.address)
	if t.chain >= 0 {
		t.used.Chain = title(t.chain)
	}
	t.used.ID = t.customerColumn(names)
	for i, name := range names {
		plain := plainName(name)
		if i == t.address || i == t.chain {
			continue
		}
		if (i == 0 || isID(name)) && len(t.used.Own) < 2 {
			t.used.Own = append(t.used.Own, OwnColumn{strings.Trim(title(i), `"`), i})
		}
		if !isAdded(names, i) && t.looksUsed(plain, body, i) {
			t.used.Unused = append(t.used.Unused, title(i))
		}
	}
	return nil
}

// customerColumn returns the index of the column that says whose address a row has, or -1.
func (t *Reader) customerColumn(names []string) int {
	for _, known := range []map[string]bool{usualCustomers, otherCustomers} {
		for i, name := range names {
			if known[plainName(name)] && i != t.address && i != t.chain {
				return i
			}
		}
	}
	return -1
}

// looksUsed reports whether column i, which has the name plain, may have addresses or chains.
func (t *Reader) looksUsed(plain string, body [][]string, i int) bool {
	return namesAddress(plain) || usualChain[plain] || contains(plain, otherChain) ||
		hasCell(body, i, t.looksLikeAddress) || tickers[plain] && mostly(body, i, t.opts.IsChain)
}

// chainColumn returns the index of the column with the chains, or -1 if there is none. A name that
// may mean something else, such as a color, is one only if most cells are names of chains.
func chainColumn(want string, names []string, body [][]string, address int, isChain func(string) bool) (int, error) {
	if want != "" {
		return named("chain-column", want, names)
	}
	found := -1
	for i, name := range names {
		switch plain := plainName(name); {
		case i == address:
		case plain == "chain":
			return i, nil
		case found < 0 && usualChain[plain] && (strings.Contains(plain, "chain") || mostly(body, i, isChain)):
			found = i
		}
	}
	return found, nil
}
