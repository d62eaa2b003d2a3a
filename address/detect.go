package address

import (
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// Detect parses s on every chain and returns the Addresses that [Parse]
// accepts: first the proven ones (see [Address.Proven]), then the others, each
// in the order of the chain table, except that a name that hardly occurs
// elsewhere comes first on its chain. An EVM address is returned once, on
// ethereum. If no chain accepts s, Detect returns nil.
func Detect(s string) []Address {
	var found []Address
	proven := 0
	first := firstGuess(s)
	for d := newDetector(s); ; {
		a, ok := d.next()
		switch {
		case !ok:
			return found
		case a.Proven():
			found = slices.Insert(found, proven, a)
			proven++
		case a.shape.row() == first:
			found = slices.Insert(found, proven, a)
		default:
			found = append(found, a)
		}
	}
}

// firstGuess returns the row of the chain that most people mean by s if it is an
// address without a checksum there, or zero to go by the order of the table.
func firstGuess(s string) uint16 {
	switch {
	case len(s) == hex32Len && strings.HasPrefix(s, "0x0") && s[3:5] != "00": // as all of starknet, and few of others, begin
		return starknetRow
	case strings.HasSuffix(s, ".wam"): // WAX Cloud Wallet
		return waxRow
	case strings.HasPrefix(s, "eosio."): // the accounts of the system
		return eosRow
	case strings.IndexByte(s, '.') > 0 && s[0] != '0': // on near, a short name without a dot is reserved
		return nearRow
	}
	return 0
}

// The rows of firstGuess, plus one.
var starknetRow, waxRow, eosRow, nearRow = lookup("starknet"), lookup("wax"), lookup("eos"), lookup("near")

// detectProven returns s as an address of the first chain in the table on which
// it is proven. It skips row except.
func detectProven(s string, except uint16) (Address, bool) {
	d := newDetector(s)
	d.proven = true
	if except != ethereumRow { // which next asks for all chains of the same format
		d.except = except
	}
	for {
		a, ok := d.next()
		if !ok || a.Proven() && a.shape.row() != except {
			return a, ok
		}
	}
}

// provesElsewhere reports whether s is provably an address of some chain.
// Formats without a checksum reject such text: it is an address given with the
// wrong chain. The check takes microseconds, so a format calls it only for text
// that its own addresses rarely resemble.
func provesElsewhere(s string) bool {
	_, ok := detectProven(s, 0)
	return ok
}

// isOneCase reports whether the letters in s are all lower or all upper case,
// as they are in Bech32 and hardly ever are in 32 bytes of Base58 or Base64.
func isOneCase(s string) bool {
	// Process eight characters at a time without branches. Letters have bit
	// 6 set, and lower-case letters also bit 5. Most strings have both
	// cases in the first eight characters. An underscore counts as upper
	// case; Bech32 and hex never contain one.
	const bit6 = 0x4040404040404040
	var lower, upper uint64
	for ; len(s) >= 8; s = s[8:] {
		w := load8(s, 0)
		lower |= w & (w << 1) & bit6
		upper |= w &^ (w << 1) & bit6
		if lower != 0 && upper != 0 {
			return false
		}
	}
	for i := range len(s) {
		lower |= uint64(s[i]) & (uint64(s[i]) << 1) & 0x40
		upper |= uint64(s[i]) &^ (uint64(s[i]) << 1) & 0x40
	}
	return lower == 0 || upper == 0
}

// A detector tries a string on all chains. It decodes Base58 only once, because
// that is most of the work and the same for most chains.
type detector struct {
	s       string
	rows    []uint16 // the rows to try, plus one
	row     int      // index in rows of the next one
	proven  bool     // skip formats that prove nothing
	except  uint16   // a row to skip, or zero
	asked   bool     // s was tried on ethereum, for all chains of the same format
	evm     bool     // s is an address of ethereum
	all     uint16   // the classes that all characters share
	raw     [base58.MaxLen]byte
	n       int  // bytes in raw; 0 if s is not Base58
	bitcoin bool // raw ends with Bitcoin's checksum
	mixed   bool // s is Base58 with letters of both cases
}

func newDetector(s string) detector {
	d := detector{s: s}
	if len(s) == 0 || len(s) > maxDiagnosed {
		return d
	}
	d.rows = allRows
	d.all = ^uint16(0)
	any, isWord := uint16(0), true
	for i := range len(s) {
		c := charClass[s[i]]
		any |= c
		d.all &= c
		isWord = isWord && c&classAlnum != 0
	}
	switch {
	case d.all&classAddress == 0:
		d.rows = blankRows
	case isWord && hasHexPrefix(s):
		d.rows = hexRows
	case d.all&classBase58 != 0:
		if any&classUpper != 0 && any&classLower != 0 {
			d.rows, d.mixed = mixedRows, true
		}
		d.n, _ = base58.Bitcoin.Decode(d.raw[:], s)
		d.n = max(d.n, 0)
		d.bitcoin = mayBeBitcoin(d.raw[:d.n]) && sha256d.verifies(d.raw[:d.n])
	}
	return d
}

// next returns the next address that the string spells.
func (d *detector) next() (Address, bool) {
	for d.row < len(d.rows) {
		i := int(d.rows[d.row]) - 1
		d.row++
		f := chains[i].format
		if uint16(i+1) == d.except || !d.fits(f) {
			continue
		}
		var a Address
		bad := a.parseRow(uint16(i+1), d.s, false)
		if uint16(i+1) == ethereumRow {
			d.asked, d.evm = true, bad.err == nil
		}
		if bad.err != nil {
			continue
		}
		return a, true
	}
	return Address{}, false
}

// allRows holds all rows, plus one.
var allRows = func() (rows []uint16) {
	for i := range chains {
		rows = append(rows, uint16(i+1))
	}
	return rows
}()

// mixedRows holds the rows, plus one, of the chains whose addresses can consist
// of Base58 digits in both letter cases.
var mixedRows = func() (rows []uint16) {
	for i := range chains {
		switch chains[i].format.(type) {
		case evm, otherEVM, erc1191, wanchain, *evmBech32, *cosmos, *sei, *bech32Bytes, zilliqa, multiversx, pactus, handshake,
			nervos, kaspa, conflux, nano, icp, casper, kadena, penumbra, symbol, filecoin, strkey, algorand, nem, stacks, siacoin, near, antelope, hedera, icon, flow, avalanche:
		default:
			rows = append(rows, uint16(i+1))
		}
	}
	return rows
}()

// hexRows holds the rows, plus one, of the chains that have addresses which begin
// with "0x" and continue with letters and digits.
var hexRows = slices.DeleteFunc(slices.Clone(allRows), func(r uint16) bool {
	switch chains[r-1].format.(type) {
	case evmFamily, *sei, zilliqa, hedera, hex32, flow, near, arweave:
		return false
	}
	return true
})

// blankRows holds the rows, plus one, of the chains whose addresses can contain
// other characters than those of classAddress.
var blankRows = slices.DeleteFunc(slices.Clone(allRows), func(r uint16) bool {
	switch chains[r-1].format.(type) {
	case nimiq, conflux:
		return false
	}
	return true
})

// fits reports false if the string is certainly not an address of format f, or
// not a proven one if d.proven is set. It saves time, and it keeps
// provesElsewhere from calling formats that call provesElsewhere.
func (d *detector) fits(f format) bool {
	if d.all&classBase58 != 0 && d.n > 0 && !d.fitsBase58(f) {
		return false
	}
	switch f := f.(type) {
	case near, solana, arweave, hex32, antelope, casper, kadena:
		return !d.proven
	case evm:
		return len(d.s) == evmLen && !d.asked
	case *evmBech32, *sei:
		return !d.asked || !hasHexPrefix(d.s)
	case evmFamily:
		return !d.evm
	case *utxo:
		return d.fitsUTXO(f)
	case *zcash:
		return d.fitsUTXO(&f.utxo) || strings.IndexByte(d.s, '1') > 0
	case *liquid:
		return d.bitcoin || strings.IndexByte(d.s, '1') > 0
	case *cashAddr:
		return d.fitsUTXO(&f.utxo) || len(d.s) >= minPrefixless && (d.all&classBech32 != 0 || strings.IndexByte(d.s, ':') > 0)
	case *cosmos, *bech32Bytes, multiversx, pactus, handshake, nervos, penumbra:
		return strings.IndexByte(d.s, '1') > 0
	case xrp, waves, ergo, cryptonote:
		return d.n > 0
	case fio:
		return strings.HasPrefix(d.s, fioPrefix)
	case tron, neo, tezos, helium, mina, ss58:
		return d.fitsDecoded(f)
	}
	return true
}

// fitsDecoded is fits for a format of Base58 whose bytes show it.
func (d *detector) fitsDecoded(f format) bool {
	switch f.(type) {
	case tron:
		return d.bitcoin && d.begins("\x41")
	case mina:
		return d.bitcoin && d.begins(minaVersion)
	case ss58:
		return d.n >= 1+ss58ID+ss58Checksum && d.n <= ss58Max
	}
	return d.bitcoin
}

// fitsUTXO reports false if the string is certainly not an address of u.
func (d *detector) fitsUTXO(u *utxo) bool {
	if u.hrp != "" && hasHRP(d.s, u.hrp) || u.long != "" && hasHRP(d.s, u.long) {
		return true // all its digits may also be Base58
	}
	if d.n == 0 {
		return false
	}
	if u.hash == sha256d && !d.bitcoin || u.hash == groestl512 && d.n != 1+20+sumLen {
		return false
	}
	return d.begins(u.pkh) || d.begins(u.sh) || d.begins(u.oldPKH) || d.begins(u.oldSH) ||
		slices.ContainsFunc(u.more, func(v version) bool { return d.begins(v.prefix) })
}

// begins reports whether the bytes that the string decodes to in Base58 begin
// with version, which must not be empty.
func (d *detector) begins(version string) bool {
	return version != "" && len(version) <= d.n && string(d.raw[:len(version)]) == version
}
