package guard

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// A Call is a call of a contract.
type Call struct {
	To       common.Address
	Calldata []byte
}

// Limits of the calls in one transaction.
const (
	maxCalls = 4096
	maxDepth = 16
)

// accounts says which arguments of a function are the accounts that it pays, takes from or
// gives rights to.
var accounts = map[[4]byte]int{ // how many arguments, from the first one
	selector("transfer(address,uint256)"):                                        1,
	selector("transferFrom(address,address,uint256)"):                            2,
	selector("approve(address,uint256)"):                                         1,
	selector("increaseAllowance(address,uint256)"):                               1,
	selector("permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"):    2,
	selector("safeTransferFrom(address,address,uint256)"):                        2,
	selector("safeTransferFrom(address,address,uint256,bytes)"):                  2,
	selector("safeTransferFrom(address,address,uint256,uint256,bytes)"):          2,
	selector("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)"): 2,
	selector("setApprovalForAll(address,bool)"):                                  1,
}

// calls says where a function has an array of calls: the argument, and of an element the words
// before its calldata, or none if the calldata is all.
var calls = map[[4]byte]struct{ argument, words int }{
	selector("multicall(bytes[])"):                              {0, 0},
	selector("multicall(uint256,bytes[])"):                      {1, 0},
	selector("multicall(bytes32,bytes[])"):                      {1, 0},
	selector("aggregate3((address,bool,bytes)[])"):              {0, 2},
	selector("aggregate3Value((address,bool,uint256,bytes)[])"): {0, 3},
}

func selector(signature string) [4]byte { return [4]byte(crypto.Keccak256([]byte(signature))) }

// Recipients returns the accounts that tx pays, takes tokens from or gives rights to, as far as
// its calldata is known, and the calls whose calldata is not. The creation of a contract has
// none.
func Recipients(tx *types.Transaction) (recipients []common.Address, unknown []Call) {
	r := reader{left: maxCalls}
	for _, auth := range tx.SetCodeAuthorizations() {
		r.recipients = append(r.recipients, auth.Address)
		if authority, err := auth.Authority(); err == nil { // else it has no effect
			r.recipients = append(r.recipients, authority)
		}
	}
	if to := tx.To(); to != nil {
		r.recipients = append(r.recipients, *to)
		if len(tx.Data()) > 0 {
			r.call(Call{*to, tx.Data()}, 0)
		}
	}
	return r.recipients, r.unknown
}

// A reader collects what the calls of a transaction say.
type reader struct {
	recipients []common.Address
	unknown    []Call
	left       int // calls that may still be read
}

// call reads a call inside depth others.
func (r *reader) call(c Call, depth int) {
	r.left--
	if len(c.Calldata) >= 4 && r.left >= 0 && depth <= maxDepth {
		name, args := [4]byte(c.Calldata), arguments(c.Calldata[4:])
		if n, ok := accounts[name]; ok {
			for i := range n {
				word := args.word(32 * uint64(i))
				r.recipients = append(r.recipients, common.BytesToAddress(word[12:]))
			}
			return
		}
		if a, ok := calls[name]; ok && r.calls(c.To, args, a.argument, a.words, depth) {
			return
		}
	}
	r.unknown = append(r.unknown, c)
}

// calls reads an array of calls, and reports whether it could.
func (r *reader) calls(to common.Address, args arguments, argument, words, depth int) bool {
	start, ok := args.number(32 * uint64(argument))
	n, ok2 := args.number(start)
	if !ok || !ok2 || n > uint64(max(r.left, 0)) {
		return false
	}
	elements := start + 32
	for i := range n {
		offset, ok := args.number(elements + 32*i)
		at := elements + offset
		inner := Call{To: to}
		if words > 0 { // a tuple that begins with the target
			word := args.word(at)
			inner.To = common.BytesToAddress(word[12:])
			r.recipients = append(r.recipients, inner.To)
			more, ok2 := args.number(at + 32*uint64(words))
			ok, at = ok && ok2, at+more
		}
		size, ok2 := args.number(at)
		if !ok || !ok2 || at+32+size > uint64(len(args)) {
			return false
		}
		if inner.Calldata = args[at+32 : at+32+size]; size > 0 {
			r.call(inner, depth+1)
		}
	}
	return true
}

// arguments are the arguments of a call, in the encoding of Solidity. Beyond their end they are
// zeros, as contracts see them.
type arguments []byte

// word returns the word at a place.
func (a arguments) word(at uint64) (word [32]byte) {
	if at < uint64(len(a)) {
		copy(word[:], a[at:])
	}
	return word
}

// number returns the number at a place, and reports whether it is one that a length or an
// offset can be.
func (a arguments) number(at uint64) (n uint64, ok bool) {
	word := a.word(at)
	for _, b := range word[:29] {
		if b != 0 {
			return 0, false
		}
	}
	return uint64(word[29])<<16 | uint64(word[30])<<8 | uint64(word[31]), true
}
