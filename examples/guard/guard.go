// Package guard screens the recipients of an Ethereum transaction before it is signed. [Wrap]
// puts a Guard around a signer in Go, such as bind.TransactOpts.Signer of go-ethereum.
//
// It sees what the transaction says, not what contracts do with it: it cannot say where a
// contract sends funds in the end, it does not look into the creation of a contract, and it does
// not see typed data that is signed off the chain, such as the message of a permit. Calldata
// that it cannot read is [ErrUnknownCall], about which Guard.Unknown decides.
//
// Refused are transactions to an account with a label, to an account in doubt, and all of them
// while a required list is not loaded or older than [screening.Options.MaxAge] allows: set it,
// because without it a list answers at any age.
package guard

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
)

var (
	// ErrListed reports that a recipient is listed. The error is a *RecipientError.
	ErrListed = errors.New("the recipient is listed")

	// ErrUnknownCall reports calldata that cannot be read.
	ErrUnknownCall = errors.New("the calldata is not known")
)

// A RecipientError is an ErrListed that says which recipient is listed, and why.
type RecipientError struct {
	Recipient common.Address
	Result    screening.Result
}

func (e *RecipientError) Error() string {
	l := e.Result.Labels[0]
	return fmt.Sprintf("guard: %v: %v: %s by %s %s", e.Recipient, ErrListed, l.Kind, l.Source, l.Ref)
}

// Unwrap returns ErrListed.
func (e *RecipientError) Unwrap() error { return ErrListed }

// A Guard decides which transactions may be signed. It may be used concurrently.
type Guard struct {
	// Screener has the lists.
	Screener *screening.Screener

	// Unknown decides about a call whose calldata is not known, as the transaction makes it
	// or as it is nested in another one. The transaction is signed if all calls of Unknown
	// return nil. A nil Unknown refuses with ErrUnknownCall. No account on a list stands in
	// the calldata, in 20 bytes that follow one another and are not mostly zeros.
	Unknown func(to common.Address, calldata []byte) error
}

// Wrap returns a signer that calls next for the transactions that g lets pass.
func Wrap[F ~func(common.Address, *types.Transaction) (*types.Transaction, error)](g *Guard, next F) F {
	return func(from common.Address, tx *types.Transaction) (*types.Transaction, error) {
		if err := g.Check(tx); err != nil {
			return nil, err
		}
		return next(from, tx)
	}
}

// Check returns nil if tx may be signed.
func (g *Guard) Check(tx *types.Transaction) error {
	chain := address.Chain("ethereum")
	if id := tx.ChainId(); id.Sign() > 0 {
		var err error
		if chain, err = address.ParseChain("eip155:" + id.String()); err != nil {
			return fmt.Errorf("guard: %w", err)
		}
	}
	recipients, unknown := Recipients(tx)
	for _, recipient := range recipients {
		if err := g.screen(chain, recipient); err != nil {
			return err
		}
	}
	if tx.To() == nil { // a creation: accounts in its code are not recipients
		return nil
	}
	for data := tx.Data(); len(data) >= common.AddressLength; data = data[1:] {
		a := common.BytesToAddress(data[:common.AddressLength])
		if bytes.Count(a[:], []byte{0}) > common.AddressLength/2 {
			continue // a part of a number
		}
		if err := g.screen(chain, a); errors.Is(err, ErrListed) {
			return err
		}
	}
	for _, call := range unknown {
		err := ErrUnknownCall
		if g.Unknown != nil {
			err = g.Unknown(call.To, call.Calldata)
		}
		if err != nil {
			return fmt.Errorf("guard: call of %v: %w", call.To, err)
		}
	}
	return nil
}

// screen returns nil if nothing is known against an account.
func (g *Guard) screen(chain address.Chain, account common.Address) error {
	a, err := address.Parse(chain, hexutil.Encode(account[:]))
	if err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	r, err := g.Screener.Screen(a)
	switch {
	case err != nil:
		return fmt.Errorf("guard: %w", err)
	case len(r.Labels) > 0:
		return &RecipientError{account, r}
	case len(r.Doubts) > 0:
		return fmt.Errorf("guard: %v: %s", account, r.Doubts[0].Explain())
	}
	return nil
}
