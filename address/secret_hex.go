package address

import "strings"

// A private key has 64 hex digits, or at least minHex if one is missing or the
// text omits a prefix.
const minHex = 62

// minBytes is the number of separate bytes that are recognized as a key with a
// typing error.
const minBytes = 12

// hasSecretHex reports whether text contains the hex digits of a private key,
// with nothing but white space, colons, dashes, commas and 0x between them. It
// reports false for digits in the form of an address of row r, a public key, a
// number of TON, or several EVM addresses.
func hasSecretHex(r uint16, text string) bool {
	for i := 0; i < len(text); {
		if charClass[text[i]]&classHex == 0 {
			i++
			continue
		}
		run := hexRun{start: i}
		i = run.read(text)
		if (run.digits >= minHex || run.pieces >= minBytes && run.digits <= 2*run.pieces+2) && run.isRandom(text) && !run.isPublic(r, text) {
			return true
		}
	}
	return false
}

// A hexRun is a run of hex digits, possibly in several pieces.
type hexRun struct {
	start, end int // excluding the separators around the run
	digits     int // in all pieces
	pieces     int
	longest    int // number of digits of the longest piece
	accounts   int // number of pieces with the 40 digits of an EVM address
}

// read reads the run that begins at h.start and returns the offset after it.
func (h *hexRun) read(text string) int {
	i := h.start
	for i < len(text) {
		from := i
		if i+2 <= len(text) && hasHexPrefix(text[i:]) {
			i += 2
			from = i
		}
		for i < len(text) && charClass[text[i]]&classHex != 0 {
			if i > from && hasHexPrefix(text[i:]) {
				break
			}
			i++
		}
		n := i - from
		if n == 0 {
			break
		}
		h.pieces, h.digits, h.longest = h.pieces+1, h.digits+n, max(h.longest, n)
		if n == 40 {
			h.accounts++
		}
		h.end = i
		for i < len(text) && i <= h.end+maxGap && charClass[text[i]]&classAlnum == 0 {
			i++
		}
		if i < len(text) && charClass[text[i]]&classHex == 0 {
			break
		}
	}
	return max(i, h.start+1)
}

// isRandom reports whether the run has the 64 or 128 digits of one or two keys,
// or else as many different digits as a key almost certainly has.
func (h *hexRun) isRandom(text string) bool {
	if h.longest == 64 || h.longest == 128 {
		return true
	}
	var seen [256]bool
	different := 0
	for _, c := range []byte(text[h.start:h.end]) {
		if charClass[c]&classHex != 0 && !seen[c|0x20] {
			seen[c|0x20] = true
			different++
		}
	}
	return different >= 6
}

// isPublic reports whether the run is not a secret.
func (h *hexRun) isPublic(r uint16, text string) bool {
	whole := text[h.start:h.end]
	switch {
	case h.accounts == h.pieces:
		return true
	case h.pieces == 2 && h.longest <= 65 && (hasAnyPrefix(whole, "0:") || hasAnyPrefix(whole, "1:") && h.start > 0 && text[h.start-1] == '-') && whole[2] > ' ': // the workchain of TON
		return true
	case h.pieces > 1:
		return false
	case h.digits == 66 && (whole[:2] == "02" || whole[:2] == "03") && whole[64:] != "01", h.digits == 130 && whole[:2] == "04":
		return true // a public key
	}
	return r != 0 && hasHexAddress(r, whole)
}

// hasHexAddress reports whether the chain of row r has addresses that resemble
// digits: with another letter case or, on siacoin, whose addresses are longer
// than a key, with another checksum.
func hasHexAddress(r uint16, digits string) bool {
	_, _, bad := chains[r-1].format.parse(strings.ToLower(digits), true)
	return bad.err == nil || bad.err == ErrChecksum && len(digits) == siacoinLen
}

// hasSecretBase64 reports whether text contains 32 or 64 bytes in Base64, in one
// piece or in two separated by white space, a soft line break or the mark of a
// quotation.
func hasSecretBase64(text string) bool {
	var before base64Run
	for i := 0; i < len(text); {
		if charClass[text[i]]&classBase64 == 0 {
			i++
			continue
		}
		run := base64Run{start: i, all: ^uint16(0)}
		for ; i < len(text) && charClass[text[i]]&classBase64 != 0; i++ {
			run.n++
			run.any |= charClass[text[i]]
			run.all &= charClass[text[i]]
		}
		run.end, run.padded = i, i < len(text) && text[i] == '='
		if run.n == 1 && text[run.start] == '-' {
			continue // between the pieces
		}
		if run.isSecret(text) {
			return true
		}
		if before.n > 0 && strings.Trim(text[before.end:run.start], " \t\r\n=>-") == "" {
			both := base64Run{before.start, run.end, before.n + run.n, before.any | run.any, before.all & run.all, run.padded}
			if both.isSecret(text) {
				return true
			}
		}
		before = run
	}
	return false
}

// A base64Run is a run of n Base64 digits. any and all are the union and the
// intersection of the classes of its digits.
type base64Run struct {
	start, end, n int
	any, all      uint16
	padded        bool // followed by an equals sign
}

func (r *base64Run) isSecret(text string) bool {
	const mixed = classUpper | classLower | classDigit
	n := r.n
	switch {
	case r.any&mixed != mixed, r.all&classBase58 != 0 && !r.padded, strings.HasPrefix(text[r.start:], "xdc"):
		return false // words or hex, a key of solana, or an EVM address by its prefix
	case n == 43 && !r.padded:
		return !countOf(text[r.start:r.end]).isOneCase() // else an address in Bech32 with a typing error
	}
	// The padding leaves no doubt, so letters in front, and a fault, do not either.
	return r.padded && (42 <= n && n <= 48 || 85 <= n && n <= 91) || n == 43 || n == 86
}
