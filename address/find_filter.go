package address

import (
	"slices"
	"strings"
)

// proven returns s as an address of the first chain in the table on which it is
// proven. The length of s and its beginning select the codecs to try.
func (f *finder) proven(s string) (Address, bool) {
	if len(s) < minChunk || len(s) > maxWhole {
		return Address{}, false
	}
	f.tries++
	return detectProven(s, 0)
}

// maxHRP is the length of the longest human-readable part.
const maxHRP = 15

// hrpRows maps human-readable parts to the rows of their chains.
var hrpRows = func() map[string][]uint16 {
	rows := make(map[string][]uint16)
	for _, all := range looks {
		for _, l := range all {
			if hrp, ok := strings.CutSuffix(l.lead, "1"); ok && !slices.Contains(rows[hrp], l.row) {
				rows[hrp] = append(rows[hrp], l.row)
			}
		}
	}
	return rows
}()

// gluedHRPs holds the human-readable parts of Bech32 addresses by their last
// letters.
var gluedHRPs = func() (all [256][]string) {
	for hrp := range hrpRows {
		if len(hrp) > 1 && hrp != "lq" && hrp != "ckb" { // addresses on nervos are as long as scripts
			all[hrp[len(hrp)-1]] = append(all[hrp[len(hrp)-1]], hrp)
		}
	}
	return all
}()

// gluedVersions holds the versions of Base58Check addresses with 20 bytes of
// payload that are found between other letters and digits, by their first bytes.
// Every version costs time, so only versions of large chains are among them.
var gluedVersions = func() (t [256][]string) {
	t[0] = []string{"\x00"} // bitcoin, xrp
	for _, slug := range [...]Chain{"bitcoin", "litecoin", "dogecoin", "dash", "zcash", "neo", "tron", "tezos"} {
		for _, c := range chains[lookup(slug)-1].codecs {
			if b := c.bounds(); b.proves && b.chars == classBase58 && c.size == 20 && c.use == everybody && c.prefix != "\x00" {
				t[c.prefix[0]] = append(t[c.prefix[0]], c.prefix)
			}
		}
	}
	return t
}()
