package address

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// An interop is an interoperable address: an account and its chain in one text,
// either as hex ("0x0001…") or as a name ("0x…@eip155:1#4CA88C9C"). The chain
// may be missing, which leaves an account of all EVM chains.
//
// See ERC-7930, ERC-7828, and the profiles of CAIP-350 for eip155 and solana.
type interop struct {
	chain Chain  // the slug, or "eip155:N"; "" if the text names none
	body  string // the account in the format of the chain; "" if it cannot be read
	bad   fault  // why it is not an account of the chain
	hint  string
}

// The parts of an interoperable address in hex, in bytes: a version, the type
// of the chain, two lengths, the reference of the chain, and the account.
const (
	interopVersion = "0001"
	interopHead    = 2 + 2 + 1 // up to the first length
	interopMin     = 2 + 2*(interopHead+1+1)

	interopEVM    = 0x0000 // the namespace eip155
	interopSolana = 0x0002 // the namespace solana
)

// isInteropHex reports whether s is an interoperable address in hex. Formats
// whose own addresses can look like one call it to reject it.
func isInteropHex(s string) bool {
	_, _, _, ok := interopBytes(s)
	return ok
}

// interopBytes returns the type of the chain, its reference and the account that s, an
// interoperable address in hex, holds.
func interopBytes(s string) (kind uint16, reference, account []byte, ok bool) {
	if len(s) < interopMin || len(s) > maxDiagnosed || !hasHexPrefix(s) || s[2:2+len(interopVersion)] != interopVersion {
		return 0, nil, nil, false
	}
	b, err := hex.DecodeString(s[2:])
	if err != nil || b[2] != 0 { // fewer than 256 namespaces are in use
		return 0, nil, nil, false
	}
	n := int(b[interopHead-1])
	if len(b) < interopHead+n+1 {
		return 0, nil, nil, false
	}
	reference, account = b[interopHead:interopHead+n], b[interopHead+n+1:]
	return binary.BigEndian.Uint16(b[2:]), reference, account, int(b[interopHead+n]) == len(account) && n+len(account) > 0
}

// makeInterop returns the account of a chain of the given type, by its reference.
func makeInterop(kind uint16, reference, account []byte) (i interop) {
	switch {
	case len(account) == 0:
		i.fail("it names a chain but no account")
	case kind == interopEVM && len(account) == 20 && len(reference) <= 8 && !bytes.HasPrefix(reference, []byte{0}):
		i.body = "0x" + hex.EncodeToString(account)
		if len(reference) > 0 {
			number := binary.BigEndian.Uint64(append(make([]byte, 8-len(reference)), reference...))
			i.setChain(eip155 + strconv.FormatUint(number, 10))
		}
	case kind == interopSolana && len(account) == 32 && len(reference) == 32:
		id := base58.Bitcoin.Encode(reference)
		i.body = base58.Bitcoin.Encode(account)
		i.setChain("solana:" + id[:min(len(id), 32)]) // of CAIP-2
	default:
		i.fail("its namespace is not known here")
	}
	return i
}

// readInterop parses s as an interoperable address. It reports false if s is none.
func readInterop(s string) (interop, bool) {
	if kind, reference, account, ok := interopBytes(s); ok {
		return makeInterop(kind, reference, account), true
	}
	return readInteropName(s)
}

// readInteropName implements readInterop for a name: an account, an at sign, a
// chain and, after a number sign, an optional checksum.
func readInteropName(s string) (interop, bool) {
	account, rest, ok := strings.Cut(s, "@")
	chain, sum, hasSum := strings.Cut(rest, "#")
	if !ok || len(s) > maxDiagnosed || strings.ContainsAny(rest, "@/?&=") || hasSum && (len(sum) != 8 || !isHex(sum)) {
		return interop{}, false
	}
	var i interop
	namespace, reference, _ := strings.Cut(chain, ":")
	kind := uint16(interopEVM)
	var ref, key []byte
	switch {
	case isServiceName(account) && chain != "":
		i.bad, i.hint = fault{err: ErrName, at: -1}, resolveFirst
		return i, true
	case namespace == otherEVMSlug:
		ref, key = binaryEVM(account, reference)
	case namespace == "solana" && reference != "":
		kind = interopSolana
		ref, key = binary32(reference), binary32(account)
	case hasSum, hasNamespace(namespace) && reference != "":
	case isEVMText(account) && chain != "":
		i.fail("its chain is a name, which must be resolved first")
		return i, true
	default:
		return interop{}, false
	}
	if key == nil {
		i.fail("its account or its namespace is not known here")
		return i, true
	}
	i = makeInterop(kind, ref, key)
	if i.bad.err == nil && hasSum && !strings.EqualFold(sum, interopSum(kind, ref, key)) {
		i.bad = badChecksum
	}
	return i, true
}

// binaryEVM returns the binary forms of the number of an EVM chain, which may be "", and of an
// account, or nil if one of them cannot be read.
func binaryEVM(account, number string) (reference, key []byte) {
	var a Address
	if a.parseRow(ethereumRow, account, true).err != nil || number != "" && !isChainNumber(number) {
		return nil, nil
	}
	key, _ = hex.DecodeString(a.text[2:])
	n, _ := strconv.ParseUint(number, 10, 64)
	return bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, n), "\x00"), key
}

// binary32 returns the 32 bytes of s, in Base58, or nil.
func binary32(s string) []byte {
	b := make([]byte, 32)
	if n, _ := base58.Bitcoin.Decode(b, s); n != len(b) {
		return nil
	}
	return b
}

// fail makes i an address that cannot be read.
func (i *interop) fail(hint string) { i.bad, i.hint = fault{err: ErrInterop, at: -1}, hint }

// setChain sets the chain with the given CAIP-2 id.
func (i *interop) setChain(id string) {
	bad, chain, _ := otherID(id, -1)
	switch {
	case chain != "":
		i.chain = chain
	case bad.err == ErrNetwork:
		i.bad = bad
	default:
		i.fail("its chain is not known here")
	}
}

// isOn reports whether i is an account of chain c, which may be an EVM chain.
func (i *interop) isOn(c Chain, isEVM bool) bool {
	return i.bad.err == nil && (i.chain == c || i.chain == "" && isEVM)
}

// explain completes e, the error for i on chain c.
func (i *interop) explain(e *ParseError, c *chain) {
	switch e.Err, e.hint = i.bad.err, i.hint; {
	case i.bad.err != nil:
	case i.isOn(e.Chain, c.isEVM()):
		e.Err, e.hint = ErrInterop, "Normalize reads its account"
	default:
		e.Err, e.Other = ErrOtherChain, cmp.Or(i.chain, chains[ethereumRow-1].slug)
	}
}

// interopSum returns the checksum of an interoperable address: the first four
// bytes of the hash of its binary form without the version.
func interopSum(kind uint16, reference, account []byte) string {
	b := binary.BigEndian.AppendUint16(nil, kind)
	b = append(append(b, byte(len(reference))), reference...)
	b = append(append(b, byte(len(account))), account...)
	sum := keccak256(b)
	return hex.EncodeToString(sum[:4])
}
