package address

import "strings"

// proven returns s as an address of the first chain in the table on which it is
// proven. It is a faster detectProven: the length of s, its beginning and the
// classes of its characters select the chains to try, so most strings in a text
// take some nanoseconds.
func (f *finder) proven(s string) (Address, bool) {
	if len(s) < minChunk || len(s) > maxSpan {
		return Address{}, false
	}
	var any, all uint16 = 0, ^uint16(0)
	for i := range len(s) {
		c := charClass[s[i]]
		if c&classAlnum == 0 {
			return f.tryRow(separatorRow(s, i), s)
		}
		any |= c
		all &= c
	}
	n := len(s)
	switch {
	case n < minWord:
		return Address{}, false
	case all&classBase58 != 0 && n >= 25,
		all&classBase32 != 0 && (n == 40 || n == 56 || n == 58 || n == 69), // nem, stellar, algorand
		beginsLikeOthers(s):
		return f.tryAll(s)
	case all&classHex != 0:
		switch n {
		case icpLedgerLen:
			return f.tryRow(icpRow, s)
		case siacoinLen:
			return f.tryRow(siacoinRow, s)
		}
		return Address{}, false
	case any&classUpper != 0 && any&classLower != 0:
		return Address{}, false
	case n >= 38 && (s[0] == 'S' && (s[1] == 'P' || s[1] == 'M') || s[0]|0x20 == 'f' && '1' <= s[1] && s[1] <= '4'), // stacks, filecoin
		n >= 42 && all&classBech32 != 0: // CashAddr without its prefix
		return f.tryAll(s)
	}
	return f.provenBech32(s)
}

// provenBech32 is proven for a text that could be Bech32: it tries the chains with the
// human-readable part of s.
func (f *finder) provenBech32(s string) (Address, bool) {
	one, n := strings.LastIndexByte(s, '1'), len(s)
	if one < 1 || one > maxHRP || n-one < 7 {
		return Address{}, false
	}
	var lower [maxHRP]byte
	for i := range one {
		lower[i] = s[i]
		if charClass[s[i]]&classUpper != 0 {
			lower[i] |= 0x20
		}
	}
	for _, row := range hrpRows[string(lower[:one])] {
		if a, ok := f.tryRow(row, s); ok {
			return a, true
		}
	}
	return Address{}, false
}

// beginsLikeOthers reports whether s begins, and is as long, as an address of EVM chains,
// TON, XDC or FIO.
func beginsLikeOthers(s string) bool {
	return len(s) == evmLen && hasHexPrefix(s) || len(s) == 48 && (s[0] == 'E' || s[0] == 'U') || hasAnyPrefix(s, "xdc", "FIO")
}

// tryAll tries all chains.
func (f *finder) tryAll(s string) (Address, bool) {
	f.tries++
	return detectProven(s, 0)
}

// tryRow reports whether s is a proven address of row r, which may be zero.
func (f *finder) tryRow(r uint16, s string) (Address, bool) {
	if r == 0 {
		return Address{}, false
	}
	f.tries++
	text, form, bad := chains[r-1].format.parse(s, false)
	a := Address{text, r, form}
	return a, bad.err == nil && a.Proven()
}

// separatorRow returns the row of the only chain on which s can be a proven
// address, or zero. The first separator in s is at offset at.
func separatorRow(s string, at int) uint16 {
	if len(s) == 48 && (s[0] == 'E' || s[0] == 'U') {
		return separatorRows.ton
	}
	switch prefix := s[:at]; s[at] {
	case ':':
		if at > len("bitcoincash") {
			return 0
		}
		return separatorRows.scheme[strings.ToLower(prefix)]
	case '_':
		return separatorRows.scheme[prefix+"_"]
	case '-':
		switch at {
		case 1:
			if prefix == "X" || prefix == "P" {
				return separatorRows.scheme[prefix+"-"]
			}
		case 5:
			return icpRow
		case 6:
			if len(s) == nemGroupsLen {
				return separatorRows.nem
			}
		}
	case '.':
		if prefix == "0" && strings.IndexByte(s, '-') > 0 {
			return separatorRows.hedera
		}
	}
	return 0
}

// separatorRows holds the rows of the chains whose addresses have separators.
var separatorRows = struct {
	ton, nem, hedera uint16
	scheme           map[string]uint16
}{
	lookup("ton"), lookup("nem"), lookup("hedera"),
	map[string]uint16{
		"bitcoincash": lookup("bitcoin-cash"), "ecash": lookup("ecash"), "kaspa": lookup("kaspa"), "cfx": lookup("conflux"), "ronin": lookup("ronin"),
		"nano_": lookup("nano"), "xrb_": lookup("nano"), "ak_": lookup("aeternity"), "X-": lookup("avalanche-x"), "P-": lookup("avalanche-p"),
	},
}

var siacoinRow = lookup("siacoin")

// maxHRP is the length of the longest human-readable part.
const maxHRP = 11

// hrpRows maps human-readable parts to the rows of their chains.
var hrpRows = func() map[string][]uint16 {
	rows := make(map[string][]uint16)
	for i := range chains {
		for _, hrp := range formatHRPs(chains[i].format) {
			if hrp != "" {
				rows[hrp] = append(rows[hrp], uint16(i+1))
			}
		}
	}
	return rows
}()

// formatHRPs returns the human-readable parts of the addresses of f. Some may
// be empty.
func formatHRPs(f format) []string {
	switch f := f.(type) {
	case *utxo:
		return []string{f.hrp, f.long}
	case *zcash:
		return []string{f.long, "tex", "u"}
	case *liquid:
		return []string{f.hrp, "lq"}
	case *cosmos:
		return []string{f.hrp}
	case *sei:
		return []string{f.hrp}
	case *evmBech32:
		return []string{f.hrp}
	case *bech32Bytes:
		return []string{f.hrp}
	case zilliqa:
		return []string{"zil"}
	case multiversx:
		return []string{multiversxHRP}
	case pactus:
		return []string{pactusHRP}
	case handshake:
		return []string{handshakeHRP}
	case nervos:
		return []string{"ckb"}
	case cardano:
		return []string{"addr", "stake"}
	}
	return nil
}
