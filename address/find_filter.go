package address

import (
	"strings"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// proven returns s as an address of the first chain in the table on which it is
// proven. It is a faster detectProven: the length of s, its beginning and the
// classes of its characters select the chains to try, so most strings in a text
// take some nanoseconds.
func (f *finder) proven(s string) (Address, bool) {
	if len(s) < minChunk || len(s) > maxWhole {
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
	if n < minWord {
		return Address{}, false
	}
	if all&classBase58 != 0 && n <= maxSpan && mayBeBase58(n, s[0]) {
		if a, ok := f.tryBase58(s); ok {
			return a, ok
		}
	}
	return f.provenWord(s, any, all)
}

// provenWord implements proven for a word of letters and digits that is not an
// address in Base58.
func (f *finder) provenWord(s string, any, all uint16) (Address, bool) {
	n := len(s)
	switch {
	case all&classBase32 != 0 && (n == 39 || n == 40 || n == 56 || n == 58 || n == 69):
		return f.tryRow(base32Rows[n], s)
	case n == evmLen && hasHexPrefix(s):
		return f.tryRow(ethereumRow, s)
	case n == 48 && (s[0] == 'E' || s[0] == 'U'):
		return f.tryRow(separatorRows.ton, s)
	case n == len("xdc")+40 && hasAnyPrefix(s, "xdc"):
		return f.tryRow(xdcRow, s)
	case n == fioTextLen && hasAnyPrefix(s, fioPrefix):
		return f.tryRow(fioRow, s)
	case all&classHex != 0:
		return f.provenHex(s)
	case any&classUpper != 0 && any&classLower != 0:
		return Address{}, false
	}
	return f.provenOneCase(s, all)
}

// provenHex implements provenWord for hex digits.
func (f *finder) provenHex(s string) (Address, bool) {
	switch len(s) {
	case icpLedgerLen:
		return f.tryRow(icpRow, s)
	case siacoinLen:
		return f.tryRow(siacoinRow, s)
	}
	return Address{}, false
}

// provenOneCase implements provenWord for a word whose letters are in one case.
func (f *finder) provenOneCase(s string, all uint16) (Address, bool) {
	n := len(s)
	switch {
	case s[0] == 'S' && (s[1] == 'P' || s[1] == 'M'):
		return f.tryRow(stacksRow, s)
	case n >= 38 && s[0]|0x20 == 'f' && '1' <= s[1] && s[1] <= '4':
		return f.tryRow(filecoinRow, s)
	case (n == 42 || n == 61) && all&classBech32 != 0: // CashAddr without its prefix
		for _, r := range cashAddrRows {
			if a, ok := f.tryRow(r, s); ok {
				return a, ok
			}
		}
	}
	return f.provenBech32(s)
}

// fitsBase58 reports false if the string, which consists of Base58 digits, is
// certainly not an address of f. It compares what formats compare only after
// they have computed a checksum.
func (d *detector) fitsBase58(f format) bool {
	switch f := f.(type) {
	case *cashAddr:
		return d.fitsUTXO(&f.utxo) || !d.mixed && len(d.s) >= minPrefixless
	case *liquid, *zcash:
		return d.bitcoin || !d.mixed
	case cardano:
		return d.begins("\x82\xd8") || !d.mixed
	case waves:
		return d.n == wavesLen && d.raw[0] == wavesVersion && d.raw[1] == wavesChain
	case ergo:
		return d.n > 1+sumLen && d.raw[0]-1 <= byte(formErgoP2S)
	case xrp:
		return d.s[0] == 'r' || d.s[0] == 'X'
	case cryptonote:
		return cnMinText <= len(d.s) && len(d.s) <= cnMaxText
	case ss58:
		return d.n == ss58Max && d.raw[0] >= 0x40 || d.n == ss58Max-1 && uint16(d.raw[0]) == f.prefix
	}
	return true
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
	rows := hrpRows[string(lower[:one])]
	if len(rows) == 0 {
		return Address{}, false
	}
	if hrp := string(lower[:one]); hrp != liquidBlindHRP && n <= bech32.MaxLen {
		if _, _, bad := bech32.Verify(hrp, s); bad != bech32.OK {
			return Address{}, false
		}
	}
	for _, row := range rows {
		if a, ok := f.tryRow(row, s); ok {
			return a, true
		}
	}
	return Address{}, false
}

// tryRow reports whether s is a proven address of row r, which may be zero.
func (f *finder) tryRow(r uint16, s string) (a Address, ok bool) {
	if r == 0 {
		return a, false
	}
	f.tries++
	return a, a.parseRow(r, s, false).err == nil && a.Proven()
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
			switch len(s) {
			case nemGroupsLen:
				return separatorRows.nem
			case symbolGroupsLen:
				return separatorRows.symbol
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
	ton, nem, symbol, hedera uint16
	scheme                   map[string]uint16
}{
	lookup("ton"), lookup("nem"), lookup("symbol"), lookup("hedera"),
	map[string]uint16{
		"bitcoincash": lookup("bitcoin-cash"), "ecash": lookup("ecash"), "kaspa": lookup("kaspa"), "cfx": lookup("conflux"), "ronin": lookup("ronin"),
		"nano_": lookup("nano"), "xrb_": lookup("nano"), "ak_": lookup("aeternity"), "X-": lookup("avalanche-x"), "P-": lookup("avalanche-p"),
		"account_": lookup("radix"), "ACCOUNT_": lookup("radix"), "mn_": lookup("midnight"), "MN_": lookup("midnight"),
	},
}

var (
	siacoinRow, stacksRow, filecoinRow = lookup("siacoin"), lookup("stacks"), lookup("filecoin")
	xdcRow, fioRow, xrpRow             = lookup("xdc"), lookup("fio"), lookup("xrp")
	cryptonoteRows                     = [...]uint16{lookup("monero"), lookup("oxen")}

	// base32Rows holds the chain whose addresses in Base32 have a length.
	base32Rows = [70]uint16{39: lookup("symbol"), 40: lookup("nem"), 56: lookup("stellar"), 58: lookup("algorand"), 69: lookup("stellar")}

	// cashAddrRows holds the chains whose addresses in CashAddr have an optional
	// prefix.
	cashAddrRows = func() (rows []uint16) {
		for i := range chains {
			switch chains[i].format.(type) {
			case *cashAddr:
				rows = append(rows, uint16(i+1))
			}
		}
		return rows
	}()
)

// maxHRP is the length of the longest human-readable part.
const maxHRP = 15

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
	case penumbra:
		return []string{penumbraHRP, penumbraCompat}
	case handshake:
		return []string{handshakeHRP}
	case nervos:
		return []string{"ckb"}
	case cardano:
		return []string{"addr", "stake"}
	}
	return nil
}
